/* grid_warps.cuh - the warps of a grid, by number, and its last block.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_GRID_WARPS_CUH
#define QUIRE_CUDA_KERNELS_GRID_WARPS_CUH

#include "cuda/total.cuh"

static __device__ __forceinline__ size_t warp_of_grid() { return (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / WARP; }
static __device__ __forceinline__ size_t warps_of_grid() { return gridDim.x * (size_t)blockDim.x / WARP; }

/* Whether this is the last block of the grid to come here; by a whole block. */
static __device__ __forceinline__ bool is_last_block(unsigned *ended) {
    __syncthreads();
    return threadIdx.x == 0 && atomicAdd(ended, 1u) == gridDim.x - 1;
}

#endif
