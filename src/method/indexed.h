/* indexed.h - exact accumulation of floats of any exponent: bin[exponent / 16] += x, in doubles.
 *
 * A bin takes the floats of 16 neighbouring exponents: multiples of one unit, below 2^39 units (24 bits of significand and
 * 15 of spread). A double counts to 2^53, so 2^14 additions are exact; INDEXED_ADDITIONS keeps to half of that. There is no
 * branch, no check and no window; time does not depend on the data. Subnormals are in bin 0 like any other number. The top
 * bin takes Inf and NaN too and shows them. A bin that starts at -0 stays -0 until something other than -0 comes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_METHOD_INDEXED_H
#define QUIRE_METHOD_INDEXED_H

#include "accumulator/limbs.h"

#define INDEXED_BINS 16
#define INDEXED_ADDITIONS (1 << 13)

/* stride: the distance of a column's bins. */
QUIRE_INLINE void indexed_add(double *bin, int stride, float x) {
    bin[(int)(bits_of_float(x) >> 27 & 15) * stride] += (double)x;
}

QUIRE_INLINE void indexed_flush(quire_accumulator *a, double *bin, int stride) {
    for (int k = 0; k < INDEXED_BINS; k++, bin += stride) {
        accumulator_note(a, *bin);
        if (double_is_finite(*bin)) limbs_add_double(a->limb, *bin);
        *bin = -0.0;
    }
}

#endif
