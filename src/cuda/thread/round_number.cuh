/* round_number.cuh - the one rounding, to the bits of a result: of a total, and of numbers that have its value.
 *
 * total.h does it with integers, some hundred of them in a row, which is long for a short sum. Where the result is the
 * sum itself (not its root, nor a quotient) the hardware rounds the same way.
 *
 * A job, here, is whatever has the members format, rounding and finish.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ROUND_NUMBER_CUH
#define QUIRE_CUDA_THREAD_ROUND_NUMBER_CUH

#include "cuda/device/arithmetic.cuh"
#include "cuda/thread/choices.cuh"

/* The one rounding, of a total of n terms: once in a kernel's code, which is long. */
static __device__ __noinline__ uint64_t round_total(const quire_total &total, finish_kind finish, uint64_t n,
                                                    const format_description &format, quire_rounding rounding) {
    return finish_and_round(total, finish, n, format, rounding);
}

template <class Job>
static __device__ __forceinline__ uint64_t round_total(const Job &job, const quire_total &total, uint64_t n) {
    return round_total(total, job.finish, n, job.format, job.rounding);
}

/* A number as a bfloat16, for which not every device has an instruction: as a float, rounded to odd, and then by
 * integers, which are in order like the numbers. */
static __device__ __forceinline__ uint64_t round_to_bfloat16(double x) {
    const float truncated = float_toward_zero(x);
    const uint32_t bits = bits_of_float(truncated) | (wide(truncated) != x);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Numbers are rounded to formats of 8 bits of precision or more by instructions, or nearly so; to all others by
 * integers (is_number of a job). */
#define CHECK_PRECISION(name, NAME, number, real, unused)                                                              \
    static_assert(name##_format::description.precision < 8 || name##_format::description.precision == 8 ||             \
                      name##_format::description.precision == 11 || name##_format::description.precision == 24 ||      \
                      name##_format::description.precision == 53,                                                      \
                  "round_number has no way of rounding to " #NAME);
QUIRE_FORMATS(CHECK_PRECISION, )
#undef CHECK_PRECISION

/* A number that is not NaN as the bits of a format of that precision: 8, 11, 24 or 53. */
static __device__ __forceinline__ uint64_t round_number(double x, int precision) {
    switch (precision) {
    case 24: return bits_of_float(float_nearest(x));
    case 53: return bits_of_double(x);
    case 11: return __half_as_ushort(__double2half(x));
    default: return round_to_bfloat16(x);
    }
}

/* A number that rounds to a format of that precision like the exact sum of a and b. For double it is their sum; for the
 * others that sum, rounded to odd (Boldo and Melquiond 2008): the neighbour with the odd last bit, unless the sum is
 * exact, rounds to two bits less or fewer as if it were exact. */
static __device__ __forceinline__ double sum_of_two(double a, double b, int precision) {
    const bool inexact = __dadd_rd(a, b) != __dadd_ru(a, b);
    return precision == 53 ? a + b : double_of_bits(bits_of_double(__dadd_rz(a, b)) | inexact);
}

/* A double rounded to a format of fewer bits, in any direction: as total_round does it, of which this is the part that
 * a double needs. What is no number, or 0, is left to that. */
static __device__ __forceinline__ uint64_t round_by_integers(double x, const format_description &f,
                                                             quire_rounding rounding) {
    const uint64_t all = bits_of_double(x), sign = all >> 63 ? f.sign : 0;
    const int field = (int)(all >> 52) & 0x7ff;
    if (field == 0x7ff || field == 0) return total_round(total_of_double(x), f, rounding);
    const uint64_t m = (all & 0xfffffffffffffu) | 0x10000000000000u;
    const int q = max(field - 1075 + 53 - f.precision, f.least_exponent), drop = q - (field - 1075);
    const bool is_below = drop > 54; /* half of the least subnormal, and more than that */
    uint64_t kept = is_below ? 0 : m >> drop;
    const bool half = !is_below && (m >> (drop - 1) & 1), rest = is_below || (m & (((uint64_t)1 << (drop - 1)) - 1));
    const bool away = rounding == (all >> 63 ? QUIRE_DOWNWARD : QUIRE_UPWARD);
    if (rounding == QUIRE_TO_NEAREST ? half && (rest || (kept & 1)) : away && (half || rest)) kept++;
    const uint64_t bits = ((uint64_t)(q - f.least_exponent) << (f.precision - 1)) + kept;
    if (bits < f.infinity) return sign | bits;
    return rounding == QUIRE_TO_NEAREST || away ? infinity_bits(f, sign) : sign | (f.infinity - 1);
}

#endif
