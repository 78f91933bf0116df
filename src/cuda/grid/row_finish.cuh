/* row_finish.cuh - from the words of a vector's sums to its result, or to a mark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ROW_FINISH_CUH
#define QUIRE_CUDA_GRID_ROW_FINISH_CUH

#include "cuda/grid/vector_source.cuh"
#include "cuda/thread/long_sum.cuh"

/* The variance that no ball tells, if it is a quotient of exact numbers. */
static __device__ __forceinline__ bool round_exactly(const vectors_job &job, size_t n, const double *s, const double *q,
                                                     const double *width, uint64_t *bits) {
    return round_ball(moment_exactly(s, q, width, job.finish, n, job.correction), job.format, job.rounding, bits);
}

/* The variance of a row, or its root; word: the sum's words, then those of the squares'; and the widths. Answers
 * whether it is stored. Of too few elements there is none: NaN. */
template <class Sums>
static __device__ __forceinline__ bool store_moment(const vectors_job &job, size_t v, size_t n, const double *word,
                                                    const double *width) {
    if (!n || (job.correction > 0 && n <= (size_t)job.correction)) {
        format_store(job.format.quiet_nan, job.format.size, result_at(job, v));
        return true;
    }
    constexpr int numbers = Sums::number_words, squares = Sums::words - numbers;
    if (!Sums::overflows && !double_is_finite(word[numbers])) { /* a square is an infinity or NaN */
        format_store(job.format.quiet_nan, job.format.size, result_at(job, v));
        return true;
    }
    const double s[2] = { word[0], numbers > 1 ? word[1] : 0 };
    const double q[3] = { word[numbers], squares > 1 ? word[numbers + 1] : 0, squares > 2 ? word[numbers + 2] : 0 };
    uint64_t bits;
    const moment_ball ball = moment_in_ball(s, q, width, job.finish, n, job.correction);
    if (!round_ball(ball, job.format, job.rounding, &bits) && !round_exactly(job, n, s, q, width, &bits)) return false;
    format_store(bits, job.format.size, result_at(job, v));
    return true;
}

/* What sums come to. */
template <class Sums> struct row_words {
    double word[Sums::words], width[Sums::sums];

    __device__ __forceinline__ void set(const Sums &sums) {
        for (int i = 0; i < Sums::words; i++) word[i] = sums.word(i);
        for (int i = 0; i < Sums::sums; i++) width[i] = sums.width(i);
    }
};

/* What a part of a vector has come to, for whom brings the parts together. */
template <class Sums>
static __device__ __forceinline__ void store_part(vectors_workspace &w, size_t place, const double *word,
                                                  const double *width) {
    constexpr int squares = Sums::has_numbers && Sums::has_products ? Sums::words - Sums::number_words : 0;
    constexpr int first = Sums::words - squares;
    part_state *to = &w.place[place];
    for (int i = 0; i < PART_WORDS; i++) to->word[i] = 0;
    for (int i = 0; i < first; i++) to->word[i] = word[i];
    for (int i = 0; i < squares; i++) to->word[PART_SQUARES + i] = word[first + i];
    for (int i = 0; i < PART_SUMS; i++) to->width[i] = i < Sums::sums ? width[i] : 0;
}

template <class Sums>
static __device__ __forceinline__ void store_part(vectors_workspace &w, size_t place, const Sums &sums) {
    row_words<Sums> its;
    its.set(sums);
    store_part<Sums>(w, place, its.word, its.width);
}

#endif
