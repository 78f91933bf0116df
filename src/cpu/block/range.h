/* range.h - the range of a block: the least and the greatest magnitude of its terms, which show whether a window holds
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_RANGE_H
#define QUIRE_CPU_BLOCK_RANGE_H

#include "cpu/block/choice.h"

/* The least and the greatest magnitude, as bit patterns of elements, or of products. least is biased so that zero,
 * which has no exponent, counts as the greatest of all. */
typedef struct {
    v_i64 least, most, underflow;
} magnitudes;

#define LOOK_AT(bits)                                                                                                  \
    do {                                                                                                               \
        const v_i##bits magnitude = (v_i##bits)raw & INT##bits##_MAX;                                                  \
        m->most = (v_i64)max_v_i##bits((v_i##bits)m->most, magnitude);                                                 \
        if (least_too)                                                                                                 \
            m->least = (v_i64)min_v_i##bits((v_i##bits)m->least, (v_i##bits)((v_u##bits)magnitude + INT##bits##_MAX)); \
    } while (0)

QUIRE_INLINE void look_at(magnitudes *m, v_i64 raw, int size, int least_too) {
    if (size == 2)
        LOOK_AT(16);
    else if (size == 4)
        LOOK_AT(32);
    else
        LOOK_AT(64);
}

QUIRE_INLINE magnitudes look_at_nothing(int size) {
    const v_i64 none = { 0 };
    const uint64_t greatest = size == 2 ? 0x7fff7fff7fff7fff : size == 4 ? 0x7fffffff7fffffff : 0x7fffffffffffffff;
    magnitudes m = { (v_i64)((v_u64)none + greatest), none, none };
    return m;
}

/* One lane of the two, as 64-bit numbers. */
QUIRE_INLINE void look_closer(const char *least, const char *most, int size, int64_t *low, int64_t *high) {
    int16_t l16, h16;
    int32_t l32, h32;
    if (size == 2)
        memcpy(&l16, least, 2), memcpy(&h16, most, 2), *low = l16, *high = h16;
    else if (size == 4)
        memcpy(&l32, least, 4), memcpy(&h32, most, 4), *low = l32, *high = h32;
    else
        memcpy(low, least, 8), memcpy(high, most, 8);
}

/* The same of products of doubles that go to an approximate window, by half the greatest sum of two bit patterns. Its
 * field is the sum of both exponents, s. Where the fractions carry into it, s is one more than the product's and the
 * product is below 2 * 2^s; where they do not, a + b < 1 and (1 + a) (1 + b) <= (1 + 1/2)^2 = 9/4, so that it is below
 * 4 * 2^s, the limit. (2 * 2^s would do for the bins, which is an eighth too little: a block takes half of what the
 * headroom allows.) How small products are is not known. None reaches term_highest, and no window has a higher top: a
 * range beyond it would be looked for in vain. */
QUIRE_INLINE term_range factor_range(exact_choice c, int64_t most, int infinite) {
    term_range r = { (int)(most >> 51) - 2 * 1023 + 2, term_lowest(c) };
    if (r.high > term_highest(c)) r.high = term_highest(c);
    if (infinite) r.high = RANGE_UNKNOWN;
    return r;
}

/* What was seen, as a range. A subnormal counts as a number with the least normal exponent: it is a multiple of that
 * unit.
 */
QUIRE_INLINE term_range range_of(const magnitudes *m, exact_choice c) {
    const int size = term_size(c), stored = 8 * size - 1 - term_exponent_bits(c), bias = term_bias(c);
    const int precision = c.is_product && !c.is_double ? 2 * c.format.precision : c.format.precision; /* of a term */
    const int64_t zero = size == 2 ? INT16_MAX : size == 4 ? INT32_MAX : INT64_MAX;
    int64_t least = zero, most = 0, underflow = 0;
    for (int i = 0; i < SIMD_BYTES / size; i++) {
        int64_t low, high;
        look_closer((const char *)&m->least + i * size, (const char *)&m->most + i * size, size, &low, &high);
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    for (int i = 0; i < SIMD_F64 && (has_errors(c) || leaves_floats(c)); i++) underflow |= m->underflow[i];
    /* Take the bias off again; modulo the width, as it went on. */
    const uint64_t smallest = ((uint64_t)least - (uint64_t)zero) & (uint64_t)zero;
    const int greatest_field = (int)(most >> stored), least_field = (int)(smallest >> stored);
    if (scales_factors(c)) return factor_range(c, most, underflow != 0);
    term_range r = { (greatest_field ? greatest_field : 1) + 1 - bias,
                     (least_field ? least_field : 1) - bias - (precision - 1) };
    if (float_products(c) && r.low < term_lowest(c)) r.low = term_lowest(c); /* it was not looked at */
    if (greatest_field == 2 * bias + 1 || underflow)
        r.high = RANGE_UNKNOWN;
    else if (!most)
        r.high = r.low - 1;
    else if ((has_errors(c) && r.low - ERROR_BELOW < -1074) || (leaves_floats(c) && !least_field))
        r.high = RANGE_UNKNOWN;
    return r;
}

#endif
