/* round_ends.cuh - from the ends of a sum, or from an exact sum in a few doubles (exact_sum.cuh), to its result, if all
 * that the ends enclose becomes the same one. Bits decide, not values: where one end rounds to -0 and the other to +0
 * the sign is open.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ROUND_ENDS_CUH
#define QUIRE_CUDA_THREAD_ROUND_ENDS_CUH

#include "cuda/thread/exact_sum.cuh"
#include "cuda/thread/round_number.cuh"
#include "operation/term_count.h"

/* The reciprocal of a count above 0, whatever the direction in which the hardware divides. */
static __device__ __forceinline__ number_between reciprocal_around(double count) {
    const uint64_t bits = bits_of_double(__drcp_rn(count));
    return { double_of_bits(bits - 1), double_of_bits(bits + 1) };
}

/* The result between two doubles of what is no longer to be finished, if all between them rounds to it. E4M3 has one
 * pattern for both overflows, and so signs decide, too. */
template <class Job>
static __device__ __forceinline__ bool round_between(const Job &job, double down, double up, uint64_t *bits) {
    const bool is_alike = bits_of_double(down) >> 63 == bits_of_double(up) >> 63;
    if (job.rounding == QUIRE_TO_NEAREST && job.format.precision >= 8) { /* the hardware rounds */
        *bits = round_number(up, job.format.precision);
        return is_alike && *bits == round_number(down, job.format.precision);
    }
    if (job.format.precision == 53) { /* they are the results */
        *bits = bits_of_double(up);
        return is_alike && down == up;
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

/* What a few instructions tell, as mostly: what is finished already (a sum, its root, a mean), to nearest, for 8 to
 * 24 bits of precision. */
static __device__ __forceinline__ bool round_ends_quickly(double down, double up, int precision, uint64_t *bits) {
    *bits = round_number(up, precision);
    return (down == up || *bits == round_number(down, precision)) && !double_is_nan(up);
}

/* Of terms whose sum has these ends; as a double it is told only if they are equal. has_signs: terms may cancel. Each
 * end is finished in its own direction; an exact sum, if that leaves it between two results, by integers, which know
 * the middles of roots and of quotients. */
template <class Job>
static __device__ __forceinline__ bool round_ends(const Job &job, const term_count &terms, double down, double up,
                                                  bool has_signs, uint64_t *bits) {
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
template <class Job>
static __device__ __forceinline__ bool round_moment_ends(const Job &job, const term_count &terms, const ends &s,
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

/* Of n terms. has_signs: terms may cancel. overflows: finite terms may have come to what is not finite. */
template <class Job>
static __device__ __forceinline__ bool round_exact(const Job &job, const exact_sum<2> &s, size_t n, bool has_signs,
                                                   bool overflows, uint64_t *bits) {
    const double sum = s.word[0], down = sum + s.down, up = sum + s.up;
    if (!double_is_finite(sum)) {
        *bits = round_total(job, total_of_double(sum), n);
        return !overflows;
    }
    if (s.is_one_number() && sum == 0) { /* whose sign is that of the sum, but for one direction */
        *bits = round_total(job, total_of_double(sum), n);
        return !has_signs || job.rounding != QUIRE_DOWNWARD;
    }
    if (!double_is_finite(s.width()) || (down <= 0 && up >= 0)) return false; /* a zero, perhaps */
    *bits = round_total(job, total_of_two(sum, s.up), n);
    return s.down == s.up || *bits == round_total(job, total_of_two(sum, s.down), n);
}

/* What a few instructions tell, as mostly: the sum itself as a double, to nearest. */
static __device__ __forceinline__ bool round_exact_quickly(const exact_sum<2> &s, uint64_t *bits) {
    const double down = s.down == 0 ? s.word[0] : s.word[0] + s.down, up = s.up == 0 ? s.word[0] : s.word[0] + s.up;
    *bits = bits_of_double(up);
    return down == up && double_is_finite(up);
}

#endif
