/* quire/accumulator.h - exact sums under way: continued, merged over threads, machines and days, and rounded at last.
 *
 *     quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
 *     quire_accumulate(NULL, &a, QUIRE_F64, n, x);        // as often as there is more
 *     quire_merge(&a, &b);                                // b: another's
 *     double s;
 *     quire_status status = quire_round(&a, QUIRE_F64, &s);
 *
 * Part of quire.h, whose first comment is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATOR_H
#define QUIRE_ACCUMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include <quire/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- the struct */

/* An exact sum under way: plain bytes, no pointers. It may be copied, stored, sent, and merged with another by adding
 * all its int64_t words to the other's: with quire_merge, or by any integer sum (MPI_Allreduce of
 * QUIRE_ACCUMULATOR_WORDS MPI_INT64_T with MPI_SUM, ncclAllReduce of ncclInt64 with ncclSum, atomic adds, SQL). The
 * order of merging never shows in the rounded result. The layout is a format: docs/accumulator.md.
 *
 * The finite part is the sum over i of limb[i] * 2^(32 i - 2148): the least limb is the square of the least double, and
 * the greatest has room for 2^64 products of the greatest. Limbs are signed, and below 2^63 - 2^31 in magnitude. After
 * quire_carry (and after every call below) all but the last are in [0, 2^32), so 2^31 accumulators can be added up word
 * by word before the next carry, the one that they are added to among them. */
#define QUIRE_ACCUMULATOR_LIMBS 135
#define QUIRE_ACCUMULATOR_WORDS 140

typedef struct quire_accumulator {
    int64_t limb[QUIRE_ACCUMULATOR_LIMBS];
    int64_t count; /* how many terms were added, modulo 2^64 */
    int64_t other; /* not 0 once a term other than -0 was added, 2^32 - 1 or more once one other than a zero */
    int64_t nan;   /* not 0 once a NaN, or a product of Inf and 0, was added */
    int64_t positive_infinity; /* not 0 once +Inf was added */
    int64_t negative_infinity; /* not 0 once -Inf was added */
} quire_accumulator;

/* The empty sum: { 0 } in every word. */
#define QUIRE_ACCUMULATOR_ZERO                                                                                         \
    { { 0 }, 0, 0, 0, 0, 0 }

/* ----------------------------------------------------------------------------------------------------------- adding */

/* Adds x[i], or |x[i]|, or x[i] * y[i], for i < n, to *accumulator, exactly. The accumulator is in memory the context
 * can write: device memory for a CUDA context. It is carried, with n = 0 too, which changes nothing else. Arguments as
 * for the reductions. QUIRE_INVALID_TYPE, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (x, y,
 * accumulator); on a CUDA context also QUIRE_NOT_DEVICE_MEMORY and QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_accumulate(quire_context *context, quire_accumulator *accumulator, quire_type type,
                                        size_t n, const void *x);
QUIRE_API quire_status quire_accumulate_magnitudes(quire_context *context, quire_accumulator *accumulator,
                                                   quire_type type, size_t n, const void *x);
QUIRE_API quire_status quire_accumulate_products(quire_context *context, quire_accumulator *accumulator,
                                                 quire_type type, size_t n, const void *x, const void *y);

/* ---------------------------------------------------------------------------------------------------------- merging */

/* The rest of this header works on accumulators in host memory (copy one back from a device: it is plain bytes), but
 * for quire_finish_many. */

/* Adds *from to *into, and carries. from may be into. QUIRE_NULL_POINTER, QUIRE_MISALIGNED. */
QUIRE_API quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from);

/* Brings all limbs but the last into [0, 2^32); the value does not change. Call it after adding accumulators by other
 * means, at the latest when 2^31 carried ones have come together, this one among them. All calls here take such a one
 * as it is, too. QUIRE_NULL_POINTER, QUIRE_MISALIGNED. */
QUIRE_API quire_status quire_carry(quire_accumulator *accumulator);

/* --------------------------------------------------------------------------------------------------------- rounding */

