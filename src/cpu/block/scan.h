/* scan.h - the ends of running sums, a block of elements at a time. A sum goes along the elements by one addition each;
 * what each addition loses (Knuth, TAOCP 2, 4.2.2, Theorem B) is found afterwards, of many together. What is lost is
 * added up in the same way, and so are the magnitudes of what that loses, as in pairs.h; mostly nothing is lost, and
 * that is known soon.
 *
 * These are plain loops, which compilers make vectors of. Included by tier/loops.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_SCAN_H
#define QUIRE_CPU_BLOCK_SCAN_H

#include "cpu/block/functions.h"
#include "cpu/simd/scalar.h"

/* Of the elements so far: sum + lost, off by so much at most, exact if off is 0. magnitudes: bits of all of them, the
 * signs shifted out; signs: bits that all of them have. */
typedef struct {
    double sum, lost, off;
    uint64_t magnitudes, signs;
} scan_state;

/* n elements as doubles, 0 < n <= ENDS_TOGETHER, from where they stand, stride bytes apart; and their running sums'
 * ends, behind a state, which becomes that after them. */
typedef void (*scan_values_function)(double *to, const char *from, ptrdiff_t stride, size_t n);
typedef struct {
    const scan_values_function *values; /* of each format */
    void (*ends)(scan_state *s, const double *value, size_t n, many_ends *ends);
} tier_scan;

/* Running sums in doubles, from where they start to where the next ones do, and what each addition loses; answers
 * whether any loses something. A NaN is something. */
QUIRE_INLINE int scan_add(double *start, const double *value, size_t n, double *sum, double *error) {
    double before[ENDS_TOGETHER + 1];
    uint64_t any = 0;
    double now = before[0] = *start;
    for (size_t k = 0; k < n; k++) sum[k] = before[k + 1] = now = now + value[k];
    *start = now;
    for (size_t k = 0; k < n; k++) {
        const double z = sum[k] - before[k], e = (before[k] - (sum[k] - z)) + (value[k] - z);
        error[k] = e;
        any |= bits_of_double(e) << 1;
    }
    return any != 0;
}

/* Each sum's ends, from what is lost, and what that has lost. */
QUIRE_INLINE void scan_widen(scan_state *s, const double *lost, const double *error, size_t n, many_ends *ends) {
    double off[ENDS_TOGETHER];
    for (size_t k = 0; k < n; k++) off[k] = s->off = s->off + abs_f64(error[k]);
    for (size_t k = 0; k < n; k++) {
        const double radius = lost_radius(lost[k], off[k]);
        ends->low[k] = radius - lost[k], ends->up[k] = radius + lost[k];
    }
}

/* Where nothing is lost the ends are 0 and -0, so that a zero keeps its sign. */
QUIRE_INLINE void scan_keep_zeros(size_t n, many_ends *ends) {
    for (size_t k = 0; k < n; k++) {
        const int nothing = ends->low[k] == 0 && ends->up[k] == 0;
        ends->low[k] = nothing ? 0.0 : ends->low[k], ends->up[k] = nothing ? -0.0 : ends->up[k];
    }
}

QUIRE_INLINE void scan_block_ends(scan_state *s, const double *value, size_t n, many_ends *ends) {
    double error[ENDS_TOGETHER], lost[ENDS_TOGETHER], again[ENDS_TOGETHER];
    uint64_t magnitudes = s->magnitudes, signs = s->signs;
    for (size_t k = 0; k < n; k++) magnitudes |= bits_of_double(value[k]) << 1, signs &= bits_of_double(value[k]);
    s->magnitudes = magnitudes, s->signs = signs;
    const int loses = scan_add(&s->sum, value, n, ends->sum, error);
    if (!loses && s->lost == 0 && s->off == 0) {
        for (size_t k = 0; k < n; k++) ends->low[k] = 0.0, ends->up[k] = -0.0;
        return;
    }
    const int widens = scan_add(&s->lost, error, n, lost, again);
    if (widens || s->off != 0)
        scan_widen(s, lost, again, n, ends);
    else
        for (size_t k = 0; k < n; k++) ends->low[k] = -lost[k], ends->up[k] = lost[k];
    scan_keep_zeros(n, ends);
}

#endif
