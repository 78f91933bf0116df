/* fixed_state.cuh - what a block publishes of its sum (fixed.cuh): two words that can be added up as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_FIXED_STATE_CUH
#define QUIRE_CUDA_WARP_FIXED_STATE_CUH

#include "cuda/thread/lane_state.cuh"
#include "cuda/warp/fixed.cuh"

/* What a block publishes: its sum, below 2^FIXED_BITS units, which unit, and the flags, whose limbs are the
 * workspace's. The sum's lower bits are the first word; its upper ones, made positive by FIXED_BIAS, are the second's
 * upper: so both parts of four blocks add up in 64 bits. The highest bit of a word is not set: see gather.cuh. */
struct alignas(16) fixed_state {
    uint64_t word[2];
};
#define FIXED_LOW 62
#define FIXED_META 16 /* bits of the second word that are not the sum's */
#define FIXED_BIAS ((int64_t)1 << (62 - FIXED_META))
#define FIXED_BITS (FIXED_LOW + 62 - FIXED_META)

static __device__ __forceinline__ fixed_state state_of(fixed_sum s) {
    const unsigned number = s.unit == NO_UNIT ? 0 : (unsigned)(s.unit - LIMB_LEAST_EXPONENT) + 1;
    const uint64_t high = (uint64_t)((int64_t)(s.units >> FIXED_LOW) + FIXED_BIAS);
    return { { (uint64_t)s.units & (((uint64_t)1 << FIXED_LOW) - 1),
               high << FIXED_META | number << FIXED_FLAGS | s.flags } };
}

static __device__ __forceinline__ unsigned meta_of(fixed_state s) {
    return (unsigned)s.word[1] & ((1 << FIXED_META) - 1);
}

static __device__ __forceinline__ fixed_sum sum_of_meta(__int128 units, unsigned meta) {
    const unsigned number = meta >> FIXED_FLAGS;
    return { units, number ? (int)number - 1 + LIMB_LEAST_EXPONENT : NO_UNIT, meta & ((1 << FIXED_FLAGS) - 1) };
}

static __device__ __forceinline__ fixed_sum sum_of(fixed_state s) {
    const int64_t high = (int64_t)(s.word[1] >> FIXED_META) - FIXED_BIAS;
    return sum_of_meta(((__int128)high << FIXED_LOW) + s.word[0], meta_of(s));
}

/* Of nothing. */
template <> __device__ __forceinline__ fixed_state identity<fixed_state>(void) {
    return { { 0, (uint64_t)FIXED_BIAS << FIXED_META } };
}

template <int COUNT> struct fixed_states { fixed_state of[COUNT]; };

/* The sum of what the lanes of a warp have, where that has different units. */
template <int COUNT>
static __device__ __noinline__ fixed_sum sum_of_unlike_states(fixed_states<COUNT> s, int room, int64_t *limb) {
    fixed_sums<COUNT> part;
    for (int i = 0; i < COUNT; i++) part.of[i] = sum_of(s.of[i]);
    return warp_sum_in_unit(part, common_unit(part, room), limb);
}

/* The sum of what the lanes of a warp have: quickly if all have the first's unit and flags, or neither. room: by so
 * many binades the units may differ without that 128 bits are too few. */
template <int COUNT>
static __device__ __forceinline__ fixed_sum sum_of_states(const fixed_states<COUNT> &s, int room, int64_t *limb) {
    static_assert(COUNT <= 4, "words overflow");
    const unsigned meta = __shfl_sync(WHOLE_WARP, meta_of(s.of[0]), 0);
    uint64_t low = 0, high = 0;
    bool differs = false;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const unsigned its = meta_of(s.of[i]);
        differs = differs || (its && its != meta);
        low += s.of[i].word[0];
        high += s.of[i].word[1] >> FIXED_META;
    }
    if (__any_sync(WHOLE_WARP, differs)) return sum_of_unlike_states(s, room, limb);
    const int64_t upper = warp_sum_units<2>((int64_t)high) - WARP * COUNT * FIXED_BIAS;
    return sum_of_meta(((__int128)upper << FIXED_LOW) + warp_sum_units<3>((__int128)low), meta);
}

#endif
