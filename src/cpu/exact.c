/* exact.c - exact accumulation in one tier: windows for ordinary data, indexed bins or limbs for what no window holds.
 *
 * Integer counts and limbs commute, so nothing here can show in the result: neither which way a block went, nor how the
 * input was cut.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/window.h"

#include "cpu/tier.h"
#include "method/indexed.h"

/* The window in force, and what the blocks since the last deposit have counted in it. */
typedef struct {
    int bins, top; /* bins 0: none yet                                                                                  */
    int blocks;
    block_counts sum;
} window;

#define WINDOW_BLOCKS 64 /* a block counts below 2^51 a bin; times SETS, SIMD_F64 <= 8 lanes and 64 blocks: below 2^62    */

/* The choices an instance makes, as functions for the driver below. */
typedef struct {
    int size, streams;
    term_range (*block[WINDOW_BINS + 1])(const char *x, const char *y, size_t steps, int top, block_counts *counts);
    void (*slow)(quire_accumulator *a, const char *x, const char *y, size_t n);
    int (*only_negative_zeros)(const char *x, const char *y, size_t n);
} exact_engine;

static int window_holds(int bins, int top, term_range r) {
    return r.high < r.low || (r.high <= top && r.low >= top - window_range(bins));
}

/* The least window for a range, with what room is left over a third above and two thirds below: large elements to come are
 * rarer than small ones. 0 bins if there is none. */
static window window_for(term_range r, int streams) {
    window w = { 0 };
    int bins = 1;
    while (bins <= WINDOW_BINS && window_range(bins) < r.high - r.low) bins++;
    if (bins > WINDOW_BINS) return w;
    int top = r.high + (window_range(bins) - (r.high - r.low)) / 3;
    int least = window_least_top(bins) + (streams - 1) * ERROR_BELOW;
    if (top < least) top = least;
    if (top > WINDOW_GREATEST_TOP) top = WINDOW_GREATEST_TOP;
    if (!window_holds(bins, top, r)) return w;
    w.bins = bins;
    w.top = top;
    return w;
}

static void window_deposit(quire_accumulator *a, window *w, int streams) {
    for (int s = 0; s < streams && w->blocks; s++)
        for (int k = 0; k < w->bins; k++) {
            int64_t sum = 0;
            for (int i = 0; i < SIMD_F64; i++) sum += w->sum.count[s][k][i];
            limbs_add(a->limb, sum, window_unit(w->top - s * ERROR_BELOW, k));
        }
    memset(&w->sum, 0, sizeof w->sum);
    w->blocks = 0;
}

/* A block in the window of force, or in a new one; 0 if no window holds it. */
static int window_block(const exact_engine *e, quire_accumulator *a, window *w, const char *x, const char *y, size_t steps) {
    block_counts counts;
    term_range r = { 0, 0 };
    if (!w->bins) { /* any window shows the range of a first step */
        r = e->block[1](x, y, 1, 0, &counts);
        *w = window_for(r, e->streams);
        if (!w->bins) return 0;
    }
    r = e->block[w->bins](x, y, steps, w->top, &counts);
    if (!window_holds(w->bins, w->top, r)) {
        window_deposit(a, w, e->streams);
        *w = window_for(r, e->streams);
        if (!w->bins) return 0;
        e->block[w->bins](x, y, steps, w->top, &counts);
    }
    for (int s = 0; s < e->streams; s++)
        for (int k = 0; k < w->bins; k++) w->sum.count[s][k] += counts.count[s][k];
    if (++w->blocks == WINDOW_BLOCKS) window_deposit(a, w, e->streams);
    if (w->bins > 1 && r.high - r.low + WINDOW_STEP / 4 < window_range(1)) { /* an outlier has passed */
        window_deposit(a, w, e->streams);
        *w = window_for(r, e->streams);
    }
    return 1;
}

#define SLOW_BLOCKS 64 /* the most blocks that go the slow way before a window is tried again                            */

static void exact_sum(const exact_engine *e, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const size_t size = (size_t)e->size, step = (size_t)SIMD_F32;
    if (!a->other) a->other = !e->only_negative_zeros(x, y, n);
    window w = { 0 };
    size_t slow_blocks = 1, since_carry = 0;
    while (n >= step) {
        size_t count = n < BLOCK_ELEMENTS ? n - n % step : BLOCK_ELEMENTS;
        if (window_block(e, a, &w, x, y, count / step)) {
            slow_blocks = 1;
        } else {
            if (n > count) count = n < count * slow_blocks ? n : count * slow_blocks;
            e->slow(a, x, y, count);
            if (slow_blocks < SLOW_BLOCKS) slow_blocks *= 2;
        }
        x += count * size, y += count * size, n -= count;
        since_carry += count;
        if (since_carry > LIMB_ADDITIONS / 16) limbs_carry(a->limb), since_carry = 0;
    }
    window_deposit(a, &w, e->streams);
    e->slow(a, x, y, n);
    limbs_carry(a->limb);
}

/* ------------------------------------------------------------------------------------------------------- the slow ways */

