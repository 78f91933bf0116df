/* columns.h - a panel of vectors reduced together; see panel.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_COLUMNS_H
#define QUIRE_CPU_COLUMNS_H

#include "cpu/block/panel.h"
#include "cpu/drivers.h"

/* count vectors of the job's n elements, 0 < count <= PANEL and n > 0. Element k of vector c is at x[c] + k * x_stride,
 * in bytes. If panels > 1, there are so many of PANEL vectors each, all side by side; the first panel says where they
 * are. */
typedef struct {
    const cpu_context *context;
    const quire_job *job;
    size_t count, panels;
    const char *x[PANEL], *y[PANEL];
    ptrdiff_t x_stride, y_stride;
} panel_job;

/* A result for each vector, one behind the other. The environment is ours. */
QUIRE_PRIVATE void panel_reduce(const panel_job *p, char *results);

/* The same by all threads of a context, which reports nothing; p's is a single one, and so is the panel. */
QUIRE_PRIVATE void panel_reduce_shared(const cpu_context *context, const panel_job *p, char *results);

/* ------------------------------------------------------------------------------------------------ columns_exact.c */

#define PANEL_PIECES 64 /* the most pieces of a panel */
_Static_assert(PANEL_PIECES < LIMB_MERGES, "each leaves carried limbs, which add up");

/* The same for exact sums alone; shared in pieces of so many rows. */
QUIRE_PRIVATE void panel_exact(const panel_job *p, char *results);
QUIRE_PRIVATE void panel_exact_shared(const cpu_context *context, const panel_job *p, size_t piece, int threads,
                                      char *results);

#endif
