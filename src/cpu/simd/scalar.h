/* scalar.h - the arithmetic of terms and of methods on scalars, f32 and f64, as the CPU compiles it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_SCALAR_H
#define QUIRE_CPU_SIMD_SCALAR_H

#include <math.h>

#include "format/formats.h"

QUIRE_INLINE float abs_f32(float x) { return float_of_bits(bits_of_float(x) & 0x7fffffff); }
QUIRE_INLINE double abs_f64(double x) { return __builtin_fabs(x); }
QUIRE_INLINE float fma_f32(float x, float y, float z) { return fmaf(x, y, z); }
QUIRE_INLINE double fma_f64(double x, double y, double z) { return fma(x, y, z); }

#define REAL float
#define SUFFIX f32
#include "operation/term.h"

#define REAL float
#define SUFFIX f32
#include "method/lanes.h"

#define REAL double
#define SUFFIX f64
#include "operation/term.h"

#define REAL double
#define SUFFIX f64
#include "method/lanes.h"

#endif
