/* short.cuh - exact sums of short arrays: blocks are few, and there is one way to the result.
 *
 * What a warp counts (eager_window.cuh) is an integer, and so is all that follows: a warp's sum, a block's, the grid's
 * (gather_exact.cuh, gather_cluster.cuh). What does not fit goes to limbs on the way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SHORT_CUH
#define QUIRE_CUDA_KERNELS_SHORT_CUH

#include "cuda/grid/finish.cuh"
#include "cuda/grid/gather_cluster.cuh"
#include "cuda/warp/column_totals.cuh"
#include "cuda/warp/short_load.cuh"
#include "cuda/warp/short_warp.cuh"

/* -------------------------------------------------------------------------------------------------- what a block makes
 *
 * Warps store what their bins have counted, and the first adds that up: in most blocks all windows are alike. A warp
 * whose window has been used and moved, or which has used columns, is apart: it makes its own sum.
 */

template <class Choice> struct short_memory {
    static constexpr int warps = Choice::threads / WARP;
    fixed_memory<1, false> gathering;
    window_counts<Choice> count[warps];
    int unit[warps];     /* of its last bin: what follows from its top is a quotient, which takes a while */
    unsigned saw[warps]; /* see column.cuh; and, above TOP_AT, below which power of two the window is */
    fixed_sum sum[warps], before[warps]; /* of warps that are apart; of their windows before the last */
};
#define TOP_AT 16

/* Stores the sum of a warp that is apart. */
template <class Choice, class Format, class Term>
static __device__ __noinline__ void store_apart(const cuda_job &job, short_memory<Choice> &block,
                                                short_warp<Choice, Format, Term> w, window_counts<Choice> count,
                                                int warp, int thread) {
    unsigned saw = w.columns.saw | WARP_APART;
    fixed_sum sum = sum_of_counts<Choice>(count, w.window.top, w.window.last_unit);
    if (!w.window.used) sum.unit = NO_UNIT; /* that of a window without elements is of no use to others */
    if (w.window.moved) {
        deposit_sum(&block.before[warp], false, sum, rest_of_block(job, &block.gathering.rest)->limb);
        sum = block.before[warp];
    }
    if (saw & WARP_USED) {
        saw = warp_or(saw | columns_flush<typename Choice::column>(totals_of_warp<Choice>()));
        sum.flags |= FIXED_LIMBS;
    }
    if (w.other) sum.flags |= FIXED_OTHER;
    if (thread == 0) block.sum[warp] = sum, block.saw[warp] = saw;
}

/* Stores what a warp has counted, or its sum. */
template <class Choice, class Format, class Term>
static __device__ __forceinline__ void store_counts(const cuda_job &job, short_memory<Choice> &block,
                                                    short_warp<Choice, Format, Term> &w, int warp, int thread) {
    auto &window = w.window;
    const window_counts<Choice> count = window.counts();
    if ((w.columns.saw & WARP_USED) || window.moved) {
        store_apart(job, block, w, count, warp, thread);
    } else if (thread == 0) {
        block.count[warp] = count, block.unit[warp] = window.last_unit;
        block.saw[warp] = (unsigned)window.top << TOP_AT | (window.used ? WARP_COUNTED : 0) | (w.other ? SAW_OTHER : 0);
    }
}

/* The totals of the columns that warps have used go to limbs. */
template <class Choice>
static __device__ __noinline__ void deposit_totals(const cuda_job &job, short_memory<Choice> &block,
                                                   const cell_total *total, int thread) {
    quire_accumulator *to = rest_of_block(job, &block.gathering.rest);
    const bool mine = thread < (int)(blockDim.x / WARP) && (block.saw[thread] & WARP_USED);
    const unsigned saw = warp_or(mine ? block.saw[thread] : 0);
    add_totals<typename Choice::column>(to, block.saw, total, thread);
    if (thread) return;
    add_flags(to, saw);
    if (Choice::many && (saw & WARP_WIDE)) *(volatile unsigned *)&job.workspace->wide = 1; /* see update_hint */
}

