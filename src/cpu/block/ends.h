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
#include "cpu/simd/upward.h"
#include "operation/operations.h"

#define ENDS_VECTORS 4
#define ENDS_STEP ((size_t)(2 * SIMD_F32)) /* elements that give each of the vectors its lanes */
#define ENDS_LONGEST ((size_t)1 << 15)     /* elements after which lanes start anew: the ends of long sums are wide */

typedef struct {
    v_f64 low[ENDS_VECTORS], up[ENDS_VECTORS];
} ends_lanes;

_Static_assert(ENDS_VECTORS == UPWARD_SUMS, "all of them");
_Static_assert(ENDS_LONGEST / ENDS_STEP + 1 <= (size_t)1 << SURE_BITS, "a lane has no more elements of a block");

/* The terms of an instance; all constant. */
typedef struct {
    size_t size;    /* bytes of an element */
    int is_product; /* of x and y */
    int is_pair;    /* y is another array; else it is x, and not read */
    term_sign sign; /* what becomes of an element's */
    int is_sure;    /* have_sure_sums: the upper end alone is enough, and low is not used */
    void (*widen)(const void *p, v_f64 *a, v_f64 *b);
    v_f32 (*first)(const void *p, int n, v_f32 others);
} ends_choice;

/* One term of each lane: an element, or a product of two. */
QUIRE_INLINE void ends_add(ends_choice c, v_f64 *low, v_f64 *up, v_f64 x, v_f64 y) {
    if (c.is_product) {
        *up = up_fma_v_f64(x, y, *up), *low = up_fma_v_f64(-x, y, *low);
        return;
    }
    if (c.sign == SIGN_CLEARED) x = abs_v_f64(x);
    if (c.sign == SIGN_FLIPPED) x = -x;
    *up = up_add_v_f64(*up, x);
    if (!c.is_sure) *low = up_subtract_v_f64(*low, x);
}

/* Two vectors of terms, to lanes i and i + 1. */
QUIRE_INLINE void ends_add_two(ends_choice c, ends_lanes *e, int i, const v_f64 x[2], const v_f64 y[2]) {
    ends_add(c, &e->low[i], &e->up[i], x[0], y[0]);
    ends_add(c, &e->low[i + 1], &e->up[i + 1], x[1], y[1]);
}
/* SIMD_F32 elements. */
QUIRE_INLINE void ends_half_step(ends_choice c, ends_lanes *e, int i, const char *x, const char *y) {
    v_f64 a[2], b[2];
    c.widen(x, &a[0], &a[1]);
    if (c.is_pair) c.widen(y, &b[0], &b[1]);
    ends_add_two(c, e, i, a, c.is_pair ? b : a);
}
/* ENDS_STEP elements. */
QUIRE_INLINE void ends_step(ends_choice c, ends_lanes *e, const char *x, const char *y) {
    const size_t half = SIMD_F32 * c.size;
    ends_half_step(c, e, 0, x, y);
    ends_half_step(c, e, 2, x + half, y + half);
}

/* The last n elements, fewer than ENDS_STEP. In place of what is missing stand zeros whose terms are -0. */
QUIRE_INLINE void ends_last(ends_choice c, ends_lanes *e, const char *x, const char *y, int n) {
    if (n >= SIMD_F32) {
        ends_half_step(c, e, 0, x, y);
        x += SIMD_F32 * c.size, y += SIMD_F32 * c.size, n -= SIMD_F32;
    }
    if (!n) return;
    const v_f32 zero = { 0 }, first_x = c.first(x, n, c.sign == SIGN_FLIPPED ? zero : -zero);
    const v_f64 a[2] = { lower_f64(first_x), upper_f64(first_x) };
    if (c.is_pair) {
        const v_f32 first_y = c.first(y, n, zero);
        const v_f64 b[2] = { lower_f64(first_y), upper_f64(first_y) };
        ends_add_two(c, e, 2, a, b);
    } else {
        ends_add_two(c, e, 2, a, a);
    }
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
    return (sum_ends){ ends_fold(lows)[0], ends_fold(ups)[0] };
}

/* The ends of n terms, where additions round upward. start: nothing. */
QUIRE_INLINE sum_ends ends_of(ends_choice c, const ends_lanes *start, const char *x, const char *y, size_t n) {
    sum_ends all = { -0.0, -0.0 };
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
QUIRE_INLINE void ends_of_all(ends_choice c, const ends_vector *v, size_t count, sum_ends *ends) {
    ends_lanes start;
    for (int i = 0; i < ENDS_VECTORS; i++) start.low[i] = start.up[i] = -(v_f64){ 0 };
    const rounding_mode callers = enter_upward(start.low, start.up);
    for (size_t i = 0; i < count; i++) ends[i] = ends_of(c, &start, v[i].x, v[i].y, v[i].n);
    leave_upward(callers);
}

#endif
