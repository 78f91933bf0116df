/* scaled_finish.cuh - from a total in a scale (thread/scaled_sum.cuh) to the result of a vector, if the total tells it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SCALED_FINISH_CUH
#define QUIRE_CUDA_GRID_SCALED_FINISH_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/thread/scaled_sum.cuh"

static __device__ __forceinline__ uint64_t round_scaled(const vectors_job &job, double high, double low, int exponent,
                                                        size_t n) {
    return round_total(job, total_raised(total_of_two(high, low), exponent), n);
}

/* A sum of numbers or of products, of WORDS words. needs_terms knows of the middles of normal roots alone; but squares
 * whose root is subnormal add up to less than 2^104 units of 2^-2148, which two words hold as they are. */
template <int WORDS>
static __device__ __forceinline__ bool round_scaled_sum(const vectors_job &job, size_t n, vector_total t, int exponent,
                                                        uint64_t *bits) {
    double high, lower, upper;
    if (t.width == 0) {
        if (needs_terms(job, t)) return false;
        if (WORDS == 3) two_of_three(t.word);
        *bits = round_scaled(job, t.word[0], t.word[1], exponent, n);
        return true;
    }
    if (!enclose<WORDS>(t, &high, &lower, &upper)) return false;
    *bits = round_scaled(job, high, lower, exponent, n);
    return *bits == round_scaled(job, high, upper, exponent, n);
}

/* A variance or its root. */
static __device__ __forceinline__ bool round_scaled_moment(const vectors_job &job, size_t n, const scaled_total &t,
                                                           uint64_t *bits) {
    const double width[PART_SUMS] = { t.sum.width, t.squares.width };
    const int exponent = job.finish == FINISH_STDDEV ? t.exponent : 2 * t.exponent;
    moment_ball ball = moment_in_ball(t.sum.word, t.squares.word, width, job.finish, n, job.correction);
    if (round_ball(ball, job.format, job.rounding, bits, exponent)) return true;
    ball = moment_exactly(t.sum.word, t.squares.word, width, job.finish, n, job.correction);
    return round_ball(ball, job.format, job.rounding, bits, exponent);
}

/* The result of a vector of n elements, if the total tells it; answers whether. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ bool round_scaled_vector(const vectors_job &job, size_t n, const scaled_total &t,
                                                        uint64_t *bits) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS;
    if (!n) return false;
    if (t.special != 0) { /* some terms are not finite, and this is their sum */
        *bits = has_moments ? job.format.quiet_nan : round_total(job, total_of_double(t.special), n);
        return true;
    }
    if constexpr (has_moments)
        return round_scaled_moment(job, n, t, bits);
    else
        return round_scaled_sum<exact_terms<Format, TERMS == ROW_PRODUCTS>::words>(job, n, t.sum, t.exponent, bits);
}

/* The same, stored. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_scaled(const vectors_job &job, size_t v, size_t n, const scaled_total &t) {
    uint64_t bits;
    const bool is_told = round_scaled_vector<Format, TERMS>(job, n, t, &bits);
    if (is_told) format_store(bits, job.format.size, result_at(job, v));
    return is_told;
}

#endif
