/* arithmetic.cuh - the hardware's arithmetic that has no operators: conversions, additions that round down and up, and
 * integers of several words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_ARITHMETIC_CUH
#define QUIRE_CUDA_DEVICE_ARITHMETIC_CUH

#include <stdint.h>

/* Conversions that keep subnormal floats, whatever a compiler was told: with --use_fast_math its own flush them. */
static __device__ __forceinline__ double wide(float x) {
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x));
    return wide;
}
static __device__ __forceinline__ float float_nearest(double x) {
    float nearest;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(nearest) : "d"(x));
    return nearest;
}
static __device__ __forceinline__ float float_toward_zero(double x) {
    float truncated;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(truncated) : "d"(x));
    return truncated;
}

/* Additions that round down and up, also of products. The two are equal if and only if neither had to round. */
static __device__ __forceinline__ double add_down(double a, double b) { return __dadd_rd(a, b); }
static __device__ __forceinline__ double add_up(double a, double b) { return __dadd_ru(a, b); }
static __device__ __forceinline__ float add_down(float a, float b) { return __fadd_rd(a, b); }
static __device__ __forceinline__ float add_up(float a, float b) { return __fadd_ru(a, b); }

/* a * b + c, rounded once. */
static __device__ __forceinline__ double fma_down(double a, double b, double c) { return __fma_rd(a, b, c); }
static __device__ __forceinline__ double fma_up(double a, double b, double c) { return __fma_ru(a, b, c); }

/* Three words of 64 bits, the least first. */
static __device__ __forceinline__ void add_three_words(uint64_t (&to)[3], uint64_t low, uint64_t middle,
                                                       uint64_t high) {
    asm("add.cc.u64 %0, %0, %3;\n\taddc.cc.u64 %1, %1, %4;\n\taddc.u64 %2, %2, %5;"
        : "+l"(to[0]), "+l"(to[1]), "+l"(to[2])
        : "l"(low), "l"(middle), "l"(high));
}

/* The hardware's conversions of formats of 8 bits, two numbers at a time, where it has them: exact, for every number of
 * 8 bits is one of 16. Of E4M3, the lower 16 bits of a word, as two of half. */
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
