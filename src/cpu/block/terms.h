/* terms.h - the choices that an instance of an exact sum makes, and what follows for its terms: all constant, as each
 * is compiled anew for every format and term. A step of elements as vectors of terms, doubles, of which the magnitudes
 * are noted; and the range of a block: the least and the greatest magnitude of its terms, which show whether a window
 * holds them.
 *
 * A step is one vector of elements, STEP_TERMS(size) vectors of terms. A block is up to BLOCK_ELEMENTS elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_TERMS_H
#define QUIRE_CPU_BLOCK_TERMS_H

#include <float.h>

#include "cpu/simd/scalar.h"
#include "cpu/simd/simd.h"
#include "operation/operations.h"

/* --------------------------------------------------------------------------------------------------------- choices */

#define STREAMS 2 /* a product of doubles is value + error, each in a window of its own; all else has a value alone */
#define SETS 4    /* vectors of each bin, and as many chains of additions that need not wait for each other */
#define BLOCK_ELEMENTS ((size_t)(SETS / 2 * SIMD_F64) << WINDOW_HEADROOM) /* half of what the headroom allows */
_Static_assert(2 * BLOCK_ELEMENTS <= (size_t)(SETS * SIMD_F64) << WINDOW_HEADROOM, "half of the headroom is left");
#define STEP_TERMS(size) (8 / (size))
_Static_assert(STEP_TERMS(2) <= SETS, "a step of the smallest elements makes no more vectors of terms than a bin has");
#define NEXT_BYTES 4096 /* so far ahead is fetched into the first cache: past the pause between blocks */
#define FAR_BYTES 16384 /* and into the second, of arrays that are longer than caches */
#define ERROR_BELOW 53  /* an error is at most 2^-53 of its product, and a multiple of 2^-53 of its unit */

/* All terms are below 2^high in magnitude and multiples of 2^low; high < low if all were zero. */
typedef struct {
    int high, low;
} term_range;
#define RANGE_UNKNOWN 100000 /* a high that no window holds: Inf, NaN, or a product that underflowed */

/* What the bins of a block counted: signed numbers, but whatever stands here when the window did not hold the block
 * must not overflow. */
typedef struct {
    v_u64 count[STREAMS][WINDOW_BINS];
} block_counts;

/* The choices of an instance; all constant. */
typedef struct {
    format_description format;
    int is_double, is_product;
    int is_pair;                  /* terms are of two arrays; else y is x, and not read */
    term_sign sign;               /* what becomes of an element's, see operations.h */
    int floats;                   /* products of 16-bit elements as floats, as long as these hold them */
    v_f32 (*load)(const void *p); /* unless is_double */
    v_f64 (*value)(v_f64 x, v_f64 y);
    v_f64 (*error)(v_f64 x, v_f64 y, v_f64 value);
    double (*load_one)(const void *p);
    double (*value_one)(double x, double y);
    int fetches; /* see exact_function; block_sum makes that constant, too */
} exact_choice;

QUIRE_INLINE int clears_sign(exact_choice c) { return c.sign == SIGN_CLEARED; }
QUIRE_INLINE int flips_sign(exact_choice c) { return c.sign == SIGN_FLIPPED; }
QUIRE_INLINE int has_errors(exact_choice c) { return c.is_double && c.is_product; }
QUIRE_INLINE int exact_streams(exact_choice c) { return has_errors(c) ? 2 : 1; }
QUIRE_INLINE int exponent_bits(exact_choice c) { return 8 * c.format.size - c.format.precision; }
QUIRE_INLINE int exponent_bias(exact_choice c) { return (1 << (exponent_bits(c) - 1)) - 1; }

/* All terms there can be are below 2^highest, and multiples of 2^lowest; of products as floats, all that these hold. */
QUIRE_INLINE int float_products(exact_choice c) {
    return c.floats && c.is_product && 2 * c.format.precision <= FLT_MANT_DIG;
}
QUIRE_INLINE int term_highest(exact_choice c) {
    const int highest = (exponent_bias(c) + 1) * (c.is_product ? 2 : 1);
    return float_products(c) && highest > FLT_MAX_EXP ? FLT_MAX_EXP : highest;
}
QUIRE_INLINE int term_lowest(exact_choice c) {
    const int lowest = c.format.least_exponent * (c.is_product ? 2 : 1), normal = FLT_MIN_EXP - 2 * c.format.precision;
    return float_products(c) && lowest < normal ? normal : lowest;
}

/* Whether there are products that are no normal floats, nor zero: of bfloat16, not of halves. */
QUIRE_INLINE int leaves_floats(exact_choice c) { return float_products(c) && term_highest(c) == FLT_MAX_EXP; }

/* Bytes, bits of the exponent and bits of the fraction of what terms are made doubles from: elements or products. */
QUIRE_INLINE int term_size(exact_choice c) { return float_products(c) ? 4 : c.is_product ? 8 : c.format.size; }
QUIRE_INLINE int term_exponent_bits(exact_choice c) {
    return float_products(c) ? 8 : c.is_product ? 11 : exponent_bits(c);
}
QUIRE_INLINE int term_bias(exact_choice c) { return (1 << (term_exponent_bits(c) - 1)) - 1; }

