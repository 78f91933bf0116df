/* grid_warps.cuh - the warps of a grid, by number, and its last block.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GRID_WARPS_CUH
#define QUIRE_CUDA_GRID_GRID_WARPS_CUH

#include "cuda/device/warp.cuh"

static __device__ __forceinline__ size_t warp_of_grid() {
    return (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / WARP;
}
static __device__ __forceinline__ size_t warps_of_grid() { return gridDim.x * (size_t)blockDim.x / WARP; }

/* Items that the warps of a grid look at, a lane each: neighbours, if there are enough for all warps; else the lanes of
 * a warp are far apart, so that what is found is spread over the warps. */
class grid_items {
    size_t first, apart, step, count;
    int lane;

  public:
    __device__ __forceinline__ grid_items(size_t items, int of_lane) : count(items), lane(of_lane) {
        const bool is_dense = items >= warps_of_grid() * WARP;
        first = is_dense ? warp_of_grid() * WARP : warp_of_grid();
        apart = is_dense ? 1 : warps_of_grid();
        step = warps_of_grid() * WARP;
    }
    __device__ __forceinline__ bool are_there() const { return first < count; }
    __device__ __forceinline__ void advance() { first += step; }
    __device__ __forceinline__ size_t of_lane(unsigned l) const { return first + l * apart; }
    __device__ __forceinline__ size_t mine() const { return of_lane((unsigned)lane); }
};

/* Whether this is the last block of the grid to come here; by a whole block. */
static __device__ __forceinline__ bool is_last_block(unsigned *ended) {
    __syncthreads();
    return threadIdx.x == 0 && atomicAdd(ended, 1u) == gridDim.x - 1;
}

#endif
