/* pairs_ball.h - an average, a covariance or a correlation in a ball: a number of two doubles and a radius that no
 * error exceeds. Where the whole ball rounds to one number the integers of pairs.h are not needed.
 *
 * fma_f64, two_sum_f64 and root_f64, rounded to nearest, are at hand where this is included.
 *
 * In what follows u = 2^-53, and |low| <= 2 u |high| of every ball, so that no ball is of more than 1 + 2^-50 times its
 * high. Sums are 0 or between 2^-200 and 2^200 in magnitude; their differences, which no ball tells if they are below
 * 2^-105 of them, and all that is made of these are above 2^-900 and below 2^900. So nothing overflows, and what
 * underflows is less than 2^-1070: nothing beside the radii, which are a third greater than what is counted here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_PAIRS_BALL_H
#define QUIRE_OPERATION_PAIRS_BALL_H

#include "operation/moments_ball.h"
#include "operation/pairs.h"

#define PAIR_BALL_LEAST 0x1p-200
#define PAIR_BALL_GREATEST 0x1p200

QUIRE_INLINE double ball_size(double x) { return x < 0 ? -x : x; }

/* a b. The low words' product is left out, 4 u^2 |a b|; numbers of 2, 2, 3 and 5 u |a b| are rounded, and what is below
 * high is made its low, exactly: 16 u^2 |a b|. The radius has 32. */
QUIRE_INLINE moment_ball ball_times(moment_ball a, moment_ball b) {
    const double product = a.high * b.high, error = fma_f64(a.high, b.high, -product);
    const double off = (ball_size(a.high) * b.radius + ball_size(b.high) * a.radius + a.radius * b.radius);
    moment_ball ball = { product, error + a.high * b.low + a.low * b.high,
                         ball_size(product) * 0x1p-101 + off * (1 + 0x1p-48) };
    ball.low = two_sum_f64(product, ball.low, &ball.high);
    return ball;
}

/* a - b. Numbers of 2 and of 3 u (|a| + |b|) are rounded: 5 u^2 (|a| + |b|). The radius has 16. */
QUIRE_INLINE moment_ball ball_minus(moment_ball a, moment_ball b) {
    double difference;
    const double error = two_sum_f64(a.high, -b.high, &difference);
    const double rounding = (ball_size(a.high) + ball_size(b.high)) * 0x1p-102;
    moment_ball ball = { difference, error + (a.low - b.low), rounding + (a.radius + b.radius) * (1 + 0x1p-50) };
    ball.low = two_sum_f64(difference, ball.low, &ball.high);
    return ball;
}

/* a / b = q + (r + a.low - q b.low) / b, where r is the remainder of the quotient q of the high words. Numbers of 2, 3
 * and 5 u |a| are rounded, 5 u |q| is divided by what is off by 2 u, and rounded: 25 u^2 |q|. The radius has 64. If b
 * is off by up to a quarter of it, the quotient is by no more than 4/3 of what is divided here. */
QUIRE_INLINE moment_ball ball_over(moment_ball a, moment_ball b) {
    const moment_ball none = { 0, 0, -1 };
    if (!(b.radius <= ball_size(b.high) * 0.25) || b.high == 0) return none;
    const double quotient = a.high / b.high, residual = fma_f64(-quotient, b.high, a.high);
    const double off = (a.radius + ball_size(quotient) * b.radius) / ball_size(b.high);
    moment_ball ball = { quotient, (residual + a.low - quotient * b.low) / b.high,
                         ball_size(quotient) * 0x1p-100 + off * 1.5 };
    ball.low = two_sum_f64(quotient, ball.low, &ball.high);
    return ball;
}

/* Whether a sum is one that the above is for. */
QUIRE_INLINE int is_ball_sum(moment_ball a) {
    const double size = ball_size(a.high);
    return a.radius >= 0 && a.radius <= PAIR_BALL_GREATEST &&
           ((size >= PAIR_BALL_LEAST && size <= PAIR_BALL_GREATEST) || (size == 0 && a.low == 0));
}

/* n a - b c. */
QUIRE_INLINE moment_ball ball_difference(double n, moment_ball a, moment_ball b, moment_ball c) {
    const moment_ball count = { n, 0, 0 };
    return ball_minus(ball_times(count, a), ball_times(b, c));
}

/* A covariance of n numbers that have this difference. */
QUIRE_INLINE moment_ball covariance_ball(moment_ball difference, uint64_t n, int64_t correction) {
    const moment_ball none = { 0, 0, -1 };
    const int64_t less = (int64_t)(n - (uint64_t)correction);
    if (correction > BALL_COUNTS || correction < -BALL_COUNTS || less <= 0) return none;
    const moment_ball all = { (double)n, 0, 0 }, fewer = { (double)less, 0, 0 };
    return ball_over(difference, ball_times(all, fewer));
}

/* c / sqrt(a b), if neither a nor b may be 0 or less. */
QUIRE_INLINE moment_ball correlation_ball(moment_ball c, moment_ball a, moment_ball b) {
    const moment_ball none = { 0, 0, -1 };
    if (!(a.high > 2 * a.radius && b.high > 2 * b.radius)) return none;
    return ball_over(c, moment_rooted(ball_times(a, b)));
}

/* Of sums in the order of pairs.h, as many as the finish needs, of n numbers; radius < 0: nothing is known. */
QUIRE_INLINE moment_ball pair_in_ball(const moment_ball *sum, finish_kind finish, uint64_t n, int64_t correction) {
    const moment_ball none = { 0, 0, -1 };
    if (n > (uint64_t)BALL_COUNTS) return none;
    for (int i = 0; i < pair_sums_of(finish); i++)
        if (!is_ball_sum(sum[i])) return none;
    if (finish == FINISH_AVERAGE) return ball_over(sum[PAIR_PRODUCTS], sum[PAIR_OF_Y]);
    const double all = (double)n;
    const moment_ball of_both = ball_difference(all, sum[PAIR_PRODUCTS], sum[PAIR_OF_X], sum[PAIR_OF_Y]);
    if (finish == FINISH_COVARIANCE) return covariance_ball(of_both, n, correction);
    return correlation_ball(of_both, ball_difference(all, sum[PAIR_SQUARES_X], sum[PAIR_OF_X], sum[PAIR_OF_X]),
                            ball_difference(all, sum[PAIR_SQUARES_Y], sum[PAIR_OF_Y], sum[PAIR_OF_Y]));
}

#endif
