/* short.cuh - exact sums of short arrays: blocks are few, and there is one way to the result.
 *
 * What a warp counts (short_window.cuh) is an integer, and so is all that follows: a warp's sum, a block's, the grid's
 * (fixed.cuh). Blocks hand theirs to the last as in gather.cuh, or in cluster.cuh. What does not fit goes to limbs on the
 * way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_SHORT_CUH
#define QUIRE_CUDA_SHORT_CUH

#include "cuda/cluster.cuh"
#include "cuda/short_load.cuh"

/* ----------------------------------------------------------------------------------------------------- what a block makes
 *
 * Lanes lay down what their bins have counted, and the first warp adds that up: in most blocks all windows are alike. A warp
 * whose window has been used and moved, or which has used columns, is apart: it makes its own sum.
 */

template <class Choice> struct short_memory {
    static constexpr int warps = Choice::threads / WARP;
    fixed_memory<1, false> gathering;
    fixed_sum sum[warps], before[warps]; /* of warps that are apart; of their windows before the last                    */
    unsigned saw[warps];                 /* see column.cuh; and, above TOP_AT, below which power of two the window is     */
};
#define TOP_AT 16

/* Behind columns and their totals. */
template <class Choice> static __device__ __forceinline__ lane_counts<Choice> *counts_of_lanes() {
    return (lane_counts<Choice> *)(totals_of_block<Choice>() + blockDim.x / WARP * Choice::column::cells);
}

/* What a warp leaves that is apart: its sum. */
template <class Choice>
static __device__ __noinline__ void leave_apart(const cuda_job &job, short_memory<Choice> &block, short_window w,
                                                lane_counts<Choice> count, int warp, int thread) {
    unsigned saw = w.saw | WARP_APART;
    fixed_sum sum = sum_of_counts<Choice>(count.of, w.top);
    if (!w.counted) sum.unit = NO_UNIT; /* that of a window without elements is of no use to others */
    if (w.moved) {
        retire_sum(&block.before[warp], false, sum, rest_of_block(job, &block.gathering.rest)->limb);
        sum = block.before[warp];
    }
    if (w.columns) {
        saw = warp_or(saw | columns_flush<typename Choice::column>(totals_of_warp<Choice>())) | WARP_USED;
        sum.flags |= FIXED_LIMBS;
    }
    if (w.other) sum.flags |= FIXED_OTHER;
    if (thread == 0) block.sum[warp] = sum, block.saw[warp] = saw;
}

/* What a warp leaves in the end: what its lanes have counted; or its sum, and zeros. */
template <class Choice>
static __device__ __forceinline__ void leave(const cuda_job &job, short_memory<Choice> &block, const short_window &w,
                                             int shrunk, int warp, int thread) {
    const bool apart = w.columns || w.moved;
    const lane_counts<Choice> count = counts_of<Choice>(w, shrunk);
    counts_of_lanes<Choice>()[threadIdx.x] = apart ? lane_counts<Choice>{} : count;
    if (apart)
        leave_apart(job, block, w, count, warp, thread);
    else if (thread == 0)
        block.saw[warp] = (unsigned)w.top << TOP_AT | (w.counted ? WARP_COUNTED : 0) | (w.other ? SAW_OTHER : 0);
}

/* The totals of the columns that warps have used go to limbs. */
template <class Choice>
static __device__ __noinline__ void deliver_totals(const cuda_job &job, short_memory<Choice> &block, const cell_total *total,
                                                   int thread) {
    quire_accumulator *to = rest_of_block(job, &block.gathering.rest);
    const bool mine = thread < (int)(blockDim.x / WARP) && (block.saw[thread] & WARP_USED);
    const unsigned saw = warp_or(mine ? block.saw[thread] : 0);
    add_totals<typename Choice::column>(to, block.saw, total, thread);
    if (thread) return;
    add_flags(to, saw);
    if (Choice::many && (saw & WARP_HARD)) *(volatile unsigned *)&job.workspace->hard = 1; /* see take_hard */
}

