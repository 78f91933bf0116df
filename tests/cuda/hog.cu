/* hog.cu - a kernel of the caller that stays on the device until it is told to go. */
#include <cuda_runtime.h>

#include "device_code.h"

static __global__ void hog_kernel(unsigned *there, const volatile unsigned *go) {
    if (threadIdx.x == 0) {
        atomicAdd_system(there, 1);
        while (!*go) __nanosleep(1000);
    }
    __syncthreads();
}

int launch_hog(unsigned blocks, unsigned threads, unsigned shared, unsigned *there, const unsigned *go,
               struct CUstream_st *stream) {
    cudaFuncSetAttribute(hog_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    cudaFuncSetAttribute(hog_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
    hog_kernel<<<blocks, threads, shared, stream>>>(there, go);
    return cudaGetLastError();
}
