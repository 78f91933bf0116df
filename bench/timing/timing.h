/* timing.h - how long contenders take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TIMING_H
#define QUIRE_BENCH_TIMING_H

#include "contenders/contender.h"

#define MAX_SAMPLES 1000

typedef struct timing {
    double figure;       /* seconds of one run: what speeds come from */
    double best, median; /* seconds, too */
    double spread;       /* of the samples, relative to the figure */
    long samples;        /* each the mean over a batch of runs */
    uint64_t bits;       /* of the first run */
    quire_type result;   /* their type */
    bool same_bits;      /* of all runs */
    bool warm;           /* each run found the data where the one before had left them */
    const char *clock;   /* "processor", "clock", "events", "graph": the column 'timing' */
    const char *trouble; /* what went wrong; NULL: nothing, and the rest is filled in */
} timing;

double timing_now(void);

/* Fills in what follows from the samples, and puts them in order. On a CPU whatever else runs only adds time, so the
 * figure is the best, and the spread how much longer the median is; on a GPU, where clocks rise and fall, the figure is
 * the median, and the spread half the distance of the quartiles. */
void timing_of_cpu(timing *t, double *samples, long count);
void timing_of_gpu(timing *t, double *samples, long count);

/* Times contenders [first, last) of the list for which in[i], in turns, each time another one first, so that what
 * disturbs the machine, and what one leaves in the caches for the next, touches them alike; for about seconds each, at
 * least twice each. Those on one thread should be timed pinned, see pin.h. Short runs are timed in batches. */
void timing_take(const contenders *all, int first, int last, const bool *in, const job *j, double seconds, timing *of);

#endif
