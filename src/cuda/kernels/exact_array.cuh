/* exact_array.cuh - the exact sum of one array, or its variance, by all blocks: each leaves what it has added up, takes
 * a ticket, and the last one brings all together. What that does not tell the last block does again, with all bits, if
 * the array is short; else it is left to exact_limbs.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ARRAY_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ARRAY_CUH

#include "cuda/block/block_sums.cuh"
#include "cuda/block/limbs_sum.cuh"
#include "cuda/device/early.cuh"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/tickets.cuh"
#include "cuda/grid/turns.cuh"
#include "cuda/group/row_sum.cuh"

/* Stores the result, if the array's sums tell it. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_array(const vectors_job &job, const range_sums<Format, TERMS> &sums) {
    uint64_t bits;
    if (store_quickly(job, 0, sums)) return true;
    const bool is_told = round_range(job, job.terms, sums, &bits);
    if (is_told) format_store(bits, job.format.size, job.results);
    return is_told;
}
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_array(const vectors_job &job,
                                                   const range_sums<Format, TERMS, long_sum<2>> &sums) {
    vector_totals<TERMS> t = totals_of(sums);
    return store_totals<Format, TERMS>(job, 0, job.at.x_layout.n, t.sum, t.squares);
}

/* All bits of a short array that its sums have not told, by one block. */
template <class Format, row_terms TERMS> static __device__ __noinline__ void again(const vectors_job &job) {
    __shared__ limbs_end<TERMS> end;
    for (unsigned i = threadIdx.x; i < sizeof end.sum / sizeof(int64_t); i += ARRAY_THREADS)
        ((int64_t *)end.sum)[i] = 0;
    __syncthreads();
    sum_to_limbs<Format, TERMS>(job, array_of<Format>(job), end.sum, 0, 1);
    __syncthreads();
    if (threadIdx.x < WARP) store_all_limbs<TERMS>(job, end, 0, job.at.x_layout.n, (int)threadIdx.x);
}

/* Sum: what the terms are added up in. PAIR: they are products of two arrays. */
template <class Format, row_terms TERMS, class Sum, bool PAIR>
static __device__ __forceinline__ void sum_array(const vectors_job &job) {
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef const typename Format::element *pointer;
    constexpr int LOADS = group_loads(TERMS == ROW_MOMENTS || PAIR);
    vectors_workspace &w = *job.workspace;
    after_earlier_work();
    if (gridDim.x > 1 || !job.is_short) enter_workspace(w);
    sums total = sum_of_row<sums, LOADS, true>(
        row_place<Format, PAIR>{ (pointer)job.at.x, PAIR ? (pointer)job.at.y : NULL }, job.at.x_layout.n, job.magnitude,
        blockIdx.x * ARRAY_THREADS + threadIdx.x, gridDim.x * ARRAY_THREADS);
    let_later_work_start();
    total = sum_of_block<ARRAY_THREADS>(total);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) store_record(&w.place[blockIdx.x], total);
        if (!takes_last_ticket(job)) return;
        sum_of_records<ARRAY_THREADS>(total, w.place, gridDim.x);
    }
    const bool is_left = __syncthreads_or(threadIdx.x == 0 && !store_array<Format, TERMS>(job, total));
    if (!job.is_short) { /* the next kernel finds what is left, and leaves */
        if (threadIdx.x == 0) w.undecided = is_left;
        return;
    }
    if (is_left) again<Format, TERMS>(job);
    if (threadIdx.x == 0 && gridDim.x > 1) leave_workspace(job);
}

/* Two ends come first, but of doubles, and mostly of results that are doubles. */
template <class Format, row_terms TERMS, class Sum, bool PAIR>
__global__ void __launch_bounds__(ARRAY_THREADS, has_two_ends<Sum> ? ARRAY_BLOCKS : ARRAY_WIDE_BLOCKS)
    exact_array_kernel(const __grid_constant__ vectors_job job) {
    sum_array<Format, TERMS, Sum, PAIR>(job);
}

#endif
