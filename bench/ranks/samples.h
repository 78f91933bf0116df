/* samples.h - timings of the benchmarks over ranks: put in order, the median is in the middle.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_RANKS_SAMPLES_H
#define QUIRE_BENCH_RANKS_SAMPLES_H

#include <stdlib.h>

static inline int samples_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void samples_sort(double *samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, samples_compare);
}

#endif
