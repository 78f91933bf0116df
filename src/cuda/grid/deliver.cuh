/* deliver.cuh - the end of an exact sum of a long array: what the warps of a block have counted becomes one integer of
 * 128 bits (fixed.cuh), if it fits; what does not goes to limbs. The last block adds up all, and rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_DELIVER_CUH
#define QUIRE_CUDA_GRID_DELIVER_CUH

#include "cuda/block/counts.cuh"
#include "cuda/device/special_registers.cuh"
#include "cuda/grid/fixed_result.cuh"
#include "cuda/grid/pieces.cuh"
#include "method/ball.h"

static __device__ __forceinline__ void add_radius(cuda_workspace *workspace, ball_radius r) {
    if (!r.count) return;
    atomic_add(&workspace->dropped, r.count);
    atomicMax(&workspace->above_least, r.unit - LIMB_LEAST_EXPONENT);
}

/* Takes the workspace's, and leaves none. */
static __device__ __forceinline__ ball_radius take_radius(cuda_workspace *workspace, int thread) {
    const ball_radius r = { __ldcg((const long long *)&workspace->dropped),
                            __ldcg(&workspace->above_least) + LIMB_LEAST_EXPONENT };
    __syncwarp();
    if (thread == 0) workspace->dropped = 0, workspace->above_least = 0;
    return r;
}

/* Whether any warp has met what no window holds; leaves none. After words that say there are limbs have been seen. */
static __device__ __forceinline__ bool take_hard(cuda_workspace *workspace) {
    const bool hard = __ldcg(&workspace->hard);
    if (hard) workspace->hard = 0;
    return hard;
}

/* Whether that was so the next call may want to know, which is told when it changes. By a whole warp. */
static __device__ __forceinline__ void tell_hardness(const cuda_job &job, const fixed_sum &sum, int thread) {
    if (thread) return;
    const bool hard = (sum.flags & FIXED_LIMBS) && take_hard(job.workspace);
    if (job.hint && hard != job.was_hard) *(volatile unsigned *)job.hint = hard;
}

/* The unit of what is dropped from a window whose last bin has that one. */
template <class Choice> static __device__ __forceinline__ int dropped_unit(const cuda_job &job, int unit) {
    return unit - 1 + (adds_together<Choice>(job) ? LOOSE_TOGETHER_LOSS : 0);
}

/* What a block may have dropped, told by a flag, if its unit is that of the sum and its count no more than
 * most_dropped's; else in the workspace. By a whole warp. */
template <class Choice>
static __device__ __forceinline__ void tell_radius(const cuda_job &job, fixed_sum &sum, ball_radius r, bool hard,
                                                   int thread) {
    const bool told = !hard && sum.unit != NO_UNIT && r.unit == dropped_unit<Choice>(job, sum.unit);
    if (!r.count || gridDim.x == 1 || told) return;
    if (thread == 0) add_radius(job.workspace, r);
    sum.flags = (sum.flags & ~FIXED_DROPPED) | FIXED_LIMBS;
}

/* The most that all warps may have dropped, if they were loose from the start, and that the greatest unit of their
 * windows: a lane counts once for a batch, and once for the move up before it. batch: elements of a warp's; all but the
 * last few are full. */
template <class Choice>
static __device__ __forceinline__ ball_radius most_dropped(const cuda_job &job, int unit, unsigned batch) {
    const size_t batches = job.n / batch + Choice::lane_terms + 2;
    return { (int64_t)(batches * (2 * WARP * Choice::loss)), dropped_unit<Choice>(job, unit) };
}

/* Stores a result, if both ends of a ball round alike, which lanes 0 and 1 have; or says that this is not enough, as it
 * is where both are the NaN of a format without infinities: a number may lie between; or both are 0 and its sign
 * matters. By a whole warp. */
