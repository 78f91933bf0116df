/* pairwise.h - plain's arithmetic in tiles that never grow, so that nearly all depth is in the balanced tree: c is at
 * most 24 + ceil(log2(ceil(n / 4096))) (Higham 1993). State: { sum }.
 *
 * SPDX-License-Identifier: MIT
 */
QUIRE_INLINE void QUIRE_NAME(pairwise_add, SUFFIX)(REAL *state, REAL value, REAL error, int has_error) {
    QUIRE_NAME(plain_add, SUFFIX)(state, value, error, has_error);
}

QUIRE_INLINE void QUIRE_NAME(pairwise_merge, SUFFIX)(REAL *state, const REAL *other) {
    QUIRE_NAME(plain_merge, SUFFIX)(state, other);
}

#ifndef QUIRE_METHOD_PAIRWISE_H
#define QUIRE_METHOD_PAIRWISE_H
QUIRE_INLINE quire_total pairwise_total(const double *state) { return plain_total(state); }
#endif
