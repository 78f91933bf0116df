/* rows_plan.h - how rows become a stream (warp/row_stream.cuh): a pure function of the layouts and of what the device
 * is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ROWS_PLAN_H
#define QUIRE_CUDA_HOST_ROWS_PLAN_H

#include "cuda/host/vectors_plan.h"

/* See vectors_job.h. fits: whether the stream is for these vectors at all. A row, or where it has "parts" each of them,
 * which is of "part" elements, has "pieces" pieces of piece_length. */
typedef struct {
    int fits, is_contiguous;
    unsigned threads, groups, pieces, parts;
    size_t piece_length, part, units;
} rows_plan;

/* Whether vectors stand side by side in the order of their numbers. */
static inline int plan_is_contiguous(const quire_layout *l) {
    const size_t n = l->n;
    if (n > 1 && l->stride != 1) return 0;
    return (l->inner == 1 || l->inner_stride == (ptrdiff_t)n) &&
           (l->outer == 1 || l->outer_stride == (ptrdiff_t)(n * l->inner));
}

/* Bytes of an item that fit a stage wherever they begin. */
static inline size_t plan_capacity(int is_pair) { return (is_pair ? ROWS_STAGE / 2 : ROWS_STAGE) - ROWS_CHUNK; }

/* Parts of rows where some warps would have none, or fewer than others, or which are too long for one; answers whether
 * there are places for them. */
static inline int plan_parts(rows_plan *p, size_t n, size_t vectors, size_t warps) {
    const size_t most = plan_least(plan_divide_up(n, ROWS_PART_LEAST), VECTORS_PLACES / vectors),
                 needed = plan_divide_up(n, (size_t)1 << (ROW_COUNT_BITS - 1)),
                 wave = plan_least(warps / vectors, most), least = wave > needed ? wave : needed;
    size_t parts = plan_whole_waves(vectors, warps, least, plan_least(most, least + ROWS_MORE_PARTS));
    for (size_t waves = ROWS_PART_WAVES; waves > 1; waves /= 2)
        if (parts > 1 && parts * waves <= most && vectors * (parts * waves + parts) <= VECTORS_PLACES) {
            parts *= waves;
            break;
        }
    p->part = plan_divide_up(plan_divide_up(n, parts), ROWS_PART_STEP) * ROWS_PART_STEP;
    p->parts = (unsigned)plan_divide_up(n, p->part);
    if (p->parts == 1) return needed == 1;
    return vectors <= VECTORS_PLACES / p->parts;
}

/* warps: how many are at work at once. */
static inline rows_plan plan_rows(const quire_layout *x, const quire_layout *y, int size, int is_pair, size_t warps) {
    rows_plan p = { 0, plan_is_contiguous(x) && (!is_pair || plan_is_contiguous(y)), 1, 1, 1, 1, x->n, 0, 0 };
    const size_t capacity = plan_capacity(is_pair), vectors = x->outer * x->inner,
                 longest = PTRDIFF_MAX / sizeof(double);
    if (x->n == 0 || x->n > longest || (x->n > 1 && (x->stride != 1 || (is_pair && y->stride != 1)))) return p;
    const size_t bytes = x->n * (size_t)size;
    while (p.threads < 32 && 32 / p.threads * bytes > capacity) p.threads *= 2;
    if (!p.is_contiguous && p.threads < 32) return p;
    const size_t groups = plan_divide_up(vectors, 32 / p.threads);
    if ((bytes > ROWS_FEW && plan_fullness(groups, warps) < ROWS_FULL) || x->n >> ROW_COUNT_BITS)
        if (!plan_parts(&p, x->n, vectors, warps)) return p;
    const size_t n = p.parts > 1 ? p.part : x->n;
    if (n * (size_t)size > capacity) {
        p.piece_length = capacity / (32 * ROWS_CHUNK) * (32 * ROWS_CHUNK) / (size_t)size; /* as many chunks a lane */
        p.pieces = (unsigned)plan_divide_up(n, p.piece_length);
    }
    while (p.threads == 1 && 32 * bytes * (p.groups + 1) <= capacity && groups / (p.groups + 1) >= ROWS_SPREAD * warps)
        p.groups++;
    p.units = p.parts > 1 ? vectors * p.parts : plan_divide_up(groups, p.groups);
    p.fits = 1;
    return p;
}

/* Blocks for the units of a plan, each of which has pieces: waves of them, if there is work for some. */
static inline size_t plan_row_blocks(const device_facts *d, const rows_plan *p) {
    const size_t warps = ROWS_THREADS / 32, wave = plan_blocks(d, ROWS_BLOCKS),
                 waves = p->units / warps * p->pieces / (ROWS_ITEMS * wave);
    const size_t most = d->wish.blocks || !waves ? wave : plan_least(waves, ROWS_WAVES) * wave;
    return plan_least(plan_divide_up(p->units, warps), most);
}

#endif
