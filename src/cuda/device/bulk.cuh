/* bulk.cuh - instructions of compute capability 9.0 on: copies by the copy engine, and launches that overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_BULK_CUH
#define QUIRE_CUDA_DEVICE_BULK_CUH

#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define QUIRE_HAS_BULK 1
#else
#define QUIRE_HAS_BULK 0
#endif

/* A kernel may have been started before the one ahead of it has ended: nothing of memory may be read before this. */
static __device__ __forceinline__ void after_earlier_work(void) {
#if QUIRE_HAS_BULK
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Prefetches the 128 bytes around p into the second-level cache. That may be done before the wait, if
 * it is memory of this device: whoever writes there still does so by way of that cache. */
static __device__ __forceinline__ void ask_ahead(const void *p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/* The kernel behind this one may be started, once all blocks have said so or have ended. */
static __device__ __forceinline__ void let_later_work_start(void) {
#if QUIRE_HAS_BULK
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

#if QUIRE_HAS_BULK

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_open(uint64_t *barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* For the copy engine to see. */
static __device__ __forceinline__ void barriers_are_open(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives, and has the phase last until that number of bytes has come. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Waits for the end of the phase of that parity. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned parity) {
    unsigned done;
    do
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!done);
}

/* Multiples of 16 bytes, from and to multiples of 16; the barrier counts them. */
static __device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* What this thread has written to shared memory comes before what the copy engine writes there after this. */
static __device__ __forceinline__ void writes_before_copies(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A barrier of the first threads of a block. */
static __device__ __forceinline__ void meet(unsigned threads) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

#endif
#endif
