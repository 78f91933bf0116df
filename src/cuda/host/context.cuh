/* context.cuh - what a context on a device holds, what every call to CUDA stands in, and what only CUDA can tell of
 * streams and memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_CONTEXT_CUH
#define QUIRE_CUDA_HOST_CONTEXT_CUH

#include <cuda_runtime.h>
#include <fenv.h>

#include "cuda/host/plan.h"
#include "cuda/kernels/vectors_job.h"
#include "quire/quire.h"

struct cuda_context {
    quire_context base;
    int device;
    device_facts facts;
    cudaStream_t stream;
    cudaEvent_t moved; /* orders a new stream behind the old one */
    vectors_workspace *vectors;
    unsigned *clash; /* the host's, as far as is known: whether two calls were at work in the workspace at once */
};

/* Makes a device the current one, and the caller's again. The runtime leaves marks in the floating-point flags (and may
 * not like his modes): those are the caller's again, too. */
class on_device {
    fenv_t environment;
    int callers, mine;

  public:
    cudaError_t error;
    explicit on_device(int device) : callers(device), mine(device) {
        feholdexcept(&environment);
        error = cudaGetDevice(&callers);
        if (!error && callers != mine) error = cudaSetDevice(mine);
    }
    ~on_device() {
        if (callers != mine) cudaSetDevice(callers);
        fesetenv(&environment);
    }
};

/* What an error of the runtime means to our caller. An error that does not stick is taken off, so that the caller does
 * not find ours among his own. */
static quire_status status_of(cudaError_t error) {
    if (!error) return QUIRE_OK;
    cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation: return QUIRE_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary: return QUIRE_NO_DEVICE;
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion: return QUIRE_INVALID_DEVICE;
    case cudaErrorInvalidResourceHandle:
    case cudaErrorContextIsDestroyed: return QUIRE_INVALID_STREAM;
    default: return QUIRE_DEVICE_FAULT;
    }
}

/* A function of the backend, from what it does with its context when the context's device is the current one. */
template <auto DO> struct on_its_device;
template <class Context, class... Given, quire_status (*DO)(Context *, Given...)> struct on_its_device<DO> {
    static quire_status call(quire_context *context, Given... given) {
        Context *const c = (Context *)context;
        const on_device here(c->device);
        return here.error ? status_of(here.error) : DO(c, given...);
    }
};

/* Another thread's capture must not mind what is allocated and freed here. */
class beside_captures {
    cudaStreamCaptureMode mode;

  public:
    beside_captures() : mode(cudaStreamCaptureModeRelaxed) { cudaThreadExchangeStreamCaptureMode(&mode); }
    ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode); }
};

/* A stream that is being captured may not be asked for its device: that would end the capture. */
static bool is_capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status)) return cudaGetLastError(), false; /* status may be anything */
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
