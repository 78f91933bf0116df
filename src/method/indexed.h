/* indexed.h - exact accumulation in bins chosen by the exponent: bin[exponent / width] += x, in doubles. No branch, no
 * check, no window; time does not depend on the data.
 *
 * FLOATS (and whatever decodes to them). A bin takes 16 neighbouring exponents: multiples of one unit, below 2^39 units
 * (24 bits of significand and 15 of spread). A double counts to 2^53, so 2^14 additions are exact; INDEXED_ADDITIONS
 * keeps to half of that. Subnormals are in bin 0 like any other number. The top bin takes Inf and NaN too and shows
 * them. A bin that starts at -0 stays -0 until something other than -0 comes.
 *
 * DOUBLES are cut in two first: the upper 27 bits of the significand, and the rest, exactly. A pair of bins takes 8
 * neighbouring exponents, below 2^34 units each (27 bits and 7 of spread): 2^19 additions are exact, PAIR_ADDITIONS
 * keeps to a quarter. The last pairs take their numbers times 2^-64, lest sums overflow. Inf and NaN must not go there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_METHOD_INDEXED_H
#define QUIRE_METHOD_INDEXED_H

#include "accumulator/limbs.h"

#define INDEXED_BINS 16
#define INDEXED_SHIFT 27 /* from a float's bits to the top 4 of its exponent */
#define INDEXED_ADDITIONS (1 << 13)

#define PAIR_BINS 256
#define PAIR_SHIFT 55 /* from a double's bits to the top 8 of its exponent */
#define PAIR_UPPER (~(int64_t)0x3ffffff)
#define PAIR_ADDITIONS (1 << 17)
#define PAIR_SCALED (PAIR_BINS - 4) /* these pairs could overflow; PAIR_ADDITIONS of less than 2^993 cannot */
#define PAIR_SHIFT_DOWN 64          /* the binades by which what they take is scaled down */

/* stride: the distance of a column's bins. */
QUIRE_INLINE void indexed_add(double *bin, int stride, float x) {
    bin[(int)(bits_of_float(x) >> INDEXED_SHIFT & (INDEXED_BINS - 1)) * stride] += (double)x;
}

/* Empties one half of pair k, which is finite. Of the halves of all pairs a limb takes fewer than 64. */
QUIRE_INLINE void pair_empty(quire_accumulator *a, int k, double half) {
    int64_t m;
    int q;
    if (half == 0) return;
    double_decompose(half, &m, &q);
    limbs_add(a->limb, m, k >= PAIR_SCALED ? q + PAIR_SHIFT_DOWN : q);
}

#endif
