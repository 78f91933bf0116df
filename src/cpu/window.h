/* window.h - exact accumulation of blocks of elements through the windows of method/window.h, on vectors: the part of
 * exact.c that is compiled anew for every format and term.
 *
 * A step is SIMD_F32 elements: two vectors of doubles, whatever the format. A block is up to BLOCK_STEPS steps. What its
 * bins counted comes out together with the range of its terms, and the range tells whether the window held them all. If it
 * did not, the counts are dropped and the block is done again in another way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_WINDOW_H
#define QUIRE_CPU_WINDOW_H

#include "cpu/scalar.h"
#include "cpu/simd.h"

#define REAL v_f64
#define SUFFIX v_f64
#include "method/lanes.h"

#define REAL v_f64
#define INTEGER v_i64
#define SUFFIX v_f64
#include "method/window.h"

#define STREAMS 2 /* a product of doubles is value + error, each in a window of its own; all else has a value alone      */
#define SETS 4    /* vectors of each bin: two steps at a time, and as many chains of additions                           */
#define BLOCK_STEPS ((SETS / 2) << WINDOW_HEADROOM)
#define BLOCK_ELEMENTS ((size_t)BLOCK_STEPS * SIMD_F32)
#define ERROR_BELOW 53 /* an error is at most 2^-53 of its product, and a multiple of 2^-53 of its unit                  */

/* All terms are below 2^high in magnitude and multiples of 2^low; high < low if all were zero. */
typedef struct {
    int high, low;
} term_range;
#define RANGE_UNKNOWN 100000 /* a high that no window holds: Inf, NaN, or a product that underflowed                     */

typedef struct {
    v_i64 count[STREAMS][WINDOW_BINS];
} block_counts;

/* The least and the greatest magnitude, as bit patterns. least is biased so that zero, which has no exponent, counts as
 * the greatest of all. Elements that decode to float are looked at as floats, products and doubles as doubles. */
typedef struct {
    v_i32 least_f32, most_f32;
    v_i64 least_f64, most_f64, underflow;
} magnitudes;

/* The choices of an instance; all constant. */
typedef struct {
    format_description format;
    int is_double, is_product;
    v_f32 (*load)(const void *p); /* unless is_double                                                                   */
    v_f64 (*value)(v_f64 x, v_f64 y);
    v_f64 (*error)(v_f64 x, v_f64 y, v_f64 value);
    double (*load_one)(const void *p);
    double (*value_one)(double x, double y);
} exact_choice;

QUIRE_INLINE void look_at_f32(magnitudes *m, v_f32 x) {
    v_i32 magnitude = (v_i32)abs_v_f32(x);
    m->most_f32 = max_v_i32(m->most_f32, magnitude);
    m->least_f32 = min_v_i32(m->least_f32, (v_i32)((v_u32)magnitude + INT32_MAX));
}

QUIRE_INLINE void look_at_f64(magnitudes *m, v_f64 x) {
    v_i64 magnitude = (v_i64)abs_v_f64(x);
    m->most_f64 = max_v_i64(m->most_f64, magnitude);
    m->least_f64 = min_v_i64(m->least_f64, (v_i64)((v_u64)magnitude + INT64_MAX));
}

QUIRE_INLINE magnitudes look_at_nothing(void) {
    const v_i32 none_32 = { 0 };
    const v_i64 none_64 = { 0 };
    magnitudes m = { none_32 + INT32_MAX, none_32, none_64 + INT64_MAX, none_64, none_64 };
    return m;
}

