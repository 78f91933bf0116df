/* exact_rows.cuh - exact sums of rows: vectors whose elements stand side by side, or parts of long ones. A group of
 * threads of a warp has a row, or several whose loads are under way together; short rows that stand side by side and
 * begin anywhere pass through a block's shared memory. What two ends do not tell the warp does again by wider sums;
 * what these cannot tell, either, is left to a second kernel (marked.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH

#include "cuda/block/stretch.cuh"
#include "cuda/grid/ends_finish.cuh"
#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/turns.cuh"
#include "cuda/group/kept_rows.cuh"

/* Rows that a warp, or a block, has: those of bundles first, first + step, ..., each of so many rows side by side. */
struct row_share {
    size_t first, step, rows;

    __device__ __forceinline__ size_t row(size_t i) const { return (i / rows * step + first) * rows + i % rows; }
};

/* Sum: what rows are added up in at first. PAIR: the terms are products of two arrays; else of an array with itself, or
 * no products. */
template <class Format, row_terms TERMS, class Sum, bool PAIR> struct exact_rows {
    typedef typename Format::element element;
    typedef row_place<Format, PAIR> place;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef range_sums<Format, TERMS, long_sum<2>> wide_sums;
    static constexpr bool has_ends = std::is_same_v<Sum, ends>;
    static constexpr int E = chunk_elements<Format>, LOADS = group_loads(TERMS == ROW_MOMENTS || PAIR),
                         LOADS_AGAIN = GROUPS_LOADS / 2;

    static __device__ __forceinline__ place row_at(const vectors_job &job, size_t v) {
        return { (const element *)job.at.x + (ptrdiff_t)v * job.at.x_layout.outer_stride,
                 PAIR ? (const element *)job.at.y + (ptrdiff_t)v * job.at.y_layout.outer_stride : NULL };
    }

    /* Rows of a group of threads that are under way together, of SLOTS chunks of a thread. */
    static __device__ constexpr unsigned at_once(int slots) { /* sums take registers, too */
        return slots == 1 ? LOADS / 2 : LOADS / slots;
    }

    static __device__ __forceinline__ void store_or_mark(const vectors_job &job, size_t v, vector_totals t) {
        if (!store_totals<Format, TERMS>(job, v, job.at.x_layout.n, t.sum, t.squares)) mark_result(job, v);
    }
    /* Row v, from its sum; none of a number beyond. By whole warps. What is mostly done is done without a call, which
     * would save registers in memory. */
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const sums &sum) {
        __syncwarp();
        if constexpr (has_ends) {
            if (v < job.vectors && !store_quickly(job, v, sum)) finish_range(job, v, sum);
        } else if constexpr (exact_terms<Format, false>::is_double) {
            vector_totals t = totals_of(sum);
            if (v < job.vectors && !store_totals_here<Format, TERMS>(job, v, job.at.x_layout.n, t.sum, t.squares))
                mark_result(job, v);
        } else {
            if (v < job.vectors) store_or_mark(job, v, totals_of(sum));
        }
        __syncwarp();
    }
    static __device__ __noinline__ void store_last(const vectors_job &job, size_t v, const sums &sum) {
        store(job, v, sum);
    }

    /* Threads of a row, of some that a warp does again: few, if there are rows for all. */
    static __device__ __forceinline__ unsigned threads_again(size_t n, unsigned rows) {
        unsigned threads = WARP;
        while (WARP / threads < rows && (size_t)threads / 2 * LOADS_AGAIN * E >= n) threads /= 2;
        return threads;
    }
    /* The marked rows of a share, when all of them are done, 32 at a time, every so manieth of these. Not as they are
     * met: a call among the loads of other rows takes registers from all of these. */
    static __device__ __noinline__ void again(const vectors_job &job, const row_share share, unsigned number,
                                              unsigned every) {
        const int lane = threadIdx.x % WARP;
        for (size_t i = number * WARP + lane;; i += every * WARP) {
            const size_t v = share.row(i);
            if (!__any_sync(WHOLE_WARP, v < job.vectors)) break;
            const bool is_mine = v < job.vectors && is_marked(job, v);
            const unsigned found = __ballot_sync(WHOLE_WARP, is_mine),
                           threads = threads_again(job.at.x_layout.n, __popc(found));
            vector_totals mine = {};
            each_marked<Format, TERMS>(job, found, threads, v, lane, mine,
                                       [&](const vector_pair<Format> &at, size_t number, unsigned thread) {
                                           wide_sums s = sum_of_row<wide_sums, LOADS_AGAIN, false>(
                                               row_at(job, number), at.n, job.magnitude, thread, threads);
                                           s.merge(threads);
                                           return totals_of(s);
                                       });
            if (is_mine) store_or_mark(job, v, mine);
            __syncwarp();
        }
    }

    /* Rows of whole chunks, of which a thread has SLOTS at most: as many rows at once as loads are under way. */
    template <int SLOTS> static __device__ __forceinline__ void together(const vectors_job &job) {
        constexpr unsigned AT_ONCE = at_once(SLOTS);
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads,
                       bundle = AT_ONCE * rows;
        const unsigned chunks = (unsigned)(job.at.x_layout.n / E);
        const ptrdiff_t step_x = (ptrdiff_t)rows * job.at.x_layout.outer_stride,
                        step_y = (ptrdiff_t)rows * job.at.y_layout.outer_stride;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = warp_of_grid() * bundle; first < job.vectors; first += warps_of_grid() * bundle) {
            const size_t v = first + lane / threads;
            const unsigned left = v < job.vectors ? (unsigned)min(job.vectors - v, (size_t)bundle) : 0;
            const place at = row_at(job, v).moved(thread * E);
            row_chunks<Format, PAIR, AT_ONCE * SLOTS> chunk;
            sums total[AT_ONCE];
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++)
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++) {
                    const place from = { at.x + u * step_x + s * threads * E,
                                         PAIR ? at.y + u * step_y + s * threads * E : at.y };
                    chunk.load(u * SLOTS + s, from, u * rows < left && thread + s * threads < chunks);
                }
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++) {
                total[u].clear();
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++) chunk.add(total[u], u * SLOTS + s, job.magnitude);
            }
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2)
#pragma unroll
                for (unsigned u = 0; u < AT_ONCE; u++) total[u].merge_across(bit);
            kept.take(total, v, rows, thread, threads, finish);
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (has_ends && *has_marked()) again(job, { warp_of_grid(), warps_of_grid(), bundle }, 0, 1);
    }

    /* Rows of any length, or parts of them, however they begin. */
    static __device__ __forceinline__ void one_by_one(const vectors_job &job) {
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads;
        const size_t units = job.vectors * job.parts;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = warp_of_grid() * rows; first < units; first += warps_of_grid() * rows) {
            const size_t unit = first + lane / threads, v = job.parts == 1 ? unit : unit / job.parts,
                         from = job.parts == 1 ? 0 : unit % job.parts * job.part,
                         n = job.parts == 1 ? job.at.x_layout.n : min(job.at.x_layout.n - from, job.part);
            sums total[1] = { sum_of_row<sums, LOADS, true>(row_at(job, v).moved(from), unit < units ? n : 0,
                                                            job.magnitude, thread, threads) };
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2) total[0].merge_across(bit);
            if (job.parts == 1)
                kept.take(total, v, 0, thread, threads, finish);
            else if (thread == 0 && unit < units)
                store_part(*job.workspace, unit, total[0]);
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (has_ends && *has_marked()) again(job, { warp_of_grid(), warps_of_grid(), rows }, 0, 1);
    }

    /* Short rows side by side, by way of shared memory. A group has one at a time, its threads as many elements each,
     * an odd number, so that they read different banks. */
    static __device__ __forceinline__ void staged(const vectors_job &job) {
        const unsigned threads = job.threads, log = 31 - __clz((int)threads), groups = GROUPS_THREADS >> log,
                       thread = threadIdx.x & (threads - 1), group = threadIdx.x >> log;
        const unsigned n = (unsigned)job.at.x_layout.n, share = share_of<Format>(n, log), from = min(thread * share, n),
                       count = min(n - from, share);
        const size_t step = gridDim.x * (size_t)job.rows_of_item;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = blockIdx.x * (size_t)job.rows_of_item; first < job.vectors; first += step) {
            const unsigned here = (unsigned)min(job.vectors - first, (size_t)job.rows_of_item);
            const stretch<Format, PAIR> rows(row_at(job, 0), first * n, (first + here) * n, job.vectors * n);
            for (unsigned row = group; row - group < here; row += groups) {
                sums total[1];
                total[0].clear();
                if (row < here) rows.add(total[0], row * n + from, count, job.magnitude);
                __syncwarp();
#pragma unroll 1
                for (unsigned bit = threads / 2; bit; bit /= 2) total[0].merge_across(bit);
                kept.take(total, row < here ? first + row : NO_ROW, 0, thread, threads, finish);
            }
            __syncthreads();
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (__syncthreads_or(has_ends && *has_marked()))
            again(job, { blockIdx.x, gridDim.x, job.rows_of_item }, threadIdx.x / WARP, GROUPS_THREADS / WARP);
    }

    static __device__ __forceinline__ void all(const vectors_job &job) {
        if constexpr (has_ends) {
            *has_marked() = false;
            __syncwarp();
        }
        if (job.shape == ROWS_ONE_BY_ONE)
            one_by_one(job);
        else if (job.shape == ROWS_STAGED)
            staged(job);
        else if (job.slots == 1)
            together<1>(job);
        else if (job.slots == 2)
            together<2>(job);
        else
            together<GROUPS_SLOTS>(job);
    }
};

template <class Format, row_terms TERMS, bool PAIR>
__global__ void __launch_bounds__(GROUPS_THREADS, GROUPS_BLOCKS)
    exact_rows_kernel(const __grid_constant__ vectors_job job) {
    exact_rows<Format, TERMS, ends, PAIR>::all(job);
}

/* The same of doubles, and of others where results are doubles: by wider sums alone. */
template <class Format, row_terms TERMS, bool PAIR>
__global__ void __launch_bounds__(GROUPS_THREADS, GROUPS_WIDE_BLOCKS)
    wide_rows_kernel(const __grid_constant__ vectors_job job) {
    exact_rows<Format, TERMS, long_sum<2>, PAIR>::all(job);
}

#endif
