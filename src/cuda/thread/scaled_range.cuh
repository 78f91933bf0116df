/* scaled_range.cuh - sums of long vectors of doubles of any exponent, in one reading. Some elements are looked at
 * before, and say by what power of two all are multiplied: so that products of the greatest of these neither overflow
 * nor are lost. If far greater ones stand elsewhere the sum may be infinite, or of no known width; it is never wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SCALED_RANGE_CUH
#define QUIRE_CUDA_THREAD_SCALED_RANGE_CUH

#include "cuda/thread/range_sums.cuh"
#include "cuda/thread/scaled_sum.cuh"

/* The elements that are looked at are to be below 2^guessed_bits. Of products, squares of the greatest are 2^-302 or
 * more then, as moment_in_ball wants them (BALL_LEAST), and others may be 2^300 times as great. Numbers can only be too
 * great: they are made no greater, and no smaller than sums of some others need, so that few lose bits. */
template <row_terms TERMS> constexpr int guessed_bits = TERMS == ROW_NUMBERS ? 800 : -150;
template <row_terms TERMS> constexpr int guessed_least = TERMS == ROW_NUMBERS ? 0 : SCALE_LEAST;
#define GUESSED_MOST 1000 /* a scale, at most: its reciprocal is a normal double */

/* By what powers of two the elements of x, and of y, are taken. */
struct element_scales {
    int x, y;
};

/* Those of the vector that a warp of a block of SCALED_THREADS is at work on. */
static __device__ __forceinline__ element_scales &scales_of_warp() {
    __shared__ element_scales room[SCALED_THREADS / WARP];
    return room[threadIdx.x / WARP];
}

/* The scale that SAMPLED_RUNS times 32 elements suggest, evenly spread runs of neighbours; by a whole warp. */
template <row_terms TERMS>
static __device__ __forceinline__ int guessed_scale(const double *x, ptrdiff_t stride, size_t n) {
    greatest_number greatest = { 0 };
#pragma unroll
    for (unsigned run = 0; run < SAMPLED_RUNS; run++) {
        const size_t k = n / SAMPLED_RUNS * run + threadIdx.x % WARP;
        greatest.see(k < n ? x[(ptrdiff_t)k * stride] : 0.0);
    }
    greatest.merge(WARP);
    return min(max((int)(greatest.word >> 20) - 1022 - guessed_bits<TERMS>, guessed_least<TERMS>), GUESSED_MOST);
}

/* What some threads have of a vector: scaled sums; and if terms are not finite, the infinity or NaN that is the sum of
 * these, else 0. */
template <row_terms TERMS> struct scaled_part {
    range_sums<double_format, TERMS, long_sum<2>> sums;
    double special;

    __device__ __forceinline__ void clear() { sums.clear(), special = 0; }
    __device__ __forceinline__ void merge(unsigned threads) {
        sums.merge(threads);
        for (unsigned bit = threads / 2; bit; bit /= 2) special += __shfl_xor_sync(WHOLE_WARP, special, bit);
    }
    __device__ __forceinline__ void join(const scaled_part &other) { sums.join(other.sums), special += other.special; }
};

/* What a thread adds up, chunk by chunk (group/row_sum.cuh). PAIR: products of two arrays. */
template <row_terms TERMS, bool PAIR> struct scaled_range {
    static constexpr bool has_magnitudes = TERMS == ROW_NUMBERS;
    static constexpr int E = chunk_elements<double_format>;
    scaled_part<TERMS> part;
    element_scales scale;
    bool has_lost;               /* a bit, by scaling */
    greatest_number scaled_most; /* of the elements of two arrays, scaled */

    __device__ __forceinline__ void clear() {
        part.clear();
        scale = scales_of_warp(), has_lost = false, scaled_most = { 0 };
    }
    __device__ __forceinline__ void add(const double (&x)[E], const double (&y)[E], bool magnitude) {
        double a[E], b[E];
#pragma unroll
        for (int i = 0; i < E; i++) {
            a[i] = scaled(x[i], scale.x, has_lost);
            b[i] = PAIR ? scaled(y[i], scale.y, has_lost) : a[i];
            if (PAIR) scaled_most.see(a[i]), scaled_most.see(b[i]);
            if (!double_is_finite(x[i]) || (PAIR && !double_is_finite(y[i])))
                part.special += TERMS == ROW_PRODUCTS ? __dmul_rn(x[i], y[i]) : magnitude ? abs_f64(x[i]) : x[i];
        }
        part.sums.add(a, b, magnitude);
    }
    /* What is lost of n elements at most. A scaled one is off by half of the least double; and so much, times the
     * other factor, is a product. An element that is off is subnormal: of its square nothing is lost that counts. */
    __device__ __forceinline__ scaled_part<TERMS> total(size_t n) {
        if (has_lost) {
            const double most = PAIR ? __hiloint2double((int)scaled_most.word + 1, 0) : 0,
                         loss = __dmul_ru(__dmul_ru((double)n, add_up(most, 1)), 0x1p-1074);
            if (TERMS != ROW_PRODUCTS) part.sums.numbers.widen(loss, loss);
            if (TERMS != ROW_NUMBERS) part.sums.products.widen(loss, loss);
        }
        return part;
    }
};

#endif
