/* window.h - exact accumulation of blocks of elements through the windows of method/window.h, on vectors: the part of
 * exact.c that is compiled anew for every format and term.
 *
 * A step is one vector of elements, STEP_TERMS(size) vectors of terms. A block is up to BLOCK_ELEMENTS elements, by integers
 * INTEGER_BLOCKS times as many. What its bins counted comes out together with the range of its terms, and the range tells
 * whether the window held them all. If it did not, the counts are dropped and the block is done again in another way.
 *
 * A loose window, of LOOSE_BINS bins, holds whatever is below its top: the addition to the last bin rounds to its unit,
 * which loses at most half of that for each term. What a double loses when it is scaled, at most 2^-1022, counts as a part
 * of that: the rest that comes to the last bin is then below half its unit, and all of it is lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_WINDOW_H
#define QUIRE_CPU_WINDOW_H

#include <float.h>

#include "cpu/simd/scalar.h"
#include "cpu/simd/simd.h"

#define REAL v_f64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "method/lanes.h"

#define REAL v_f64
#define INTEGER v_u64
#define SUFFIX v_f64
#define SUBTRACT SIMD_SUBTRACT_F64
#include "method/window.h"

#define STREAMS 2 /* a product of doubles is value + error, each in a window of its own; all else has a value alone      */
#define GROUP 8   /* vectors of terms that go through many bins together                                                 */
#define SETS 4    /* vectors of each bin, and as many chains of additions that need not wait for each other              */
#define BLOCK_ELEMENTS ((size_t)(SETS / 2 * SIMD_F64) << WINDOW_HEADROOM) /* half of what the headroom allows */
_Static_assert(2 * BLOCK_ELEMENTS <= (size_t)(SETS * SIMD_F64) << WINDOW_HEADROOM,
               "terms may be twice as large as the top says");
#define INTEGER_BLOCKS 8 /* as many in a long one, where one bin takes 16-bit elements as integers                      */
#define STEP_TERMS(size) (8 / (size))
#define NEXT_BYTES 4096 /* so far ahead is fetched into the first cache: past the pause between blocks                   */
#define FAR_BYTES 16384 /* and into the second, of arrays that are longer than caches                                    */
#define ERROR_BELOW 53  /* an error is at most 2^-53 of its product, and a multiple of 2^-53 of its unit                  */
#define LOOSE_BINS 2    /* a correctly rounded double of 2^20 terms needs no more, unless they cancel                      */
#define LOOSE_SCALE 16  /* brings the greatest double below WINDOW_GREATEST_TOP */
#define LOOSE_LEAST_TOP (window_least_top(LOOSE_BINS) + 53) /* of scaled terms: half a unit is 2^-1022 */

/* All terms are below 2^high in magnitude and multiples of 2^low; high < low if all were zero. */
typedef struct {
    int high, low;
} term_range;
#define RANGE_UNKNOWN 100000 /* a high that no window holds: Inf, NaN, or a product that underflowed                     */

/* What the bins of a block counted: signed numbers, but whatever stands here when the window did not hold the block must
 * not overflow. */
typedef struct {
    v_u64 count[STREAMS][WINDOW_BINS];
} block_counts;

/* The choices of an instance; all constant. */
typedef struct {
    format_description format;
    int is_double, is_product, keep_sign; /* keep_sign 0: magnitudes                                                    */
    int loose;
    int floats;                   /* products of 16-bit elements as floats, as long as these hold them                   */
    v_f32 (*load)(const void *p); /* unless is_double                                                                   */
    v_f32 (*first)(const void *p, int n, v_f32 others);
    v_f64 (*value)(v_f64 x, v_f64 y);
    v_f64 (*error)(v_f64 x, v_f64 y, v_f64 value);
    double (*load_one)(const void *p);
    double (*value_one)(double x, double y);
    int fetches; /* see exact_function; block_sum makes that constant, too                                              */
} exact_choice;

