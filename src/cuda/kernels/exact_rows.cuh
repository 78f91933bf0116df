/* exact_rows.cuh - exact sums of many rows: vectors whose elements stand side by side. A group of threads of a warp has
 * a row, or several whose loads are under way together. What two ends do not tell the warp does again at once, by sums
 * that do; what these cannot tell, either, is marked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH

#include "cuda/grid/ends_finish.cuh"
#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/turns.cuh"
#include "cuda/group/range.cuh"

/* LOADS: of a thread, that are under way together. */
template <class Format, row_terms TERMS> struct exact_rows {
    typedef typename Format::element element;
    typedef range_sums<Format, TERMS> sums;
    typedef range_sums<Format, TERMS, long_sum<2>> wide_sums;
    static constexpr int E = chunk_elements<Format>, LOADS = group_loads(TERMS == ROW_MOMENTS),
                         LOADS_AGAIN = GROUPS_LOADS / 2;

    static __device__ __forceinline__ const element *row_at(const vectors_job &job, size_t v) {
        return (const element *)job.at.x + (ptrdiff_t)v * job.at.x_layout.outer_stride;
    }

    /* Threads of a row, of some that a warp does again: few, if there are rows for all. */
    static __device__ __forceinline__ unsigned threads_again(size_t n, unsigned rows) {
        unsigned threads = WARP;
        while (WARP / threads < rows && (size_t)threads / 2 * LOADS_AGAIN * E >= n) threads /= 2;
        return threads;
    }
    static __device__ __forceinline__ vector_total total_of(const long_sum<2> &s) {
        return { { s.word(0), s.word(1) }, s.width() };
    }
    /* Rows that lanes have, one each, whose ends did not tell them: v, if this lane has one. By whole warps, and apart
     * from the code of other rows, which is quicker so. */
    static __device__ __noinline__ void again(const vectors_job &job, size_t v, bool is_left) {
        const size_t n = job.at.x_layout.n;
        const unsigned found = __ballot_sync(WHOLE_WARP, is_left), threads = threads_again(n, __popc(found));
        vector_totals mine = {};
        each_marked<Format, TERMS>(job, found, threads, v, (int)(threadIdx.x % WARP), mine,
                                   [&](const vector_pair<Format> &at, size_t number, unsigned thread) {
                                       wide_sums s = sum_of_row<wide_sums, LOADS_AGAIN>(row_at(job, number), at.n,
                                                                                        job.magnitude, thread, threads);
                                       s.merge(threads);
                                       const vector_total products = total_of(s.products);
                                       return vector_totals{ s.has_numbers ? total_of(s.numbers) : products, products };
                                   });
        if (is_left && !store_totals<Format, TERMS>(job, v, n, mine.sum, mine.squares)) mark_result(job, v);
        __syncwarp();
    }
    /* Row v, from its sum; none of a number beyond. By whole warps. */
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const sums &sum) {
        __syncwarp();
        const bool is_left = v < job.vectors && !finish_range(job, v, job.at.x_layout.n, sum);
        if (__any_sync(WHOLE_WARP, is_left)) again(job, v, is_left);
    }

    /* Rows of whole chunks, of which a thread has SLOTS at most: as many rows at once as loads are under way. */
    template <int SLOTS> static __device__ __forceinline__ void together(const vectors_job &job) {
        constexpr unsigned AT_ONCE = SLOTS > 1 ? LOADS / SLOTS : LOADS / 2; /* sums take registers, too */
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
            for (unsigned u = 0; u < AHEAD; u++) sum_chunk<Format>(total, chunk[u], magnitude);
        }
        return total;
    }
};

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(GROUPS_THREADS, GROUPS_BLOCKS)
    exact_rows_kernel(const __grid_constant__ vectors_job job) {
    typedef exact_rows<Format, TERMS> rows;
    if (!job.slots)
        rows::one_by_one(job);
    else if (job.slots == 1)
        rows::template together<1>(job);
    else if (job.slots == 2)
        rows::template together<2>(job);
    else
        rows::template together<GROUPS_SLOTS>(job);
}

#endif
