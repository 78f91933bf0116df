/* atomic_limbs.cuh - terms and sums added to an accumulator that other threads add to as well, in device memory or
 * shared memory: integer atomics, whose order never shows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ATOMIC_LIMBS_CUH
#define QUIRE_CUDA_THREAD_ATOMIC_LIMBS_CUH

#include "accumulator/limbs.h"

/* So many terms may be added to a carried accumulator by the functions below before the next carry: an element adds to
 * a limb twice at most. */
constexpr size_t ATOMIC_TERMS = (size_t)1 << 26;
static_assert(2 * ATOMIC_TERMS <= LIMB_ADDITIONS / 2, "a limb overflows before it is carried");

/* Modulo 2^64, as signed words add up. */
static __device__ __forceinline__ void atomic_add_word(int64_t *word, int64_t x) {
    if (x) atomicAdd((unsigned long long *)word, (unsigned long long)x);
}

/* Flags are looked at first: most are set by the first of many terms. */
static __device__ __forceinline__ void atomic_set(int64_t *flag, int64_t bits) {
    if ((*(volatile int64_t *)flag & bits) != bits) atomicOr((unsigned long long *)flag, (unsigned long long)bits);
}

/* limbs_add, of which these are the pieces. */
static __device__ __forceinline__ void atomic_limbs_add(int64_t *limb, int64_t m, int q) {
    int64_t piece[3] = { 0, 0, 0 };
    const int place = q - LIMB_LEAST_EXPONENT, i = place / LIMB_BITS;
    limbs_add(piece, m, LIMB_LEAST_EXPONENT + place % LIMB_BITS);
    for (int k = 0; k < 3; k++) atomic_add_word(&limb[i + k], piece[k]);
}

/* accumulator_note. */
static __device__ __forceinline__ void atomic_note(quire_accumulator *a, double term) {
    if (bits_of_double(term) != 0x8000000000000000) atomic_set(&a->other, term == 0 ? 1 : OTHER_NONZERO);
    if (double_is_finite(term)) return;
    atomic_set(double_is_nan(term) ? &a->nan : term > 0 ? &a->positive_infinity : &a->negative_infinity, 1);
}

/* A number; the count is the caller's. Both are once in a kernel's code: the atomics take longer than a call. */
static __device__ __noinline__ void atomic_add_number(quire_accumulator *a, double x) {
    int64_t m;
    int q;
    atomic_note(a, x);
    if (!double_is_finite(x)) return;
    double_decompose(x, &m, &q);
    atomic_limbs_add(a->limb, m, q);
}

/* The product of two numbers, likewise. That of finite ones is noted by its sign, whatever it overflows to. */
static __device__ __noinline__ void atomic_add_product_of(quire_accumulator *a, double x, double y) {
    if (!double_is_finite(x) || !double_is_finite(y)) return atomic_note(a, __dmul_rn(x, y));
    const product_pieces p = multiply_doubles(x, y);
    const int64_t lower = (int64_t)p.lower, upper = (int64_t)p.upper;
    if (lower | upper)
        atomic_set(&a->other, OTHER_NONZERO);
    else
        atomic_note(a, __dmul_rn(x, y)); /* a zero, with its sign */
    atomic_limbs_add(a->limb, p.is_negative ? -lower : lower, p.q);
    atomic_limbs_add(a->limb, p.is_negative ? -upper : upper, p.q + 53);
}

#endif
