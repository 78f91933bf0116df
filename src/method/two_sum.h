/* two_sum.h - the error-free transform of an addition: *sum = fl(a + b), and the returned error with a + b = *sum + error
 * exactly, whatever the magnitudes, barring overflow (Knuth, TAOCP 2, 4.2.2, Theorem B). Included once per real type; no
 * branch, so that REAL may be a vector.
 *
 * SPDX-License-Identifier: MIT
 */
QUIRE_INLINE REAL QUIRE_NAME(two_sum, SUFFIX)(REAL a, REAL b, REAL *sum) {
    REAL s = a + b;
    REAL z = s - a;
    *sum = s;
    return (a - (s - z)) + (b - z);
}
