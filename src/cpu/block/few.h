/* few.h - the exact sum of a few elements, in one window of doubles: no accumulator is cleared, filled and searched.
 * Compiled anew for every format and term, like window.h; included by exact.c.
 *
 * All terms go through some bins, whose top is above the greatest of them (see method/window.h). What the last bin
 * leaves over shows whether that was all: if not, the sum goes the way of longer ones. What all lanes of a bin have
 * counted is a double: a term counts at most 2^WINDOW_STEP units of either bin, and 2 * TILE_FEW of them no more than
 * 2^53.
 *
 * Of a product of doubles its error is a term, too, unless it is below 2^-1074, which no double holds: so where a
 * product is below FEW_LEAST_PRODUCT the sum goes that other way. Their 106 bits take three bins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FEW_H
#define QUIRE_CPU_BLOCK_FEW_H

#include "cpu/block/functions.h"
#include "cpu/block/indexed.h"

#define FEW_MOST_BINS 3
#define FEW_LEAST_PRODUCT 0x1p-969 /* its last bit is 2^-1074: 2 * 53 - 1 below */

_Static_assert(2 * TILE_FEW <= 1 << WINDOW_HEADROOM, "a bin takes all terms of one lane");
_Static_assert((uint64_t)(2 * TILE_FEW) << WINDOW_STEP <= (uint64_t)1 << 53, "what all lanes have counted is a double");

/* As many as the doubles of a total, where these are exact. */
QUIRE_INLINE int few_bins(exact_choice c) { return has_errors(c) ? FEW_MOST_BINS : 2; }

/* The terms of a few elements, and -0 in place of others: they stay in registers. lost: in lanes whose error may be no
 * double. */
typedef struct {
    v_f64 of[TILE_FEW / SIMD_F64], error[TILE_FEW / SIMD_F64];
    v_i64 lost;
    int count; /* vectors; constant */
} few_terms;

/* A vector of the elements from number first on, of which there are n in all, and others behind them. */
QUIRE_INLINE v_f32 few_floats(exact_choice c, const char *x, int first, int n, v_f32 others) {
    if (first >= n) return others;
    const char *p = x + first * c.format.size;
    return n - first < SIMD_F32 ? c.first(p, n - first, others) : c.load(p);
}
QUIRE_INLINE v_f64 few_doubles(const char *x, int first, int n, v_f64 others) {
    if (first >= n) return others;
    const char *p = x + first * 8;
    return n - first < SIMD_F64 ? double_first_v_f64(p, n - first, others) : double_load_v_f64(p);
}

QUIRE_INLINE void few_load(exact_choice c, const char *x, const char *y, int n, int most, few_terms *t) {
    t->count = 0, t->lost = (v_i64){ 0 };
    if (c.is_double) {
        SIMD_UNROLL
        for (int i = 0; i < most; i += SIMD_F64) {
            const v_f64 a = few_doubles(x, i, n, -(v_f64){ 0 });
            const v_f64 b = c.is_pair ? few_doubles(y, i, n, (v_f64){ 0 }) : a, value = c.value(a, b);
            if (has_errors(c)) {
                t->error[t->count] = c.error(a, b, value);
                t->lost |= (v_i64)((abs_v_f64(value) < FEW_LEAST_PRODUCT) & (a != 0) & (b != 0));
            }
            t->of[t->count++] = value;
        }
        return;
    }
    SIMD_UNROLL
    for (int i = 0; i < most; i += SIMD_F32) {
        const v_f32 a = few_floats(c, x, i, n, -(v_f32){ 0 });
        const v_f32 b = c.is_pair ? few_floats(c, y, i, n, (v_f32){ 0 }) : a;
        t->of[t->count++] = c.value(lower_f64(a), lower_f64(b));
        t->of[t->count++] = c.value(upper_f64(a), upper_f64(b));
    }
}

/* The least top of a window that holds the greatest term; above all tops there are, if that is not finite. */
QUIRE_INLINE int few_top(exact_choice c, const few_terms *t) {
    v_i64 most = { 0 };
    int64_t greatest = 0;
    SIMD_UNROLL
    for (int i = 0; i < t->count; i++) most = max_v_i64(most, (v_i64)abs_v_f64(t->of[i]));
    for (int i = 0; i < SIMD_F64; i++) greatest = most[i] > greatest ? most[i] : greatest;
    const int top = (int)(greatest >> 52) - 1022;
    const int least = window_least_top(few_bins(c));
    return top > least ? top : least;
}

QUIRE_INLINE v_i64 few_take(v_f64 term, v_f64 *bin, int bins) {
    for (int k = 0; k < bins; k++) term = window_take_v_f64(&bin[k], term);
    return (v_i64)(term != 0);
}

/* Three doubles as a total. */
QUIRE_INLINE void few_renormalize(const double *counted, few_total *total) {
    double high, low;
    const double next = two_sum_f64(counted[0], counted[1], &high);
    const double residual = two_sum_f64(next, counted[2], &low);
    const double error = two_sum_f64(high, low, &total->sum);
    total->residual = two_sum_f64(error, residual, &total->error);
}

/* Of n elements, at most "most" of them, which is a constant. */
QUIRE_INLINE int few_sum_of(exact_choice c, const char *x, const char *y, size_t n, int most, few_total *total) {
    few_terms t;
    v_f64 bin[FEW_MOST_BINS];
    double counted[FEW_MOST_BINS];
    const int bins = few_bins(c);
    few_load(c, x, y, (int)n, most, &t);
    const int top = few_top(c, &t);
    if (top > WINDOW_GREATEST_TOP) return 0;
    for (int k = 0; k < bins; k++) bin[k] = window_start(top, k) - (v_f64){ 0 };
    v_i64 left = t.lost;
    SIMD_UNROLL
    for (int i = 0; i < t.count; i++) {
        left |= few_take(t.of[i], bin, bins);
        if (has_errors(c)) left |= few_take(t.error[i], bin, bins);
    }
    if (any_lane(left)) return 0;
    for (int k = 0; k < bins; k++) {
        const v_f64 counts = bin[k] - window_start(top, k);
        counted[k] = counts[0];
        for (int i = 1; i < SIMD_F64; i++) counted[k] += counts[i];
    }
    total->sum = counted[0], total->error = counted[1], total->residual = 0;
    if (has_errors(c)) few_renormalize(counted, total);
    if (total->sum + total->error == 0) total->other = other_terms(c, x, y, n);
    return 1;
}

QUIRE_INLINE int few_sum(exact_choice c, const char *x, const char *y, size_t n, few_total *total) {
    if (n <= TILE_FEW / 4) return few_sum_of(c, x, y, n, TILE_FEW / 4, total);
    if (n <= TILE_FEW / 2) return few_sum_of(c, x, y, n, TILE_FEW / 2, total);
    return few_sum_of(c, x, y, n, TILE_FEW, total);
}

#endif
