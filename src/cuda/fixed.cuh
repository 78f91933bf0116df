/* fixed.cuh - sums of warps, blocks and grids as integers of 128 bits, a power of two beside them: what short exact sums
 * are made of. Integers add up in any order, and quickly: a warp's sum takes one instruction for every 27 bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_FIXED_CUH
#define QUIRE_CUDA_FIXED_CUH

#include <limits.h>

#include "cuda/deliver.cuh"
#include "cuda/gather.cuh"

/* units * 2^unit. A sum of zeros alone has no unit. */
struct fixed_sum {
    __int128 units;
    int unit;
};
#define NO_UNIT INT_MIN

/* Blocks count in units from a grid this coarse, so that those of one array mostly agree; see fixed_unit. */
#define FIXED_STEP 14
#define PIECE_BITS 27 /* so many bits of 32 lanes add up to 32 */

/* The sum over a warp, in all lanes, of numbers below 2^(27 PIECES - 1) in all. */
template <int PIECES> static __device__ __forceinline__ __int128 warp_sum_units(__int128 x) {
#if __CUDA_ARCH__ >= 800
    const uint32_t mask = (1u << PIECE_BITS) - 1;
    __int128 sum = (__int128)__reduce_add_sync(WHOLE_WARP, (int)(x >> PIECE_BITS * (PIECES - 1)));
#pragma unroll
    for (int k = PIECES - 2; k >= 0; k--)
        sum = (sum << PIECE_BITS) + __reduce_add_sync(WHOLE_WARP, (uint32_t)(x >> PIECE_BITS * k) & mask);
    return sum;
#else
    for (int w = WARP / 2; w; w /= 2) {
        const uint64_t low = __shfl_xor_sync(WHOLE_WARP, (uint64_t)x, w);
        const int64_t high = __shfl_xor_sync(WHOLE_WARP, (int64_t)(x >> 64), w);
        x += (__int128)high << 64 | low;
    }
    return x;
#endif
}

static __device__ __forceinline__ void limbs_add_units(int64_t *limb, __int128 units, int unit) {
    const int64_t low = (int64_t)units & 0xffffffffffff, middle = (int64_t)(units >> 48) & 0xffffffffffff;
    limbs_add_atomic(limb, low, unit);
    limbs_add_atomic(limb, middle, unit + 48);
    limbs_add_atomic(limb, (int64_t)(units >> 96), unit + 96);
}

/* A sum in another unit; what is no multiple of that goes to limbs, and *to_limbs says so. A smaller unit must leave it
 * within 128 bits. */
static __device__ __forceinline__ __int128 units_of(const fixed_sum &s, int unit, int64_t *limb, bool *to_limbs) {
    if (s.unit == NO_UNIT) return 0;
    if (s.unit >= unit) return s.units << (s.unit - unit);
    const int shift = min(unit - s.unit, 127);
    const __int128 units = s.units >> shift;
    if (units << shift == s.units) return units;
    limbs_add_units(limb, s.units, s.unit);
    *to_limbs = true;
    return 0;
}

/* The sum of what the lanes of a warp have, COUNT each, in that unit. */
template <int PIECES, int COUNT>
static __device__ __forceinline__ fixed_sum warp_sum_fixed(const fixed_sum (&s)[COUNT], int unit, int64_t *limb,
                                                           bool *to_limbs) {
    __int128 sum = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) sum += units_of(s[i], unit, limb, to_limbs);
    return { warp_sum_units<PIECES>(sum), unit };
}

/* The greatest unit of what the lanes have; or FIXED_STEP less, if there are others and that is wanted. */
template <int COUNT> static __device__ __forceinline__ int common_unit(const fixed_sum (&s)[COUNT], int step) {
    int most = NO_UNIT;
    bool less = false;
#pragma unroll
    for (int i = 0; i < COUNT; i++) most = max(most, s[i].unit);
    most = warp_max(most);
#pragma unroll
    for (int i = 0; i < COUNT; i++) less = less || (s[i].unit < most && s[i].unit != NO_UNIT);
    return __any_sync(WHOLE_WARP, less) ? most - step : most;
}

