/* ordered_plan.h - how rows by a method of the canonical order are shared out among groups of threads
 * (kernels/ordered_rows.cuh): a pure function of the layouts, of where they stand and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ORDERED_PLAN_H
#define QUIRE_CUDA_HOST_ORDERED_PLAN_H

#include "cuda/host/groups_plan.h"

/* See vectors_job.h. */
typedef struct {
    unsigned threads, slots;
    size_t rows_of_warp; /* at once */
} ordered_plan;

/* Rows as plan_as_rows has them, of 1 to INT32_MAX elements of size bytes. */
static inline ordered_plan plan_ordered_rows(size_t n, int size) {
    const unsigned of_thread = (unsigned)ordered_slots(size);
    const size_t chunks = plan_divide_up(n * (size_t)size, ROWS_CHUNK);
    ordered_plan p = { 1, 0, 1 };
    if (n > ORDER_LANES) {
        p.threads = ORDER_LANES / (ROWS_CHUNK / (unsigned)size * of_thread);
        p.rows_of_warp = 32 / p.threads;
        return p;
    }
    p.slots = chunks > ORDERED_SHORT ? of_thread : 1;
    while (p.threads * p.slots < chunks) p.threads *= 2;
    p.rows_of_warp = ORDERED_LOADS / p.slots * (32 / p.threads);
    return p;
}

/* Whether rows, as plan_ordered_rows has them, are staged: side by side, but no whole chunks, and a tile at most; and
 * as many at a time as a block has room for. */
static inline int plan_ordered_staged(const quire_layout *rows, const void *x, const quire_layout *rows_y,
                                      const void *y, int size, size_t warps, groups_plan *p) {
    const size_t n = rows->n, bytes = n * (size_t)size, share = stretch_share(rows_y != NULL);
    const groups_plan staged = { 1, ROWS_STAGED, 1, 0, 1, n, 1, 0 };
    *p = staged;
    if (size == 1 || bytes > 32 * share || n > ORDER_LANES * ORDER_ROWS) return 0;
    if (plan_has_rows_of(rows, x, size, ROWS_CHUNK) && (!rows_y || plan_has_rows_of(rows_y, y, size, ROWS_CHUNK)))
        return 0;
    if (!plan_is_contiguous(rows) || (rows_y && !plan_is_contiguous(rows_y))) return 0;
    while (p->threads < 32 && p->threads * VECTORS_LANES < n) p->threads *= 2;
    plan_staged(p, rows->outer, bytes, share, warps);
    p->units = plan_divide_up(rows->outer, p->rows_of_unit);
    return 1;
}

/* For how many units rows are to be cut into parts: those of some waves, if there are too few rows for one; else 1. */
static inline size_t plan_ordered_units(const device_facts *d, size_t rows, const ordered_plan *p) {
    const size_t groups = plan_blocks(d, ORDERED_BLOCKS) * (ORDERED_THREADS / p->threads);
    return groups / rows < ORDERED_FEW ? 1 : groups * ORDERED_PART_WAVES;
}

/* Blocks for so many rows, or parts. */
static inline size_t plan_ordered_blocks(const device_facts *d, size_t units, const ordered_plan *p) {
    const size_t most = d->wish.blocks ? d->wish.blocks : plan_blocks(d, ORDERED_BLOCKS) * ORDERED_WAVES;
    return plan_least(plan_divide_up(units, ORDERED_THREADS / 32 * p->rows_of_warp), most);
}

#endif
