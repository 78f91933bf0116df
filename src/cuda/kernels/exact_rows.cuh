/* exact_rows.cuh - exact sums of many rows: vectors whose elements stand side by side. A group of threads of a warp has
 * a row, or several whose loads are under way together. What they cannot tell they mark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH

#include "cuda/grid/ends_finish.cuh"
#include "cuda/grid/grid_warps.cuh"
#include "cuda/group/range.cuh"

/* LOADS: of a thread, that are under way together. */
template <class Format, row_terms TERMS> struct exact_rows {
    typedef typename Format::element element;
    typedef range_sums<Format, TERMS> sums;
    static constexpr int E = chunk_elements<Format>, LOADS = group_loads(TERMS == ROW_MOMENTS);

    static __device__ __forceinline__ const element *row_at(const vectors_job &job, size_t v) {
        return (const element *)job.at.x + (ptrdiff_t)v * job.at.x_layout.outer_stride;
    }

    /* Row v, from its sum; none of a number beyond. By whole warps. */
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const sums &sum) {
        __syncwarp();
        if (v < job.vectors) finish_range(job, v, job.at.x_layout.n, sum);
        __syncwarp();
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
            sums total = sum_of_row(job, v, thread, threads);
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
    /* What a thread has of row v, if there is one of that number. */
    static __device__ __forceinline__ sums sum_of_row(const vectors_job &job, size_t v, unsigned thread,
                                                      unsigned threads) {
        const element *x = row_at(job, v);
        const whole_chunks<Format> whole(x, v < job.vectors ? job.at.x_layout.n : 0);
        const unsigned step = threads * E;
        sums total;
        total.clear();
        if (whole.before | whole.behind) {
            sums few = total;
            if (thread == 0) add_few<Format>(few, x, whole.before, job.magnitude);
            if (thread == threads - 1)
                add_few<Format>(few, x + whole.before + whole.count * E, whole.behind, job.magnitude);
            total = few;
        }
        x += whole.before + thread * E;
        for (size_t c = thread; c < whole.count; c += threads * LOADS, x += LOADS * step) {
            const unsigned left = (unsigned)min(whole.count - c, (size_t)(threads * LOADS));
            chunk_of<Format> chunk[LOADS];
#pragma unroll
            for (unsigned u = 0; u < LOADS; u++) load_chunk<Format>(chunk[u], x + u * step, u * threads < left);
#pragma unroll
            for (unsigned u = 0; u < LOADS; u++) sum_chunk<Format>(total, chunk[u], job.magnitude);
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
