/* layouts.h - slots of the backend for many vectors, for sums by key, and for running sums; and covariances and
 * correlations of all pairs of some vectors with others (gram.c); where segments stand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_LAYOUTS_H
#define QUIRE_CPU_LAYOUTS_H

#include "cpu/context.h"
#include "cpu/gather.h"

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

typedef struct {
    int64_t begin; /* element, or entry of an index */
    size_t n;
} segment;

/* Segment i; one that ends before it begins is empty. */
QUIRE_INLINE segment segment_at(const quire_segments *s, size_t i) {
    const int is_64_bit = s->index == QUIRE_I64;
    const int64_t begin = index_at(s->begin, (ptrdiff_t)i, is_64_bit), end = index_at(s->end, (ptrdiff_t)i, is_64_bit);
    return (segment){ begin, end > begin ? (size_t)((uint64_t)end - (uint64_t)begin) : 0 };
}

#endif
