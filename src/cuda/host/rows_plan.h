/* rows_plan.h - how rows become a stream (warp/row_stream.cuh): a pure function of the layouts and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ROWS_PLAN_H
#define QUIRE_CUDA_HOST_ROWS_PLAN_H

#include "cuda/host/vectors_plan.h"

/* See vectors_job.h. fits: whether the stream is for these vectors at all. A row has "parts" pieces of "part" elements. */
typedef struct {
    int fits, is_contiguous;
    unsigned threads, groups, turns, parts;
    size_t part, units;
} rows_plan;

/* Whether vectors stand side by side in the order of their numbers. */
static inline int plan_is_contiguous(const quire_layout *l) {
    const size_t n = l->n;
    if (n > 1 && l->stride != 1) return 0;
    return (l->inner == 1 || l->inner_stride == (ptrdiff_t)n) && (l->outer == 1 || l->outer_stride == (ptrdiff_t)(n * l->inner));
}

/* Bytes of an item that fit a stage wherever they begin. */
static inline size_t plan_capacity(int is_pair) { return (is_pair ? ROWS_STAGE / 2 : ROWS_STAGE) - ROWS_CHUNK; }

/* warps: how many are at work at once. Long rows of which there are few are left to those who cut them. */
static inline rows_plan plan_rows(const quire_layout *x, const quire_layout *y, int size, int is_pair, size_t warps) {
    rows_plan p = { 0, plan_is_contiguous(x) && (!is_pair || plan_is_contiguous(y)), 1, 1, 1, 1, x->n, 0 };
    const size_t capacity = plan_capacity(is_pair), vectors = x->outer * x->inner;
    if (x->n == 0 || x->n >> ROW_COUNT_BITS || (x->n > 1 && (x->stride != 1 || (is_pair && y->stride != 1)))) return p;
    const size_t bytes = x->n * (size_t)size;
    while (p.threads < 32 && 32 / p.threads * bytes > capacity) p.threads *= 2;
    if (!p.is_contiguous && p.threads < 32) return p;
    const size_t groups = plan_divide_up(vectors, 32 / p.threads);
    if (groups < warps / 2 && bytes > ROWS_FEW) return p;
    if (bytes > capacity) {
        p.part = capacity / ROWS_CHUNK * ROWS_CHUNK / (size_t)size;
        p.parts = (unsigned)plan_divide_up(x->n, p.part);
    }
    while (p.turns < p.threads && groups / (2 * p.turns) >= ROWS_SPREAD * warps) p.turns *= 2;
    while (p.threads == 1 && 32 * bytes * (p.groups + 1) <= capacity && groups / (p.groups + 1) >= ROWS_SPREAD * warps) p.groups++;
    p.units = plan_divide_up(groups, p.turns * p.groups);
    p.fits = 1;
    return p;
}

#endif
