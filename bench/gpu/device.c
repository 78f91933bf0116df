/* device.c - the CUDA runtime, from C.
 *
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "missing_cuda.h"

static cudaStream_t stream;
static cudaEvent_t marks[2];
static device_facts facts;

/* An error that does not stick is taken off, or the next call would be blamed. */
static int taken(cudaError_t error) {
    if (error) cudaGetLastError();
    return (int)error;
}

/* "580.159.04", from the kernel module's own words; where there are none, an empty string. */
static void find_driver(char *text, size_t size) {
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[512] = "", word[64];
    int skip = 0, a, b;
    text[0] = '\0';
    if (file && fgets(line, sizeof line, file))
        for (char *at = line; sscanf(at, "%63s%n", word, &skip) == 1; at += skip)
            if (!text[0] && sscanf(word, "%d.%d", &a, &b) == 2) snprintf(text, size, "%s", word);
    if (file) fclose(file);
}

static int find_facts(void) {
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error) return taken(error);
    snprintf(facts.name, sizeof facts.name, "%s", properties.name);
    facts.multiprocessors = properties.multiProcessorCount;
    facts.major = properties.major;
    facts.minor = properties.minor;
    facts.memory = properties.totalGlobalMem;
    facts.cache = (size_t)properties.l2CacheSize;
    cudaRuntimeGetVersion(&facts.runtime);
    cudaDriverGetVersion(&facts.supported);
    find_driver(facts.driver, sizeof facts.driver);
    return 0;
}

const char *device_open(void) {
    const char *missing = missing_cuda();
    if (missing) return missing;
    cudaError_t error = cudaSetDevice(0);
    if (!error) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && !error; i++) error = cudaEventCreate(&marks[i]);
    if (!error) error = (cudaError_t)find_facts();
    return error ? device_trouble(taken(error)) : NULL;
}

void device_close(void) {
    for (int i = 0; i < 2; i++)
        if (marks[i]) cudaEventDestroy(marks[i]);
    if (stream) cudaStreamDestroy(stream);
    memset(marks, 0, sizeof marks);
    stream = NULL;
}

const device_facts *device_about(void) { return &facts; }
void *device_stream(void) { return stream; }
const char *device_trouble(int error) { return cudaGetErrorString((cudaError_t)error); }

size_t device_free_memory(void) {
    size_t available = 0, all = 0;
    return taken(cudaMemGetInfo(&available, &all)) ? 0 : available;
}

void *device_allocate(size_t bytes) {
    void *memory = NULL;
    return taken(cudaMalloc(&memory, bytes)) ? NULL : memory;
}

void device_release(void *memory) { cudaFree(memory); }

static int copy_and_wait(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    const int error = taken(cudaMemcpyAsync(to, from, bytes, kind, stream));
    return error ? error : device_wait();
}

int device_upload(void *to, const void *from, size_t bytes) {
    return copy_and_wait(to, from, bytes, cudaMemcpyHostToDevice);
}

int device_download(void *to, const void *from, size_t bytes) {
    return copy_and_wait(to, from, bytes, cudaMemcpyDeviceToHost);
}

int device_copy(void *to, const void *from, size_t bytes) {
    return taken(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

int device_wait(void) { return taken(cudaStreamSynchronize(stream)); }

int device_mark(int which) { return taken(cudaEventRecord(marks[which], stream)); }

int device_between(double *seconds) {
    float milliseconds = 0;
    cudaError_t error = cudaEventSynchronize(marks[1]);
    if (!error) error = cudaEventElapsedTime(&milliseconds, marks[0], marks[1]);
    *seconds = (double)milliseconds * 1e-3;
    return taken(error);
}

int device_capture(void) { return taken(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); }

int device_captured(device_graph **graph) {
    cudaGraph_t recorded = NULL;
    cudaError_t error = cudaStreamEndCapture(stream, &recorded);
    *graph = NULL;
    if (!error) error = cudaGraphInstantiate(graph, recorded, 0);
    if (recorded) cudaGraphDestroy(recorded);
    return taken(error);
}

int device_replay(device_graph *graph) { return taken(cudaGraphLaunch(graph, stream)); }

void device_forget(device_graph *graph) {
    if (graph) cudaGraphExecDestroy(graph);
}
