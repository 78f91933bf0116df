/* avx2.h - AVX2, FMA and F16C: what simd.h asks of a tier.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_AVX2_H
#define QUIRE_CPU_SIMD_AVX2_H

#include <immintrin.h>

#include "cpu/simd/types.h"

#define SIMD_HAS_HALVES
QUIRE_INLINE v_f32 halves_v_f32(v_u16_of_v_f32 bits) { return (v_f32)_mm256_cvtph_ps((__m128i)bits); }

QUIRE_INLINE v_f32 half_load_v_f32(const void *p) { return (v_f32)_mm256_cvtph_ps(_mm_loadu_si128(p)); }
QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    return (v_f32)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16);
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) {
    return (v_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
}
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
QUIRE_INLINE v_f64 root_v_f64(v_f64 x) { return (v_f64)_mm256_sqrt_pd((__m256d)x); }
#define SIMD_HAS_FIRST
#define SIMD_HAS_FIRST_OF_16_BITS
/* The first n of eight elements, and zeros. No load reads beyond them: two that overlap do. */
QUIRE_INLINE __m128i first_of_16_bits(const void *p, int n) {
    const char *at = p, *end = at + 2 * n;
    uint64_t low = 0, last = 0;
    uint32_t two;
    uint16_t one;
    if (n >= 4) {
        memcpy(&low, at, 8), memcpy(&last, end - 8, 8);
        return _mm_set_epi64x((int64_t)(last >> (16 * (7 - n)) >> 16), (int64_t)low);
    }
    memcpy(&one, end - 2, 2);
    if (n >= 2) memcpy(&two, at, 4), low = two;
    return _mm_cvtsi64_si128((int64_t)(low | (uint64_t)one << (16 * (n - 1))));
}
QUIRE_INLINE v_f32 half_first_v_f32(const void *p, int n, v_f32 others) {
    const v_i32 lane = { LANES_F32 }, there = lane < n;
    return (v_f32)((v_i32)_mm256_cvtph_ps(first_of_16_bits(p, n)) | ((v_i32)others & ~there));
}
QUIRE_INLINE v_f32 bfloat16_first_v_f32(const void *p, int n, v_f32 others) {
    const v_i32 lane = { LANES_F32 }, there = lane < n;
    const __m256i elements = _mm256_cvtepu16_epi32(first_of_16_bits(p, n));
    return (v_f32)((v_i32)_mm256_slli_epi32(elements, 16) | ((v_i32)others & ~there));
}
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
#define SIMD_HAS_WIDEN
QUIRE_INLINE v_f64 widened(__m128 x) { return (v_f64)_mm256_cvtps_pd(x); }
QUIRE_INLINE void half_widen(const void *p, v_f64 *a, v_f64 *b) {
    *a = widened(_mm_cvtph_ps(_mm_loadl_epi64(p)));
    *b = widened(_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)((const char *)p + 8))));
}
QUIRE_INLINE void bfloat16_widen(const void *p, v_f64 *a, v_f64 *b) {
    const __m128i pairs = _mm_loadu_si128(p);
    *a = widened(_mm_castsi128_ps(_mm_slli_epi32(pairs, 16)));
    *b = widened(_mm_castsi128_ps(_mm_and_si128(pairs, _mm_set1_epi32(-0x10000))));
}
QUIRE_INLINE void float_widen(const void *p, v_f64 *a, v_f64 *b) {
    *a = widened(_mm_loadu_ps(p)), *b = widened(_mm_loadu_ps((const float *)p + 4));
}
#define SIMD_SUBTRACT_F32(a, b) fma_v_f32(b, (v_f32){ 0 } - 1, a)
#define SIMD_SUBTRACT_F64(a, b) fma_v_f64(b, (v_f64){ 0 } - 1, a)
#define SIMD_HAS_BOUNDS
QUIRE_INLINE int any_bit(v_i32 x) { return !_mm256_testz_si256((__m256i)x, (__m256i)x); }
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

#endif
