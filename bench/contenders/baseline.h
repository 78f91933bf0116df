/* baseline.h - what quire is compared with: the plain loop, compiled for this machine with -O3 -march=native
 * -ffast-math.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_BASELINE_H
#define QUIRE_BENCH_BASELINE_H

#include "jobs/job.h"

/* What the processor must have for the loops, since they may be compiled for another one than this. */
enum { NEEDS_AVX2 = 1, NEEDS_AVX512 = 2, NEEDS_FMA = 4 };
extern const int baseline_needs;

/* Of a variance: the mean first, and then the squares of the differences from it; or in one pass the sums of the
 * elements and of their squares. Other operations have one formula. */
typedef enum formula { TWO_PASS, TEXTBOOK } formula;

/* In float for f16, bf16 and f32, in double for f64; the bits, and even the digits, depend on the compiler. */
double baseline_reduce(const job *j, formula how);

/* Of many vectors: row after row, segment after segment; columns side by side, a block of them at a time. */
void baseline_reduce_many(const job *j, formula how);

#endif
