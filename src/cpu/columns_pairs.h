/* columns_pairs.h - averages, covariances and correlations of the vectors of two panels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_COLUMNS_PAIRS_H
#define QUIRE_CPU_COLUMNS_PAIRS_H

#include "cpu/columns_source.h"

/* A result for each vector, one behind the other. The environment is ours. */
QUIRE_PRIVATE void panel_pairs(const panel_job *p, char *results);

#endif
