/* rest.cuh - accumulators in an exact sum: what integers of 128 bits (fixed.cuh) do not take stands there, a block's
 * own in shared memory, or that of all blocks in the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_REST_CUH
#define QUIRE_CUDA_BLOCK_REST_CUH

#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/column.cuh"
#include "cuda/warp/fixed.cuh"

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

/* By a whole block; a barrier must follow. */
static __device__ __forceinline__ void clear_accumulator(quire_accumulator &a) {
    int64_t *word = a.limb;
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_WORDS; i += blockDim.x) word[i] = 0;
}

/* What the last block gathers in. */
template <int WARPS, bool DROPS> struct fixed_memory {
    fixed_sum gathered[WARPS];
    quire_accumulator rest; /* what it has beside integers */
    int dropped_unit;       /* the greatest unit of sums that have dropped some; NO_UNIT to begin with */
};

#endif
