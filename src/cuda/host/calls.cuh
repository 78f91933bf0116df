/* calls.cuh - what every call to CUDA stands in: the device is made the current one, and errors become ours.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_CALLS_CUH
#define QUIRE_CUDA_HOST_CALLS_CUH

#include <cuda_runtime.h>
#include <fenv.h>

#include "quire/quire.h"

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

/* Another thread's capture must not mind what is allocated and freed here. */
class beside_captures {
    cudaStreamCaptureMode mode;

  public:
    beside_captures() : mode(cudaStreamCaptureModeRelaxed) { cudaThreadExchangeStreamCaptureMode(&mode); }
    ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode); }
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

#endif
