/* integers.h - blocks of 16-bit elements as integers, where the processor multiplies and adds pairs of 16-bit numbers,
 * in place of a window of one bin, for the same counts.
 *
 * An element is m * 2^(f - bias - stored bits), m its significand and f its exponent field, or 1 for a subnormal. A
 * table turns the field into a power of two, and m is multiplied by that: two sums, one of 15 neighbouring fields and
 * one of the next 15. It is 15 operations for 32 elements or fewer; widening them to doubles takes 17 to 19, and slower
 * ones.
 *
 * Most elements of ordinary data have one of 15 neighbouring fields. So one sum of these is tried first, which takes 9
 * operations: a power of two is shifted by the distance to the greatest field. (A zero is out of reach:
 * it has no leading bit.) Steps that have something out of reach are taken from the sum again, if they are few, and go
 * the way above.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_INTEGERS_H
#define QUIRE_CPU_BLOCK_INTEGERS_H

#include "cpu/block/terms.h"

#ifdef SIMD_HAS_PAIRS

#define INTEGER_SPREAD 15                   /* fields of a sum: 2^0 to 2^14 */
#define INTEGER_FIELDS (2 * INTEGER_SPREAD) /* all that halves have */

/* From 2^top down to the unit of the lowest field. */
QUIRE_INLINE int integers_reach(exact_choice c) { return INTEGER_FIELDS + c.format.precision - 1; }

#define INTEGER_STEPS ((size_t)32) /* whose pairs of products, each below 2^11 * 2^14, a sum of 32 bits takes */

/* Of halves, the 6 bits that choose an entry of a table twice as large are field and sign. */
QUIRE_INLINE int sign_in_table(exact_choice c) { return !clears_sign(c) && exponent_bits(c) == 5; }

/* A step's elements; fetches what comes later. */
QUIRE_INLINE v_i16 load_i16(exact_choice c, const char *x) {
    v_i16 raw;
    memcpy(&raw, x, sizeof raw);
    fetch_ahead(c, x);
    return raw;
}

/* Powers of two for positive and for negative elements. */
typedef struct {
    v_i16 power[2];
} power_table;

/* The fields from base on, INTEGER_SPREAD of them, found by their low 5 bits. A subnormal has the place of field 1, if
 * that is in reach of its block; if not, only zeros have field 0, and theirs is free. */
QUIRE_INLINE power_table powers_from(int base, int first) {
    static const v_i16 field = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
    v_i16 place = (field - (int16_t)base) & 31;
    if (base <= 1) place[0] = place[1];
    place -= (int16_t)first;
    const v_i16 power = ((v_i16){ 0 } + 1) << (place & 15) & (place >= 0) & (place < INTEGER_SPREAD);
    return (power_table){ { power, -power } };
}

QUIRE_INLINE v_i16 power_of(exact_choice c, power_table t, v_i16 field) {
    return sign_in_table(c) ? look_up_in_two(t.power[0], t.power[1], field) : look_up(t.power[0], field);
}

/* The lanes of 32 bits, two neighbours added. */
QUIRE_INLINE v_i64 sum_of_pairs(v_i32 sum) { return ((v_i64)((v_u64)sum << 32) >> 32) + ((v_i64)sum >> 32); }

/* -------------------------------------------------------------------------------------------- one sum, of 15 fields */

#define NEAR_TRIES 4 /* of a block, each with the greatest field where it begins */
#define NEAR_PARTS 4 /* of INTEGER_STEPS, each of which shows whether it has something out of reach */
#define NEAR_STEPS (INTEGER_STEPS / NEAR_PARTS)

/* A sum of 15 fields, field the greatest. */
typedef struct {
    int field; /* 0: none is tried */
    v_i32 sum;
} near_sum;

QUIRE_INLINE int16_t near_greatest(exact_choice c, const near_sum *near) {
    return (int16_t)(((near->field + 1) << (c.format.precision - 1)) - 1);
}

/* The distance from the greatest magnitude to the least in reach. */
QUIRE_INLINE uint16_t near_reach(exact_choice c) {
    return (uint16_t)((INTEGER_SPREAD << (c.format.precision - 1)) - 1);
}