/* What was seen, as a range. A subnormal is a multiple of the least normal number's unit. */
QUIRE_INLINE term_range range_of(const magnitudes *m, exact_choice c) {
    int most_field, least_field, bias, known;
    if (c.is_double || c.is_product) {
        int64_t most = 0, least = INT64_MAX, underflow = 0;
        for (int i = 0; i < SIMD_F64; i++) {
            if (m->most_f64[i] > most) most = m->most_f64[i];
            if (m->least_f64[i] < least) least = m->least_f64[i];
            underflow |= m->underflow[i];
        }
        most_field = (int)(most >> 52) + (most != 0); /* 0 for zero, else one more than the exponent field              */
        least_field = (int)(((uint64_t)least - INT64_MAX) >> 52);
        bias = 1023;
        known = most < 0x7ff0000000000000 && !underflow;
    } else {
        int32_t most = 0, least = INT32_MAX;
        for (int i = 0; i < SIMD_F32; i++) {
            if (m->most_f32[i] > most) most = m->most_f32[i];
            if (m->least_f32[i] < least) least = m->least_f32[i];
        }
        most_field = (int)(most >> 23) + (most != 0);
        least_field = (int)(((uint32_t)least - INT32_MAX) >> 23);
        bias = 127;
        known = most < 0x7f800000;
    }
    const int precision = c.is_product && !c.is_double ? 2 * c.format.precision : c.format.precision; /* of a term        */
    term_range r = { most_field - bias, (least_field ? least_field : 1) - bias - (precision - 1) };
    if (!most_field) r.high = r.low - 1;
    else if (!known || (c.is_double && c.is_product && r.low - ERROR_BELOW < -1074)) r.high = RANGE_UNKNOWN;
    return r;
}

/* The two vectors of terms of a step, and their errors. */
QUIRE_INLINE void step_terms(exact_choice c, const char *x, const char *y, v_f64 *value, v_f64 *error, magnitudes *m) {
    v_f64 a[2], b[2];
    if (c.is_double) {
        a[0] = double_load_v_f64(x), a[1] = double_load_v_f64(x + SIMD_BYTES);
        b[0] = double_load_v_f64(y), b[1] = double_load_v_f64(y + SIMD_BYTES);
    } else {
        v_f32 p = c.load(x), q = c.load(y);
        if (!c.is_product) look_at_f32(m, p);
        a[0] = lower_f64(p), a[1] = upper_f64(p);
        b[0] = lower_f64(q), b[1] = upper_f64(q);
    }
    for (int i = 0; i < 2; i++) {
        value[i] = c.value(a[i], b[i]);
        if (c.is_double || c.is_product) look_at_f64(m, value[i]);
        if (!c.is_double || !c.is_product) continue;
        error[i] = c.error(a[i], b[i], value[i]);
        m->underflow |= (value[i] == 0) & (a[i] != 0) & (b[i] != 0);
    }
}

/* One block. steps <= BLOCK_STEPS. */
QUIRE_INLINE term_range block_sum(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                  block_counts *counts) {
    const int streams = c.is_double && c.is_product ? 2 : 1;
    const v_f64 zero = { 0 };
    magnitudes m = look_at_nothing();
    v_f64 bin[STREAMS][SETS][WINDOW_BINS];
    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++)
            for (int set = 0; set < SETS; set++) bin[s][set][k] = zero + window_start(top - s * ERROR_BELOW, k);

    const size_t step_bytes = (size_t)(SIMD_F32 * c.format.size);
    for (size_t step = 0; step < steps;) {
        const size_t together = steps - step >= SETS / 2 ? SETS / 2 : 1;
#pragma GCC unroll 4
        for (int u = 0; u < SETS / 2; u++) {
            if ((size_t)u >= together) break;
            v_f64 value[2], error[2];
            const size_t at = (step + (size_t)u) * step_bytes;
            step_terms(c, x + at, y + at, value, error, &m);
            for (int i = 0; i < 2; i++) {
                window_add_v_f64(bin[0][2 * u + i], bins, value[i]);
                if (streams == 2) window_add_v_f64(bin[1][2 * u + i], bins, error[i]);
            }
        }
        step += together;
    }

    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++) {
            const v_f64 start = zero + window_start(top - s * ERROR_BELOW, k);
            v_i64 sum = window_count_v_f64(bin[s][0][k], start);
            for (int set = 1; set < SETS; set++) sum += window_count_v_f64(bin[s][set][k], start);
            counts->count[s][k] = sum;
        }
    return range_of(&m, c);
}

#endif
