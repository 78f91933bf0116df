/* pair_sums.cuh - what a thread has of the sums that an average, a covariance or a correlation is made of: each in two
 * doubles (long_sum.cuh), which tell most results.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_PAIR_SUMS_CUH
#define QUIRE_CUDA_THREAD_PAIR_SUMS_CUH

#include "cuda/thread/any_element.cuh"
#include "cuda/thread/long_sum.cuh"
#include "cuda/thread/sum_kinds.cuh"

struct pair_sums {
    static constexpr bool are_exact = false;
    long_sum<2> sum[MOST_PAIR_SUMS];
    uint64_t n; /* elements */

    __device__ __forceinline__ void clear() {
        for (long_sum<2> &one : sum) one.clear();
        n = 0;
    }
    /* Two numbers. The product of two that are no DOUBLES is a double. */
    template <bool DOUBLES> __device__ __forceinline__ void add_numbers(const sum_kinds &k, double a, double b) {
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++) {
            if (i >= k.count) break;
            const double first = pair_begins_with_x(i) ? a : b, second = pair_ends_with_x(i) ? a : b;
            if (pair_term(i) != TERM_PRODUCT)
                sum[i].add(first);
            else if (DOUBLES)
                sum[i].add_long_product(first, second);
            else
                sum[i].add_product(first, second);
        }
        n++;
    }
    /* Elements as they stand in memory. */
    __device__ __forceinline__ void add(const sum_kinds &k, uint64_t x, uint64_t y) {
        const double a = number_of_bits(k.type, x), b = number_of_bits(k.type, y);
        if (has_double_lanes(k.type))
            add_numbers<true>(k, a, b);
        else
            add_numbers<false>(k, a, b);
    }
    /* Those of "threads" neighbouring threads, a power of two, of which "count" sums are used; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, int count = MOST_PAIR_SUMS) {
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++)
            if (i < count) sum[i].merge(threads);
        for (unsigned bit = threads / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, (int)bit);
    }
    __device__ __forceinline__ void join(const pair_sums &other) {
        for (int i = 0; i < MOST_PAIR_SUMS; i++) sum[i].join(other.sum[i]);
        n += other.n;
    }
};

#endif
