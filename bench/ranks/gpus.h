/* gpus.h - of quire-bench-nccl: a thread for each GPU, each a rank of NCCL, and how long what they queue takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_RANKS_GPUS_H
#define QUIRE_BENCH_RANKS_GPUS_H

#include <quire/nccl.h>
#include <stdbool.h>

#define MOST_GPUS 64
#define MOST_SAMPLES 1000

typedef struct gpu {
    int rank, ranks; /* the rank is the number of the device, too */
    ncclComm_t comm;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    quire_context *context; /* on that stream */
    double *doubles;        /* device memory, all of it */
    float *floats;
    void *results, *workspace;
    size_t workspace_size;
} gpu;

/* Queues one call on the stream of a GPU. All ranks queue the same ones. */
typedef void (*gpu_call)(gpu *g, const void *what);

/* Opens the first GPUs of the machine as ranks, with buffers of so many elements or bytes; rank 0 has the floats of all
 * ranks, behind each other. Answers why that cannot be, or NULL. */
typedef struct gpu_room {
    size_t doubles, floats, result_bytes, workspace_bytes;
} gpu_room;
const char *gpus_open(gpu *all, int ranks, const gpu_room *room);
void gpus_close(gpu *all, int ranks);

/* Seconds of one call, in `samples` samples in order of size: each the mean over many calls between two events, of the
 * slowest GPU. captured: the calls of a sample are one graph on each GPU. Answers what went wrong, or NULL. */
const char *gpus_time(gpu *all, int ranks, gpu_call call, const void *what, bool captured, int samples,
                      double *seconds);

/* To be called by a gpu_call: notes the first error of this thread. Errors of CUDA, of NCCL and of quire. */
void gpu_note_cuda(cudaError_t error);
void gpu_note_nccl(ncclResult_t code);
void gpu_note_quire(quire_status status);

#endif
