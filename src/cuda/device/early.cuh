/* early.cuh - launches that overlap, from compute capability 9.0 on: a kernel may be started before the one ahead of it
 * has ended.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_EARLY_CUH
#define QUIRE_CUDA_DEVICE_EARLY_CUH

/* Nothing of memory may be read before this. */
static __device__ __forceinline__ void after_earlier_work(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* The kernel behind this one may be started, once all blocks have said so or have ended. */
static __device__ __forceinline__ void let_later_work_start(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

#endif
