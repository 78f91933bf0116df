/* lane_methods.h - the methods of the canonical order on the states of single lanes, and the results of these.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_LANE_METHODS_H
#define QUIRE_CPU_LANE_METHODS_H

#include "cpu/pair.h"
#include "cpu/simd/scalar.h"
#include "method/methods.h"

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
