/* plan.h - what all plans are made from: the facts of a device, what a test wishes for in place of our launches, and
 * the arithmetic of shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_PLAN_H
#define QUIRE_CUDA_HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
