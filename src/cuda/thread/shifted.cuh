/* shifted.cuh - elements of 8 and 16 bits as doubles without a conversion: sign, exponent and significand move to where
 * a double has them. That is the number times 2^(bias - 1023), exactly, subnormals included. Infinities and NaN become
 * numbers, and are looked for apart, in a whole word of elements at once. Those of 8 bits become floats likewise, times
 * 2^(bias - 127), several of which add up to one that is made a double in the same way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SHIFTED_CUH
#define QUIRE_CUDA_THREAD_SHIFTED_CUH

#include "cuda/thread/elements.cuh"

template <class Format> struct shifted {
    static constexpr int bits = 8 * (int)sizeof(typename Format::element);
    static constexpr int exponent_bits = bits - Format::description.precision, down = 11 - exponent_bits;
    static constexpr uint32_t places = (0x7fffffffu >> (32 - bits)) << (32 - bits); /* of a magnitude, at the top */
    static constexpr uint32_t mask = 0x80000000u | places >> down;
    static constexpr uint32_t elements_of_word = bits == 8 ? 0x01010101u : 0x00010001u;
    static constexpr uint32_t signs = (uint32_t)Format::description.sign * elements_of_word;
    static constexpr uint32_t to_sign = /* carries a magnitude that is special, and no other, into the sign */
        (uint32_t)(Format::description.sign - Format::description.infinity) * elements_of_word;

    /* The factor that makes numbers of what is shifted. */
    static __device__ __forceinline__ double scale() {
        return double_of_bits((uint64_t)(2046 - ((1 << (exponent_bits - 1)) - 1)) << 52);
    }
    /* Element i of a word. keep: the mask, or without its sign. */
    static __device__ __forceinline__ double element(uint32_t word, int i, uint32_t keep) {
        return __hiloint2double((int)((uint32_t)((int32_t)(word << (32 - bits * (i + 1))) >> down) & keep), 0);
    }
    /* The factor that makes numbers of floats. */
    static constexpr int float_bias = 127 - ((1 << (exponent_bits - 1)) - 1);
    static constexpr float float_scale = (float)(1ull << float_bias / 2) * (float)(1ull << (float_bias + 1) / 2);
    static_assert(bits > 8 || 2 * Format::description.least_exponent - float_bias >= -149,
                  "a product of a number and one that is shifted has bits below a float's");
    /* Element i of 8 bits as a float. */
    static __device__ __forceinline__ float float_element(uint32_t word, int i, uint32_t keep) {
        static_assert(bits == 8, "others are not added as floats");
        constexpr int less = down - 3; /* a float's exponent has 8 bits */
        const uint32_t kept = (keep & 0x80000000u) | places >> less;
        return float_of_bits((uint32_t)((int32_t)(word << (32 - bits * (i + 1))) >> less) & kept);
    }
    /* A sum of those as element() would have given it. */
    static __device__ __forceinline__ double from_float(float sum) {
        const int32_t at = (int32_t)bits_of_float(sum);
        return __hiloint2double((at >> 3) & (int)0x8fffffff, at << 29);
    }
    /* Not 0 in the signs if an element of the word is an infinity or NaN. */
    static __device__ __forceinline__ uint32_t special(uint32_t word) { return (word & ~signs) + to_sign; }
};

#endif
