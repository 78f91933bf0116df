/* simd.h - vectors, as a CPU tier has them. A tier is all of this compiled with its instruction set, whose flags are in
 * src/cpu/meson.build; the instructions that types.h cannot say are in a file for each.
 *
 * Every tier has bfloat16_load_v_f32, which makes floats of elements in memory; fma_v_f32 and
 * fma_v_f64; root_v_f64; lower_f64 and upper_f64, the two halves of a vector of floats as doubles; min_ and max_ of
 * v_i16, v_i32 and v_i64; and SIMD_SUBTRACT_F32(a, b), _F64: a - b, where there is an fma as fma(b, -1, a), which is
 * the same, but done by the multipliers, where additions and multiplications have units of their own (Zen); chains of
 * additions alone would leave those idle.
 *
 * Some have more, and say so:
 *   - SIMD_HAS_WIDEN: half_widen, bfloat16_widen and float_widen, for which see below, without halves of a vector of
 * floats.
 *   - SIMD_HAS_FIRST: float_first_v_f32 and double_first_v_f64, for which see below; SIMD_HAS_FIRST_OF_16_BITS: of
 * halves and bfloat16s.
 *   - SIMD_HAS_FIRST_BYTES: first_bytes, the first n elements of 1 byte and zeros behind them.
 *   - SIMD_HAS_HALVES: halves_v_f32, which makes floats of as many halves as 16-bit integers, and half_load_v_f32, of
 *     those in memory.
 *   - SIMD_HAS_BOUNDS: any_bit, whether any is set; and additions that round upward take no longer than others.
 *   - SIMD_HAS_PAIRS: a sum and products of 16-bit numbers, two neighbours; a number, negative where sign is; entries
 *     of a table of one vector or two, by the low bits of index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_SIMD_H
#define QUIRE_CPU_SIMD_SIMD_H

#include "format/formats.h"
#if defined(SIMD_TIER_avx512)
#include "cpu/simd/avx512.h"
#elif defined(SIMD_TIER_avx2)
#include "cpu/simd/avx2.h"
#else
#include "cpu/simd/portable.h"
#endif

/* Vectors of the formats that have no instructions of their own, by what their description says. A normal number has
 * its bits in float's places, with float's exponent; a subnormal one is a multiple of the least. (By a multiplication
 * both could be had at once, of what is a subnormal float: with which some processors take a hundred times as long.)
 * Infinities and NaNs get their exponent by hand. */
QUIRE_INLINE v_f32 decode_v_f32(format_description f, v_u32 element) {
    const int shift = 24 - f.precision, bias = 149 - shift + f.least_exponent;
    const v_u32 magnitude = element & (uint32_t)(f.sign - 1);
    const v_u32 is_subnormal = (v_u32)((v_i32)magnitude < 1 << (f.precision - 1));
    const v_u32 normal = (magnitude << shift) + ((uint32_t)bias << 23);
    const v_f32 subnormal =
        __builtin_convertvector((v_i32)magnitude, v_f32) * float_of_bits((uint32_t)(127 + f.least_exponent) << 23);
    const v_u32 special = (v_u32)((v_i32)magnitude >= (int32_t)f.infinity) & 0x7f800000;
    const v_u32 bits = (is_subnormal & (v_u32)subnormal) | (~is_subnormal & normal) | special;
    return (v_f32)(bits | (element & (uint32_t)f.sign) << (32 - 8 * f.size));
}

/* Formats of 8 bits are halves but for their exponents' range, where the tier has conversions of those: a significand
 * in half's place is too small by a power of two, if not by none. */
#if defined(SIMD_HAS_HALVES)
QUIRE_INLINE v_f32 decode_bytes(format_description f, v_u8_of_v_f32 bytes) {
    const int shift = 11 - f.precision, exponent = f.least_exponent + 24 - shift;
    const v_u16_of_v_f32 element = __builtin_convertvector(bytes, v_u16_of_v_f32);
    if (!exponent) return halves_v_f32(element << shift);
    const v_u16_of_v_f32 magnitude = element & (uint16_t)(f.sign - 1), sign = element & (uint16_t)f.sign;
    const v_u16_of_v_f32 special = (v_u16_of_v_f32)(magnitude >= (uint16_t)f.infinity) & 0x7c00;
    return halves_v_f32(magnitude << shift | special | sign << 8) * float_of_bits((uint32_t)(127 + exponent) << 23);
}
#else
QUIRE_INLINE v_f32 decode_bytes(format_description f, v_u8_of_v_f32 bytes) {
    return decode_v_f32(f, __builtin_convertvector(bytes, v_u32));
}
#endif

