/* choices.cuh - formats, terms and methods as types, made from the lists, so that a kernel is a template of its
 * choices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHOICES_CUH
#define QUIRE_CUDA_THREAD_CHOICES_CUH

#include <cuda_fp16.h>

#include "accumulator/limbs.h"
#include "format/formats.h"
#include "method/methods.h"
#include "operation/operations.h"
#include "order/order.h"

QUIRE_INLINE float abs_f32(float x) { return float_of_bits(bits_of_float(x) & 0x7fffffff); }
QUIRE_INLINE double abs_f64(double x) { return double_of_bits(bits_of_double(x) & 0x7fffffffffffffff); }
static __device__ __forceinline__ float fma_f32(float x, float y, float z) { return __fmaf_rn(x, y, z); }
static __device__ __forceinline__ double fma_f64(double x, double y, double z) { return __fma_rn(x, y, z); }

/* The methods' arithmetic calls fma, which only the device has here. */
#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__

/* TwoSum by instructions of its own: b may be a product of the caller's, which a compiler that may contract would make
 * one of with the addition, and again with the subtraction. In kernels of users' own (quire/device.cuh) a may be one,
 * too; those of the library are compiled by none that contracts. */
#define REAL float
#define SUFFIX f32
#define ADD(a, b) __fadd_rn(a, b)
#define SUBTRACT(a, b) __fsub_rn(a, b)
#ifdef QUIRE_DEVICE_ALONE
#define SUBTRACT_FIRST(s, a) __fsub_rn(s, a)
#endif
#include "operation/term.h"

#define REAL double
#define SUFFIX f64
#define ADD(a, b) __dadd_rn(a, b)
#define SUBTRACT(a, b) __dsub_rn(a, b)
#ifdef QUIRE_DEVICE_ALONE
#define SUBTRACT_FIRST(s, a) __dsub_rn(s, a)
#endif
#include "operation/term.h"

#define REAL float
#define SUFFIX f32
#include "method/lanes.h"

#define REAL double
#define SUFFIX f64
#include "method/lanes.h"

#pragma pop_macro("QUIRE_INLINE")

#define FORMAT_TYPE(name, NAME, number, real_name, unused)                                                             \
    struct name##_format {                                                                                             \
        typedef name##_element element;                                                                                \
        typedef real_name##_type real;                                                                                 \
        static constexpr format_description description = NAME##_DESCRIPTION;                                          \
    };
QUIRE_FORMATS(FORMAT_TYPE, )

#define CHECK_TERM(term, TERM, product, pair, sign, unused)                                                            \
    static_assert((int)TERM == (int)TERM_IDENTITY || (int)TERM == (int)TERM_MAGNITUDE ||                               \
                      (int)TERM == (int)TERM_PRODUCT,                                                                  \
                  "kernels know elements, their magnitudes and products: a new term needs its ways in src/cuda");
QUIRE_TERMS(CHECK_TERM, )
#undef CHECK_TERM
/* What a product of two numbers has lost. */
static __device__ __forceinline__ float product_error(float x, float y, float v) { return product_error_f32(x, y, v); }
static __device__ __forceinline__ double product_error(double x, double y, double v) {
    return product_error_f64(x, y, v);
}

#define METHOD_TYPE(method, METHOD, word_count, rows, unused)                                                          \
    struct method##_method {                                                                                           \
        static constexpr int words = word_count;                                                                       \
        static __device__ void add(float *s, float v, float e, int has_error) {                                        \
            method##_add_f32(s, v, e, has_error);                                                                      \
        }                                                                                                              \
        static __device__ void add(double *s, double v, double e, int has_error) {                                     \
            method##_add_f64(s, v, e, has_error);                                                                      \
        }                                                                                                              \
        static __device__ void merge(float *s, const float *o) { method##_merge_f32(s, o); }                           \
        static __device__ void merge(double *s, const double *o) { method##_merge_f64(s, o); }                         \
    };
QUIRE_LANE_METHODS(METHOD_TYPE, )

/* The hardware's conversion is exact, and one instruction. */
static __device__ __forceinline__ float decode(half_format, half_element x) {
    return __half2float(__ushort_as_half(x));
}
static __device__ __forceinline__ float decode(bfloat16_format, bfloat16_element x) { return bfloat16_to_f32(x); }
static __device__ __forceinline__ float decode(float_format, float_element x) { return x; }
static __device__ __forceinline__ double decode(double_format, double_element x) { return x; }

#endif
