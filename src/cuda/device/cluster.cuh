/* cluster.cuh - stores to the shared memory of another block of a cluster, and the wait for them. For compute
 * capability 9.0 and later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_CLUSTER_CUH
#define QUIRE_CUDA_DEVICE_CLUSTER_CUH

#include "cuda/device/bulk.cuh"

#if QUIRE_HAS_BULK

/* Stores two words in the shared memory of another block, where this block has "to"; the barrier there, where this
 * block has its own, counts their bytes. Nobody waits. */
static __device__ __forceinline__ void store_in_cluster(const uint64_t (&word)[2], void *to, uint64_t *barrier,
                                                        unsigned block) {
    asm volatile("{\n"
                 ".reg .b32 to, barrier;\n"
                 "mapa.shared::cluster.u32 to, %0, %2;\n"
                 "mapa.shared::cluster.u32 barrier, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [to], {%3, %4}, [barrier];\n"
                 "}" ::"r"(shared_address(to)),
                 "r"(shared_address(barrier)), "r"(block), "l"(word[0]), "l"(word[1])
                 : "memory");
}

/* Waits for the end of the first phase, and for what other blocks have done before. */
static __device__ __forceinline__ void barrier_wait_for_cluster(uint64_t *barrier) {
    while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, barrier, 0)) {
    }
}

#endif
#endif
