/* row_finish.cuh - from the words of a row's sums to its result, or to a mark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ROW_FINISH_CUH
#define QUIRE_CUDA_GRID_ROW_FINISH_CUH

#include "cuda/grid/marks.cuh"
#include "cuda/thread/row_sums.cuh"

/* The balls' arithmetic calls what only the device has here. */
#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__
static __device__ __forceinline__ double root_f64(double x) { return __dsqrt_rn(x); }
#include "operation/moments_ball.h"
#pragma pop_macro("QUIRE_INLINE")

/* Rounds the ball to the job's format; answers whether all of it rounds to the same. For a double to nearest two doubles say
 * where the ball ends; for the others the ends are one double each, and a little beyond it. */
static __device__ __forceinline__ bool round_ball(const vectors_job &job, moment_ball ball, uint64_t *bits) {
    const format_description &format = job.format;
    const bool is_nearest = job.rounding == QUIRE_TO_NEAREST;
    if (ball.radius < 0) return false;
    if (ball.radius == 0) {
        *bits = 0;
        return ball.high == 0 && ball.low == 0;
    }
    const double radius = ball.radius + ball.high * 0x1p-100; /* the ends are rounded, too */
    double low = ball.high + (ball.low - radius), high = ball.high + (ball.low + radius);
    if (is_nearest && format.precision == 53) {
        *bits = bits_of_double(low);
        return low == high;
    }
    low *= 1 - 0x1p-52, high *= 1 + 0x1p-52;
    if (is_nearest && format.precision >= 8) {
        *bits = round_number(low, format.precision);
        return *bits == round_number(high, format.precision);
    }
    *bits = total_round(total_of_double(low), format, job.rounding);
    return *bits == total_round(total_of_double(high), format, job.rounding);
}

/* The variance of a row, or its root; word: the sum's words, then those of the squares'. Answers whether it is stored. */
template <class Sums>
static __device__ __forceinline__ bool store_moment(const vectors_job &job, size_t v, size_t n, const double *word) {
    constexpr int numbers = Sums::number_words, squares = Sums::words - numbers;
    const double s[2] = { word[0], numbers > 1 ? word[1] : 0 };
    const double q[3] = { word[numbers], squares > 1 ? word[numbers + 1] : 0, squares > 2 ? word[numbers + 2] : 0 };
    uint64_t bits;
    if (!round_ball(job, moment_in_ball(s, q, job.finish, n, job.correction), &bits)) return false;
    format_store(bits, job.format.size, result_at(job, v));
    return true;
}

/* The result of a row of n elements. A zero whose sign depends on the terms is not known here. */
template <class Sums, row_terms TERMS>
static __device__ __forceinline__ void finish_row(const vectors_job &job, size_t v, size_t n, const double *word,
                                                  bool is_known) {
    if constexpr (TERMS == ROW_MOMENTS) {
        if (!is_known || !store_moment<Sums>(job, v, n, word)) mark_result(job, v);
    } else {
        vector_total t = { {}, is_known };
        for (int i = 0; i < Sums::words; i++) t.word[i] = word[i];
        if (is_known && !needs_terms(job, t))
            store_exact<Sums::words>(job, v, n, t.word);
        else
            mark_result(job, v);
    }
}

/* The same for what finishes several, one after the other: once in the code. */
template <class Sums, row_terms TERMS>
static __device__ __noinline__ void finish_column(const vectors_job &job, size_t v, size_t n, const double *word,
                                                  bool is_known) {
    finish_row<Sums, TERMS>(job, v, n, word, is_known);
}

/* What a part of a vector has come to, for whom brings the parts together. */
template <class Sums>
static __device__ __forceinline__ void store_part(vectors_workspace &w, size_t place, const double *word, bool is_known) {
    constexpr int squares = Sums::has_numbers && Sums::has_products ? Sums::words - Sums::number_words : 0;
    constexpr int first = Sums::words - squares;
    part_state *to = &w.place[place];
    for (int i = 0; i < PART_WORDS; i++) to->word[i] = 0;
    for (int i = 0; i < first; i++) to->word[i] = word[i];
    for (int i = 0; i < squares; i++) to->word[PART_SQUARES + i] = word[first + i];
    to->is_unknown = !is_known;
}

#endif
