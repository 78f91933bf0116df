/* bulk.cuh - instructions of compute capability 9.0 on: copies by the copy engine, and launches that overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_BULK_CUH
#define QUIRE_CUDA_DEVICE_BULK_CUH

#include <cuda/ptx>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define QUIRE_HAS_BULK 1
#else
#define QUIRE_HAS_BULK 0
#endif

/* A kernel may have been started before the one ahead of it has ended: nothing of memory may be read before this. */
static __device__ __forceinline__ void after_earlier_work(void) {
#if QUIRE_HAS_BULK
    cudaGridDependencySynchronize();
#endif
}

/* Prefetches the 128 bytes around p into the second-level cache. That may be done before the wait, if
 * it is memory of this device: whoever writes there still does so by way of that cache. */
static __device__ __forceinline__ void prefetch(const void *p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/* The kernel behind this one may be started, once all blocks have said so or have ended. */
static __device__ __forceinline__ void let_later_work_start(void) {
#if QUIRE_HAS_BULK
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

#if QUIRE_HAS_BULK

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_open(uint64_t *barrier, unsigned arrivals) {
    cuda::ptx::mbarrier_init(barrier, arrivals);
}

/* For the copy engine to see. */
static __device__ __forceinline__ void barriers_are_open(void) {
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

/* When all phases that were begun have ended: its memory may then be used for something else. By one thread. */
static __device__ __forceinline__ void barrier_close(uint64_t *barrier) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier) { cuda::ptx::mbarrier_arrive(barrier); }

/* Arrives, and has the phase last until that number of bytes has come. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, barrier,
                                         bytes);
}

/* Waits for the end of the phase of that parity. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

/* Multiples of 16 bytes, from and to multiples of 16; the barrier counts them. */
static __device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, bytes, barrier);
}

/* A barrier of the first threads of a block. */
static __device__ __forceinline__ void sync_first_threads(unsigned threads) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

#endif
#endif
