/* integer_lane.cuh - a thread's sums of integers of one type: numbers of 32 bits and less, and products of 16 and less,
 * in one word of 64 bits, which holds so many of them; all others in three.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_INTEGER_LANE_CUH
#define QUIRE_CUDA_THREAD_INTEGER_LANE_CUH

#include <type_traits>

#include "cuda/thread/integer_sums.cuh"
#include "cuda/thread/long_sum.cuh"

#define LANE_TERMS ((size_t)1 << 30) /* of 32 bits and a sign, whose sum fits in 63 bits */

/* A sum of terms of 32 bits and a sign. */
struct small_total {
    int64_t sum;

    __device__ __forceinline__ void clear() { sum = 0; }
    __device__ __forceinline__ void add(int64_t term) { sum += term; }
    __device__ __forceinline__ void end(integer_sum &to) const {
        const uint64_t sign = sign_word((uint64_t)sum, true);
        add_three_words(to.word, (uint64_t)sum, sign, sign);
    }
};
/* The same of longer ones, whose words above the first are high and sign. */
struct wide_total {
    integer_sum sum;

    __device__ __forceinline__ void clear() { sum = INTEGER_ZERO; }
    __device__ __forceinline__ void add(uint64_t low, uint64_t high, uint64_t sign) {
        add_three_words(sum.word, low, high, sign);
    }
    __device__ __forceinline__ void end(integer_sum &to) const {
        add_three_words(to.word, sum.word[0], sum.word[1], sum.word[2]);
    }
};

template <class T, row_terms TERMS> struct integer_lane {
    static constexpr bool IS_SIGNED = std::is_signed<T>::value, HAS_NUMBERS = TERMS != ROW_PRODUCTS,
                          HAS_PRODUCTS = TERMS != ROW_NUMBERS, ARE_SMALL = sizeof(T) <= 4,
                          ARE_SMALL_PRODUCTS = sizeof(T) <= 2;
    std::conditional_t<ARE_SMALL, small_total, wide_total> numbers;
    std::conditional_t<ARE_SMALL_PRODUCTS, small_total, wide_total> products;
    bool has_terms; /* one of the first sum was not zero */

    __device__ __forceinline__ void clear() { numbers.clear(), products.clear(), has_terms = false; }

    template <unsigned COUNT> __device__ __forceinline__ void add_numbers(const T (&x)[COUNT], bool magnitude) {
        if constexpr (ARE_SMALL) {
            std::conditional_t<sizeof(T) <= 2, int32_t, int64_t> some = 0; /* of 16 of them */
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const decltype(some) value = x[e];
                some += magnitude && value < 0 ? -value : value;
            }
            numbers.add(some);
        } else {
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const bool turns = IS_SIGNED && magnitude && x[e] < 0;
                const uint64_t value = turns ? 0 - (uint64_t)x[e] : (uint64_t)x[e],
                               sign = turns ? 0 : sign_word(value, IS_SIGNED);
                numbers.add(value, sign, sign);
            }
        }
    }
    template <unsigned COUNT> __device__ __forceinline__ void add_products(const T (&x)[COUNT], const T (&y)[COUNT]) {
        if constexpr (ARE_SMALL_PRODUCTS) {
            std::conditional_t<sizeof(T) == 1, int32_t, int64_t> some = 0; /* of 16 of them */
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) some += (decltype(some))x[e] * y[e];
            products.add(some);
        } else {
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const uint64_t a = (uint64_t)x[e], b = (uint64_t)y[e]; /* with their signs */
                const uint64_t high = sizeof(T) == 4 ? sign_word(a * b, IS_SIGNED)
                                      : IS_SIGNED    ? (uint64_t)__mul64hi((long long)a, (long long)b)
                                                     : __umul64hi(a, b);
                products.add(a * b, high, sign_word(high, IS_SIGNED));
            }
        }
    }
    template <unsigned COUNT>
    __device__ __forceinline__ void add(const T (&x)[COUNT], const T (&y)[COUNT], bool magnitude) {
        if constexpr (HAS_NUMBERS) add_numbers(x, magnitude);
        if constexpr (HAS_PRODUCTS) add_products(x, y);
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++) has_terms |= HAS_NUMBERS ? x[e] != 0 : x[e] != 0 && y[e] != 0;
    }
    __device__ __forceinline__ void end(integer_sums &to) const {
        if constexpr (HAS_NUMBERS) numbers.end(to.sum[0]);
        if constexpr (HAS_PRODUCTS) products.end(to.sum[HAS_NUMBERS]);
        to.has_terms |= has_terms;
    }
};

#endif
