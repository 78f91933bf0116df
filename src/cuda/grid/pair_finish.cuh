/* pair_finish.cuh - results of several sums, and of sums of integers: by a ball (operation/pairs_ball.h), where all of
 * it rounds to one number; or from accumulators, which hold all their bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_PAIR_FINISH_CUH
#define QUIRE_CUDA_GRID_PAIR_FINISH_CUH

#include "accumulator/integers.h"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/round_ball.cuh"
#include "operation/pairs.h"

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

/* Shared memory of a block that has all bits of a vector's sums. */
struct pair_end {
    quire_accumulator sum[MOST_PAIR_SUMS];
    union {
        average_room average;
        pair_moment_room pairs;
        accumulated_moment_room moments;
    } room;
};

/* An average, by a whole warp; lane 0 has it. */
static __device__ __forceinline__ quire_total warp_average(const quire_accumulator *products,
                                                           const quire_accumulator *weights, average_room *room,
                                                           int lane) {
    const quire_total above = accumulator_total_of(products, warp_total(products->limb, lane)),
                      below = accumulator_total_of(weights, warp_total(weights->limb, lane));
    return lane ? total_zero(0) : average_quotient(products, above, weights, below, room);
}

/* Stores the result of vector v from its sums, in the order of operation/pairs.h, or as number and squares; by a whole
 * warp. */
static __device__ __noinline__ void store_pair_end(const vectors_job &job, pair_end &end, size_t v, int lane) {
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &end.sum[0], &end.sum[1], &end.sum[2], &end.sum[3],
                                                            &end.sum[4] };
    quire_total total = total_special(TOTAL_NAN, 0);
    uint64_t bits;
    if (job.finish == FINISH_AVERAGE)
        total = warp_average(sums[PAIR_PRODUCTS], sums[PAIR_OF_Y], &end.room.average, lane);
    if (lane == 0) {
        if (needs_squares(job.finish)) {
            bits = accumulated_moments_round(sums[0], sums[1], job.finish, job.correction, job.format, job.rounding,
                                             &end.room.moments);
        } else {
            if (job.finish != FINISH_AVERAGE)
                pair_moment_total(sums, job.finish, job.correction, &end.room.pairs, &total);
            bits = round_total(total, FINISH_KEEP, 1, job.format, job.rounding);
        }
        format_store(bits, job.format.size, result_at(job, v));
    }
    __syncwarp();
}

#endif
