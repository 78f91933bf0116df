/* operations.h - the list of operations and of their terms. A new one is a line here (and a term or a finish, where the
 * ones below do not serve).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_OPERATIONS_H
#define QUIRE_OPERATION_OPERATIONS_H

#include "accumulator/total.h"

/* What becomes of an element's sign where the element is the term. */
typedef enum { SIGN_KEPT, SIGN_CLEARED, SIGN_FLIPPED } term_sign;

/* X(term, TERM, product, pair, sign): the functions of a term are in term.h, and this is what they do; ways to add
 * terms know no more of them. product: 1 if it is x * y, exactly value + error, of twice the bits of a factor; 0 if it
 * is the element x with a sign, and has no error. pair: 1 if it reads y, of another array. sign: that of an element; a
 * product has the sign of its factors. What is none of these has no way yet, nor a description. */
#define QUIRE_TERMS(X, ...)                                                                                            \
    X(identity, TERM_IDENTITY, 0, 0, SIGN_KEPT, __VA_ARGS__)                                                           \
    X(magnitude, TERM_MAGNITUDE, 0, 0, SIGN_CLEARED, __VA_ARGS__)                                                      \
    X(product, TERM_PRODUCT, 1, 1, SIGN_KEPT, __VA_ARGS__)

/* X(operation, NUMBER, arrays, term, finish): how many arrays it reads, what is summed, and what becomes of the total.
 * The product of an operation that reads one array is that of x with itself. */
#define QUIRE_OPERATIONS(X, ...)                                                                                       \
    X(sum, QUIRE_SUM, 1, TERM_IDENTITY, FINISH_KEEP, __VA_ARGS__)                                                      \
    X(asum, QUIRE_ASUM, 1, TERM_MAGNITUDE, FINISH_KEEP, __VA_ARGS__)                                                   \
    X(dot, QUIRE_DOT, 2, TERM_PRODUCT, FINISH_KEEP, __VA_ARGS__)                                                       \
    X(nrm2, QUIRE_NRM2, 1, TERM_PRODUCT, FINISH_ROOT, __VA_ARGS__)                                                     \
    X(mean, QUIRE_MEAN, 1, TERM_IDENTITY, FINISH_DIVIDE, __VA_ARGS__)                                                  \
    X(variance, QUIRE_VARIANCE, 1, TERM_IDENTITY, FINISH_VARIANCE, __VA_ARGS__)                                        \
    X(stddev, QUIRE_STDDEV, 1, TERM_IDENTITY, FINISH_STDDEV, __VA_ARGS__)                                              \
    X(sumsq, QUIRE_SUMSQ, 1, TERM_PRODUCT, FINISH_KEEP, __VA_ARGS__)                                                   \
    X(average, QUIRE_AVERAGE, 2, TERM_PRODUCT, FINISH_AVERAGE, __VA_ARGS__)                                            \
    X(covariance, QUIRE_COVARIANCE, 2, TERM_PRODUCT, FINISH_COVARIANCE, __VA_ARGS__)                                   \
    X(correlation, QUIRE_CORRELATION, 2, TERM_PRODUCT, FINISH_CORRELATION, __VA_ARGS__)

#define QUIRE_TERM_ENUM(term, TERM, product, pair, sign, unused) TERM,
typedef enum { QUIRE_TERMS(QUIRE_TERM_ENUM, ) TERM_COUNT } quire_term;
#undef QUIRE_TERM_ENUM

