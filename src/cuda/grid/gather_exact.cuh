/* gather_exact.cuh - how the exact sums of blocks, integers (fixed.cuh) and limbs, become that of the grid, in its last
 * block; see gather.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_EXACT_CUH
#define QUIRE_CUDA_GRID_GATHER_EXACT_CUH

#include "cuda/block/rest.cuh"
#include "cuda/grid/gather.cuh"

/* Where a block puts what integers do not take. */
static __device__ __forceinline__ quire_accumulator *rest_of_block(const cuda_job &job, quire_accumulator *own) {
    return gridDim.x == 1 ? own : &job.workspace->sum;
}

/* Where blocks publish. */
static __device__ __forceinline__ fixed_state *places_of(const cuda_job &job) {
    return (fixed_state *)job.workspace->places;
}

/* Publishes a block's sum. By one warp, every thread of which has added to limbs what it had to. */
static __device__ __forceinline__ void publish_sum(fixed_state *places, unsigned number, fixed_sum sum, int thread) {
    if (sum.flags & FIXED_LIMBS) __threadfence();
    __syncwarp();
    const fixed_state s = state_of(sum);
    fixed_state *to = places + number;
    if (thread == 0) publish_word(&to->word[0], s.word[0]), publish_word(&to->word[1], s.word[1]);
}

#define GATHERED_BY_WARP (SUMS_OF_THREAD * WARP) /* blocks that one warp gathers, beside one that has nothing */

/* Adds the workspace's words to a block's, and sets them to zero; after words that say there are limbs have been seen.
 * By a whole warp. */
static __device__ __noinline__ void gather_limbs(quire_accumulator &sum, quire_accumulator &from, int thread) {
    int64_t *word = sum.limb, *words = from.limb;
    __threadfence();
    __syncwarp();
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) {
        const int64_t taken = __ldcg((const long long *)&words[i]);
        if (taken) word[i] += taken, words[i] = 0;
    }
    __syncwarp();
}

/* The sum of the other blocks, COUNT a thread, and of the own one, if there is one, by a warp. */
template <int COUNT, bool OWN, int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_states(fixed_state *places, unsigned others, fixed_sum own, int room,
                                                          fixed_memory<WARPS, DROPS> &memory, int thread) {
    fixed_states<COUNT> s;
    const unsigned begin = thread * COUNT;
    poll_states(s.of, places, begin, others);
    if constexpr (OWN) {
        const fixed_state its = state_of(own);
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++)
            for (int k = 0; k < 2; k++) s.of[i].word[k] = begin + i == others ? its.word[k] : s.of[i].word[k];
    }
    if (DROPS) {
        int most = NO_UNIT;
        for (int i = 0; i < COUNT; i++) most = max(most, dropped_unit_of(sum_of(s.of[i])));
        most = warp_max(most);
        if (thread == 0) memory.dropped_unit = most;
        __syncwarp();
    }
    return sum_of_states(s, room, memory.rest.limb);
}

/* The sum of many blocks, by all warps of the last, in turn; in the first warp, with its own. Warps add up what
 * has been published, as it comes, then the block. A warp without a turn has nothing. */
template <int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_by_block(const cuda_job &job, fixed_sum own, int room,
                                                            fixed_memory<WARPS, DROPS> &memory) {
    const unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP, others = gridDim.x - 1;
    const int thread = threadIdx.x % WARP, once = room / 3;
    int64_t *limb = memory.rest.limb;
    fixed_sum sum = FIXED_NOTHING;
    if (warp == 0) sum = own;
    int most = dropped_unit_of(sum), greatest = sum.unit; /* of those that have dropped some; of all */
    unsigned begin = warp * GATHERED_BY_WARP, flags = 0;
#pragma unroll 1
    do {
        fixed_states<SUMS_OF_THREAD> s;
        poll_states(s.of, places_of(job), begin + thread * SUMS_OF_THREAD, others);
        for (int i = 0; DROPS && i < SUMS_OF_THREAD; i++) most = max(most, dropped_unit_of(sum_of(s.of[i])));
        const fixed_sum its = sum_of_states(s, once, limb);
        flags |= its.flags;
        greatest = max(greatest, its.unit);
        if (thread == 0) join(sum, its, greatest, once, limb);
        begin += warps * GATHERED_BY_WARP;
    } while (begin < others);
    if (DROPS) {
        most = warp_max(most);
        if (thread == 0) atomicMax(&memory.dropped_unit, most);
    }
    if (flags & FIXED_LIMBS) __threadfence(); /* the first warp will gather the limbs */
    if (thread == 0) memory.gathered[warp] = sum;
    __syncthreads();
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (warp) return part.of[0];
    if ((unsigned)thread < warps) part.of[0] = memory.gathered[thread];
    return warp_sum_fixed<5>(
        part, [&] { return common_unit(part, room - 2 * once); }, limb);
}

/* The sum of the blocks that publish one, and their limbs if there are any, and of the last block, which has one or
 * not, where one warp gathers them: its first. room: the binades by which the units of the blocks may differ for 128
 * bits to be enough. */
template <bool OWN, int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_by_warp(const cuda_job &job, fixed_state *places, fixed_sum own,
                                                           unsigned others, int room,
                                                           fixed_memory<WARPS, DROPS> &memory, int thread) {
    if (gridDim.x == 1) return own;
    const fixed_sum sum = gridDim.x > WARP
                              ? gather_states<SUMS_OF_THREAD, OWN>(places, others, own, room, memory, thread)
                              : gather_states<1, OWN>(places, others, own, room, memory, thread);
    if (sum.flags & FIXED_LIMBS) gather_limbs(memory.rest, job.workspace->sum, thread);
    return sum;
}

/* The same for any number of blocks, in the first warp. To be called by all threads of the last block, the own sum in
 * the first warp. */
template <int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_sums(const cuda_job &job, fixed_sum sum, int room,
                                                        fixed_memory<WARPS, DROPS> &memory) {
    const int thread = threadIdx.x;
    if (gridDim.x <= GATHERED_BY_WARP)
        return thread < WARP ? gather_by_warp<true>(job, places_of(job), sum, gridDim.x - 1, room, memory, thread)
                             : sum;
    sum = gather_by_block(job, sum, room, memory);
    if (thread < WARP && (sum.flags & FIXED_LIMBS)) gather_limbs(memory.rest, job.workspace->sum, thread);
    return sum;
}

/* Whether any warp has met what no window holds; forgets it. After words that say there are limbs have been seen. */
static __device__ __forceinline__ bool gather_hardness(cuda_workspace *workspace) {
    const bool hard = __ldcg(&workspace->hard);
    if (hard) workspace->hard = 0;
    return hard;
}

/* Sets the hint, where it changes: whether that was so, which the next call may want to know. By a whole warp. */
static __device__ __forceinline__ void update_hint(const cuda_job &job, const fixed_sum &sum, int thread) {
    if (thread) return;
    const bool hard = (sum.flags & FIXED_LIMBS) && gather_hardness(job.workspace);
    if (job.hint && hard != job.was_hard) *(volatile unsigned *)job.hint = hard;
}

#endif
