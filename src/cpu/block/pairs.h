/* pairs.h - an exact sum of doubles, or for results that are doubles, by a sum and two ends beside it. TwoSum says what
 * each addition loses (Knuth, TAOCP 2, 4.2.2, Theorem B), and what all of them lose is enclosed: by additions that
 * round upward, where an instruction can say so (simd/simd.h); else it is added up by TwoSum as well, and the
 * magnitudes of what that loses say how far off it may be. Either way nothing is off where no addition of what was lost
 * has rounded, so that ties are told.
 *
 * A product of doubles is a double and its error, unless that has bits below 2^-1074: half of that is lost at most, and
 * counted. Elements may be scaled, so that nothing overflows: what is lost of them is counted, too. Where something is
 * not finite, or overflows on the way, the ends are NaN, whatever the sum is, even a 0. Where nothing can overflow the
 * sum itself is infinite or NaN as that of the terms is.
 *
 * Included by tier/ends.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_PAIRS_H
#define QUIRE_CPU_BLOCK_PAIRS_H

#include "cpu/block/ends.h"

#define PAIR_SETS (SIMD_REGISTERS > 16 ? 4 : 2)
#define PAIR_STEP ((size_t)(PAIR_SETS / 2 * SIMD_F32)) /* elements that give each set its lanes */

/* A product that is rounded to so much or more is a multiple of 2^-1074, and so is its error: a product of integers of
 * 53 bits is 2^106 - 2^54 + 1 at most, which times 2^-1075 is rounded to less. */
#define PAIR_LEAST_PRODUCT 0x1p-969
_Static_assert(SIMD_F64 >= 2, "lanes are merged, which makes NaN of what is not finite");

/* ------------------------------------------------------------------------------------------------- what was lost */

#if SIMD_BYTES == 64
/* -low <= all that was lost <= up. */
typedef struct {
    v_f64 low, up;
} lost_sum;

QUIRE_INLINE lost_sum lost_nothing(void) { return (lost_sum){ -(v_f64){ 0 }, -(v_f64){ 0 } }; }
QUIRE_INLINE void lost_add(lost_sum *l, v_f64 error) {
    l->low = up_subtract_v_f64(l->low, error), l->up = up_add_v_f64(l->up, error);
}
QUIRE_INLINE void lost_merge(lost_sum *a, lost_sum b) {
    a->low = up_add_v_f64(a->low, b.low), a->up = up_add_v_f64(a->up, b.up);
}
QUIRE_INLINE lost_sum lost_exchanged(lost_sum l, int w) {
    return (lost_sum){ exchanged_v_f64(l.low, w), exchanged_v_f64(l.up, w) };
}
QUIRE_INLINE void lost_more(lost_sum *l, v_f64 most) {
    l->low = up_add_v_f64(l->low, most), l->up = up_add_v_f64(l->up, most);
}
QUIRE_INLINE void lost_ends(lost_sum l, v_f64 *low, v_f64 *up) { *low = l.low, *up = l.up; }
#else
/* What was lost, and the magnitudes of what its additions lost in turn. */
typedef struct {
    v_f64 sum, off;
} lost_sum;

QUIRE_INLINE lost_sum lost_nothing(void) { return (lost_sum){ { 0 }, { 0 } }; }
QUIRE_INLINE void lost_add(lost_sum *l, v_f64 error) { l->off += abs_v_f64(two_sum_v_f64(l->sum, error, &l->sum)); }
QUIRE_INLINE void lost_merge(lost_sum *a, lost_sum b) {
    lost_add(a, b.sum);
    a->off += b.off;
}
QUIRE_INLINE lost_sum lost_exchanged(lost_sum l, int w) {
    return (lost_sum){ exchanged_v_f64(l.sum, w), exchanged_v_f64(l.off, w) };
}
QUIRE_INLINE void lost_more(lost_sum *l, v_f64 most) { l->off += most; }
/* See lost_radius, in functions.h. */
QUIRE_INLINE void lost_ends(lost_sum l, v_f64 *low, v_f64 *up) {
    const v_i64 is_off = (v_i64)(l.off != 0);
    const v_f64 rounding = abs_v_f64(l.sum) * 0x1p-51, radius = 2 * l.off + (v_f64)((v_i64)rounding & is_off);
    *low = radius - l.sum, *up = radius + l.sum;
}
#endif

/* ------------------------------------------------------------------------------------------------------------ terms */

/* sum: what additions came to; gone: not 0 in lanes of which something is not among what was lost: errors of products
 * that may be no doubles, or elements that were dropped. */
