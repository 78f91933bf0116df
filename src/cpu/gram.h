/* gram.h - covariances and correlations of all pairs of some vectors with others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GRAM_H
#define QUIRE_CPU_GRAM_H

#include "cpu/context.h"

/* Whether the layouts are such: each vector of x that the outer index names meets each of y that the inner one does. */
QUIRE_PRIVATE int is_gram(const cpu_context *context, const quire_job *job, const quire_layout *x,
                          const quire_layout *y);

/* Their results, as cpu_reduce_many stores them. */
QUIRE_PRIVATE void gram_reduce(const cpu_context *context, const quire_job *job, const quire_layout *x,
                               const quire_layout *y);

#endif
