/* types.h - the vectors of one CPU tier, and what needs no instruction by its name: arithmetic is the compiler's vector
 * extension. The flags of the build say which tier it is (SIMD_TIER_avx2, say), since the user's own flags may allow
 * more.
 *
 * v_f32 and v_f64 are the vectors; a suffix v_f32 or v_f64 on a function names what it works on, as f32 and f64 do for
 * scalars.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_TYPES_H
#define QUIRE_CPU_SIMD_TYPES_H

#include "format/formats.h"

#if defined(SIMD_TIER_avx512)
#define SIMD_TIER avx512
#define SIMD_BYTES 64
#define SIMD_REGISTERS 32
#elif defined(SIMD_TIER_avx2)
#define SIMD_TIER avx2
#define SIMD_BYTES 32
#define SIMD_REGISTERS 16
#else
#define SIMD_TIER portable
#define SIMD_BYTES 16
#define SIMD_REGISTERS 16
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

/* As many as a vector has lanes of floats. */
typedef uint8_t v_u8_of_v_f32 __attribute__((vector_size(SIMD_F32)));
typedef uint16_t v_u16_of_v_f32 __attribute__((vector_size(2 * SIMD_F32)));

QUIRE_INLINE v_u64 bits_of_v_f64(v_f64 x) { return (v_u64)x; }

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

/* part_v_f32(a, b, w), _f64: of *a and then *b, in groups of 2 w neighbours, the lower half of each group goes to *a,
 * the upper to *b. w is a constant, a power of two. */
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
#define PICK(result, count, a, b, at)                                                                                  \
    SIMD_UNROLL                                                                                                        \
    for (int i = 0; i < (count); i++) (result)[i] = (at)[i] < (count) ? (a)[(at)[i] % (count)] : (b)[(at)[i] % (count)]
#else
#define PICK(result, count, a, b, at) (result) = __builtin_shuffle(a, b, at)
#endif
QUIRE_INLINE void part_v_f32(v_f32 *a, v_f32 *b, int w) {
    const v_i32 lane = { LANES_F32 }, lower = lane + (lane & -w), upper = lower + w;
    v_f32 lowers, uppers;
    PICK(lowers, SIMD_F32, *a, *b, lower);
    PICK(uppers, SIMD_F32, *a, *b, upper);
    *a = lowers, *b = uppers;
}

QUIRE_INLINE void part_v_f64(v_f64 *a, v_f64 *b, int w) {
    const v_i64 lane = { LANES_F64 }, lower = lane + (lane & -w), upper = lower + w;
    v_f64 lowers, uppers;
    PICK(lowers, SIMD_F64, *a, *b, lower);
    PICK(uppers, SIMD_F64, *a, *b, upper);
    *a = lowers, *b = uppers;
}

/* Each lane has what stood in the lane w further on, or back. */
QUIRE_INLINE v_f64 exchanged_v_f64(v_f64 x, int w) {
    const v_i64 lane = { LANES_F64 }, other = lane ^ w;
    v_f64 result;
    PICK(result, SIMD_F64, x, x, other);
    return result;
}

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

#endif
