/* counts.cuh - what the warps of a block have counted of a long array, each in its window, and what they have dropped.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_COUNTS_CUH
#define QUIRE_CUDA_BLOCK_COUNTS_CUH

#include "cuda/block/rest.cuh"
#include "cuda/warp/approximate.cuh"
#include "cuda/warp/fixed_state.cuh"
#include "method/ball.h"

template <class Choice>
using exact_window =
    tolerant_window<Choice::streams, Choice::kept_bins, Choice::lowered, Choice::threads, typename Choice::floats>;

/* What the warps of a block have counted. */
template <class Choice>
struct block_counts : fixed_memory<Choice::threads / WARP, Choice::approximate != APPROXIMATE_NEVER> {
    static constexpr int warps = Choice::threads / WARP, bins = Choice::streams * Choice::kept_bins, items = 2 * bins;
    int64_t count[warps][items]; /* the low and the high part of every bin */
    int top[warps];              /* of the warp's window, or NO_WINDOW */
    int64_t dropped[warps];      /* batches of all lanes that may have lost bits */
    unsigned saw[warps];
    fixed_sum own;          /* the last block's */
    ball_radius own_radius; /* and what it may have dropped */
};

template <class Choice> static __device__ __forceinline__ block_counts<Choice> &counts_of_block(void) {
    __shared__ block_counts<Choice> block;
    return block;
}

/* Stores what a warp has counted. */
template <class Choice>
static __device__ __forceinline__ void store_counts(block_counts<Choice> &block, exact_window<Choice> &window,
                                                    unsigned dropped, int warp, int thread) {
    const bool there = window.limit != 0;
    if (there) window.read();
#pragma unroll
    for (int i = 0; i < Choice::streams * Choice::kept_bins; i++) {
        cell_total sum = { 0, 0 };
        if (there) sum = warp_sum(window.count(i / Choice::kept_bins, i % Choice::kept_bins));
        if (thread == 0) block.count[warp][2 * i] = sum.low, block.count[warp][2 * i + 1] = sum.high;
    }
    if (thread == 0) block.top[warp] = there ? window.top : NO_WINDOW;
    if constexpr (Choice::approximate) {
        const cell_total all = warp_sum(dropped);
        if (thread == 0) block.dropped[warp] = all.low + all.high * ((int64_t)1 << 32);
    }
}

/* Adds the counts of a block's warps to limbs. A lane has an item of some warps; most often all have the same window.
 */
template <class Choice>
static __device__ __forceinline__ void add_counts(const block_counts<Choice> &block, int64_t *limb, int thread,
                                                  int shrunk) {
    constexpr int items = block_counts<Choice>::items;
    const int item = thread % items, s = item / 2 / Choice::kept_bins, k = item / 2 % Choice::kept_bins;
    const int warps = blockDim.x / WARP;
    const int top = warp_max(thread < warps ? block.top[thread] : NO_WINDOW);
    if (top == NO_WINDOW) return;
    auto exponent = [&](int its_top) { return window_unit(its_top - s * ERROR_BELOW, k) + shrunk + item % 2 * 32; };
    int64_t sum = 0;
    for (int w = thread / items; w < warps; w += WARP / items) {
        const int64_t count = block.count[w][item];
        if (block.top[w] == top)
            sum += count;
        else if (count)
            limbs_add_atomic(limb, count, exponent(block.top[w]));
    }
#pragma unroll
    for (int w = items; w < WARP; w *= 2) sum += __shfl_xor_sync(WHOLE_WARP, sum, w);
    if (thread < items) limbs_add_atomic(limb, sum, exponent(top));
}

/* What the block may have dropped; by a whole warp. Half units of the last bin are counted, the greatest of all warps'.
 */
template <class Choice>
static __device__ __forceinline__ ball_radius block_radius(const cuda_job &job, const block_counts<Choice> &block,
                                                           int thread, int shrunk) {
    ball_radius r = BALL_EXACT;
    const bool dropped = thread < (int)blockDim.x / WARP && block.dropped[thread];
    if (!__any_sync(WHOLE_WARP, dropped)) return r;
    r.unit = window_unit(warp_max(dropped ? block.top[thread] : NO_WINDOW), APPROXIMATE_BINS - 1) + shrunk - 1;
    if (adds_together<Choice>(job)) r.unit += APPROXIMATE_TOGETHER_LOSS;
    for (int w = 0; w < (int)blockDim.x / WARP; w++) r.count += block.dropped[w] * Choice::loss;
    return r;
}

/* What a warp has counted, if it has one stream, as one integer. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_warp(const block_counts<Choice> &block, int warp, int shrunk) {
    const unsigned saw = block.saw[warp], special = SAW_NAN | SAW_POSITIVE_INFINITY | SAW_NEGATIVE_INFINITY;
    fixed_sum sum = FIXED_NOTHING;
    if (Choice::counts && Choice::streams == 1 && block.top[warp] != NO_WINDOW) {
#pragma unroll
        for (int k = 0; k < Choice::kept_bins; k++)
            sum.units =
                (sum.units << WINDOW_STEP) + block.count[warp][2 * k] + ((__int128)block.count[warp][2 * k + 1] << 32);
        if (sum.units) sum.unit = window_unit(block.top[warp], Choice::kept_bins - 1) + shrunk;
    }
    const bool to_limbs = saw & (special | WARP_USED | WARP_DEPOSITED | WARP_WIDE); /* wide: see update_hint */
    sum.flags = (saw & SAW_OTHER ? FIXED_OTHER : 0) | (to_limbs ? FIXED_LIMBS : 0);
    if constexpr (Choice::approximate) sum.flags |= block.dropped[warp] ? FIXED_DROPPED : 0;
    return sum;
}

/* By how many binades units may differ where n numbers below 2^(87 + BLOCK_ROOM) units are summed up. */
#define BLOCK_ROOM 3
static __device__ __forceinline__ int room_for(size_t n) { return max(__clzll((long long)n) - 25 - BLOCK_ROOM, 0); }

/* The sum of a block, after every warp has stored its counts, and a barrier; by the first warp. rest: where that goes
 * which integers do not take. is_published: the sum must be one that fits a place. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_block(block_counts<Choice> &block, const cell_total *total,
                                                         quire_accumulator *rest, bool is_published, int thread,
                                                         int shrunk) {
    const bool mine = thread < (int)(blockDim.x / WARP);
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (mine) part.of[0] = sum_of_warp(block, thread, shrunk);
    fixed_sum sum = warp_sum_fixed<5>(
        part, [&] { return common_unit(part, BLOCK_ROOM); }, rest->limb);
    if (is_published && sum.units >> FIXED_BITS != sum.units >> 127) {
        if (thread == 0) limbs_add_units(rest->limb, sum.units, sum.unit);
        sum = { 0, NO_UNIT, sum.flags | FIXED_LIMBS };
    }
    if (Choice::windowed && Choice::streams > 1) {
        add_counts(block, rest->limb, thread, shrunk);
        sum.flags |= FIXED_LIMBS;
    }
    if constexpr (!Choice::approximate_only)
        if (__any_sync(WHOLE_WARP, mine && (block.saw[thread] & WARP_USED)))
            add_totals<typename Choice::column>(rest, block.saw, total, thread);
    const unsigned saw = warp_or(mine ? block.saw[thread] : 0);
    if (thread == 0 && (sum.flags & FIXED_LIMBS)) add_flags(rest, saw);
    return sum;
}

#endif
