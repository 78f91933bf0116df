/* launch.cuh - how small kernels are started. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_LAUNCH_CUH
#define QUIRE_CUDA_KERNELS_LAUNCH_CUH

#include <cuda_runtime.h>

/* What a launch answers is its own error: an earlier one of the caller's, that he has not asked for, stays his. shared:
 * bytes of shared memory that are the launch's. */
template <class... Expected, class... Given>
static cudaError_t start_kernel(size_t blocks, unsigned threads, unsigned shared, cudaStream_t stream,
                                void (*kernel)(Expected...), const Given &...given) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, Expected(given)...);
}

#endif
