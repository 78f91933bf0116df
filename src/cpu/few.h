/* few.h - the exact sum of a few elements, in one window of doubles: no accumulator is cleared, filled and searched.
 * Compiled anew for every format and term, like window.h; included by exact.c.
 *
 * All terms go through FEW_BINS bins, whose top is above the greatest of them (see method/window.h). What the last bin
 * leaves over tells whether that was all: if not, the sum goes the way of longer ones. Both bins count in one integer of 128
 * bits: below 2^(52 + WINDOW_STEP + 1).
 *
 * Products of doubles are not among these: they are wider than such an integer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_FEW_H
#define QUIRE_CPU_FEW_H

#include "cpu/indexed.h"
#include "cpu/tier.h"
#include "cpu/window.h"

#define FEW_BINS 2 /* as integers_total takes two counts */

_Static_assert(TILE_FEW <= 1 << WINDOW_HEADROOM, "a bin takes all terms of one lane");

typedef struct {
    v_f64 of[TILE_FEW / SIMD_F64];
    int count; /* vectors */
} few_terms;

/* A vector of elements at p, or the first of one, and others behind them. */
QUIRE_INLINE v_f32 few_floats(exact_choice c, const char *p, int n, v_f32 others) {
    return n < SIMD_F32 ? c.first(p, n, others) : c.load(p);
}
QUIRE_INLINE v_f64 few_doubles(const char *p, int n) {
    return n < SIMD_F64 ? double_first_v_f64(p, n, -(v_f64){ 0 }) : double_load_v_f64(p);
}

QUIRE_INLINE void few_load(exact_choice c, const char *x, const char *y, int n, few_terms *t) {
    t->count = 0;
    for (int i = 0; i < n && c.is_double; i += SIMD_F64) {
        const v_f64 a = few_doubles(x + 8 * i, n - i);
        t->of[t->count++] = c.value(a, a);
    }
    for (int i = 0; i < n && !c.is_double; i += SIMD_F32) {
        const v_f32 a = few_floats(c, x + i * c.format.size, n - i, -(v_f32){ 0 });
        const v_f32 b = c.is_product ? few_floats(c, y + i * c.format.size, n - i, (v_f32){ 0 }) : a;
        t->of[t->count++] = c.value(lower_f64(a), lower_f64(b));
        t->of[t->count++] = c.value(upper_f64(a), upper_f64(b));
    }
}

/* The least top of a window that holds the greatest term; above all tops there are, if that is not finite. */
QUIRE_INLINE int few_top(const few_terms *t) {
    v_i64 most = { 0 };
    int64_t greatest = 0;
    for (int i = 0; i < t->count; i++) most = max_v_i64(most, (v_i64)abs_v_f64(t->of[i]));
    for (int i = 0; i < SIMD_F64; i++) greatest = most[i] > greatest ? most[i] : greatest;
    const int top = (int)(greatest >> 52) - 1022;
    return top > window_least_top(FEW_BINS) ? top : window_least_top(FEW_BINS);
}

QUIRE_INLINE int few_sum(exact_choice c, const char *x, const char *y, size_t n, quire_total *total) {
    few_terms t;
    v_f64 bin[FEW_BINS];
    v_i64 left = { 0 };
    int64_t count[FEW_BINS] = { 0 };
    if (has_errors(c)) return 0;
    few_load(c, x, y, (int)n, &t);
    const int top = few_top(&t);
    if (top > WINDOW_GREATEST_TOP) return 0;
    for (int k = 0; k < FEW_BINS; k++) bin[k] = (v_f64){ 0 } + window_start(top, k);
    for (int i = 0; i < t.count; i++) {
        v_f64 term = t.of[i];
        for (int k = 0; k < FEW_BINS; k++) term = window_take_v_f64(&bin[k], term);
        left |= (v_i64)(term != 0);
    }
    if (any_lane(left)) return 0;
    for (int k = 0; k < FEW_BINS; k++) {
        const v_u64 counts = window_count_v_f64(bin[k], (v_f64){ 0 } + window_start(top, k));
        for (int i = 0; i < SIMD_F64; i++) count[k] += (int64_t)counts[i];
    }
    *total = integers_total(count[0], WINDOW_STEP, count[1], window_unit(top, FEW_BINS - 1));
    if (total->high) return 1;
    const int64_t other = other_terms(c, x, y, n);
    total->negative = !other, total->cancelled = other >= OTHER_NONZERO;
    return 1;
}

#endif
