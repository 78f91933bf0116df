/* pair.h - an exact total that two doubles hold, rounded once; and the ends of one that they enclose, added up.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_PAIR_H
#define QUIRE_CPU_PAIR_H

#include "backend.h"
#include "cpu/block/panel.h"
#include "cpu/simd/scalar.h"

/* Whether a + b is a double. The difference to the larger of the two is exact (Dekker 1971), so that it decides; which
 * that is need not be known where both are asked for. */
QUIRE_INLINE int is_one_double(double a, double b) {
    const double sum = a + b;
    return sum - a == b && sum - b == a;
}

/* The bits of the job's result were sum + error, which is finite and not zero, the exact total of its terms. Ours must
 * be the environment. */
QUIRE_INLINE uint64_t pair_round(double sum, double error, const quire_job *job, format_description format) {
    const int nearest = job->finish == FINISH_KEEP && job->rounding == QUIRE_TO_NEAREST;
    if (nearest && format.precision == 53) return bits_of_double(sum + error);
    if (nearest && format.precision == 24 && is_one_double(sum, error)) return bits_of_float((float)(sum + error));
    return finish_and_round(total_of_two(sum, error), job->finish, job->n, format, job->rounding);
}

/* Whether ends of this kind stand beside a sum that is infinite or NaN only as its terms are: finite ones do not
 * overflow in it, for they are narrower than doubles, or scaled down. */
QUIRE_INLINE int sum_tells_specials(ends_kind kind, quire_type type) {
    return kind == ENDS_SCALED_DOWN || (kind == ENDS_BESIDE_SUM && !has_double_lanes(type));
}

/* How -x is rounded, to be the negative of x rounded so. */
QUIRE_INLINE quire_rounding mirrored(quire_rounding rounding) {
    return rounding == QUIRE_UPWARD ? QUIRE_DOWNWARD : rounding == QUIRE_DOWNWARD ? QUIRE_UPWARD : rounding;
}

/* The next double in the direction of another; neither is 0. */
QUIRE_INLINE double next_towards(double x, double direction) {
    return double_of_bits(bits_of_double(x) + ((x < 0) == (direction < 0) ? 1 : (uint64_t)-1));
}

/* A sum rounded up: where TwoSum says that it is too small, the next double. */
QUIRE_INLINE double add_up(double a, double b) {
    double sum;
    const double error = two_sum_f64(a, b, &sum);
    return error > 0 ? next_towards(sum, error) : sum;
}

/* The ends of two parts: of both. What an addition has lost is -0 if it is nothing: a zero keeps its sign. */
QUIRE_INLINE void ends_merge(sum_ends *a, sum_ends b) {
    const double error = two_sum_f64(a->sum, b.sum, &a->sum);
    a->low = add_up(add_up(a->low, b.low), error != 0 ? -error : -0.0);
    a->up = add_up(add_up(a->up, b.up), error != 0 ? error : -0.0);
}

#endif
