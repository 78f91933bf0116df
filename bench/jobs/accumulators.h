/* accumulators.h - arithmetic on accumulators that truth.c needs and the library does not offer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_ACCUMULATORS_H
#define QUIRE_BENCH_ACCUMULATORS_H

#include <stdbool.h>
#include <stddef.h>

#include <quire/quire.h>

/* The magnitude of the finite part, to the precision of long double. */
long double accumulator_magnitude(const quire_accumulator *a);

/* Multiplies the sum and the counts. times is below 2^62. */
void accumulator_multiply(quire_accumulator *a, size_t times);

/* Takes the square of a sum of elements off another sum, exactly. Answers false, and changes nothing, if that sum of
 * elements is beyond the doubles. */
bool accumulator_subtract_square(quire_accumulator *from, const quire_accumulator *sum);

#endif
