/* operations.h - the list of operations and of their terms. A new one is a line here (and a term or a finish, where the
 * ones below do not serve).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_OPERATIONS_H
#define QUIRE_OPERATION_OPERATIONS_H

#include "accumulator/total.h"

/* X(term, TERM, inexact): the functions of a term are in term.h; inexact is 1 where value + error needs both. */
#define QUIRE_TERMS(X, ...)                                                                                            \
    X(identity, TERM_IDENTITY, 0, __VA_ARGS__)                                                                         \
    X(magnitude, TERM_MAGNITUDE, 0, __VA_ARGS__)                                                                       \
    X(product, TERM_PRODUCT, 1, __VA_ARGS__)

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
    X(sumsq, QUIRE_SUMSQ, 1, TERM_PRODUCT, FINISH_KEEP, __VA_ARGS__)

#define QUIRE_TERM_ENUM(term, TERM, inexact, unused) TERM,
typedef enum { QUIRE_TERMS(QUIRE_TERM_ENUM, ) TERM_COUNT } quire_term;
#undef QUIRE_TERM_ENUM

/* The last two need a second sum, that of the squares: see moments.h. */
typedef enum { FINISH_KEEP, FINISH_ROOT, FINISH_DIVIDE, FINISH_VARIANCE, FINISH_STDDEV } finish_kind;

QUIRE_INLINE int needs_squares(finish_kind finish) { return finish == FINISH_VARIANCE || finish == FINISH_STDDEV; }

/* How many sums a result is made of, and what sum number i adds up. */
#define MOST_SUMS 2
QUIRE_INLINE int sums_of(finish_kind finish) { return needs_squares(finish) ? 2 : 1; }
QUIRE_INLINE quire_term term_of_sum(quire_term first, int i) { return i ? TERM_PRODUCT : first; }

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

/* The result's bits: the total of n terms finished and rounded once. Not for what needs squares. */
QUIRE_INLINE uint64_t finish_and_round(quire_total t, finish_kind finish, uint64_t n, format_description format,
                                       quire_rounding rounding) {
    if (finish == FINISH_ROOT) t = total_root(t);
    if (finish == FINISH_DIVIDE) t = total_divide(t, n);
    return total_round(t, format, rounding);
}

#endif
