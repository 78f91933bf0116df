/* moments_ball.h - a variance, or its root, in a ball: a number of two doubles and a radius that no error exceeds.
 * Where the whole ball rounds to one number the integers of moments.h are not needed.
 *
 * fma_f64, two_sum_f64 and root_f64, rounded to nearest, are at hand where this is included.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_MOMENTS_BALL_H
#define QUIRE_OPERATION_MOMENTS_BALL_H

#include "operation/operations.h"

/* high + low, |low| <= ulp(high); radius 0: all that rounds to a double's bits or fewer rounds as high + low does;
 * radius < 0: nothing is known. */
typedef struct {
    double high, low, radius;
} moment_ball;

/* Numbers for which nothing here overflows, and no error of a product underflows. */
#define BALL_LEAST 0x1p-400
#define BALL_GREATEST 0x1p400
#define BALL_COUNTS ((int64_t)1 << 40)    /* n and n - correction */
#define BALL_PRODUCTS ((int64_t)1 << 26)  /* those of which the product is a double */
#define BALL_QUOTIENTS ((int64_t)1 << 25) /* and 7 times it */

/* n Q - S^2 for S = s[0] + s[1], Q = q[0] + q[1] + q[2], exactly, or nothing where Q is so small that errors, or the
 * radius, might underflow. Let u = 2^-53; S^2 <= 2 n Q. Of S^2 as S0^2 + 2 S0 S1
 * the term S1^2 <= u^2 S0^2 is left out, and numbers up to 3 u S0^2 are rounded twice: an error of 12 u^2 n Q at most.
 * Of n Q numbers up to 3 u n Q are rounded, three times: 7 u^2 n Q. The last two additions round numbers up to 10 u n
 * Q: 20 u^2 n Q. The radius, 2^-100 n Q, is 64 u^2 n Q. Where S may be off by width[0], and Q by width[1], the
 * difference is off by n width[1] + 2 |S| width[0] + width[0]^2 at most, too. */
QUIRE_INLINE moment_ball moment_difference_ball(const double *s, const double *q, const double *width, double n) {
    double s_0, s_1, q_0, q_1, q_2, difference, high;
    s_1 = two_sum_f64(s[0], s[1], &s_0);
    q_2 = two_sum_f64(q[1], q[2], &q_1);
    const double q_low = two_sum_f64(q[0], q_1, &q_0) + q_2;
    const double nq = n * q_0, nq_low = fma_f64(n, q_0, -nq) + n * q_low;
    const double ss = s_0 * s_0, ss_low = fma_f64(s_0, s_0, -ss) + 2 * s_0 * s_1;
    const double residual = two_sum_f64(nq, -ss, &difference), below = residual + (nq_low - ss_low);
    const double low = two_sum_f64(difference, below, &high);
    const double off = n * width[1] + (2 * (s_0 < 0 ? -s_0 : s_0) + 2 * width[0]) * width[0];
    const int is_short = off == 0 && (q_low == 0 || (n == 1 && q_2 == 0)) && s_1 == 0 &&
                         (q_0 == 0 || (q_0 >= BALL_LEAST && q_0 <= BALL_GREATEST));
    const int is_zero = is_short && nq == ss && nq_low == ss_low; /* nothing was rounded */
    const int is_there = ss <= 2 * nq && q_0 >= BALL_LEAST;
    moment_ball ball = { high, low, is_zero ? 0 : is_there ? nq * 0x1p-100 + off * (1 + 0x1p-49) : -1 };
    return ball;
}

/* Two doubles divided by one. The remainder and what is below it, 2 u of the dividend, are rounded as they are added
 * and divided: an error of 4 u^2 of the quotient, 2^-104. */
QUIRE_INLINE moment_ball moment_divided(moment_ball a, double b) {
    const double quotient = a.high / b, residual = (fma_f64(-quotient, b, a.high) + a.low) / b;
    moment_ball ball = { quotient, residual, a.radius / b * (1 + 0x1p-50) + quotient * 0x1p-102 };
    return ball;
}

/* The root as r + d / (2 r) with d = a - r^2 <= 4 u r^2: what the series leaves out is d^2 / (8 r^3) <= 2 u^2 r, and
 * two roundings are of 2 u^2 r each: 6 u^2 r, less than 2^-103 r. The root of a + t is off by t / r at most. */
QUIRE_INLINE moment_ball moment_rooted(moment_ball a) {
    const double root = root_f64(a.high), residual = (fma_f64(-root, root, a.high) + a.low) / (2 * root);
    moment_ball ball = { root, residual, a.radius / root + root * 0x1p-101 };
    return ball;
}

/* Where a ball that is not near 0 ends, as doubles: answers whether all of it is above 0. A radius that is large beside
 * high is itself rounded, by 2^-53; it has been made greater by 2^-50 of itself before. */
