/* quire/pairs.h - of two vectors x and y of n elements: weighted averages, covariance and correlation.
 *
 *     double x[3] = { 1e16, 1, -1e16 }, weights[3] = { 1, 2, 1 }, average;
 *     quire_reduction what = { 0 };                       // in C++: = {}
 *     quire_layout three = quire_strided(3, 1);
 *     what.operation = QUIRE_AVERAGE, what.type = QUIRE_F64;
 *     quire_status status = quire_reduce(NULL, &what, &three, x, NULL, weights, &average);    // 0.5
 *
 * With the exact sums S of x[i], T of y[i], Q of x[i]^2, R of y[i]^2 and P of x[i] * y[i],
 *
 *     QUIRE_AVERAGE      P / T                                         y are the weights
 *     QUIRE_COVARIANCE   (n P - S T) / (n (n - correction))            of x and x: QUIRE_VARIANCE, bit for bit
 *     QUIRE_CORRELATION  (n P - S T) / sqrt((n Q - S^2) (n R - T^2))   from -1 to 1; of a line exactly that
 *
 * each of which is rounded once: nothing cancels, overflows or underflows on the way. They are operations of
 * quire_reduce, quire_reduce_segments, quire_reduce_gathered and quire_reduce_by_key, by QUIRE_EXACT alone. A matrix of
 * m rows of n elements has the m x m covariances of its rows by strides of 0, which repeat, as { m, n, m,  ld, 1, 0 }
 * for x and { m, n, m,  0, 1, ld } for y.
 *
 * AN AVERAGE IS A QUOTIENT as IEEE 754 has it, of two sums with infinite range: 0 / 0 is NaN, and so is what has a NaN
 * in it, or infinities in both sums. A number over 0 is an infinity; the 0 counts as +0 unless all weights are -0. If P
 * is 0, so is the average, with the sign of the quotient of zeros where all products are zeros; else it is -0 in
 * QUIRE_DOWNWARD and +0 in all other modes. The average of nothing is NaN.
 *
 * A COVARIANCE OR A CORRELATION is NaN where an element of x or y, of any vector, is not finite; where n is 0; a
 * covariance where n - correction is not positive; a correlation where all x[i], or all y[i], are equal. If it is 0 it
 * is +0 in all modes. Any correction is allowed, as quire_variance has it; a correlation has none, and reads none.
 *
 * Part of quire.h, whose first comment is the contract. docs/moments.md has more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_PAIRS_H
#define QUIRE_PAIRS_H

#include <quire/accumulator.h>
#include <quire/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finishes and rounds the same of accumulators in host memory, as quire_finish does what is of one vector.
 *   what       operation, result_type (0: as type), rounding and, for a covariance, correction count; method is
 *              QUIRE_EXACT or 0
 *   sum_x      holds the x[i]; not read for QUIRE_AVERAGE, and may then be NULL
 *   sum_y      holds the y[i]
 *   squares_x  holds the products x[i] * x[i]; read for QUIRE_CORRELATION alone, may else be NULL
 *   squares_y  the same of y
 *   products   holds the products x[i] * y[i]
 *   result     one element of the result type, in host memory, aligned to its size
 * n is their count, which must be the same. No accumulator is modified, and more can be added. quire_covariance and
 * quire_correlation are shorthands, rounding to nearest, and so is quire_finish for QUIRE_AVERAGE, with products and
 * sum_y in place of sum and squares.
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION (any but these three),
 * QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER (QUIRE_INT128), QUIRE_INVALID_ROUNDING,
 * QUIRE_NULL_POINTER, QUIRE_MISALIGNED (of what is read, and result), QUIRE_INVALID_MOMENTS (counts differ, or no
 * numbers have such sums: n Q < S^2, n R < T^2, or a correlation beyond 1). */
QUIRE_API quire_status quire_finish_pair(const quire_reduction *what, const quire_accumulator *sum_x,
                                         const quire_accumulator *sum_y, const quire_accumulator *squares_x,
                                         const quire_accumulator *squares_y, const quire_accumulator *products,
                                         void *result);

#ifdef __cplusplus
}
#endif

#endif
