/* exact_sum.h - the driver of an exact sum: windows for ordinary data, indexed bins or limbs for what no window holds.
 * It chooses them by the range of each block, and adds to the limbs what was counted. Included by exact.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_TIER_EXACT_SUM_H
#define QUIRE_CPU_TIER_EXACT_SUM_H

#include "cpu/block/terms.h"
#ifdef SIMD_HAS_PAIRS
#include "cpu/block/integers.h"
#endif

/* ---------------------------------------------------------------------------------------------- a block in a window */

#define GROUP 8 /* vectors of terms that go through many bins together */

typedef struct {
    v_f64 bin[STREAMS][SETS][WINDOW_BINS];
} window_bins;

/* Some steps through the bins, all their terms together bin by bin: so the processor need not look far ahead for
 * additions that do not wait for each other. */
QUIRE_INLINE void add_steps(exact_choice c, int bins, element_step from, int steps, window_bins *b, magnitudes *m) {
    const int terms = STEP_TERMS(c.format.size), count = steps * terms;
    v_f64 value[GROUP], error[GROUP];
#pragma GCC unroll 8
    for (int u = 0; u < steps; u++)
        step_terms(c, step_behind(from, (size_t)u), value + terms * u, error + terms * u, m);
#pragma GCC unroll 8
    for (int k = 0; k < bins; k++)
#pragma GCC unroll 8
        for (int i = 0; i < count; i++) {
            value[i] = window_take_v_f64(&b->bin[0][i % SETS][k], value[i]);
            if (exact_streams(c) == 2) error[i] = window_take_v_f64(&b->bin[1][i % SETS][k], error[i]);
        }
}

/* A block in a window: what its bins count, and its magnitudes. */
QUIRE_INLINE void bins_count(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                             block_counts *counts, magnitudes *m) {
    const int streams = exact_streams(c),
              together = (bins > 2 && streams == 1 ? GROUP : SETS) / STEP_TERMS(c.format.size);
    const v_f64 zero = { 0 };
    window_bins b;
    const int scaled_top = top - term_scale(c);
    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++)
            for (int set = 0; set < SETS; set++)
                b.bin[s][set][k] = zero + window_start(scaled_top - s * ERROR_BELOW, k);

    const element_step first = { x, y };
    size_t step = 0;
    for (; steps - step >= (size_t)together; step += (size_t)together)
        add_steps(c, bins, step_behind(first, step), together, &b, m);
    for (; step < steps; step++) add_steps(c, bins, step_behind(first, step), 1, &b, m);

    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++) {
            const v_f64 start = zero + window_start(scaled_top - s * ERROR_BELOW, k);
            v_u64 sum = window_count_v_f64(b.bin[s][0][k], start);
            for (int set = 1; set < SETS; set++) sum += window_count_v_f64(b.bin[s][set][k], start);
            counts->count[s][k] = sum;
        }
}

/* ---------------------------------------------------------------------------------------------------------- a block */

/* Which way it goes, of those that there are for the same counts. Compiled anew for every format, term and window. If
 * the window did not hold the block, which its range shows, the counts are dropped, and it is done again. */

/* Whether blocks in a window of these bins go one of those ways, which keep signs or clear them; how many bits a window
 * then holds, perhaps fewer than there is room for. */
#ifdef SIMD_HAS_PAIRS
QUIRE_INLINE int have_pairs(exact_choice c) { return c.format.size == 2 && !c.is_product && !flips_sign(c); }
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return have_pairs(c) && bins == 1; }
QUIRE_INLINE int window_reach(exact_choice c, int bins) {
    return as_integers(c, bins) ? integers_reach(c) : window_range(bins);
}
#else
QUIRE_INLINE int window_reach(exact_choice c, int bins) { return (void)c, window_range(bins); }
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return (void)c, (void)bins, 0; }
#endif