/* Adds what lanes of so many warps have counted; all are asked for at once. */
template <class Choice, int WARPS>
static __device__ __forceinline__ void add_counts(int64_t (&sum)[Choice::counts], const lane_counts<Choice> *from) {
    lane_counts<Choice> count[WARPS];
#pragma unroll
    for (int i = 0; i < WARPS; i++) count[i] = from[i * WARP];
#pragma unroll
    for (int k = 0; k < Choice::counts; k++) {
#pragma unroll
        for (int w = 1; w < WARPS; w *= 2)
#pragma unroll
            for (int i = 0; i < WARPS; i += 2 * w) count[i].of[k] += count[i + w].of[k];
        sum[k] += count[0].of[k];
    }
}

/* The sum of a block whose warps are not alike, by its first warp: of those that have the same window together. */
template <class Choice>
static __device__ __noinline__ fixed_sum sum_of_unlike(const cuda_job &job, short_memory<Choice> &block, unsigned mine,
                                                       int thread) {
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (mine & WARP_APART)
        part.of[0] = block.sum[thread];
    else if (mine & SAW_OTHER)
        part.of[0].flags = FIXED_OTHER;
    for (unsigned left = __ballot_sync(WHOLE_WARP, mine & WARP_COUNTED); left;) {
        const int first = __ffs((int)left) - 1, top = (int)__shfl_sync(WHOLE_WARP, mine, first) >> TOP_AT;
        const unsigned alike = left & __ballot_sync(WHOLE_WARP, (int)mine >> TOP_AT == top);
        int64_t count[Choice::counts] = {};
        for (unsigned others = alike; others; others &= others - 1)
            add_counts<Choice, 1>(count, counts_of_lanes<Choice>() + (__ffs((int)others) - 1) * WARP + thread);
        const fixed_sum sum = sum_of_counts<Choice>(count, top);
        if (thread == first) part.of[0].units = sum.units, part.of[0].unit = sum.unit;
        left &= ~alike;
    }
    const fixed_sum sum = warp_sum_fixed<4>(
        part, [&] { return common_unit(part, 0); }, rest_of_block(job, &block.gathering.rest)->limb);
    if (__any_sync(WHOLE_WARP, part.of[0].flags & FIXED_LIMBS))
        deliver_totals(job, block, totals_of_block<Choice>(), thread);
    return sum;
}

/* The sum of a block from what its warps left, by its first warp. */
template <class Choice>
static __device__ __forceinline__ fixed_sum block_sum(const cuda_job &job, short_memory<Choice> &block, int thread) {
    const int warps = (int)(blockDim.x / WARP);
    const unsigned mine = thread < warps ? block.saw[thread] : 0, saw = warp_or(mine & SAW_OTHER);
    const int top = Choice::fits ? Choice::fixed_window : (int)__shfl_sync(WHOLE_WARP, mine, 0) >> TOP_AT;
    const bool is_like = !(mine & WARP_APART) && (!(mine & WARP_COUNTED) || (int)mine >> TOP_AT == top);
    const lane_counts<Choice> *from = counts_of_lanes<Choice>() + thread;
    int64_t count[Choice::counts] = {};
    int left = warps;
#pragma unroll 1
    for (; left >= 8; left -= 8, from += 8 * WARP) add_counts<Choice, 8>(count, from);
    if (left & 4) add_counts<Choice, 4>(count, from), from += 4 * WARP;
    for (left &= 3; left; left--, from += WARP) add_counts<Choice, 1>(count, from);
    if (!__all_sync(WHOLE_WARP, is_like)) return sum_of_unlike(job, block, mine, thread);
    fixed_sum sum = sum_of_counts<Choice>(count, top);
    if (saw) sum.flags = FIXED_OTHER;
    return sum;
}

