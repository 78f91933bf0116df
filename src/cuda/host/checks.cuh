/* checks.cuh - what only CUDA can tell of streams and memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_CHECKS_CUH
#define QUIRE_CUDA_HOST_CHECKS_CUH

#include "cuda/host/calls.cuh"
#include "cuda/host/context.cuh"

/* A stream that is being captured may not be asked for its device: that would end the capture. */
static bool is_capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status)) cudaGetLastError();
    return status != cudaStreamCaptureStatusNone;
}

static quire_status check_stream(cudaStream_t stream, int device) {
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || is_capturing(stream)) return QUIRE_OK;
#if CUDART_VERSION >= 12080
    int streams;
    const cudaError_t error = cudaStreamGetDevice(stream, &streams);
    if (error == cudaErrorInvalidValue || error == cudaErrorInvalidResourceHandle) {
        cudaGetLastError();
        return QUIRE_INVALID_STREAM;
    }
    if (error) return status_of(error);
    return streams == device ? QUIRE_OK : QUIRE_INVALID_STREAM;
#else
    unsigned flags;
    (void)device;
    return cudaStreamGetFlags(stream, &flags) ? (cudaGetLastError(), QUIRE_INVALID_STREAM) : QUIRE_OK;
#endif
}

/* Memory of this device, managed memory, or host memory that was registered with CUDA, at an address that is the same
 * there. */
static quire_status check_memory(const void *p, const cuda_context *c) {
    cudaPointerAttributes is;
    const cudaError_t error = cudaPointerGetAttributes(&is, p);
    if (error == cudaErrorInvalidValue) {
        cudaGetLastError();
        return QUIRE_NOT_DEVICE_MEMORY;
    }
    if (error) return status_of(error);
    if (is.type == cudaMemoryTypeUnregistered || is.devicePointer != p) return QUIRE_NOT_DEVICE_MEMORY;
    return is.type == cudaMemoryTypeDevice && is.device != c->device ? QUIRE_NOT_DEVICE_MEMORY : QUIRE_OK;
}

/* Whether no two calls have been at work in the context's workspace at once, as far as is known. */
static quire_status check_alone(const cuda_context *c) {
    return *(volatile unsigned *)c->clash ? QUIRE_DEVICE_FAULT : QUIRE_OK;
}

/* Those of a job. */
static quire_status check_memories(const cuda_context *c, const quire_job *job, const void *target) {
    quire_status status = check_memory(target, c);
    if (!status && job->n) status = check_memory(job->x, c);
    if (!status && job->n && job->y != job->x) status = check_memory(job->y, c);
    return status;
}

#endif