QUIRE_INLINE v_f32 decoded_load_v_f32(format_description f, const void *p) {
    v_u8_of_v_f32 bytes;
    v_u16_of_v_f32 pairs;
    if (f.size == 1) return memcpy(&bytes, p, sizeof bytes), decode_bytes(f, bytes);
    return memcpy(&pairs, p, sizeof pairs), decode_v_f32(f, __builtin_convertvector(pairs, v_u32));
}

#if !defined(SIMD_HAS_HALVES)
QUIRE_INLINE v_f32 half_load_v_f32(const void *p) {
    return decoded_load_v_f32((format_description)HALF_DESCRIPTION, p);
}
#endif

#define LOAD_DECODED(name, NAME, number, real, unused)                                                                 \
    QUIRE_INLINE v_f32 name##_load_v_f32(const void *p) {                                                              \
        return decoded_load_v_f32((format_description)NAME##_DESCRIPTION, p);                                          \
    }
QUIRE_DECODED_FORMATS(LOAD_DECODED, )
#undef LOAD_DECODED

/* half_widen(p, a, b) and so forth: as many elements at p as two vectors of doubles have lanes, as these, in any order.
 */
#define WIDEN_HALVES(format)                                                                                           \
    QUIRE_INLINE void format##_widen(const void *p, v_f64 *a, v_f64 *b) {                                              \
        const v_f32 x = format##_load_v_f32(p);                                                                        \
        *a = lower_f64(x), *b = upper_f64(x);                                                                          \
    }
#define WIDEN_DECODED(name, NAME, number, real, unused) WIDEN_HALVES(name)
QUIRE_DECODED_FORMATS(WIDEN_DECODED, )
#undef WIDEN_DECODED
#if !defined(SIMD_HAS_WIDEN)
WIDEN_HALVES(half)
WIDEN_HALVES(bfloat16)
WIDEN_HALVES(float)
#endif
QUIRE_INLINE void double_widen(const void *p, v_f64 *a, v_f64 *b) {
    *a = double_load_v_f64(p), *b = double_load_v_f64((const char *)p + SIMD_BYTES);
}

/* half_in_order(p, a, b) and so forth: the same, in their order. */
#define IN_ORDER_f32(format)                                                                                           \
    QUIRE_INLINE void format##_in_order(const void *p, v_f64 *a, v_f64 *b) {                                           \
        const v_f32 x = format##_load_v_f32(p);                                                                        \
        *a = lower_f64(x), *b = upper_f64(x);                                                                          \
    }
#define IN_ORDER_f64(format)                                                                                           \
    QUIRE_INLINE void format##_in_order(const void *p, v_f64 *a, v_f64 *b) { format##_widen(p, a, b); }
#define IN_ORDER(name, NAME, number, real, unused) IN_ORDER_##real(name)
QUIRE_FORMATS(IN_ORDER, )
#undef IN_ORDER

QUIRE_INLINE v_i32 lanes_below_v_i32(int n) {
    const v_i32 lane = { LANES_F32 };
    return lane < n;
}

/* half_first_v_f32(p, n, others) and so forth: the first n elements at p, fewer than a vector has lanes, and lanes of
 * others behind them, which are zeros. By way of a copy it takes longer: a load must wait for several stores. */