/* What a warp takes: a batch; or some, the next of which is always under way while one is added. */
template <class Choice, class Format, class Term>
static __device__ __forceinline__ void add_share(const cuda_job &job, short_memory<Choice> &block, int warp, int thread) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    short_share<Format> share = share_of_lane<Format>(job, warp, thread);
    int64_t *limb = rest_of_block(job, &block.gathering.rest)->limb;
    cell_total *total = totals_of_warp<Choice>();
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
    leave(job, block, w, shrunk, warp, thread);
}

/* The result from the sums of blocks, by the first warp of the last, which has no share of its own. The code is long, and in
 * no cache of a multiprocessor that has had other blocks; so while those add, the warp goes through it once for practice. */
template <class Choice>
static __device__ __forceinline__ void gather_short(const cuda_job &job, short_memory<Choice> &memory, int thread) {
    const job_end end = end_of(job);
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
        const bool practice = turn == 0;
        if (!practice) after_earlier_work();
        fixed_sum sum = FIXED_NOTHING;
        if (practice) sum.units = (__int128)job.n << 40, sum.unit = Choice::last_unit(Choice::first_window);
        const unsigned blocks = practice ? 1 : gridDim.x;
        sum = gather_by_one(job, end.places, sum, blocks, Choice::unit_step, memory.gathering, thread);
        if (!practice || !end.accumulates) finish_fixed(job, end, sum, &memory.gathering.rest, practice, thread);
    }
}

/* What becomes of the sum of a block that has a share; by its first warp. The last block of a cluster gathers, and of a grid
 * whose threads load often: there it would be in the way of the others' loads if it looked for their sums all the time. */
template <class Choice>
static __device__ __forceinline__ void hand_over(const cuda_job &job, const job_end &end, fixed_sum sum,
                                                 short_memory<Choice> &memory, cluster_memory &cluster, int thread) {
    const bool is_last = blockIdx.x == gridDim.x - 1, is_cluster = !Choice::many && job.cluster;
    if (is_cluster) sum = gather_cluster(job, sum, Choice::unit_step, cluster, memory.gathering, thread);
    if (!is_last) {
        if (!is_cluster) deliver_sum(end.places, blockIdx.x, sum, thread);
        return;
    }
    if constexpr (Choice::many) {
        sum = gather_by_one(job, end.places, sum, gridDim.x, Choice::unit_step, memory.gathering, thread);
        if (thread == 0) tell_hardness(job, (sum.flags & FIXED_LIMBS) && take_hard(job.workspace));
    }
    finish_fixed(job, end, sum, &memory.gathering.rest, false, thread);
}

template <class Format, class Term, bool MANY>
__global__ void __launch_bounds__((short_choice<Format, Term, MANY>::threads))
    short_kernel(const __grid_constant__ cuda_job job) {
    typedef short_choice<Format, Term, MANY> Choice;
    static_assert(EXACT_FEW_BLOCKS <= GATHERED_BY_ONE, "one warp gathers");
    __shared__ short_memory<Choice> memory;
    __shared__ cluster_memory cluster;
    const int warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    const bool is_last = blockIdx.x == gridDim.x - 1, is_cluster = !MANY && job.cluster;
    if (is_cluster) start_cluster(cluster);
    if (is_last) {
        clear_accumulator(memory.gathering.rest);
        if (gridDim.x == 1 || (!MANY && !is_cluster)) __syncthreads(); /* it is used before the barrier below */
    }
    if (!MANY && is_last && gridDim.x > 1 && !is_cluster) {
        if (job.overlap) let_later_work_start();
        if (warp == 0) gather_short(job, memory, thread);
        return;
    }
    add_share<Choice, Format, Term>(job, memory, warp, thread);
    if (job.overlap) let_later_work_start();
    const job_end end = end_of(job);
    __syncthreads();
    if (warp == 0) hand_over(job, end, block_sum(job, memory, thread), memory, cluster, thread);
}

#endif
