/* columns_plan.h - how columns are shared out (kernels/columns.cuh): a pure function of the layouts and of what the
 * device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_COLUMNS_PLAN_H
#define QUIRE_CUDA_HOST_COLUMNS_PLAN_H

#include "cuda/host/vectors_plan.h"

/* See vectors_job.h. threads: lanes that have columns side by side; warps that share them; parts of "part" rows each.
 */
typedef struct {
    int fits;
    unsigned column_bytes, threads, warps, parts;
    size_t part, units;
} columns_plan;

/* Whether all rows of a layout stand at multiples of "bytes", and none ends between two pieces. */
static inline int plan_has_pieces(const quire_layout *l, const void *x, int size, int bytes, int piece) {
    const ptrdiff_t at = bytes / size;
    return (uintptr_t)x % (uintptr_t)bytes == 0 && (l->n == 1 || l->stride % at == 0) &&
           (l->outer == 1 || l->outer_stride % at == 0) && l->inner % (size_t)(piece / size) == 0;
}

/* Bytes of both arrays' rows that a lane may load at a time: chunks, if no chunks of a warp lie in one line more than
 * they fill; else words; else elements. */
static inline unsigned plan_column_bytes(const quire_layout *x_layout, const void *x, const quire_layout *y_layout,
                                         const void *y, int size) {
    const size_t row = x_layout->inner * (size_t)size;
    const int at = row < COLUMNS_LINE ? ROWS_CHUNK : COLUMNS_LINE, word = columns_word(size);
    if (row >= ROWS_CHUNK && plan_has_pieces(x_layout, x, size, at, ROWS_CHUNK) &&
        plan_has_pieces(y_layout, y, size, at, ROWS_CHUNK))
        return ROWS_CHUNK;
    if (plan_has_pieces(x_layout, x, size, word, word) && plan_has_pieces(y_layout, y, size, word, word))
        return (unsigned)word;
    return (unsigned)size;
}

/* Parts of the rows of groups of columns, of which each is a block's. */
static inline size_t plan_column_parts(size_t groups, size_t blocks, size_t most) {
    const size_t first = plan_least(COLUMNS_SPREAD * blocks / groups, most), least = first ? first : 1;
    return plan_whole_waves(groups, blocks, least, plan_least(most, 2 * COLUMNS_SPREAD * blocks / groups));
}

/* warps: how many are at work at once. */
static inline columns_plan plan_columns(const quire_layout *x_layout, const void *x, const quire_layout *y_layout,
                                        const void *y, int size, size_t warps) {
    columns_plan p = { 0, plan_column_bytes(x_layout, x, y_layout, y, size), 1, 1, 1, x_layout->n, 0 };
    const size_t inner = x_layout->inner, n = x_layout->n, of_lane = (size_t)(ROWS_CHUNK / size);
    if (n == 0 || inner < 2 || x_layout->inner_stride != 1 || y_layout->inner_stride != 1) return p;
    while (p.threads < 32 && p.threads * of_lane < inner) p.threads *= 2;
    const size_t groups = x_layout->outer * plan_divide_up(inner, p.threads * of_lane),
                 vectors = x_layout->outer * inner;
    const size_t needed = plan_divide_up(n, (size_t)1 << (ROW_COUNT_BITS - 1)), block = VECTORS_THREADS / 32;
    if (vectors <= VECTORS_PLACES) {
        const size_t most = plan_least(n * p.threads / (COLUMNS_PART_LEAST * block), VECTORS_PLACES / vectors);
        p.parts = (unsigned)plan_column_parts(groups, plan_divide_up(warps, block), most);
    }
    if (n * p.threads >= COLUMNS_PART_LEAST * block && groups < COLUMNS_MANY * warps) p.warps = (unsigned)block;
    if (p.parts < needed) return p;
    p.part = plan_divide_up(n, p.parts);
    p.parts = (unsigned)plan_divide_up(n, p.part);
    p.units = groups * p.parts;
    p.fits = 1;
    return p;
}

/* Blocks for the units of a plan: one for each, if its warps share them. */
static inline size_t plan_column_blocks(const device_facts *d, const columns_plan *p) {
    const size_t blocks = p->warps > 1 ? p->units : plan_divide_up(p->units, VECTORS_THREADS / 32);
    return plan_least(blocks, plan_blocks(d, VECTORS_BLOCKS * 2 * COLUMNS_SPREAD));
}

#endif
