/* gpu.c - the GPU by name, and its memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gpu.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

void gpu_describe(char *text, size_t size) {
    struct cudaDeviceProp is;
    int driver = 0, runtime = 0;
    snprintf(text, size, "none");
    if (cudaDriverGetVersion(&driver) || cudaRuntimeGetVersion(&runtime) || cudaGetDeviceProperties(&is, 0)) {
        cudaGetLastError();
        return;
    }
    snprintf(text, size, "%s, compute capability %d.%d, driver %d.%d, runtime %d.%d", is.name, is.major, is.minor,
             driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static _Thread_local cudaError_t last;

/* An error that stayed in the runtime would be taken for the library's. */
static bool fine(cudaError_t error) {
    if (!error) return true;
    last = error;
    cudaGetLastError();
    return false;
}

const char *gpu_error(void) { return cudaGetErrorString(last); }

bool gpu_open_stream(void **stream) {
    cudaStream_t made = NULL;
    const bool is_fine = fine(cudaSetDevice(0)) && fine(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    *stream = made;
    return is_fine;
}

void gpu_close_stream(void *stream) {
    if (stream) cudaStreamDestroy((cudaStream_t)stream);
}

void *gpu_take(size_t bytes) {
    void *block = NULL;
    return fine(cudaMalloc(&block, bytes)) ? block : NULL;
}

void gpu_drop(void *block) { cudaFree(block); }

bool gpu_send(void *stream, void *to, const void *from, size_t bytes) {
    return fine(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, (cudaStream_t)stream));
}

bool gpu_fetch(void *stream, void *to, const void *from, size_t bytes) {
    return fine(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)stream)) &&
           fine(cudaStreamSynchronize((cudaStream_t)stream));
}
