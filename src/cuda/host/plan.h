/* plan.h - what all plans are made from: the facts of a device, what a test wishes for in place of our launches, the
 * arithmetic of shares, and how many vectors become work for a device. Pure functions of the job and of these facts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_PLAN_H
#define QUIRE_CUDA_HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/kernels/vectors_job.h"

/* Launches that a test wants instead of ours: QUIRE_CUDA_LAUNCH="blocks,warps", read by quire_open_cuda; warps: of a
 * block, of one array by a method of the canonical order; 0: ours. Hidden, since no result depends on it. */
typedef struct {
    unsigned blocks, warps;
} launch_wish;

typedef struct {
    unsigned multiprocessors;
    unsigned ratio;    /* floats that it adds in the time of one double */
    bool starts_early; /* whether the kernels were compiled for compute capability 9.0 or later */
    launch_wish wish;
} device_facts;

static inline size_t plan_least(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t plan_divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

/* The least k of which 2^k is so much, or more. */
static inline unsigned plan_log(size_t least) {
    unsigned k = 0;
    while ((size_t)1 << k < least) k++;
    return k;
}

/* Blocks of a device, so many of each multiprocessor; or those a test wants. */
static inline size_t plan_blocks(const device_facts *d, unsigned of_one) {
    return d->wish.blocks ? d->wish.blocks : (size_t)d->multiprocessors * of_one;
}

/* See vectors_job.h. */
typedef struct {
    unsigned parts;
    size_t part;
} vectors_plan;

/* Whether neighbouring vectors stand nearer to each other than neighbouring elements: columns. */
static inline int plan_has_columns(const quire_layout *l) {
    return l->inner >= COLUMNS_LEAST && stride_magnitude(l->inner_stride) < stride_magnitude(l->stride);
}

/* Threads of a warp for each vector of a layout, so that each has so many elements, about; of neighbouring columns one,
 * so that its neighbours read memory side by side. */
static inline unsigned plan_sharers(const quire_layout *l, size_t each) {
    unsigned threads = 1;
    while (!plan_has_columns(l) && threads < 32 && threads * each < l->n) threads *= 2;
    return threads;
}

/* Ordered vectors of a layout. Where there are fewer than the device has warps for, long ones are cut into parts,
 * subtrees of the order of the same size. */
static inline vectors_plan plan_layout(const quire_layout *x, order_rows rows, size_t warps) {
    vectors_plan p = { 1, x->n };
    const size_t vectors = x->outer * x->inner;
    size_t part = order_tile(x->n, rows);
    if (vectors > VECTORS_IN_PARTS || vectors >= warps || x->n <= part) return p;
    size_t parts = plan_least(plan_divide_up(warps, vectors), plan_divide_up(x->n, part));
    parts = plan_least(parts, VECTORS_PLACES / vectors);
    while (parts > 1 && plan_divide_up(x->n, part) > parts) part *= 2;
    if (parts > 1) p.part = part, p.parts = (unsigned)plan_divide_up(x->n, part);
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

/* Vectors that a warp takes at a time, which it may share out among its threads when it has seen how long they are: as
 * many as it has threads, if there are enough for all warps. */
static inline unsigned plan_turns(size_t vectors, size_t warps) {
    unsigned turns = 1;
    while (turns < 32 && vectors / (2 * turns) >= warps) turns *= 2;
    return turns;
}

#endif
