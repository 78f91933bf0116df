/* fixed.cuh - sums of warps, blocks and grids as integers of 128 bits, a power of two beside them: what short exact sums
 * are made of. Integers add up in any order, and quickly: a warp's sum takes one instruction for every 27 bits.
 *
 * What is rare stands in functions of its own, out of line: a short kernel runs once through its code, which must be
 * fetched, so that every line of it that is jumped over counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_FIXED_CUH
#define QUIRE_CUDA_FIXED_CUH

#include <limits.h>

#include "cuda/deliver.cuh"
#include "cuda/gather.cuh"

/* What a sum has besides: something other than -0; and more, in limbs. */
enum { FIXED_OTHER = 1, FIXED_LIMBS = 2, FIXED_FLAGS = 2 };

/* units * 2^unit. A sum of zeros alone has no unit. */
struct fixed_sum {
    __int128 units;
    int unit;
    unsigned flags;
};
#define NO_UNIT INT_MIN
#define FIXED_NOTHING                                                                                                       \
    { 0, NO_UNIT, 0 }

/* By value: a choice of two objects would put them into memory. */
static __device__ __forceinline__ fixed_sum choose(bool first, fixed_sum a, fixed_sum b) {
    return { first ? a.units : b.units, first ? a.unit : b.unit, first ? a.flags : b.flags };
}

/* What the first lane has. */
static __device__ __forceinline__ fixed_sum of_first(fixed_sum s) {
    const uint64_t low = __shfl_sync(WHOLE_WARP, (uint64_t)s.units, 0);
    const int64_t high = __shfl_sync(WHOLE_WARP, (int64_t)(s.units >> 64), 0);
    return { (__int128)high << 64 | low, __shfl_sync(WHOLE_WARP, s.unit, 0), __shfl_sync(WHOLE_WARP, s.flags, 0) };
}

/* Blocks count in units from a grid this coarse, so that those of one array mostly agree. */
#define FIXED_STEP 14
#define PIECE_BITS 27 /* so many bits of 32 lanes add up to 32 */

/* The sum over a warp, in all lanes, of numbers that make less than 2^(27 PIECES + 4). */
template <int PIECES, class Integer> static __device__ __forceinline__ Integer warp_sum_units(Integer x) {
#if __CUDA_ARCH__ >= 800
    const uint32_t mask = (1u << PIECE_BITS) - 1;
    Integer sum = (Integer)__reduce_add_sync(WHOLE_WARP, (int)(x >> PIECE_BITS * (PIECES - 1)));
#pragma unroll
    for (int k = PIECES - 2; k >= 0; k--)
        sum = (sum << PIECE_BITS) + __reduce_add_sync(WHOLE_WARP, (uint32_t)(x >> PIECE_BITS * k) & mask);
    return sum;
#else
    for (int w = WARP / 2; w; w /= 2) {
        const __int128 wide = x;
        const uint64_t low = __shfl_xor_sync(WHOLE_WARP, (uint64_t)wide, w);
        const int64_t high = __shfl_xor_sync(WHOLE_WARP, (int64_t)(wide >> 64), w);
        x += (Integer)((__int128)high << 64 | low);
    }
    return x;
#endif
}

static __device__ __noinline__ void limbs_add_units(int64_t *limb, __int128 units, int unit) {
    limbs_add_atomic(limb, (int64_t)units & 0xffffffffffff, unit);
    limbs_add_atomic(limb, (int64_t)(units >> 48) & 0xffffffffffff, unit + 48);
    limbs_add_atomic(limb, (int64_t)(units >> 96), unit + 96);
}

/* A sum in another unit. If it is no multiple of that it goes to limbs; if that is smaller, 128 bits must do. */
static __device__ __noinline__ fixed_sum in_unit(fixed_sum s, int unit, int64_t *limb) {
    if (s.unit == NO_UNIT || unit == NO_UNIT) return s;
    const int up = s.unit - unit, down = min(-up, 127);
    if (up >= 0) return { s.units << up, unit, s.flags };
    if (s.units >> down << down == s.units) return { s.units >> down, unit, s.flags };
    limbs_add_units(limb, s.units, s.unit);
    return { 0, NO_UNIT, s.flags | FIXED_LIMBS };
}

/* What a lane has, or several neighbours' sums. */
template <int COUNT> struct fixed_sums { fixed_sum of[COUNT]; };

/* The sum of what the lanes of a warp have, in that unit. */
template <int COUNT>
static __device__ __noinline__ fixed_sum warp_sum_in_unit(fixed_sums<COUNT> s, int unit, int64_t *limb) {
    __int128 sum = 0;
    unsigned flags = 0;
    for (int i = 0; i < COUNT; i++) {
        const fixed_sum its = in_unit(s.of[i], unit, limb);
        sum += its.units, flags |= its.flags;
    }
    return { warp_sum_units<5>(sum), unit, warp_or(flags) };
}

