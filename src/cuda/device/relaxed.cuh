/* relaxed.cuh - words of global memory that one block stores and another loads, relaxed, at the scope of the device
 * (docs/gpu-protocol.md). cuda::atomic_ref loads one word at a time; these functions load up to 16 bytes at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_RELAXED_CUH
#define QUIRE_CUDA_DEVICE_RELAXED_CUH

#include <stdint.h>

static __device__ __forceinline__ void store_relaxed(void *to, uint32_t word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

static __device__ __forceinline__ void store_relaxed(void *to, uint64_t word) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

static __device__ __forceinline__ void load_relaxed(const uint32_t *from, uint32_t (&to)[1]) {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(to[0]) : "l"(from) : "memory");
}

static __device__ __forceinline__ void load_relaxed(const uint32_t *from, uint32_t (&to)[2]) {
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from) : "memory");
}

static __device__ __forceinline__ void load_relaxed(const uint32_t *from, uint32_t (&to)[4]) {
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from)
                 : "memory");
}

static __device__ __forceinline__ void load_relaxed(const uint64_t *from, uint64_t (&to)[1]) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(to[0]) : "l"(from) : "memory");
}

static __device__ __forceinline__ void load_relaxed(const uint64_t *from, uint64_t (&to)[2]) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(to[0]), "=l"(to[1]) : "l"(from) : "memory");
}

#endif
