/* vectors_finish.cuh - from the total of a vector to its result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_VECTORS_FINISH_CUH
#define QUIRE_CUDA_GRID_VECTORS_FINISH_CUH

#include "cuda/grid/round_ball.cuh"
#include "cuda/thread/long_sum.cuh"
#include "cuda/warp/cells.cuh"

static __device__ __forceinline__ void *result_at(const vectors_job &job, size_t v) {
    return (char *)job.results + v * (size_t)job.format.size;
}

/* The result of no elements. */
static __device__ __forceinline__ void store_none(const vectors_job &job, size_t v) {
    format_store(job.none, job.format.size, result_at(job, v));
}

/* Three numbers as high + low + the answer, exactly: by three TwoSums. */
static __device__ __forceinline__ double sum_of_three(const double (&word)[VECTORS_WORDS], double *high, double *low) {
    const double lower = two_sum_f64(word[1], word[2], low), middle = two_sum_f64(word[0], *low, high);
    return two_sum_f64(middle, lower, low);
}

/* Three numbers as two that round alike: the second is rounded to odd, more than 100 bits below the first's leading
 * one, so that nothing that is rounded, or divided by a count, can tell (Boldo and Melquiond 2008); nor a root, unless
 * it is one of is_unsure_root. */
static __device__ __forceinline__ void two_of_three(double (&word)[VECTORS_WORDS]) {
    double high, low;
    const double lower = sum_of_three(word, &high, &low);
    if (lower != 0 && !(bits_of_double(low) & 1)) /* the neighbour on the side of what is left */
        low = double_of_bits(bits_of_double(low) + ((lower > 0) == (low > 0) ? 1 : -1));
    word[0] = high, word[1] = low, word[2] = 0;
}

/* The mean or the root of a sum that rounds to number, if the hardware can tell what that rounds to: both ends of what
 * it may be round alike. Its error is below 2^-51 of it: three roundings of 2^-53. */
static __device__ __forceinline__ bool round_finished(const vectors_job &job, double number, size_t n, uint64_t *bits) {
    if (job.finish == FINISH_KEEP || job.rounding != QUIRE_TO_NEAREST) return false;
    if (job.format.precision < 8 || job.format.precision > 24 || n >> 53) return false;
    const double v = job.finish == FINISH_ROOT ? __dsqrt_rn(number) : number / (double)n;
    if (!(abs_f64(v) > 0x1p-900 && abs_f64(v) < 0x1p900)) return false;
    *bits = round_number(v * (1 - 0x1p-51), job.format.precision);
    return *bits == round_number(v * (1 + 0x1p-51), job.format.precision);
}

/* Stores a number as the result, if is_number. */
static __device__ __forceinline__ void store_number(const vectors_job &job, size_t v, double number) {
    const uint64_t bits = double_is_nan(number) ? job.format.quiet_nan : round_number(number, job.format.precision);
    format_store(bits, job.format.size, result_at(job, v));
}

/* Rounds the sum of WORDS words of n elements' terms, and stores it. alone: it is the first of them. */
static __device__ __forceinline__ void store_sum(const vectors_job &job, size_t v, size_t n,
                                                 const double (&word)[VECTORS_WORDS], bool alone) {
    if (!n) return store_none(job, v);
    const double odd = alone ? word[0] : sum_of_two(word[0], word[1], job.format.precision);
    if (job.is_number) return store_number(job, v, odd);
    uint64_t bits;
    if (job.finish == FINISH_KEEP && job.format.precision < 53 && (alone || odd != 0))
        bits = round_by_integers(odd, job.format, job.rounding);
    else if (!round_finished(job, alone ? word[0] : word[0] + word[1], n, &bits))
        bits = round_total(job, alone ? total_of_double(word[0]) : total_of_two(word[0], word[1]), n);
    format_store(bits, job.format.size, result_at(job, v));
}

/* Of an exact sum. */
template <int WORDS>
static __device__ __forceinline__ void store_exact(const vectors_job &job, size_t v, size_t n,
                                                   double (&word)[VECTORS_WORDS]) {
    if constexpr (WORDS == 3)
        if (word[1] != 0 || word[2] != 0) two_of_three(word);
    store_sum(job, v, n, word, WORDS == 1 || word[1] == 0);
}

/* Adds a sum of n terms to the caller's accumulator, which may be full: its limbs are eased, and of flags the greater
 * one is that of both. By a whole warp. */
static __device__ __forceinline__ void add_to_callers(quire_accumulator *callers, quire_accumulator &sum, size_t n,
                                                      int lane) {
    int64_t *to = callers->limb, *word = sum.limb;
    for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) {
        if (i < QUIRE_ACCUMULATOR_LIMBS)
            word[i] += limb_eased(to, i);
        else if (&word[i] == &sum.count)
            word[i] = to[i];
        else
            word[i] = max((long long)word[i], (long long)to[i]);
    }
    __syncwarp();
    if (lane == 0) {
        accumulator_carry(&sum);
        accumulator_count(&sum, n);
    }
    __syncwarp();
    for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) to[i] = word[i];
}

/* Rounds what an accumulator holds of a vector of n elements and stores it, or adds it to the caller's; by a whole
 * warp. */
