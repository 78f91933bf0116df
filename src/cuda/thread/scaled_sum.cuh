/* scaled_sum.cuh - exact sums of doubles of any exponent. A first look at a vector finds its greatest exponent; then
 * its elements are multiplied by a power of two, with which no sum of terms overflows, nor do products of which
 * anything is left in the sum underflow. So a few doubles and a width (long_sum.cuh) say nearly always what the result
 * is, where without they are infinite or unknown.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SCALED_SUM_CUH
#define QUIRE_CUDA_THREAD_SCALED_SUM_CUH

#include "cuda/thread/long_sum.cuh"

/* Scaled elements are below 2^SCALED_BITS: n <= 2^40 products are below 2^340, as moment_in_ball wants them
 * (BALL_GREATEST), and any 2^64 of them below 2^364. */
#define SCALED_BITS 150
#define SCALE_LEAST (-1000) /* the least exponent of a scale, whose reciprocal is a double */

/* What a term may have lost by scaling, at most. A scaled element is off by 2^-1075 at most, and so the product of two,
 * each below 2^150, by 2^-924. A result seldom shows so little: the greatest element is 2^149 or more, unless the scale
 * is the least one, by which no bit is lost. */
#define SCALED_LOSS 0x1p-923

/* The sums of numbers, of products, or of numbers and their squares. sum stands for itself times 2^exponent, squares
 * for itself times 2^(2 * exponent). special: 0; or if terms are not finite, the infinity or NaN that is their sum, and
 * the sums mean nothing. */
struct scaled_total {
    double special;
    int exponent;
    vector_total sum, squares;
};

/* 2^exponent, a normal number. */
static __device__ __forceinline__ double power_of_two(int exponent) {
    return double_of_bits((uint64_t)(1023 + exponent) << 52);
}

/* The greatest exponent of some numbers, by the upper words of their magnitudes: the exponent, and 20 bits. */
struct greatest_number {
    uint32_t word;

    __device__ __forceinline__ void see(double x) { word = max(word, (uint32_t)__double2hiint(x) & 0x7fffffff); }
    __device__ __forceinline__ void merge(unsigned threads) {
        for (unsigned bit = threads / 2; bit; bit /= 2) word = max(word, __shfl_xor_sync(WHOLE_WARP, word, bit));
    }
    __device__ __forceinline__ bool is_finite() const { return word < 0x7ff00000; }
    /* By what power of two they are taken. */
    __device__ __forceinline__ int scale() const { return max((int)(word >> 20) - 1022 - SCALED_BITS, SCALE_LEAST); }
};

/* A number times 2^-scale. has_lost becomes true if that has lost a bit. */
static __device__ __forceinline__ double scaled(double x, int scale, bool &has_lost) {
    const double it = x * power_of_two(-scale);
    has_lost |= it * power_of_two(scale) != x;
    return it;
}

/* Words of a sum of numbers. Where an element is half an ulp of a far greater one, the third says what decides. */
template <row_terms TERMS> constexpr int numbers_words = TERMS == ROW_NUMBERS ? 3 : 2;

/* The total of a vector's elements, which each(use) hands to use(a, b) twice, those of a thread, and answers how many
 * they are; by "threads" threads that share it, whole warps of them. is_pair: a and b are of two arrays. */
template <row_terms TERMS, class Each>
static __device__ __forceinline__ scaled_total scaled_total_of(unsigned threads, bool is_pair, Each each) {
    greatest_number of_x = { 0 }, of_y = { 0 };
    each([&](double a, double b) {
        of_x.see(a);
        if (is_pair) of_y.see(b);
    });
    __syncwarp();
    of_x.merge(threads), of_y.merge(threads);
    const int x = of_x.scale(), y = of_y.scale();
    scaled_total t = { 0, is_pair ? x + y : TERMS == ROW_PRODUCTS ? 2 * x : x, {}, {} };
    exact_sum<numbers_words<TERMS>> numbers;
    exact_sum<3> products;
    numbers.clear(), products.clear();
    if (of_x.is_finite() && of_y.is_finite()) {
        bool has_lost = false;
        const size_t n = each([&](double a, double b) {
            a = scaled(a, x, has_lost);
            b = is_pair ? scaled(b, y, has_lost) : a;
            if (TERMS != ROW_PRODUCTS) numbers.add(a);
            if (TERMS != ROW_NUMBERS) products.add_long_product(a, b);
        });
        if (has_lost) {
            const double loss = (double)n * SCALED_LOSS;
            numbers.widen(loss, loss), products.widen(loss, loss);
        }
    } else {
        each([&](double a, double b) {
            if (!is_pair) b = a;
            if (!double_is_finite(a) || !double_is_finite(b)) t.special += TERMS == ROW_PRODUCTS ? __dmul_rn(a, b) : a;
        });
    }
    __syncwarp();
    for (unsigned bit = threads / 2; bit; bit /= 2) t.special += __shfl_xor_sync(WHOLE_WARP, t.special, bit);
    if (TERMS != ROW_PRODUCTS) t.sum = total_of_words(merge_threads(numbers, threads));
    if (TERMS == ROW_PRODUCTS) t.sum = total_of_words(merge_threads(products, threads));
    if (TERMS == ROW_MOMENTS) t.squares = total_of_words(merge_threads(products, threads));
    return t;
}

#endif