static __device__ __forceinline__ void finish_ends(const cuda_job &job, uint64_t bits, int thread) {
    const bool alike = __shfl_sync(WHOLE_WARP, bits, 0) == __shfl_sync(WHOLE_WARP, bits, 1);
    const bool unsure = (!job.format.has_infinity && bits == job.format.quiet_nan) || (job.zero && !bits);
    const bool decided = alike && !unsure;
    if (thread) return;
    if (decided)
        format_store(bits, job.format.size, job.result);
    else
        job.workspace->undecided = 1;
}

/* Rounds the sum, which may lack up to the radius (and 2^-LOOSE_RELATIVE of itself, if it is made of totals), or says
 * that this is not enough to round it. By a whole warp; lanes 0 and 1 each round an end. */
template <class Choice>
static __device__ __noinline__ void finish_ball(const cuda_job &job, quire_accumulator *sum, ball_radius r,
                                                int thread) {
    ball_radius more = BALL_EXACT;
    if (Choice::loose == LOOSE_TOTALS) more = radius_relative(warp_total(sum->limb, thread), LOOSE_RELATIVE);
    quire_total end[2];
    for (int side = 0; side < 2; side++) {
        if (thread == 0) {
            for (int back = 0; back < 1 + side; back++) { /* from the lower end by way of the middle */
                ball_move(sum->limb, r, side);
                ball_move(sum->limb, more, side);
            }
            sum->count = (int64_t)job.n;
        }
        __syncwarp();
        end[side] = warp_total(sum->limb, thread);
        __syncwarp();
    }
    const quire_total mine = accumulator_total_of(sum, thread ? end[1] : end[0]);
    finish_ends(job, round_total(job, mine, job.n), thread);
}

/* The same in units, if nothing went to limbs, and 128 bits will do; answers whether it is so. */
template <class Choice>
static __device__ __noinline__ bool finish_ball_of_units(const cuda_job &job, fixed_sum sum,
                                                         const quire_accumulator &rest, ball_radius r, int thread) {
    __syncwarp();
    const int rise = r.unit - sum.unit; /* a radius below 2^63 may rise to 2^113, below a sum of 2^124 */
    bool in_limbs = sum.unit == NO_UNIT || rise > 50 || sum.units >> 124 != sum.units >> 127;
    for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) in_limbs = in_limbs || rest.limb[i];
    if (__any_sync(WHOLE_WARP, in_limbs || rest.nan || rest.positive_infinity || rest.negative_infinity)) return false;
    __int128 radius = rise >= 0 ? (__int128)r.count << rise : (r.count >> min(-rise, 62)) + 1;
    if (Choice::loose == LOOSE_TOTALS) radius += (sum.units >> LOOSE_RELATIVE) + 1; /* none is negative */
    sum.units += thread ? radius : -radius;
    finish_ends(job, round_units(job, sum), thread);
    return true;
}

/* By how many binades units may differ where n numbers below 2^(87 + BLOCK_ROOM) units are summed up. */
#define BLOCK_ROOM 3
static __device__ __forceinline__ int room_for(size_t n) { return max(__clzll((long long)n) - 25 - BLOCK_ROOM, 0); }

