/* total.cuh - the total of limbs, by a warp: what limbs_total (accumulator/limbs.h) does, in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_TOTAL_CUH
#define QUIRE_CUDA_TOTAL_CUH

#include "accumulator/limbs.h"

#define WARP 32
#define WHOLE_WARP 0xffffffffu
#define LANE_LIMBS 5 /* limbs that a lane takes */
#define LIMB_LANES (QUIRE_ACCUMULATOR_LIMBS / LANE_LIMBS)

#if LIMB_LANES * LANE_LIMBS != QUIRE_ACCUMULATOR_LIMBS || LIMB_LANES > WARP
#error "the limbs do not fit a warp"
#endif

/* Brings all limbs but the last into [0, 2^32). A carry rarely goes far: lanes carry within, hand on, and are done when nothing
 * is handed on. */
static __device__ __forceinline__ void warp_carry(int64_t (&limb)[LANE_LIMBS], int thread) {
    int64_t into = 0;
    do {
        limb[0] += into;
        int64_t carry = 0;
#pragma unroll
        for (int i = 0; i < LANE_LIMBS; i++) {
            limb[i] += carry;
            if (i == LANE_LIMBS - 1 && thread >= LIMB_LANES - 1) {
                carry = 0;
                break;
            }
            carry = limb[i] >> LIMB_BITS;
            limb[i] &= LIMB_MASK;
        }
        into = __shfl_up_sync(WHOLE_WARP, carry, 1);
        if (thread == 0 || thread >= LIMB_LANES) into = 0;
    } while (__any_sync(WHOLE_WARP, into != 0));
}

/* To be called by one whole warp; all lanes get the total. */
static __device__ __noinline__ quire_total warp_total(const int64_t *from, int thread) {
    int64_t limb[LANE_LIMBS];
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++) limb[i] = thread < LIMB_LANES ? from[thread * LANE_LIMBS + i] : 0;
    warp_carry(limb, thread);
    const int negative = __shfl_sync(WHOLE_WARP, limb[LANE_LIMBS - 1] < 0, LIMB_LANES - 1);
    if (negative) {
#pragma unroll
        for (int i = 0; i < LANE_LIMBS; i++) limb[i] = -limb[i];
        warp_carry(limb, thread);
    }

    /* the last limb gives two digits */
    const uint32_t beyond = (uint32_t)(__shfl_sync(WHOLE_WARP, limb[LANE_LIMBS - 1], LIMB_LANES - 1) >> LIMB_BITS);
    int top = beyond ? QUIRE_ACCUMULATOR_LIMBS : -1;
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++)
        if (!beyond && (uint32_t)limb[i]) top = thread * LANE_LIMBS + i;
    for (int w = WARP / 2; w; w /= 2) top = max(top, __shfl_xor_sync(WHOLE_WARP, top, w));
    if (top < 0) return total_zero(0);
    uint32_t d[5]; /* as digits_total wants them: the leading one last */
    bool below = false;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        const int at = top - k, i = at < 0 ? 0 : at % LANE_LIMBS;
        uint32_t mine = 0;
#pragma unroll
        for (int j = 0; j < LANE_LIMBS; j++)
            if (j == i) mine = (uint32_t)limb[j];
        d[4 - k] = __shfl_sync(WHOLE_WARP, mine, at < 0 ? 0 : at / LANE_LIMBS % WARP);
        if (at < 0) d[4 - k] = 0;
        if (at == QUIRE_ACCUMULATOR_LIMBS) d[4 - k] = beyond;
    }
#pragma unroll
    for (int i = 0; i < LANE_LIMBS; i++) below |= thread * LANE_LIMBS + i < top - 4 && (uint32_t)limb[i];
    return digits_total(d + 4, top, __any_sync(WHOLE_WARP, below), negative);
}

#endif
