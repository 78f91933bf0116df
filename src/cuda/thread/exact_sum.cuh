/* exact_sum.cuh - a thread's exact sum in a few doubles: a sum, what its additions have lost, what the additions of
 * that have lost, one word for each; the last of these is added up twice, rounded down and rounded up. As long as the
 * two are equal nothing is lost: all the numbers together are the exact sum of all terms. If they differ, the sum lies
 * between them.
 *
 * The loss of an addition is found by TwoSum (Knuth, TAOCP 2, 4.2.2, Theorem B). Rounded down the last sum is never
 * above the exact one, rounded up never below, so that equal ends are the sum itself. What is not finite has ends that
 * are NaN, which equal nothing; the first number is then the infinity or NaN that the sum is, where terms cannot
 * overflow: it is the sum of terms as IEEE arithmetic has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_EXACT_SUM_CUH
#define QUIRE_CUDA_THREAD_EXACT_SUM_CUH

#include <type_traits>

#include "cuda/device/directed.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

/* Products of doubles of a lesser magnitude have errors that may be no doubles: of 106 bits the last is below 2^-1074
 * then. Value and error together are off by half of that at most. */
#define PRODUCT_UNDERFLOWS 0x1p-960

/* WORDS numbers, of which the last is known by its ends. */
template <int WORDS> struct exact_sum {
    double word[WORDS - 1], down, up;

    __device__ __forceinline__ void clear() {
        word[0] = -0.0; /* a sum of only -0 is -0 */
        for (int i = 1; i < WORDS - 1; i++) word[i] = 0;
        down = up = 0;
    }
    /* How far the sum may be below the numbers, of which the last is "up": 0, a little, or NaN or infinite. */
    __device__ __forceinline__ double width() const { return add_up(up, -down); }
    __device__ __forceinline__ bool is_one_number() const {
        bool other = down != 0 || up != 0;
        for (int i = 1; i < WORDS - 1; i++) other |= word[i] != 0;
        return !other;
    }
    /* Numbers whose sum is added: of one that is not finite the first says what it is, and the others are NaN; a +0
     * that is lost is no term. */
    __device__ __forceinline__ void add_word(int i, double number) {
        if (i == 0 || (number != 0 && double_is_finite(number))) add(number);
    }
    /* From number FROM on. */
    template <int FROM = 0> __device__ __forceinline__ void add(double term) {
#pragma unroll
        for (int i = FROM; i < WORDS - 1; i++) {
            double total;
            term = two_sum_f64(word[i], term, &total);
            word[i] = total;
        }
        down = add_down(down, term), up = add_up(up, term);
    }
    __device__ __forceinline__ void merge(const exact_sum &other) {
        add(other.word[0]);
        if constexpr (WORDS > 2) add<1>(other.word[1]);
        down = add_down(down, other.down), up = add_up(up, other.up);
    }
    /* That of the thread whose number differs in one bit, too; by whole warps. */
    __device__ __forceinline__ void merge_across(unsigned bit) {
        exact_sum other;
        for (int i = 0; i < WORDS - 1; i++) other.word[i] = __shfl_xor_sync(WHOLE_WARP, word[i], bit);
        other.down = __shfl_xor_sync(WHOLE_WARP, down, bit);
        other.up = __shfl_xor_sync(WHOLE_WARP, up, bit);
        merge(other);
    }
    /* The last term was a number from term - below to term + above. */
    __device__ __forceinline__ void widen(double below, double above) {
        down = add_down(down, -below), up = add_up(up, above);
    }
    /* The product of any two doubles, which is no double; three words keep its error, unless that underflows. */
    __device__ __forceinline__ void add_long_product(double a, double b) {
        const double product = a * b;
        add(product);
        if constexpr (WORDS < 3) {
            widen(-fma_down(a, b, -product), fma_up(a, b, -product));
        } else {
            add<1>(product_term::error(a, b, product));
            if (abs_f64(product) < PRODUCT_UNDERFLOWS && a != 0 && b != 0) widen(0x1p-1074, 0x1p-1074);
        }
    }
};

/* The sums of "threads" threads, a power of two, that stand "apart"; by whole warps. Most are one number each, and
 * their sum is a double, too. */
