/* limbs_finish.cuh - from the limbs of a vector's sums to its result, or into the caller's accumulator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_LIMBS_FINISH_CUH
#define QUIRE_CUDA_GRID_LIMBS_FINISH_CUH

#include "cuda/grid/vectors_finish.cuh"
#include "cuda/thread/long_sum.cuh"
#include "operation/moments.h"

/* Shared memory in which a variance is rounded. */
template <row_terms TERMS> struct moment_space {};
template <> struct moment_space<ROW_MOMENTS> { accumulated_moment_room room; };

/* Shared memory of the last block: the sum of numbers, and that of products or squares. */
template <row_terms TERMS> struct limbs_end {
    quire_accumulator sum[2];
    moment_space<TERMS> space;
};

/* What blocks have left, for a warp, which takes it away. */
template <class End>
static __device__ __forceinline__ void take_limbs(End &end, quire_accumulator *from, unsigned lane) {
    for (int s = 0; s < 2; s++) {
        int64_t *word = end.sum[s].limb, *left = from[s].limb;
        for (unsigned i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] = __ldcg(&left[i]), left[i] = 0;
    }
    __syncwarp();
}

/* Of vector v, of n elements, from the sum of numbers, or that of products; by a whole warp. */
template <row_terms TERMS>
static __device__ __noinline__ void store_accumulators(const vectors_job &job, quire_accumulator &numbers,
                                                       quire_accumulator &products, moment_space<TERMS> &space,
                                                       size_t v, size_t n, int lane) {
    if (lane == 0) numbers.count = products.count = (int64_t)n;
    __syncwarp();
    if constexpr (TERMS == ROW_MOMENTS) {
        if (lane == 0)
            format_store(accumulated_moments_round(&numbers, &products, job.finish, job.correction, job.format,
                                                   job.rounding, &space.room),
                         job.format.size, result_at(job, v));
    } else {
        store_limbs(job, TERMS == ROW_PRODUCTS ? products : numbers, v, n, lane);
    }
    __syncwarp();
}
template <row_terms TERMS>
static __device__ __forceinline__ void store_all_limbs(const vectors_job &job, limbs_end<TERMS> &end, size_t v,
                                                       size_t n, int lane) {
    store_accumulators<TERMS>(job, end.sum[0], end.sum[1], end.space, v, n, lane);
}

#endif
