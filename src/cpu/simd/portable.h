/* portable.h - vectors of 16 bytes without an instruction by its name: what simd.h asks of a tier.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_PORTABLE_H
#define QUIRE_CPU_SIMD_PORTABLE_H

#include <math.h>

#include "cpu/simd/types.h"

QUIRE_INLINE v_f32 bfloat16_load_v_f32(const void *p) {
    v_u16_of_v_f32 elements;
    memcpy(&elements, p, sizeof elements);
    return (v_f32)(__builtin_convertvector(elements, v_u32) << 16);
}
QUIRE_INLINE v_f32 fma_v_f32(v_f32 x, v_f32 y, v_f32 z) {
    return (v_f32){ fmaf(x[0], y[0], z[0]), fmaf(x[1], y[1], z[1]), fmaf(x[2], y[2], z[2]), fmaf(x[3], y[3], z[3]) };
}
QUIRE_INLINE v_f64 fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64){ fma(x[0], y[0], z[0]), fma(x[1], y[1], z[1]) };
}
QUIRE_INLINE v_f64 root_v_f64(v_f64 x) { return (v_f64){ sqrt(x[0]), sqrt(x[1]) }; }
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
