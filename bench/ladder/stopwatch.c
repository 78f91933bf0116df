/* stopwatch.c - device events around replays of a graph of many calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "stopwatch.h"

#include <stdlib.h>

#define MOST_REPLAYS 64

static int compare(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static cudaError_t capture(cudaGraphExec_t *exec, int calls, work *queue, const void *own, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), end;
    if (error) return error;
    for (int i = 0; i < calls && !error; i++) error = queue(own, i, stream);
    end = cudaStreamEndCapture(stream, &graph);
    if (end) return error ? error : end;
    if (!error) error = cudaGraphInstantiateWithFlags(exec, graph, 0);
    cudaGraphDestroy(graph);
    return error;
}

static cudaError_t replay(float *milliseconds, cudaGraphExec_t exec, cudaEvent_t begin, cudaEvent_t end,
                          cudaStream_t stream) {
    cudaError_t error = cudaEventRecord(begin, stream);
    if (!error) error = cudaGraphLaunch(exec, stream);
    if (!error) error = cudaEventRecord(end, stream);
    if (!error) error = cudaEventSynchronize(end);
    return error ? error : cudaEventElapsedTime(milliseconds, begin, end);
}

int stopwatch(reading *r, cudaStream_t stream, int calls, int replays, work *queue, const void *own) {
    float times[MOST_REPLAYS];
    cudaEvent_t begin = NULL, end = NULL;
    cudaGraphExec_t exec = NULL;
    if (replays > MOST_REPLAYS) replays = MOST_REPLAYS;
    cudaError_t error = cudaEventCreate(&begin);
    if (!error) error = cudaEventCreate(&end);
    if (!error) error = capture(&exec, calls, queue, own, stream);
    for (int i = -2; i < replays && !error; i++) error = replay(&times[i < 0 ? 0 : i], exec, begin, end, stream);
    if (!error) {
        qsort(times, (size_t)replays, sizeof *times, compare);
        r->best = times[0] * 1e-3 / calls;
        r->median = times[replays / 2] * 1e-3 / calls;
    }
    if (exec) cudaGraphExecDestroy(exec);
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    return error;
}