QUIRE_INLINE int ball_ends(moment_ball ball, double *low, double *high) {
    const double radius = ball.radius + ball.high * 0x1p-100; /* the ends are rounded, too */
    *low = ball.high + (ball.low - radius), *high = ball.high + (ball.low + radius);
    return *low > 0;
}

/* Of n numbers with the sums S and Q, which are off by the widths at most; of what is not finite these are not, either.
 */
QUIRE_INLINE moment_ball moment_in_ball(const double *s, const double *q, const double *width, finish_kind finish,
                                        uint64_t n, int64_t correction) {
    const moment_ball none = { 0, 0, -1 };
    const int64_t less = (int64_t)(n - (uint64_t)correction);
    if (n > (uint64_t)BALL_COUNTS || correction > BALL_COUNTS || correction < -BALL_COUNTS || less <= 0) return none;
    moment_ball ball = moment_difference_ball(s, q, width, (double)n);
    if (!(ball.radius > 0)) return ball;
    if (!(q[0] >= BALL_LEAST && q[0] <= BALL_GREATEST && ball.high >= q[0] * 0x1p-80)) return none;
    if (n <= (uint64_t)BALL_PRODUCTS && less <= BALL_PRODUCTS)
        ball = moment_divided(ball, (double)n * (double)less);
    else
        ball = moment_divided(moment_divided(ball, (double)n), (double)less);
    return finish == FINISH_STDDEV ? moment_rooted(ball) : ball;
}

/* a += b, exactly; answers whether a double holds that. */
QUIRE_INLINE int add_exactly(double *a, double b) { return two_sum_f64(*a, b, a) == 0; }

/* n Q - S^2, as two doubles, if nothing is off and nothing is lost; else radius < 0. All are 0 or above 2^-400, so that
 * they are multiples of 2^-452, and their products of 2^-904: no error of a product underflows. */
QUIRE_INLINE moment_ball moment_exact_difference(const double *s, const double *q, const double *width, double n) {
    double s_0, q_0, q_1, difference, high;
    const double s_1 = two_sum_f64(s[0], s[1], &s_0);
    double q_2 = two_sum_f64(q[1], q[2], &q_1);
    const int is_two = add_exactly(&q_2, two_sum_f64(q[0], q_1, &q_0)) && s_1 == 0 && width[0] == 0 && width[1] == 0;
    const int is_there = q_0 >= BALL_LEAST && q_0 <= BALL_GREATEST && (q_2 == 0 || q_2 * q_2 >= 0x1p-800) &&
                         (s_0 == 0 || s_0 * s_0 >= 0x1p-800);
    const double large = n * q_0, small = n * q_2, square = s_0 * s_0;
    double low = two_sum_f64(large, -square, &difference);
    const int is_exact = add_exactly(&low, fma_f64(n, q_0, -large)) && add_exactly(&low, small) &&
                         add_exactly(&low, -fma_f64(s_0, s_0, -square)) && add_exactly(&low, fma_f64(n, q_2, -small));
    low = two_sum_f64(difference, low, &high);
    const moment_ball ball = { high, low, is_two && is_there && is_exact ? 0.0 : -1.0 };
    return ball;
}

/* A variance as the quotient of numbers that nothing was lost of, if there are such: integers and other short numbers
 * often have one in the middle of two results, which no ball decides, however small. The quotient is v + r / D, where r
 * is the remainder of v, which an fma has exactly, and what is below the dividend. That r / D is rounded shows in no
 * result. Results, and the middles between them, differ from v by multiples c of a quarter of its ulp, up to 7 of them,
 * and c D is a double. If r is another double, it is more than 2^-53 of c D away from it, or D c is a power of two:
 * then r / D is more than half an ulp away from c, and is not rounded to it, nor beyond. */
QUIRE_INLINE moment_ball moment_exactly(const double *s, const double *q, const double *width, finish_kind finish,
                                        uint64_t n, int64_t correction) {
    const moment_ball none = { 0, 0, -1 };
    const int64_t less = (int64_t)(n - (uint64_t)correction), most = BALL_QUOTIENTS;
    if (finish != FINISH_VARIANCE || n > (uint64_t)most || less <= 0 || less > most) return none;
    const moment_ball dividend = moment_exact_difference(s, q, width, (double)n);
    if (dividend.radius < 0 || !(dividend.high >= 0x1p-800)) return none;
    const double divisor = (double)n * (double)less, quotient = dividend.high / divisor;
    double residual = dividend.low;
    if (!add_exactly(&residual, fma_f64(-quotient, divisor, dividend.high))) return none;
    const moment_ball ball = { quotient, residual / divisor, 0 };
    return ball;
}

#endif
