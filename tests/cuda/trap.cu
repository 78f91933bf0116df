/* trap.cu - a kernel of the caller that goes wrong. */
#include <cuda_runtime.h>

#include "device_code.h"

static __global__ void trap_kernel() { __trap(); }

int launch_trap(void) {
    trap_kernel<<<1, 1>>>();
    return cudaGetLastError();
}
