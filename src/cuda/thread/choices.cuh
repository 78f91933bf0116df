/* choices.cuh - formats, terms and methods as types, made from the lists, so that a kernel is a template of its
 * choices.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHOICES_CUH
#define QUIRE_CUDA_THREAD_CHOICES_CUH

#include <cuda_fp16.h>

#include "accumulator/limbs.h"
#include "cuda/device/registers.cuh"
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

#define REAL float
#define SUFFIX f32
#include "operation/term.h"

#define REAL double
#define SUFFIX f64
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

#define TERM_TYPE(term, TERM, product, pair, sign, unused)                                                             \
    static_assert((int)TERM == (int)TERM_IDENTITY || (int)TERM == (int)TERM_MAGNITUDE ||                               \
                      (int)TERM == (int)TERM_PRODUCT,                                                                  \
                  "kernels know elements, their magnitudes and products: a new term needs its ways in src/cuda");      \
    struct term##_term {                                                                                               \
        static constexpr bool is_product = product, is_pair = pair; /* made of two numbers; of two arrays */           \
        static __device__ float value(float x, float y) { return term##_value_f32(x, y); }                             \
        static __device__ double value(double x, double y) { return term##_value_f64(x, y); }                          \
        static __device__ float error(float x, float y, float v) { return term##_error_f32(x, y, v); }                 \
        static __device__ double error(double x, double y, double v) { return term##_error_f64(x, y, v); }             \
    };
QUIRE_TERMS(TERM_TYPE, )

/* A product of an array with itself, which is read once. */
struct square_term : product_term {
    static constexpr bool is_pair = false;
};

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
        static __device__ quire_total total(const double *s) { return method##_total(s); }                             \
    };
QUIRE_LANE_METHODS(METHOD_TYPE, )

/* --------------------------------------------------------------------------------------------------------- elements */

template <class Format> constexpr int vector_elements = 16 / (int)sizeof(typename Format::element);

/* Element number i of some that were loaded together, as words. */
template <class Element> static __device__ __forceinline__ Element element_of_words(const uint32_t *word, int i) {
    if constexpr (sizeof(Element) == 2)
        return (Element)(word[i / 2] >> i % 2 * 16);
    else if constexpr (sizeof(Element) == 4)
        return float_of_bits(word[i]);
    else
        return double_of_bits((uint64_t)word[2 * i + 1] << 32 | word[2 * i]);
}

/* COUNT elements that are loaded together: 16 bytes, or one. They stay words until they are used: a compiler that sees
 * elements takes a register for each. */
template <class Format, int COUNT> struct pack {
    typedef typename Format::element element;
    uint32_t word[4];

    __device__ __forceinline__ void load(const element *p) {
        const uint4 bytes = __ldcs((const uint4 *)p);
        word[0] = bytes.x, word[1] = bytes.y, word[2] = bytes.z, word[3] = bytes.w;
    }
    /* The byte upper above zeros, for each element. */
    __device__ __forceinline__ void fill(uint32_t upper) {
        for (int i = 0; i < 4; i++)
            word[i] = sizeof(element) == 2 ? upper << 24 | upper << 8 : sizeof(element) == 4 || i % 2 ? upper << 24 : 0;
    }
    /* Elements from, ... count - 1; for each of the others as above. */
    __device__ __forceinline__ void load_part(const element *p, int from, int count, uint32_t upper) {
        fill(upper);
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (i >= from && i < count) set(i, p[i]);
    }
    __device__ __forceinline__ void load_some(const element *p, int count, uint32_t upper) {
        if (count >= COUNT)
            load(p);
        else
            load_part(p, 0, count, upper);
    }
    __device__ __forceinline__ void set(int i, element e) {
        if constexpr (sizeof(element) == 2)
            word[i / 2] = i % 2 ? (word[i / 2] & 0xffff) | (uint32_t)e << 16 : (word[i / 2] & 0xffff0000) | e;
        else if constexpr (sizeof(element) == 4)
            word[i] = bits_of_float(e);
        else
            word[2 * i] = (uint32_t)bits_of_double(e), word[2 * i + 1] = (uint32_t)(bits_of_double(e) >> 32);
    }
    /* Whether an element is something other than -0. */
    __device__ __forceinline__ bool is_other() const {
        constexpr uint32_t zero = sizeof(element) == 2 ? 0x80008000 : 0x80000000;
        uint32_t other = 0;
        for (int i = 0; i < 4; i++) other |= word[i] ^ (sizeof(element) == 8 && i % 2 == 0 ? 0 : zero);
        return other != 0;
    }
    /* Whether any two elements have the same sign. */
    __device__ __forceinline__ bool has_equal_sign(const pack &other) const {
        constexpr uint32_t sign = sizeof(element) == 2 ? 0x80008000 : 0x80000000;
        uint32_t differs = sign;
        for (int i = sizeof(element) == 8; i < 4; i += sizeof(element) == 8 ? 2 : 1) differs &= word[i] ^ other.word[i];
        return differs != sign;
    }
    /* Makes the compiler forget what it has computed from the words: on rare paths to compute it again costs less than
     * to keep it in registers all the way there. */
    __device__ __forceinline__ void forget() {
        for (int i = 0; i < 4; i++) word[i] = opaque(word[i]);
    }
    __device__ __forceinline__ element operator[](int i) const { return element_of_words<element>(word, i); }
};

template <class Format> struct pack<Format, 1> {
    typedef typename Format::element element;
    element one;

    __device__ __forceinline__ void load(const element *p) { one = *p; }
    __device__ __forceinline__ void load_some(const element *p, int count, uint32_t upper) {
        if (count > 0)
            one = *p;
        else if constexpr (sizeof(element) == 2)
            one = (element)(upper << 8);
        else
            one = upper ? (element)-0.0 : (element)0;
    }
    __device__ __forceinline__ bool is_other() const {
        if constexpr (sizeof(element) == 2)
            return one != 0x8000;
        else
            return bits_of_double(one) != 0x8000000000000000;
    }
    __device__ __forceinline__ bool has_equal_sign(const pack &other) const {
        if constexpr (sizeof(element) == 2)
            return !((one ^ other.one) & 0x8000);
        else
            return !((bits_of_double(one) ^ bits_of_double(other.one)) >> 63);
    }
    __device__ __forceinline__ void forget() {}
    __device__ __forceinline__ element operator[](int) const { return one; }
};

/* The hardware's conversion is exact, and one instruction. */
static __device__ __forceinline__ float decode(half_format, half_element x) {
    return __half2float(__ushort_as_half(x));
}
static __device__ __forceinline__ float decode(bfloat16_format, bfloat16_element x) { return bfloat16_to_f32(x); }
static __device__ __forceinline__ float decode(float_format, float_element x) { return x; }
static __device__ __forceinline__ double decode(double_format, double_element x) { return x; }

#endif
