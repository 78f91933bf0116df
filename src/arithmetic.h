/* arithmetic.h - what every file that does arithmetic relies on, in C and in CUDA alike.
 *
 * ASSUMPTIONS, checked here as far as a preprocessor can (tests/contract/test_build.c checks the rest on the finished
 * library):
 *   - float and double are IEEE 754 binary32 and binary64, evaluated in their own format (FLT_EVAL_METHOD 0);
 *   - no fast-math: error-free transforms are algebraically zero, and a compiler allowed to use algebra deletes them;
 *   - no contraction of a*b + c unless we write fma;
 *   - two's complement, and >> of a negative number shifts in sign bits (GCC, Clang, nvcc document it);
 *   - rounding to nearest and no flush to zero while our code runs: src/cpu/environment.h sees to that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ARITHMETIC_H
#define QUIRE_ARITHMETIC_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if (defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)) &&                             \
    !defined(QUIRE_DEVICE_ALONE) /* whose host code has none of it */
#error "quire must be built without -ffast-math and its parts"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "quire needs float and double evaluated in their own format (on 32-bit x86: -msse2 -mfpmath=sse)"
#endif

/* QUIRE_INLINE: a function of a header, compiled for whoever includes it: C, CUDA host and CUDA device. */
#if defined(__CUDACC__)
#define QUIRE_INLINE static __host__ __device__ __forceinline__
#else
#define QUIRE_INLINE static inline __attribute__((always_inline, unused))
#endif

/* QUIRE_CONSTANT: the same, and a constant of CUDA C++ where its arguments are. */
#if defined(__CUDACC__)
#define QUIRE_CONSTANT static __host__ __device__ constexpr
#else
#define QUIRE_CONSTANT static inline
#endif

/* A condition of the build, in C and in C++. */
#ifdef __cplusplus
#define QUIRE_STATIC_ASSERT static_assert
#else
#define QUIRE_STATIC_ASSERT _Static_assert
#endif

/* Names of functions that exist once per type: QUIRE_NAME(kahan_add, f32) is kahan_add_f32, with macros expanded first.
 */
#define QUIRE_PASTE(a, b) a##_##b
#define QUIRE_NAME(a, b) QUIRE_PASTE(a, b)

QUIRE_INLINE uint32_t bits_of_float(float x) {
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

QUIRE_INLINE float float_of_bits(uint32_t b) {
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

QUIRE_INLINE uint64_t bits_of_double(double x) {
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

QUIRE_INLINE double double_of_bits(uint64_t b) {
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* |stride|, of any: the least has no negative of its own type. */
QUIRE_INLINE size_t stride_magnitude(ptrdiff_t stride) {
    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

/* How many zero bits stand above the highest set bit; x is not 0. */
QUIRE_INLINE int leading_zeros(uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

/* floor(sqrt(x)) */
QUIRE_INLINE uint64_t integer_root(uint64_t x) {
    uint64_t root = 0;
#if defined(__CUDA_ARCH__)
    root = (uint64_t)__dsqrt_rn((double)x); /* or its neighbour */
    if (root > 0xffffffffu) root = 0xffffffffu;
    while (root * root > x) root--;
    while (root < 0xffffffffu && (root + 1) * (root + 1) <= x) root++;
#else
    for (uint64_t bit = (uint64_t)1 << 62; bit; bit >>= 2) { /* the caller's rounding may be any: no sqrt */
        const uint64_t trial = root + bit;
        root >>= 1;
        if (x >= trial) x -= trial, root += bit;
    }
#endif
    return root;
}

/* The 128-bit product of two 64-bit numbers, without a 128-bit type: not every compiler has one. */
QUIRE_INLINE void multiply_64(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (middle << 32) | (p00 & 0xffffffffu);
    *high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

#endif