/* The sum of a block whose warps are not alike, by its first warp. */
template <class Choice>
static __device__ __noinline__ fixed_sum sum_of_unlike(const cuda_job &job, short_memory<Choice> &block, unsigned saw,
                                                       int thread) {
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (saw & WARP_APART) {
        part.of[0] = block.sum[thread];
    } else {
        if (saw & WARP_COUNTED)
            part.of[0] = sum_of_counts<Choice>(block.count[thread], (int)saw >> TOP_AT, block.unit[thread]);
        if (saw & SAW_OTHER) part.of[0].flags = FIXED_OTHER;
    }
    const fixed_sum sum = warp_sum_fixed<4>(
        part, [&] { return common_unit(part, 0); }, rest_of_block(job, &block.gathering.rest)->limb);
    if (__any_sync(WHOLE_WARP, part.of[0].flags & FIXED_LIMBS))
        deposit_totals(job, block, totals_of_block<Choice>(), thread);
    return sum;
}

/* The sum of a block from what its warps have stored, by its first warp. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_block(const cuda_job &job, short_memory<Choice> &block, int thread) {
    const bool is_there = thread < (int)(blockDim.x / WARP);
    const unsigned saw = is_there ? block.saw[thread] : 0, first = __shfl_sync(WHOLE_WARP, saw, 0);
    const bool is_like = !(saw & WARP_APART) && (!(saw & WARP_COUNTED) || saw >> TOP_AT == first >> TOP_AT);
    window_counts<Choice> count = {};
    int unit = 0;
    if (is_there) count = block.count[thread], unit = block.unit[thread];
    if (!__all_sync(WHOLE_WARP, is_like)) return sum_of_unlike(job, block, saw, thread);
    unit = Choice::fits ? Choice::least : __shfl_sync(WHOLE_WARP, unit, 0);
    fixed_sum sum = sum_of_counts<Choice>(count, Choice::fits ? Choice::fixed_window : (int)first >> TOP_AT, unit);
    sum.units = warp_sum_units<Choice::pieces>(sum.units);
    sum.flags = __any_sync(WHOLE_WARP, saw & SAW_OTHER) ? FIXED_OTHER : 0;
    return sum;
}

template <class Format>
static __device__ __forceinline__ short_share<Format> share_of_lane(const cuda_job &job, int warp, int thread) {
    typedef typename Format::element element;
    constexpr int E = vector_elements<Format>;
    const int skip = (int)((uintptr_t)job.x % 16 / sizeof(element)), size = (int)job.shares.loads_per_batch * WARP * E;
    const int warps = (int)(blockDim.x / WARP);
    const size_t first = (size_t)((int)blockIdx.x * warps + warp) * (size_t)size, end = job.n + skip;
    const size_t at = first + (size_t)(thread * E) - (size_t)skip;
    return { (const element *)job.x + at,
             (const element *)job.y + at,
             first ? 0 : skip,
             first < end ? (int)(end - first) : 0,
             size,
             size * warps * (int)job.sharers };
}

/* What a warp takes: a batch; or some, the next of which is always under way while one is added. */
template <class Choice, class Format, class Term>
static __device__ __forceinline__ void add_share(const cuda_job &job, short_memory<Choice> &block, int warp,
                                                 int thread) {
    short_share<Format> share = share_of_lane<Format>(job, warp, thread);
    const fixed_of_warp to = { &block.before[warp], rest_of_block(job, &block.gathering.rest)->limb };
    cell_total *total = totals_of_warp<Choice>();
    short_warp<Choice, Format, Term> w;
    w.window.open();
    w.other = false, w.columns = { 0, 0 };
    /* what loads need is to be known before the wait, not computed behind it */
    compute_now(share.x, share.left);
    if (job.ahead) share.template prefetch_share<Term>(thread);
    after_earlier_work();
    enter_workspace(job);
    batch_of<Format, Choice::E, Choice::packs> now, next;
    bool moves;
    if constexpr (!Choice::many) {
        if (share.left > 0) {
            load_batch<Format, Term, Choice::many>(now, share, thread);
            const bool fits = add_fitting(w.window, now, moves);
            if (fits && __any_sync(WHOLE_WARP, moves)) { /* most often: the window is still the first */
                w.other = true;
                store_counts(job, block, w, warp, thread);
                return;
            }
            settle_batch(w, now, fits, moves, total, to);
        }
    } else {
        share.keep();
        if (share.left > 0) load_batch<Format, Term, Choice::many>(next, share, thread);
#pragma unroll 1
        while (share.left > 0) {
            now = next;
            share.advance();
            if (share.left > 0) load_batch<Format, Term, Choice::many>(next, share, thread);
            const bool fits = add_fitting(w.window, now, moves);
            settle_batch(w, now, fits, moves, total, to);
        }
    }
    store_counts(job, block, w, warp, thread);
}

