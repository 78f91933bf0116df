/* ends.h - an exact sum by its two ends. Where additions round upward, up + x and low - x enclose it: -low <= sum <=
 * up, whatever the terms and their order. Where both ends round to the same result that is the correctly rounded sum,
 * for rounding is monotonic; where not, windows do it again.
 *
 * A double holds terms of floats and of shorter numbers, and their products, exactly. An end is infinite or NaN only if
 * a term was: 2^64 of them are below 2^320. The upper end is -0 only if every term was.
 *
 * Included by tier/ends.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_ENDS_H
#define QUIRE_CPU_BLOCK_ENDS_H

#include "cpu/block/functions.h"
#include "cpu/simd/simd.h"

/* ---------------------------------------------------------------------------------------------------------- choices */

/* Of an instance of this, or of pairs.h: all constant. And what both read: vectors of terms. */
typedef struct {
    size_t size;                                        /* bytes of an element */
    int is_double;                                      /* elements are */
    int is_product;                                     /* of x and y */
    int is_pair;                                        /* y is another array; else it is x, and not read */
    term_sign sign;                                     /* what becomes of an element's */
    int is_sure;                                        /* have_sure_sums */
    double scale;                                       /* a power of two that elements are multiplied by */
    void (*widen)(const void *p, v_f64 *a, v_f64 *b);   /* SIMD_F32 elements, in any order */
    void (*columns)(const void *p, v_f64 *a, v_f64 *b); /* in theirs */
    void (*first)(const void *p, int n, v_f32 others, v_f64 *a, v_f64 *b); /* n of them, and zeros behind */
} ends_choice;

/* SIMD_F32 elements, or as many products' factors. */
typedef struct {
    v_f64 x[2], y[2];
} ends_elements;

QUIRE_INLINE ends_elements ends_load(ends_choice c, const char *x, const char *y) {
    ends_elements e;
    c.widen(x, &e.x[0], &e.x[1]);
    if (c.is_pair) c.widen(y, &e.y[0], &e.y[1]);
    if (!c.is_pair) e.y[0] = e.x[0], e.y[1] = e.x[1];
    return e;
}

/* The last n, fewer than SIMD_F32. In place of what is missing stand zeros whose terms are -0, and of
 * squares +0, which changes no sign: none is -0. */
QUIRE_INLINE ends_elements ends_load_first(ends_choice c, const char *x, const char *y, int n) {
    const v_f32 zero = { 0 };
    ends_elements e;
    c.first(x, n, c.sign == SIGN_FLIPPED ? zero : -zero, &e.x[0], &e.x[1]);
    if (c.is_pair) c.first(y, n, zero, &e.y[0], &e.y[1]);
    if (!c.is_pair) e.y[0] = e.x[0], e.y[1] = e.x[1];
    return e;
}

/* One row of SIMD_F32 columns. */
QUIRE_INLINE ends_elements ends_load_columns(ends_choice c, const char *x, const char *y) {
    c.widen = c.columns;
    return ends_load(c, x, y);
}

/* Of columns of this many bytes side by side. Where they are short, what is fetched is so far beside them that it takes
 * as long to get there as so many rows. */
#define ENDS_ROWS_BESIDE 64
typedef struct {
    panel_fetcher x, y;
} ends_fetchers;

QUIRE_INLINE ends_fetchers ends_fetches(panel_rows r, size_t width) {
    const size_t beside = width * ((ENDS_ROWS_BESIDE - 1) / r.rows + 1);
    return (ends_fetchers){ panel_fetches(r.rows, ENDS_ROWS, r.x_row, width, beside),
                            panel_fetches(r.rows, ENDS_ROWS, r.y_row, width, beside) };
}

/* Where a row of them begins, with column number column. What is far behind it is fetched. */
typedef struct {
    const char *x, *y;
} ends_row;

QUIRE_INLINE ends_row ends_row_at(ends_choice c, panel_rows r, const ends_fetchers *fetch, size_t row, size_t column) {
    const ends_row at = { r.x + (ptrdiff_t)row * r.x_row + column * c.size,
                          r.y + (ptrdiff_t)row * r.y_row + column * c.size };
    panel_fetch(fetch->x, at.x, row);
    if (c.is_pair) panel_fetch(fetch->y, at.y, row);
    return at;
}

