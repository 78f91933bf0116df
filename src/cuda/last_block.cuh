/* last_block.cuh - how a kernel knows that all its blocks have delivered, and what is done then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_LAST_BLOCK_CUH
#define QUIRE_CUDA_LAST_BLOCK_CUH

#include "cuda/job.h"
#include "cuda/total.cuh"

/* After a warp of each block has written what that delivers: whether this is the last to do so, which then sees what all
 * have. */
static __device__ __forceinline__ bool last_warp(unsigned *ticket, int thread) {
    __threadfence();
    __syncwarp();
    unsigned before = 0;
    if (thread == 0) before = atomicAdd(ticket, 1);
    const bool is_last = __shfl_sync(WHOLE_WARP, before, 0) == gridDim.x - 1;
    if (!is_last) return false;
    if (thread == 0) *ticket = 0;
    __threadfence();
    return true;
}

/* The one rounding. */
static __device__ void store_total(const cuda_job &job, quire_total total) {
    format_store(total_round(finish_total(total, job.finish, job.n), job.format), job.format, job.result);
}

#endif
