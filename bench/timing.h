/* timing.h - how long contenders take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TIMING_H
#define QUIRE_BENCH_TIMING_H

#include "contender.h"

typedef struct timing {
    double best, median; /* seconds of one run                         */
    long samples;        /* each the mean over a batch of runs         */
    uint64_t bits;       /* of the first run                           */
    bool same_bits;      /* of all runs                                */
    quire_status status;
} timing;

/* Times contenders [first, last) of the list in turns, each time another one first, so that what disturbs the machine, and
 * what one leaves in the caches for the next, touches them alike; for about seconds each, at least twice each. Those on one
 * thread should be timed pinned, see pin.h. Short runs are timed in batches. */
void timing_take(const contenders *all, int first, int last, const job *j, double seconds, timing *of);

#endif
