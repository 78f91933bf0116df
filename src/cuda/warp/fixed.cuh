/* fixed.cuh - sums of warps, blocks and grids as integers of 128 bits, a power of two beside them: what exact sums
 * become in the end, unless they are too wide for that. Integers add up in any order, and quickly: a warp's sum takes
 * one instruction for every 27 bits.
 *
 * What is rare stands in functions of its own, out of line: a short kernel runs once through its code, which must be
 * fetched, so that every line of it that is jumped over counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_FIXED_CUH
#define QUIRE_CUDA_WARP_FIXED_CUH

#include <limits.h>

#include "cuda/device/warp.cuh"
#include "cuda/thread/atomic_limbs.cuh"

/* What a sum has besides: something other than -0; more, in limbs; and that it has dropped some, less than what all
 * batches may drop from a window of its unit. */
enum { FIXED_OTHER = 1, FIXED_LIMBS = 2, FIXED_DROPPED = 4, FIXED_FLAGS = 3 };

/* units * 2^unit. A sum of zeros alone has no unit. */
struct fixed_sum {
    __int128 units;
    int unit;
    unsigned flags;
};
#define NO_UNIT INT_MIN
#define FIXED_NOTHING                                                                                                  \
    { 0, NO_UNIT, 0 }

#define PIECE_BITS 27 /* bits of a number of which those of 32 lanes add up to 32 */

#if __CUDA_ARCH__ >= 800
/* The sum over a warp of piece k of numbers of PIECES pieces, the last of which has the sign. */
template <int PIECES, class Integer> static __device__ __forceinline__ int64_t sum_of_piece(Integer x, int k) {
    if (k == PIECES - 1) return __reduce_add_sync(WHOLE_WARP, (int)(x >> PIECE_BITS * k));
    return __reduce_add_sync(WHOLE_WARP, (uint32_t)(x >> PIECE_BITS * k) & ((1u << PIECE_BITS) - 1));
}
#endif

/* The sum over a warp, in all lanes, of numbers that make less than 2^(27 PIECES + 4). */
template <int PIECES, class Integer> static __device__ __forceinline__ Integer warp_sum_units(Integer x) {
#if __CUDA_ARCH__ >= 800
    Integer sum = 0;
#pragma unroll
    for (int k = (PIECES - 1) / 2 * 2; k >= 0;
         k -= 2) { /* two of them are 64 bits, so that few additions wait for others */
        const int64_t low = sum_of_piece<PIECES>(x, k), high = k + 1 < PIECES ? sum_of_piece<PIECES>(x, k + 1) : 0;
        sum = (sum << 2 * PIECE_BITS) + ((high << PIECE_BITS) + low);
    }
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

static __device__ __forceinline__ int dropped_unit_of(fixed_sum s) {
    return s.flags & FIXED_DROPPED ? s.unit : NO_UNIT;
}

template <int COUNT> static __device__ __forceinline__ int greatest_unit(const fixed_sums<COUNT> &s) {
    int most = NO_UNIT;
#pragma unroll
    for (int i = 0; i < COUNT; i++) most = max(most, s.of[i].unit);
    return warp_max(most);
}

/* A unit for all that the lanes have: the least, but no more than room binades below the greatest. */
template <int COUNT> static __device__ __noinline__ int common_unit(fixed_sums<COUNT> s, int room) {
    const int most = greatest_unit(s);
    int least = INT_MAX;
    for (int i = 0; i < COUNT; i++)
        if (s.of[i].unit != NO_UNIT) least = min(least, s.of[i].unit);
    least = -warp_max(-least);
    return most == NO_UNIT ? NO_UNIT : max(least, most - room);
}

/* The sum of what the lanes of a warp have: quickly if they have nothing that the first has not, in unit or flags; else
 * in the unit that unit_for finds. */
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

/* The sum of two that have different units, in one that is no more than room below the greatest; by a single thread. */
static __device__ __noinline__ fixed_sum join_unlike(fixed_sum a, fixed_sum b, int greatest, int room, int64_t *limb) {
    const int unit = max(min(a.unit, b.unit), greatest - room);
    a = in_unit(a, unit, limb);
    b = in_unit(b, unit, limb);
    return { a.units + b.units, unit, a.flags | b.flags };
}

/* Adds a sum to another. greatest: the greatest unit of all that have been added to it. */
static __device__ __forceinline__ void join(fixed_sum &to, fixed_sum s, int greatest, int room, int64_t *limb) {
    if (s.unit == to.unit || s.unit == NO_UNIT || to.unit == NO_UNIT)
        to = { to.units + s.units, max(to.unit, s.unit), to.flags | s.flags };
    else
        to = join_unlike(to, s, greatest, room, limb);
}

#endif
