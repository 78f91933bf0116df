/* scaled_sum.cuh - exact sums of doubles of any exponent. A first look at a range finds its greatest exponent; then its
 * elements are multiplied by a power of two, with which no sum of terms overflows, nor do products of which anything
 * is left in the sum underflow. So a few doubles and a width (thread/long_sum.cuh) say nearly always what the result
 * is, where without they are infinite or unknown.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SCALED_SUM_CUH
#define QUIRE_CUDA_WARP_SCALED_SUM_CUH

#include "cuda/thread/long_sum.cuh"
#include "cuda/warp/agents.cuh"

/* Scaled elements are below 2^SCALED_BITS: n <= 2^40 products are below 2^340, as moment_in_ball wants them
 * (BALL_GREATEST), and any 2^64 of them below 2^364. */
#define SCALED_BITS 150
#define SCALE_LEAST (-1000) /* the least exponent of a scale, whose reciprocal is a double */

/* What a group of terms, or a part's words, may have lost by scaling, at most. A scaled element is off by 2^-1075 at
 * most, and so the product of two, each below 2^150, by 2^-924. Words of a part are below 2^364; where they are taken
 * for 0 because their factor is below 2^-1000 (add_scaled_words), they are off by 2^-636. A result seldom shows so
 * little: the greatest element is 2^149 or more, unless the scale is the least one, by which no bit is lost. */
#define SCALED_LOSS 0x1p-600

/* In units of which elements are taken, and whether all are finite. */
struct vector_scale {
    double special; /* 0; or if terms are not finite, the infinity or NaN that is their sum */
    int x, y;       /* elements are multiplied by 2^-x, and by 2^-y */
};

/* The sums of numbers, of products, or of numbers and their squares. sum stands for itself times 2^exponent, squares
 * for itself times 2^(2 * exponent). */
struct scaled_total {
    double special; /* see vector_scale: if it is not 0 the sums mean nothing */
    int exponent;
    vector_total sum, squares;
};

/* 2^exponent, a normal number. */
static __device__ __forceinline__ double power_of_two(int exponent) {
    return double_of_bits((uint64_t)(1023 + exponent) << 52);
}
/* The upper word of |x|: its exponent, and 20 bits. */
static __device__ __forceinline__ uint32_t magnitude_word(double x) { return (uint32_t)__double2hiint(x) & 0x7fffffff; }

static __device__ __forceinline__ int scale_of(uint32_t greatest_word) {
    return max((int)(greatest_word >> 20) - 1022 - SCALED_BITS, SCALE_LEAST);
}

/* The scale of elements begin to end, for all threads that share them. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_scale scale_of_range(const vector_pair<Format> &at, size_t begin, size_t end,
                                                              bool magnitude, unsigned thread, unsigned threads) {
    vector_scale s = { 0, 0, 0 };
    uint32_t greatest_x = 0, greatest_y = 0;
#pragma unroll 4
    for (size_t k = begin + thread; k < end; k += threads) {
        const double a = at.x.x[(ptrdiff_t)k * at.x.stride], b = PRODUCT ? at.y.x[(ptrdiff_t)k * at.y.stride] : a;
        greatest_x = max(greatest_x, magnitude_word(a));
        if (PRODUCT) greatest_y = max(greatest_y, magnitude_word(b));
        if (!double_is_finite(a) || !double_is_finite(b))
            s.special += element_term<Format, PRODUCT>::value(a, b, magnitude);
    }
    __syncwarp();
    for (unsigned lanes = threads / 2; lanes; lanes /= 2) {
        s.special += __shfl_xor_sync(WHOLE_WARP, s.special, lanes);
        greatest_x = max(greatest_x, __shfl_xor_sync(WHOLE_WARP, greatest_x, lanes));
        if (PRODUCT) greatest_y = max(greatest_y, __shfl_xor_sync(WHOLE_WARP, greatest_y, lanes));
    }
    s.x = scale_of(greatest_x), s.y = PRODUCT ? scale_of(greatest_y) : s.x;
    return s;
}

/* Multiplies a group's elements by 2^-scale; answers whether any of them has lost a bit. */
template <class Group> static __device__ __forceinline__ bool scale_group(Group &group, int scale) {
    const double factor = power_of_two(-scale), back = power_of_two(scale);
    bool has_lost = false;
#pragma unroll
    for (double &x : group.of) {
        const double scaled = x * factor;
        has_lost |= scaled * back != x;
        x = scaled;
    }
    return has_lost;
}

/* The totals of a range, of which "scale" is known; they stand in the first of the threads that share it. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ scaled_total total_in_scale(const vector_pair<Format> &at, size_t begin, size_t end,
                                                              bool magnitude, const vector_scale &scale,
                                                              unsigned thread, unsigned threads) {
    constexpr bool is_product = TERMS == ROW_PRODUCTS;
    typedef exact_agent<Format, is_product> agent;
    exact_sum_of<Format, is_product> sum;
    exact_sum_of<Format, true> squares;
    sum.clear(), squares.clear();
    agent::each_group(at, begin, end, thread, threads, [&](typename agent::group g) {
        bool has_lost = scale_group(g.x, scale.x);
        if (is_product) has_lost |= scale_group(g.y, scale.y);
        add_group<Format, is_product>(sum, g.x, g.y, magnitude);
        if (has_lost) sum.widen(SCALED_LOSS, SCALED_LOSS);
        if constexpr (TERMS == ROW_MOMENTS) {
            add_group<Format, true>(squares, g.x, g.x, false);
            if (has_lost) squares.widen(SCALED_LOSS, SCALED_LOSS);
        }
    });
    scaled_total t = { scale.special, is_product ? scale.x + scale.y : scale.x, agent::merged(sum, threads), {} };
    if (TERMS == ROW_MOMENTS) t.squares = exact_agent<Format, true>::merged(squares, threads);
    return t;
}

/* The same of a range of which nothing is known. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ scaled_total scaled_total_of(const vector_pair<Format> &at, size_t begin, size_t end,
                                                            bool magnitude, unsigned thread, unsigned threads) {
    const vector_scale scale =
        scale_of_range<Format, TERMS == ROW_PRODUCTS>(at, begin, end, magnitude, thread, threads);
    return total_in_scale<Format, TERMS>(at, begin, end, magnitude, scale, thread, threads);
}

/* A total without its scale, if its numbers are doubles then, and exact; else one of which nothing is known. */
static __device__ __forceinline__ vector_total total_unscaled(vector_total t, int exponent) {
    bool is_same = t.width == 0 && exponent >= SCALE_LEAST && exponent <= -SCALE_LEAST;
    for (int i = 0; i < VECTORS_WORDS && is_same; i++) {
        const double number = t.word[i] * power_of_two(exponent);
        is_same = double_is_finite(number) && number * power_of_two(-exponent) == t.word[i];
        t.word[i] = number;
    }
    if (!is_same) t.word[0] = 0, t.width = double_of_bits(double_format::description.quiet_nan);
    return t;
}

#endif
