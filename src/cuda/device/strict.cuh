/* strict.cuh - floats and doubles whose arithmetic is IEEE 754's, rounded to nearest, whatever a compiler was told:
 * each operation is an instruction with its rounding stated, which is neither contracted nor flushes subnormals. For
 * kernels of users' own, who may compile them with --use_fast_math (quire/device.cuh); kernels of the library are
 * compiled as they have to be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_STRICT_CUH
#define QUIRE_CUDA_DEVICE_STRICT_CUH

#include "cuda/device/arithmetic.cuh"

struct strict_float {
    float x;
    __device__ __forceinline__ operator double() const { return wide(x); }
};

#define STRICT_FLOAT(name, instruction)                                                                                \
    static __device__ __forceinline__ strict_float name(strict_float a, strict_float b) {                              \
        strict_float result;                                                                                           \
        asm(instruction " %0, %1, %2;" : "=f"(result.x) : "f"(a.x), "f"(b.x));                                         \
        return result;                                                                                                 \
    }
STRICT_FLOAT(operator+, "add.rn.f32")
STRICT_FLOAT(operator-, "sub.rn.f32")
STRICT_FLOAT(operator*, "mul.rn.f32")
#undef STRICT_FLOAT

/* Signs are bits here, by instructions that no compiler knows as a negation, which would flush. */
#define STRICT_BITS(name, instruction)                                                                                 \
    static __device__ __forceinline__ strict_float name(strict_float a) {                                              \
        unsigned bits;                                                                                                 \
        asm(instruction : "=r"(bits) : "r"(__float_as_uint(a.x)));                                                     \
        return { __uint_as_float(bits) };                                                                              \
    }
STRICT_BITS(operator-, "xor.b32 %0, %1, 0x80000000;")
STRICT_BITS(abs_strict, "and.b32 %0, %1, 0x7fffffff;")
#undef STRICT_BITS
static __device__ __forceinline__ strict_float fma_strict(strict_float a, strict_float b, strict_float c) {
    strict_float result;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(result.x) : "f"(a.x), "f"(b.x), "f"(c.x));
    return result;
}

/* Nothing flushes doubles. */
struct strict_double {
    double x;
    __device__ __forceinline__ operator double() const { return x; }
};

static __device__ __forceinline__ strict_double operator+(strict_double a, strict_double b) {
    return { __dadd_rn(a.x, b.x) };
}
static __device__ __forceinline__ strict_double operator-(strict_double a, strict_double b) {
    return { __dsub_rn(a.x, b.x) };
}
static __device__ __forceinline__ strict_double operator*(strict_double a, strict_double b) {
    return { __dmul_rn(a.x, b.x) };
}
static __device__ __forceinline__ strict_double operator-(strict_double a) {
    return { __longlong_as_double(__double_as_longlong(a.x) ^ (long long)0x8000000000000000u) };
}
static __device__ __forceinline__ strict_double abs_strict(strict_double a) {
    return { __longlong_as_double(__double_as_longlong(a.x) & 0x7fffffffffffffff) };
}
static __device__ __forceinline__ strict_double fma_strict(strict_double a, strict_double b, strict_double c) {
    return { __fma_rn(a.x, b.x, c.x) };
}

#endif
