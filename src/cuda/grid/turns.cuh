/* turns.cuh - which batches of an array are a warp's, where blocks or warps take turns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_TURNS_CUH
#define QUIRE_CUDA_GRID_TURNS_CUH

#include "cuda/device/special_registers.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/grid/pieces.cuh"

/* The batches of a warp, by number: the next, and then every one that is a whole grid of warps further. They fit 32
 * bits where arrays fit a memory.
 */
struct warp_turns {
    unsigned next, end;
};

static __device__ __forceinline__ unsigned shares_of(size_t n, size_t share) {
    return (unsigned)(n / share + (n % share != 0));
}

/* How many warps take turns: those of a block that has a piece; or of the grid. */
template <bool PIECES> static __device__ __forceinline__ unsigned warps_in_turn(const cuda_job &job) {
    const unsigned threads = threads_of_block(), blocks = blocks_of_grid();
    return threads / WARP * (PIECES && job.units ? 1 : blocks);
}

/* In turn with all warps of the grid. */
static __device__ __forceinline__ warp_turns turns_of_grid(unsigned batches) {
    return { threadIdx.x / WARP * gridDim.x + blockIdx.x, batches };
}

/* The same, the last warp first. */
static __device__ __forceinline__ warp_turns turns_from_last(unsigned batches, const cuda_job &job) {
    return { warps_in_turn<false>(job) - 1 - (threadIdx.x / WARP * gridDim.x + blockIdx.x), batches };
}

/* In turn with those of the block, which has a piece of them. */
static __device__ __forceinline__ warp_turns turns_of_piece(unsigned batches, const cuda_job &job) {
    const block_piece piece = piece_of_block(job, block_number());
    return { (unsigned)piece.begin + threadIdx.x / WARP, (unsigned)min(piece.begin + piece.size, (size_t)batches) };
}

#endif
