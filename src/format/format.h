/* format.h - what there is to know about a binary floating-point format, and the decomposition of doubles.
 *
 * A finite number of a format is m * 2^q with an integer |m| < 2^precision and q >= least_exponent. The encoding is
 * IEEE's: sign, exponent field, precision - 1 stored bits; magnitudes are ordered like their bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_FORMAT_FORMAT_H
#define QUIRE_FORMAT_FORMAT_H

#include "arithmetic.h"

typedef struct {
    int size;           /* bytes */
    int precision;      /* bits of the significand, the hidden one included */
    int least_exponent; /* q of the least subnormal, 2^q */
    int has_infinity;   /* or NaN stands in for it */
    uint64_t infinity;  /* the bits of +Inf, or of what is in its place: those behind the greatest finite number */
    uint64_t quiet_nan; /* the bits of the canonical NaN */
    uint64_t sign;      /* the sign bit */
} format_description;

/* A finite double as m * 2^q, |m| < 2^53. */
QUIRE_INLINE void double_decompose(double x, int64_t *m, int *q) {
    uint64_t b = bits_of_double(x);
    int field = (int)(b >> 52) & 0x7ff;
    int64_t fraction = (int64_t)(b & 0xfffffffffffffu);
    int64_t magnitude = field ? fraction | 0x10000000000000 : fraction;
    *q = (field ? field : 1) - 1075;
    *m = (b >> 63) ? -magnitude : magnitude;
}

QUIRE_INLINE int double_is_finite(double x) { return (bits_of_double(x) >> 52 & 0x7ff) != 0x7ff; }
QUIRE_INLINE int double_is_nan(double x) { return (bits_of_double(x) & 0x7fffffffffffffff) > 0x7ff0000000000000; }

#endif
