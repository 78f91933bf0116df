/* elements.cuh - elements, and a thread's loads of them from a vector of any stride: of a format that is known when a
 * kernel is compiled; or when it runs, for kernels that wait for memory anyway, which are compiled once for all
 * formats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ELEMENTS_CUH
#define QUIRE_CUDA_THREAD_ELEMENTS_CUH

#include "cuda/thread/choices.cuh"

/* Formats that the generic way serves. */
#define DECODE(name, NAME, number, real, unused)                                                                       \
    static __device__ __forceinline__ float decode(name##_format, name##_element x) { return name##_to_f32(x); }
QUIRE_DECODED_FORMATS(DECODE, )
#undef DECODE

/* Element k is x[k * stride]. */
template <class Format> struct vector_view {
    const typename Format::element *x;
    ptrdiff_t stride;
};

/* -0, or if plus +0. */
template <class Format> static __device__ __forceinline__ typename Format::element zero_element(bool plus) {
    typedef typename Format::element element;
    if constexpr (sizeof(element) >= 4)
        return plus ? (element)0.0 : (element)-0.0;
    else
        return (element)(plus ? 0 : Format::description.sign);
}

/* Elements that a thread loads at a time, as they stand in memory: they stay so until they are used, in fewer
 * registers. */
template <class Format, int COUNT> struct element_group {
    typedef typename Format::element element;
    static constexpr int WORDS = (COUNT * (int)sizeof(element) + 3) / 4;
    union {
        element of[COUNT];
        uint32_t word[WORDS];
    };

    /* Elements k, k + step, ...; in place of those from end on the zero that changes no sum. */
    __device__ __forceinline__ void load(vector_view<Format> v, size_t k, size_t step, size_t end, bool plus) {
        const element *p = v.x + (ptrdiff_t)k * v.stride;
        const ptrdiff_t apart = (ptrdiff_t)step * v.stride;
#pragma unroll
        for (int i = 0; i < COUNT; i++) of[i] = k + i * step < end ? p[i * apart] : zero_element<Format>(plus);
    }
    /* COUNT elements, 16 bytes, of shared memory; ALIGNED: at a multiple of these. No word is read that has none of
     * them. */
    template <bool ALIGNED = true> __device__ __forceinline__ void load_stage(const unsigned char *p) {
        if constexpr (ALIGNED) {
            const uint4 four = *(const uint4 *)p;
            word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
        } else if constexpr (sizeof(element) >= 4) {
#pragma unroll
            for (int i = 0; i < COUNT; i++) of[i] = ((const element *)p)[i];
        } else {
            const unsigned off = (unsigned)((uintptr_t)p % 4);
            const uint32_t *from = (const uint32_t *)(p - off);
            const uint32_t last = off ? from[4] : 0;
#pragma unroll
            for (int i = 0; i < 4; i++) word[i] = __funnelshift_r(from[i], i < 3 ? from[i + 1] : last, 8 * off);
        }
    }
};

/* The term of elements x and y: their product; or x itself, or without its sign. */
template <class Format, bool PRODUCT> struct element_term {
    typedef typename Format::real real;
    static __device__ __forceinline__ float linear(float x, bool magnitude) { return magnitude ? abs_f32(x) : x; }
    static __device__ __forceinline__ double linear(double x, bool magnitude) { return magnitude ? abs_f64(x) : x; }
    static __device__ __forceinline__ real value(real x, real y, bool magnitude) {
        return PRODUCT ? x * y : linear(x, magnitude);
    }
    static __device__ __forceinline__ real error(real x, real y, real value) {
        return PRODUCT ? product_error(x, y, value) : (real)0;
    }
};

/* Number i of an index. */
static __device__ __forceinline__ int64_t index_at(const void *index, bool is_64_bit, size_t i) {
    return is_64_bit ? ((const int64_t *)index)[i] : (int64_t)((const int32_t *)index)[i];
}

/* Element "at" of an array, as it stands in memory, in the low bits. */
static __device__ __forceinline__ uint64_t bits_at(const void *array, unsigned log_size, ptrdiff_t at) {
    switch (log_size) {
    case 0: return ((const uint8_t *)array)[at];
    case 1: return ((const uint16_t *)array)[at];
    case 2: return ((const uint32_t *)array)[at];
    default: return ((const uint64_t *)array)[at];
    }
}

static __device__ __forceinline__ double number_of_bits(quire_type type, uint64_t bits) {
    double number = 0;
#define NUMBER(name, NAME, type_number, real, unused)                                                                  \
    case type_number: {                                                                                                \
        name##_element element;                                                                                        \
        memcpy(&element, &bits, sizeof element);                                                                       \
        number = decode(name##_format(), element);                                                                     \
        break;                                                                                                         \
    }
    switch ((int)type) { QUIRE_FORMATS(NUMBER, ) }
#undef NUMBER
    return number;
}

/* An element as it stands in memory, with its sign if its type has one, as 64 bits. */
static __device__ __forceinline__ uint64_t integer_of_bits(quire_type type, uint64_t bits) {
    switch ((int)type) {
    case QUIRE_INT8: return (uint64_t)(int64_t)(int8_t)bits;
    case QUIRE_INT16: return (uint64_t)(int64_t)(int16_t)bits;
    case QUIRE_INT32: return (uint64_t)(int64_t)(int32_t)bits;
    default: return bits;
    }
}

/* What is above the 64 bits: alone those of QUIRE_UINT64 may have their top bit set without being below 0. */
static __device__ __forceinline__ uint64_t sign_word(uint64_t top, bool is_signed) {
    return is_signed ? (uint64_t)((int64_t)top >> 63) : 0;
}

#endif
