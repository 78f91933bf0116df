/* pairs.h - averages, covariances and correlations of two arrays as quotients of exact sums, rounded once.
 *
 * Of n numbers x and as many y, with the exact sums S of x, T of y, Q of x^2, R of y^2 and P of x y,
 *
 *     average     = P / T, where y are the weights of x
 *     covariance  = (n P - S T) / (n (n - correction))
 *     correlation = (n P - S T) / sqrt((n Q - S^2) (n R - T^2))
 *
 * The integers are as wide as they have to be: some digits for ordinary numbers, 554 at most.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_PAIRS_H
#define QUIRE_OPERATION_PAIRS_H

#include "operation/moments.h"

/* The sums, in an order in which each operation needs the first ones alone. */
enum { PAIR_PRODUCTS, PAIR_OF_Y, PAIR_OF_X, PAIR_SQUARES_X, PAIR_SQUARES_Y, MOST_PAIR_SUMS };

QUIRE_INLINE int pair_sums_of(finish_kind finish) {
    return finish == FINISH_AVERAGE ? PAIR_OF_Y + 1 : finish == FINISH_COVARIANCE ? PAIR_OF_X + 1 : MOST_PAIR_SUMS;
}

QUIRE_INLINE quire_term pair_term(int sum) {
    return sum == PAIR_OF_Y || sum == PAIR_OF_X ? TERM_IDENTITY : TERM_PRODUCT;
}

/* Which array the first factors of a sum's terms are from, or its elements; and which the second ones are from. */
QUIRE_INLINE int pair_begins_with_x(int sum) { return sum != PAIR_OF_Y && sum != PAIR_SQUARES_Y; }
QUIRE_INLINE int pair_ends_with_x(int sum) { return sum == PAIR_OF_X || sum == PAIR_SQUARES_X; }

/* Digits for an average. */
typedef struct {
    uint32_t products[WIDE_OF_LIMBS], weights[WIDE_OF_LIMBS], work[WIDE_DIVISION(WIDE_OF_LIMBS)];
} average_room;

/* Digits for the integers on the way to a covariance or a correlation; and to any of the three. */
typedef struct {
    uint32_t sum[MOST_PAIR_SUMS][WIDE_OF_LIMBS];
    moment_room moment[3];
    uint32_t above[2 * MOMENT_DIFFERENCE], below[2 * MOMENT_DIFFERENCE], rest[2 * MOMENT_DIFFERENCE + 1];
    uint32_t work[WIDE_DIVISION(2 * MOMENT_DIFFERENCE)];
} pair_moment_room;
typedef union {
    average_room average;
    pair_moment_room moments;
} pair_room;

/* P / T by the rules of IEEE 754 for a quotient, where a sum that is 0 is -0 only if all its terms are. But a numerator
 * that is 0, though some term of it is not, leaves the sign to the rounding, as a sum does. above and below are the
 * totals of the two accumulators. */
QUIRE_INLINE quire_total average_quotient(const quire_accumulator *products, quire_total above,
                                          const quire_accumulator *weights, quire_total below, average_room *room) {
    const int negative = above.negative != below.negative, is_zero = below.kind == TOTAL_FINITE && !below.high;
    const int no_number = above.kind == TOTAL_NAN || below.kind == TOTAL_NAN;
    if (no_number || (above.kind == TOTAL_INFINITE && below.kind == TOTAL_INFINITE)) return total_special(TOTAL_NAN, 0);
    if (above.kind == TOTAL_INFINITE) return total_special(TOTAL_INFINITE, negative);
    if (!above.high) {
        if (is_zero) return total_special(TOTAL_NAN, 0);
        if (!above.cancelled) above.negative = negative;
        return above;
    }
    if (is_zero) return total_special(TOTAL_INFINITE, negative);
    if (below.kind == TOTAL_INFINITE) return total_zero(negative);
    return wide_quotient(wide_of_limbs(products->limb, room->products), wide_of_limbs(weights->limb, room->weights),
                         room->work);
}

/* c / sqrt(a b), by the root of c^2 / (a b): NaN where a or b is 0. Answers whether there are numbers of which these
 * are the moments: then neither a nor b is negative, and no correlation is above 1. */
QUIRE_INLINE int correlation_total(wide_integer c, wide_integer a, wide_integer b, pair_moment_room *room,
                                   quire_total *total) {
    *total = total_special(TOTAL_NAN, 0);
    if (a.negative || b.negative) return 0;
    const wide_integer above = wide_multiply(c, c, room->above), below = wide_multiply(a, b, room->below);
    if (wide_subtract(below, above, room->rest).negative) return 0;
    if (!below.count) return 1;
    *total = total_root(wide_quotient(above, below, room->work));
    total->negative = c.negative;
    return 1;
}

/* A covariance or a correlation of accumulators, as many as it needs, in the order above: NaN where something is not
 * finite. Answers as the last one does. */
QUIRE_INLINE int pair_moment_total(const quire_accumulator *const *sums, finish_kind finish, int64_t correction,
                                   pair_moment_room *room, quire_total *total) {
    const uint64_t n = (uint64_t)sums[PAIR_PRODUCTS]->count;
    wide_integer sum[MOST_PAIR_SUMS];
    *total = total_special(TOTAL_NAN, 0);
    for (int i = 0; i < pair_sums_of(finish); i++) {
        if (has_special(sums[i])) return 1;
        sum[i] = wide_of_limbs(sums[i]->limb, room->sum[i]);
    }
    const wide_integer of_both =
        moment_difference(n, sum[PAIR_PRODUCTS], sum[PAIR_OF_X], sum[PAIR_OF_Y], &room->moment[0]);
    if (finish == FINISH_COVARIANCE) {
        *total = moment_quotient(of_both, n, correction);
        return 1;
    }
    return correlation_total(
        of_both, moment_difference(n, sum[PAIR_SQUARES_X], sum[PAIR_OF_X], sum[PAIR_OF_X], &room->moment[1]),
        moment_difference(n, sum[PAIR_SQUARES_Y], sum[PAIR_OF_Y], sum[PAIR_OF_Y], &room->moment[2]), room, total);
}

/* The same of any of the three. */
QUIRE_INLINE int pair_total(const quire_accumulator *const *sums, finish_kind finish, int64_t correction,
                            pair_room *room, quire_total *total) {
    if (finish != FINISH_AVERAGE) return pair_moment_total(sums, finish, correction, &room->moments, total);
    const quire_accumulator *products = sums[PAIR_PRODUCTS], *weights = sums[PAIR_OF_Y];
    *total =
        average_quotient(products, accumulator_total(products), weights, accumulator_total(weights), &room->average);
    return 1;
}

#endif
