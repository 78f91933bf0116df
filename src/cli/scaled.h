/* scaled.h - numbers of at least zero with the precision of double and an exponent that neither overflows nor
 * underflows.
 *
 * Errors and their bounds are made of these: the exact sum of the squares of doubles can be 2^2100, and the error of
 * one 2^-2148. A result is within a few 2^-53 of the true one; whoever needs a bound rounds up at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SCALED_H
#define QUIRE_CLI_SCALED_H

#include <stdbool.h>

#include <quire/quire.h>

struct scaled {
    double m; /* 0, INFINITY, or in [1/2, 1): the value is m 2^e */
    int e;
};

struct scaled scaled_make(double m, int e);
struct scaled scaled_add(struct scaled a, struct scaled b);
struct scaled scaled_difference(struct scaled a, struct scaled b); /* 0 if b is larger */
struct scaled scaled_times(struct scaled a, struct scaled b);
struct scaled scaled_over(struct scaled a, struct scaled b); /* b is not 0 */
struct scaled scaled_root(struct scaled a);
bool scaled_less(struct scaled a, struct scaled b);

/* a 2^-e as a double. */
double scaled_in_units(struct scaled a, int e);

/* The magnitude of the finite part of an accumulator. */
struct scaled scaled_accumulator(const quire_accumulator *accumulator);

#endif
