/* block_sums.cuh - the sums of a block's threads, brought together: by each warp, and then by the first one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_BLOCK_SUMS_CUH
#define QUIRE_CUDA_BLOCK_BLOCK_SUMS_CUH

#include "cuda/thread/range_sums.cuh"

/* For the threads of the first warp. By a whole block of THREADS. */
template <int THREADS, class Sums> static __device__ __forceinline__ Sums sum_of_block(Sums sums) {
    constexpr int WARPS = THREADS / WARP;
    static_assert((WARPS & (WARPS - 1)) == 0 && WARPS <= WARP, "warps merge by halves");
    __shared__ Sums of_warp[WARPS];
    sums.merge(WARP);
    __syncthreads(); /* it may have been used before */
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = sums;
    __syncthreads();
    if (threadIdx.x < WARP) {
        sums = of_warp[threadIdx.x % WARPS];
        sums.merge(WARPS);
    }
    return sums;
}

#endif