static __device__ __noinline__ void store_limbs(const vectors_job &job, quire_accumulator &sum, size_t v, size_t n,
                                                int lane) {
    if (job.accumulator) {
        add_to_callers(job.accumulator, sum, n, lane);
        return;
    }
    const quire_total limbs = warp_total(sum.limb, lane);
    if (lane) return;
    sum.count = (int64_t)n;
    const uint64_t bits = round_total(job, accumulator_total_of(&sum, limbs), n);
    format_store(bits, job.format.size, result_at(job, v));
}

/* Adds what a warp's cells hold to an accumulator that other warps add to as well: one addition for each part of a
 * vector, of limbs that are carried, so that 2^31 of them are allowed. */
static_assert(VECTORS_PLACES < (unsigned)1 << 31, "more parts than additions of carried limbs");
static __device__ __forceinline__ void add_to_shared(quire_accumulator *to, warp_cells &cells, int lane) {
    const int64_t *word = cells.sum.limb;
    cells.carry(lane);
    for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP)
        if (word[i]) atomicAdd((unsigned long long *)&to->limb[0] + i, (unsigned long long)word[i]);
    __syncwarp();
}

/* Whether rounding three words to two may change the double that their root is rounded to: where that is very near to
 * the middle of two doubles, or, if it is rounded in a direction, to a double. Squares of these can have as many bits
 * as two words. The root is r + d / (2 r); see moments_ball.h. */
static __device__ __forceinline__ bool is_unsure_root(const vectors_job &job, const vector_total &t) {
    if (job.finish != FINISH_ROOT || job.format.precision != 53) return false;
    double high, low;
    if (!double_is_finite(t.word[0]) || sum_of_three(t.word, &high, &low) == 0 || !(high > 0)) return false;
    const double root = __dsqrt_rn(high), residual = (__fma_rn(-root, root, high) + low) / (2 * root),
                 radius = root * 0x1p-101;
    if (job.rounding != QUIRE_TO_NEAREST) return abs_f64(residual) <= radius;
    return root + (residual - radius) != root + (residual + radius);
}

/* Whether the words of an exact total do not tell its result: a zero has a sign that the terms decide; finite words may
 * add up to more than any double, whose root, or mean, is none the less one; and roots as above. */
static __device__ __forceinline__ bool needs_terms(const vectors_job &job, const vector_total &t) {
    const bool is_zero = (t.word[0] + t.word[1]) + t.word[2] == 0;
    const bool is_beyond = double_is_finite(t.word[0]) && !double_is_finite(t.word[0] + (t.word[1] + t.word[2]));
    return is_beyond || (job.rounding == QUIRE_DOWNWARD && is_zero) || is_unsure_root(job, t);
}

/* Where a sum lies that is WORDS words, or less than these by the width at most: from high + lower to high + upper. The
 * words are first made two that do not overlap; what is below these goes to the ends. Answers whether it is sure not to
 * be 0, whose sign would depend on the terms. */
template <int WORDS>
static __device__ __forceinline__ bool enclose(const vector_total &t, double *high, double *lower, double *upper) {
    double low = 0, below = 0;
    *high = t.word[0];
    if constexpr (WORDS == 2) low = two_sum_f64(t.word[0], t.word[1], high);
    if constexpr (WORDS == 3) below = sum_of_three(t.word, high, &low);
    *lower = add_down(low, add_down(below, -t.width)), *upper = add_up(low, below);
    return t.width < INFINITY && (add_down(*high, *lower) > 0 || add_up(*high, *upper) < 0);
}

/* The result of such a sum by Ziv's test: whether both ends become the same. */
template <int WORDS>
static __device__ __forceinline__ bool round_enclosed(const vectors_job &job, size_t n, const vector_total &t,
                                                      uint64_t *bits) {
    double high, lower, upper;
    if (!enclose<WORDS>(t, &high, &lower, &upper)) return false;
    if (!job.is_number) return round_sum(high, lower, upper, job.finish, n, job.format, job.rounding, bits);
    const int precision = job.format.precision;
    *bits = round_number(sum_of_two(high, lower, precision), precision);
    return *bits == round_number(sum_of_two(high, upper, precision), precision);
}

/* Stores the result of a total, if that tells it. OVERFLOWS: an infinity or NaN may be of finite terms. */
template <int WORDS, bool OVERFLOWS>
static __device__ __forceinline__ bool store_if_told(const vectors_job &job, size_t v, size_t n, vector_total &t) {
    static_assert(OVERFLOWS || WORDS < 3, "the words behind an infinity are looked at");
    const bool is_special = !OVERFLOWS && !double_is_finite(t.word[0]);
    uint64_t bits;
    if (is_special) t.word[1] = 0;
    if (t.width == 0 || is_special) {
        if (n && needs_terms(job, t)) return false;
        store_exact<WORDS>(job, v, n, t.word);
        return true;
    }
    if (!round_enclosed<WORDS>(job, n, t, &bits)) return false;
    format_store(bits, job.format.size, result_at(job, v));
    return true;
}

/* Stores the result of n elements by a method of the canonical order, from the words of its total; one word is both. */
template <class Method>
static __device__ __forceinline__ void store_words(const vectors_job &job, size_t v, size_t n, double first,
                                                   double second) {
    const double word[VECTORS_WORDS] = { first, second };
    store_sum(job, v, n, word, Method::words == 1 || kahan_sum_alone(word));
}
/* The same once in a kernel's code. */
template <class Method>
static __device__ __noinline__ void store_ordered(const vectors_job &job, size_t v, size_t n, double first,
                                                  double second) {
    store_words<Method>(job, v, n, first, second);
}

#endif
