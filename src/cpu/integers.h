/* integers.h - blocks of 16-bit elements as integers, where the processor multiplies and adds pairs of 16-bit numbers;
 * window.h calls it in place of its own way with one bin, for the same counts.
 *
 * An element is m * 2^(f - bias - stored bits), m its significand and f its exponent field, or 1 for a subnormal. A table
 * turns the field into a power of two, and m is multiplied by that: two sums, one of 15 neighbouring fields and one of the
 * next 15. It is 15 operations for 32 elements or fewer; widening them to doubles takes 17 to 19, and slower ones.
 *
 * Most elements of ordinary data have one of 15 neighbouring fields. So one sum of these is tried first, which takes 9
 * operations: a shift by the distance to the greatest field makes the power of two, and the greatest distance tells whether
 * all were in reach. (A zero is not: it has no leading bit.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INTEGERS_H
#define QUIRE_CPU_INTEGERS_H

#ifdef SIMD_HAS_PAIRS

#define INTEGER_SPREAD 15                   /* fields of a sum: 2^0 to 2^14                                            */
#define INTEGER_FIELDS (2 * INTEGER_SPREAD) /* all that halves have                                                    */

/* From 2^top down to the unit of the lowest field. */
QUIRE_INLINE int integers_reach(exact_choice c) { return INTEGER_FIELDS + c.format.precision - 1; }

#define INTEGER_STEPS ((size_t)32) /* whose pairs of products, each below 2^11 * 2^14, a sum of 32 bits takes */

/* Of halves, the 6 bits that tell an entry of a table twice as large are field and sign. */
QUIRE_INLINE int sign_in_table(exact_choice c) { return c.keep_sign && exponent_bits(c) == 5; }

/* A step's elements; fetches what comes later. */
QUIRE_INLINE v_i16 load_i16(const char *x) {
    v_i16 raw;
    memcpy(&raw, x, sizeof raw);
    __builtin_prefetch((const void *)((uintptr_t)x + PREFETCH_BYTES)); /* past the end: no harm                          */
    return raw;
}

/* Powers of two for positive and for negative elements. */
typedef struct {
    v_i16 power[2];
} power_table;

/* The fields from base on, INTEGER_SPREAD of them, found by their low 5 bits. A subnormal has the place of field 1, if that
 * is in reach of its block; if not, only zeros have field 0, and theirs is free. */
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

#define NEAR_FAILURES 2 /* of a block: then it is not tried any more, until the next                                    */

/* A sum of 15 fields, field the greatest. m takes the magnitudes; but the greatest counts as large as that field allows. */
typedef struct {
    int field; /* 0: none is tried                                                                                      */
    v_i32 sum;
} near_sum;

/* Whether all elements of some steps are in reach; what they make, if so. */
QUIRE_INLINE int near_add(exact_choice c, near_sum *near, const char *x, size_t steps, magnitudes *m) {
    const int stored = c.format.precision - 1;
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored),
                greatest = (v_i16){ 0 } + (int16_t)(((near->field + 1) << stored) - 1);
    const v_i16 unsigned_power = (v_i16){ 0 } + (1 << (INTEGER_SPREAD - 1));
    v_i32 sum = { 0 };
    v_u16 farthest = { 0 };
#pragma GCC unroll 4
    for (size_t step = 0; step < steps; step++) {
        const v_i16 raw = load_i16(x + step * SIMD_BYTES);
        const v_u16 distance = (v_u16)(greatest - (raw & INT16_MAX));
        farthest = max_v_u16(farthest, distance);
        const v_i16 power = c.keep_sign ? unsigned_power | (raw & INT16_MIN) : unsigned_power;
        sum += sum_pairs((raw & (one - 1)) | one, shift_right(power, (v_i16)(distance >> stored)));
    }
    near->sum = sum;
    if (any_above(farthest, (uint16_t)((INTEGER_SPREAD << stored) - 1))) return 0;
    look_at(m, (v_i64)greatest, 2, 0);
    look_at(m, (v_i64)(greatest - (v_i16)farthest), 2, !always_fits(c));
    return 1;
}

/* A sum that reaches one field above the first step's greatest, within INTEGER_FIELDS fields from base on. */
QUIRE_INLINE near_sum near_first(exact_choice c, const char *x, size_t steps, int base) {
    const int finite = 2 * exponent_bias(c), end = base + INTEGER_FIELDS - 1, most = end < finite ? end : finite;
    const int least = (base > 1 ? base : 1) + INTEGER_SPREAD - 1;
    near_sum near = { 0, { 0 } };
    if (steps < INTEGER_STEPS || most < least) return near;
    near.field = (greatest_v_i16(load_i16(x) & INT16_MAX) >> (c.format.precision - 1)) + 1;
    if (near.field < least) near.field = least;
    if (near.field > most) near.field = most;
    magnitudes unused = look_at_nothing(2);
    if (!near_add(c, &near, x, 1, &unused)) near.field = 0;
    return near;
}

/* --------------------------------------------------------------------------------------------- two sums, of 30 fields */

typedef struct {
    v_i32 low, high;
} far_sum;

QUIRE_INLINE far_sum far_add(exact_choice c, const power_table *low, const power_table *high, const char *x, size_t steps,
                             magnitudes *m) {
    const int stored = c.format.precision - 1;
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored); /* the leading bit */
    far_sum sum = { { 0 }, { 0 } };
#pragma GCC unroll 4
    for (size_t step = 0; step < steps; step++) {
        const v_i16 raw = load_i16(x + step * SIMD_BYTES);
        look_at(m, (v_i64)raw, 2, !always_fits(c));
        const v_i16 field = (v_i16)((v_u16)raw >> stored);
        const v_i16 bits = (raw & (one - 1)) | min_v_i16(raw & INT16_MAX, one); /* a subnormal: as it is */
        const v_i16 significand = c.keep_sign && !sign_in_table(c) ? with_sign(bits, raw) : bits;
        sum.low += sum_pairs(significand, power_of(c, *low, field));
        sum.high += sum_pairs(significand, power_of(c, *high, field));
    }
    return sum;
}

/* What all elements count in units of 2^unit, if they are in reach below 2^top; m takes the magnitudes. */
QUIRE_INLINE v_u64 integers_count(exact_choice c, const char *x, size_t steps, int top, int unit, magnitudes *m) {
    const int lowest = top - integers_reach(c), base = lowest + exponent_bias(c) + c.format.precision - 1;
    const power_table low_powers = powers_from(base, 0), high_powers = powers_from(base, INTEGER_SPREAD);
    near_sum near = near_first(c, x, steps, base);
    int tries = near.field ? NEAR_FAILURES : 0;
    v_i64 near_total = { 0 }, low = { 0 }, high = { 0 };
    for (size_t step = 0, some; step < steps; step += some) {
        const char *at = x + step * SIMD_BYTES;
        some = steps - step < INTEGER_STEPS ? steps - step : INTEGER_STEPS;
        if (tries && near_add(c, &near, at, some, m)) {
            near_total += sum_of_pairs(near.sum);
        } else {
            if (tries) tries--;
            const far_sum sum = far_add(c, &low_powers, &high_powers, at, some, m);
            low += sum_of_pairs(sum.low);
            high += sum_of_pairs(sum.high);
        }
    }
    const int shift = lowest - unit, near_shift = near.field ? near.field - (INTEGER_SPREAD - 1) - base : 0;
    return ((v_u64)low << shift) + ((v_u64)high << (shift + INTEGER_SPREAD)) + ((v_u64)near_total << (shift + near_shift));
}

#endif
#endif
