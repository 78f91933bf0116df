/* kahan.h - compensated summation (Kahan, Babuska, Neumaier): what each addition loses is kept beside the sum, and
 * added at the end. Neumaier's test of magnitudes is replaced by TwoSum, which finds the same error without a branch.
 * Error at most (c u)^2 sum|x| before the one rounding (after Ogita, Rump, Oishi 2005, Sum2 and Dot2; docs/accuracy.md
 * counts the merges). State: { sum, compensation }.
 *
 * SPDX-License-Identifier: MIT
 */
QUIRE_INLINE void QUIRE_NAME(kahan_add, SUFFIX)(REAL *state, REAL value, REAL error, int has_error) {
    REAL lost = QUIRE_NAME(two_sum, SUFFIX)(state[0], value, &state[0]);
    state[1] = state[1] + (has_error ? lost + error : lost);
}

QUIRE_INLINE void QUIRE_NAME(kahan_merge, SUFFIX)(REAL *state, const REAL *other) {
    REAL lost = QUIRE_NAME(two_sum, SUFFIX)(state[0], other[0], &state[0]);
    state[1] = (state[1] + other[1]) + lost;
}

#ifndef QUIRE_METHOD_KAHAN_H
#define QUIRE_METHOD_KAHAN_H
/* An infinite or NaN sum stands for itself, since its compensation is NaN; so does a sum that has lost nothing, since
 * adding +0 would turn a sum of -0 into +0. */
QUIRE_INLINE int kahan_sum_alone(const double *state) {
    return !double_is_finite(state[0]) || !double_is_finite(state[1]) || state[1] == 0;
}

/* Else it is the exact sum of the two, to be rounded once. */
QUIRE_INLINE quire_total kahan_total(const double *state) {
    if (kahan_sum_alone(state)) return total_of_double(state[0]);
    return total_of_two(state[0], state[1]);
}
#endif