QUIRE_INLINE term_range block_sum_as(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                     block_counts *counts) {
    magnitudes m = look_at_nothing(term_size(c));
#ifdef SIMD_HAS_PAIRS
    if (as_integers(c, bins)) {
        counts->count[0][0] = integers_count(c, x, steps, top, window_unit(top, 0), &m);
        return range_of(&m, c);
    }
#endif
    bins_count(c, bins, x, y, steps, top, counts, &m);
    return range_of(&m, c);
}

/* Whether it fetches far ahead is asked once: in the loops it would cost a tenth. Short vectors compute for so long
 * that memory does not matter. */
QUIRE_INLINE term_range block_sum_fetching(exact_choice c, int bins, const char *x, const char *y, size_t steps,
                                           int top, int fetches, block_counts *counts) {
    c.fetches = 1;
    if (fetches && SIMD_BYTES > 16) return block_sum_as(c, bins, x, y, steps, top, counts);
    c.fetches = 0;
    return block_sum_as(c, bins, x, y, steps, top, counts);
}

/* Whether products of an array with itself are worth an instance that reads it once: not where additions take longer
 * than loads. */
QUIRE_INLINE int worth_squares(exact_choice c, int bins) {
    return c.is_pair && bins < WINDOW_BINS && exact_streams(c) == 1;
}

/* One block of steps * STEP_TERMS * SIMD_F64 elements, at most BLOCK_ELEMENTS. */
QUIRE_INLINE term_range block_sum(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                  int fetches, block_counts *counts) {
    exact_choice square = c;
    square.is_pair = 0;
    if (worth_squares(c, bins) && x == y) return block_sum_fetching(square, bins, x, x, steps, top, fetches, counts);
    return block_sum_fetching(c, bins, x, y, steps, top, fetches, counts);
}

/* ------------------------------------------------------------------------------------------------------- the driver */

typedef struct {
    int bins, top; /* bins 0: none */
} window;

/* An exact sum on its way: the window in force, and what the blocks since the last deposit have counted in it. */
typedef struct {
    const struct exact_engine *engine;
    quire_accumulator *accumulator;
    window window;
    size_t blocks;    /* of BLOCK_ELEMENTS, or less */
    block_counts sum; /* of the window's bins; the others are not set */
} exact_state;

/* Doubles count below 2^51 a bin and block, times SETS, SIMD_F64 <= 8 lanes and 64 blocks: below 2^62. By integers an
 * element counts below 2^43, times 2^9 of a lane and block, 8 lanes and 64 blocks: below 2^61. */
#define WINDOW_BLOCKS 64
_Static_assert(((uint64_t)SETS * SIMD_F64 * WINDOW_BLOCKS) << 51 <= (uint64_t)1 << 62, "counts must not overflow");

/* The numbers of bins there are windows of. */
#define WINDOWS(X, ...) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(4, __VA_ARGS__) X(7, __VA_ARGS__)

/* block_sum with every choice made, but what is fetched ahead. */
typedef term_range block_function(const char *x, const char *y, size_t steps, int top, int fetches,
                                  block_counts *counts);

/* The functions of an instance. */
typedef struct {
    block_function *block[WINDOW_BINS + 1];
    void (*copy_finite)(quire_accumulator *a, const char *x, const char *y, size_t steps, char *copy_x, char *copy_y);
    void (*slow)(quire_accumulator *a, const char *x, const char *y, size_t n);
    int64_t (*other_terms)(const char *x, const char *y, size_t n);
} exact_functions;

/* The choices that an instance makes, for the driver below. */
typedef struct exact_engine {
    int size, streams;
    int reach;           /* of a window of one bin, see window_reach */
    int scale;           /* of the terms in the bins, see term_scale */
    int highest, lowest; /* of all terms there can be */
    int gives_up;        /* at terms that are not known, as another engine may know them */
    int fetches;         /* see exact_function */
    exact_functions call;
} exact_engine;

