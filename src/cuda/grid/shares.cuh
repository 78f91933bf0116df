/* shares.cuh - shares.h, for kernels: which piece of an array is a block's, and which batches a warp's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SHARES_CUH
#define QUIRE_CUDA_GRID_SHARES_CUH

#include "cuda/device/special_registers.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/grid/shares.h"

static __device__ __forceinline__ bool has_pieces(const cuda_job &job) { return job.shares.kind == SHARES_PIECES; }

static __device__ __forceinline__ block_piece piece_of_block(const cuda_job &job, unsigned number) {
    return piece_of_number(&job.shares, number);
}

/* How many warps take turns: those of a block that has a piece; or of the grid. PIECES: there may be pieces. */
template <bool PIECES> static __device__ __forceinline__ unsigned warps_in_turn(const cuda_job &job) {
    const unsigned threads = threads_of_block(), blocks = blocks_of_grid();
    return warps_of_turns(PIECES && has_pieces(job), threads / WARP, blocks);
}

/* In turn with all warps of the grid. */
static __device__ __forceinline__ warp_turns turns_of_grid(unsigned batches) {
    return turns_by_number(warp_of_grid(threadIdx.x / WARP, blockIdx.x, gridDim.x), batches);
}

/* The same, the last warp first. */
static __device__ __forceinline__ warp_turns turns_from_last(unsigned batches, const cuda_job &job) {
    const unsigned warps = warps_in_turn<false>(job);
    return turns_from_end(warp_of_grid(threadIdx.x / WARP, blockIdx.x, gridDim.x), warps, batches);
}

/* In turn with those of the block, which has a piece of them. */
static __device__ __forceinline__ warp_turns turns_of_piece(unsigned batches, const cuda_job &job) {
    return turns_in_piece(piece_of_block(job, block_number()), threadIdx.x / WARP, batches);
}

#endif
