/* avx512.h - AVX-512: what simd.h asks of a tier.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_AVX512_H
#define QUIRE_CPU_SIMD_AVX512_H

#include <immintrin.h>

#include "cpu/simd/types.h"

#define SIMD_HAS_HALVES
QUIRE_INLINE v_f32 halves_v_f32(v_u16_of_v_f32 bits) { return (v_f32)_mm512_cvtph_ps((__m256i)bits); }

QUIRE_INLINE v_f32 half_load_v_f32(const void *p) { return (v_f32)_mm512_cvtph_ps(_mm256_loadu_si256(p)); }
QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    return (v_f32)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16);
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) {
    return (v_f32)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
}
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
}
QUIRE_INLINE v_f64 root_v_f64(v_f64 x) { return (v_f64)_mm512_sqrt_pd((__m512d)x); }
#define SIMD_HAS_FIRST_BYTES
QUIRE_INLINE v_u8_of_v_f32 first_bytes(const void *p, int n) {
    return (v_u8_of_v_f32)_mm_maskz_loadu_epi8((__mmask16)((1u << n) - 1), p);
}
#define SIMD_HAS_FIRST
#define SIMD_HAS_FIRST_OF_16_BITS
QUIRE_INLINE v_f32 half_first_v_f32(const void *p, int n, v_f32 others) {
    const __mmask16 there = (__mmask16)((1u << n) - 1);
    return (v_f32)_mm512_mask_cvtph_ps((__m512)others, there, _mm256_maskz_loadu_epi16(there, p));
}
QUIRE_INLINE v_f32 bfloat16_first_v_f32(const void *p, int n, v_f32 others) {
    const __mmask16 there = (__mmask16)((1u << n) - 1);
    const __m512i elements = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, p));
    return (v_f32)_mm512_mask_slli_epi32((__m512i)others, there, elements, 16);
}
QUIRE_INLINE v_f32 float_first_v_f32(const void *p, int n, v_f32 others) {
    return (v_f32)_mm512_mask_loadu_ps((__m512)others, (__mmask16)((1u << n) - 1), p);
}
QUIRE_INLINE v_f64 double_first_v_f64(const void *p, int n, v_f64 others) {
    return (v_f64)_mm512_mask_loadu_pd((__m512d)others, (__mmask8)((1u << n) - 1), p);
}
QUIRE_INLINE v_f64 lower_f64(v_f32 x) { return (v_f64)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
QUIRE_INLINE v_f64 upper_f64(v_f32 x) { return (v_f64)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1)); }
#define SIMD_HAS_WIDEN
QUIRE_INLINE v_f64 widened(__m256 x) { return (v_f64)_mm512_cvtps_pd(x); }
QUIRE_INLINE void half_widen(const void *p, v_f64 *a, v_f64 *b) {
    *a = widened(_mm256_cvtph_ps(_mm_loadu_si128(p)));
    *b = widened(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)((const char *)p + 16))));
}
QUIRE_INLINE void bfloat16_widen(const void *p, v_f64 *a, v_f64 *b) {
    const __m256i pairs = _mm256_loadu_si256(p);
    *a = widened(_mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)));
    *b = widened(_mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-0x10000))));
}
QUIRE_INLINE void float_widen(const void *p, v_f64 *a, v_f64 *b) {
    *a = widened(_mm256_loadu_ps(p)), *b = widened(_mm256_loadu_ps((const float *)p + 8));
}
#define SIMD_SUBTRACT_F32(a, b) fma_v_f32(b, (v_f32){ 0 } - 1, a)
#define SIMD_SUBTRACT_F64(a, b) fma_v_f64(b, (v_f64){ 0 } - 1, a)
#define SIMD_HAS_BOUNDS
QUIRE_INLINE int any_bit(v_i32 x) { return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0; }
#define SIMD_HAS_PAIRS
QUIRE_INLINE v_i32 add_products(v_i32 sum, v_i16 a, v_i16 b) {
    return sum + (v_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
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

#endif