/* Adds a step, as if all its elements were in reach. */
QUIRE_INLINE v_i32 near_step(exact_choice c, const near_sum *near, v_i32 sum, v_i16 raw, v_u16 *farthest) {
    const int stored = c.format.precision - 1;
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored),
                unsigned_power = (v_i16){ 0 } + (1 << (INTEGER_SPREAD - 1));
    const v_u16 distance = (v_u16)((v_i16){ 0 } + near_greatest(c, near) - (raw & INT16_MAX));
    const v_i16 power = clears_sign(c) ? unsigned_power : unsigned_power | (raw & INT16_MIN);
    *farthest = max_v_u16(*farthest, distance);
    return add_products(sum, (raw & (one - 1)) | one, shift_right(power, (v_i16)(distance >> stored)));
}

/* Adds steps, in two chains: one addition with its products takes longer than a step. */
QUIRE_INLINE v_u16 near_part(exact_choice c, const near_sum *near, v_i32 *sum, const char *x, size_t steps) {
    v_u16 farthest = { 0 };
#pragma GCC unroll 8
    for (size_t step = 0; step < steps; step++)
        sum[step % 2] = near_step(c, near, sum[step % 2], load_i16(c, x + step * SIMD_BYTES), &farthest);
    return farthest;
}

/* Whether all elements of INTEGER_STEPS, or fewer, are in reach; what they make, in any case; and, part by part, how
 * far the farthest is. */
QUIRE_INLINE int near_add(exact_choice c, near_sum *near, const char *x, size_t steps, v_u16 *farthest) {
    v_i32 sum[2] = { { 0 }, { 0 } };
    v_u16 all = { 0 };
    for (size_t step = 0, part = 0; step < steps; step += NEAR_STEPS, part++) {
        const char *at = x + step * SIMD_BYTES;
        farthest[part] = steps - step < NEAR_STEPS ? near_part(c, near, sum, at, steps - step)
                                                   : near_part(c, near, sum, at, NEAR_STEPS);
        all = max_v_u16(all, farthest[part]);
    }
    near->sum = sum[0] + sum[1];
    return !any_above(all, near_reach(c));
}

/* The magnitudes of a near sum: what is in reach counts as large as the greatest may be, and as small as the least. */
QUIRE_INLINE void near_look_at(exact_choice c, const near_sum *near, magnitudes *m) {
    const v_i16 greatest = (v_i16){ 0 } + near_greatest(c, near);
    look_at(m, (v_i64)greatest, 2, 0);
    look_at(m, (v_i64)(greatest - (int16_t)near_reach(c)), 2, !always_fits(c, 1));
}

/* A sum that reaches one field above the first step's greatest, within INTEGER_FIELDS fields from base on. */
QUIRE_INLINE near_sum near_first(exact_choice c, const char *x, size_t steps, int base) {
    const int finite = 2 * exponent_bias(c), end = base + INTEGER_FIELDS - 1, most = end < finite ? end : finite;
    const int least = (base > 1 ? base : 1) + INTEGER_SPREAD - 1;
    near_sum near = { 0, { 0 } };
    if (steps < INTEGER_STEPS || most < least) return near;
    near.field = (greatest_v_i16(load_i16(c, x) & INT16_MAX) >> (c.format.precision - 1)) + 1;
    if (near.field < least) near.field = least;
    if (near.field > most) near.field = most;
    v_u16 farthest[NEAR_PARTS];
    if (!near_add(c, &near, x, 1, farthest)) near.field = 0;
    return near;
}

/* ------------------------------------------------------------------------------------------- two sums, of 30 fields */

typedef struct {
    v_i32 low, high;
} far_sum;

QUIRE_INLINE far_sum far_add(exact_choice c, const power_table *low, const power_table *high, const char *x,
                             size_t steps, magnitudes *m) {
    const int stored = c.format.precision - 1;
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored); /* the leading bit */
    far_sum sum = { { 0 }, { 0 } };
