/* exact_terms.cuh - what the elements of a format, or their products, allow an exact sum to do.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_EXACT_TERMS_CUH
#define QUIRE_CUDA_THREAD_EXACT_TERMS_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

/* What follows from the choices for exact sums. */
template <class Format, bool PRODUCT> struct exact_terms {
    typedef typename Format::real real;
    static constexpr int factors = PRODUCT ? 2 : 1, size = (int)sizeof(typename Format::element);
    static constexpr int precision = Format::description.precision * factors;
    static constexpr int exponent_bits = 8 * size - Format::description.precision;
    /* Terms are multiples of 2^(least * factors), below 2^(greatest * factors). */
    static constexpr int greatest = (1 << (exponent_bits - 1)) + 1, least = Format::description.least_exponent;
    static constexpr int range = (greatest - least) * factors;
    static constexpr bool is_double = sizeof(real) == 8; /* so that sums of finite terms may overflow */
    /* Two doubles hold what is ordinary, but products of doubles, whose own errors have bits as low as 2^-106 of them.
     */
    static constexpr int words = is_double && PRODUCT ? 3 : 2;
    /* Whether the sum of a chunk's terms is one double often enough to be tried. */
    static constexpr bool tries_groups = !is_double && precision <= 24;
};

#endif
