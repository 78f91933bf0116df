/* device.h - what the suites that need a device ask first. */
#ifndef QUIRE_TESTS_DEVICE_H
#define QUIRE_TESTS_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdio.h>

/* Whether there is no device; says so as TAP does. */
static inline int device_is_missing(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (!error && devices) return 0;
    printf("1..0 # SKIP no CUDA device (%s)\n", error ? cudaGetErrorString(error) : "none is there");
    return 1;
}

#endif
