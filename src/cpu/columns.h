/* columns.h - a panel of vectors reduced together; see panel.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_COLUMNS_H
#define QUIRE_CPU_COLUMNS_H

#include "cpu/columns_source.h"

/* A result for each vector, one behind the other. The environment is ours. */
QUIRE_PRIVATE void panel_reduce(const panel_job *p, char *results);

/* The same by all threads of a context, which reports nothing; p's is a single one, and so is the panel. */
QUIRE_PRIVATE void panel_reduce_shared(const cpu_context *context, const panel_job *p, char *results);

#endif
