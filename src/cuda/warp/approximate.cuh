/* approximate.cuh - batches that no window holds, where the result may be known but for a little (method/ball.h): two
 * bins whose top covers the greatest term, and what the last one rounds away is dropped and counted.
 *
 * Terms are added one by one: to the first bin, and what it leaves to the second, which are four additions a term, and
 * no rest to look at. A term loses half a unit of the last bin at most; a product of doubles 2^-9 of it more, since its
 * rest is rounded before that, and a double that is scaled what is far below: two halves are counted for doubles. A
 * lane's move up loses less than a unit of what it has counted. Sums of bfloat16 do not keep up with that: if the
 * result has no more bits than a float, groups of eight are added up first (APPROXIMATE_TOGETHER).
 *
 * Or, if none is negative and the result has no more bits than a float, all of a lane's batch is added to one double,
 * and that to the bins: one addition a term. Its error is relative to the sum, whatever the window:
 * APPROXIMATE_RELATIVE.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_APPROXIMATE_CUH
#define QUIRE_CUDA_WARP_APPROXIMATE_CUH

#include <limits.h>

#include "cuda/job.h"
#include "cuda/thread/batch.cuh"
#include "cuda/thread/exact_choice.cuh"
#include "cuda/warp/tolerant_window.cuh"

/* The top that a batch needs: all terms are below 2^top in magnitude. */
#define ALL_ZERO INT_MIN
#define NOT_FINITE INT_MAX

/* A batch's total of at most 2^6 terms has at most 2^6 - 1 roundings, each of 2^-53 at most: together less than 2^-47
 * of the sum. 2^-46 of the sum that is found leaves room for their products, and for what else the sum may lack. */
#define APPROXIMATE_RELATIVE 46
#define APPROXIMATE_TOTAL_PRECISION 24 /* of the results that are worth it */

/* Of eight terms below 2^top, sums of two are below 2^(top + 1) and lose 2^(top - 53) each at most, sums of four 2^(top
 * - 52), their sum 2^(top - 51): 3 * 2^(top - 51) together, 3/4 of eight times 2^36 halves of the last unit; the last
 * quarter is more than what the bins then lose. */
#define APPROXIMATE_TOGETHER 8
#define APPROXIMATE_TOGETHER_LOSS 36

/* Whether terms are added up in groups. */
template <class Choice> static __device__ __forceinline__ bool adds_together(const cuda_job &job) {
    return Choice::may_add_together && job.format.precision <= APPROXIMATE_TOTAL_PRECISION;
}

static __device__ __forceinline__ int top_of_word(uint32_t word) {
    return word >= INFINITE_WORD ? NOT_FINITE : (int)(word >> 20) - 1022;
}

/* Where a window for terms below 2^t belongs: its bins must be normal numbers. */
static __device__ __forceinline__ int approximate_top(int t) {
    return max(window_top(t, WINDOW_ALIGNED), window_least_top(APPROXIMATE_BINS)); /* so it seldom has to move */
}

/* window_add of x * y; the product of doubles is nowhere rounded but where its rest is. */
static __device__ __forceinline__ void approximate_add_product(double *bin, double x, double y) {
    const double q = __fma_rn(x, y, bin[0]);
    const double taken = q - bin[0];
    bin[0] = q;
    bin[1] = bin[1] + __fma_rn(x, y, -taken);
}

/* Whether all terms of a batch of doubles are zeros; for what is rare. */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ bool batch_is_zero(const batch_of<Format, E, PACKS> &b) {
    bool zero = true;
    b.each_pack([&](const batch_of<Format, E, 1> &one) {
#pragma unroll
        for (int i = 0; i < E; i++) zero = zero && one.x[0][i] == 0;
    });
    return zero;
}

/* The top that products of two arrays need. The upper word of a number, times 2^-FRACTION, less the bias, is its
 * logarithm or up to 0.0861 less, since log2(1 + f) - f is no more: so the sum of two words, and a quarter, is enough.
 */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ int approximate_pair_top(const batch_of<Format, E, PACKS> &b) {
    constexpr bool is_double = sizeof(typename Format::element) == 8;
    constexpr int FRACTION = is_double ? 20 : 23, BIAS = is_double ? 1023 : 127;
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        const uint32_t x = (uint32_t)(element_bits(b.x[i / E][i % E]) >> (is_double ? 32 : 0)) & 0x7fffffff;
        const uint32_t y = (uint32_t)(element_bits(b.y[i / E][i % E]) >> (is_double ? 32 : 0)) & 0x7fffffff;
        most = max(most, x + y);
    }
    const int t = (int)(((uint64_t)most + (1u << (FRACTION - 2))) >> FRACTION) - 2 * BIAS + 1;
    return min(t, 2 * (BIAS + 1)); /* what is not finite shows in the bins */
}