typedef struct {
    v_f64 sum;
    lost_sum lost;
    v_i64 gone;
} pair_lanes;

QUIRE_INLINE pair_lanes pair_nothing(void) { return (pair_lanes){ -(v_f64){ 0 }, lost_nothing(), { 0 } }; }

/* Scaled down, elements below this are dropped, so that none is subnormal, which takes long: nor is a square, or its
 * error. */
QUIRE_INLINE double pair_least(ends_choice c) { return c.is_product && !c.is_pair ? 0x1p-455 : 0x1p-1000; }

/* Elements times the scale. A zero that is dropped may lose its sign: see scaled_round. */
QUIRE_INLINE v_f64 pair_scaled(ends_choice c, pair_lanes *l, v_f64 x) {
    if (c.scale > 1) return x * c.scale;
    const v_f64 magnitude = abs_v_f64(x);
    const v_i64 is_dropped = (v_i64)(magnitude < pair_least(c) / c.scale);
    l->gone |= (v_i64)magnitude & is_dropped;
    return (v_f64)((v_i64)x & ~is_dropped) * c.scale;
}

/* The most that is lost of a term beside the errors that are added: less than 2^-1074 of a product's error or, where an
 * element was dropped, all of it: less than the least, its square, or its product with what is below 2^1024 times the
 * scale. */
QUIRE_INLINE double pair_gone(ends_choice c) {
    if (c.scale >= 1) return 0x1p-1074;
    if (!c.is_product) return pair_least(c);
    return pair_least(c) * (c.is_pair ? 0x1p1023 * c.scale * 2 : pair_least(c));
}

/* A term of each lane, whose error, of products of doubles alone, is lost; and lanes of one term. */
QUIRE_INLINE v_f64 pair_value(ends_choice c, pair_lanes *l, v_f64 x, v_f64 y) {
    const v_f64 product = x * y;
    if (c.scale != 1) x = pair_scaled(c, l, x), y = c.is_pair ? pair_scaled(c, l, y) : x;
    if (!c.is_product) return ends_signed(c, x);
    v_f64 value = x * y;
    if (c.scale < 1 && c.is_pair) { /* infinity times what was dropped is no NaN */
        const v_i64 is_nan = (v_i64)(value != value);
        value = (v_f64)(((v_i64)value & ~is_nan) | ((v_i64)product & is_nan));
    }
    if (!c.is_double) return value;
    lost_add(&l->lost, product_error_v_f64(x, y, value));
    if (c.scale >= 1 || c.is_pair) l->gone |= (v_i64)((abs_v_f64(value) < PAIR_LEAST_PRODUCT) & (x != 0) & (y != 0));
    return value;
}

QUIRE_INLINE pair_lanes pair_first(ends_choice c, v_f64 x, v_f64 y) {
    pair_lanes l = pair_nothing();
    l.sum = pair_value(c, &l, x, y);
    return l;
}

/* One more. */
QUIRE_INLINE void pair_add(ends_choice c, pair_lanes *l, v_f64 x, v_f64 y) {
    const v_f64 value = pair_value(c, l, x, y);
    lost_add(&l->lost, two_sum_v_f64(l->sum, value, &l->sum));
}

QUIRE_INLINE void pair_add_all(ends_choice c, pair_lanes *l, ends_elements of) {
    pair_add(c, &l[0], of.x[0], of.y[0]);
    pair_add(c, &l[1], of.x[1], of.y[1]);
}

/* In each lane the same as in that one of b. */
QUIRE_INLINE void pair_merge(pair_lanes *a, pair_lanes b) {
    const v_f64 error = two_sum_v_f64(a->sum, b.sum, &a->sum);
    lost_merge(&a->lost, b.lost);
    lost_add(&a->lost, error);
    a->gone |= b.gone;
}

/* The ends of lanes, of so many terms at most. Where nothing is lost they are 0 and -0, so that a zero keeps its sign.
 */
typedef struct {
    v_f64 sum, low, up;
} pair_ends;

