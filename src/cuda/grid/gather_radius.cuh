/* gather_radius.cuh - what a sum of blocks that drop bits (loose.cuh) may lack: a radius, of a ball (method/ball.h). A
 * block publishes a flag for it, beside its sum, or adds it up in the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_RADIUS_CUH
#define QUIRE_CUDA_GRID_GATHER_RADIUS_CUH

#include "cuda/block/counts.cuh"

/* The unit of what is dropped from a window whose last bin has that one. */
template <class Choice> static __device__ __forceinline__ int dropped_unit(const cuda_job &job, int unit) {
    return unit - 1 + (adds_together<Choice>(job) ? LOOSE_TOGETHER_LOSS : 0);
}

/* The most that all warps may have dropped, if they were loose from the start, and that the greatest unit of their
 * windows: a lane counts once for a batch, and once for the move up before it. batch: elements of a warp's; all but the
 * last few are full. */
template <class Choice>
static __device__ __forceinline__ ball_radius most_dropped(const cuda_job &job, int unit, unsigned batch) {
    const size_t batches = job.n / batch + Choice::lane_terms + 2;
    return { (int64_t)(batches * (2 * WARP * Choice::loss)), dropped_unit<Choice>(job, unit) };
}

/* Publishes what a block may have dropped: by a flag, if its unit is that of the sum and its count no more than
 * most_dropped's; else in the workspace. By a whole warp. */
template <class Choice>
static __device__ __forceinline__ void publish_radius(const cuda_job &job, fixed_sum &sum, ball_radius r, bool hard,
                                                      int thread) {
    const bool by_flag = !hard && sum.unit != NO_UNIT && r.unit == dropped_unit<Choice>(job, sum.unit);
    if (!r.count || gridDim.x == 1 || by_flag) return;
    if (thread == 0) {
        atomic_add(&job.workspace->dropped, r.count);
        atomicMax(&job.workspace->above_least, r.unit - LIMB_LEAST_EXPONENT);
    }
    sum.flags = (sum.flags & ~FIXED_DROPPED) | FIXED_LIMBS;
}

/* What all blocks may have dropped; or the own of a block that is alone. Leaves none in the workspace. By the first
 * warp of the last. */
template <class Choice>
static __device__ __forceinline__ ball_radius gather_radius(const cuda_job &job, const fixed_sum &sum,
                                                            const block_counts<Choice> &block, unsigned batch,
                                                            int thread) {
    if (gridDim.x == 1) return block.own_radius;
    ball_radius radius = BALL_EXACT;
    if (sum.flags & FIXED_LIMBS) {
        cuda_workspace *workspace = job.workspace;
        radius = { __ldcg((const long long *)&workspace->dropped),
                   __ldcg(&workspace->above_least) + LIMB_LEAST_EXPONENT };
        __syncwarp();
        if (thread == 0) workspace->dropped = 0, workspace->above_least = 0;
    }
    if (sum.flags & FIXED_DROPPED) radius_add(&radius, most_dropped<Choice>(job, block.dropped_unit, batch));
    return radius;
}

#endif
