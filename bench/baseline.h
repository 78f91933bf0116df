/* baseline.h - what quire is compared with: the plain loop, compiled for this machine with -O3 -march=native -ffast-math.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_BASELINE_H
#define QUIRE_BENCH_BASELINE_H

#include "job.h"

/* In float for f16, bf16 and f32, in double for f64; the bits, and even the digits, depend on the compiler. */
double baseline_reduce(const job *j);

#endif
