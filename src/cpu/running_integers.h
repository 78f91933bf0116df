/* running_integers.h - the running sum of a vector of integers: 128 bits, which no sum of integers in memory leaves
 * (accumulator/integers.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_RUNNING_INTEGERS_H
#define QUIRE_CPU_RUNNING_INTEGERS_H

#include "cpu/running.h"

/* Two's complement; and bits of which one is set if an element was not zero. */
typedef struct {
    uint64_t low, high, seen;
} running_integers;

QUIRE_PRIVATE void running_integers_begin(running_integers *r);

/* One that goes on from the sum of the elements before. */
QUIRE_PRIVATE void running_integers_resume(running_integers *r, const quire_accumulator *from);

/* As running_floats_block. */
QUIRE_PRIVATE const char *running_integers_block(running_integers *r, const running_work *w, const char *x,
                                                 ptrdiff_t stride, size_t n, char *room);

#endif
