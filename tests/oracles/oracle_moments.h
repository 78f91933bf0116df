/* oracle_moments.h - variance, covariance, correlation and average in integers of GMP, rounded once by MPFR. */
#ifndef QUIRE_TESTS_ORACLE_MOMENTS_H
#define QUIRE_TESTS_ORACLE_MOMENTS_H

#include "oracle_mpfr.h"

/* The sums of x, of y, and of x * y, x * x, y * y of the same n elements; y is x where there is but one array. */
typedef struct oracle_moments {
    oracle x, y, xy, xx, yy;
} oracle_moments;

void oracle_moments_open(oracle_moments *o, quire_type type, size_t n, const void *x, const void *y);
void oracle_moments_close(oracle_moments *o);

/* The bits of the one right result. Variance and standard deviation are those of x. */
uint64_t oracle_covariance(const oracle_moments *o, int64_t correction, quire_type result_type,
                           quire_rounding rounding);
uint64_t oracle_variance(const oracle_moments *o, int64_t correction, quire_type result_type, quire_rounding rounding);
uint64_t oracle_stddev(const oracle_moments *o, int64_t correction, quire_type result_type, quire_rounding rounding);
uint64_t oracle_correlation(const oracle_moments *o, quire_type result_type, quire_rounding rounding);

/* Of the quotient of the sums of x * y and of y. */
uint64_t oracle_average(const oracle_moments *o, quire_type result_type, quire_rounding rounding);

/* Of whichever of these an operation is. */
uint64_t oracle_moment(const oracle_moments *o, const quire_reduction *what);

#endif
