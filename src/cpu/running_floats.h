/* running_floats.h - the running sum of a vector of floats. A state goes along the vector, and has the ends of every
 * running sum (block/scan.h), which mostly tell its result. What they leave open is settled by limbs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_RUNNING_FLOATS_H
#define QUIRE_CPU_RUNNING_FLOATS_H

#include "cpu/ends.h"
#include "cpu/running.h"

typedef struct {
    scan_state state;
    int is_held;             /* whether limbs hold all elements so far */
    uint64_t last;           /* the bits of the last result, in memory as they are stored */
    size_t count;            /* elements so far */
    size_t since_carry;      /* and those that limbs hold since their last carry */
    quire_accumulator limbs; /* undefined unless it is held */
} running_floats;

QUIRE_PRIVATE void running_floats_begin(running_floats *r);

/* One that goes on from the sum of the elements before. */
QUIRE_PRIVATE void running_floats_resume(running_floats *r, const quire_accumulator *from, const running_work *w);

/* The results of the next n elements, 0 < n <= RUNNING_BLOCK, which stand a stride of bytes apart. Answers where the
 * results are, side by side: somewhere in room, of RUNNING_ROOM bytes. The environment is ours. */
QUIRE_PRIVATE const char *running_floats_block(running_floats *r, const running_work *w, const char *x,
                                               ptrdiff_t stride, size_t n, char *room);

#endif