/* The end of the last block, which has the sum of the grid; by its first warp. users: see users.cuh. */
template <class Choice>
static __device__ __forceinline__ void finish_short(const cuda_job &job, const job_end &end, const fixed_sum &sum,
                                                    short_memory<Choice> &memory, unsigned users, int thread) {
    if (Choice::many) update_hint(job, sum, thread);
    finish(job, end, sum, &memory.gathering.rest, thread);
    leave_workspace(job, users, thread);
}

/* All of the last block, if it has no share; by its first warp. */
template <class Choice>
static __device__ __forceinline__ void only_gather(const cuda_job &job, short_memory<Choice> &memory, int thread) {
    const job_end end = end_of(job);
    after_earlier_work();
    const unsigned users = users_of_workspace(job);
    const fixed_sum sum = gather_by_warp<false>(job, end.places, FIXED_NOTHING, gridDim.x - 1, Choice::unit_step,
                                                memory.gathering, thread);
    finish_short(job, end, sum, memory, users, thread);
}

/* Publishes the sum of a block that has a share, or, in the last, gathers all, rounds and stores the result. The last
 * has a share if it is alone, or a cluster's. By the first warp of all blocks. */
template <class Choice>
static __device__ __forceinline__ void gather_and_finish(const cuda_job &job, const job_end &end, fixed_sum sum,
                                                         short_memory<Choice> &memory, cluster_memory &cluster,
                                                         int thread) {
    const bool is_last = blockIdx.x == gridDim.x - 1, is_cluster = !Choice::many && job.cluster;
    if (is_cluster)
        sum = gather_in_cluster(job, sum, Choice::unit_step, cluster, memory.gathering, thread);
    else if (!is_last)
        publish_sum(end.places, blockIdx.x, sum, thread);
    if (!is_last) return;
    finish_short(job, end, sum, memory, 0, thread);
}

template <class Format, class Term, bool MANY>
__global__ void __launch_bounds__((short_choice<Format, Term, MANY>::threads))
    short_kernel(const __grid_constant__ cuda_job job) {
    typedef short_choice<Format, Term, MANY> Choice;
    static_assert(SHORT_BLOCKS <= GATHERED_BY_WARP, "one warp gathers");
    __shared__ short_memory<Choice> memory;
    __shared__ cluster_memory cluster;
    const int warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    const bool is_last = blockIdx.x == gridDim.x - 1, is_cluster = !MANY && job.cluster;
    const bool only_gathers = is_last && job.gathers;
    if (is_cluster) start_cluster(cluster);
    if (is_last) {
        clear_accumulator(memory.gathering.rest);
        if (gridDim.x == 1 || only_gathers) __syncthreads(); /* it is used before the barrier below */
    }
    if (only_gathers) {
        let_later_work_start();
        if (warp == 0) only_gather(job, memory, thread);
        return;
    }
    add_share<Choice, Format, Term>(job, memory, warp, thread);
    let_later_work_start();
    const job_end end = end_of(job);
    __syncthreads();
    if (warp == 0) gather_and_finish(job, end, sum_of_block(job, memory, thread), memory, cluster, thread);
}

#endif