#pragma GCC unroll 4
    for (size_t step = 0; step < steps; step++) {
        const v_i16 raw = load_i16(c, x + step * SIMD_BYTES);
        look_at(m, (v_i64)raw, 2, !always_fits(c, 1));
        const v_i16 field = (v_i16)((v_u16)raw >> stored);
        const v_i16 bits = (raw & (one - 1)) | min_v_i16(raw & INT16_MAX, one); /* a subnormal: as it is */
        const v_i16 significand = clears_sign(c) || sign_in_table(c) ? bits : with_sign(bits, raw);
        sum.low = add_products(sum.low, significand, power_of(c, *low, field));
        sum.high = add_products(sum.high, significand, power_of(c, *high, field));
    }
    return sum;
}

/* The tables of both, made where they are first needed: most blocks need none. */
typedef struct {
    power_table low, high;
    int there;
} far_tables;

QUIRE_INLINE void far_prepare(far_tables *t, int base) {
    if (t->there) return;
    __asm__ volatile("" : "+r"(base)); /* hides that they could be made beforehand */
    *t = (far_tables){ powers_from(base, 0), powers_from(base, INTEGER_SPREAD), 1 };
}

/* ---------------------------------------------------------------------------------------------- some steps, by both */

#define NEAR_MENDED 4 /* steps that have something out of reach, in INTEGER_STEPS */

/* Takes steps that have something out of reach from a near sum to far ones, if they are few; answers whether they were.
 */
QUIRE_INLINE int near_mend(exact_choice c, near_sum *near, const v_u16 *farthest, far_sum *far, const far_tables *t,
                           const char *x, size_t steps, magnitudes *m) {
    *far = (far_sum){ { 0 }, { 0 } };
    int left = NEAR_MENDED;
    for (size_t begin = 0, end; begin < steps; begin = end) {
        end = steps - begin < NEAR_STEPS ? steps : begin + NEAR_STEPS;
        if (!any_above(farthest[begin / NEAR_STEPS], near_reach(c))) continue;
        for (size_t step = begin; step < end; step++) {
            const char *at = x + step * SIMD_BYTES;
            v_u16 its = { 0 };
            const v_i32 sum = near_step(c, near, (v_i32){ 0 }, load_i16(c, at), &its);
            if (!any_above(its, near_reach(c))) continue;
            if (!left--) return 0;
            const far_sum one = far_add(c, &t->low, &t->high, at, 1, m);
            far->low += one.low, far->high += one.high;
            near->sum -= sum;
        }
    }
    return 1;
}

/* What all elements count in units of 2^unit, if they are in reach below 2^top; m takes the magnitudes. */
QUIRE_INLINE v_u64 integers_count(exact_choice c, const char *x, size_t steps, int top, int unit, magnitudes *m) {
    const int lowest = top - integers_reach(c), base = lowest + exponent_bias(c) + c.format.precision - 1;
    far_tables tables = { { { { 0 } } }, { { { 0 } } }, 0 };
    near_sum near = { 0, { 0 } };
    int tries = NEAR_TRIES;
    v_u16 farthest[NEAR_PARTS];
    v_u64 total = { 0 };
    for (size_t step = 0, some; step < steps; step += some) {
        const char *at = x + step * SIMD_BYTES;
        some = steps - step < INTEGER_STEPS ? steps - step : INTEGER_STEPS;
        if (!near.field && tries) {
            near = near_first(c, at, some, base);
            tries--;
        }
        const int near_shift = near.field - (INTEGER_SPREAD - 1) - base;
        if (near.field && near_add(c, &near, at, some, farthest)) {
            near_look_at(c, &near, m);
            total += (v_u64)sum_of_pairs(near.sum) << near_shift;
            continue;
        }
        far_sum far;
        far_prepare(&tables, base);
        if (near.field && near_mend(c, &near, farthest, &far, &tables, at, some, m)) {
            near_look_at(c, &near, m);
            total += (v_u64)sum_of_pairs(near.sum) << near_shift;
        } else {
            near.field = 0;
            far = far_add(c, &tables.low, &tables.high, at, some, m);
        }
        total += ((v_u64)sum_of_pairs(far.high) << INTEGER_SPREAD) + (v_u64)sum_of_pairs(far.low);
    }
    return total << (lowest - unit);
}

#endif
#endif
