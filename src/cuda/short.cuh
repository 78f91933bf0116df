/* short.cuh - exact sums of short arrays: blocks are few, and there is one way to the result.
 *
 * What a warp counts (short_window.cuh) is an integer, and so is all that follows: a warp's sum, a block's, the grid's
 * (fixed.cuh). Blocks hand theirs to the last as in gather.cuh. What does not fit goes to limbs on the way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_SHORT_CUH
#define QUIRE_CUDA_SHORT_CUH

#include "cuda/short_load.cuh"

/* ----------------------------------------------------------------------------------------------------- what a block makes
 */

template <class Choice> struct short_memory : fixed_memory<Choice::threads / WARP, false> {
    static constexpr int warps = Choice::threads / WARP;
    fixed_sum sum[warps], before[warps]; /* of the windows before */
    unsigned saw[warps];
};

/* The sum of a warp that had columns, or windows before its last. */
template <class Choice>
static __device__ __noinline__ fixed_sum sum_of_all(fixed_sum sum, bool columns, bool moved, unsigned &saw,
                                                    cell_total *total, fixed_sum *before, int64_t *limb) {
    if (columns) saw = warp_or(saw | columns_flush<typename Choice::column>(total));
    if (moved) {
        retire_sum(before, false, sum, limb);
        sum = *before;
    }
    if (columns) sum.flags |= FIXED_LIMBS;
    return sum;
}

/* The totals of the columns that warps have used go to limbs. */
template <class Choice>
static __device__ __noinline__ void deliver_totals(const cuda_job &job, short_memory<Choice> &block, const cell_total *total,
                                                   int thread) {
    quire_accumulator *to = rest_of_block(job, &block.rest);
    const bool mine = thread < (int)(blockDim.x / WARP) && (block.saw[thread] & WARP_USED);
    const unsigned saw = warp_or(mine ? block.saw[thread] : 0);
    add_totals<typename Choice::column>(to, block.saw, total, thread);
    if (thread) return;
    add_flags(to, saw);
    if (Choice::many && (saw & WARP_HARD)) *(volatile unsigned *)&job.workspace->hard = 1; /* see take_hard */
}

/* The sum of a block from what its warps left, by its first warp. */
template <class Choice>
static __device__ __forceinline__ fixed_sum block_sum(const cuda_job &job, short_memory<Choice> &block,
                                                      const cell_total *total, int thread) {
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (thread < (int)(blockDim.x / WARP)) part.of[0] = block.sum[thread];
    const fixed_sum sum = warp_sum_fixed<4>(
        part, [&] { return common_unit(part, 0); }, rest_of_block(job, &block.rest)->limb);
    if (__any_sync(WHOLE_WARP, part.of[0].flags & FIXED_LIMBS)) deliver_totals(job, block, total, thread);
    return sum;
}

/* The sum of what a warp takes: a batch; or some, the next of which is always under way while one is added. */
template <class Choice, class Format, class Term>
static __device__ __forceinline__ fixed_sum warp_share(const cuda_job &job, short_memory<Choice> &block, cell_total *total,
                                                       int warp, int thread, unsigned *saw) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    short_share<Format> share = share_of_lane<Format>(job, warp, thread);
    int64_t *limb = rest_of_block(job, &block.rest)->limb;
    fixed_sum *before = &block.before[warp];
    short_window w = open_window<Choice, Format>(shrunk);
    /* what loads need is to be known before the wait, not computed behind it */
    asm volatile("" ::"l"(share.x), "r"(share.left));
    after_earlier_work();
    batch_of<Format, Choice::E, Choice::packs> now, next;
    if constexpr (!Choice::many) {
        if (share.left > 0) {
            load_batch<Format, Term>(now, share, thread);
            add_batch<Choice, Format, Term>(w, now, 0, total, before, limb);
        }
    } else {
        share.keep();
        if (share.left > 0) load_batch<Format, Term>(next, share, thread);
#pragma unroll 1
        while (share.left > 0) {
            now = next;
            share.advance();
            if (share.left > 0) load_batch<Format, Term>(next, share, thread);
            add_batch<Choice, Format, Term>(w, now, SHORT_ROOM, total, before, limb);
        }
    }
    fixed_sum sum = sum_of_counts<Choice>(count_of(w, 0, shrunk), count_of(w, 1, shrunk), w.second, w.top, w.unit);
    if (!w.counted) sum.unit = NO_UNIT; /* that of a window without elements is of no use to others */
    *saw = w.saw | (w.columns ? WARP_USED : 0);
    if (w.columns || w.moved) sum = sum_of_all<Choice>(sum, w.columns, w.moved, *saw, total, before, limb);
    if (w.other) sum.flags |= FIXED_OTHER;
    return sum;
}

template <class Format, class Term, bool MANY>
__global__ void __launch_bounds__((short_choice<Format, Term, MANY>::threads))
    short_kernel(const __grid_constant__ cuda_job job) {
    typedef short_choice<Format, Term, MANY> Choice;
    __shared__ short_memory<Choice> memory;
    cell_total *totals = (cell_total *)&cell_at<typename Choice::cell, 0>(Choice::column::cells, 0);
    const int warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    const bool is_last = blockIdx.x == gridDim.x - 1;
    if (is_last) {
        clear_accumulator(memory.rest);
        if (gridDim.x == 1) __syncthreads(); /* warps add to it */
    }
    unsigned saw;
    fixed_sum sum = warp_share<Choice, Format, Term>(job, memory, totals + warp * Choice::column::cells, warp, thread, &saw);
    if (job.overlap) let_later_work_start();
    if (thread == 0) memory.sum[warp] = sum, memory.saw[warp] = saw;
    __syncthreads();
    if (warp == 0) sum = block_sum(job, memory, totals, thread);
    if (is_last) {
        if (gridDim.x > 1) sum = gather_blocks(job, sum, gridDim.x, Choice::unit_step, memory);
        if (Choice::many && threadIdx.x == 0) tell_hardness(job, (sum.flags & FIXED_LIMBS) && take_hard(job.workspace));
        if (warp == 0) finish_fixed(job, sum, &memory.rest, false, thread);
    } else if (warp == 0) {
        deliver_sum(job, blockIdx.x, sum, thread);
    }
}

#endif