/* The sum of a block, after every warp has handed over, and a barrier; by its first warp. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_block(const cuda_job &job, block_counts<Choice> &block,
                                                         const cell_total *total, int thread, int shrunk) {
    const bool mine = thread < (int)(blockDim.x / WARP);
    quire_accumulator *rest = rest_of_block(job, &block.rest);
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (mine) part.of[0] = sum_of_warp(block, thread, shrunk);
    fixed_sum sum = warp_sum_fixed<5>(
        part, [&] { return common_unit(part, BLOCK_ROOM); }, rest->limb);
    if (gridDim.x > 1 && sum.units >> FIXED_BITS != sum.units >> 127) {
        if (thread == 0) limbs_add_units(rest->limb, sum.units, sum.unit);
        sum = { 0, NO_UNIT, sum.flags | FIXED_LIMBS };
    }
    if (Choice::windowed && Choice::streams > 1) {
        add_counts(block, rest->limb, thread, shrunk);
        sum.flags |= FIXED_LIMBS;
    }
    if constexpr (!Choice::loose_only)
        if (__any_sync(WHOLE_WARP, mine && (block.saw[thread] & WARP_USED)))
            add_totals<typename Choice::column>(rest, block.saw, total, thread);
    const unsigned saw = warp_or(mine ? block.saw[thread] : 0);
    if (thread == 0 && (sum.flags & FIXED_LIMBS)) add_flags(rest, saw);
    return sum;
}

/* Rounds the sum of all blocks; by the first warp of the last. */
template <class Choice>
static __device__ __forceinline__ void finish_exact(const cuda_job &job, fixed_sum sum, ball_radius radius,
                                                    block_counts<Choice> &block, int thread) {
    if constexpr (Choice::loose) {
        if (radius.count) {
            if (finish_ball_of_units<Choice>(job, sum, block.rest, radius, thread)) return;
            add_sum(&block.rest, sum, thread);
            finish_ball<Choice>(job, &block.rest, radius, thread);
            return;
        }
    }
    finish_fixed(job, end_of(job), sum, &block.rest, thread);
}

/* What all blocks may have dropped: as they have told, each with its own; or the own of a block that is alone. By the
 * first warp of the last. */
template <class Choice>
static __device__ __forceinline__ ball_radius gather_radius(const cuda_job &job, const fixed_sum &sum,
                                                            const block_counts<Choice> &block, unsigned batch,
                                                            int thread) {
    if (gridDim.x == 1) return block.own_radius;
    ball_radius radius = BALL_EXACT;
    if (sum.flags & FIXED_LIMBS) radius = take_radius(job.workspace, thread);
    if (sum.flags & FIXED_DROPPED) radius_add(&radius, most_dropped<Choice>(job, block.dropped_unit, batch));
    return radius;
}

/* The last block's. batch: elements of a warp's. By all threads; out of line, so that no other block keeps anything for
 * it. */
template <class Choice>
static __device__ __noinline__ void gather_and_finish(const cuda_job &job, block_counts<Choice> &block,
                                                      unsigned batch) {
    const int warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    fixed_sum own = FIXED_NOTHING;
    if (warp == 0) own = block.own;
    const fixed_sum sum = gather_blocks(job, own, room_for(job.n), block);
    if (warp) return;
    ball_radius radius = BALL_EXACT;
    if constexpr (Choice::loose) {
        if (thread == 0 && job.pass == PASS_AGAIN) job.workspace->undecided = 0;
        tell_hardness(job, sum, thread);
        radius = gather_radius(job, sum, block, batch, thread);
    }
    finish_exact(job, sum, radius, block, thread);
}

/* What is to be done after every warp has handed over, and a barrier. By all threads. batch: of a warp, in elements. */
template <class Choice>
static __device__ __forceinline__ void deliver(const cuda_job &job, block_counts<Choice> &block,
                                               const cell_total *total, unsigned batch, int warp, int thread,
                                               int shrunk) {
    const unsigned number = block_number();
    const bool is_last = number == gridDim.x - 1;
    if (warp == 0) {
        fixed_sum sum = sum_of_block(job, block, total, thread, shrunk);
        if constexpr (Choice::loose) {
            const bool hard =
                __any_sync(WHOLE_WARP, thread < (int)blockDim.x / WARP && (block.saw[thread] & WARP_HARD));
            const ball_radius radius = block_radius(job, block, thread, shrunk);
            tell_radius<Choice>(job, sum, radius, hard, thread);
            if (is_last && thread == 0) block.own_radius = radius;
        }
        if (is_last && thread == 0) block.own = sum;
        if (!is_last) deliver_sum(places_of(job), number, sum, thread);
        __syncwarp();
    }
    if (is_last) gather_and_finish<Choice>(job, block, batch);
}

#endif