/* The same as constants: term_is_product, term_is_pair, term_sign_is. */
#define QUIRE_TERM_CONSTANTS(term, TERM, product, pair, sign, unused)                                                  \
    enum { term##_is_product = product, term##_is_pair = pair, term##_sign_is = sign };                                \
    QUIRE_STATIC_ASSERT(!(product) || (sign) == SIGN_KEPT,                                                             \
                        "a product has the sign of its factors: no way changes it");                                   \
    QUIRE_STATIC_ASSERT(!(pair) || (product), "what reads two arrays is a product: no way knows another such term");
QUIRE_TERMS(QUIRE_TERM_CONSTANTS, )
#undef QUIRE_TERM_CONSTANTS

/* And for a term that is known at run time. */
typedef struct {
    int is_product, is_pair;
    term_sign sign;
} term_description;

QUIRE_INLINE term_description describe_term(quire_term term) {
#define QUIRE_CASE(name, TERM, product, pair, sign, unused)                                                            \
    case TERM: {                                                                                                       \
        term_description d = { product, pair, sign };                                                                  \
        return d;                                                                                                      \
    }
    switch ((int)term) { QUIRE_TERMS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    term_description none = { 0, 0, SIGN_KEPT };
    return none;
}

/* Variances need a second sum, that of the squares: see moments.h. The last three need sums of both arrays beside that
 * of their products: see pairs.h. */
typedef enum {
    FINISH_KEEP,
    FINISH_ROOT,
    FINISH_DIVIDE,
    FINISH_VARIANCE,
    FINISH_STDDEV,
    FINISH_AVERAGE,
    FINISH_COVARIANCE,
    FINISH_CORRELATION
} finish_kind;

QUIRE_INLINE int needs_squares(finish_kind finish) { return finish == FINISH_VARIANCE || finish == FINISH_STDDEV; }
QUIRE_INLINE int needs_pair_sums(finish_kind finish) { return finish >= FINISH_AVERAGE; }

/* Whether exact sums alone have such a finish. */
QUIRE_INLINE int is_exact_finish(finish_kind finish) { return needs_squares(finish) || needs_pair_sums(finish); }

/* How many sums a result is made of, unless it needs those of pairs, and what sum number i adds up. */
#define MOST_SUMS 2
QUIRE_INLINE int sums_of(finish_kind finish) { return needs_squares(finish) ? 2 : 1; }
QUIRE_INLINE quire_term term_of_sum(quire_term first, int i) { return i ? TERM_PRODUCT : first; }

/* An array that no term reads would be passed over in silence; and so would a term, where the finish takes the sums of
 * elements and of their squares. */
#define QUIRE_PAIR_BIT(term, TERM, product, pair, sign, unused) | (pair) << TERM
enum { TERMS_OF_PAIRS = 0 QUIRE_TERMS(QUIRE_PAIR_BIT, ) };
#undef QUIRE_PAIR_BIT
#define QUIRE_CHECK_OPERATION(operation, NUMBER, arrays, term, finish, unused)                                         \
    QUIRE_STATIC_ASSERT((arrays) == 1 || ((arrays) == 2 && (TERMS_OF_PAIRS >> term & 1)),                              \
                        "an operation that reads two arrays has a term that does");                                    \
    QUIRE_STATIC_ASSERT(((finish) != FINISH_VARIANCE && (finish) != FINISH_STDDEV) || (term) == TERM_IDENTITY,         \
                        "variances are those of the elements themselves");
QUIRE_OPERATIONS(QUIRE_CHECK_OPERATION, )
#undef QUIRE_CHECK_OPERATION

/* What an operation is made of; arrays is 0 where the number is none of an operation. */
typedef struct {
    int arrays;
    quire_term term;
    finish_kind finish;
} operation_description;

QUIRE_INLINE operation_description describe_operation(quire_operation operation) {
#define QUIRE_CASE(name, NUMBER, arrays, term, finish, unused)                                                         \
    case NUMBER: {                                                                                                     \
        operation_description d = { arrays, term, finish };                                                            \
        return d;                                                                                                      \
    }
    switch ((int)operation) { QUIRE_OPERATIONS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    operation_description none = { 0, TERM_IDENTITY, FINISH_KEEP };
    return none;
}

/* The result's bits: the total of n terms finished and rounded once. Not for what needs other sums, too. */
QUIRE_INLINE uint64_t finish_and_round(quire_total t, finish_kind finish, uint64_t n, format_description format,
                                       quire_rounding rounding) {
    if (finish == FINISH_ROOT) t = total_root(t);
    if (finish == FINISH_DIVIDE) t = total_divide(t, n);
    return total_round(t, format, rounding);
}

#endif