/* Rounds, once, ties to even: the sum; its square root (NaN for a negative sum, -Inf included; -0 for -0); the sum over
 * count, which is taken as unsigned (a negative one stands for 2^64 + count terms) and gives NaN if it is 0.
 * *accumulator does not change, and more can be added. result is one element of result_type in host memory, aligned to
 * its size (QUIRE_INT128: to 8 bytes). QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER (QUIRE_INT128 of a root or a mean),
 * QUIRE_NULL_POINTER, QUIRE_MISALIGNED (accumulator, result), QUIRE_NO_INTEGER (of a sum that is none of 128 bits). */
QUIRE_API quire_status quire_round(const quire_accumulator *accumulator, quire_type result_type, void *result);
QUIRE_API quire_status quire_round_root(const quire_accumulator *accumulator, quire_type result_type, void *result);
QUIRE_API quire_status quire_round_mean(const quire_accumulator *accumulator, quire_type result_type, void *result);

/* Finishes and rounds what quire_reduce would, of accumulators in host memory: sum holds the x[i] (QUIRE_SUM,
 * QUIRE_MEAN), the |x[i]| (QUIRE_ASUM) or the products (QUIRE_DOT, QUIRE_NRM2, QUIRE_SUMSQ); n is its count. For
 * QUIRE_VARIANCE and QUIRE_STDDEV sum holds the x[i] and squares the products x[i] * x[i]; for QUIRE_AVERAGE sum holds
 * the products of elements and weights, and squares the weights. No other operation reads squares, which may then be
 * NULL; QUIRE_COVARIANCE and QUIRE_CORRELATION are QUIRE_INVALID_OPERATION here: see quire_finish_pair. type is read
 * only where result_type is 0. The three calls above are shorthands, rounding to nearest; result is theirs.
 * QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_METHOD (other than QUIRE_EXACT and 0),
 * QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER (QUIRE_INT128 of a mean, an average, a root or a moment),
 * QUIRE_INVALID_ROUNDING, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (sum, squares, result), QUIRE_INVALID_MOMENTS,
 * QUIRE_NO_INTEGER (QUIRE_INT128 of what holds none). */
QUIRE_API quire_status quire_finish(const quire_reduction *what, const quire_accumulator *sum,
                                    const quire_accumulator *squares, void *result);

/* The same for count accumulators, carried or not, in memory the context can reach: on a CUDA context in device memory,
 * asynchronously on its stream; else in host memory.
 *   context  where the accumulators are; NULL: host memory
 *   what     as above; the same for all
 *   count    how many; 0 is allowed, and sums, squares and results may then be anything
 *   sums     count accumulators; not modified
 *   squares  count accumulators, read for QUIRE_VARIANCE, QUIRE_STDDEV and QUIRE_AVERAGE alone; else anything
 *   results  count elements of the result type, aligned as above, none of them in an accumulator
 * QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
 * QUIRE_NO_INTEGER, QUIRE_INVALID_ROUNDING, QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER, QUIRE_MISALIGNED (sums, squares,
 * results), QUIRE_INVALID_MOMENTS, in place of which a CUDA context stores NaN, QUIRE_NO_INTEGER; on a CUDA context
 * also QUIRE_WRONG_CONTEXT (QUIRE_INT128: a device cannot say that there is none), QUIRE_NOT_DEVICE_MEMORY and
 * QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_finish_many(quire_context *context, const quire_reduction *what, size_t count,
                                         const quire_accumulator *sums, const quire_accumulator *squares,
                                         void *results);

/* The covariance of two vectors, (n P - S T) / (n (n - correction)), of the sums S of x[i], T of y[i] and P of x[i] *
 * y[i]; and their correlation, (n P - S T) / sqrt((n Q - S^2) (n R - T^2)), of the sums of their squares Q and R, too.
 * Rounded once, to nearest. NaN where something is not finite, n is 0, n - correction is not positive, or, for the
 * correlation, all x[i] or all y[i] are equal. result as above. QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER
 * (QUIRE_INT128), QUIRE_NULL_POINTER, QUIRE_MISALIGNED, QUIRE_INVALID_MOMENTS. */
QUIRE_API quire_status quire_covariance(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                                        const quire_accumulator *products, int64_t correction, quire_type result_type,
                                        void *result);
QUIRE_API quire_status quire_correlation(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                                         const quire_accumulator *squares_x, const quire_accumulator *squares_y,
                                         const quire_accumulator *products, quire_type result_type, void *result);

#ifdef __cplusplus
}
#endif

#endif
