/* functions.h - what is asked of the blocks of a vector, whatever the tier: an exact sum, that of a few elements, a
 * subtree of the canonical order; and the rows of a tile as they stand in memory. panel.h has what is asked of many
 * vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FUNCTIONS_H
#define QUIRE_CPU_BLOCK_FUNCTIONS_H

#include "accumulator/integers.h"
#include "cpu/simd/scalar.h"
#include "format/formats.h"
#include "operation/operations.h"
#include "order/order.h"

#define LINE_BYTES ((size_t)64) /* of the caches */

/* Sums n elements (n > 0), at most TILE_BATCH tiles of the order, by a lane method: a subtree. The words of its total
 * go to total, floats or doubles. fetches: what lies far ahead is prefetched, as arrays that are longer than caches
 * need it. */
#define TILE_BATCH 16
typedef void (*tile_function)(const void *x, const void *y, size_t n, size_t tile, int fetches, void *total);

/* So few elements are summed in ways of their own, which cost less to begin and to end; and by methods whose lanes have
 * one word a row of lanes, at most. */
#define TILE_FEW 32
#define SHORT_ROW 256

/* The sum of some terms is sum - low at least, and sum + up at most; see ends.h and pairs.h. If nothing was lost both
 * are the sum. If both are 0, sum + up has the sign of the sum. sum is -0 where low and up alone tell. */
typedef struct {
    double sum, low, up;
} sum_ends;

/* Ends that are finished, as roots or quotients, are moved apart by so much of themselves: 2 of their ulps at least,
 * for 4 roundings of half an ulp at most: of a sum with its end, of a number of elements beyond 2^53, of the root or
 * the quotient, and of this. */
#define ENDS_AWAY 0x1p-51

/* How far a sum of what additions lost may be off. lost: the sum; off: the magnitudes of what its own additions lost.
 * These were rounded as they were added, by less than themselves, of fewer than 2^50 (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., 2002, (4.4)), and so is the radius when it is taken from the sum and added to it, by
 * 2^-53 of them. lost_ends in pairs.h is the same of many lanes. */
QUIRE_INLINE double lost_radius(double lost, double off) { return off != 0 ? 2 * off + abs_f64(lost) * 0x1p-51 : 0; }

/* Those of vectors that go together. */
#define ENDS_TOGETHER 64
typedef struct {
    _Alignas(64) double sum[ENDS_TOGETHER], low[ENDS_TOGETHER], up[ENDS_TOGETHER];
} many_ends;

QUIRE_INLINE sum_ends ends_at(const many_ends *e, size_t i) { return (sum_ends){ e->sum[i], e->low[i], e->up[i] }; }
QUIRE_INLINE void ends_put(many_ends *e, size_t i, sum_ends ends) {
    e->sum[i] = ends.sum, e->low[i] = ends.low, e->up[i] = ends.up;
}

/* Whether a sum of 2^SURE_BITS elements of a format always is a double: they are multiples of the least one, and below
 * so many times it. */
#define SURE_BITS 13
QUIRE_INLINE int have_sure_sums(format_description f) {
    const int greatest_field = (int)((f.infinity - 1) >> (f.precision - 1));
    return greatest_field + f.precision - 1 + SURE_BITS <= 53;
}

/* A contiguous vector of n elements. y is read where the terms are products, if it is not x. */
typedef struct {
    const char *x, *y;
    size_t n;
} ends_vector;

/* The ends of the sums of count vectors, 0 < count <= ENDS_TOGETHER. */
typedef void (*ends_function)(const ends_vector *vectors, size_t count, many_ends *ends);

/* Adds n terms to an accumulator's limbs and notes. count and the last carry are the caller's: the limbs can take
 * LIMB_ADDITIONS / 2 more. fetches: as above. */
typedef void (*exact_function)(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches);

/* What is added up of integers: each element, its magnitude, or its product with that of y. */
typedef enum { INTEGER_ELEMENTS, INTEGER_MAGNITUDES, INTEGER_PRODUCTS, INTEGER_WAYS } integer_way;

/* Adds n terms of integers that stand side by side, each aligned to itself; y is read for products alone. */
typedef void (*integer_function)(integer_sum *sum, const void *x, const void *y, size_t n);

/* What is to be added: rows of a tile, of which the last may stand elsewhere. */
typedef struct {
    const char *x, *y, *last_x, *last_y;
    size_t full;
} tile_source;

/* The element that stands where there is none, as its term is the identity: -0, or +0 where signs are flipped; of a
 * product, -0 times +0. (The magnitude of -0 and its square are +0, which changes no sum of such, as none is -0.) */
QUIRE_INLINE uint64_t missing_element(size_t size, term_sign sign) {
    return (uint64_t)(sign != SIGN_FLIPPED) << (8 * size - 1);
}

/* A short row, filled up with such elements. */
QUIRE_INLINE void tile_fill(format_description format, char *row, const char *from, size_t n, uint64_t missing) {
    memcpy(row, from, n * (size_t)format.size);
    for (size_t j = n; j < ORDER_LANES; j++) format_store(missing, format.size, row + j * (size_t)format.size);
}

#endif
