/* condition.h - data of a chosen condition number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_CONDITION_H
#define QUIRE_BENCH_CONDITION_H

#include <stddef.h>
#include <stdint.h>

#include <quire/quire.h>

/* Fills x, or for a pair x and y, so that the sum of magnitudes is about wanted (1 or more) times the magnitude of the
 * sum, of x or of the products. y is NULL where a sum is meant. The condition number that came out, which the range of
 * the type and a few elements limit, is in every row. */
void condition_fill(double wanted, quire_type type, uint64_t seed, size_t n, void *x, void *y);

#endif
