/* truth.h - the exact result of a job, and how far a result is from it.
 *
 * The truth is the library's own exact accumulator, which the tests compare with MPFR; it is not rounded here. The error of
 * a result r is what is left when r is taken off the accumulator, exactly:
 *
 *     sum, asum, dot   |A - r|
 *     mean             |A - n r| / n
 *     nrm2             |A - r^2| / (r + root of A)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TRUTH_H
#define QUIRE_BENCH_TRUTH_H

#include <stdbool.h>

#include "data.h"
#include "job.h"

typedef struct truth {
    quire_accumulator total;
    uint64_t bits;          /* the exact result, rounded once to the result type                             */
    bool finite;            /* that is                                                                       */
    double value;           /* that, too                                                                     */
    long double ulp;        /* of it                                                                         */
    long double magnitudes; /* the sum of the magnitudes of the terms                                        */
    long double unit;       /* u of the accumulation, times magnitudes; over n for a mean, its root for nrm2 */
} truth;

/* Of a job on these data, wherever its vectors lie. */
quire_status truth_find(truth *t, const job *j, const data *d);

/* Threads for it, as many as there are processors; without, one does it all. */
void truth_open(void);
void truth_close(void);

/* The sum of the magnitudes over the magnitude of the result (for nrm2, of the sum before the root): what a relative error
 * of the terms can become. 1 if no terms cancel. */
double truth_condition(const truth *t);

/* The distance of a result, of any type, from the exact one, in ulps of the latter; 0 for the right Inf or NaN, infinite for
 * the wrong one. */
double truth_error_ulps(const truth *t, const job *j, quire_type type, uint64_t bits);

/* The documented bound on that, the last rounding among it; infinite where there is none: where something may overflow. */
double truth_bound_ulps(const truth *t, const job *j, quire_method method);

/* What an ulp is in units of u sum|x|; of u sum|x| / n for a mean, and of u times the norm for nrm2. Not a number if the sum
 * is 0 or not finite. */
double truth_ulp_in_units(const truth *t);

#endif