/* An element as a term. */
QUIRE_INLINE v_f64 ends_signed(ends_choice c, v_f64 x) {
    return c.sign == SIGN_CLEARED ? abs_v_f64(x) : c.sign == SIGN_FLIPPED ? -x : x;
}

/* The ends of SIMD_F64 columns, to those from a column on. */
QUIRE_INLINE void ends_store(many_ends *ends, size_t column, v_f64 sum, v_f64 low, v_f64 up) {
    memcpy(ends->sum + column, &sum, sizeof sum);
    memcpy(ends->low + column, &low, sizeof low);
    memcpy(ends->up + column, &up, sizeof up);
}

/* ------------------------------------------------------------------------------------------------------------ lanes */

#define ENDS_VECTORS 4
#define ENDS_STEP ((size_t)(2 * SIMD_F32)) /* elements that give each of the vectors its lanes */
#define ENDS_LONGEST ((size_t)1 << 15)     /* elements after which lanes start anew: the ends of long sums are wide */

typedef struct {
    v_f64 low[ENDS_VECTORS], up[ENDS_VECTORS];
} ends_lanes;

_Static_assert(ENDS_VECTORS == UPWARD_SUMS, "all of them");
_Static_assert(ENDS_LONGEST / ENDS_STEP + 1 <= (size_t)1 << SURE_BITS, "a lane has no more elements of a block");

/* One term of each lane: an element, or a product of two. If sums are sure the upper end alone is enough. */
QUIRE_INLINE void ends_add(ends_choice c, v_f64 *low, v_f64 *up, v_f64 x, v_f64 y) {
    if (c.is_product) {
        *up = up_fma_v_f64(x, y, *up), *low = up_fma_v_f64(-x, y, *low);
        return;
    }
    x = ends_signed(c, x);
    *up = up_add_v_f64(*up, x);
    if (!c.is_sure) *low = up_subtract_v_f64(*low, x);
}

