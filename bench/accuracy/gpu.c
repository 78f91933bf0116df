/* gpu.c - the GPU by name.
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
