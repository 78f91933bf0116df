/* chunk.cuh - the terms of 16 bytes of elements: decoded, and added to a sum. What a format's numbers allow is derived
 * from its description: where the sum of a chunk's terms always is one float, or one double, it is added up as such
 * before it goes to the sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHUNK_CUH
#define QUIRE_CUDA_THREAD_CHUNK_CUH

#include <stddef.h>
#include <stdint.h>

#include "cuda/device/arithmetic.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/exact_sum.cuh"

/* The whole chunks of a range of n elements at x, and how many elements stand before and behind these. */
template <class Element> struct whole_chunks {
    static constexpr int E = 16 / sizeof(Element);
    size_t before, count, behind;

    __device__ __forceinline__ whole_chunks(const Element *x, size_t n) {
        before = min((size_t)(-(uintptr_t)x % 16) / sizeof(Element), n);
        count = (n - before) / E, behind = n - before - count * E;
    }
};

/* What follows from the choices for exact sums. */
template <class Format, bool PRODUCT> struct exact_terms {
    typedef typename Format::real real;
    static constexpr int factors = PRODUCT ? 2 : 1, size = (int)sizeof(typename Format::element);
    static constexpr int precision = Format::description.precision * factors;
    static constexpr int exponent_bits = 8 * size - Format::description.precision;
    /* Terms are multiples of 2^(least * factors), below 2^(greatest * factors). */
    static constexpr int greatest = (1 << (exponent_bits - 1)) + 1, least = Format::description.least_exponent;
    static constexpr int range = (greatest - least) * factors;
    static constexpr bool is_double = sizeof(real) == 8; /* so that sums of finite terms may overflow */
    /* Two doubles hold what is ordinary, but products of doubles, whose own errors have bits as low as 2^-106 of them.
     */
    static constexpr int words = is_double && PRODUCT ? 3 : 2;
    /* Whether the sum of a chunk's terms is one double often enough to be tried. */
    static constexpr bool tries_groups = !is_double && precision <= 24;
};

template <class Format> constexpr int chunk_elements = 16 / (int)sizeof(typename Format::element);
template <class Format> using chunk_of = element_group<Format, chunk_elements<Format>>;

/* What stands in place of what is missing: zeros that change no sum, -0, or of a second factor +0. */
template <class Format> static __device__ __forceinline__ chunk_of<Format> zero_chunk(bool plus) {
    chunk_of<Format> zeros;
#pragma unroll
    for (int e = 0; e < chunk_elements<Format>; e++) zeros.of[e] = zero_element<Format>(plus);
    return zeros;
}

/* Loads a chunk that stands at a multiple of its bytes, if it is wanted. */
template <class Format, bool PLUS = false>
static __device__ __forceinline__ void load_chunk(chunk_of<Format> &to, const typename Format::element *p,
                                                  bool wanted) {
    const chunk_of<Format> zeros = zero_chunk<Format>(PLUS);
    const uint4 four =
        wanted ? __ldcs((const uint4 *)p) : make_uint4(zeros.word[0], zeros.word[1], zeros.word[2], zeros.word[3]);
    to.word[0] = four.x, to.word[1] = four.y, to.word[2] = four.z, to.word[3] = four.w;
}

/* All elements as numbers, of a chunk or of a part of one. */
template <class Format, int COUNT, class Real>
static __device__ __forceinline__ void decode_chunk(Format, const element_group<Format, COUNT> &chunk, Real *x) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) x[i] = decode(Format(), chunk.of[i]);
}
static __device__ __forceinline__ void store_halves(uint32_t halves, float *x) {
    x[0] = __half2float(__ushort_as_half((unsigned short)(halves & 0xffff)));
    x[1] = __half2float(__ushort_as_half((unsigned short)(halves >> 16)));
}
#if QUIRE_HAS_E4M3
template <int COUNT>
static __device__ __forceinline__ void decode_chunk(e4m3_format, const element_group<e4m3_format, COUNT> &chunk,
                                                    float *x) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) store_halves(two_halves_of_e4m3(chunk.word[i / 2] >> 16 * (i % 2)), x + 2 * i);
    if (COUNT % 2) x[COUNT - 1] = decode(e4m3_format(), chunk.of[COUNT - 1]);
}
#endif
template <int COUNT>
static __device__ __forceinline__ void decode_chunk(e5m2_format, const element_group<e5m2_format, COUNT> &chunk,
                                                    float *x) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) store_halves(two_halves_of_e5m2(chunk.word[i / 2], 2 * (i % 2)), x + 2 * i);
    if (COUNT % 2) x[COUNT - 1] = decode(e5m2_format(), chunk.of[COUNT - 1]);
}

