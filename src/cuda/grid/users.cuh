/* users.cuh - what happens where two grids are at work in one workspace at once: two replays of a graph, or a replay
 * beside a call, which is not allowed (quire_open_cuda). One may take what the other's blocks have published, so that
 * the other polls for what never comes. So grids count themselves while they share the workspace, and a last block
 * looks at that number: when it begins to gather, and while it polls for long. If it is not alone it says so, for good:
 * then nobody polls any more, results are NaN, and the host's calls fail. Nor does anybody poll for ever where the
 * other has gone by then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_USERS_CUH
#define QUIRE_CUDA_GRID_USERS_CUH

#include <stddef.h>

#include "cuda/job.h"

#define USERS_CLASHED (1u << 31)    /* two have been counted at once */
#define POLLS_UNTIL_LOOK (1u << 12) /* some milliseconds */
#define POLLS_UNTIL_LOST (1u << 28) /* minutes: the shares of the blocks polled for are like the last one's own */

/* Whether the grid publishes in the workspace at all. */
static __device__ __forceinline__ bool uses_workspace(const cuda_job &job) { return gridDim.x > 1 && !job.cluster; }

/* By all threads of all blocks, before they publish. Nobody waits for the addition. */
static __device__ __forceinline__ void enter_workspace(const cuda_job &job) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && uses_workspace(job)) atomicAdd(&job.workspace->users, 1u);
}

/* How many have, for the last block, before it gathers; nobody waits for the number until it leaves. */
static __device__ __forceinline__ unsigned users_of_workspace(const cuda_job &job) {
    return uses_workspace(job) ? *(volatile unsigned *)&job.workspace->users : 0;
}

/* By the first warp of the last block, which has stored the result. users: as they were when it began to gather. */
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

static __device__ __forceinline__ cuda_workspace *workspace_of(void *places) {
    return (cuda_workspace *)((char *)places - offsetof(cuda_workspace, places));
}

/* Whether to give up after so many polls of places; the mark is for whoever gathers next. */
static __device__ __forceinline__ bool is_given_up(void *places, unsigned polls) {
    if (polls % POLLS_UNTIL_LOOK) return false;
    unsigned *const users = &workspace_of(places)->users;
    if (*(volatile unsigned *)users <= 1 && polls < POLLS_UNTIL_LOST) return false;
    atomicOr(users, USERS_CLASHED);
    return true;
}

#endif
