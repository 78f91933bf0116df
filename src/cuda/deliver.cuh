/* deliver.cuh - the end of an exact sum: what the warps of a block have counted goes to limbs, its own if it is alone, or
 * the workspace's; the last block takes those, and rounds. One warp does all that, since barriers of the block cost more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DELIVER_CUH
#define QUIRE_CUDA_DELIVER_CUH

#include "cuda/last_block.cuh"
#include "cuda/loose.cuh"
#include "method/ball.h"

static __device__ __forceinline__ unsigned warp_or(unsigned x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(WHOLE_WARP, x);
#else
    for (int w = WARP / 2; w; w /= 2) x |= __shfl_xor_sync(WHOLE_WARP, x, w);
    return x;
#endif
}

template <class Choice> using exact_window = warp_window<Choice::streams, Choice::kept_bins, Choice::lowered>;

/* What the warps of a block have counted. */
template <class Choice> struct block_counts {
    static constexpr int warps = Choice::threads / WARP, bins = Choice::streams * Choice::kept_bins, items = 2 * bins;
    int64_t count[warps][items]; /* the low and the high part of every bin                                              */
    int top[warps];              /* of the warp's window, or NO_WINDOW                                                  */
    int64_t dropped[warps];      /* batches of all lanes that may have lost bits                                        */
    unsigned saw[warps];
    bool used[warps];      /* whether the warp used its columns                                                   */
    quire_accumulator sum; /* of the block, if it is alone; what the last block takes                             */
};

/* Hands over what a warp has counted. */
template <class Choice>
static __device__ __forceinline__ void hand_over(block_counts<Choice> &block, exact_window<Choice> &window, unsigned dropped,
                                                 int warp, int thread) {
    const bool there = window.limit != 0;
    if (there) window.read();
#pragma unroll
    for (int i = 0; i < Choice::streams * Choice::kept_bins; i++) {
        cell_total sum = { 0, 0 };
        if (there) sum = warp_sum(window.count[i / Choice::kept_bins][i % Choice::kept_bins]);
        if (thread == 0) block.count[warp][2 * i] = sum.low, block.count[warp][2 * i + 1] = sum.high;
    }
    if (thread == 0) block.top[warp] = there ? window.top : NO_WINDOW;
    if constexpr (Choice::loose) {
        const cell_total all = warp_sum(dropped);
        if (thread == 0) block.dropped[warp] = all.low + all.high * ((int64_t)1 << 32);
    }
}

/* Adds the counts of a block's warps to limbs. A lane has an item of some warps; most often all have the same window. */
template <class Choice>
static __device__ __forceinline__ void add_counts(const block_counts<Choice> &block, int64_t *limb, int thread, int shrunk) {
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

/* Adds the totals of a block's columns to limbs. */
template <class Choice>
static __device__ __noinline__ void add_totals(const block_counts<Choice> &block, const cell_total *total, int64_t *limb,
                                               int thread) {
    typedef typename Choice::column Column;
    const int warps = blockDim.x / WARP;
    for (int k = thread; k < Column::cells; k += WARP) {
        cell_total sum = { 0, 0 };
        for (int w = 0; w < warps; w++) {
            if (!block.used[w]) continue;
            sum.low += total[w * Column::cells + k].low;
            sum.high += total[w * Column::cells + k].high;
        }
        limbs_add_atomic(limb, sum.low, Column::exponent(k));
        limbs_add_atomic(limb, sum.high, Column::exponent(k) + 32);
    }
}

/* What the block may have dropped; by a whole warp. Half units of the last bin are counted, the greatest of all warps'. */
template <class Choice>
static __device__ __forceinline__ ball_radius block_radius(const cuda_job &job, const block_counts<Choice> &block,
                                                           int thread, int shrunk) {
    ball_radius r = BALL_EXACT;
    const bool dropped = thread < (int)blockDim.x / WARP && block.dropped[thread];
    if (!__any_sync(WHOLE_WARP, dropped)) return r;
    r.unit = window_unit(warp_max(dropped ? block.top[thread] : NO_WINDOW), LOOSE_BINS - 1) + shrunk - 1;
    if (loose_pairs<Choice>(job)) r.unit += LOOSE_PAIR;
    for (int w = 0; w < (int)blockDim.x / WARP; w++) r.count += block.dropped[w] * Choice::loss;
    return r;
}

static __device__ __forceinline__ void add_radius(cuda_workspace *workspace, ball_radius r) {
    if (!r.count) return;
    atomic_add(&workspace->dropped, r.count);
    atomicMax(&workspace->above_least, r.unit - LIMB_LEAST_EXPONENT);
}

/* Takes the workspace's, and leaves none. */
static __device__ __forceinline__ ball_radius take_radius(cuda_workspace *workspace, int thread) {
    const ball_radius r = { __ldcg((const long long *)&workspace->dropped),
                            __ldcg(&workspace->above_least) + LIMB_LEAST_EXPONENT };
    __syncwarp();
    if (thread == 0) workspace->dropped = 0, workspace->above_least = 0;
    return r;
}

static __device__ __forceinline__ void add_flags(quire_accumulator *sum, unsigned saw) {
    if (saw & SAW_OTHER) atomic_add(&sum->other, 1);
    if (saw & SAW_NAN) atomic_add(&sum->nan, 1);
    if (saw & SAW_POSITIVE_INFINITY) atomic_add(&sum->positive_infinity, 1);
    if (saw & SAW_NEGATIVE_INFINITY) atomic_add(&sum->negative_infinity, 1);
}

/* Takes the workspace's words, and leaves zeros. */
static __device__ __forceinline__ void take_words(int64_t *word, int64_t *from, int thread) {
    int64_t taken[(QUIRE_ACCUMULATOR_WORDS + WARP - 1) / WARP];
#pragma unroll
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) taken[i / WARP] = __ldcg((const long long *)&from[i]);
#pragma unroll
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) {
        word[i] = taken[i / WARP];
        if (taken[i / WARP]) from[i] = 0;
    }
    __syncwarp();
}

