/* tickets.cuh - the blocks of a grid that share one array: each takes a ticket when it has left its part, and the last
 * one brings all together. No block waits for another.
 *
 * Two grids at work in one workspace at once, two replays of a graph, or a replay beside a call, are not allowed
 * (quire_open_cuda): one's blocks would take the other's tickets. So grids count themselves while they are at work, and
 * who has the last ticket looks at that number. If it is not alone it says so, for good: then results are NaN, and the
 * host's calls fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_TICKETS_CUH
#define QUIRE_CUDA_GRID_TICKETS_CUH

#include "cuda/grid/vectors_finish.cuh"

#define USERS_CLASHED (1u << 31) /* two grids have been counted at once */

/* Before a block leaves anything. Nobody waits for the addition. */
static __device__ __forceinline__ void enter_workspace(vectors_workspace &w) {
    if (gridDim.x > 1 && blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&w.users, 1u);
}

/* Whether this is the last block to come here: it sees what all others have written before. By a whole block. Two grids
 * may take more tickets than one has blocks: whoever finds that out says so. */
static __device__ __forceinline__ bool takes_last_ticket(vectors_workspace &w) {
    bool is_last = false;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned before = atomicAdd(&w.ended[ENDED_ARRAY], 1u);
        is_last = before >= gridDim.x - 1;
        if (is_last) w.ended[ENDED_ARRAY] = 0;
        if (before > gridDim.x - 1) atomicOr(&w.users, USERS_CLASHED);
    }
    is_last = __syncthreads_or(is_last);
    __threadfence();
    return is_last;
}

/* By a thread of the last block, which has stored the result. */
static __device__ __forceinline__ void leave_workspace(const vectors_job &job) {
    vectors_workspace &w = *job.workspace;
    if (gridDim.x == 1) return;
    if (*(volatile unsigned *)&w.users > 1) {
        atomicOr(&w.users, USERS_CLASHED);
        *(volatile unsigned *)job.clash = 1;
        if (job.accumulator)
            job.accumulator->nan = 1;
        else
            format_store(job.format.quiet_nan, job.format.size, job.results);
    }
    atomicSub(&w.users, 1u);
}

#endif
