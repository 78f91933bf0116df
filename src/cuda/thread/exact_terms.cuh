/* exact_terms.cuh - what the elements of a format, or their products, allow an exact sum to do; and the sums of groups
 * of elements, which mostly are one double.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_EXACT_TERMS_CUH
#define QUIRE_CUDA_THREAD_EXACT_TERMS_CUH

#include <type_traits>

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/exact_sum.cuh"

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
