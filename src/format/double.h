/* double.h - IEEE 754 binary64, accumulated in double. SPDX-License-Identifier: MIT */
#ifndef QUIRE_FORMAT_DOUBLE_H
#define QUIRE_FORMAT_DOUBLE_H

#include "format/format.h"

typedef double double_element;
#define DOUBLE_DESCRIPTION                                                                                             \
    { 8, 53, -1074, 1, 0x7ff0000000000000, 0x7ff8000000000000, 0x8000000000000000 }

QUIRE_INLINE double double_to_f64(double_element x) { return x; }

#endif
