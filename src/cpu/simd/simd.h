/* simd.h - the vectors of one CPU tier. A tier is this header compiled with its instruction set; meson.build names the
 * flags, and says which tier it is (SIMD_TIER_avx2, say), since the user's own flags may allow more. Arithmetic is the
 * compiler's vector extension, and the few things that extension cannot say are functions here.
 *
 * v_f32 and v_f64 are the vectors; a suffix v_f32 or v_f64 on a function names what it works on, as f32 and f64 do for
 * scalars.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_H
#define QUIRE_CPU_SIMD_H

#include "format/formats.h"

#if defined(SIMD_TIER_avx512) || defined(SIMD_TIER_avx512vnni)
#include <immintrin.h>
#define SIMD_BYTES 64
#define SIMD_REGISTERS 32
#if defined(SIMD_TIER_avx512vnni)
#define SIMD_TIER avx512vnni
#else
#define SIMD_TIER avx512
#endif
#elif defined(SIMD_TIER_avx2)
#include <immintrin.h>
#define SIMD_BYTES 32
#define SIMD_REGISTERS 16
#define SIMD_TIER avx2
#else
#define SIMD_BYTES 16
#define SIMD_REGISTERS 16
#define SIMD_TIER portable
#endif

/* Before a loop over vectors that are to stay in registers: it is to have no iterations left. */
#if defined(__clang__)
#define SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIMD_UNROLL _Pragma("GCC unroll 64")
#endif

#define SIMD_VECTOR __attribute__((vector_size(SIMD_BYTES)))
typedef float v_f32 SIMD_VECTOR;
typedef double v_f64 SIMD_VECTOR;
typedef int16_t v_i16 SIMD_VECTOR;
typedef int32_t v_i32 SIMD_VECTOR;
typedef int64_t v_i64 SIMD_VECTOR;
typedef uint16_t v_u16 SIMD_VECTOR;
typedef uint32_t v_u32 SIMD_VECTOR;
typedef uint64_t v_u64 SIMD_VECTOR;

#define SIMD_F32 ((int)(SIMD_BYTES / sizeof(float)))
#define SIMD_F64 ((int)(SIMD_BYTES / sizeof(double)))

QUIRE_INLINE v_u64 bits_of_v_f64(v_f64 x) { return (v_u64)x; }

/* SIMD_SUBTRACT_F32(a, b), _F64: a - b as fma(b, -1, a), which is the same, but done by the multipliers where additions and
 * multiplications have units of their own (Zen); chains of additions alone would leave those idle. */

/* Two doubles, whatever the tier. */
typedef double f64_pair __attribute__((vector_size(16)));
typedef uint64_t u64_pair __attribute__((vector_size(16)));
#ifdef __clang__
QUIRE_INLINE f64_pair first_of_both(f64_pair a, f64_pair b) { return __builtin_shufflevector(a, b, 0, 2); }
QUIRE_INLINE f64_pair second_of_both(f64_pair a, f64_pair b) { return __builtin_shufflevector(a, b, 1, 3); }
#else
QUIRE_INLINE f64_pair first_of_both(f64_pair a, f64_pair b) { return __builtin_shuffle(a, b, (u64_pair){ 0, 2 }); }
QUIRE_INLINE f64_pair second_of_both(f64_pair a, f64_pair b) { return __builtin_shuffle(a, b, (u64_pair){ 1, 3 }); }
#endif

QUIRE_INLINE v_f32 abs_v_f32(v_f32 x) { return (v_f32)((v_i32)x & 0x7fffffff); }
QUIRE_INLINE v_f64 abs_v_f64(v_f64 x) { return (v_f64)((v_i64)x & 0x7fffffffffffffff); }

/* part_v_f32(a, b, w), _f64: of *a and then *b, in groups of 2 w neighbours, the lower half of each group goes to *a, the
 * upper to *b. w is a constant, a power of two. */
#if SIMD_BYTES == 64
#define LANES_F32 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LANES_F64 0, 1, 2, 3, 4, 5, 6, 7
#elif SIMD_BYTES == 32
#define LANES_F32 0, 1, 2, 3, 4, 5, 6, 7
#define LANES_F64 0, 1, 2, 3
#else
#define LANES_F32 0, 1, 2, 3
#define LANES_F64 0, 1
#endif
#ifdef __clang__ /* has no shuffle by a vector, but sees one in this */
#define PICK(result, count, a, b, at)                                                                                       \
    SIMD_UNROLL                                                                                                             \
    for (int i = 0; i < (count); i++) (result)[i] = (at)[i] < (count) ? (a)[(at)[i] % (count)] : (b)[(at)[i] % (count)]