/* What is narrower than double is widened by shifts, and then stands for 2^-scale times itself. */
QUIRE_INLINE int term_scale(exact_choice c) { return 1023 - term_bias(c); }

/* Whether a window of these bins holds every term there can be, however small: then the least magnitude need not be
 * looked at, and counts as the least there can be. */
QUIRE_INLINE int always_fits(exact_choice c, int bins) {
    return window_range(bins) >= term_highest(c) - term_lowest(c);
}

/* Prefetches what comes after x; perhaps past the end, where it does nothing. */
QUIRE_INLINE void fetch_ahead(exact_choice c, const char *x) {
    __builtin_prefetch((const void *)((uintptr_t)x + NEXT_BYTES));
    if (c.fetches) __builtin_prefetch((const void *)((uintptr_t)x + FAR_BYTES), 0, 2);
}

/* ------------------------------------------------------------------------------------------------------- magnitudes */

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

/* ------------------------------------------------------------------------------------------------------------ steps */

/* Where the elements of a step stand; and of the step that is so many behind it. */
typedef struct {
    const char *x, *y;
} element_step;

QUIRE_INLINE element_step step_behind(element_step first, size_t steps) {
    return (element_step){ first.x + steps * SIMD_BYTES, first.y + steps * SIMD_BYTES };
}

/* A vector of elements as terms, with their signs kept, cleared or flipped. */
QUIRE_INLINE void element_terms(exact_choice c, element_step from, v_f64 *value, magnitudes *m) {
    const int bits = 8 * c.format.size, up = 11 - exponent_bits(c);
    const uint64_t sign = (uint64_t)1 << 63, below = ((uint64_t)1 << (64 - bits - up) % 64) - 1;
    const uint64_t keep = (clears_sign(c) ? 0 : sign) | (((sign >> up) - 1) & ~below);
    const int terms = STEP_TERMS(c.format.size);
    v_u64 raw;
    memcpy(&raw, from.x, sizeof raw);
    look_at(m, (v_i64)raw, c.format.size, !always_fits(c, 1));
    if (c.is_double) {
        value[0] = c.value((v_f64)raw, (v_f64)raw);
        return;
    }
    for (int i = 0; i < terms; i++) {
        value[i] = widen_by_shift(raw, bits, i, exponent_bits(c), keep);
        if (flips_sign(c)) value[i] = -value[i];
    }
}

/* The products of two vectors of elements as floats. */
QUIRE_INLINE void float_product_terms(exact_choice c, const char *x, const char *y, v_f64 *value, magnitudes *m) {
    const uint64_t keep = ~(((uint64_t)7 << 60) | (((uint64_t)1 << 29) - 1));
    for (int i = 0; i < 2; i++) {
        const int at = i * SIMD_F32 * c.format.size;
        const v_f32 a = c.load(x + at), b = c.is_pair ? c.load(y + at) : a, product = a * b;
        look_at(m, (v_i64)product, 4, !always_fits(c, 1));
        if (leaves_floats(c)) m->underflow |= (v_i64)((product == 0) & (a != 0) & (b != 0));
        for (int place = 0; place < 2; place++)
            value[2 * i + place] = widen_by_shift((v_u64)product, 32, place, 8, keep);
    }
}

/* The products of two vectors of elements, and for doubles their errors. */
QUIRE_INLINE void product_terms(exact_choice c, const char *x, const char *y, v_f64 *value, v_f64 *error,
                                magnitudes *m) {
    v_f64 a[4], b[4];
    if (c.is_double) a[0] = double_load_v_f64(x), b[0] = c.is_pair ? double_load_v_f64(y) : a[0];
    for (int i = 0; i < STEP_TERMS(c.format.size) && !c.is_double; i += 2) {
        const int at = i / 2 * SIMD_F32 * c.format.size;
        const v_f32 p = c.load(x + at), q = c.is_pair ? c.load(y + at) : p;
        a[i] = lower_f64(p), a[i + 1] = upper_f64(p);
        b[i] = lower_f64(q), b[i + 1] = upper_f64(q);
    }
    for (int i = 0; i < STEP_TERMS(c.format.size); i++) {
        value[i] = c.value(a[i], b[i]);
        look_at(m, (v_i64)value[i], 8, 1);
        if (!c.is_double) continue;
        error[i] = c.error(a[i], b[i], value[i]);
        m->underflow |= (value[i] == 0) & (a[i] != 0) & (b[i] != 0);
    }
}

QUIRE_INLINE void step_terms(exact_choice c, element_step from, v_f64 *value, v_f64 *error, magnitudes *m) {
    fetch_ahead(c, from.x);
    if (c.is_pair) fetch_ahead(c, from.y);
    if (float_products(c))
        float_product_terms(c, from.x, from.y, value, m);
    else if (c.is_product)
        product_terms(c, from.x, from.y, value, error, m);
    else
        element_terms(c, from, value, m);
}

/* ----------------------------------------------------------------------------------------------------------- ranges */

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