#define FIRST_BY_COPY(format)                                                                                          \
    QUIRE_INLINE v_f32 format##_first_v_f32(const void *p, int n, v_f32 others) {                                      \
        const v_i32 there = lanes_below_v_i32(n);                                                                      \
        char copy[sizeof(format##_element) * SIMD_F32] = { 0 };                                                        \
        memcpy(copy, p, (size_t)n * sizeof(format##_element));                                                         \
        return (v_f32)((v_i32)format##_load_v_f32(copy) | ((v_i32)others & ~there));                                   \
    }
#if !defined(SIMD_HAS_FIRST_OF_16_BITS)
FIRST_BY_COPY(half)
FIRST_BY_COPY(bfloat16)
#endif
QUIRE_INLINE v_f32 decoded_first_v_f32(format_description f, const void *p, int n, v_f32 others) {
    const v_i32 missing = (v_i32)others & ~lanes_below_v_i32(n);
    char copy[sizeof(v_u16_of_v_f32)] = { 0 };
#if defined(SIMD_HAS_FIRST_BYTES)
    if (f.size == 1) return (v_f32)((v_i32)decode_bytes(f, first_bytes(p, n)) | missing);
#endif
    memcpy(copy, p, (size_t)(n * f.size));
    return (v_f32)((v_i32)decoded_load_v_f32(f, copy) | missing);
}
#define FIRST_DECODED(name, NAME, number, real, unused)                                                                \
    QUIRE_INLINE v_f32 name##_first_v_f32(const void *p, int n, v_f32 others) {                                        \
        return decoded_first_v_f32((format_description)NAME##_DESCRIPTION, p, n, others);                              \
    }
QUIRE_DECODED_FORMATS(FIRST_DECODED, )
#undef FIRST_DECODED
#if !defined(SIMD_HAS_FIRST)
FIRST_BY_COPY(float)

QUIRE_INLINE v_f64 double_first_v_f64(const void *p, int n, v_f64 others) {
    const v_i64 lane = { LANES_F64 }, there = lane < n;
    char copy[SIMD_BYTES] = { 0 };
    memcpy(copy, p, (size_t)n * sizeof(double));
    return (v_f64)((v_i64)double_load_v_f64(copy) | ((v_i64)others & ~there));
}
#endif

/* Elements widened by shifts alone: a lane of raw holds 64 / bits elements of an IEEE format narrower than double; the
 * one at place comes out as a double whose sign, exponent field and fraction are the element's own. Its value is the
 * element's times 2^(bias - 1023), subnormals included: both formats denote those the same way. keep masks what stays.
 */
QUIRE_INLINE v_f64 widen_by_shift(v_u64 raw, int bits, int place, int exponent_bits, uint64_t keep) {
    const v_u64 top = raw << (64 - bits * (place + 1));
#if SIMD_BYTES == 64
    return (v_f64)((v_u64)((v_i64)top >> (11 - exponent_bits)) & keep);
#else /* no arithmetic shift of 64 bits */
    return (v_f64)((top >> (11 - exponent_bits) & (keep & INT64_MAX)) | (top & (keep & ~(uint64_t)INT64_MAX)));
#endif
}

/* The arithmetic of terms and of methods, as scalar.h has it on scalars, and windows. */
#define REAL v_f32
#define SUFFIX v_f32
#define SUBTRACT SIMD_SUBTRACT_F32
#include "operation/term.h"

#define REAL v_f32
#define SUFFIX v_f32
#include "method/lanes.h"

#define REAL v_f64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "operation/term.h"

#define REAL v_f64
#define INTEGER v_u64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "method/window.h"

#define REAL v_f64
#define SUFFIX v_f64
#include "method/lanes.h"

/* ---------------------------------------------------------------------------------------------------- decoded first */

/* Formats that need nothing but their decoding: elements become floats, a block at a time, and those are added as
 * floats are: exactly, and by lanes.c in the canonical order. */

/* n elements as floats, and behind them "others", a zero, up to whole vectors, for which "to" has room. */
typedef void (*decode_function)(const void *from, size_t n, float others, float *to);

#define DECODE(format, FORMAT, type, real, unused)                                                                     \
    static __attribute__((__unused__)) void format##_decode(const void *from, size_t n, float others, float *to) {     \
        const format##_element *element = from;                                                                        \
        for (; n >= SIMD_F32; n -= SIMD_F32, element += SIMD_F32, to += SIMD_F32) {                                    \
            const v_f32 x = format##_load_v_f32(element);                                                              \
            memcpy(to, &x, sizeof x);                                                                                  \
        }                                                                                                              \
        if (n) {                                                                                                       \
            const v_f32 zero = { 0 }, x = format##_first_v_f32(element, (int)n, others - zero);                        \
            memcpy(to, &x, sizeof x);                                                                                  \
        }                                                                                                              \
    }
QUIRE_DECODED_FORMATS(DECODE, )
#undef DECODE

/* -------------------------------------------------------------------------------------- additions that round upward */

/* AVX-512 says so in an addition. Others have a mode, of which the compiler does not know: so the instruction that sets
 * it takes the sums that loops begin with and all memory, from which terms are read, and the one that sets it back all
 * memory, where the results must be by then. No addition can be moved past either. Between the two no other arithmetic
 * than this may stand that rounds. A subtraction of floats goes to the multipliers, which are slow at subnormal ones,
 * if x is normal. */

#define UPWARD_SUMS 4 /* vectors that sums begin with, of each of two kinds */

#if SIMD_BYTES == 64
#define SIMD_UPWARD (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)

typedef int rounding_mode; /* none */

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) { return (void)a, (void)b, 0; }
QUIRE_INLINE void leave_upward(rounding_mode callers, void *results) { (void)callers, (void)results; }

QUIRE_INLINE v_f32 up_add_v_f32(v_f32 a, v_f32 b) {
    return (v_f32)_mm512_add_round_ps((__m512)a, (__m512)b, SIMD_UPWARD);
}
QUIRE_INLINE v_f32 up_subtract_v_f32(v_f32 a, v_f32 x, int normal) {
    (void)normal;
    return (v_f32)_mm512_sub_round_ps((__m512)a, (__m512)x, SIMD_UPWARD);
}
QUIRE_INLINE v_f64 up_add_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_add_round_pd((__m512d)a, (__m512d)b, SIMD_UPWARD);
}
QUIRE_INLINE v_f64 up_subtract_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_fnmadd_round_pd((__m512d)b, _mm512_set1_pd(1), (__m512d)a, SIMD_UPWARD);
}
QUIRE_INLINE v_f64 up_fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm512_fmadd_round_pd((__m512d)x, (__m512d)y, (__m512d)z, SIMD_UPWARD);
}
QUIRE_INLINE double up_add_f64(double a, double b) {
    return _mm_cvtsd_f64(_mm_add_round_sd(_mm_set_sd(a), _mm_set_sd(b), SIMD_UPWARD));
}
#else
QUIRE_INLINE v_f32 up_add_v_f32(v_f32 a, v_f32 b) { return a + b; }
QUIRE_INLINE v_f32 up_subtract_v_f32(v_f32 a, v_f32 x, int normal) { return normal ? SIMD_SUBTRACT_F32(a, x) : a - x; }
QUIRE_INLINE v_f64 up_add_v_f64(v_f64 a, v_f64 b) { return a + b; }
QUIRE_INLINE v_f64 up_subtract_v_f64(v_f64 a, v_f64 b) { return SIMD_SUBTRACT_F64(a, b); }
QUIRE_INLINE v_f64 up_fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return SIMD_BYTES > 16 ? fma_v_f64(x, y, z) : z + x * y; /* a product is a double */
}
QUIRE_INLINE double up_add_f64(double a, double b) { return a + b; }

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned rounding_mode;

#define MXCSR_UPWARD 0x4000u /* of MXCSR, whose rounding is to nearest here */

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) {
    const rounding_mode callers = _mm_getcsr(), upward = callers | MXCSR_UPWARD;
    __asm__ volatile("ldmxcsr %8"
                     : "+x"(a[0]), "+x"(a[1]), "+x"(a[2]), "+x"(a[3]), "+x"(b[0]), "+x"(b[1]), "+x"(b[2]), "+x"(b[3])
                     : "m"(upward)
                     : "memory");
    return callers;
}
QUIRE_INLINE void leave_upward(rounding_mode callers, void *results) {
    __asm__ volatile("ldmxcsr %0" : : "m"(callers), "r"(results) : "memory");
}
#else
#include <fenv.h>

typedef int rounding_mode;

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) {
    fesetround(FE_UPWARD);
    for (int i = 0; i < UPWARD_SUMS; i++) __asm__ volatile("" : "+m"(a[i]), "+m"(b[i]) : : "memory");
    return FE_TONEAREST;
}
QUIRE_INLINE void leave_upward(rounding_mode callers, void *results) {
    __asm__ volatile("" : : "r"(results) : "memory");
    fesetround(callers);
}
#endif
#endif

#endif
