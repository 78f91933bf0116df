/* halves.h - blocks of halves as integers, where the processor multiplies and adds pairs of 16-bit numbers; window.h calls
 * it in place of its own way, for the same counts.
 *
 * A half is m * 2^(e - 25), m its 11 bits and e its exponent field, or 1 for a subnormal. A table turns the field into a
 * power of two, with the sign, and m is multiplied by that: two sums, one of fields below 16 and one of the others, cover
 * them all. It is 14 operations for 32 elements; widening them to doubles takes 20.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_HALVES_H
#define QUIRE_CPU_HALVES_H

#include "cpu/simd.h"

#ifdef SIMD_HAS_PAIRS

#define HALVES_STEPS 32  /* whose pairs of products, below 2^11 * 2^14 each, a sum of 32 bits takes                     */
#define HALVES_LOW (-24) /* the exponents of the two sums' units                                                        */
#define HALVES_HIGH (-9)

/* Powers of two for the fields 0 to 15, and for 16 to 31, in order; nothing for Inf and NaN. */
#define HALVES_LOW_POWERS(s)                                                                                                \
    s 1, s 1, s 2, s 4, s 8, s 16, s 32, s 64, s 128, s 256, s 512, s 1024, s 2048, s 4096, s 8192, s 16384
#define HALVES_HIGH_POWERS(s)                                                                                               \
    s 1, s 2, s 4, s 8, s 16, s 32, s 64, s 128, s 256, s 512, s 1024, s 2048, s 4096, s 8192, s 16384, 0
#define HALVES_NONE 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

QUIRE_INLINE v_i64 sum_of_pairs(v_i32 sum) { return ((v_i64)((v_u64)sum << 32) >> 32) + ((v_i64)sum >> 32); }

/* What all elements count in units of 2^unit, lane by lane; most takes the greatest magnitude. */
QUIRE_INLINE v_u64 halves_count(const char *x, size_t steps, int keep_sign, int unit, v_i16 *most) {
    static const v_i16 low_powers[2] = { { HALVES_LOW_POWERS(+), HALVES_NONE }, { HALVES_LOW_POWERS(-), HALVES_NONE } };
    static const v_i16 high_powers[2] = { { HALVES_NONE, HALVES_HIGH_POWERS(+) }, { HALVES_NONE, HALVES_HIGH_POWERS(-) } };
    v_i64 low = { 0 }, high = { 0 };
    for (size_t step = 0; step < steps;) {
        const size_t end = steps - step < HALVES_STEPS ? steps : step + HALVES_STEPS;
        v_i32 low_sum = { 0 }, high_sum = { 0 };
#pragma GCC unroll 4
        for (; step < end; step++) {
            v_i16 raw;
            memcpy(&raw, x + step * SIMD_BYTES, sizeof raw);
            __builtin_prefetch((const void *)((uintptr_t)x + step * SIMD_BYTES + PREFETCH_BYTES));
            const v_i16 magnitude = raw & 0x7fff, field = (v_i16)((v_u16)(keep_sign ? raw : magnitude) >> 10);
            const v_i16 m = (raw & 0x3ff) | min_v_i16(magnitude, (v_i16){ 0 } + 0x400); /* a subnormal stays as it is */
            *most = max_v_i16(*most, magnitude);
            low_sum += sum_pairs(m, look_up(low_powers[0], low_powers[1], field));
            high_sum += sum_pairs(m, look_up(high_powers[0], high_powers[1], field));
        }
        low += sum_of_pairs(low_sum);
        high += sum_of_pairs(high_sum);
    }
    return ((v_u64)low << (HALVES_LOW - unit)) + ((v_u64)high << (HALVES_HIGH - unit));
}

#endif
#endif
