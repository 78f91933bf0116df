/* groups.h - blocks of bfloat16 of every exponent as integers, where the processor multiplies and adds pairs of 16-bit
 * numbers, in place of a window of the most bins, for the same counts.
 *
 * An element is m * 2^(f - bias - stored bits), m its significand and f its exponent field, or 1 for a subnormal.
 * First, m is shifted left by f mod 8, which leaves it in 16 bits; the rest of f is one of 32 octaves. A group is two
 * octaves, and has a table that turns them into 1 and 2^8, and the 30 others into 0. So 32 elements take 3 operations a
 * group, 61 in all; widening them to doubles and going through all bins takes 100.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_GROUPS_H
#define QUIRE_CPU_BLOCK_GROUPS_H

#include "cpu/block/integers.h"

#ifdef SIMD_HAS_PAIRS

#define OCTAVE_BITS 3                   /* of the exponent field, within an octave */
#define GROUP_FIELDS (2 << OCTAVE_BITS) /* two octaves */
#define GROUPS (256 / GROUP_FIELDS)     /* of all that a bfloat16 has */
#define GROUPS_TOGETHER ((size_t)4)     /* vectors that go through a group together */

/* A step adds two products to each lane of 32 bits; a block must not overflow it. */
_Static_assert((BLOCK_ELEMENTS / 32 * 2 * 255) << (GROUP_FIELDS - 1) <= INT32_MAX, "the sums of a block fit 32 bits");

/* Row g has 1 and 2^8 at the places of the octaves of group g; rows overlap. */
static const int16_t GROUP_POWERS[2 * 2 * GROUPS - 2] = { [2 * GROUPS - 2] = 1,
                                                          [2 * GROUPS - 1] = 1 << (1 << OCTAVE_BITS) };

QUIRE_INLINE v_i16 powers_of_group(const int16_t *powers, int g) {
    v_i16 row;
    memcpy(&row, powers + 2 * (GROUPS - 1 - g), sizeof row);
    return row;
}

/* Some steps through all groups. */
QUIRE_INLINE void groups_add(exact_choice c, const char *x, size_t steps, v_i32 *sum, magnitudes *m) {
    const int16_t *powers = GROUP_POWERS;
    __asm__(""
            : "+r"(powers)); /* hides that rows are constant: GCC would load one for each look-up, four times as many */
    const int stored = c.format.precision - 1;
    const v_i16 one = (v_i16){ 0 } + (int16_t)(1 << stored); /* the leading bit; or the least normal number */
    v_i16 significand[GROUPS_TOGETHER], octave[GROUPS_TOGETHER];
#pragma GCC unroll 4
    for (size_t u = 0; u < steps; u++) {
        const v_i16 raw = load_i16(c, x + u * SIMD_BYTES);
        look_at(m, (v_i64)raw, 2, 1);
        const v_i16 magnitude = raw & INT16_MAX, bits = (raw & (one - 1)) | min_v_i16(magnitude, one);
        const v_i16 place = max_v_i16(magnitude, one) >> stored & ((1 << OCTAVE_BITS) - 1); /* of a subnormal: 1 */
        const v_i16 shifted = bits << place;
        significand[u] = clears_sign(c) ? shifted : with_sign(shifted, raw);
        octave[u] = (v_i16)((v_u16)raw >> (stored + OCTAVE_BITS)); /* below the sign, which look_up ignores */
    }
#pragma GCC unroll 16
    for (int g = 0; g < GROUPS; g++) {
        const v_i16 power = powers_of_group(powers, g);
#pragma GCC unroll 4
        for (size_t u = 0; u < steps; u++) sum[g] = add_products(sum[g], significand[u], look_up(power, octave[u]));
    }
}

/* What all elements count in the bins of a window that holds every one there can be; m takes the magnitudes. A group's
 * count that reaches beyond its bin is cut in two, so that the lower bin does not overflow. */
QUIRE_INLINE void groups_count(exact_choice c, const char *x, size_t steps, int top, v_u64 *count, magnitudes *m) {
    const int lowest = 1 - exponent_bias(c) - c.format.precision; /* a significand's unit, were its field 0 */
    v_i32 sum[GROUPS] = { { 0 } };
    size_t step = 0;
    for (; steps - step >= GROUPS_TOGETHER; step += GROUPS_TOGETHER)
        groups_add(c, x + step * SIMD_BYTES, GROUPS_TOGETHER, sum, m);
    for (; step < steps; step++) groups_add(c, x + step * SIMD_BYTES, 1, sum, m);
    for (int k = 0; k < WINDOW_BINS; k++) count[k] = (v_u64){ 0 };
    for (int g = GROUPS - 1, k = 0; g >= 0; g--) {
        const int unit = lowest + g * GROUP_FIELDS;
        while (window_unit(top, k) > unit) k++;
        const int shift = unit - window_unit(top, k), keep = WINDOW_STEP - shift;
        v_i64 all = sum_of_pairs(sum[g]);
        if (k) {
            const v_i64 above = all >> keep;
            count[k - 1] += (v_u64)above;
            all &= ((int64_t)1 << keep) - 1;
        }
        count[k] += (v_u64)all << shift;
    }
}

#endif
#endif
