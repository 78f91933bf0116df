/* result.cuh - the one rounding: of a total, and of what the methods of the canonical order end with, one number or
 * two.
 *
 * total.h does it with integers, some hundred of them in a row, which is long for a short sum. Where the result is the
 * sum itself (not its root, nor a quotient) the hardware rounds the same way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_RESULT_CUH
#define QUIRE_CUDA_GRID_RESULT_CUH

#include "cuda/job.h"
#include "cuda/thread/choices.cuh"
#include "cuda/warp/total.cuh"

/* The one rounding, of a total of n terms: once in a kernel's code, which is long. */
static __device__ __noinline__ uint64_t round_total(const quire_total &total, finish_kind finish, uint64_t n,
                                                    const format_description &format, quire_rounding rounding) {
    return finish_and_round(total, finish, n, format, rounding);
}

template <class Job>
static __device__ __forceinline__ uint64_t round_total(const Job &job, const quire_total &total, uint64_t n) {
    return round_total(total, job.finish, n, job.format, job.rounding);
}

static __device__ void store_total(const cuda_job &job, quire_total total) {
    if (job.zero && total.kind == TOTAL_FINITE && !total.high && !total.negative) *job.zero = 1;
    format_store(round_total(job, total, job.n), job.format.size, job.result);
}

/* A number as a bfloat16, for which not every device has an instruction: as a float, rounded to odd, and then by
 * integers, which are in order like the numbers. */
static __device__ __forceinline__ uint64_t round_to_bfloat16(double x) {
    const float truncated = __double2float_rz(x);
    const uint32_t bits = bits_of_float(truncated) | ((double)truncated != x);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* A number that is not NaN as the bits of a format of that precision. */
static __device__ __forceinline__ uint64_t round_number(double x, int precision) {
    switch (precision) {
    case 24: return bits_of_float(__double2float_rn(x));
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

/* The total of a state, by a whole warp. */
template <class Method> static __device__ quire_total total_of_words(const double *words, int64_t *limb, int thread) {
    if constexpr (Method::words == 1) {
        return Method::total(words);
    } else {
        if (kahan_sum_alone(words)) return total_of_double(words[0]);
        for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) limb[i] = 0;
        __syncwarp();
        if (thread == 0)
            for (int w = 0; w < Method::words; w++) limbs_add_double(limb, words[w]);
        __syncwarp();
        quire_total t = warp_total(limb, thread);
        t.cancelled = !t.high; /* the words are no zeros */
        return t;
    }
}

/* Stores the result of a state, by a whole warp, all of whose threads know it. */
template <class Method>
static __device__ __forceinline__ void store_words(const cuda_job &job, const double *words, int64_t *limb,
                                                   int thread) {
    double number = words[0];
    if constexpr (Method::words == 2)
        if (!kahan_sum_alone(words)) number = sum_of_two(words[0], words[1], job.format.precision);
    if (job.is_number && job.n) {
        const uint64_t bits = double_is_nan(number) ? job.format.quiet_nan : round_number(number, job.format.precision);
        if (thread == 0) format_store(bits, job.format.size, job.result);
        return;
    }
    const quire_total sum = job.n ? total_of_words<Method>(words, limb, thread) : total_zero(0);
    if (thread == 0) store_total(job, sum);
}

#endif
