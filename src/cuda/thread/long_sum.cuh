/* long_sum.cuh - a thread's exact sum of some vector in two doubles or three, and how it goes to others: the sum is
 * what the doubles add up to, or less than that by the width at most. It is exact where that is 0, and not known where
 * that is NaN or infinite.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LONG_SUM_CUH
#define QUIRE_CUDA_THREAD_LONG_SUM_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/exact_sum.cuh"

/* What a vector comes to: numbers whose sum it is, but for the width; or a state of the canonical order, whose width is
 * 0. */
struct vector_total {
    double word[VECTORS_WORDS], width;
};

template <int WORDS> static __device__ __forceinline__ vector_total total_of_words(const exact_sum<WORDS> &s) {
    vector_total t = { {}, s.width() };
    for (int i = 0; i < WORDS - 1; i++) t.word[i] = s.word[i];
    t.word[WORDS - 1] = s.up;
    return t;
}

/* What is added up. */
enum row_terms { ROW_NUMBERS, ROW_PRODUCTS, ROW_MOMENTS };

/* Two doubles or three (exact_sum.cuh). */
template <int WORDS> struct long_sum : exact_sum<WORDS> {
    static constexpr int words = WORDS;

    __device__ __forceinline__ void add_product(double a, double b) { this->add(a * b); } /* which is a double */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        *(exact_sum<WORDS> *)this = merge_threads(*this, threads, apart);
    }
    __device__ __forceinline__ void join(const long_sum &other) { exact_sum<WORDS>::merge(other); }
    __device__ __forceinline__ long_sum of_lane(unsigned lane) const { return { exact_sum<WORDS>::of_lane(lane) }; }
    __device__ __forceinline__ double word(int i) const { return i < WORDS - 1 ? exact_sum<WORDS>::word[i] : this->up; }
};

#endif
