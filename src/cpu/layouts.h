/* layouts.h - slots of the backend for many vectors, for sums by key, and for running sums; and covariances and
 * correlations of all pairs of some vectors with others (gram.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_LAYOUTS_H
#define QUIRE_CPU_LAYOUTS_H

#include "cpu/context.h"

QUIRE_PRIVATE quire_status cpu_reduce_many(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                                           const quire_layout *y_layout);
QUIRE_PRIVATE quire_status cpu_reduce_segments(quire_context *context, const quire_job *job,
                                               const quire_segments *segments);
QUIRE_PRIVATE quire_status cpu_reduce_gathered(quire_context *context, const quire_job *job,
                                               const quire_gathered *rows);
QUIRE_PRIVATE size_t cpu_order_workspace(quire_context *context, const quire_keys *keys);
QUIRE_PRIVATE quire_status cpu_order_by_key(quire_context *context, const quire_keys *keys, void *order, void *offsets,
                                            void *workspace);
QUIRE_PRIVATE size_t cpu_by_key_workspace(quire_context *context, const quire_job *job, const quire_keys *keys,
                                          const quire_layout *x_layout, int arrays);
QUIRE_PRIVATE quire_status cpu_reduce_by_key(quire_context *context, const quire_job *job, const quire_keys *keys,
                                             const quire_layout *x_layout, const quire_layout *y_layout,
                                             int64_t *counts, void *workspace);
QUIRE_PRIVATE quire_status cpu_scan(quire_context *context, const quire_job *job, quire_scan_kind kind,
                                    const quire_layout *x_layout, const quire_layout *results_layout);

/* Whether the layouts are such: each vector of x that the outer index names meets each of y that the inner one does. */
QUIRE_PRIVATE int is_gram(const cpu_context *context, const quire_job *job, const quire_layout *x,
                          const quire_layout *y);

/* Their results, as cpu_reduce_many stores them. */
QUIRE_PRIVATE void gram_reduce(const cpu_context *context, const quire_job *job, const quire_layout *x,
                               const quire_layout *y);

#endif