/* Rounds the sum, or adds it to an accumulator; by a whole warp. */
static __device__ __noinline__ void finish(const cuda_job &job, quire_accumulator *sum, int thread) {
    int64_t *word = sum->limb, *to = (int64_t *)job.accumulator;
    if (!to) {
        const quire_total limbs = warp_total(word, thread);
        if (thread) return;
        sum->count = (int64_t)job.n;
        store_total(job, accumulator_total_of(sum, limbs));
        return;
    }
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] += to[i];
    __syncwarp();
    if (thread == 0) {
        accumulator_carry(sum);
        sum->count += (int64_t)job.n;
    }
    __syncwarp();
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) to[i] = word[i];
}

/* Rounds the sum, which may lack up to the radius (and 2^-LOOSE_RELATIVE of itself, if it is made of totals); or says that
 * this is not enough to round it. By a whole warp; lanes 0 and 1 each round an end. */
template <class Choice>
static __device__ __noinline__ void finish_ball(const cuda_job &job, quire_accumulator *sum, ball_radius r, int thread) {
    ball_radius more = BALL_EXACT;
    if (Choice::loose == LOOSE_TOTALS) more = radius_relative(warp_total(sum->limb, thread), LOOSE_RELATIVE);
    quire_total end[2];
    for (int side = 0; side < 2; side++) {
        if (thread == 0) {
            for (int back = 0; back < 1 + side; back++) { /* from the lower end by way of the middle */
                ball_move(sum->limb, r, side);
                ball_move(sum->limb, more, side);
            }
            sum->count = (int64_t)job.n;
        }
        __syncwarp();
        end[side] = warp_total(sum->limb, thread);
        __syncwarp();
    }
    const quire_total total = accumulator_total_of(sum, thread ? end[1] : end[0]);
    const uint64_t bits = total_round(finish_total(total, job.finish, job.n), job.format);
    const bool decided = __shfl_sync(WHOLE_WARP, bits, 0) == __shfl_sync(WHOLE_WARP, bits, 1);
    if (thread) return;
    if (decided)
        format_store(bits, job.format, job.result);
    else
        job.workspace->undecided = 1;
}

/* After every warp has handed over, and a barrier: the first warp's work. */
template <class Choice>
static __device__ __forceinline__ void deliver(const cuda_job &job, block_counts<Choice> &block, const cell_total *total,
                                               int thread, int shrunk) {
    const bool alone = gridDim.x == 1;
    const int warps = blockDim.x / WARP;
    quire_accumulator *sum = alone ? &block.sum : &job.workspace->sum;
    if (Choice::windowed) add_counts(block, sum->limb, thread, shrunk);
    if (__any_sync(WHOLE_WARP, thread < warps && block.used[thread])) add_totals(block, total, sum->limb, thread);
    const unsigned saw = warp_or(thread < warps ? block.saw[thread] : 0);
    if (thread == 0) add_flags(sum, saw);
    ball_radius radius = BALL_EXACT;
    if constexpr (Choice::loose) radius = block_radius(job, block, thread, shrunk);
    if (!alone) {
        if (Choice::loose && thread == 0) add_radius(job.workspace, radius);
        __syncwarp();
        if (!last_warp(&job.workspace->ticket, thread)) return;
        take_words(block.sum.limb, job.workspace->sum.limb, thread);
        if (Choice::loose) radius = take_radius(job.workspace, thread);
    }
    __syncwarp();
    if (thread == 0 && job.pass == PASS_AGAIN) job.workspace->undecided = 0;
    if (Choice::loose && radius.count)
        finish_ball<Choice>(job, &block.sum, radius, thread);
    else
        finish(job, &block.sum, thread);
}

#endif