#else
#define PICK(result, count, a, b, at) (result) = __builtin_shuffle(a, b, at)
#endif
#define PART(vector, integers, count, ...)                                                                                  \
    QUIRE_INLINE void part_##vector(vector *a, vector *b, int w) {                                                          \
        const integers lane = { __VA_ARGS__ }, lower = lane + (lane & -w), upper = lower + w;                               \
        vector lowers, uppers;                                                                                              \
        PICK(lowers, count, *a, *b, lower);                                                                                 \
        PICK(uppers, count, *a, *b, upper);                                                                                 \
        *a = lowers, *b = uppers;                                                                                           \
    }
PART(v_f32, v_i32, SIMD_F32, LANES_F32)
PART(v_f64, v_i64, SIMD_F64, LANES_F64)

QUIRE_INLINE v_f32 float_load_v_f32(const void *p) {
    v_f32 x;
    memcpy(&x, p, sizeof x);
    return x;
}

QUIRE_INLINE v_f64 double_load_v_f64(const void *p) {
    v_f64 x;
    memcpy(&x, p, sizeof x);
    return x;
}

#if SIMD_BYTES == 64

QUIRE_INLINE v_f32 half_load_v_f32(const void *p) { return (v_f32)_mm512_cvtph_ps(_mm256_loadu_si256(p)); }
QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    return (v_f32)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16);
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) { return (v_f32)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z); }
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
}
#define SIMD_HAS_FIRST
QUIRE_INLINE v_f32 float_first_v_f32(const void *p, int n, v_f32 others) {
    return (v_f32)_mm512_mask_loadu_ps((__m512)others, (__mmask16)((1u << n) - 1), p);
}
QUIRE_INLINE v_f64 double_first_v_f64(const void *p, int n, v_f64 others) {
    return (v_f64)_mm512_mask_loadu_pd((__m512d)others, (__mmask8)((1u << n) - 1), p);
}
QUIRE_INLINE v_f64 lower_f64(v_f32 x) { return (v_f64)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
QUIRE_INLINE v_f64 upper_f64(v_f32 x) { return (v_f64)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1)); }
#define SIMD_SUBTRACT_F32(a, b) fma_v_f32(b, (v_f32){ 0 } - 1, a)
#define SIMD_SUBTRACT_F64(a, b) fma_v_f64(b, (v_f64){ 0 } - 1, a)
/* A sum rounded up, and low: it rounded down, between rounding_up and rounding_to_nearest. normal: x is no subnormal. Bits
 * in which the two differ, and these; whether all lanes are equal; how far they are apart. */
