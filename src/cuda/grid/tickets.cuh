/* tickets.cuh - the blocks of a grid that share one array: each takes a ticket when it has left its part, and the last
 * one brings all together. No block waits for another.
 *
 * Two calls at work in one workspace at once, two replays of a graph, or a replay beside a call, are not allowed
 * (quire_open_cuda): one's blocks would take the other's tickets, or what its first kernel has left for the second. So
 * calls count themselves from their first kernel to their last, and whoever takes a ticket looks at that number. If it
 * is not alone it says so, for good: then results are NaN, and the host's calls fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_TICKETS_CUH
#define QUIRE_CUDA_GRID_TICKETS_CUH

#include "cuda/grid/vectors_finish.cuh"

#define USERS_CLASHED (1u << 31) /* two calls have been counted at once */

/* Before a block of a call's first kernel leaves anything. Nobody waits for the addition. */
static __device__ __forceinline__ void enter_workspace(vectors_workspace &w) {
    if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&w.users, 1u);
}

/* By a thread: says so if this call is not alone. */
static __device__ __forceinline__ void look_for_others(const vectors_job &job) {
    vectors_workspace &w = *job.workspace;
    if (*(volatile unsigned *)&w.users <= 1) return;
    atomicOr(&w.users, USERS_CLASHED);
    *(volatile unsigned *)job.clash = 1;
    if (job.accumulator)
        job.accumulator->nan = 1;
    else
        format_store(job.format.quiet_nan, job.format.size, job.results);
}

/* Whether this is the last block to come here: it sees what all others have written before. By a whole block. Two grids
 * may take more tickets than one has blocks. */
static __device__ __forceinline__ bool takes_last_ticket(const vectors_job &job) {
    vectors_workspace &w = *job.workspace;
    bool is_last = false;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned before = atomicAdd(&w.ended[ENDED_ARRAY], 1u);
        is_last = before >= gridDim.x - 1;
        if (is_last) w.ended[ENDED_ARRAY] = 0;
        if (before > gridDim.x - 1) atomicOr(&w.users, USERS_CLASHED);
        if (!is_last) look_for_others(job);
    }
    is_last = __syncthreads_or(is_last);
    __threadfence();
    return is_last;
}

/* By a thread of a call's last kernel, which has stored the result. */
static __device__ __forceinline__ void leave_workspace(const vectors_job &job) {
    look_for_others(job);
    atomicSub(&job.workspace->users, 1u);
}

#endif
