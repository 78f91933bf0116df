/* ladder.h - the classic reduction kernels, from the first idea to the speed of memory, as reducers.
 *
 * Sums only, of half or float into a float. Half is there twice: accumulated in float ("05 atomics") and in half ("05
 * atomics in half"). Each rung is a file with its number in front; this folder's table of contents is ladder.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_H
#define QUIRE_BENCH_LADDER_H

#include "contenders/reducer.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const reducer ladder_reducers[];
extern const int ladder_count;

/* The most additions that an element of j goes through on its way into the result of a reducer of this table: with u of
 * the accumulation, 2^-24 or in half 2^-11, the error is at most chain u sum|x| / (1 - chain u) [Higham 2002, 4.2],
 * unless something overflows. */
size_t ladder_chain(const reducer *r, const job *j);

/* Whether it accumulates in half. */
bool ladder_is_in_half(const reducer *r);

/* Whether the bits may differ from run to run. Where not, they still follow the grid, and so the chip. */
bool ladder_is_by_chance(const reducer *r);

#ifdef __cplusplus
}
#endif

#endif