#define SIMD_HAS_BOUNDS
QUIRE_INLINE void rounding_up(void *results) { (void)results; }
QUIRE_INLINE void rounding_to_nearest(void *results) { (void)results; }
QUIRE_INLINE v_f32 up_add(v_f32 up, v_f32 x) {
    return (v_f32)_mm512_add_round_ps((__m512)up, (__m512)x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
QUIRE_INLINE v_f32 low_first(v_f32 x) { return x; }
QUIRE_INLINE v_f32 low_add(v_f32 low, v_f32 x, int normal) {
    (void)normal;
    return (v_f32)_mm512_add_round_ps((__m512)low, (__m512)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
QUIRE_INLINE v_f32 ends_apart(v_f32 up, v_f32 low) { return up - low; }
QUIRE_INLINE v_i32 differing_bits(v_f32 up, v_f32 low, v_i32 these) { return these | ((v_i32)up ^ (v_i32)low); }
QUIRE_INLINE int any_bit(v_i32 x) { return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0; }
QUIRE_INLINE int all_equal(v_f32 up, v_f32 low) { return _mm512_cmp_ps_mask((__m512)up, (__m512)low, _CMP_EQ_OQ) == 0xffff; }
QUIRE_INLINE int all_below(v_f32 x, float bound) {
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(bound), _CMP_LT_OQ) == 0xffff;
}
/* x less the nearest multiple of 2^-REST_BITS, which is exact. */
#define REST_BITS 4
QUIRE_INLINE v_f32 rest_v_f32(v_f32 x) { return (v_f32)_mm512_reduce_ps((__m512)x, REST_BITS << 4 | _MM_FROUND_NO_EXC); }
/* A sum and products of 16-bit numbers, two neighbours; a number, negative where sign is; entries of a table of one vector
 * or two, by the low bits of index. */
#define SIMD_HAS_PAIRS
QUIRE_INLINE v_i32 add_products(v_i32 sum, v_i16 a, v_i16 b) {
#if defined(SIMD_TIER_avx512vnni)
    return (v_i32)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#else
    return sum + (v_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#endif
}
QUIRE_INLINE v_i16 with_sign(v_i16 magnitude, v_i16 sign) {
    return (v_i16)_mm512_mask_sub_epi16((__m512i)magnitude, _mm512_movepi16_mask((__m512i)sign), _mm512_setzero_si512(),
                                        (__m512i)magnitude);
}
/* By arithmetic shifts; a count beyond 15 does as 15. */
QUIRE_INLINE v_i16 shift_right(v_i16 x, v_i16 count) { return (v_i16)_mm512_srav_epi16((__m512i)x, (__m512i)count); }
QUIRE_INLINE v_u16 max_v_u16(v_u16 a, v_u16 b) { return (v_u16)_mm512_max_epu16((__m512i)a, (__m512i)b); }
QUIRE_INLINE int any_above(v_u16 x, uint16_t most) {
    return _mm512_cmpgt_epu16_mask((__m512i)x, _mm512_set1_epi16((int16_t)most)) != 0;
}
/* The greatest of numbers that are not negative. */
QUIRE_INLINE int greatest_v_i16(v_i16 x) {
    const __m256i four = _mm256_max_epi16(_mm512_castsi512_si256((__m512i)x), _mm512_extracti64x4_epi64((__m512i)x, 1));
    const __m128i two = _mm_max_epi16(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return ~_mm_cvtsi128_si32(_mm_minpos_epu16(~two)) & INT16_MAX;
}
QUIRE_INLINE v_i16 look_up(v_i16 table, v_i16 index) {
    return (v_i16)_mm512_permutexvar_epi16((__m512i)index, (__m512i)table);
}
QUIRE_INLINE v_i16 look_up_in_two(v_i16 lower, v_i16 upper, v_i16 index) {
    return (v_i16)_mm512_permutex2var_epi16((__m512i)lower, (__m512i)index, (__m512i)upper);
}
QUIRE_INLINE v_i16 min_v_i16(v_i16 a, v_i16 b) { return (v_i16)_mm512_min_epi16((__m512i)a, (__m512i)b); }
QUIRE_INLINE v_i16 max_v_i16(v_i16 a, v_i16 b) { return (v_i16)_mm512_max_epi16((__m512i)a, (__m512i)b); }
QUIRE_INLINE v_i32 min_v_i32(v_i32 a, v_i32 b) { return (v_i32)_mm512_min_epi32((__m512i)a, (__m512i)b); }
QUIRE_INLINE v_i32 max_v_i32(v_i32 a, v_i32 b) { return (v_i32)_mm512_max_epi32((__m512i)a, (__m512i)b); }
QUIRE_INLINE v_i64 min_v_i64(v_i64 a, v_i64 b) { return (v_i64)_mm512_min_epi64((__m512i)a, (__m512i)b); }
QUIRE_INLINE v_i64 max_v_i64(v_i64 a, v_i64 b) { return (v_i64)_mm512_max_epi64((__m512i)a, (__m512i)b); }

#elif SIMD_BYTES == 32

QUIRE_INLINE v_f32 half_load_v_f32(const void *p) { return (v_f32)_mm256_cvtph_ps(_mm_loadu_si128(p)); }
QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    return (v_f32)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16);
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) { return (v_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z); }
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
#define SIMD_HAS_FIRST
QUIRE_INLINE v_f32 float_first_v_f32(const void *p, int n, v_f32 others) {
    const v_i32 lane = { LANES_F32 }, there = lane < n;
    return (v_f32)((v_i32)_mm256_maskload_ps(p, (__m256i)there) | ((v_i32)others & ~there));
}
QUIRE_INLINE v_f64 double_first_v_f64(const void *p, int n, v_f64 others) {
    const v_i64 lane = { LANES_F64 }, there = lane < n;
    return (v_f64)((v_i64)_mm256_maskload_pd(p, (__m256i)there) | ((v_i64)others & ~there));
}
QUIRE_INLINE v_f64 lower_f64(v_f32 x) { return (v_f64)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x)); }
QUIRE_INLINE v_f64 upper_f64(v_f32 x) { return (v_f64)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1)); }
#define SIMD_SUBTRACT_F32(a, b) fma_v_f32(b, (v_f32){ 0 } - 1, a)
#define SIMD_SUBTRACT_F64(a, b) fma_v_f64(b, (v_f64){ 0 } - 1, a)
/* As above. No addition can be told how to round, so all round up meanwhile, and low is the negative of the sum rounded
 * down. The compiler does not know of it: sums start from what is loaded from memory and go to results, and neither may be
 * moved past the two ends. A subtraction of normal numbers goes to the multipliers (which are slow at others). Two ends that
 * are the same infinity count as different: they are NaN apart. */
