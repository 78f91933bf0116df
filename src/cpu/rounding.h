/* rounding.h - what is left of each of many vectors, rounded: inline, since a call for each would show in the time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ROUNDING_H
#define QUIRE_CPU_ROUNDING_H

#include "cpu/lane_methods.h"
#include "cpu/pair.h"
#include "cpu/simd/scalar.h"

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