QUIRE_INLINE pair_ends pair_ends_of(ends_choice c, pair_lanes l, size_t terms) {
    const v_f64 most = (v_f64)((v_i64)((v_f64){ 0 } + (double)terms * pair_gone(c)) & (v_i64)(l.gone != 0));
    v_f64 lower, upper;
    if ((c.is_product && c.is_double) || c.scale < 1) lost_more(&l.lost, most);
    lost_ends(l.lost, &lower, &upper);
    const v_i64 nothing = (v_i64)((lower == 0) & (upper == 0));
    return (pair_ends){ l.sum, (v_f64)((v_i64)lower & ~nothing),
                        (v_f64)(((v_i64)upper & ~nothing) | (nothing & INT64_MIN)) };
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

/* The first sets, and all lanes, added up. */
QUIRE_INLINE sum_ends pair_total(ends_choice c, pair_lanes *l, int sets, size_t terms) {
    SIMD_UNROLL
    for (int i = 1; i < sets; i++) pair_merge(&l[0], l[i]);
    SIMD_UNROLL
    for (int w = SIMD_F64 / 2; w; w /= 2) {
        const v_i64 gone = (v_i64)exchanged_v_f64((v_f64)l[0].gone, w);
        pair_merge(&l[0], (pair_lanes){ exchanged_v_f64(l[0].sum, w), lost_exchanged(l[0].lost, w), gone });
    }
    const pair_ends e = pair_ends_of(c, l[0], terms);
    return (sum_ends){ e.sum[0], e.low[0], e.up[0] };
}

/* Of n elements, no more than two vectors of doubles take. */
QUIRE_INLINE sum_ends pair_of_few(ends_choice c, const char *x, const char *y, int n) {
    const ends_elements of = n == SIMD_F32 ? ends_load(c, x, y) : ends_load_first(c, x, y, n);
    pair_lanes l[2] = { pair_first(c, of.x[0], of.y[0]) };
    if (c.is_double && n <= SIMD_F64) return pair_total(c, l, 1, SIMD_F32);
    l[1] = pair_first(c, of.x[1], of.y[1]);
    return pair_total(c, l, 2, SIMD_F32);
}

QUIRE_INLINE sum_ends pair_of(ends_choice c, const char *x, const char *y, size_t n) {
    const size_t half = SIMD_F32 * c.size, terms = n;
    pair_lanes l[PAIR_SETS];
    if (n <= SIMD_F32) return pair_of_few(c, x, y, (int)n);
    SIMD_UNROLL
    for (int i = 0; i < PAIR_SETS; i++) l[i] = pair_nothing();
    for (; n >= PAIR_STEP; n -= PAIR_STEP, x += PAIR_STEP * c.size, y += PAIR_STEP * c.size) {
        SIMD_UNROLL
        for (int i = 0; i < PAIR_SETS / 2; i++)
            pair_add_all(c, l + 2 * i, ends_load(c, x + (size_t)i * half, y + (size_t)i * half));
    }
    for (; n >= SIMD_F32; n -= SIMD_F32, x += half, y += half) pair_add_all(c, l, ends_load(c, x, y));
    if (n) pair_add_all(c, l + PAIR_SETS - 2, ends_load_first(c, x, y, (int)n));
    return pair_total(c, l, PAIR_SETS, terms);
}

QUIRE_INLINE void pairs_of_vectors(ends_choice c, const ends_vector *v, size_t count, many_ends *ends) {
    for (size_t i = 0; i < count; i++) ends_put(ends, i, pair_of(c, v[i].x, v[i].y, v[i].n));
}

/* ---------------------------------------------------------------------------------------------------------- columns */

/* Those of groups * SIMD_F32 columns, groups a constant. */
QUIRE_INLINE void pairs_of_group(ends_choice c, panel_rows r, int groups, many_ends *ends, size_t column) {
    const ends_fetchers fetch = ends_fetches(r, (size_t)groups * SIMD_F32 * c.size);
    pair_lanes l[PAIR_SETS];
    SIMD_UNROLL
    for (int i = 0; i < 2 * groups; i++) l[i] = pair_nothing();
    for (size_t row = 0; row < r.rows; row++) {
        const ends_row from = ends_row_at(c, r, &fetch, row, column);
        SIMD_UNROLL
        for (int g = 0; g < groups; g++) {
            const size_t at = (size_t)g * SIMD_F32 * c.size;
            pair_add_all(c, l + 2 * g, ends_load_columns(c, from.x + at, from.y + at));
        }
    }
    SIMD_UNROLL
    for (int i = 0; i < 2 * groups; i++) {
        const pair_ends of = pair_ends_of(c, l[i], r.rows);
        ends_store(ends, column + (size_t)i * SIMD_F64, of.sum, of.low, of.up);
    }
}

QUIRE_INLINE void pairs_of_columns(ends_choice c, panel_rows r, size_t columns, many_ends *ends) {
    size_t column = 0;
    for (; columns - column >= PAIR_STEP; column += PAIR_STEP) pairs_of_group(c, r, PAIR_SETS / 2, ends, column);
    if (columns > column) pairs_of_group(c, r, 1, ends, column);
}

#endif