#define SIMD_HAS_BOUNDS
#define SIMD_NOT_PAST(results) __asm__ volatile("" : : "r"(results) : "memory")
QUIRE_INLINE void rounding_up(void *results) {
    SIMD_NOT_PAST(results);
    _mm_setcsr(_mm_getcsr() | _MM_ROUND_UP);
    SIMD_NOT_PAST(results);
}
QUIRE_INLINE void rounding_to_nearest(void *results) {
    SIMD_NOT_PAST(results);
    _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK);
    SIMD_NOT_PAST(results);
}
QUIRE_INLINE v_f32 up_add(v_f32 up, v_f32 x) { return up + x; }
QUIRE_INLINE v_f32 low_first(v_f32 x) { return -x; }
QUIRE_INLINE v_f32 low_add(v_f32 low, v_f32 x, int normal) { return normal ? SIMD_SUBTRACT_F32(low, x) : low - x; }
QUIRE_INLINE v_f32 ends_apart(v_f32 up, v_f32 low) { return up + low; }
QUIRE_INLINE v_i32 differing_bits(v_f32 up, v_f32 low, v_i32 these) { return these | (v_i32)ends_apart(up, low); }
QUIRE_INLINE int any_bit(v_i32 x) { return !_mm256_testz_si256((__m256i)x, (__m256i)x); }
QUIRE_INLINE int all_equal(v_f32 up, v_f32 low) { return !any_bit((v_i32)ends_apart(up, low)); }
QUIRE_INLINE int all_below(v_f32 x, float bound) {
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)x, _mm256_set1_ps(bound), _CMP_LT_OQ)) == 0xff;
}
#define REST_BITS 4
QUIRE_INLINE v_f32 rest_v_f32(v_f32 x) {
    const __m256 units = _mm256_round_ps((__m256)(x * (1 << REST_BITS)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return fma_v_f32((v_f32)units, (v_f32){ 0 } - 1.0f / (1 << REST_BITS), x);
}
QUIRE_INLINE v_i16 min_v_i16(v_i16 a, v_i16 b) { return (v_i16)_mm256_min_epi16((__m256i)a, (__m256i)b); }
QUIRE_INLINE v_i16 max_v_i16(v_i16 a, v_i16 b) { return (v_i16)_mm256_max_epi16((__m256i)a, (__m256i)b); }
QUIRE_INLINE v_i32 min_v_i32(v_i32 a, v_i32 b) { return (v_i32)_mm256_min_epi32((__m256i)a, (__m256i)b); }
QUIRE_INLINE v_i32 max_v_i32(v_i32 a, v_i32 b) { return (v_i32)_mm256_max_epi32((__m256i)a, (__m256i)b); }
QUIRE_INLINE v_i64 min_v_i64(v_i64 a, v_i64 b) {
    return (v_i64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, _mm256_cmpgt_epi64((__m256i)a, (__m256i)b));
}
QUIRE_INLINE v_i64 max_v_i64(v_i64 a, v_i64 b) {
    return (v_i64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, _mm256_cmpgt_epi64((__m256i)b, (__m256i)a));
}

#else

#include <math.h>

QUIRE_INLINE v_f32 half_load_v_f32(const void *p) {
    const char *h = p;
    return (v_f32){ half_load_f32(h), half_load_f32(h + 2), half_load_f32(h + 4), half_load_f32(h + 6) };
}
QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    const char *b = p;
    return (v_f32){ bfloat16_load_f32(b), bfloat16_load_f32(b + 2), bfloat16_load_f32(b + 4), bfloat16_load_f32(b + 6) };
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) {
    return (v_f32){ fmaf(x[0], y[0], z[0]), fmaf(x[1], y[1], z[1]), fmaf(x[2], y[2], z[2]), fmaf(x[3], y[3], z[3]) };
}
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) { return (v_f64){ fma(x[0], y[0], z[0]), fma(x[1], y[1], z[1]) }; }
QUIRE_INLINE v_f64 lower_f64(v_f32 x) { return (v_f64){ x[0], x[1] }; }
QUIRE_INLINE v_f64 upper_f64(v_f32 x) { return (v_f64){ x[2], x[3] }; }
#define SIMD_SUBTRACT_F32(a, b) ((a) - (b))
#define SIMD_SUBTRACT_F64(a, b) ((a) - (b))
QUIRE_INLINE v_i16 min_v_i16(v_i16 a, v_i16 b) { return (a & (a < b)) | (b & ~(a < b)); }
QUIRE_INLINE v_i16 max_v_i16(v_i16 a, v_i16 b) { return (a & (a > b)) | (b & ~(a > b)); }
QUIRE_INLINE v_i32 min_v_i32(v_i32 a, v_i32 b) { return (a & (a < b)) | (b & ~(a < b)); }
QUIRE_INLINE v_i32 max_v_i32(v_i32 a, v_i32 b) { return (a & (a > b)) | (b & ~(a > b)); }
QUIRE_INLINE v_i64 min_v_i64(v_i64 a, v_i64 b) { return (a & (a < b)) | (b & ~(a < b)); }
QUIRE_INLINE v_i64 max_v_i64(v_i64 a, v_i64 b) { return (a & (a > b)) | (b & ~(a > b)); }

