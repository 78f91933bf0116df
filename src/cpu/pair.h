/* pair.h - an exact total that two doubles hold, rounded once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_PAIR_H
#define QUIRE_CPU_PAIR_H

#include "backend.h"
#include "cpu/scalar.h"

#define PAIR_ODD_PRECISION 51 /* a number rounded to odd in double rounds on to so many bits as it would have at once */

/* sum + error rounded to odd: to the neighbour whose last bit is set, unless it is a double. Rounding that once more, in any
 * direction, gives what rounding the sum itself would (S. Boldo, G. Melquiond, Emulation of FMA and correctly rounded sums:
 * proved algorithms using rounding to odd, IEEE Trans. Computers 57, 2008). The pair is not zero. */
QUIRE_INLINE double pair_odd(double sum, double error) {
    double s;
    const double e = two_sum_f64(sum, error, &s);
    uint64_t bits = bits_of_double(s);
    if (e == 0) return s;
    if ((e < 0) != (s < 0)) bits--; /* towards zero, where the pair lies                                                */
    return double_of_bits(bits | 1);
}

/* The result's bits. sum + error is the exact total of the job's terms, finite, and not zero. Ours must be the environment.
 */
QUIRE_INLINE uint64_t pair_round(double sum, double error, const quire_job *job, format_description format) {
    const int keeps = job->finish == FINISH_KEEP, nearest = keeps && job->rounding == QUIRE_TO_NEAREST;
    const double words[QUIRE_STATE_WORDS] = { sum, error };
    quire_total total;
    if (nearest && format.precision == 53) return bits_of_double(sum + error);
    if (nearest && format.precision == 24 && error == 0) return bits_of_float((float)sum);
    if (error == 0)
        total = total_of_double(sum);
    else if (keeps && format.precision <= PAIR_ODD_PRECISION)
        total = total_of_double(pair_odd(sum, error));
    else
        total = kahan_total(words);
    return finish_and_round(total, job->finish, job->n, format, job->rounding);
}

/* The result's bits of what a method of the lanes has left: one word or two, of which the total is made as kahan_total says.
 */
QUIRE_INLINE uint64_t words_round(const double *words, int count, const quire_job *job, format_description format) {
    const int alone = count == 1 || kahan_sum_alone(words);
    if (!alone && words[0] + words[1] != 0) return pair_round(words[0], words[1], job, format);
    if (alone && words[0] != 0 && double_is_finite(words[0])) return pair_round(words[0], 0, job, format);
    return finish_and_round(alone ? total_of_double(words[0]) : kahan_total(words), job->finish, job->n, format,
                            job->rounding);
}

#endif
