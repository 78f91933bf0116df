/* moment_ball.h - sums of numbers and of their squares that are known but for a little, on the CPU, and the variance
 * that they decide: operation/moments_ball.h with this processor's arithmetic.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_MOMENT_BALL_H
#define QUIRE_CPU_BLOCK_MOMENT_BALL_H

#include "backend.h"
#include "cpu/block/functions.h"
#include "cpu/simd/scalar.h"

QUIRE_INLINE double root_f64(double x) { return sqrt(x); }
#include "operation/moments_ball.h"

/* A sum as two doubles, with the middle of its ends, off by half their distance. Both halves are rounded, by less than
 * is added. */
static inline moment_ball ball_of_ends(sum_ends e) {
    const double middle = (e.up - e.low) / 2, width = e.up + e.low;
    moment_ball ball = { 0, 0, 0 };
    if (width != 0) ball.radius = (width / 2 + abs_f64(middle) * 0x1p-52) * (1 + 0x1p-50) + 0x1p-1073;
    ball.low = two_sum_f64(e.sum, middle, &ball.high);
    return ball;
}

/* a[0] + a[1] becomes that and b_high + b_low. Two roundings of the lower words are what *width grows by. */
QUIRE_INLINE void moment_words_add(double *a, double b_high, double b_low, double *width) {
    const double error = two_sum_f64(a[0], b_high, &a[0]);
    *width += (abs_f64(error) + abs_f64(a[1]) + abs_f64(b_low)) * 0x1p-51;
    a[1] = a[1] + b_low + error;
}

QUIRE_INLINE void moment_sums_add(moment_sums *a, const moment_sums *b) {
    a->width[0] += b->width[0], a->width[1] += b->width[1];
    moment_words_add(a->s, b->s[0], b->s[1], &a->width[0]);
    moment_words_add(a->q, b->q[0], b->q[1], &a->width[1]);
}

/* The first way that is worth a try: its sums are to have more bits than the result, by far. Of fewer than 512 elements
 * doubles take no longer. */
QUIRE_INLINE moment_way moments_first_way(format_description of, format_description to, size_t n) {
    const int bits = of.precision > to.precision ? of.precision : to.precision;
    if (bits <= MOMENTS_FLOAT_BITS && n >= 512) return MOMENTS_IN_FLOATS;
    return bits <= 24 ? MOMENTS_UNSPLIT : MOMENTS_SPLIT;
}

/* The bits of the result, if all of the ball above 0 rounds to the same; answers whether it does. */
static inline int moment_ball_round(moment_ball ball, const quire_job *job, format_description format, uint64_t *bits) {
    const int is_nearest = job->rounding == QUIRE_TO_NEAREST;
    double low, high;
    if (!(ball.radius > 0) || !ball_ends(ball, &low, &high)) return 0;
    if (is_nearest && format.precision == 53) {
        *bits = bits_of_double(low);
        return low == high;
    }
    low *= 1 - 0x1p-52, high *= 1 + 0x1p-52;
    if (is_nearest && format.precision == 24) {
        *bits = bits_of_float((float)low);
        return *bits == bits_of_float((float)high);
    }
    *bits = total_round(total_of_double(low), format, job->rounding);
    return *bits == total_round(total_of_double(high), format, job->rounding);
}

/* The bits of the result, if the sums decide it; answers whether they do. 0 is for others to decide. The environment is
 * ours. */
static inline int moments_decide(const moment_sums *sums, const quire_job *job, format_description format,
                                 uint64_t *bits) {
    const double *s = sums->s, *q = sums->q, *width = sums->width;
    if (moment_ball_round(moment_in_ball(s, q, width, job->finish, job->n, job->correction), job, format, bits))
        return 1;
    const moment_ball exact = moment_exactly(s, q, width, job->finish, job->n, job->correction);
    if (exact.radius < 0) return 0;
    *bits = total_round(total_of_two(exact.high, exact.low), format, job->rounding);
    return 1;
}

#endif
