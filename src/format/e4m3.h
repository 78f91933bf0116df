/* e4m3.h - OCP 8-bit floating point E4M3, finite numbers and NaN only (e4m3fn), accumulated in float (OCP OFP8 1.0,
 * 2023). SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_E4M3_H
#define QUIRE_FORMAT_E4M3_H

#include "format/format.h"

typedef uint8_t e4m3_element;
#define E4M3_DESCRIPTION                                                                                               \
    { 1, 4, -9, 0, 0x7f, 0x7f, 0x80 }

/* In float's places the exponent is 120 short; the multiplication mends that, exactly, subnormals included. */
QUIRE_INLINE float e4m3_to_f32(e4m3_element b) {
    const uint32_t magnitude = b & 0x7f, special = magnitude == 0x7f ? 0x7fc00000u : 0u;
    const uint32_t bits = bits_of_float(float_of_bits(magnitude << 20) * 0x1p120f) | special;
    return float_of_bits(bits | (uint32_t)(b & 0x80) << 24);
}

#endif
