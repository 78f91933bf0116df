/* moments.cu - the end of a long vector's variance, whose sums are accumulators. SPDX-License-Identifier: MIT */
#include "cuda/grid/vectors_finish.cuh"
#include "operation/moments.h"

/* A variance from the workspace's two accumulators, which are cleared; one warp. */
static __global__ void __launch_bounds__(WARP) moments_kernel(const __grid_constant__ vectors_job job, size_t v) {
    __shared__ accumulated_moment_room room;
    quire_accumulator *of = job.workspace->moments;
    if (threadIdx.x == 0)
        format_store(accumulated_moments_round(&of[0], &of[1], job.finish, job.correction, job.format, job.rounding, &room),
                     job.format.size, result_at(job, v));
    __syncwarp();
    int64_t *word = of[0].limb;
    for (size_t i = threadIdx.x; i < 2 * sizeof *of / sizeof *word; i += WARP) word[i] = 0;
}

const void *quire_moments_kernel(void) { return (const void *)moments_kernel; }
