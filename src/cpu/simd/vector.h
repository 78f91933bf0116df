/* vector.h - the methods' arithmetic on vectors, v_f32 and v_f64, as scalar.h has it on scalars; windows on v_f64.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_VECTOR_H
#define QUIRE_CPU_SIMD_VECTOR_H

#include "cpu/simd/scalar.h"
#include "cpu/simd/simd.h"

#define REAL v_f32
#define SUFFIX v_f32
#define SUBTRACT SIMD_SUBTRACT_F32
#include "method/lanes.h"

#define REAL v_f64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "method/lanes.h"

#define REAL v_f64
#define INTEGER v_u64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "method/window.h"

#endif
