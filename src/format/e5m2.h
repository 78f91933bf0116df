/* e5m2.h - OCP 8-bit floating point E5M2: the upper half of an IEEE half, accumulated in float (OCP OFP8 1.0, 2023).
 * SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_E5M2_H
#define QUIRE_FORMAT_E5M2_H

#include "format/half.h"

typedef uint8_t e5m2_element;
#define E5M2_DESCRIPTION                                                                                               \
    { 1, 3, -16, 1, 0x7c, 0x7e, 0x80 }

QUIRE_INLINE float e5m2_to_f32(e5m2_element b) { return half_to_f32((half_element)(b << 8)); }

#endif
