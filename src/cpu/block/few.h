/* few.h - the exact sum of a few elements, in one window of doubles: no accumulator is cleared, filled and searched.
 * Compiled anew for every format and term, like window.h; included by exact.c.
 *
 * All terms go through FEW_BINS bins, whose top is above the greatest of them (see method/window.h). What the last bin
 * leaves over tells whether that was all: if not, the sum goes the way of longer ones. What all lanes of a bin have counted
 * is a double: a term counts at most 2^WINDOW_STEP units of either bin, and TILE_FEW of them no more than 2^53.
 *
 * Products of doubles are not among these: their errors would take bins of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FEW_H
#define QUIRE_CPU_BLOCK_FEW_H

#include "cpu/block/functions.h"
#include "cpu/block/indexed.h"

#define FEW_BINS 2 /* as a total has two doubles */

_Static_assert(TILE_FEW <= 1 << WINDOW_HEADROOM, "a bin takes all terms of one lane");
_Static_assert((uint64_t)TILE_FEW << WINDOW_STEP <= (uint64_t)1 << 53, "what all lanes have counted is a double");

/* The terms of a few elements, and -0 in place of others: they stay in registers. */
typedef struct {
    v_f64 of[TILE_FEW / SIMD_F64];
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
    t->count = 0;
    if (c.is_double) {
        SIMD_UNROLL
        for (int i = 0; i < most; i += SIMD_F64) {
            const v_f64 a = few_doubles(x, i, n, -(v_f64){ 0 });
            t->of[t->count++] = c.value(a, a);
        }
        return;
    }
    SIMD_UNROLL
    for (int i = 0; i < most; i += SIMD_F32) {
        const v_f32 a = few_floats(c, x, i, n, -(v_f32){ 0 });
        const v_f32 b = c.is_product ? few_floats(c, y, i, n, (v_f32){ 0 }) : a;
        t->of[t->count++] = c.value(lower_f64(a), lower_f64(b));
        t->of[t->count++] = c.value(upper_f64(a), upper_f64(b));
    }
}

/* The least top of a window that holds the greatest term; above all tops there are, if that is not finite. */
QUIRE_INLINE int few_top(const few_terms *t) {
    v_i64 most = { 0 };
    int64_t greatest = 0;
    SIMD_UNROLL
    for (int i = 0; i < t->count; i++) most = max_v_i64(most, (v_i64)abs_v_f64(t->of[i]));
    for (int i = 0; i < SIMD_F64; i++) greatest = most[i] > greatest ? most[i] : greatest;
    const int top = (int)(greatest >> 52) - 1022;
    return top > window_least_top(FEW_BINS) ? top : window_least_top(FEW_BINS);
}

/* Of at most so many, a constant. */
QUIRE_INLINE int few_sum_of(exact_choice c, const char *x, const char *y, size_t n, int most, few_total *total) {
    few_terms t;
    v_f64 bin[FEW_BINS];
    v_i64 left = { 0 };
    double counted[FEW_BINS];
    if (has_errors(c)) return 0;
    few_load(c, x, y, (int)n, most, &t);
    const int top = few_top(&t);
    if (top > WINDOW_GREATEST_TOP) return 0;
    for (int k = 0; k < FEW_BINS; k++) bin[k] = window_start(top, k) - (v_f64){ 0 };
    SIMD_UNROLL
    for (int i = 0; i < t.count; i++) {
        v_f64 term = t.of[i];
        for (int k = 0; k < FEW_BINS; k++) term = window_take_v_f64(&bin[k], term);
        left |= (v_i64)(term != 0);
    }
    if (any_lane(left)) return 0;
    for (int k = 0; k < FEW_BINS; k++) {
        const v_f64 counts = bin[k] - window_start(top, k);
        counted[k] = counts[0];
        for (int i = 1; i < SIMD_F64; i++) counted[k] += counts[i];
    }
    total->sum = counted[0], total->error = counted[1];
    if (total->sum + total->error == 0) total->other = other_terms(c, x, y, n);
    return 1;
}

QUIRE_INLINE int few_sum(exact_choice c, const char *x, const char *y, size_t n, few_total *total) {
    if (n <= TILE_FEW / 4) return few_sum_of(c, x, y, n, TILE_FEW / 4, total);
    if (n <= TILE_FEW / 2) return few_sum_of(c, x, y, n, TILE_FEW / 2, total);
    return few_sum_of(c, x, y, n, TILE_FEW, total);
}

#endif
