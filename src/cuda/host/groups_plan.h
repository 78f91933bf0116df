/* groups_plan.h - how many rows of one array are shared out among groups of threads (kernels/exact_rows.cuh): a pure
 * function of the layout, of where it stands and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_GROUPS_PLAN_H
#define QUIRE_CUDA_HOST_GROUPS_PLAN_H

#include "cuda/host/vectors_plan.h"

/* See vectors_job.h. fits: whether these are rows for groups. */
typedef struct {
    int fits;
    unsigned threads, slots;
    size_t rows_of_warp; /* at once */
} groups_plan;

/* A layout as one of rows one below the other, if it is that. */
static inline int plan_as_rows(const quire_layout *l, quire_layout *rows) {
    const ptrdiff_t ld = l->inner == 1 ? l->outer_stride : l->inner_stride;
    if (l->n > 1 && l->stride != 1) return 0;
    if (l->inner > 1 && l->outer > 1 && l->outer_stride != (ptrdiff_t)l->inner * l->inner_stride) return 0;
    const quire_layout as_rows = { l->outer * l->inner, l->n, 1, ld, 1, 0 };
    *rows = as_rows;
    return 1;
}

/* Whether all rows begin at multiples of some bytes; and are so long, too. */
static inline int plan_begin_at(const quire_layout *rows, const void *x, int size, size_t bytes) {
    return (uintptr_t)x % bytes == 0 &&
           (rows->outer == 1 || stride_magnitude(rows->outer_stride) * (size_t)size % bytes == 0);
}
static inline int plan_has_rows_of(const quire_layout *rows, const void *x, int size, size_t bytes) {
    return rows->n * (size_t)size % bytes == 0 && plan_begin_at(rows, x, size, bytes);
}

/* Threads of a longer row: few, for less is to be merged; more where rows end within lines of memory. */
static inline unsigned plan_long_threads(const quire_layout *rows, const void *x, int size, size_t warps) {
    const size_t few = 32 / GROUPS_LONG;
    if (rows->outer / few < warps) return 32;
    if (plan_has_rows_of(rows, x, size, ROWS_LINE)) return GROUPS_LONG;
    return plan_has_rows_of(rows, x, size, ROWS_CHUNK) ? 2 * GROUPS_LONG : 32;
}

/* Rows as plan_as_rows has them: of whole chunks, or so long that it does not matter. There are enough for warps of
 * them to be at work at once. loads: of a thread, at once. may_stream: rows of some chunks are left to rows.cuh.
 * is_wide: for wider sums, one by one. */
static inline groups_plan plan_groups(const quire_layout *rows, const void *x, int size, int may_stream, int is_wide,
                                      unsigned loads, size_t warps) {
    groups_plan p = { 0, 1, 1, 0 };
    const size_t chunks = plan_divide_up(rows->n * (size_t)size, ROWS_CHUNK);
    if (rows->n == 0 || rows->n > PTRDIFF_MAX / sizeof(double)) return p;
    if (chunks > GROUPS_CHUNKS) {
        p.threads = plan_long_threads(rows, x, size, warps);
        p.slots = 0, p.rows_of_warp = 32 / p.threads;
    } else {
        if (!plan_has_rows_of(rows, x, size, ROWS_CHUNK)) return p;
        if (is_wide) {
            if (chunks < GROUPS_WIDE_LEAST) return p;
            while (p.threads < GROUPS_LONG && p.threads * loads < chunks) p.threads *= 2;
            p.slots = 0, p.rows_of_warp = 32 / p.threads;
        } else if (may_stream && chunks >= GROUPS_STREAM_LEAST && chunks <= GROUPS_STREAM_MOST) {
            return p;
        } else {
            p.slots = chunks > 2 ? GROUPS_SLOTS : (unsigned)chunks;
            while (p.threads * p.slots < chunks) p.threads *= 2;
            p.rows_of_warp = (p.slots > 1 ? loads / p.slots : loads / 2) * (32 / p.threads);
        }
    }
    p.fits = rows->outer / p.rows_of_warp >= warps;
    return p;
}

/* Blocks for the rows of a plan: waves of them, if there is work for some. */
static inline size_t plan_group_blocks(const device_facts *d, const quire_layout *rows, const groups_plan *p) {
    const size_t most = d->wish.blocks ? d->wish.blocks : plan_blocks(d, GROUPS_BLOCKS) * GROUPS_WAVES;
    return plan_least(plan_divide_up(rows->outer, GROUPS_THREADS / 32 * p->rows_of_warp), most);
}

#endif
