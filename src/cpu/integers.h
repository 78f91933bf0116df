/* integers.h - blocks of 16-bit elements as integers, where the processor multiplies and adds pairs of 16-bit numbers;
 * window.h calls it in place of its own way with one bin, for the same counts.
 *
 * An element is m * 2^(f - bias - stored bits), m its significand and f its exponent field, or 1 for a subnormal. A table
 * turns the field into a power of two, and m is multiplied by that: two sums, one of 15 neighbouring fields and one of the
 * next 15. It is 15 operations for 32 elements or fewer; widening them to doubles takes 17 to 19, and slower ones.
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

/* Steps whose pairs of products, each below 2^precision * 2^14, a sum of 32 bits takes. */
QUIRE_INLINE size_t integers_steps(exact_choice c) { return (size_t)1 << (16 - c.format.precision); }

/* Of halves, the 6 bits that tell an entry of a table twice as large are field and sign. */
QUIRE_INLINE int sign_in_table(exact_choice c) { return c.keep_sign && exponent_bits(c) == 5; }

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

/* What all elements count in units of 2^unit, if they are in reach below 2^top; m takes the magnitudes. */
QUIRE_INLINE v_u64 integers_count(exact_choice c, const char *x, size_t steps, int top, int unit, magnitudes *m) {
    const int stored = c.format.precision - 1, lowest = top - integers_reach(c);
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored); /* the leading bit */
    const int base = lowest + exponent_bias(c) + stored;
    const power_table low_powers = powers_from(base, 0), high_powers = powers_from(base, INTEGER_SPREAD);
    v_i64 low = { 0 }, high = { 0 };
    for (size_t step = 0; step < steps;) {
        const size_t end = steps - step < integers_steps(c) ? steps : step + integers_steps(c);
        v_i32 low_sum = { 0 }, high_sum = { 0 };
#pragma GCC unroll 4
        for (; step < end; step++) {
            v_i16 raw;
            memcpy(&raw, x + step * SIMD_BYTES, sizeof raw);
            __builtin_prefetch((const void *)((uintptr_t)x + step * SIMD_BYTES + PREFETCH_BYTES));
            look_at(m, (v_i64)raw, 2, !always_fits(c));
            const v_i16 field = (v_i16)((v_u16)raw >> stored);
            const v_i16 bits = (raw & (one - 1)) | min_v_i16(raw & 0x7fff, one); /* a subnormal: as it is */
            const v_i16 significand = c.keep_sign && !sign_in_table(c) ? with_sign(bits, raw) : bits;
            low_sum += sum_pairs(significand, power_of(c, low_powers, field));
            high_sum += sum_pairs(significand, power_of(c, high_powers, field));
        }
        low += sum_of_pairs(low_sum);
        high += sum_of_pairs(high_sum);
    }
    return ((v_u64)low << (lowest - unit)) + ((v_u64)high << (lowest - unit + INTEGER_SPREAD));
}

#endif
#endif