/* ------------------------------------------------------------------------------------------------------- from blocks on */

enum { FIXED_OTHER = 1, FIXED_LIMBS = 2, FIXED_FLAGS = 2, FIXED_META = 10 };

/* What a block tells of itself: its sum, below 2^115 units; which of the units from LEAST on, FIXED_STEP apart, or none;
 * whether it has something other than -0; and whether it has more in the workspace's limbs. The highest bit of a word is
 * not set: see gather.cuh. */
struct fixed_state {
    uint64_t word[2];
};

template <int LEAST> static __device__ __forceinline__ fixed_state state_of(const fixed_sum &s, unsigned flags) {
    const unsigned number = s.unit == NO_UNIT ? 0 : (s.unit - LEAST) / FIXED_STEP + 1;
    const uint64_t low = (uint64_t)s.units, high = (uint64_t)(s.units >> 63) << FIXED_META | number << FIXED_FLAGS | flags;
    return { { low & INT64_MAX, high & INT64_MAX } };
}

template <int LEAST> static __device__ __forceinline__ fixed_sum sum_of(const fixed_state &s) {
    const int number = (int)(s.word[1] >> FIXED_FLAGS & ((1 << (FIXED_META - FIXED_FLAGS)) - 1));
    const int64_t high = (int64_t)(s.word[1] << 1) >> (FIXED_META + 1);
    return { (__int128)high << 63 | (int64_t)s.word[0], number ? (number - 1) * FIXED_STEP + LEAST : NO_UNIT };
}

/* A double that rounds to a format of that precision like the sum: to odd for narrower ones (see result.cuh); whether it is
 * a normal number. Not for zero. */
static __device__ __forceinline__ bool number_of_units(const fixed_sum &s, int precision, double *number) {
    const bool negative = s.units < 0;
    const unsigned __int128 magnitude = (unsigned __int128)(negative ? -s.units : s.units);
    const uint64_t upper = (uint64_t)(magnitude >> 64);
    const int shift = upper ? __clzll((int64_t)upper) : 64 + __clzll((int64_t)(uint64_t)magnitude);
    const unsigned __int128 normal = magnitude << shift;
    const uint64_t leading = (uint64_t)(normal >> 64), rest = leading & 0x7ff;
    const bool below = (uint64_t)normal != 0;
    const int field = s.unit + 127 - shift + 1023;
    if (field < 1 || field > 2046) return false;
    uint64_t kept = leading >> 11;
    if (precision == 53)
        kept += rest > 0x400 || (rest == 0x400 && (below || (kept & 1)));
    else
        kept |= rest || below;
    *number = double_of_bits(((uint64_t)(field - 1) << 52) + kept + (negative ? (uint64_t)1 << 63 : 0));
    return true;
}

/* Rounds and stores a sum, or adds it to an accumulator; by a whole warp. rest: what went to limbs, if anything did, and an
 * accumulator's worth of zeros otherwise. */
static __device__ __forceinline__ void finish_fixed(const cuda_job &job, const fixed_sum &s, bool is_other, bool to_limbs,
                                                    quire_accumulator *rest, int thread) {
    double number = is_other || !job.n ? 0.0 : -0.0;
    if (!to_limbs && !job.accumulator && job.finish == FINISH_KEEP &&
        (!s.units || number_of_units(s, job.format.precision, &number))) {
        if (thread == 0) format_store(round_number(number, job.format), job.format, job.result);
        return;
    }
    if (thread == 0) {
        if (s.units) limbs_add_units(rest->limb, s.units, s.unit);
        if (is_other) rest->other = 1;
    }
    __syncwarp();
    finish(job, rest, thread);
}

#endif
