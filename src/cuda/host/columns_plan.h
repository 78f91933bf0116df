/* columns_plan.h - how columns are shared out (kernels/columns.cuh): a pure function of the layouts and of what the device
 * is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_COLUMNS_PLAN_H
#define QUIRE_CUDA_HOST_COLUMNS_PLAN_H

#include "cuda/host/vectors_plan.h"

/* See vectors_job.h. threads: lanes that have columns side by side; warps that share them; parts of "part" rows each. */
typedef struct {
    int fits, has_chunks;
    unsigned threads, warps, parts;
    size_t part, units;
} columns_plan;

/* Whether all rows of a layout stand at chunks. */
static inline int plan_has_chunks(const quire_layout *l, const void *x, int size) {
    const ptrdiff_t chunk = ROWS_CHUNK / size;
    return (uintptr_t)x % ROWS_CHUNK == 0 && (l->n == 1 || l->stride % chunk == 0) &&
           (l->outer == 1 || l->outer_stride % chunk == 0);
}

/* warps: how many are at work at once. */
static inline columns_plan plan_columns(const quire_layout *x_layout, const void *x, const quire_layout *y_layout,
                                        const void *y, int size, size_t warps) {
    columns_plan p = {
        0, plan_has_chunks(x_layout, x, size) && plan_has_chunks(y_layout, y, size), 1, 1, 1, x_layout->n, 0
    };
    const size_t inner = x_layout->inner, n = x_layout->n, of_lane = (size_t)(ROWS_CHUNK / size);
    if (n == 0 || inner < 2 || x_layout->inner_stride != 1 || y_layout->inner_stride != 1) return p;
    while (p.threads < 32 && p.threads * of_lane < inner) p.threads *= 2;
    const size_t groups = x_layout->outer * plan_divide_up(inner, p.threads * of_lane), vectors = x_layout->outer * inner;
    const size_t needed = plan_divide_up(n, (size_t)1 << (ROW_COUNT_BITS - 1)), block = VECTORS_THREADS / 32;
    if (vectors <= VECTORS_PLACES) {
        const size_t wanted =
            plan_least(plan_divide_up(COLUMNS_SPREAD * warps, groups * block), n * p.threads / (COLUMNS_PART_LEAST * block));
        p.parts = (unsigned)plan_least(wanted ? wanted : 1, VECTORS_PLACES / vectors);
    }
    if (n * p.threads >= COLUMNS_PART_LEAST * block && groups < COLUMNS_MANY * warps) p.warps = (unsigned)block;
    if (p.parts < needed) return p;
    p.part = plan_divide_up(n, p.parts);
    p.parts = (unsigned)plan_divide_up(n, p.part);
    p.units = groups * p.parts;
    p.fits = 1;
    return p;
}

#endif
