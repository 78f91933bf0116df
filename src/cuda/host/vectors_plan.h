/* vectors_plan.h - how many vectors become work for a device: a pure function of the job and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_VECTORS_PLAN_H
#define QUIRE_CUDA_HOST_VECTORS_PLAN_H

#include "cuda/host/plan.h"
#include "cuda/kernels/vectors_job.h"

/* See vectors_job.h. units: how many warps have something to do. */
typedef struct {
    unsigned threads, turns, parts;
    size_t part, units;
} vectors_plan;

/* Whether neighbouring vectors stand nearer to each other than neighbouring elements: columns. */
static inline int plan_has_columns(const quire_layout *l) {
    return l->inner >= COLUMNS_LEAST && stride_magnitude(l->inner_stride) < stride_magnitude(l->stride);
}

/* Threads that share an ordered vector: as many as hold it by one load each, for that is what the canonical order
 * allows, or 32. */
static inline unsigned plan_threads(const quire_layout *x) {
    unsigned threads = 1;
    while (threads < 32 && threads * VECTORS_LANES < x->n) threads *= 2;
    return threads;
}

/* Ordered vectors of a layout. Where there are fewer than the device has warps for, long ones are cut into parts that
 * are no shorter than PART_LEAST, subtrees of the same size. */
static inline vectors_plan plan_layout(const quire_layout *x, order_rows rows, size_t warps) {
    vectors_plan p = { plan_threads(x), 1, 1, x->n, 0 };
    const size_t vectors = x->outer * x->inner, at_once = 32 / p.threads, bundles = plan_divide_up(vectors, at_once);
    const int has_tiles = p.threads == 32; /* else a vector has a row alone */
    if (has_tiles && bundles <= VECTORS_IN_PARTS && bundles < warps && x->n >= 2 * PART_LEAST) {
        size_t parts = plan_least(plan_divide_up(warps, bundles), x->n / PART_LEAST), part = order_tile(x->n, rows);
        parts = plan_least(parts, VECTORS_PLACES / bundles);
        while (parts > 1 && plan_divide_up(x->n, part) > parts) part *= 2;
        if (parts > 1) p.part = part, p.parts = (unsigned)plan_divide_up(x->n, part);
    }
    if (p.parts == 1)
        while (p.turns < p.threads && bundles / (2 * p.turns) >= warps) p.turns *= 2;
    p.units = plan_divide_up(bundles, p.turns) * p.parts;
    return p;
}

/* How full the waves of units are, at_once of them at a time, in percent; 100 if they are many. */
static inline size_t plan_fullness(size_t units, size_t at_once) {
    if (units / 100 >= at_once) return 100;
    return units * 100 / (plan_divide_up(units, at_once) * at_once);
}

/* Parts of each of some vectors, or groups of them: the fewest, from least to most, whose waves are full; or the
 * best. */
static inline size_t plan_whole_waves(size_t groups, size_t at_once, size_t least, size_t most) {
    size_t best = least, fullest = 0;
    for (size_t parts = least; parts <= most && fullest < VECTORS_FULL; parts++) {
        const size_t full = plan_fullness(parts * groups, at_once);
        if (full > fullest) best = parts, fullest = full;
    }
    return best;
}

/* Threads that share parts, which become one of "all": as many as there are parts, but fewer where the warps had to
 * take turns. */
static inline unsigned plan_part_threads(size_t parts, size_t all, size_t warps) {
    unsigned threads = 1;
    while (threads < 32 && threads < parts) threads *= 2;
    while (threads > 1 && plan_divide_up(all, 32 / threads) > warps) threads /= 2;
    return threads;
}

/* Segments, whose lengths the device knows: turns of them a warp. */
static inline vectors_plan plan_segments(size_t segments, size_t warps) {
    vectors_plan p = { 1, 1, 1, 0, 0 };
    while (p.turns < 32 && segments / (2 * p.turns) >= warps) p.turns *= 2;
    p.units = plan_divide_up(segments, p.turns);
    return p;
}

#endif
