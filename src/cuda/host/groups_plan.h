/* groups_plan.h - how rows are shared out among groups of threads (kernels/exact_rows.cuh, ordered_rows.cuh): a pure
 * function of the layouts, of where they stand and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_GROUPS_PLAN_H
#define QUIRE_CUDA_HOST_GROUPS_PLAN_H

#include "cuda/host/plan.h"

/* See vectors_job.h. fits: whether these are rows for groups. Units of rows, or of parts of them: what a block has at a
 * time. */
typedef struct {
    int fits;
    rows_shape shape;
    unsigned threads, slots, parts;
    size_t part, rows_of_unit, units;
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

/* Whether rows stand side by side in the order of their numbers. */
static inline int plan_is_contiguous(const quire_layout *rows) {
    return rows->outer == 1 || rows->outer_stride == (ptrdiff_t)rows->n;
}

/* Threads of a longer row: few, for less is to be merged; more where rows end within lines of memory. */
static inline unsigned plan_long_threads(const quire_layout *rows, const void *x, int size, size_t warps) {
    const size_t few = 32 / GROUPS_LONG;
    if (rows->outer / few < warps) return 32;
    if (plan_has_rows_of(rows, x, size, ROWS_LINE)) return GROUPS_LONG;
    return plan_has_rows_of(rows, x, size, ROWS_CHUNK) ? 2 * GROUPS_LONG : 32;
}

/* Parts of rows where some warps would have none, or fewer than others; as many as there are places for. */
static inline void plan_parts(groups_plan *p, size_t n, size_t rows, size_t warps) {
    const size_t most = plan_least(plan_divide_up(n, ROWS_PART_LEAST), VECTORS_PLACES / rows),
                 wave = plan_least(warps / rows, most), least = wave ? wave : 1;
    size_t parts = plan_whole_waves(rows, warps, least, plan_least(most, least + ROWS_MORE_PARTS));
    for (size_t waves = ROWS_PART_WAVES; waves > 1; waves /= 2)
        if (parts > 1 && parts * waves <= most && rows * (parts * waves + parts) <= VECTORS_PLACES) {
            parts *= waves;
            break;
        }
    p->part = plan_divide_up(plan_divide_up(n, parts), ROWS_PART_STEP) * ROWS_PART_STEP;
    p->parts = (unsigned)plan_divide_up(n, p->part);
}

/* Rows one by one: the threads of each; or a warp for each part. loads: of a thread, that are under way together. */
static inline void plan_one_by_one(groups_plan *p, const quire_layout *rows, const void *x, int size, unsigned loads,
                                   size_t warps) {
    const size_t bytes = rows->n * (size_t)size, chunks = plan_divide_up(bytes, ROWS_CHUNK);
    p->shape = ROWS_ONE_BY_ONE;
    if (chunks > GROUPS_CHUNKS)
        p->threads = plan_long_threads(rows, x, size, warps);
    else
        while (p->threads < GROUPS_LONG && p->threads * loads < chunks) p->threads *= 2;
    if (bytes > ROWS_FEW && rows->outer <= VECTORS_PLACES &&
        plan_fullness(plan_divide_up(rows->outer, 32 / p->threads), warps) < ROWS_FULL)
        plan_parts(p, rows->n, rows->outer, warps);
    if (p->parts > 1) p->threads = 32;
    p->rows_of_unit = GROUPS_THREADS / p->threads;
}

/* Short rows of whole chunks: as many of them at once as loads are under way. slots: chunks of a thread, of few. */
static inline void plan_together(groups_plan *p, size_t chunks, unsigned slots, unsigned loads) {
    p->shape = ROWS_TOGETHER;
    p->slots = chunks > GROUPS_FEW_CHUNKS ? GROUPS_SLOTS : chunks > 2 ? slots : (unsigned)chunks;
    while (p->threads * p->slots < chunks) p->threads *= 2;
    p->rows_of_unit = (p->slots > 1 ? loads / p->slots : loads / 2) * (GROUPS_THREADS / p->threads);
}

/* Short rows side by side, of any number of bytes, by way of a block's room: as many as it has threads for, of a share
 * of so many bytes each, or some times as many where there are rows for all blocks. */
static inline void plan_staged(groups_plan *p, size_t rows, size_t bytes, size_t share, size_t warps) {
    p->shape = ROWS_STAGED;
    while (p->threads * share < bytes) p->threads *= 2;
    const size_t at_once = GROUPS_THREADS / p->threads;
    size_t turns = GROUPS_THREADS * share / (at_once * bytes);
    while (turns > 1 && rows / (at_once * turns) < warps / (GROUPS_THREADS / 32)) turns--;
    p->rows_of_unit = at_once * turns;
}

/* Vectors of any layout, one by one. Where there are few, they are cut. */
static inline groups_plan plan_strided(const quire_layout *l, size_t warps) {
    groups_plan p = { l->n > 0, ROWS_ONE_BY_ONE, plan_sharers(l, STRIDED_LOADS), 0, 1, l->n, 1, 0 };
    const size_t vectors = l->outer * l->inner;
    const size_t at_once = plan_divide_up(vectors * p.threads, 32), wanted = ROWS_PART_WAVES * warps;
    if (at_once < wanted && vectors <= VECTORS_PLACES) {
        const size_t most = plan_least(l->n / STRIDED_PART_LEAST, VECTORS_PLACES / (vectors ? vectors : 1)),
                     parts = plan_least(wanted / (at_once ? at_once : 1), most);
        if (parts > 1) p.part = plan_divide_up(l->n, parts), p.parts = (unsigned)plan_divide_up(l->n, p.part);
    }
    p.rows_of_unit = GROUPS_THREADS / p.threads;
    p.units = plan_divide_up(vectors * p.parts, p.rows_of_unit);
    return p;
}

/* Rows as plan_as_rows has them, at x; and those at y, or rows_y is NULL. loads: of a thread, at once; slots: chunks of
 * a thread in a short row of few, 2 or 4. warps: how many are at work at once. */
static inline groups_plan plan_groups(const quire_layout *rows, const void *x, const quire_layout *rows_y,
                                      const void *y, int size, unsigned slots, unsigned loads, size_t warps) {
    groups_plan p = { 0, ROWS_ONE_BY_ONE, 1, 0, 1, rows->n, 1, 0 };
    const size_t bytes = rows->n * (size_t)size, chunks = plan_divide_up(bytes, ROWS_CHUNK),
                 share = stretch_share(rows_y != NULL);
    if (rows->n == 0 || rows->n > PTRDIFF_MAX / sizeof(double)) return p;
    const int is_whole = plan_has_rows_of(rows, x, size, ROWS_CHUNK) &&
                         (!rows_y || plan_has_rows_of(rows_y, y, size, ROWS_CHUNK)),
              is_one = plan_is_contiguous(rows) && (!rows_y || plan_is_contiguous(rows_y));
    if (is_whole && chunks <= GROUPS_CHUNKS)
        plan_together(&p, chunks, slots, loads);
    else if (!is_whole && is_one && bytes <= 32 * share)
        plan_staged(&p, rows->outer, bytes, share, warps);
    else
        plan_one_by_one(&p, rows, x, size, loads, warps);
    p.units = plan_divide_up(rows->outer * p.parts, p.rows_of_unit);
    p.fits = 1;
    return p;
}

/* Blocks for the units of a plan: waves of them, if there is work for some. */
static inline size_t plan_group_blocks(const device_facts *d, const groups_plan *p) {
    const size_t most = d->wish.blocks ? d->wish.blocks : plan_blocks(d, GROUPS_BLOCKS) * GROUPS_WAVES;
    return plan_least(p->units, most);
}

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
