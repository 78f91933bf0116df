/* integer_sums.cuh - what a thread has of the sums of integers: all their bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_INTEGER_SUMS_CUH
#define QUIRE_CUDA_THREAD_INTEGER_SUMS_CUH

#include "accumulator/integers.h"
#include "cuda/device/carries.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/thread/sum_kinds.cuh"

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

struct integer_sums {
    static constexpr bool are_exact = true;
    integer_sum sum[MOST_PAIR_SUMS];
    uint64_t n, has_terms; /* elements; whether a term of the first sum was not zero */

    __device__ __forceinline__ void clear() {
        for (integer_sum &one : sum) one.word[0] = one.word[1] = one.word[2] = 0;
        n = has_terms = 0;
    }
    __device__ __forceinline__ void add(const sum_kinds &k, uint64_t x, uint64_t y) {
        const uint64_t a = integer_of_bits(k.type, x), b = integer_of_bits(k.type, y);
        const bool is_signed = k.type != QUIRE_UINT64;
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++) {
            if (i >= k.count) break;
            const uint64_t first = first_factor(k, i, a, b), second = second_factor(k, i, a, b);
            if (sum_has_products(k, i)) {
                const uint64_t high =
                    is_signed ? (uint64_t)__mul64hi((long long)first, (long long)second) : __umul64hi(first, second);
                const uint64_t sign = sign_word(high, is_signed);
                add_three_words(sum[i].word, first * second, high, sign);
                if (i == 0) has_terms |= first && second;
            } else {
                const bool turns = k.is_magnitude && is_signed && first >> 63;
                const uint64_t value = turns ? 0 - first : first, sign = turns ? 0 : sign_word(value, is_signed);
                add_three_words(sum[i].word, value, sign, sign);
                if (i == 0) has_terms |= first != 0;
            }
        }
        n++;
    }
    /* Those of "threads" neighbouring threads, a power of two, of which "count" sums are used; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, int count = MOST_PAIR_SUMS) {
        for (unsigned bit = threads / 2; bit; bit /= 2) {
#pragma unroll
            for (int i = 0; i < MOST_PAIR_SUMS; i++) {
                if (i >= count) break;
                uint64_t word[INTEGER_WORDS];
                for (int w = 0; w < INTEGER_WORDS; w++) word[w] = __shfl_xor_sync(WHOLE_WARP, sum[i].word[w], (int)bit);
                add_three_words(sum[i].word, word[0], word[1], word[2]);
            }
            n += __shfl_xor_sync(WHOLE_WARP, n, (int)bit);
            has_terms |= __shfl_xor_sync(WHOLE_WARP, has_terms, (int)bit);
        }
    }
    __device__ __forceinline__ void join(const integer_sums &other) {
        for (int i = 0; i < MOST_PAIR_SUMS; i++)
            add_three_words(sum[i].word, other.sum[i].word[0], other.sum[i].word[1], other.sum[i].word[2]);
        n += other.n, has_terms |= other.has_terms;
    }
};

#endif
