/* array_finish.cuh - from what all blocks have added up of one array to its result, by the last of them. What that does
 * not tell this block does again, with all bits, if the array is short; else it is left to exact_limbs.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ARRAY_FINISH_CUH
#define QUIRE_CUDA_GRID_ARRAY_FINISH_CUH

#include "cuda/block/limbs_sum.cuh"
#include "cuda/device/early.cuh"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/tickets.cuh"

/* Before anything of an array is read. */
static __device__ __forceinline__ void enter_array(const vectors_job &job) {
    after_earlier_work();
    if (gridDim.x > 1 || !job.is_short) enter_workspace(*job.workspace);
}

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
    vector_totals t = totals_of(sums);
    return store_totals<Format, TERMS>(job, 0, job.at.x_layout.n, t.sum, t.squares);
}

/* All bits of a short array that its sums have not told, by one block: in shared memory that the launch of a short
 * array asks for. */
template <class Format, row_terms TERMS> static __device__ __noinline__ void array_again(const vectors_job &job) {
    static_assert(limbs_of<Format, TERMS>::THREADS <= GROUPS_THREADS, "a block has too few threads");
    __shared__ limbs_end<TERMS> end;
    for (unsigned i = threadIdx.x; i < sizeof end.sum / sizeof(int64_t); i += GROUPS_THREADS)
        ((int64_t *)end.sum)[i] = 0;
    __syncthreads();
    sum_to_limbs<Format, TERMS>(job, array_of<Format>(job), end.sum, 0, 1);
    __syncthreads();
    if (threadIdx.x < WARP) store_all_limbs<TERMS>(job, end, 0, job.at.x_layout.n, (int)threadIdx.x);
}

/* By the last block; thread 0 has the sums. */
template <class Format, row_terms TERMS, class Sum>
static __device__ __forceinline__ void end_array(const vectors_job &job, const range_sums<Format, TERMS, Sum> &sums) {
    const bool is_left = __syncthreads_or(threadIdx.x == 0 && !store_array<Format, TERMS>(job, sums));
    if (!job.is_short) { /* the next kernel finds what is left, and leaves */
        if (threadIdx.x == 0) job.workspace->undecided = is_left;
        return;
    }
    if (is_left) array_again<Format, TERMS>(job);
    if (threadIdx.x == 0 && gridDim.x > 1) leave_workspace(job);
}

#endif
