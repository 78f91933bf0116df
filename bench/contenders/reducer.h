/* reducer.h - whatever can reduce a job on the device by enqueueing work on a stream: a rung of the ladder, a peer.
 *
 * A plain C table, so that the files that know CUDA and those that measure meet nowhere else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_REDUCER_H
#define QUIRE_BENCH_REDUCER_H

#include <stdbool.h>
#include <stddef.h>

#include "jobs/job.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reducer reducer;
struct reducer {
    const char *name; /* in the table and the plots: "cub", "03 shared memory" */
    const char *what; /* one line: what it does; of a rung, what it fixes and its price */
    bool (*takes)(const reducer *r, const job *j);
    /* Bytes of device memory that enqueue wants, aligned to 256; contents do not matter. 0: none. */
    size_t (*workspace)(const reducer *r, const job *j);
    /* Enqueues one reduction of j (x and y in device memory) on the stream (a cudaStream_t); the result goes to
     * *result, one element of j->result_type in device memory. No allocation, no synchronisation, can be captured into
     * a graph unless not_capturable. Answers a cudaError_t, 0 if all is well. */
    int (*enqueue)(const reducer *r, const job *j, void *workspace, void *result, void *stream);
    bool not_capturable; /* enqueue synchronises or allocates; then it is timed by events around each call */
    const void *own;     /* the file's own */
};

#ifdef __cplusplus
}
#endif

#endif
