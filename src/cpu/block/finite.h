/* finite.h - blocks with NaN or infinities among their elements: what is not finite is noted and replaced by zero in a
 * copy, and the copy can go the way of any other block. Compiled anew for every format and term, like window.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FINITE_H
#define QUIRE_CPU_BLOCK_FINITE_H

#include "cpu/block/choice.h"

/* What was not finite, lane by lane. */
typedef struct {
    v_i64 nan, positive, negative;
} specials;

/* Where a vector of elements is finite; notes what is not. */
#define FINITE(bits)                                                                                                   \
    do {                                                                                                               \
        const v_i##bits x = (v_i##bits)raw, infinity = (v_i##bits){ 0 } + (int##bits##_t)infinity_bits;                \
        const v_i##bits magnitude = x & INT##bits##_MAX;                                                               \
        seen->nan |= (v_i64)(magnitude > infinity);                                                                    \
        seen->positive |= (v_i64)(x == infinity);                                                                      \
        seen->negative |= (v_i64)((magnitude == infinity) & (x < 0));                                                  \
        finite = (v_i64)(magnitude < infinity);                                                                        \
    } while (0)

QUIRE_INLINE v_i64 finite_lanes(exact_choice c, v_i64 raw, specials *seen) {
    const uint64_t infinity_bits = (((uint64_t)1 << exponent_bits(c)) - 1) << (c.format.precision - 1);
    v_i64 finite;
    if (c.format.size == 2)
        FINITE(16);
    else if (c.format.size == 4)
        FINITE(32);
    else
        FINITE(64);
    return finite;
}

QUIRE_INLINE int any_lane(v_i64 x) {
    int64_t any = 0;
    for (int i = 0; i < SIMD_F64; i++) any |= x[i];
    return any != 0;
}

/* The products of one step that are not finite because a factor is not. */
QUIRE_INLINE void note_products(exact_choice c, quire_accumulator *a, const char *x, const char *y) {
    for (int i = 0; i < SIMD_BYTES; i += c.format.size) {
        const double p = c.load_one(x + i), q = c.load_one(y + i);
        if (!double_is_finite(p) || !double_is_finite(q)) accumulator_note(a, c.value_one(p, q));
    }
}

/* Copies steps of elements, zeros for what is not finite, and notes that; for products, zeros for both factors. */
QUIRE_INLINE void copy_finite(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t steps,
                              char *copy_x, char *copy_y) {
    const v_i64 none = { 0 };
    specials seen = { none, none, none };
    for (size_t at = 0; at < steps * SIMD_BYTES; at += SIMD_BYTES) {
        v_i64 p, q = none;
        memcpy(&p, x + at, sizeof p);
        v_i64 finite = finite_lanes(c, p, &seen);
        if (c.is_product) {
            memcpy(&q, y + at, sizeof q);
            finite &= finite_lanes(c, q, &seen);
            q &= finite;
            memcpy(copy_y + at, &q, sizeof q);
            if (any_lane(~finite)) note_products(c, a, x + at, y + at);
        }
        p &= finite;
        memcpy(copy_x + at, &p, sizeof p);
    }
    if (c.is_product) return;
    if (clears_sign(c)) seen.positive |= seen.negative, seen.negative = none;
    if (flips_sign(c)) seen = (specials){ seen.nan, seen.negative, seen.positive };
    if (any_lane(seen.nan)) a->nan = 1;
    if (any_lane(seen.positive)) a->positive_infinity = 1;
    if (any_lane(seen.negative)) a->negative_infinity = 1;
}

#endif