QUIRE_INLINE int has_errors(exact_choice c) { return c.is_double && c.is_product; }
QUIRE_INLINE int scales_factors(exact_choice c) { return has_errors(c) && c.loose; }
QUIRE_INLINE int exact_streams(exact_choice c) { return has_errors(c) && !c.loose ? 2 : 1; }
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
QUIRE_INLINE int term_exponent_bits(exact_choice c) { return float_products(c) ? 8 : c.is_product ? 11 : exponent_bits(c); }
QUIRE_INLINE int term_bias(exact_choice c) { return (1 << (term_exponent_bits(c) - 1)) - 1; }

/* What is narrower than double is widened by shifts, and then stands for 2^-scale times itself. */
QUIRE_INLINE int term_scale(exact_choice c) {
    return 1023 - term_bias(c) + (c.is_double && !c.is_product && c.loose ? LOOSE_SCALE : 0);
}

/* Whether so many bins hold every term there can be, however small: then the least magnitude need not be looked at, and
 * counts as the least there can be. */
QUIRE_INLINE int always_fits(exact_choice c, int bins) { return window_range(bins) >= term_highest(c) - term_lowest(c); }

/* The fewest bins that are tried: where two hold all there can be, one is not worth it. */
QUIRE_INLINE int least_bins(exact_choice c) { return !always_fits(c, 1) && always_fits(c, 2) ? 2 : 1; }

/* Asks for what comes after x; perhaps past the end, where it does nothing. */
QUIRE_INLINE void fetch_ahead(exact_choice c, const char *x) {
    __builtin_prefetch((const void *)((uintptr_t)x + NEXT_BYTES));
    if (c.fetches) __builtin_prefetch((const void *)((uintptr_t)x + FAR_BYTES), 0, 2);
}

#include "cpu/block/range.h"
#include "cpu/block/groups.h"

/* Whether blocks with so many bins go one of those ways; how many bits a window then holds, perhaps fewer than there is room
 * for. */
#ifdef SIMD_HAS_PAIRS
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return c.format.size == 2 && !c.is_product && bins == 1; }
QUIRE_INLINE int as_groups(exact_choice c, int bins) {
    return c.format.size == 2 && exponent_bits(c) == 8 && !c.is_product && bins == WINDOW_BINS;
}
QUIRE_INLINE int window_reach(exact_choice c, int bins) {
    return as_integers(c, bins) ? integers_reach(c) : window_range(bins);
}
#else
QUIRE_INLINE int window_reach(exact_choice c, int bins) { return (void)c, window_range(bins); }
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return (void)c, (void)bins, 0; }
#endif

/* The most elements of a block in one bin: where there are integers in its place, its ends cost more than it counts. */
QUIRE_INLINE size_t longest_block(exact_choice c) { return (as_integers(c, 1) ? INTEGER_BLOCKS : 1) * BLOCK_ELEMENTS; }

/* --------------------------------------------------------------------------------------------------- terms and blocks */

/* Doubles times 2^-LOOSE_SCALE, by their exponents; what has no normal number for that becomes something less than the least
 * one. (A multiplication would do, but for what it costs some processors to make a subnormal.) */
QUIRE_INLINE v_f64 scaled_down(v_f64 x) {
    const v_i64 magnitude = (v_i64)abs_v_f64(x), sign = (v_i64)x ^ magnitude;
    return (v_f64)(max_v_i64(magnitude - ((int64_t)LOOSE_SCALE << 52), (v_i64){ 0 }) | sign);
}

/* A vector of elements that are terms themselves, or their magnitudes. Those in the lower half of a 64-bit lane stand in
 * the upper half when loaded four bytes early, which saves a shift. */
QUIRE_INLINE void element_terms(exact_choice c, const char *x, const char *early, v_f64 *value, magnitudes *m) {
    const int bits = 8 * c.format.size, up = 11 - exponent_bits(c);
    const uint64_t sign = (uint64_t)1 << 63, below = ((uint64_t)1 << (64 - bits - up) % 64) - 1;
    const uint64_t keep = (c.keep_sign ? sign : 0) | (((sign >> up) - 1) & ~below);
    const int terms = STEP_TERMS(c.format.size);
    v_u64 raw, raised;
    memcpy(&raw, x, sizeof raw);
    look_at(m, (v_i64)raw, c.format.size, !always_fits(c, 1));
    if (c.is_double) {
        value[0] = c.value((v_f64)raw, (v_f64)raw);
        if (c.loose) value[0] = scaled_down(value[0]);
        return;
    }
    memcpy(&raised, early, sizeof raised);
    for (int i = 0; i < terms / 2; i++) {
        value[i] = widen_by_shift(raised, bits, terms / 2 + i, exponent_bits(c), keep);
        value[terms / 2 + i] = widen_by_shift(raw, bits, terms / 2 + i, exponent_bits(c), keep);
    }
}

