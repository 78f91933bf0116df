/* results.h - the bits of results: of an exact total that two doubles hold, and of what the methods of the canonical
 * order leave, whose states of single lanes are here, too; and the ends of such totals, added up.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_RESULTS_H
#define QUIRE_CPU_RESULTS_H

#include "backend.h"
#include "cpu/block/functions.h"
#include "cpu/simd/scalar.h"
#include "method/methods.h"

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

/* ------------------------------------------------------------------------------------------------------ lanes */

/* The state of a lane, and what the methods' list says about one method. */
typedef union {
    float f32[QUIRE_STATE_WORDS];
    double f64[QUIRE_STATE_WORDS];
} lane_state;

typedef void (*merge_function)(lane_state *into, const lane_state *from);

typedef struct {
    merge_function merge[2]; /* floats, doubles */
    quire_total (*total)(const double *state);
    int words;
} lane_method;

extern QUIRE_PRIVATE const lane_method lane_methods[METHOD_NUMBERS]; /* ordered.c */

/* The bits of what a method of the lanes has left: one word, or kahan's two, for which there are short ways; other
 * methods of two words have none. Inline, since a call for each of many vectors would show in the time. The
 * environment is ours. */
QUIRE_INLINE uint64_t words_round(const double *words, int count, const quire_job *job, format_description format) {
    if (count > 1 && job->method != QUIRE_KAHAN)
        return finish_and_round(lane_methods[job->method].total(words), job->finish, job->n, format, job->rounding);
    const int alone = count == 1 || kahan_sum_alone(words);
    if (!alone && words[0] + words[1] != 0) return pair_round(words[0], words[1], job, format);
    if (alone && words[0] != 0 && double_is_finite(words[0])) return pair_round(words[0], 0, job, format);
    return finish_and_round(alone ? total_of_double(words[0]) : kahan_total(words), job->finish, job->n, format,
                            job->rounding);
}

#endif
