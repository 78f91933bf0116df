/* range_sums.cuh - what a thread keeps of its chunks of a vector: the sums of numbers, of their squares, or of both. By
 * two ends, which tell most results of up to 24 bits; or by a sum and the ends of what its additions have lost, which
 * tell nearly all (exact_sum.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_RANGE_SUMS_CUH
#define QUIRE_CUDA_THREAD_RANGE_SUMS_CUH

#include "cuda/thread/chunk.cuh"
#include "cuda/thread/long_sum.cuh"

template <class Sum> constexpr bool has_two_ends = std::is_same_v<Sum, ends>;

/* products: of numbers with themselves, or of two arrays'. A sum that TERMS has not is left as it is. */
template <class Format, row_terms TERMS, class Sum = ends> struct range_sums {
    typedef typename Format::real real;
    static constexpr bool has_numbers = TERMS != ROW_PRODUCTS, has_products = TERMS != ROW_NUMBERS;
    static constexpr bool has_magnitudes = TERMS == ROW_NUMBERS; /* without their signs, if so asked */
    static constexpr int sums = has_numbers + has_products, number_words = has_numbers * Sum::words,
                         words = sums * Sum::words;
    Sum numbers, products;

    __device__ __forceinline__ void clear() {
        if (has_numbers) numbers.clear();
        if (has_products) products.clear();
    }
    /* A chunk of elements. */
    __device__ __forceinline__ void add(const real (&x)[chunk_elements<Format>],
                                        const real (&y)[chunk_elements<Format>], bool magnitude) {
        if constexpr (TERMS == ROW_MOMENTS && !chunk_terms<Format, true>::fit_double) { /* one conversion for both */
            constexpr int E = chunk_elements<Format>;
            double wide[E];
#pragma unroll
            for (int i = 0; i < E; i++) wide[i] = x[i];
            if constexpr (chunk_terms<Format, false>::fit_double) {
                double sum = wide[0];
#pragma unroll
                for (int i = 1; i < E; i++) sum += wide[i];
                numbers.add(sum);
            }
#pragma unroll
            for (int i = 0; i < E; i++) {
                if constexpr (!chunk_terms<Format, false>::fit_double) numbers.add(wide[i]);
                add_product_to<Format>(products, wide[i], wide[i]);
            }
        } else {
            if constexpr (has_numbers) add_terms<Format, false>(numbers, x, x, magnitude);
            if constexpr (has_products) add_terms<Format, true>(products, x, y, false);
        }
    }
    /* Those of the thread whose number differs in one bit, too; by whole warps, as the next ones are. */
    __device__ __forceinline__ void merge_across(unsigned bit) {
        if constexpr (has_numbers) numbers.merge_across(bit);
        if constexpr (has_products) products.merge_across(bit);
    }
    __device__ __forceinline__ void merge(unsigned threads) {
        if constexpr (has_numbers) numbers.merge(threads);
        if constexpr (has_products) products.merge(threads);
    }
    /* Others of the same vector. */
    __device__ __forceinline__ void join(const range_sums &other) {
        if constexpr (has_numbers) numbers.join(other.numbers);
        if constexpr (has_products) products.join(other.products);
    }
    __device__ __forceinline__ range_sums of_lane(unsigned lane) const {
        range_sums other = *this;
        if constexpr (has_numbers) other.numbers = numbers.of_lane(lane);
        if constexpr (has_products) other.products = products.of_lane(lane);
        return other;
    }
    __device__ __forceinline__ void take_if(bool wanted, const range_sums &other) {
        if (wanted) *this = other;
    }
    /* As numbers and widths (long_sum.cuh), of sum number i. */
    __device__ __forceinline__ double width(int i) const {
        return has_products && i == sums - 1 ? products.width() : numbers.width();
    }
    __device__ __forceinline__ double word(int i) const {
        return i < number_words ? numbers.word(i) : products.word(i - number_words);
    }
};

#endif
