/* columns_exact.h - exact sums of a panel's vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_COLUMNS_EXACT_H
#define QUIRE_CPU_COLUMNS_EXACT_H

#include "cpu/columns_source.h"

#define PANEL_PIECES 64 /* the most pieces of a panel */
_Static_assert(PANEL_PIECES < LIMB_MERGES, "each leaves carried limbs, which add up");

/* A result for each vector, one behind the other. The environment is ours. */
QUIRE_PRIVATE void panel_exact(const panel_job *p, char *results);

/* The same by all threads of a context, which reports nothing, in pieces of so many rows. */
QUIRE_PRIVATE void panel_exact_shared(const cpu_context *context, const panel_job *p, size_t piece, int threads,
                                      char *results);

#endif
