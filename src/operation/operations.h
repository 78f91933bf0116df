/* operations.h - the list of operations and of their terms. A new one is a line here (and a term or a finish, where the
 * ones below do not serve).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_OPERATIONS_H
#define QUIRE_OPERATION_OPERATIONS_H

#include "accumulator/total.h"

/* X(term, TERM, inexact): the functions of a term are in term.h; inexact is 1 where value + error needs both. */
#define QUIRE_TERMS(X, ...)                                                                                                 \
    X(identity, TERM_IDENTITY, 0, __VA_ARGS__)                                                                              \
    X(magnitude, TERM_MAGNITUDE, 0, __VA_ARGS__)                                                                            \
    X(product, TERM_PRODUCT, 1, __VA_ARGS__)

/* X(operation, OPERATION, term, finish): what is summed, and what becomes of the total. */
#define QUIRE_OPERATIONS(X, ...)                                                                                            \
    X(sum, OPERATION_SUM, TERM_IDENTITY, FINISH_KEEP, __VA_ARGS__)                                                          \
    X(asum, OPERATION_ASUM, TERM_MAGNITUDE, FINISH_KEEP, __VA_ARGS__)                                                       \
    X(dot, OPERATION_DOT, TERM_PRODUCT, FINISH_KEEP, __VA_ARGS__)                                                           \
    X(nrm2, OPERATION_NRM2, TERM_PRODUCT, FINISH_ROOT, __VA_ARGS__)                                                         \
    X(mean, OPERATION_MEAN, TERM_IDENTITY, FINISH_DIVIDE, __VA_ARGS__)

#define QUIRE_TERM_ENUM(term, TERM, inexact, unused) TERM,
typedef enum { QUIRE_TERMS(QUIRE_TERM_ENUM, ) TERM_COUNT } quire_term;
#undef QUIRE_TERM_ENUM

#define QUIRE_OPERATION_ENUM(operation, OPERATION, term, finish, unused) OPERATION,
typedef enum { QUIRE_OPERATIONS(QUIRE_OPERATION_ENUM, ) OPERATION_COUNT } quire_operation;
#undef QUIRE_OPERATION_ENUM

typedef enum { FINISH_KEEP, FINISH_ROOT, FINISH_DIVIDE } quire_finish;

QUIRE_INLINE quire_total finish_total(quire_total t, quire_finish finish, uint64_t n) {
    if (finish == FINISH_ROOT) return total_root(t);
    if (finish == FINISH_DIVIDE) return total_divide(t, n);
    return t;
}

#endif
