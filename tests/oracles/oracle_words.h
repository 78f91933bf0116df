/* oracle_words.h - the second oracle: what is true of a short vector, found a hundred times as fast as MPFR finds it.
 * Terms are added in integers: the positive ones to one row of 64-bit words, the magnitudes of the negative ones to
 * another, each as wide as all exponents of a double's square. Nothing here comes from the library but the names of
 * types; test_oracles compares it with MPFR, and whoever uses it compares a sample. Needs a compiler with 128-bit
 * integers. */
#ifndef QUIRE_TESTS_ORACLE_WORDS_H
#define QUIRE_TESTS_ORACLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"
#include "operation.h"

#if defined(__GNUC__)
__extension__ typedef unsigned __int128 uint128;
#endif

/* Bit 0 of word 0 is worth 2^-2148, the square of the least double. The squares of the greatest end below 2^2048, and
 * 2^62 of them below 2^2110: bit 4258. */
#define WORDS_LEAST (-2148)
#define WORDS 67

/* A sum under way. Words outside of [low, high) are 0 in both rows. */
typedef struct words_sum {
    uint64_t positive[WORDS], negative[WORDS];
    int low, high;
    bool other, nonzero; /* a term was not -0; was no zero at all */
    bool nan, positive_infinity, negative_infinity;
} words_sum;

/* A result before its one rounding. A number is (-1)^negative * (lead + t) * 2^(exponent - 63), where lead has its top
 * bit set, and t is in (0, 1) if sticky, else 0. A zero has the sign of negative, unless it is what numbers left that
 * cancelled: then the direction of rounding decides. */
typedef struct unrounded {
    enum { UNROUNDED_NUMBER, UNROUNDED_ZERO, UNROUNDED_INFINITY, UNROUNDED_NAN } kind;
    bool negative, cancelled, sticky;
    uint64_t lead;
    int exponent;
} unrounded;

/* All words 0. A sum is opened once: whoever has read its total finds it empty again. */
void words_open(words_sum *s);

/* Adds (-1)^negative * m * 2^e. */
void words_add(words_sum *s, bool negative, uint128 m, int e);
void words_add_double(words_sum *s, double value);

/* Adds the n terms of the operation. y is read by dot alone. */
void words_add_terms(words_sum *s, operation op, quire_type type, size_t n, const void *x, const void *y);

/* What the operation makes of the finite sum of n terms: its root, its n-th part, or itself. The sum is empty
 * afterwards. */
unrounded words_finish(words_sum *s, operation op, size_t n);

/* What is exact: all the n terms of the operation. y is read by dot alone. The sum is empty before and after. */
unrounded words_reduce(words_sum *s, operation op, quire_type type, size_t n, const void *x, const void *y);

/* The variance of n elements, (n Q - S^2) / (n (n - correction)) of their sum S and the sum Q of their squares; or its
 * root. n is below 2^62. Both sums are empty before and after. */
unrounded words_moment(words_sum *sum, words_sum *squares, operation op, quire_type type, size_t n, const void *x,
                       int64_t correction);

/* Rounded once. */
uint64_t unrounded_bits(const unrounded *u, quire_type result_type, quire_rounding rounding);

#endif
