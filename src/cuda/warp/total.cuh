/* total.cuh - the total of limbs, by a warp: what limbs_total (accumulator/limbs.h) does, in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_TOTAL_CUH
#define QUIRE_CUDA_WARP_TOTAL_CUH

#include "accumulator/limbs.h"
#include "cuda/device/warp.cuh"

#define LANE_LIMBS 5 /* limbs that a lane takes */
#define LIMB_LANES (QUIRE_ACCUMULATOR_LIMBS / LANE_LIMBS)

#if LIMB_LANES * LANE_LIMBS != QUIRE_ACCUMULATOR_LIMBS || LIMB_LANES > WARP
#error "the limbs do not fit a warp"
#endif

/* Limb number at, if it is this lane's; or 0. */
static __device__ __forceinline__ int64_t limb_of(const int64_t (&limb)[LANE_LIMBS], int at, int thread) {
    int64_t it = 0;
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++)
        if (thread * LANE_LIMBS + i == at) it = limb[i];
    return it;
}

/* The number of the last limb that is not zero, or -1. */
static __device__ __forceinline__ int warp_last(const int64_t (&limb)[LANE_LIMBS], int thread) {
    int last = -1;
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++)
        if (limb[i]) last = thread * LANE_LIMBS + i;
    return warp_max(last);
}

/* Brings all limbs below number end into [0, 2^32); that one takes what comes, and those above are zero. A carry rarely
 * goes far: lanes carry within, hand on, and are done when nothing is handed on. (Carried to the very end, the sign of
 * a negative sum would go through all lanes, one after the other.) */
static __device__ __forceinline__ void warp_carry(int64_t (&limb)[LANE_LIMBS], int end, int thread) {
    int64_t into = 0;
    do {
        limb[0] += into;
        int64_t carry = 0;
#pragma unroll
        for (int i = 0; i < LANE_LIMBS; i++) {
            limb[i] += carry;
            const bool hands_on = thread * LANE_LIMBS + i < end;
            carry = hands_on ? limb[i] >> LIMB_BITS : 0;
            if (hands_on) limb[i] &= LIMB_MASK;
        }
        into = __shfl_up_sync(WHOLE_WARP, carry, 1);
        if (thread == 0) into = 0;
    } while (__any_sync(WHOLE_WARP, into != 0));
}

/* To be called by one whole warp; all lanes get the total. */
static __device__ __noinline__ quire_total warp_total(const int64_t *from, int thread) {
    int64_t limb[LANE_LIMBS];
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++) limb[i] = thread < LIMB_LANES ? from[thread * LANE_LIMBS + i] : 0;
    int end = warp_last(limb, thread); /* one more limb takes the sign */
    if (end < 0) return total_zero(0);
    if (end < QUIRE_ACCUMULATOR_LIMBS - 1) end++;
    warp_carry(limb, end, thread);
    const bool negative = __any_sync(WHOLE_WARP, limb_of(limb, end, thread) < 0);
    if (negative) {
#pragma unroll
        for (int i = 0; i < LANE_LIMBS; i++) limb[i] = -limb[i];
        warp_carry(limb, end, thread);
    }

    /* limb number end gives two digits */
    const uint32_t beyond =
        (uint32_t)(__shfl_sync(WHOLE_WARP, limb_of(limb, end, thread), end / LANE_LIMBS) >> LIMB_BITS);
    const int top = beyond ? end + 1 : warp_last(limb, thread);
    if (top < 0) return total_zero(0);
    uint32_t d[5]; /* as digits_total wants them: the leading one last */
    bool below = false;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        const int at = top - k;
        d[4 - k] = __shfl_sync(WHOLE_WARP, (uint32_t)limb_of(limb, at, thread), max(at, 0) / LANE_LIMBS % WARP);
        if (at > end) d[4 - k] = beyond;
    }
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++) below |= thread * LANE_LIMBS + i < top - 4 && (uint32_t)limb[i];
    return digits_total(d + 4, top, __any_sync(WHOLE_WARP, below), negative);
}

#endif
