/* float.h - IEEE 754 binary32. (Found as "format/float.h": the standard header of this name is <float.h>.)
 * SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_FLOAT_H
#define QUIRE_FORMAT_FLOAT_H

#include "format/format.h"

typedef float float_element;
#define FLOAT_DESCRIPTION                                                                                              \
    { 4, 24, -149, 1, 0x7f800000, 0x7fc00000, 0x80000000 }

QUIRE_INLINE float float_to_f32(float_element x) { return x; }

#endif