/* Products of doubles spread over twice the exponents that doubles have. For a loose window they come times 2^(-2 *
 * factor_scale(top)), below 2^200, and a factor so small that its product with whatever other is below half the window's
 * unit comes as 0, so that no scaled one is subnormal. */
QUIRE_INLINE int factor_scale(int top) { return top > 200 ? top / 2 : 0; }
QUIRE_INLINE int64_t least_factor(int top) {
    return top > 200 ? (int64_t)(window_unit(top, LOOSE_BINS - 1) - 1 - 1024 + 1023) << 52 : 0;
}

QUIRE_INLINE v_f64 scaled_factor(v_i64 magnitude, v_i64 bits, int top) {
    const v_i64 scaled = magnitude - ((int64_t)factor_scale(top) << 52);
    return (v_f64)((scaled & (magnitude >= least_factor(top))) | (magnitude ^ bits));
}

QUIRE_INLINE void loose_product_terms(exact_choice c, const char *x, const char *y, int top, v_f64 *value, v_f64 *error,
                                      magnitudes *m) {
    v_i64 a, b;
    memcpy(&a, x, sizeof a), memcpy(&b, y, sizeof b);
    const v_i64 p = a & INT64_MAX, q = b & INT64_MAX, infinity = (v_i64){ 0 } + ((int64_t)2047 << 52);
    m->most = max_v_i64(m->most, (p >> 1) + (q >> 1));
    m->underflow |= (p >= infinity) | (q >= infinity);
    const v_f64 u = scaled_factor(p, a, top), v = scaled_factor(q, b, top);
    *value = c.value(u, v);
    *error = c.error(u, v, *value);
}

/* The products of two vectors of elements as floats. */
QUIRE_INLINE void float_product_terms(exact_choice c, const char *x, const char *y, v_f64 *value, magnitudes *m) {
    const uint64_t keep = ~(((uint64_t)7 << 60) | (((uint64_t)1 << 29) - 1));
    for (int i = 0; i < 2; i++) {
        const int at = i * SIMD_F32 * c.format.size;
        const v_f32 a = c.load(x + at), b = c.load(y + at), product = a * b;
        look_at(m, (v_i64)product, 4, !always_fits(c, least_bins(c)));
        if (leaves_floats(c)) m->underflow |= (v_i64)((product == 0) & (a != 0) & (b != 0));
        for (int place = 0; place < 2; place++) value[2 * i + place] = widen_by_shift((v_u64)product, 32, place, 8, keep);
    }
}

