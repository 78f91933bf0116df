/* scaled_finish.cuh - from a total in a scale (thread/scaled_sum.cuh) to the result of a vector, if the total tells it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SCALED_FINISH_CUH
#define QUIRE_CUDA_GRID_SCALED_FINISH_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/group/scaled_vector.cuh"

static __device__ __forceinline__ uint64_t round_scaled_words(const vectors_job &job, double high, double low,
                                                              int exponent, size_t n) {
    return round_total(job, total_raised(total_of_two(high, low), exponent), n);
}

/* The same of a sum that is two words, or above the first and below the second: a normal double to nearest, in the
 * scale and without. */
static __device__ __forceinline__ bool nearest_scaled(const vectors_job &job, const double *least, const double *most,
                                                      int exponent, uint64_t *bits) {
    if (job.format.precision != 53 || job.finish != FINISH_KEEP || job.rounding != QUIRE_TO_NEAREST) return false;
    *bits = bits_of_double(least[0] + least[1]);
    return *bits == bits_of_double(most[0] + most[1]) && raise_double(bits, exponent);
}

/* And of any finish and direction, by the ball round a sum from high + lower to high + upper. */
static __device__ __forceinline__ bool round_scaled_quickly(const vectors_job &job, size_t n, double high, double lower,
                                                            double upper, int exponent, uint64_t *bits) {
    const double least[2] = { high, lower }, most[2] = { high, upper };
    if (nearest_scaled(job, least, most, exponent, bits)) return true;
    return job.format.precision == 53 && round_sum(high, lower, upper, job.finish, n, job.format, job.rounding, bits) &&
           raise_double(bits, job.finish == FINISH_ROOT ? exponent / 2 : exponent);
}

/* A sum of numbers or of products. It lies between two sums of three words, or is both of them. Each is made two words
 * that round as it does; but roots are told by its ends. needs_terms knows of the middles of normal roots alone; but
 * squares whose root is subnormal add up to less than 2^104 units of 2^-2148, which two words hold as they are. */
static __device__ __forceinline__ bool round_scaled_sum(const vectors_job &job, size_t n, vector_total t, int exponent,
                                                        uint64_t *bits) {
    double high, lower, upper;
    const bool is_sure = enclose<3>(t, &high, &lower, &upper), is_exact = t.width == 0;
    if (is_sure && round_scaled_quickly(job, n, high, lower, upper, exponent, bits)) return true;
    if (is_exact ? needs_terms(job, t) : !is_sure) return false;
    if (!is_exact && job.finish == FINISH_ROOT) {
        *bits = round_scaled_words(job, high, lower, exponent, n);
        return *bits == round_scaled_words(job, high, upper, exponent, n);
    }
    vector_total least = t;
    least.word[2] = add_down(t.word[2], -t.width);
    if (t.word[1] != 0 || t.word[2] != 0 || !is_exact) /* else a zero would lose its sign */
        two_of_three(least.word), two_of_three(t.word);
    if (is_sure && nearest_scaled(job, least.word, t.word, exponent, bits)) return true;
    *bits = round_scaled_words(job, least.word[0], least.word[1], exponent, n);
    return is_exact || *bits == round_scaled_words(job, t.word[0], t.word[1], exponent, n);
}

/* A variance or its root. */
static __device__ __forceinline__ bool round_scaled_moment(const vectors_job &job, size_t n, const vector_total &sum,
                                                           const vector_total &squares, int scale, uint64_t *bits) {
    const double width[PART_SUMS] = { sum.width, squares.width };
    const int exponent = job.finish == FINISH_STDDEV ? scale : 2 * scale;
    moment_ball ball = moment_in_ball(sum.word, squares.word, width, job.finish, n, job.correction);
    if (round_ball(ball, job.format, job.rounding, bits, exponent)) return true;
    ball = moment_exactly(sum.word, squares.word, width, job.finish, n, job.correction);
    return round_ball(ball, job.format, job.rounding, bits, exponent);
}

/* The result of a vector, if what all of it comes to tells it; answers whether. */
template <row_terms TERMS>
static __device__ __noinline__ bool round_scaled(const vectors_job &job, const vector_in_scale<TERMS> &its,
                                                 uint64_t *bits) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS;
    if (!its.n) return false;
    if (its.part.special != 0) { /* some terms are not finite, and this is their sum */
        *bits = has_moments ? job.format.quiet_nan : round_total(job, total_of_double(its.part.special), its.n);
        return true;
    }
    const vector_total sum = total_of_words(its.part.of[0]);
    const int x = its.scale.x, y = its.scale.y;
    if constexpr (has_moments)
        return round_scaled_moment(job, its.n, sum, total_of_words(its.part.of[1]), x, bits);
    else
        return round_scaled_sum(job, its.n, sum, TERMS == ROW_PRODUCTS ? x + y : x, bits);
}

/* The same, stored. */
template <row_terms TERMS>
static __device__ __forceinline__ bool store_scaled(const vectors_job &job, size_t v,
                                                    const vector_in_scale<TERMS> &its) {
    uint64_t bits;
    const bool is_told = round_scaled(job, its, &bits);
    if (is_told) format_store(bits, job.format.size, result_at(job, v));
    return is_told;
}

#endif
