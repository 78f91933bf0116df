/* stopwatch.h - the time of work on a stream, without the host in the way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_STOPWATCH_H
#define QUIRE_BENCH_LADDER_STOPWATCH_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Queues call number i on the stream; 0 if all is well. */
typedef int work(const void *own, int i, cudaStream_t stream);

typedef struct reading {
    double best, median; /* seconds of one call */
} reading;

/* Captures so many calls into a graph and times its replays on the stream, after two to warm up. Answers a cudaError_t.
 */
int stopwatch(reading *r, cudaStream_t stream, int calls, int replays, work *queue, const void *own);

#ifdef __cplusplus
}
#endif

#endif
