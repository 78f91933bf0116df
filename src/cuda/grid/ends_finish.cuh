/* ends_finish.cuh - from the ends of a sum to its result, if both become the same one. Bits decide, not values: where
 * one end rounds to -0 and the other to +0 the sign is open.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ENDS_FINISH_CUH
#define QUIRE_CUDA_GRID_ENDS_FINISH_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/thread/range_sums.cuh"

/* The result between two doubles of what is no longer to be finished, if all between them rounds to it. E4M3 has one
 * pattern for both overflows, and so signs decide, too. */
static __device__ __forceinline__ bool round_between(const vectors_job &job, double down, double up, uint64_t *bits) {
    const bool is_alike = bits_of_double(down) >> 63 == bits_of_double(up) >> 63;
    if (job.rounding == QUIRE_TO_NEAREST && job.format.precision >= 8) { /* the hardware rounds */
        *bits = round_number(up, job.format.precision);
        return is_alike && *bits == round_number(down, job.format.precision);
    }
    *bits = round_by_integers(up, job.format, job.rounding);
    return is_alike && (down == up || *bits == round_by_integers(down, job.format, job.rounding));
}

/* Products with a number between two that are above 0, rounded down and up. */
static __device__ __forceinline__ double times_down(double x, const number_between &by) {
    return __dmul_rd(x, x < 0 ? by.up : by.down);
}
static __device__ __forceinline__ double times_up(double x, const number_between &by) {
    return __dmul_ru(x, x < 0 ? by.down : by.up);
}

/* Roots of what is not below 0: the nearest double is off by 2^-53 of itself. */
static __device__ __forceinline__ double root_down(double x) { return __dmul_rd(__dsqrt_rn(x), 1 - 0x1p-53); }
static __device__ __forceinline__ double root_up(double x) { return __dmul_ru(__dsqrt_rn(x), 1 + 0x1p-52); }

/* Of terms whose sum has these ends, as a result of up to 24 bits. has_signs: terms may cancel. Each end is finished
 * in its own direction; an exact sum, if that leaves it between two results, by integers, which know the middles of
 * roots and of quotients. */
static __device__ __forceinline__ bool round_ends(const vectors_job &job, const term_count &terms, double down,
                                                  double up, bool has_signs, uint64_t *bits) {
    if (up == 0 && down == 0) {
        if (has_signs && job.rounding == QUIRE_DOWNWARD) return false; /* was a term no zero? */
        down = up;                                                     /* which has the sign of the sum */
    }
    const bool is_exact = down == up;
    if (double_is_finite(up)) {
        double low = down, high = up;
        if (job.finish == FINISH_ROOT) low = root_down(low), high = root_up(high);
        if (job.finish == FINISH_DIVIDE) low = times_down(low, terms.each), high = times_up(high, terms.each);
        if (round_between(job, low, high, bits)) return true;
        if (!is_exact) return false;
    }
    *bits = round_total(job, total_of_double(up), terms.n);
    return true;
}

/* The variance, or its root, of elements whose sum and whose sum of squares have these ends: (Q - S S / n) / (n -
 * correction), every step rounded in its direction. */
static __device__ __forceinline__ bool round_moment_ends(const vectors_job &job, const term_count &terms, const ends &s,
                                                         const ends &q, uint64_t *bits) {
    *bits = job.format.quiet_nan;
    if ((job.correction > 0 && terms.n <= (size_t)job.correction) || !double_is_finite(q.up)) return true;
    const double one = abs_f64(s.down), other = abs_f64(s.up), most = fmax(one, other),
                 least = s.down < 0 && s.up > 0 ? 0 : fmin(one, other);
    double down = times_down(add_down(q.down, -times_up(__dmul_ru(most, most), terms.each)), terms.less),
           up = times_up(add_up(q.up, -times_down(__dmul_rd(least, least), terms.each)), terms.less);
    if (!(down > 0)) down = 0; /* no variance is below 0, nor is its zero; and one number has none */
    if (!(up > 0) || terms.n == 1) up = 0;
    if (job.finish == FINISH_STDDEV) down = root_down(down), up = root_up(up);
    return round_between(job, down, up, bits);
}

/* The result from what some elements, one at least, come to; false: the ends do not tell it. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool round_range(const vectors_job &job, const term_count &terms,
                                                   const range_sums<Format, TERMS> &sums, uint64_t *bits) {
    if constexpr (TERMS == ROW_MOMENTS)
        return round_moment_ends(job, terms, sums.numbers, sums.products, bits);
    else if constexpr (TERMS == ROW_NUMBERS)
        return round_ends(job, terms, sums.numbers.down, sums.numbers.up, !job.magnitude, bits);
    else
        return round_ends(job, terms, sums.products.down, sums.products.up, job.is_pair, bits);
}

/* Stores result v where a sum or its root is it, in the elements' own format, and both ends round alike: few
 * instructions, of which a caller may have several copies. Answers whether it did. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_quickly(const vectors_job &job, size_t v,
                                                     const range_sums<Format, TERMS> &sums) {
    if constexpr (TERMS != ROW_MOMENTS && Format::description.precision >= 8) {
        constexpr int precision = Format::description.precision;
        const bool is_root = TERMS == ROW_PRODUCTS && job.finish == FINISH_ROOT;
        if ((job.finish != FINISH_KEEP && !is_root) || job.rounding != QUIRE_TO_NEAREST ||
            job.format.precision != precision)
            return false;
        ends s = TERMS == ROW_NUMBERS ? sums.numbers : sums.products;
        if (is_root) s.down = root_down(s.down), s.up = root_up(s.up);
        const uint64_t bits = round_number(s.up, precision);
        if (bits != round_number(s.down, precision) || double_is_nan(s.up)) return false;
        typename Format::element result;
        memcpy(&result, &bits, sizeof result); /* of the low bytes */
        ((typename Format::element *)job.results)[v] = result;
        return true;
    }
    return false;
}

/* Whether the warp has marked a result: in shared memory, so that it takes no register of those who wait for loads. */
static __device__ __forceinline__ bool *has_marked() {
    __shared__ bool of_warp[GROUPS_THREADS / WARP];
    return &of_warp[threadIdx.x / WARP];
}

/* The result of row v from what its elements, one at least, come to; or a mark: then *has_marked() is true. Once in a
 * kernel's code. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ void finish_range(const vectors_job &job, size_t v,
                                                 const range_sums<Format, TERMS> sums) {
    uint64_t bits;
    if (!round_range(job, job.terms, sums, &bits)) {
        bits = mark_of(job.format);
        *has_marked() = true;
    }
    format_store(bits, job.format.size, result_at(job, v));
}

#endif
