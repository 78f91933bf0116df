/* elements.cuh - a thread's loads from a vector of any stride, and their decoding.
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
        return PRODUCT ? product_term::error(x, y, value) : (real)0;
    }
};

#endif
