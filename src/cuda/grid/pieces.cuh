/* pieces.cuh - which blocks of a long array's kernel do what: shares.h, for kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_PIECES_CUH
#define QUIRE_CUDA_GRID_PIECES_CUH

#include "cuda/grid/shares.h"

static __device__ __forceinline__ bool has_pieces(const cuda_job &job) { return job.shares.kind == SHARES_PIECES; }

static __device__ __forceinline__ block_piece piece_of_block(const cuda_job &job, unsigned number) {
    return piece_of_number(&job.shares, number);
}

#endif
