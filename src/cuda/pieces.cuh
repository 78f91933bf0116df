/* pieces.cuh - which blocks of a long array's kernel do what.
 *
 * One of them, the last by number, waits for all others and makes the result of what they hand over. Where blocks have
 * pieces it has none, and is started before the last of them (job.h): it takes a while to gather what is there, and the code
 * for the end must come from memory, which the array has passed through the caches. So it may be where all have the same
 * share (policy.h): then it is the first to start. It waits for blocks that have not begun, which is safe as long as the
 * device has room for blocks that do not wait: a kernel has one that does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_PIECES_CUH
#define QUIRE_CUDA_PIECES_CUH

#include "cuda/job.h"

/* The asm keeps the compiler from keeping the number, which costs a register, or two, and local memory, where none is free.
 */
static __device__ __forceinline__ unsigned block_number(const cuda_job &job) {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    if (block < job.gatherer) return block;
    return block == job.gatherer ? gridDim.x - 1 : block - 1;
}

/* In units of the kernel's: tiles, or batches. */
struct block_piece {
    size_t begin;
    unsigned size;
};

/* A block's, which may reach beyond the end. Blocks have as much each, or less and less. */
static __device__ __forceinline__ block_piece piece_of_block(const cuda_job &job, unsigned number) {
    if (!job.halvings || number < job.whole) return { (size_t)job.run * number, job.run };
    const unsigned block = number - job.whole, halved = min(block / job.step, job.halvings - 1);
    const unsigned size = job.run >> (halved + 1);
    const size_t before = (size_t)job.run * job.whole + (size_t)job.step * (job.run - (job.run >> halved));
    return { before + (size_t)size * (block - halved * job.step), size };
}

#endif
