/* truth.h - the exact result of a job, and how far a result is from it.
 *
 * The truth is the library's own exact accumulator, which the tests compare with MPFR; it is not rounded here. The
 * error of a result r is what is left when r is taken off the accumulator, exactly:
 *
 *     sum, asum, dot   |A - r|
 *     mean             |A - n r| / n
 *     nrm2             |A - r^2| / (r + root of A)
 *     variance         |n Q - S^2 - n^2 r| / n^2                    S, Q: the sums of the elements and of their squares
 *     stddev           |n Q - S^2 - n^2 r^2| / n^2 / (r + root of the variance)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TRUTH_H
#define QUIRE_BENCH_TRUTH_H

#include <stdbool.h>

#include "data.h"
#include "job.h"

typedef struct truth {
    quire_accumulator total;   /* of the terms; of a moment of the elements */
    quire_accumulator squares; /* of the magnitudes of the terms, which of a moment are the squares */
    uint64_t bits;             /* the exact result, rounded once to the result type */
    bool finite;               /* that is */
    double value;              /* that, too */
    long double ulp;           /* of it */
    long double magnitudes;    /* the sum of the magnitudes of the terms */
    long double left;          /* the magnitude of the sum of the terms; of a moment n times the variance */
    long double unit;          /* u of the accumulation, times magnitudes; over n for a mean and a variance, */
                               /* its root for nrm2, the root of that over n for a stddev */
} truth;

/* Of a job on these data, wherever its vectors lie. */
quire_status truth_find(truth *t, const job *j, const data *d);

/* Threads for it, as many as there are processors; without, one does it all. */
void truth_open(void);
void truth_close(void);

/* The sum of the magnitudes over the magnitude of the result (for nrm2, of the sum before the root): what a relative
 * error of the terms can become. 1 if no terms cancel. Of a moment the sum of the squares over that of the squares of
 * the deviations from the mean: 1 if the mean is 0. */
double truth_condition(const truth *t);

/* The distance of a result, of any type, from the exact one, in ulps of the latter; 0 for the right Inf or NaN,
 * infinite for the wrong one. Not a number for a moment of elements whose sum is beyond the doubles. */
double truth_error_ulps(const truth *t, const job *j, quire_type type, uint64_t bits);

/* The documented bound on that, the last rounding among it; infinite where there is none: where something may overflow.
 */
double truth_bound_ulps(const truth *t, const job *j, quire_method method);

/* What an ulp is in units of u sum|x|; of u sum|x| / n for a mean, of u times the norm for nrm2, of u sum x^2 / n for a
 * variance and u times the root of sum x^2 / n for a stddev. Not a number if the sum is 0 or not finite. */
double truth_ulp_in_units(const truth *t);

#endif
