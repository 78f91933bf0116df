/* two_sum.h - the error-free transform of an addition: *sum = fl(a + b), and the returned error with a + b = *sum +
 * error exactly, whatever the magnitudes, barring overflow (Knuth, TAOCP 2, 4.2.2, Theorem B). Included once per real
 * type; no branch, so that REAL may be a vector. SUBTRACT(a, b) is a - b, unless the includer knows a faster way to the
 * same bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBTRACT
#define SUBTRACT(a, b) ((a) - (b))
#endif

QUIRE_INLINE REAL QUIRE_NAME(two_sum, SUFFIX)(REAL a, REAL b, REAL *sum) {
    const REAL s = a + b;
    const REAL z = s - a;
    *sum = s;
    return SUBTRACT(a, SUBTRACT(s, z)) + SUBTRACT(b, z);
}
