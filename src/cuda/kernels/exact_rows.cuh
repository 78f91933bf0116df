/* exact_rows.cuh - exact sums of many rows: vectors whose elements stand side by side. A group of threads of a warp has
 * a row, or several whose loads are under way together. What two ends do not tell the warp does again by wider sums;
 * what these cannot tell, either, is left to a second kernel (marked.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH

#include "cuda/grid/ends_finish.cuh"
#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/turns.cuh"
#include "cuda/group/range.cuh"

/* Sum: what rows are added up in at first. LOADS: of a thread, that are under way together. */
template <class Format, row_terms TERMS, class Sum> struct exact_rows {
    typedef typename Format::element element;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef range_sums<Format, TERMS, long_sum<2>> wide_sums;
    static constexpr bool has_ends = std::is_same_v<Sum, ends>;
    static constexpr int E = chunk_elements<Format>, LOADS = group_loads(TERMS == ROW_MOMENTS),
                         LOADS_AGAIN = GROUPS_LOADS / 2;

    static __device__ __forceinline__ const element *row_at(const vectors_job &job, size_t v) {
        return (const element *)job.at.x + (ptrdiff_t)v * job.at.x_layout.outer_stride;
    }

    /* Rows of a group of threads that are under way together, of SLOTS chunks of a thread; 0: of any number. */
    static __device__ constexpr unsigned at_once(int slots) { /* sums take registers, too */
        return slots == 0 ? 1 : slots == 1 ? LOADS / 2 : LOADS / slots;
    }

    static __device__ __forceinline__ vector_total total_of(const long_sum<2> &s) {
        return { { s.word(0), s.word(1) }, s.width() };
    }
    static __device__ __forceinline__ vector_totals totals_of(const wide_sums &s) {
        const vector_total products = total_of(s.products);
        return { s.has_numbers ? total_of(s.numbers) : products, products };
    }
    static __device__ __forceinline__ void store_or_mark(const vectors_job &job, size_t v, vector_totals t) {
        if (!store_totals<Format, TERMS>(job, v, job.at.x_layout.n, t.sum, t.squares)) mark_result(job, v);
    }
    /* Row v, from its sum; none of a number beyond. By whole warps. */
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const sums &sum) {
        __syncwarp();
        if constexpr (has_ends) {
            if (v < job.vectors) finish_range(job, v, job.at.x_layout.n, sum);
        } else {
            if (v < job.vectors) store_or_mark(job, v, totals_of(sum));
        }
        __syncwarp();
    }

    /* Threads of a row, of some that a warp does again: few, if there are rows for all. */
    static __device__ __forceinline__ unsigned threads_again(size_t n, unsigned rows) {
        unsigned threads = WARP;
        while (WARP / threads < rows && (size_t)threads / 2 * LOADS_AGAIN * E >= n) threads /= 2;
        return threads;
    }
    /* The rows that a warp has marked, when it has been over all of its own, so many of them side by side. Not as it
     * meets them: a call among the loads of other rows takes registers from all of these. */
    static __device__ __noinline__ void again(const vectors_job &job, size_t side_by_side) {
        const int lane = threadIdx.x % WARP;
        for (size_t i = lane;; i += WARP) {
            const size_t v = (i / side_by_side * warps_of_grid() + warp_of_grid()) * side_by_side + i % side_by_side;
            if (!__any_sync(WHOLE_WARP, v < job.vectors)) break;
            const bool is_mine = v < job.vectors && is_marked(job, v);
            const unsigned found = __ballot_sync(WHOLE_WARP, is_mine),
                           threads = threads_again(job.at.x_layout.n, __popc(found));
            vector_totals mine = {};
            each_marked<Format, TERMS>(
                job, found, threads, v, lane, mine, [&](const vector_pair<Format> &at, size_t number, unsigned thread) {
                    wide_sums s =
                        sum_of_row<wide_sums, LOADS_AGAIN>(row_at(job, number), at.n, job.magnitude, thread, threads);
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
        const ptrdiff_t step = (ptrdiff_t)rows * job.at.x_layout.outer_stride;
        sums mine; /* of the row that the thread will finish */
        size_t row = job.vectors;
        unsigned taken = 0; /* rows of a group that have a thread */
        mine.clear();
        for (size_t first = warp_of_grid() * bundle; first < job.vectors; first += warps_of_grid() * bundle) {
            const size_t v = first + lane / threads;
            const unsigned left = v < job.vectors ? (unsigned)min(job.vectors - v, (size_t)bundle) : 0;
            const element *const x = row_at(job, v) + thread * E;
            chunk_of<Format> chunk[AT_ONCE][SLOTS];
            sums total[AT_ONCE];
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++)
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++)
                    load_chunk<Format>(chunk[u][s], x + u * step + s * threads * E,
                                       u * rows < left && thread + s * threads < chunks);
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++) {
                total[u].clear();
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++) sum_chunk<Format>(total[u], chunk[u][s], job.magnitude);
            }
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2)
#pragma unroll
                for (unsigned u = 0; u < AT_ONCE; u++) total[u].merge_across(bit);
            /* Each thread of a group finishes one of its next rows, all of them together. */
            if (threads < AT_ONCE) {
#pragma unroll 1
                for (unsigned i = thread; i < AT_ONCE; i += threads) {
#pragma unroll
                    for (unsigned u = 0; u < AT_ONCE; u++) mine.take_if(u == i, total[u]);
                    store(job, v + i * rows, mine);
                }
                continue;
            }
            const unsigned i = thread - taken;
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++) mine.take_if(u == i, total[u]);
            if (i < AT_ONCE) row = v + i * rows;
            taken += AT_ONCE;
            if (taken < threads) continue;
            store(job, row, mine);
            taken = 0, row = job.vectors;
        }
        if (taken) store(job, row, mine);
    }

    /* Rows that are longer, however they begin. */
    static __device__ __forceinline__ void one_by_one(const vectors_job &job) {
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads;
        sums mine;
        size_t row = job.vectors;
        unsigned taken = 0;
        mine.clear();
        for (size_t first = warp_of_grid() * rows; first < job.vectors; first += warps_of_grid() * rows) {
            const size_t v = first + lane / threads;
            sums total = sum_of_row<sums, LOADS>(row_at(job, v), v < job.vectors ? job.at.x_layout.n : 0, job.magnitude,
                                                 thread, threads);
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2) total.merge_across(bit);
            mine.take_if(thread == taken, total);
            if (thread == taken) row = v;
            if (++taken < threads) continue;
            store(job, row, mine);
            taken = 0, row = job.vectors;
        }
        if (taken) store(job, row, mine);
    }
    /* What a thread has of the n elements of a row. AHEAD: loads that are under way together. */
    template <class Sums, int AHEAD>
    static __device__ __forceinline__ Sums sum_of_row(const element *x, size_t n, bool magnitude, unsigned thread,
                                                      unsigned threads) {
        const whole_chunks<Format> whole(x, n);
        const unsigned step = threads * E;
        Sums total;
        total.clear();
        if (whole.before | whole.behind) {
            Sums few = total;
            if (thread == 0) add_few<Format>(few, x, whole.before, magnitude);
            if (thread == threads - 1)
                add_few<Format>(few, x + whole.before + whole.count * E, whole.behind, magnitude);
            total = few;
        }
        x += whole.before + thread * E;
        for (size_t c = thread; c < whole.count; c += threads * AHEAD, x += AHEAD * step) {
            const unsigned left = (unsigned)min(whole.count - c, (size_t)(threads * AHEAD));
            chunk_of<Format> chunk[AHEAD];
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++) load_chunk<Format>(chunk[u], x + u * step, u * threads < left);
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++)
                if (AHEAD == LOADS || u * threads < left) sum_chunk<Format>(total, chunk[u], magnitude);
        }
        return total;
    }
};

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(GROUPS_THREADS, GROUPS_BLOCKS)
    exact_rows_kernel(const __grid_constant__ vectors_job job) {
    typedef exact_rows<Format, TERMS, ends> rows;
    *has_marked() = false;
    __syncwarp();
    if (!job.slots)
        rows::one_by_one(job);
    else if (job.slots == 1)
        rows::template together<1>(job);
    else if (job.slots == 2)
        rows::template together<2>(job);
    else
        rows::template together<GROUPS_SLOTS>(job);
    if (*has_marked()) rows::again(job, rows::at_once(job.slots) * (WARP / job.threads));
}

/* The same of longer rows by wider sums alone: results of any precision, also of doubles. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(GROUPS_THREADS, GROUPS_WIDE_BLOCKS)
    wide_rows_kernel(const __grid_constant__ vectors_job job) {
    exact_rows<Format, TERMS, long_sum<2>>::one_by_one(job);
}

#endif
