/* choice.h - the choices that an instance of an exact sum makes, and what follows for its terms: all constant, as each
 * is compiled anew for every format and term.
 *
 * A step is one vector of elements, STEP_TERMS(size) vectors of terms. A block is up to BLOCK_ELEMENTS elements, by
 * integers more. What its bins counted comes out together with the range of its terms (terms.h), and the range shows
 * whether the window held them all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_CHOICE_H
#define QUIRE_CPU_BLOCK_CHOICE_H

#include <float.h>

#include "cpu/simd/scalar.h"
#include "cpu/simd/simd.h"
#include "operation/operations.h"

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
    v_f32 (*first)(const void *p, int n, v_f32 others);
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

/* The fewest bins that are tried: where two hold all there can be, one is not worth it. */
QUIRE_INLINE int least_bins(exact_choice c) { return !always_fits(c, 1) && always_fits(c, 2) ? 2 : 1; }

/* Prefetches what comes after x; perhaps past the end, where it does nothing. */
QUIRE_INLINE void fetch_ahead(exact_choice c, const char *x) {
    __builtin_prefetch((const void *)((uintptr_t)x + NEXT_BYTES));
    if (c.fetches) __builtin_prefetch((const void *)((uintptr_t)x + FAR_BYTES), 0, 2);
}

#endif
