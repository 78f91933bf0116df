/* pieces.cuh - which blocks of a long array's kernel do what.
 *
 * The last block of the grid gathers (gather.cuh). Where blocks have pieces it has none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_PIECES_CUH
#define QUIRE_CUDA_GRID_PIECES_CUH

#include "cuda/job.h"

/* In units of the kernel's: tiles, or batches. */
struct block_piece {
    size_t begin;
    unsigned size;
};

/* A block's, which may reach beyond the end. Blocks have as much each, or less and less. */
static __device__ __forceinline__ block_piece piece_of_block(const cuda_job &job, unsigned number) {
    if (!job.halvings || number < job.whole) return { (size_t)job.units * number, job.units };
    const unsigned block = number - job.whole, halved = min(block / job.level, job.halvings - 1);
    const unsigned size = job.units >> (halved + 1);
    const size_t before = (size_t)job.units * job.whole + (size_t)job.level * (job.units - (job.units >> halved));
    return { before + (size_t)size * (block - halved * job.level), size };
}

#endif
