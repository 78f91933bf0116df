/* missing_cuda.h - why there is no CUDA device: one reason, the one that holds. For tests and benchmarks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_MISSING_CUDA_H
#define QUIRE_MISSING_CUDA_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* NULL if there is a device. An old driver is named by CUDA itself. */
static inline const char *missing_cuda(void) {
    int devices = 0, driver = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (!error && devices) return NULL;
    cudaGetLastError(); /* taken off, or the next call would be blamed */
    if (!cudaDriverGetVersion(&driver) && !driver) return "no CUDA driver";
    return error && error != cudaErrorNoDevice ? cudaGetErrorString(error) : "no CUDA device, though there is a driver";
}

#endif
