/* device.h - what the suites that need a device ask first. */
#ifndef QUIRE_TESTS_DEVICE_H
#define QUIRE_TESTS_DEVICE_H

#include <check.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include <quire/quire.h>

#include "missing_cuda.h"

#define CUDA(call) ck_assert_msg((call) == cudaSuccess, "%s: %s", #call, cudaGetErrorString(cudaGetLastError()))

/* Whether there is no device; says so as TAP does. */
static inline int device_is_missing(void) {
    const char *reason = missing_cuda();
    if (reason) printf("1..0 # SKIP %s\n", reason);
    return reason != NULL;
}

/* A context whose launches are as src/cuda/host/context.cu reads them. _POSIX_C_SOURCE is the includer's. */
static inline quire_context *open_launched(const char *launch, cudaStream_t stream) {
    quire_context *c = NULL;
    setenv("QUIRE_CUDA_LAUNCH", launch, 1);
    ck_assert_int_eq(quire_open_cuda(&c, 0, stream), QUIRE_OK);
    unsetenv("QUIRE_CUDA_LAUNCH");
    return c;
}

#endif