/* SIMD_F32 terms, to lanes i and i + 1. */
QUIRE_INLINE void ends_add_all(ends_choice c, ends_lanes *e, int i, ends_elements of) {
    ends_add(c, &e->low[i], &e->up[i], of.x[0], of.y[0]);
    ends_add(c, &e->low[i + 1], &e->up[i + 1], of.x[1], of.y[1]);
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

/* ENDS_STEP elements. */
QUIRE_INLINE void ends_step(ends_choice c, ends_lanes *e, const char *x, const char *y) {
    const size_t half = SIMD_F32 * c.size;
    ends_add_all(c, e, 0, ends_load(c, x, y));
    ends_add_all(c, e, 2, ends_load(c, x + half, y + half));
}

/* The last n elements, fewer than ENDS_STEP. */
QUIRE_INLINE void ends_last(ends_choice c, ends_lanes *e, const char *x, const char *y, int n) {
    if (n >= SIMD_F32) {
        ends_add_all(c, e, 0, ends_load(c, x, y));
        x += SIMD_F32 * c.size, y += SIMD_F32 * c.size, n -= SIMD_F32;
    }
    if (n) ends_add_all(c, e, 2, ends_load_first(c, x, y, n));
}

/* The sum of a vector's lanes, in each of them. */
QUIRE_INLINE v_f64 ends_fold(v_f64 x) {
    SIMD_UNROLL
    for (int w = SIMD_F64 / 2; w; w /= 2) x = up_add_v_f64(x, exchanged_v_f64(x, w));
    return x;
}

/* What all lanes come to. */
QUIRE_INLINE sum_ends ends_total(ends_choice c, const ends_lanes *e) {
    const v_f64 *const up = e->up;
    v_f64 low[ENDS_VECTORS];
    for (int i = 0; i < ENDS_VECTORS; i++) low[i] = c.is_sure ? -up[i] : e->low[i];
    const v_f64 lows = up_add_v_f64(up_add_v_f64(low[0], low[1]), up_add_v_f64(low[2], low[3])),
                ups = up_add_v_f64(up_add_v_f64(up[0], up[1]), up_add_v_f64(up[2], up[3]));
    return (sum_ends){ -0.0, ends_fold(lows)[0], ends_fold(ups)[0] };
}

/* Of n elements, SIMD_F32 of them at most: no lane has more than one term, which is its own ends. */
QUIRE_INLINE sum_ends ends_of_few(ends_choice c, const char *x, const char *y, int n) {
    const ends_elements of = n == SIMD_F32 ? ends_load(c, x, y) : ends_load_first(c, x, y, n);
    const v_f64 a = c.is_product ? of.x[0] * of.y[0] : ends_signed(c, of.x[0]),
                b = c.is_product ? of.x[1] * of.y[1] : ends_signed(c, of.x[1]);
    const double up = ends_fold(up_add_v_f64(a, b))[0], low = c.is_sure ? -up : ends_fold(up_add_v_f64(-a, -b))[0];
    return (sum_ends){ -0.0, low, up };
}

/* The ends of n terms, where additions round upward. start: nothing. */
QUIRE_INLINE sum_ends ends_of(ends_choice c, const ends_lanes *start, const char *x, const char *y, size_t n) {
    sum_ends all = { -0.0, -0.0, -0.0 };
    for (;;) {
        size_t some = n < ENDS_LONGEST ? n : ENDS_LONGEST;
        ends_lanes e = *start;
        n -= some;
        for (; some >= ENDS_STEP; some -= ENDS_STEP, x += ENDS_STEP * c.size, y += ENDS_STEP * c.size)
            ends_step(c, &e, x, y);
        if (some) ends_last(c, &e, x, y, (int)some);
        const sum_ends total = ends_total(c, &e);
        all.low = up_add_f64(all.low, total.low), all.up = up_add_f64(all.up, total.up);
        if (!n) return all;
    }
}

/* Those of several vectors. */
QUIRE_INLINE void ends_of_vectors(ends_choice c, const ends_vector *v, size_t count, many_ends *ends) {
    ends_lanes start;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) most = v[i].n > most ? v[i].n : most;
    for (int i = 0; i < ENDS_VECTORS; i++) start.low[i] = start.up[i] = -(v_f64){ 0 };
    const rounding_mode callers = enter_upward(start.low, start.up);
    if (most <= SIMD_F32)
        for (size_t i = 0; i < count; i++) ends_put(ends, i, ends_of_few(c, v[i].x, v[i].y, (int)v[i].n));
    else
        for (size_t i = 0; i < count; i++) ends_put(ends, i, ends_of(c, &start, v[i].x, v[i].y, v[i].n));
    leave_upward(callers, ends);
}

/* ---------------------------------------------------------------------------------------------------------- columns */

/* Those of groups * SIMD_F32 columns, groups a constant, 2 at most. */
QUIRE_INLINE void ends_of_group(ends_choice c, panel_rows r, int groups, const ends_lanes *start, many_ends *ends,
                                size_t column) {
    const ends_fetchers fetch = ends_fetches(r, (size_t)groups * SIMD_F32 * c.size);
    ends_lanes e = *start;
    for (size_t row = 0; row < r.rows; row++) {
        const ends_row from = ends_row_at(c, r, &fetch, row, column);
        SIMD_UNROLL
        for (int g = 0; g < groups; g++) {
            const size_t at = (size_t)g * SIMD_F32 * c.size;
            ends_add_all(c, &e, 2 * g, ends_load_columns(c, from.x + at, from.y + at));
        }
    }
    SIMD_UNROLL
    for (int i = 0; i < 2 * groups; i++)
        ends_store(ends, column + (size_t)i * SIMD_F64, -(v_f64){ 0 }, c.is_sure ? -e.up[i] : e.low[i], e.up[i]);
}

/* Those of some panels' columns. */
QUIRE_INLINE void ends_of_columns(ends_choice c, panel_rows r, size_t columns, many_ends *ends) {
    ends_lanes start;
    size_t column = 0;
    for (int i = 0; i < ENDS_VECTORS; i++) start.low[i] = start.up[i] = -(v_f64){ 0 };
    const rounding_mode callers = enter_upward(start.low, start.up);
    for (; columns - column >= ENDS_STEP; column += ENDS_STEP) ends_of_group(c, r, 2, &start, ends, column);
    if (columns > column) ends_of_group(c, r, 1, &start, ends, column);
    leave_upward(callers, ends);
}

#endif