/* What the terms of a format allow: numbers, or products of two. Numbers are multiples of 2^least below 2^greatest,
 * terms of 2^(factors * least) below 2^(factors * greatest): so the sum of 2^k of them has factors * (greatest - least)
 * + k bits at most. */
template <class Format, bool PRODUCT> struct chunk_terms {
    typedef typename Format::real real;
    typedef exact_terms<Format, PRODUCT> terms;
    static constexpr int count = chunk_elements<Format>, factors = PRODUCT ? 2 : 1;
    static constexpr int more = count <= 4 ? 2 : count <= 8 ? 3 : 4; /* bits of a chunk's sum */
    static_assert(count <= 16, "a chunk's sum has more bits");
    static constexpr int bits = terms::range + more;
    /* A product is a float if nothing of it is lost at either end of a float's range. */
    static constexpr bool are_floats = factors * Format::description.precision <= 24 &&
                                       factors * exact_terms<Format, false>::least >= -149 &&
                                       factors * exact_terms<Format, false>::greatest <= 127;
    static constexpr bool fit_float = are_floats && bits <= 24, fit_double = bits <= 53;
    typedef std::conditional_t<fit_float, float, double> sum_type;

    /* A term, exactly. */
    static __device__ __forceinline__ double term(real x, real y, bool magnitude) {
        if constexpr (!PRODUCT) return element_term<Format, false>::linear(x, magnitude);
        if constexpr (are_floats) return x * y;
        return (double)x * (double)y;
    }
    /* The sum of all, where it always is one number. */
    static __device__ __forceinline__ double total(const real (&x)[count], const real (&y)[count], bool magnitude) {
        sum_type sum = (sum_type)term(x[0], y[0], magnitude);
#pragma unroll
        for (int i = 1; i < count; i++) sum += (sum_type)term(x[i], y[i], magnitude);
        return sum;
    }
};

/* Adds the product of two elements. */
template <class Format, class Sum> static __device__ __forceinline__ void add_product_to(Sum &sum, double x, double y) {
    if constexpr (exact_terms<Format, true>::is_double)
        sum.add_long_product(x, y);
    else
        sum.add_product(x, y);
}

/* Adds the term of an element, or of two. */
template <class Format, bool PRODUCT, class Sum, class Real>
static __device__ __forceinline__ void add_term(Sum &sum, Real x, Real y, bool magnitude) {
    typedef chunk_terms<Format, PRODUCT> terms;
    if constexpr (PRODUCT && !terms::are_floats)
        add_product_to<Format>(sum, x, y);
    else
        sum.add(terms::term(x, y, magnitude));
}

/* The sum of a chunk's terms as one double, if it is one: then both its ends are. */
template <class Format, bool PRODUCT, class Real>
static __device__ __forceinline__ bool total_if_double(const Real (&x)[chunk_elements<Format>],
                                                       const Real (&y)[chunk_elements<Format>], bool magnitude,
                                                       double *total) {
    ends sum;
    sum.clear();
#pragma unroll
    for (int i = 0; i < chunk_elements<Format>; i++) add_term<Format, PRODUCT>(sum, x[i], y[i], magnitude);
    *total = sum.up;
    return sum.down == sum.up && double_is_finite(sum.up);
}

/* Adds the terms of a chunk. Where an addition takes more than two operations, those of short terms are mostly one
 * number before. */
template <class Format, bool PRODUCT, class Sum, class Real>
static __device__ __forceinline__ void add_terms(Sum &sum, const Real (&x)[chunk_elements<Format>],
                                                 const Real (&y)[chunk_elements<Format>], bool magnitude) {
    typedef chunk_terms<Format, PRODUCT> terms;
    if constexpr (terms::fit_double) {
        sum.add(terms::total(x, y, magnitude));
    } else {
        double total;
        if constexpr (Sum::words > 1 && exact_terms<Format, PRODUCT>::tries_groups)
            if (total_if_double<Format, PRODUCT>(x, y, magnitude, &total)) {
                sum.add(total);
                return;
            }
#pragma unroll
        for (int i = 0; i < terms::count; i++) add_term<Format, PRODUCT>(sum, x[i], y[i], magnitude);
    }
}

#endif
