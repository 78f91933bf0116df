/* scalar_methods.h - the methods' arithmetic on scalars, f32 and f64, as vector.h has it on vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_SCALAR_METHODS_H
#define QUIRE_CPU_SIMD_SCALAR_METHODS_H

#include "cpu/simd/scalar.h"

#define REAL float
#define SUFFIX f32
#include "method/lanes.h"

#define REAL double
#define SUFFIX f64
#include "method/lanes.h"

#endif
