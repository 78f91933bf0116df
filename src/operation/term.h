/* term.h - what an element contributes: itself, its magnitude, or a product; and the error-free transforms of products
 * and of additions. Included once per real type (a float, a double, a vector of either), by C and CUDA alike, with
 * REAL, the type, and SUFFIX, its name, defined; abs_SUFFIX and fma_SUFFIX are at hand. ADD(a, b) is a + b, and
 * SUBTRACT(a, b) is a - b, unless the includer knows a faster way to the same bits, or one that no compiler contracts.
 *
 * What each term is, is said in the list of operations.h, on which all ways rely.
 *
 * A term is value + error exactly: value is what plain and pairwise add; kahan and exact also add the error, the
 * rounding error of the product (exact barring underflow: Ogita, Rump, Oishi 2005, Algorithm 3.5, TwoProductFMA).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ADD
#define ADD(a, b) ((a) + (b))
#endif
#ifndef SUBTRACT
#define SUBTRACT(a, b) ((a) - (b))
#endif
#ifndef SUBTRACT_FIRST /* where the first number is a sum of the second one */
#define SUBTRACT_FIRST(s, a) ((s) - (a))
#endif

QUIRE_INLINE REAL QUIRE_NAME(identity_value, SUFFIX)(REAL x, REAL y) {
    (void)y;
    return x;
}

QUIRE_INLINE REAL QUIRE_NAME(magnitude_value, SUFFIX)(REAL x, REAL y) {
    (void)y;
    return QUIRE_NAME(abs, SUFFIX)(x);
}

QUIRE_INLINE REAL QUIRE_NAME(product_value, SUFFIX)(REAL x, REAL y) { return x * y; }

QUIRE_INLINE REAL QUIRE_NAME(identity_error, SUFFIX)(REAL x, REAL y, REAL value) {
    REAL none = { 0 };
    (void)x, (void)y, (void)value;
    return none;
}

QUIRE_INLINE REAL QUIRE_NAME(magnitude_error, SUFFIX)(REAL x, REAL y, REAL value) {
    return QUIRE_NAME(identity_error, SUFFIX)(x, y, value);
}

QUIRE_INLINE REAL QUIRE_NAME(product_error, SUFFIX)(REAL x, REAL y, REAL value) {
    return QUIRE_NAME(fma, SUFFIX)(x, y, -value);
}

/* *sum = fl(a + b), and the returned error with a + b = *sum + error exactly, whatever the magnitudes, barring overflow
 * (Knuth, TAOCP 2, 4.2.2, Theorem B). No branch. */
QUIRE_INLINE REAL QUIRE_NAME(two_sum, SUFFIX)(REAL a, REAL b, REAL *sum) {
    const REAL s = ADD(a, b);
    const REAL z = SUBTRACT_FIRST(s, a);
    *sum = s;
    return SUBTRACT(a, SUBTRACT(s, z)) + SUBTRACT(b, z);
}

#undef REAL
#undef SUFFIX
#undef ADD
#undef SUBTRACT
#undef SUBTRACT_FIRST
