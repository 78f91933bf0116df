/* rest.cuh - accumulators in an exact sum: what integers of 128 bits (fixed.cuh) do not take stands there, a block's own in
 * shared memory, or that of all blocks in the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_REST_CUH
#define QUIRE_CUDA_BLOCK_REST_CUH

#include "cuda/warp/window.cuh"

static __device__ __forceinline__ void add_flags(quire_accumulator *sum, unsigned saw) {
    if (saw & SAW_OTHER) atomic_add(&sum->other, 1);
    if (saw & SAW_NAN) atomic_add(&sum->nan, 1);
    if (saw & SAW_POSITIVE_INFINITY) atomic_add(&sum->positive_infinity, 1);
    if (saw & SAW_NEGATIVE_INFINITY) atomic_add(&sum->negative_infinity, 1);
}

/* Adds the totals of columns to an accumulator: those of the warps that used theirs, as what they saw tells. By a whole
 * warp.
 */
template <class Column>
static __device__ __noinline__ void add_totals(quire_accumulator *to, const unsigned *saw, const cell_total *total,
                                               int thread) {
    const int warps = blockDim.x / WARP;
    for (int k = thread; k < Column::cells; k += WARP) {
        cell_total sum = { 0, 0 };
        for (int w = 0; w < warps; w++) {
            if (!(saw[w] & WARP_USED)) continue;
            sum.low += total[w * Column::cells + k].low;
            sum.high += total[w * Column::cells + k].high;
        }
        limbs_add_atomic(to->limb, sum.low, Column::exponent(k));
        limbs_add_atomic(to->limb, sum.high, Column::exponent(k) + 32);
    }
}

/* Adds the workspace's words to a block's, and leaves zeros; after words that say so have been seen. By a whole warp. */
static __device__ __noinline__ void take_limbs(quire_accumulator &sum, quire_accumulator &from, int thread) {
    int64_t *word = sum.limb, *words = from.limb;
    __threadfence();
    __syncwarp();
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) {
        const int64_t taken = __ldcg((const long long *)&words[i]);
        if (taken) word[i] += taken, words[i] = 0;
    }
    __syncwarp();
}

/* By a whole block; a barrier must follow. */
static __device__ __forceinline__ void clear_accumulator(quire_accumulator &a) {
    int64_t *word = a.limb;
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_WORDS; i += blockDim.x) word[i] = 0;
}

/* Rounds the sum, or adds it to an accumulator; by a whole warp. */
static __device__ __noinline__ void finish(const cuda_job &job, quire_accumulator *sum, int thread) {
    int64_t *word = sum->limb, *to = (int64_t *)job.accumulator;
    if (!to) {
        const quire_total limbs = warp_total(word, thread);
        if (thread) return;
        sum->count = (int64_t)job.n;
        store_total(job, accumulator_total_of(sum, limbs));
        return;
    }
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] += to[i];
    __syncwarp();
    if (thread == 0) {
        accumulator_carry(sum);
        accumulator_count(sum, job.n);
    }
    __syncwarp();
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) to[i] = word[i];
}

#endif