/* The products of two vectors of elements, and for doubles their errors. */
QUIRE_INLINE void product_terms(exact_choice c, const char *x, const char *y, v_f64 *value, v_f64 *error, magnitudes *m) {
    v_f64 a[4], b[4];
    if (c.is_double) a[0] = double_load_v_f64(x), b[0] = double_load_v_f64(y);
    for (int i = 0; i < STEP_TERMS(c.format.size) && !c.is_double; i += 2) {
        const int at = i / 2 * SIMD_F32 * c.format.size;
        const v_f32 p = c.load(x + at), q = c.load(y + at);
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

QUIRE_INLINE void step_terms(exact_choice c, const char *x, const char *y, const char *early, int top, v_f64 *value,
                             v_f64 *error, magnitudes *m) {
    if (scales_factors(c))
        loose_product_terms(c, x, y, top, value, error, m);
    else if (float_products(c))
        float_product_terms(c, x, y, value, m);
    else if (c.is_product)
        product_terms(c, x, y, value, error, m);
    else
        element_terms(c, x, early, value, m);
}

typedef struct {
    v_f64 bin[STREAMS][SETS][WINDOW_BINS];
} window_bins;

/* Some steps through the bins, all their terms together bin by bin: so the processor need not look far ahead for additions
 * that do not wait for each other. early is x four bytes early, or a copy of it. */
QUIRE_INLINE void add_steps(exact_choice c, int bins, const char *x, const char *y, const char *early, int steps, int top,
                            window_bins *b, magnitudes *m) {
    const int terms = STEP_TERMS(c.format.size), count = steps * terms;
    v_f64 value[GROUP], error[GROUP];
#pragma GCC unroll 8
    for (int u = 0; u < steps; u++) {
        const int at = u * SIMD_BYTES;
        fetch_ahead(c, x + at);
        if (c.is_product) fetch_ahead(c, y + at);
        step_terms(c, x + at, y + at, u ? x + at - 4 : early, top, value + terms * u, error + terms * u, m);
    }
#pragma GCC unroll 8
    for (int k = 0; k < bins; k++)
#pragma GCC unroll 8
        for (int i = 0; i < count; i++) {
            value[i] = window_take_v_f64(&b->bin[0][i % SETS][k], value[i]);
            if (exact_streams(c) == 2) error[i] = window_take_v_f64(&b->bin[1][i % SETS][k], error[i]);
        }
    if (!scales_factors(c)) return;
        /* Errors are less than what comes to the last bin otherwise; with them it takes all the additions that it can. */
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) b->bin[0][i % SETS][bins - 1] += error[i];
}

QUIRE_INLINE term_range block_sum_as(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                     block_counts *counts) {
    const int streams = exact_streams(c), together = (bins > 2 && streams == 1 ? GROUP : SETS) / STEP_TERMS(c.format.size);
    const v_f64 zero = { 0 };
    magnitudes m = look_at_nothing(term_size(c));
#ifdef SIMD_HAS_PAIRS
    if (as_integers(c, bins)) {
        counts->count[0][0] = integers_count(c, x, steps, top, window_unit(top, 0), &m);
        return range_of(&m, c);
    }
    if (as_groups(c, bins)) {
        groups_count(c, x, steps, top, counts->count[0], &m);
        return range_of(&m, c);
    }
#endif
    window_bins b;
    const int scaled_top = top - (scales_factors(c) ? 2 * factor_scale(top) : term_scale(c));
    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++)
            for (int set = 0; set < SETS; set++) b.bin[s][set][k] = zero + window_start(scaled_top - s * ERROR_BELOW, k);

    char first[SIMD_BYTES] = { 0 };
    if (steps) memcpy(first + 4, x, sizeof first - 4);
    size_t step = 0;
    for (; steps - step >= (size_t)together; step += (size_t)together) {
        const size_t at = step * SIMD_BYTES;
        add_steps(c, bins, x + at, y + at, step ? x + at - 4 : first, together, top, &b, &m);
    }
    for (; step < steps; step++) {
        const size_t at = step * SIMD_BYTES;
        add_steps(c, bins, x + at, y + at, step ? x + at - 4 : first, 1, top, &b, &m);
    }

    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++) {
            const v_f64 start = zero + window_start(scaled_top - s * ERROR_BELOW, k);
            v_u64 sum = window_count_v_f64(b.bin[s][0][k], start);
            for (int set = 1; set < SETS; set++) sum += window_count_v_f64(b.bin[s][set][k], start);
            counts->count[s][k] = sum;
        }
    return range_of(&m, c);
}

/* One block of steps * STEP_TERMS * SIMD_F64 elements, at most BLOCK_ELEMENTS; or in one bin, longest_block. Whether it
 * fetches far ahead is asked once: in the loops it would cost a tenth. Short vectors compute for so long that memory does
 * not matter. */
QUIRE_INLINE term_range block_sum(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top, int fetches,
                                  block_counts *counts) {
    c.fetches = 1;
    if (fetches && SIMD_BYTES > 16) return block_sum_as(c, bins, x, y, steps, top, counts);
    c.fetches = 0;
    return block_sum_as(c, bins, x, y, steps, top, counts);
}

#endif
