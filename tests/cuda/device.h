/* device.h - what the suites that need a device ask first. */
#ifndef QUIRE_TESTS_DEVICE_H
#define QUIRE_TESTS_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "missing_cuda.h"

/* Whether there is no device; says so as TAP does. */
static inline int device_is_missing(void) {
    const char *reason = missing_cuda();
    if (reason) printf("1..0 # SKIP %s\n", reason);
    return reason != NULL;
}

#endif
