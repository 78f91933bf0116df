/* plan.h - what all plans are made from: the facts of a device, what a test wishes for in place of our launches, and
 * the arithmetic of shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_PLAN_H
#define QUIRE_CUDA_HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* Launches that a test wants instead of ours: QUIRE_CUDA_LAUNCH="blocks,warps,long", read by quire_open_cuda; blocks:
 * of long arrays one more gathers; long: from how many bytes on an array is long; 0: ours. Hidden, since no result
 * depends on it. */
typedef struct {
    unsigned blocks, warps, bytes;
} launch_wish;

typedef struct {
    unsigned multiprocessors;
    unsigned shared_memory; /* bytes of a block that a launch may ask for, beside what kernels always have */
    unsigned cluster;       /* blocks of a cluster, at most; 1: there are none */
    unsigned ratio;         /* floats that it adds in the time of one double */
    bool has_bulk;          /* whether the kernels were compiled for compute capability 9.0 or later */
    launch_wish wish;
} device_facts;

static inline size_t plan_least(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t plan_divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

/* Blocks of a device, so many of each multiprocessor; or those a test wants. */
static inline size_t plan_blocks(const device_facts *d, unsigned of_one) {
    return d->wish.blocks ? d->wish.blocks : (size_t)d->multiprocessors * of_one;
}

#endif
