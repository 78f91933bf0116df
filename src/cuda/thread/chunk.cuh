/* chunk.cuh - the terms of 16 bytes of elements: decoded, and added to a sum. What a format's numbers allow
 * is derived from its description: where the sum of a chunk's terms always is one float, or one double, it is added up
 * as such before it goes to the sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHUNK_CUH
#define QUIRE_CUDA_THREAD_CHUNK_CUH

#include "cuda/device/small_floats.cuh"
#include "cuda/thread/ends.cuh"
#include "cuda/thread/exact_sum.cuh"

template <class Format> constexpr int chunk_elements = 16 / (int)sizeof(typename Format::element);
template <class Format> using chunk_of = element_group<Format, chunk_elements<Format>>;

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
}
#endif
template <int COUNT>
static __device__ __forceinline__ void decode_chunk(e5m2_format, const element_group<e5m2_format, COUNT> &chunk,
                                                    float *x) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) store_halves(two_halves_of_e5m2(chunk.word[i / 2], 2 * (i % 2)), x + 2 * i);
}

/* What the terms of a format allow: numbers, or their squares. Numbers are multiples of 2^least below 2^greatest, terms
 * of 2^(factors * least) below 2^(factors * greatest): so the sum of 2^k of them has factors * (greatest - least) + k
 * bits at most. */
template <class Format, bool SQUARE> struct chunk_terms {
    typedef typename Format::real real;
    typedef exact_terms<Format, SQUARE> terms;
    static constexpr int count = chunk_elements<Format>, factors = SQUARE ? 2 : 1;
    static constexpr int more = count <= 4 ? 2 : count <= 8 ? 3 : 4; /* bits of a chunk's sum */
    static_assert(count <= 16, "a chunk's sum has more bits");
    static constexpr int bits = terms::range + more;
    /* A square is a float if nothing of it is lost at either end of a float's range. */
    static constexpr bool are_floats = factors * Format::description.precision <= 24 &&
                                       factors * exact_terms<Format, false>::least >= -149 &&
                                       factors * exact_terms<Format, false>::greatest <= 127;
    static constexpr bool fit_float = are_floats && bits <= 24, fit_double = bits <= 53;
    typedef std::conditional_t<fit_float, float, double> sum_type;

    /* A term, exactly. */
    static __device__ __forceinline__ double term(real x, bool magnitude) {
        if constexpr (!SQUARE) return element_term<Format, false>::linear(x, magnitude);
        if constexpr (are_floats) return x * x;
        return (double)x * (double)x;
    }
    /* The sum of all, where it always is one number. */
    static __device__ __forceinline__ double total(const real (&x)[count], bool magnitude) {
        sum_type sum = (sum_type)term(x[0], magnitude);
#pragma unroll
        for (int i = 1; i < count; i++) sum += (sum_type)term(x[i], magnitude);
        return sum;
    }
};

/* Adds the square of an element. */
template <class Format, class Sum> static __device__ __forceinline__ void add_square(Sum &sum, double x) {
    if constexpr (exact_terms<Format, true>::is_double)
        sum.add_long_product(x, x);
    else
        sum.add_product(x, x);
}

/* Adds the terms of a chunk to a sum. */
template <class Format, bool SQUARE, class Sum>
static __device__ __forceinline__ void add_terms(Sum &sum, const typename Format::real (&x)[chunk_elements<Format>],
                                                 bool magnitude) {
    typedef chunk_terms<Format, SQUARE> terms;
    if constexpr (terms::fit_double) {
        sum.add(terms::total(x, magnitude));
    } else {
#pragma unroll
        for (int i = 0; i < terms::count; i++)
            if constexpr (SQUARE && !terms::are_floats)
                add_square<Format>(sum, x[i]);
            else
                sum.add(terms::term(x[i], magnitude));
    }
}

#endif
