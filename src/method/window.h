/* window.h - exact accumulation of doubles in a window of exponents, on one real type: double, or a vector of doubles.
 * Included once per type with REAL, INTEGER (the integer of its shape) and SUFFIX defined (and SUBTRACT, see term.h).
 *
 * A bin is a double that starts at M = 1.5 * 2^k and stays within its binade: it counts in units of 2^(k-52), and the
 * bit pattern of the bin minus that of M is that count. Adding x to it keeps what x has in multiples of the unit; the
 * residual is found exactly (Rump 2009, ExtractVector; Demmel and Nguyen 2013) and goes to the next bin, whose k is
 * lower by 52 - WINDOW_HEADROOM. The last bin is the end: an element must be a multiple of its unit.
 *
 * With every |x| < 2^top, a bin takes 2^WINDOW_HEADROOM additions: their total stays within 2^(k-1), k = top +
 * WINDOW_HEADROOM + 1, so that M + total stays between 2^k and 2^(k+1). The residual of the first bin is at most half a
 * unit, 2^(k-53), so the next bin's k is k - 53 + WINDOW_HEADROOM + 1. A sum of m elements, if it is a double, counts
 * as m additions: it is below m 2^top, and its residual no more than that of one, and exact, since it is a double below
 * the bin.
 *
 * SPDX-License-Identifier: MIT
 */

#ifndef SUBTRACT
#define SUBTRACT(a, b) ((a) - (b))
#endif

/* Adds to a bin what it can take of x, and returns the residual, which goes to the next. SUBTRACT is for numbers that
 * are not subnormal, as x may be: some processors take a hundred cycles to multiply those. */
QUIRE_INLINE REAL QUIRE_NAME(window_take, SUFFIX)(REAL *bin, REAL x) {
    REAL q = *bin + x;
    REAL taken = SUBTRACT(q, *bin);
    *bin = q;
    return x - taken;
}

/* Adds x to the bins, highest first. */
QUIRE_INLINE void QUIRE_NAME(window_add, SUFFIX)(REAL *bin, int bins, REAL x) {
    for (int k = 0; k < bins - 1; k++) x = QUIRE_NAME(window_take, SUFFIX)(&bin[k], x);
    bin[bins - 1] = bin[bins - 1] + x;
}

/* How many units a bin that started at start has counted. */
QUIRE_INLINE INTEGER QUIRE_NAME(window_count, SUFFIX)(REAL bin, REAL start) {
    return QUIRE_NAME(bits_of, SUFFIX)(bin) - QUIRE_NAME(bits_of, SUFFIX)(start);
}

#ifndef QUIRE_METHOD_WINDOW_H
#define QUIRE_METHOD_WINDOW_H

#define WINDOW_HEADROOM 8                  /* 2^8 additions a bin between readings */
#define WINDOW_STEP (52 - WINDOW_HEADROOM) /* what each bin adds to the range, in bits */
#define WINDOW_BINS 7                      /* the most bins a window has: all exponents of a float */

/* From 2^top down to the unit of the last bin: how many bits a window of these bins holds. */
#define WINDOW_RANGE(bins) ((bins)*WINDOW_STEP - 1)
QUIRE_INLINE int window_range(int bins) { return WINDOW_RANGE(bins); }

/* The exponent of bin k's unit. */
QUIRE_INLINE int window_unit(int top, int k) { return top - window_range(k + 1); }

/* Where a bin of that unit starts, 1.5 * 2^(unit + 52); and bin k of a window. */
QUIRE_INLINE double window_bin_start(int unit) {
    return double_of_bits((uint64_t)(unit + 52 + 1023) << 52 | 0x8000000000000);
}
QUIRE_INLINE double window_start(int top, int k) { return window_bin_start(window_unit(top, k)); }

/* The tops for which all bins are normal numbers whose unit a double can hold. */
QUIRE_INLINE int window_least_top(int bins) { return -1074 + window_range(bins); }
#define WINDOW_GREATEST_TOP (1022 - WINDOW_HEADROOM - 1)

#endif

#undef REAL
#undef INTEGER
#undef SUFFIX
#undef SUBTRACT