QUIRE_INLINE exact_engine engine_of(exact_choice c, int fetches, exact_functions functions) {
    return (exact_engine){
        .size = c.format.size,
        .streams = exact_streams(c),
        .reach = window_reach(c, 1),
        .scale = term_scale(c),
        .highest = term_highest(c),
        .lowest = term_lowest(c),
        .gives_up = leaves_floats(c),
        .fetches = fetches,
        .call = functions,
    };
}

static int reach(const exact_engine *e, int bins) { return bins == 1 ? e->reach : window_range(bins); }

/* Whether all of a range is in reach of an exact window. */
static int in_reach(const exact_engine *e, window w, term_range r) {
    return r.high < r.low || (r.high <= w.top && r.low >= w.top - reach(e, w.bins));
}

/* The least window for a range, with what room is left over a quarter above and the rest below: large elements to come
 * are rarer than small ones. Where a window holds every term there can be, that is what it does. 0 bins if there is
 * none. */
static window window_for(const exact_engine *e, term_range r) {
    const window none = { 0, 0 };
    window w = { 1, 0 };
    while (w.bins <= WINDOW_BINS && (!e->call.block[w.bins] || reach(e, w.bins) < r.high - r.low)) w.bins++;
    if (w.bins > WINDOW_BINS) return none;
    w.top = r.high + (reach(e, w.bins) - (r.high - r.low)) / 4;
    if (reach(e, w.bins) >= e->highest - e->lowest) w.top = e->highest;
    const int least = window_least_top(w.bins) + (e->streams - 1) * ERROR_BELOW + e->scale;
    if (w.top < least) w.top = least;
    if (w.top > WINDOW_GREATEST_TOP) w.top = WINDOW_GREATEST_TOP;
    return in_reach(e, w, r) ? w : none;
}

/* Adds what was counted to the limbs: a number for each bin, of which a limb takes fewer than the elements counted, but
 * for the last few of a vector. */
static void deposit(exact_state *x) {
    if (!x->blocks) return; /* of no window, perhaps */
    for (int s = 0; s < x->engine->streams; s++)
        for (int k = 0; k < x->window.bins; k++) {
            int64_t sum = 0;
            for (int i = 0; i < SIMD_F64; i++) sum += (int64_t)x->sum.count[s][k][i];
            limbs_add(x->accumulator->limb, sum, window_unit(x->window.top - s * ERROR_BELOW, k));
        }
    x->blocks = 0;
}

static void change_window(exact_state *x, window w) {
    deposit(x);
    x->window = w;
}

static void add_counts(exact_state *x, const block_counts *counts) {
    if (x->blocks == WINDOW_BLOCKS) deposit(x);
    for (int s = 0; s < x->engine->streams; s++)
        for (int k = 0; k < x->window.bins; k++)
            x->sum.count[s][k] = x->blocks ? x->sum.count[s][k] + counts->count[s][k] : counts->count[s][k];
    x->blocks++;
}

typedef enum { BLOCK_ADDED, BLOCK_TOO_WIDE, BLOCK_UNKNOWN } block_result;

/* Finds a window for a range. */
static block_result open_window(exact_state *s, term_range r) {
    if (r.high == RANGE_UNKNOWN) return BLOCK_UNKNOWN;
    const window w = window_for(s->engine, r);
    change_window(s, w);
    return w.bins ? BLOCK_ADDED : BLOCK_TOO_WIDE;
}

static term_range window_sum(const exact_state *s, const char *x, const char *y, size_t steps, block_counts *counts) {
    return s->engine->call.block[s->window.bins](x, y, steps, s->window.top, s->engine->fetches, counts);
}

/* A block in the window in force, or in a new one; nothing is added if no window holds it. */
static block_result add_block(exact_state *s, const char *x, const char *y, size_t steps) {
    const exact_engine *e = s->engine;
    block_counts counts;
    block_result result = BLOCK_ADDED;
    if (!s->window.bins) /* any window shows the range of a first step */
        result = open_window(s, e->call.block[1](x, y, 1, 0, 0, &counts));
    if (result) return result;
    term_range r = window_sum(s, x, y, steps, &counts);
    if (!in_reach(e, s->window, r)) {
        result = open_window(s, r);
        if (result) return result;
        r = window_sum(s, x, y, steps, &counts);
    }
    add_counts(s, &counts);
    /* An outlier may have passed, that made the window larger than the rest needs. */
    if (s->window.bins > 1 && r.high - r.low + WINDOW_STEP / 4 < reach(e, 1)) change_window(s, window_for(e, r));
    return BLOCK_ADDED;
}