template <int COUNT> static __device__ __forceinline__ int greatest_unit(fixed_sums<COUNT> s) {
    int unit = NO_UNIT;
    for (int i = 0; i < COUNT; i++) unit = max(unit, s.of[i].unit);
    return warp_max(unit);
}

/* The sum of what the lanes of a warp have: quickly if they have nothing that the first has not, in unit or flags; else in
 * the unit that unit_for finds. */
template <int PIECES, int COUNT, class Unit>
static __device__ __forceinline__ fixed_sum warp_sum_fixed(fixed_sums<COUNT> s, Unit unit_for, int64_t *limb) {
    const int unit = __shfl_sync(WHOLE_WARP, s.of[0].unit, 0);
    const unsigned flags = __shfl_sync(WHOLE_WARP, s.of[0].flags, 0);
    bool differs = false;
    __int128 sum = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        differs = differs || (s.of[i].flags & ~flags) || (s.of[i].unit != unit && s.of[i].unit != NO_UNIT);
        sum += s.of[i].units;
    }
    if (__any_sync(WHOLE_WARP, differs)) return warp_sum_in_unit(s, unit_for(), limb);
    return { warp_sum_units<PIECES>(sum), unit, flags };
}

/* The same where there is one each, which rarely happens. */
static __device__ __noinline__ fixed_sum join_sums(fixed_sum mine, int64_t *limb) {
    const fixed_sums<1> part = { { mine } };
    return warp_sum_in_unit(part, greatest_unit(part), limb);
}

/* ------------------------------------------------------------------------------------------------------- from blocks on */

/* What a block tells of itself: its sum, below 2^112 units; which of the units from LEAST on, FIXED_STEP apart, or none;
 * and the flags, whose limbs are the workspace's. The highest bit of a word is not set: see gather.cuh. */
struct fixed_state {
    uint64_t word[2];
};
#define FIXED_META 10 /* bits that are not the sum's */

template <int LEAST> static __device__ __forceinline__ fixed_state state_of(fixed_sum s) {
    const unsigned number = s.unit == NO_UNIT ? 0 : (unsigned)(s.unit - LEAST) / FIXED_STEP + 1;
    const uint64_t high = (uint64_t)(s.units >> 63) << FIXED_META | number << FIXED_FLAGS | s.flags;
    return { { (uint64_t)s.units & INT64_MAX, high & INT64_MAX } };
}

template <int LEAST> static __device__ __forceinline__ fixed_sum sum_of(fixed_state s) {
    const unsigned meta = (unsigned)s.word[1] & ((1 << FIXED_META) - 1), number = meta >> FIXED_FLAGS;
    const int64_t high = (int64_t)(s.word[1] << 1) >> (FIXED_META + 1);
    return { (__int128)high << 63 | (int64_t)s.word[0], number ? (int)(number - 1) * FIXED_STEP + LEAST : NO_UNIT,
             meta & (FIXED_OTHER | FIXED_LIMBS) };
}

/* ------------------------------------------------------------------------------------------------------------- rounding */

/* A double that rounds to a format of that precision like the sum: to odd for narrower ones (see result.cuh); whether it is
 * a normal number. Not for zero. */
static __device__ __forceinline__ bool number_of_units(fixed_sum s, int precision, double *number) {
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

static __device__ __noinline__ void finish_with_limbs(const cuda_job &job, fixed_sum s, quire_accumulator *rest,
                                                      int thread) {
    if (thread == 0) {
        if (s.units) limbs_add_units(rest->limb, s.units, s.unit);
        if (s.flags & FIXED_OTHER) rest->other = 1;
    }
    __syncwarp();
    finish(job, rest, thread);
}

/* Rounds and stores a sum, or adds it to an accumulator; by a whole warp. rest: what went to limbs, or zeros. */
static __device__ __forceinline__ void finish_fixed(const cuda_job &job, fixed_sum s, quire_accumulator *rest, int thread) {
    double number = (s.flags & FIXED_OTHER) || !job.n ? 0.0 : -0.0;
    if (!(s.flags & FIXED_LIMBS) && !job.accumulator && job.finish == FINISH_KEEP &&
        (!s.units || number_of_units(s, job.format.precision, &number))) {
        if (thread == 0) format_store(round_number(number, job.format), job.format, job.result);
        return;
    }
    finish_with_limbs(job, s, rest, thread);
}

#endif
