/* gpu_timing.h - how long reducers take, between events of the device.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_TIMING_H
#define QUIRE_BENCH_GPU_TIMING_H

#include "contenders/reducer.h"
#include "timing.h"

#define GPU_MOST_CALLS 128 /* in one sample */

/* Room for results and to empty the cache with. Complains and answers false if there is none. */
bool gpu_timing_open(void);
void gpu_timing_close(void);

/* As place.h has it. Calls are queued, in a graph where they can be captured, so that the host is not in the way; each
 * call of a sample takes another copy of the data, and the cache is emptied before it if the copies would fit there.
 * Warm: always the same copy. */
void gpu_time(const contenders *all, const bool *in, const job *j, const options *o, timing *of);

/* One result. Answers what went wrong, or NULL. */
const char *gpu_run(const reducer *r, const job *j, uint64_t *bits);

#endif
