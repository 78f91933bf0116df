/* timing.c - the clock.
 *
 * SPDX-License-Identifier: MIT
 */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

#include "command/terminal.h"

#define BATCH_SECONDS 1e-4 /* the clock's own 300 ns must not show */
#define MAX_BATCH (1L << 24)
#define MIN_SAMPLES 2

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double timing_now(void) { return seconds_of(CLOCK_MONOTONIC); }

/* Seconds a run, of a batch of them. What one thread does alone takes as much of its processor's time as it takes on an
 * idle machine, whatever else runs beside it. */
static double time_batch(const contender *c, const job *j, long batch, timing *t) {
    const clockid_t clock = c->threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    uint64_t bits = t->bits;
    const double start = seconds_of(clock);
    for (long i = 0; i < batch; i++) {
        const quire_status status = c->run(c, j, &bits);
        if (status) t->trouble = quire_status_string(status);
        t->same_bits &= bits == t->bits;
    }
    return (seconds_of(clock) - start) / (double)batch;
}

/* Warms up, and finds how many runs the clock can see. */
static long find_batch(const contender *c, const job *j, timing *t) {
    *t = (timing){ .same_bits = true, .warm = true, .result = j->result_type };
    t->clock = c->threads == 1 ? "processor" : "clock";
    const quire_status status = c->run(c, j, &t->bits);
    if (status) t->trouble = quire_status_string(status);
    long batch = 1;
    while (batch < MAX_BATCH && time_batch(c, j, batch, t) * (double)batch < BATCH_SECONDS) batch *= 2;
    return batch;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(timing *t, double *samples, long count) {
    qsort(samples, (size_t)count, sizeof *samples, compare);
    t->samples = count;
    t->best = samples[0];
    t->median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}

void timing_of_cpu(timing *t, double *samples, long count) {
    summarize(t, samples, count);
    t->figure = t->best;
    t->spread = t->median / t->best - 1;
}

void timing_of_gpu(timing *t, double *samples, long count) {
    summarize(t, samples, count);
    t->figure = t->median;
    t->spread = (samples[(3 * count) / 4] - samples[count / 4]) / 2 / t->median;
}

void timing_take(const contenders *all, int first, int last, const bool *in, const job *j, double seconds, timing *of) {
    static double samples[MAX_CONTENDERS][MAX_SAMPLES];
    long batch[MAX_CONTENDERS], count = 0;
    int racing = 0;
    for (int i = first; i < last; i++)
        if (in[i]) batch[i] = find_batch(&all->one[i], j, &of[i]), racing++;
    if (!racing) return;
    const double end = timing_now() + seconds * racing;
    while (count < MAX_SAMPLES && (count < MIN_SAMPLES || timing_now() < end) && !(count && interrupted())) {
        for (int k = first; k < last; k++) {
            const int i = first + (k - first + (int)count) % (last - first);
            if (in[i]) samples[i][count] = time_batch(&all->one[i], j, batch[i], &of[i]);
        }
        count++;
    }
    for (int i = first; i < last; i++)
        if (in[i]) timing_of_cpu(&of[i], samples[i], count);
}