#define COLUMNS 8 /* neighbours go to columns of their own, so that equal exponents in a row need not wait for each other */

/* Doubles that came from floats, and their magnitudes. */
QUIRE_INLINE void slow_floats(exact_choice c, quire_accumulator *a, const char *x, size_t n) {
    double bin[INDEXED_BINS * COLUMNS];
    for (int i = 0; i < INDEXED_BINS * COLUMNS; i++) bin[i] = -0.0;
    while (n) {
        const size_t most = (size_t)INDEXED_ADDITIONS * COLUMNS, count = n < most ? n : most;
        size_t i = 0;
        for (; i + COLUMNS <= count; i += COLUMNS)
#pragma GCC unroll 8
            for (size_t j = 0; j < COLUMNS; j++)
                indexed_add(bin + j, COLUMNS, (float)c.value_one(c.load_one(x + (i + j) * (size_t)c.format.size), 0));
        for (; i < count; i++) indexed_add(bin, COLUMNS, (float)c.value_one(c.load_one(x + i * (size_t)c.format.size), 0));
        for (int j = 0; j < COLUMNS; j++) indexed_flush(a, bin + j, COLUMNS);
        x += count * (size_t)c.format.size, n -= count;
    }
}

QUIRE_INLINE void slow_terms(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n) {
    if (!c.is_double && !c.is_product) {
        if (n) slow_floats(c, a, x, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const double p = c.load_one(x + i * (size_t)c.format.size), q = c.load_one(y + i * (size_t)c.format.size), value = c.value_one(p, q);
        if (!double_is_finite(p) || !double_is_finite(q)) accumulator_note(a, value);
        else if (c.is_double && c.is_product) limbs_add_product(a->limb, p, q);
        else limbs_add_double(a->limb, value); /* products of anything narrower fit a double */
    }
}

/* Whether there is nothing but -0, which the limbs cannot tell from +0. Most data answers at its first element. */
QUIRE_INLINE int negative_zeros(exact_choice c, const char *x, const char *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double p = c.load_one(x + i * (size_t)c.format.size), q = c.load_one(y + i * (size_t)c.format.size);
        if (p != 0 && q != 0) return 0;
        if (bits_of_double(c.value_one(p, q)) != 0x8000000000000000) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------------- the instances */

#define IS_DOUBLE_f32 0
#define IS_DOUBLE_f64 1
#define VECTOR_LOAD_f32(format) format##_load_v_f32
#define VECTOR_LOAD_f64(format) NULL

#define LOAD(format, FORMAT, type, real, unused)                                                                         \
    QUIRE_INLINE double format##_load_one(const void *p) { return format##_load_##real(p); }
QUIRE_FORMATS(LOAD, )

#define CHOICE(format, FORMAT, real, term, inexact)                                                                      \
    ((const exact_choice){ FORMAT##_DESCRIPTION, IS_DOUBLE_##real, inexact, VECTOR_LOAD_##real(format),                  \
                           term##_value_v_f64, term##_error_v_f64, format##_load_one, term##_value_f64 })

#define INSTANCE(term, TERM, inexact, format, FORMAT, real)                                                              \
    static term_range format##_##term##_block_1(const char *x, const char *y, size_t steps, int top, block_counts *c) {  \
        return block_sum(CHOICE(format, FORMAT, real, term, inexact), 1, x, y, steps, top, c);                           \
    }                                                                                                                    \
    static term_range format##_##term##_block_2(const char *x, const char *y, size_t steps, int top, block_counts *c) {  \
        return block_sum(CHOICE(format, FORMAT, real, term, inexact), 2, x, y, steps, top, c);                           \
    }                                                                                                                    \
    static void format##_##term##_slow(quire_accumulator *a, const char *x, const char *y, size_t n) {                   \
        slow_terms(CHOICE(format, FORMAT, real, term, inexact), a, x, y, n);                                             \
    }                                                                                                                    \
    static int format##_##term##_zeros(const char *x, const char *y, size_t n) {                                         \
        return negative_zeros(CHOICE(format, FORMAT, real, term, inexact), x, y, n);                                     \
    }                                                                                                                    \
    static void format##_##term##_exact(quire_accumulator *a, const void *x, const void *y, size_t n) {                  \
        static const exact_engine engine = { sizeof(format##_element),                                                   \
                                             IS_DOUBLE_##real && inexact ? 2 : 1,                                        \
                                             { NULL, format##_##term##_block_1, format##_##term##_block_2 },             \
                                             format##_##term##_slow,                                                     \
                                             format##_##term##_zeros };                                                  \
        exact_sum(&engine, a, x, y, n);                                                                                  \
    }
#define OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(INSTANCE, format, FORMAT, real)
QUIRE_FORMATS(OF_FORMAT, )

#define ENTRY(term, TERM, inexact, format, type) [type][TERM] = format##_##term##_exact,
#define ENTRIES_OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(ENTRY, format, type)

const exact_function QUIRE_NAME(exact_table, SIMD_TIER)[TIER_TYPES][TERM_COUNT] = { QUIRE_FORMATS(ENTRIES_OF_FORMAT, ) };
