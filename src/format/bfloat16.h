/* bfloat16.h - the upper half of a float, accumulated in float. SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_BFLOAT16_H
#define QUIRE_FORMAT_BFLOAT16_H

#include "format/format.h"

typedef uint16_t bfloat16_element;
#define BFLOAT16_DESCRIPTION                                                                                           \
    { 2, 8, -133, 1, 0x7f80, 0x7fc0, 0x8000 }

QUIRE_INLINE float bfloat16_to_f32(bfloat16_element b) { return float_of_bits((uint32_t)b << 16); }

#endif
