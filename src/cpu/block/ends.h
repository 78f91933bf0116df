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

#include "cpu/block/ends_choice.h"
#include "cpu/simd/upward.h"

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
    leave_upward(callers);
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
    leave_upward(callers);
}

#endif