#define COPY_STEPS 128

/* A block that has something not finite, from copies without. */
static void add_finite(exact_state *s, const char *x, const char *y, size_t steps) {
    const exact_engine *e = s->engine;
    char copy_x[COPY_STEPS * SIMD_BYTES], copy_y[COPY_STEPS * SIMD_BYTES];
    for (size_t done = 0, count; done < steps; done += count) {
        count = steps - done < COPY_STEPS ? steps - done : COPY_STEPS;
        const size_t at = done * SIMD_BYTES;
        e->call.copy_finite(s->accumulator, x + at, y + at, count, copy_x, copy_y);
        if (add_block(s, copy_x, copy_y, count))
            e->call.slow(s->accumulator, copy_x, copy_y, count * (SIMD_BYTES / (size_t)e->size));
    }
}

/* The last elements, fewer than a step has: filled up with zeros, if there is a window that may hold them. */
#define LAST_LEAST 8 /* fewer are as quick one by one */
static void add_last(exact_state *s, const char *x, const char *y, size_t n) {
    const size_t bytes = n * (size_t)s->engine->size;
    _Alignas(SIMD_BYTES) char last_x[SIMD_BYTES] = { 0 }, last_y[SIMD_BYTES] = { 0 };
    if (s->window.bins && n >= LAST_LEAST) {
        memcpy(last_x, x, bytes);
        if (x != y) memcpy(last_y, y, bytes);
        if (add_block(s, last_x, x != y ? last_y : last_x, 1) == BLOCK_ADDED) return;
    }
    s->engine->call.slow(s->accumulator, x, y, n);
}

#define SLOW_BLOCKS_FIRST 4
#define SLOW_BLOCKS 64 /* the most blocks that go the slow way before a window is tried again */

_Static_assert(LIMB_ADDITIONS < (size_t)1 << 30, "below 2^33 each, they stay below 2^63");
_Static_assert(CARRIES_IN_TIME(SLOW_BLOCKS *BLOCK_ELEMENTS), "the longest stretch is what goes the slow way");

/* Answers how many elements it has added: all, unless it has given up. */
static size_t exact_sum(const exact_engine *e, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const size_t size = (size_t)e->size, step = SIMD_BYTES / size, all = n;
    if (a->other < OTHER_NONZERO) a->other |= e->call.other_terms(x, y, n);
    exact_state state;
    state.engine = e;
    state.accumulator = a;
    state.window.bins = 0, state.blocks = 0;
    size_t slow_blocks = SLOW_BLOCKS_FIRST, since_carry = 0;
    while (n >= step) {
        size_t count = n < BLOCK_ELEMENTS ? n - n % step : BLOCK_ELEMENTS;
        const block_result result = add_block(&state, x, y, count / step);
        if (result == BLOCK_UNKNOWN && e->gives_up) break;
        if (result == BLOCK_UNKNOWN) add_finite(&state, x, y, count / step);
        if (result != BLOCK_TOO_WIDE) {
            slow_blocks = SLOW_BLOCKS_FIRST;
        } else {
            if (n > count) count = n < count * slow_blocks ? n : count * slow_blocks;
            e->call.slow(a, x, y, count);
            if (slow_blocks < SLOW_BLOCKS) slow_blocks *= 2;
        }
        x += count * size, y += count * size, n -= count;
        since_carry += count;
        if (since_carry > CARRY_ELEMENTS) limbs_carry(a->limb), since_carry = 0;
    }
    if (n < step) add_last(&state, x, y, n);
    deposit(&state);
    return n < step ? all : all - n;
}

#endif
