/* functions.h - what is asked of the blocks of a vector, whatever the tier: an exact sum, that of a few elements, a
 * subtree of the canonical order. panel.h has what is asked of many vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FUNCTIONS_H
#define QUIRE_CPU_BLOCK_FUNCTIONS_H

#include "method/ball.h"

#define LINE_BYTES ((size_t)64) /* of the caches */

/* Sums n elements (n > 0), at most TILE_BATCH tiles of the order, by a lane method: a subtree. The words of its total
 * go to total, floats or doubles. fetches: what lies far ahead is prefetched, as arrays that are longer than caches
 * need it. */
#define TILE_BATCH 16
typedef void (*tile_function)(const void *x, const void *y, size_t n, size_t tile, int fetches, void *total);

/* So few elements are summed in ways of their own, which cost less to begin and to end. */
#define TILE_FEW 32
#define SHORT_ROW 256 /* the same by methods whose lanes have one word: a row of lanes, at most */

/* An exact sum, as two doubles, or three: residual, unless it is 0, is at most half of the last place of error. And if
 * the sum is zero, what terms there were beside -0, as an accumulator's word "other" says it. */
typedef struct {
    double sum, error, residual;
    int64_t other;
} few_total;

/* The exact sum of n terms, 0 < n <= TILE_FEW, if one window of doubles holds them; answers whether it does. */
typedef int (*few_function)(const void *x, const void *y, size_t n, few_total *total);

/* -low <= sum <= up; see ends.h. */
typedef struct {
    double low, up;
} sum_ends;

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

/* The ends of the sums of several vectors; NULL where doubles do not hold the terms. */
typedef void (*ends_function)(const ends_vector *vectors, size_t count, sum_ends *ends);

/* Adds n terms to an accumulator's limbs and notes: exactly, if radius is NULL; if not, what is dropped for the sake of
 * speed is counted there. count and the last carry are the caller's: the limbs can take LIMB_ADDITIONS / 2 more.
 * fetches: as above. */
typedef void (*exact_function)(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches,
                               ball_radius *radius);

#endif
