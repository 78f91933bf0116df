/* rounding.h - what is left of each of many vectors, rounded: inline, since a call for each would show in the time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ROUNDING_H
#define QUIRE_CPU_ROUNDING_H

#include "cpu/block/moment_ball.h"
#include "cpu/lane_methods.h"
#include "cpu/pair.h"
#include "cpu/simd/scalar_methods.h"
#include "operation/moments.h"

/* The bits of what needs squares: both totals are finite, and neither is zero. They are of 106 bits at most
 * (certain.h), so that a total holds all of them. The environment is ours. */
QUIRE_INLINE uint64_t pairs_round(double sum, double sum_error, double squares, double squares_error,
                                  const quire_job *job, format_description format) {
    const moment_sums sums = { { sum, sum_error }, { squares, squares_error, 0 }, { 0, 0 } };
    uint32_t first[WIDE_OF_TOTAL], second[WIDE_OF_TOTAL];
    moment_room room;
    uint64_t bits;
    if (moments_decide(&sums, job, format, &bits)) return bits;
    return moments_round(wide_of_total(total_of_two(sum, sum_error), first),
                         wide_of_total(total_of_two(squares, squares_error), second), job->finish, job->n,
                         job->correction, format, job->rounding, &room);
}

/* The bits of what a method of the lanes has left: one word, or kahan's two, for which there are short ways; other
 * methods of two words have none. The environment is ours. */
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
