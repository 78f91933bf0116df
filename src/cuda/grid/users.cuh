/* users.cuh - what happens where two grids are at work in one workspace at once: two replays of a graph, or a replay
 * beside a call, which is not allowed (quire_open_cuda). One may take what the other's blocks have published, so that
 * the other polls for what never comes. So grids count themselves while they share the workspace; a last block that has
 * counted another says so, for good. Then nobody polls any more, results are NaN, and the host's calls fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_USERS_CUH
#define QUIRE_CUDA_GRID_USERS_CUH

#include <stddef.h>

#include "cuda/job.h"

#define USERS_CLASHED (1u << 31)   /* two have been counted at once */
#define POLLS_UNTIL_LOOK (1 << 12) /* some milliseconds */

/* Whether the grid publishes in the workspace at all. */
static __device__ __forceinline__ bool uses_workspace(const cuda_job &job) { return gridDim.x > 1 && !job.cluster; }

/* By all threads of all blocks, before they publish. Nobody waits for the addition. */
static __device__ __forceinline__ void enter_workspace(const cuda_job &job) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && uses_workspace(job)) atomicAdd(&job.workspace->users, 1u);
}

/* How many have, for the last block, which has gathered all: loaded before it finishes, so that nobody waits for it. */
static __device__ __forceinline__ unsigned users_of_workspace(const cuda_job &job) {
    return uses_workspace(job) ? *(volatile unsigned *)&job.workspace->users : 0;
}

/* By the first warp of the last block, which has stored the result. */
static __device__ __forceinline__ void leave_workspace(const cuda_job &job, unsigned users, int thread) {
    if (thread || !uses_workspace(job)) return;
    if (users > 1) {
        atomicOr(&job.workspace->users, USERS_CLASHED);
        *(volatile unsigned *)job.clash = 1;
        if (job.accumulator)
            job.accumulator->nan = 1;
        else
            format_store(job.format.quiet_nan, job.format.size, job.result);
    }
    atomicSub(&job.workspace->users, 1u);
}

/* Whether to give up after so many polls of places. */
static __device__ __forceinline__ bool is_given_up(const void *places, unsigned polls) {
    const char *const workspace = (const char *)places - offsetof(cuda_workspace, places);
    if (polls % POLLS_UNTIL_LOOK) return false;
    const unsigned users = *(const volatile unsigned *)(workspace + offsetof(cuda_workspace, users));
    return users > 1;
}

#endif
