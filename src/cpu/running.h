/* running.h - what running sums share, of floats (running_floats.h) and of integers (running_integers.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_RUNNING_H
#define QUIRE_CPU_RUNNING_H

#include "cpu/context.h"

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

#endif