template <int WORDS>
static __device__ __forceinline__ exact_sum<WORDS> merge_threads(exact_sum<WORDS> s, unsigned threads,
                                                                 unsigned apart = 1) {
    __syncwarp();
    if (__all_sync(WHOLE_WARP, s.is_one_number())) {
        double down = s.word[0], up = down;
        for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) {
            down = add_down(down, __shfl_xor_sync(WHOLE_WARP, down, lanes));
            up = add_up(up, __shfl_xor_sync(WHOLE_WARP, up, lanes));
        }
        if (__all_sync(WHOLE_WARP, down == up && double_is_finite(up))) {
            s.word[0] = up; /* the others are 0 */
            return s;
        }
    }
    for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) s.merge_across(lanes);
    return s;
}

/* What follows from the choices for exact sums. */
template <class Format, bool PRODUCT> struct exact_terms {
    typedef typename Format::real real;
    static constexpr int factors = PRODUCT ? 2 : 1, size = (int)sizeof(typename Format::element);
    static constexpr int count = vectors_group(size); /* terms of a group */
    static constexpr int precision = Format::description.precision * factors;
    static constexpr int exponent_bits = 8 * size - Format::description.precision;
    /* Terms are multiples of 2^(least * factors), below 2^(greatest * factors). */
    static constexpr int greatest = (1 << (exponent_bits - 1)) + 1, least = Format::description.least_exponent;
    static constexpr int range = (greatest - least) * factors;
    static constexpr bool is_double = sizeof(real) == 8; /* so that sums of finite terms may overflow */
    /* Two doubles hold what is ordinary, but products of doubles, whose own errors have bits as low as 2^-106 of them.
     */
    static constexpr int words = is_double && PRODUCT ? 3 : 2;
    /* Groups of short terms add up in float, rounded both ways, those of longer ones in double; where all of a format's
     * terms fit, one way is enough; where few groups would be exact they are not tried. */
    static constexpr bool in_float = precision <= 11 && (!PRODUCT || range <= 100);
    static constexpr bool fits = range + 4 <= (in_float ? 24 : 53), tries_groups = !is_double && precision <= 24;
    typedef std::conditional_t<in_float, float, double> sum_type;
    static_assert(count <= 16, "a group has more terms than fits allows for");

    static __device__ __forceinline__ sum_type value(real a, real b, bool magnitude) {
        return PRODUCT ? (sum_type)a * (sum_type)b : (sum_type)element_term<Format, false>::linear(a, magnitude);
    }
};

template <class Format, bool PRODUCT> using exact_group = element_group<Format, exact_terms<Format, PRODUCT>::count>;
template <class Format, bool PRODUCT> using exact_sum_of = exact_sum<exact_terms<Format, PRODUCT>::words>;

/* The sum of a group as one number; answers whether it is exact. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ bool group_total(const exact_group<Format, PRODUCT> &x,
                                                   const exact_group<Format, PRODUCT> &y, bool magnitude,
                                                   double *total) {
    typedef exact_terms<Format, PRODUCT> terms;
    typename terms::sum_type down = 0, up = 0;
#pragma unroll
    for (int i = 0; i < terms::count; i++) {
        const auto a = decode(Format(), x.of[i]), b = PRODUCT ? decode(Format(), y.of[i]) : a;
        const auto value = terms::value(a, b, magnitude);
        up = i ? add_up(up, value) : value; /* whose zeros have the sign that rounding to nearest gives them */
        if (!terms::fits) down = i ? add_down(down, value) : value;
    }
    *total = up;
    return (terms::fits || down == up) && double_is_finite(up);
}

/* Adds the terms of a group, which may be special: then the sum is no longer exact. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ void add_group(exact_sum_of<Format, PRODUCT> &s,
                                                 const exact_group<Format, PRODUCT> &x,
                                                 const exact_group<Format, PRODUCT> &y, bool magnitude) {
    typedef exact_terms<Format, PRODUCT> terms;
    if constexpr (terms::tries_groups) {
        double total;
        if (group_total<Format, PRODUCT>(x, y, magnitude, &total)) {
            s.add(total);
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < terms::count; i++) {
        const auto a = decode(Format(), x.of[i]), b = PRODUCT ? decode(Format(), y.of[i]) : a;
        if constexpr (PRODUCT && terms::is_double)
            s.add_long_product(a, b);
        else
            s.add(PRODUCT ? (double)a * (double)b : (double)element_term<Format, false>::linear(a, magnitude));
    }
}

#endif
