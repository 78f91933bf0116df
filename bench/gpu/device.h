/* device.h - a CUDA device as the bench needs it: memory, one stream, two events, graphs. Behind it is the C face of
 * the CUDA runtime; nothing else of the bench but kernels knows CUDA. Errors are the runtime's numbers, 0 where all is
 * well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_DEVICE_H
#define QUIRE_BENCH_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct device_facts {
    char name[256], driver[64];
    int multiprocessors, major, minor;
    int runtime, supported; /* CUDA versions: of the runtime that is linked, and the most that the driver can do */
    size_t memory, cache;   /* bytes; the cache is L2 */
} device_facts;

/* Device 0 and a stream. Answers why there is none, or NULL. */
const char *device_open(void);
void device_close(void);
const device_facts *device_about(void);
void *device_stream(void);

const char *device_trouble(int error);

size_t device_free_memory(void);
void *device_allocate(size_t bytes); /* NULL where there is not so much */
void device_release(void *memory);

/* Copies: to the device and back again the host waits, on the device it does not. */
int device_upload(void *to, const void *from, size_t bytes);
int device_download(void *to, const void *from, size_t bytes);
int device_copy(void *to, const void *from, size_t bytes);
int device_wait(void);

/* The time between what was queued before one mark and before the other, in seconds. device_between waits for the
 * second. */
int device_mark(int which); /* 0, 1 */
int device_between(double *seconds);

/* What is queued between begin and end is not run but kept, to be replayed. */
typedef struct CUgraphExec_st device_graph;
int device_capture(void);
int device_captured(device_graph **graph);
int device_replay(device_graph *graph);
void device_forget(device_graph *graph);

#endif
