/* scaled_sum.cuh - exact sums of doubles of any exponent. Some elements of a vector, or all, are looked at before, and
 * say by what power of two all are multiplied: so that products of the greatest of these neither overflow nor are lost.
 * If far greater ones stand elsewhere the sum may be infinite, or of no known width; it is never wrong. So a few
 * doubles and a width (long_sum.cuh) say nearly always what the result is, where without a scale they are infinite or
 * unknown.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SCALED_SUM_CUH
#define QUIRE_CUDA_THREAD_SCALED_SUM_CUH

#include "cuda/thread/long_sum.cuh"

/* The elements that are looked at are to be below 2^scaled_bits. Of products, squares of the greatest are 2^-302 or
 * more then, as moment_in_ball wants them (BALL_LEAST), unless all elements are subnormal, and others may be 2^300
 * times as great. Numbers can only be too great: they are made no greater, and no smaller than sums of some others
 * need, so that few lose bits. */
template <row_terms TERMS> constexpr int scaled_bits = TERMS == ROW_NUMBERS ? 800 : -150;
template <row_terms TERMS> constexpr int scale_least = TERMS == ROW_NUMBERS ? 0 : -1022 - scaled_bits<TERMS>;
#define SCALE_MOST 1000 /* its reciprocal is a normal double, and so is that of the least */

/* By what powers of two the elements of x, and of y, are taken. */
struct element_scales {
    int x, y;
};

/* Those of the vector that a warp of a block of SCALED_THREADS is at work on. */
static __device__ __forceinline__ element_scales &scales_of_warp() {
    __shared__ element_scales room[SCALED_THREADS / WARP];
    return room[threadIdx.x / WARP];
}

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
    template <row_terms TERMS> __device__ __forceinline__ int scale() const {
        return min(max((int)(word >> 20) - 1022 - scaled_bits<TERMS>, scale_least<TERMS>), SCALE_MOST);
    }
};

/* A number times 2^-scale. has_lost becomes true if that has lost a bit. */
static __device__ __forceinline__ double scaled(double x, int scale, bool &has_lost) {
    const double it = x * power_of_two(-scale);
    has_lost |= it * power_of_two(scale) != x;
    return it;
}

/* What some threads have of a vector: scaled sums of numbers, of products, or of numbers and their squares; and if
 * terms are not finite, the infinity or NaN that is the sum of these, else 0. Of numbers that cancel, and where one is
 * half an ulp of a far greater one, the third word says what decides. */
template <row_terms TERMS> struct scaled_part {
    static constexpr int words = TERMS == ROW_NUMBERS ? 3 : 2, sums = TERMS == ROW_MOMENTS ? 2 : 1;
    long_sum<words> of[sums];
    double special;

    __device__ __forceinline__ long_sum<words> &numbers() { return of[0]; }
    __device__ __forceinline__ long_sum<words> &products() { return of[sums - 1]; }
    __device__ __forceinline__ void clear() {
        for (auto &sum : of) sum.clear();
        special = 0;
    }
    __device__ __forceinline__ void merge(unsigned threads) {
        for (auto &sum : of) sum.merge(threads);
        for (unsigned bit = threads / 2; bit; bit /= 2) special += __shfl_xor_sync(WHOLE_WARP, special, bit);
    }
    __device__ __forceinline__ void join(const scaled_part &other) {
        for (int i = 0; i < sums; i++) of[i].join(other.of[i]);
        special += other.special;
    }
    /* That of another lane, by a whole warp. */
    __device__ __forceinline__ scaled_part of_lane(unsigned lane) const {
        scaled_part other;
        for (int i = 0; i < sums; i++) other.of[i] = of[i].of_lane(lane);
        other.special = __shfl_sync(WHOLE_WARP, special, (int)lane);
        return other;
    }
};

/* What a thread adds up, chunk by chunk (group/row_sum.cuh) or element by element. PAIR: products of two arrays. */
template <row_terms TERMS, bool PAIR> struct scaled_range {
    static constexpr bool has_magnitudes = TERMS == ROW_NUMBERS;
    scaled_part<TERMS> part;
    element_scales scale;
    bool has_lost;               /* a bit, by scaling */
    greatest_number scaled_most; /* of the elements of two arrays, scaled */

    __device__ __forceinline__ void begin(element_scales by) {
        part.clear();
        scale = by, has_lost = false, scaled_most = { 0 };
    }
    __device__ __forceinline__ void clear() { begin(scales_of_warp()); }
    __device__ __forceinline__ void add_special(double x, double y) {
        if (!double_is_finite(x) || (PAIR && !double_is_finite(y)))
            part.special += TERMS != ROW_PRODUCTS ? x : __dmul_rn(x, PAIR ? y : x);
    }
    __device__ __forceinline__ void add_scaled(double x, double y) {
        const double a = scaled(x, scale.x, has_lost), b = PAIR ? scaled(y, scale.y, has_lost) : a;
        if (PAIR) scaled_most.see(a), scaled_most.see(b);
        if (TERMS != ROW_PRODUCTS) part.numbers().add(a);
        if (TERMS != ROW_NUMBERS) part.products().add_long_product(a, b);
    }
    __device__ __forceinline__ void add_one(double x, double y) { add_special(x, y), add_scaled(x, y); }
    template <int COUNT>
    __device__ __forceinline__ void add(const double (&x)[COUNT], const double (&y)[COUNT], bool magnitude) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) add_one(magnitude ? abs_f64(x[i]) : x[i], y[i]);
    }
    /* What is lost of n elements at most. A scaled one is off by half of the least double; and so much, times the
     * other factor, is a product. An element that is off is subnormal: of its square nothing is lost that counts. */
    __device__ __forceinline__ scaled_part<TERMS> total(size_t n) {
        if (has_lost) {
            const double most = PAIR ? __hiloint2double((int)scaled_most.word + 1, 0) : 0,
                         loss = __dmul_ru(__dmul_ru((double)n, add_up(most, 1)), 0x1p-1074);
            for (auto &sum : part.of) sum.widen(loss, loss);
        }
        return part;
    }
};

#endif
