/* round_ball.cuh - from a ball (operation/moments_ball.h) to the result that all of it rounds to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ROUND_BALL_CUH
#define QUIRE_CUDA_GRID_ROUND_BALL_CUH

#include "cuda/device/arithmetic.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/round_number.cuh"
#include "cuda/warp/total.cuh"

/* The balls' arithmetic calls what only the device has here. */
#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__
static __device__ __forceinline__ double root_f64(double x) { return __dsqrt_rn(x); }
#include "operation/moments_ball.h"
#pragma pop_macro("QUIRE_INLINE")

#define LEAST_NORMAL ((uint64_t)1 << 52) /* the bits of a double */

/* A number as a total, times 2^exponent. */
static __device__ __forceinline__ quire_total total_raised(quire_total t, int exponent) {
    if (t.high) t.exponent += exponent;
    return t;
}

static __device__ __forceinline__ uint64_t round_raised(const quire_total &t, int exponent,
                                                        const format_description &format, quire_rounding rounding) {
    return round_total(total_raised(t, exponent), FINISH_KEEP, 1, format, rounding);
}

/* The bits of a double times 2^exponent, if both are normal, and not the least: then the rounding that has led to the
 * one leads to the other. Answers whether. */
static __device__ __forceinline__ bool raise_double(uint64_t *bits, int exponent) {
    const int field = (int)(*bits >> 52) & 0x7ff;
    *bits += (uint64_t)exponent << 52;
    return field > 1 && field < 0x7ff && field + exponent > 1 && field + exponent < 0x7ff;
}

/* Rounds a ball above 0, or 0, times 2^exponent, to a format; answers whether all of it rounds to the same. For a
 * double to nearest two doubles say where the ball ends; for the others the ends are one double each, and a little
 * beyond it. */
static __device__ __forceinline__ bool round_ball(moment_ball ball, const format_description &format,
                                                  quire_rounding rounding, uint64_t *bits, int exponent = 0) {
    const bool is_nearest = rounding == QUIRE_TO_NEAREST, is_number = is_nearest && exponent == 0;
    if (!(ball.radius >= 0)) return false;
    if (ball.radius == 0) {
        *bits = is_number && format.precision >= 8
                    ? round_number(sum_of_two(ball.high, ball.low, format.precision), format.precision)
                    : round_raised(total_of_two(ball.high, ball.low), exponent, format, rounding);
        return true;
    }
    double low, high;
    if (!ball_ends(ball, &low, &high)) return false;
    if (is_nearest && format.precision == 53) {
        *bits = bits_of_double(low);
        if (is_number || raise_double(bits, exponent)) return low == high;
        *bits = round_raised(total_of_double(low), exponent, format, rounding);
        if (*bits > LEAST_NORMAL) return low == high; /* a subnormal would be rounded twice: see below */
    }
    low *= 1 - 0x1p-52, high *= 1 + 0x1p-52;
    if (is_number && format.precision >= 8) {
        *bits = round_number(low, format.precision);
        return *bits == round_number(high, format.precision);
    }
    *bits = round_raised(total_of_double(low), exponent, format, rounding);
    return *bits == round_raised(total_of_double(high), exponent, format, rounding);
}

/* The mean or the root of a ball that is not near 0: as moments_ball.h has it, if the ball is that narrow; else by its
 * ends, of which each is off by 2^-51 of itself at most. */
static __device__ __forceinline__ moment_ball finished_ball(moment_ball ball, finish_kind finish, size_t n) {
    const bool is_root = finish == FINISH_ROOT;
    const double low = abs_f64(ball.low), by = (double)n;
    if (low <= ball.high * 0x1p-51) {
        ball.radius += low * 0x1p-50;
        return is_root ? moment_rooted(ball) : moment_divided(ball, by);
    }
    const double least = add_down(ball.high, add_down(ball.low, -ball.radius)),
                 most = add_up(ball.high, add_up(ball.low, ball.radius)), /* of the sum; now of what it becomes */
        below = (is_root ? __dsqrt_rn(least) : least / by) * (1 - 0x1p-51),
                 above = (is_root ? __dsqrt_rn(most) : most / by) * (1 + 0x1p-51);
    return { below, 0, add_up(above, -below) };
}

/* What a sum from high + lower to high + upper becomes, which is not 0, if the ball round it tells: it is mirrored if
 * it is below 0, and so is the rounding. */
static __device__ __forceinline__ bool round_sum(double high, double lower, double upper, finish_kind finish, size_t n,
                                                 const format_description &format, quire_rounding rounding,
                                                 uint64_t *bits) {
    const bool negative = high < 0;
    if (negative && rounding != QUIRE_TO_NEAREST && rounding != QUIRE_TOWARD_ZERO)
        rounding = rounding == QUIRE_UPWARD ? QUIRE_DOWNWARD : QUIRE_UPWARD;
    moment_ball ball = { abs_f64(high), negative ? -lower : lower, add_up(upper, -lower) };
    const double least = finish == FINISH_ROOT ? BALL_LEAST : 0x1p-900;
    if (!(ball.high >= least && ball.high <= 1 / least) || n >> 53 || (negative && finish == FINISH_ROOT)) return false;
    if (finish != FINISH_KEEP) ball = finished_ball(ball, finish, n);
    if (!(ball.radius > 0) || !round_ball(ball, format, rounding, bits)) return false;
    if (negative && *bits != format.quiet_nan) *bits |= format.sign;
    return true;
}

#endif
