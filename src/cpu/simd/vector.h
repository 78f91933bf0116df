/* vector.h - the methods' arithmetic on vectors, v_f32 and v_f64.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_VECTOR_H
#define QUIRE_CPU_SIMD_VECTOR_H

#include "cpu/simd/simd.h"

#define REAL v_f32
#define SUFFIX v_f32
#include "method/lanes.h"

#define REAL v_f64
#define SUFFIX v_f64
#include "method/lanes.h"

#endif