/* The top that a batch's terms need. It may be NOT_FINITE if any is, or not. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ int approximate_need(const batch_of<Format, E, PACKS> &b) {
    if constexpr (Term::is_pair) {
        return approximate_pair_top(b);
    } else if constexpr (Choice::is_double) {
        uint32_t most = 0;
#pragma unroll
        for (int i = 0; i < E * PACKS; i++) most = max(most, magnitude_word(b.x[i / E][i % E]));
        if (most == 0 && batch_is_zero(b)) return ALL_ZERO;
        const int t = top_of_word(most);
        return t == NOT_FINITE || !Term::is_product ? t : 2 * t;
    } else {
        const uint32_t most = batch_most<Format, Term>(b);
        return most ? top_of_word(most) : ALL_ZERO;
    }
}

/* The sum of a group's terms from number first on, by halves. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ double total_of_some(const batch_of<Format, E, PACKS> &b, int first) {
    double sum[APPROXIMATE_TOGETHER];
#pragma unroll
    for (int i = 0; i < APPROXIMATE_TOGETHER; i++) {
        double part[1];
        batch_parts<Format, Term>(b, first + i, part);
        sum[i] = part[0];
    }
#pragma unroll
    for (int w = APPROXIMATE_TOGETHER / 2; w; w /= 2)
#pragma unroll
        for (int i = 0; i < w; i++) sum[i] = sum[i] + sum[i + w];
    return sum[0];
}

/* Adds a batch's terms to the lane's bins, those of a window of that top, which is high enough. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void approximate_add(double *bin, const batch_of<Format, E, PACKS> &b, int top,
                                                       bool together) {
    if constexpr (Choice::may_add_together) {
        if (together) {
            static_assert(E * PACKS % APPROXIMATE_TOGETHER == 0, "a batch is no whole number of groups");
#pragma unroll
            for (int i = 0; i < E * PACKS; i += APPROXIMATE_TOGETHER)
                window_add_f64(bin, APPROXIMATE_BINS, total_of_some<Format, Term>(b, i));
            return;
        }
    }
    const bool lowers = Choice::lowered && top > WINDOW_GREATEST_TOP;
    const double factor = lowers ? power_of_two(-Choice::factor_lowered) : 1;
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        const auto x = b.x[i / E][i % E], y = Term::is_pair ? b.y[i / E][i % E] : x;
        if constexpr (Choice::is_double && !Term::is_product) {
            approximate_add_product(bin, Term::value(x, x), factor);
        } else if constexpr (Term::is_product) {
            const double a = Choice::is_double ? x * factor : (double)decode(Format(), x);
            approximate_add_product(bin, a,
                                    !Term::is_pair      ? a
                                    : Choice::is_double ? y * factor
                                                        : (double)decode(Format(), y));
        } else {
            window_add_f64(bin, APPROXIMATE_BINS, term_as_double<Format, Term>::of(x, y));
        }
    }
}

/* The sum of a batch's terms, none of which is negative, but for APPROXIMATE_RELATIVE; not finite if any is not. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ double approximate_total(const batch_of<Format, E, PACKS> &b) {
    static_assert(E * PACKS <= 1 << LANE_TERM_BITS, "APPROXIMATE_RELATIVE does not hold");
    double total[4] = { 0, 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        const auto x = b.x[i / E][i % E];
        if constexpr (Term::is_product) {
            typedef term_as_double<Format, magnitude_term> magnitude;
            const double a = magnitude::of(x, x) * power_of_two(magnitude::shrunk);
            total[i % 4] = __fma_rn(a, a, total[i % 4]);
        } else {
            total[i % 4] = total[i % 4] + term_as_double<Format, Term>::of(x, x);
        }
    }
    /* bits that were moved do not tell Inf and NaN */
    if (batch_is_special<Format, Term>(b)) return double_of_bits((uint64_t)INFINITE_WORD << 32);
    return (total[0] + total[1]) + (total[2] + total[3]);
}

#endif
