/* running.h - running sums of one vector, a block of elements at a time. A state goes along the vector: of floats it
 * has the ends of every running sum (tier/loops.c), which mostly tell its result, and what they leave open is settled
 * by limbs; of integers it has 128 bits, which no sum of integers in memory leaves (accumulator/integers.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_RUNNING_H
#define QUIRE_CPU_RUNNING_H

#include "cpu/ends.h"

/* Elements of a vector that are taken at a time. */
#define RUNNING_BLOCK ((size_t)ENDS_TOGETHER)

/* Bytes that their results take, and one more result, aligned to the greatest. */
#define RUNNING_ROOM ((RUNNING_BLOCK + 1) * INT128_SIZE)

typedef struct {
    const quire_job *job;
    const cpu_tier *tier;
    quire_scan_kind kind;
    format_description format; /* of the results, unless they are integers */
} running_work;

typedef struct {
    scan_state state;
    int is_held;             /* whether limbs hold all elements so far */
    uint64_t last;           /* the bits of the last result, in memory as they are stored */
    size_t count;            /* elements so far */
    size_t since_carry;      /* and those that limbs hold since their last carry */
    quire_accumulator limbs; /* undefined unless it is held */
} running_floats;

/* Two's complement; and bits of which one is set if an element was not zero. */
typedef struct {
    uint64_t low, high, seen;
} running_integers;

/* Of elements of one kind or the other. */
typedef union {
    running_floats floats;
    running_integers integers;
} running_sum;

QUIRE_PRIVATE void running_begin(running_sum *r, const running_work *w);

/* One that goes on from the sum of the elements before. */
QUIRE_PRIVATE void running_resume(running_sum *r, const quire_accumulator *from, const running_work *w);

/* The results of the next n elements, 0 < n <= RUNNING_BLOCK, which stand a stride of bytes apart. Answers where the
 * results are, side by side: somewhere in room, of RUNNING_ROOM bytes. The environment is ours. */
QUIRE_PRIVATE const char *running_block(running_sum *r, const running_work *w, const char *x, ptrdiff_t stride,
                                        size_t n, char *room);

#endif
