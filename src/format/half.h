/* half.h - IEEE 754 binary16, accumulated in float. SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_HALF_H
#define QUIRE_FORMAT_HALF_H

#include "format/format.h"

typedef uint16_t half_element;
#define HALF_DESCRIPTION                                                                                               \
    { 2, 11, -24, 1, 0x7c00, 0x7e00, 0x8000 }

/* Shifting the fraction and exponent into float's places leaves the exponent 112 short; the multiplication mends that
 * for normal numbers and normalises subnormals, exactly. Inf and NaN get their exponent by hand. */
QUIRE_INLINE float half_to_f32(half_element h) {
    uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    uint32_t bits = bits_of_float(float_of_bits(magnitude) * 0x1p112f) | special;
    return float_of_bits(bits | (uint32_t)(h & 0x8000) << 16);
}

#endif
