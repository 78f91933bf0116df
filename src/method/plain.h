/* plain.h - recursive summation down long lanes. Error at most c u sum|x| + O(u^2), c the longest chain of additions
 * (Higham 1993, "The accuracy of floating point summation"). State: { sum }.
 *
 * SPDX-License-Identifier: MIT
 */
QUIRE_INLINE void QUIRE_NAME(plain_add, SUFFIX)(REAL *state, REAL value, REAL error, int has_error) {
    (void)error, (void)has_error;
    state[0] = state[0] + value;
}

QUIRE_INLINE void QUIRE_NAME(plain_merge, SUFFIX)(REAL *state, const REAL *other) { state[0] = state[0] + other[0]; }

#ifndef QUIRE_METHOD_PLAIN_H
#define QUIRE_METHOD_PLAIN_H
QUIRE_INLINE quire_total plain_total(const double *state) { return total_of_double(state[0]); }
#endif
