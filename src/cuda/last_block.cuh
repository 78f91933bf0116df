/* last_block.cuh - how a kernel knows that all its blocks have delivered, and what is done then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_LAST_BLOCK_CUH
#define QUIRE_CUDA_LAST_BLOCK_CUH

#include "cuda/job.h"

/* After every thread of the block has written what it delivers: whether this is the last block to do so, which then sees what
 * all have written. A grid of one needs no ticket. */
static __device__ __forceinline__ bool last_block(unsigned *ticket) {
    __shared__ bool is_last;
    if (gridDim.x == 1) {
        __syncthreads();
        return true;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
        if (is_last) *ticket = 0;
    }
    __syncthreads();
    if (is_last) __threadfence();
    return is_last;
}

/* The one rounding. */
static __device__ void store_total(const cuda_job &job, quire_total total) {
    format_store(total_round(finish_total(total, job.finish, job.n), job.format), job.format, job.result);
}

#endif
