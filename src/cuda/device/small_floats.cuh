/* small_floats.cuh - the hardware's conversions of formats of 8 bits, two at a time, where it has them. Both are exact:
 * every number of 8 bits is one of 16.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_SMALL_FLOATS_CUH
#define QUIRE_CUDA_DEVICE_SMALL_FLOATS_CUH

#include <stdint.h>

/* Two numbers of E4M3, the lower 16 bits of a word, as two of half. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define QUIRE_HAS_E4M3 1
static __device__ __forceinline__ uint32_t two_halves_of_e4m3(uint32_t two) {
    uint32_t halves;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((uint16_t)two));
    return halves;
}
#else
#define QUIRE_HAS_E4M3 0
#endif

/* Two numbers of E5M2, bytes "at" and "at + 1" of a word: a half has their bits above eight zeros. */
static __device__ __forceinline__ uint32_t two_halves_of_e5m2(uint32_t word, int at) {
    return at ? __byte_perm(word, 0, 0x3424) : __byte_perm(word, 0, 0x1404);
}

#endif