#endif

/* Vectors of the formats that have no instructions of their own, by what their description says. In float's places an
 * element is too small by a power of two, which the multiplication mends, exactly, subnormals included; infinities and NaNs
 * get their exponent by hand. */
QUIRE_INLINE v_f32 decode_v_f32(format_description f, v_u32 element) {
    const int shift = 24 - f.precision, scale = 149 - shift + f.least_exponent;
    const v_u32 magnitude = element & (uint32_t)(f.sign - 1);
    const v_u32 special = (v_u32)(magnitude >= (uint32_t)f.infinity) & 0x7f800000;
    const v_u32 bits = (v_u32)((v_f32)(magnitude << shift) * float_of_bits((uint32_t)(127 + scale) << 23));
    return (v_f32)(bits | special | (element & (uint32_t)f.sign) << (32 - 8 * f.size));
}

#define LOAD_DECODED(name, NAME, number, real, unused)                                                                      \
    typedef name##_element v_##name __attribute__((vector_size(SIMD_F32 * sizeof(name##_element))));                        \
    QUIRE_INLINE v_f32 name##_load_v_f32(const void *p) {                                                                   \
        const format_description f = NAME##_DESCRIPTION;                                                                    \
        v_##name element;                                                                                                   \
        memcpy(&element, p, sizeof element);                                                                                \
        return decode_v_f32(f, __builtin_convertvector(element, v_u32));                                                    \
    }
QUIRE_DECODED_FORMATS(LOAD_DECODED, )
#undef LOAD_DECODED

/* half_first_v_f32(p, n, others) and so forth: the first n elements at p, fewer than a vector has lanes, and lanes of others
 * behind them, which are zeros. By way of a copy it takes longer: a load must wait for several stores. */
#define FIRST_BY_COPY(format, vector, integers, ...)                                                                        \
    QUIRE_INLINE vector format##_first_##vector(const void *p, int n, vector others) {                                      \
        const integers lane = { __VA_ARGS__ }, there = lane < n;                                                            \
        char copy[sizeof(format##_element) * (sizeof lane / sizeof lane[0])] = { 0 };                                       \
        memcpy(copy, p, (size_t)n * sizeof(format##_element));                                                              \
        return (vector)((integers)format##_load_##vector(copy) | ((integers)others & ~there));                              \
    }
FIRST_BY_COPY(half, v_f32, v_i32, LANES_F32)
FIRST_BY_COPY(bfloat16, v_f32, v_i32, LANES_F32)
#define FIRST_DECODED(name, NAME, number, real, unused) FIRST_BY_COPY(name, v_f32, v_i32, LANES_F32)
QUIRE_DECODED_FORMATS(FIRST_DECODED, )
#undef FIRST_DECODED
#if !defined(SIMD_HAS_FIRST)
FIRST_BY_COPY(float, v_f32, v_i32, LANES_F32)
FIRST_BY_COPY(double, v_f64, v_i64, LANES_F64)
#endif

/* Elements widened by shifts alone: a lane of raw holds 64 / bits elements of an IEEE format narrower than double; the one
 * at place comes out as a double whose sign, exponent field and fraction are the element's own. Its value is the element's
 * times 2^(bias - 1023), subnormals included: both formats denote those the same way. keep masks what stays. */
QUIRE_INLINE v_f64 widen_by_shift(v_u64 raw, int bits, int place, int exponent_bits, uint64_t keep) {
    const v_u64 top = raw << (64 - bits * (place + 1));
#if SIMD_BYTES == 64
    return (v_f64)((v_u64)((v_i64)top >> (11 - exponent_bits)) & keep);
#else /* no arithmetic shift of 64 bits */
    return (v_f64)((top >> (11 - exponent_bits) & (keep & INT64_MAX)) | (top & (keep & ~(uint64_t)INT64_MAX)));
#endif
}

#endif
