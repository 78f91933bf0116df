/* pair_ball.cuh - results of several sums, and of sums of integers, by a ball (operation/pairs_ball.h): where all of it
 * rounds to one number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_PAIR_BALL_CUH
#define QUIRE_CUDA_GRID_PAIR_BALL_CUH

#include "cuda/grid/round_ball.cuh"
#include "cuda/thread/integer_sums.cuh"
#include "cuda/thread/pair_sums.cuh"

/* The balls' arithmetic calls what only the device has here. */
#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__
#include "operation/pairs_ball.h"
#pragma pop_macro("QUIRE_INLINE")

/* A sum with the middle of its last word's ends, off by half their distance; both halves are rounded, by less than is
 * added. */
static __device__ __forceinline__ moment_ball ball_of_sum(const long_sum<2> &s) {
    const double middle = (s.up + s.down) / 2, width = s.width();
    moment_ball ball = { 0, 0, 0 };
    if (width != 0) ball.radius = (width / 2 + abs_f64(middle) * 0x1p-52) * (1 + 0x1p-50) + 0x1p-1073;
    ball.low = two_sum_f64(s.exact_sum<2>::word[0], width != 0 ? middle : s.up, &ball.high);
    return ball;
}

/* An integer's leading 106 bits; what is below them is less than the last one. */
static __device__ __forceinline__ moment_ball ball_of_sum(const integer_sum &s) {
    const quire_total t = integer_total(&s, 0);
    moment_ball ball = { 0, 0, 0 };
    if (!t.high) return ball;
    const double unit = double_of_bits((uint64_t)(1023 + 22 + t.exponent) << 52);
    const double high = (double)(t.high >> 11) * 0x1p53 * unit,
                 low = (double)((t.high & 0x7ff) << 42 | t.low >> 22) * unit;
    if ((t.low & 0x3fffff) || t.sticky) ball.radius = unit;
    ball.low = two_sum_f64(t.negative ? -high : high, t.negative ? -low : low, &ball.high);
    return ball;
}

/* The bits of an average, a covariance or a correlation of n elements, in a ball of either sign; answers whether it
 * tells them. 0, whose sign may depend on the terms, is for others to decide. */
static __device__ __forceinline__ bool round_pair_ball(moment_ball ball, const vectors_job &job, uint64_t *bits) {
    const bool is_negative = ball.high < 0;
    quire_rounding rounding = job.rounding;
    if (!(ball.radius > 0)) return false;
    if (is_negative) {
        ball.high = -ball.high, ball.low = -ball.low;
        if (rounding == QUIRE_UPWARD || rounding == QUIRE_DOWNWARD)
            rounding = rounding == QUIRE_UPWARD ? QUIRE_DOWNWARD : QUIRE_UPWARD;
    }
    if (!round_ball(ball, job.format, rounding, bits)) return false;
    if (is_negative && *bits != job.format.quiet_nan) *bits |= job.format.sign; /* NaN stands where no infinity is */
    return true;
}

/* The same from the sums. */
template <class Sum>
static __device__ __forceinline__ bool round_pair(const Sum (&sum)[MOST_PAIR_SUMS], uint64_t n, const vectors_job &job,
                                                  uint64_t *bits) {
    moment_ball of[MOST_PAIR_SUMS];
#pragma unroll
    for (int i = 0; i < MOST_PAIR_SUMS; i++) of[i] = ball_of_sum(sum[i]);
    return round_pair_ball(pair_in_ball(of, job.finish, n, job.correction), job, bits);
}

/* The variance of n integers, or its root. Of too few there is none: NaN. */
static __device__ __forceinline__ bool round_integer_moment(const integer_sum &sum, const integer_sum &squares,
                                                            uint64_t n, const vectors_job &job, uint64_t *bits) {
    *bits = job.format.quiet_nan;
    if (!n || (job.correction > 0 && n <= (uint64_t)job.correction)) return true;
    const moment_ball of_sum = ball_of_sum(sum), of_squares = ball_of_sum(squares);
    const double s[2] = { of_sum.high, of_sum.low }, q[3] = { of_squares.high, of_squares.low, 0 },
                 width[2] = { of_sum.radius, of_squares.radius };
    return round_ball(moment_in_ball(s, q, width, job.finish, n, job.correction), job.format, job.rounding, bits) ||
           round_ball(moment_exactly(s, q, width, job.finish, n, job.correction), job.format, job.rounding, bits);
}

#endif
