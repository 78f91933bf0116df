/* indexed.h - the slow ways of exact accumulation. Blocks with NaN or infinities among their elements: what is not
 * finite is noted and replaced by zero in a copy, and the copy can go the way of any other block. And blocks that no
 * window holds: the pairs of bins of method/indexed.h, filled from vectors, or limb by limb. Compiled anew for every
 * format and term.
 *
 * Vectors prepare what is added and where; the additions themselves are one by one, since neighbours may share a bin.
 * They go to columns of their own, so that equal exponents in a row need not wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_INDEXED_H
#define QUIRE_CPU_BLOCK_INDEXED_H

#include "cpu/block/terms.h"
#include "method/indexed.h"

/* ------------------------------------------------------------------------------------------- what is not finite */

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

/* ------------------------------------------------------------------------------------------------ bins, and limbs */

#define BATCH 128 /* elements prepared before they are added: a load must not wait for the store just before it */
#define COLUMNS 4
#define PAIR_WORTHWHILE 256 /* elements; fewer are not worth clearing and emptying all pairs */

/* One element after the other, straight into the limbs; for the few. */
QUIRE_INLINE void slow_limbs(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * (size_t)c.format.size; /* there is no y to read beside a copy of x */
        const double p = c.load_one(x + at), q = c.is_product ? c.load_one(y + at) : p, value = c.value_one(p, q);
        if (!double_is_finite(p) || !double_is_finite(q))
            accumulator_note(a, value);
        else if (c.is_double && c.is_product)
            limbs_add_product(a->limb, p, q);
        else
            limbs_add_double(a->limb, value); /* products of anything narrower fit a double */
    }
}

typedef f64_pair pair_columns[COLUMNS];

QUIRE_INLINE f64_pair *pair_bin(pair_columns *bin, const char *term) {
    uint64_t bits;
    memcpy(&bits, term, sizeof bits);
    return bin[bits >> PAIR_SHIFT & (PAIR_BINS - 1)];
}

/* Adds doubles to the bins, a multiple of COLUMNS of them: each is a pair of its upper and lower part, and goes to the
 * bin of its exponent. Answers whether something was not finite, and bins may then hold anything. */
QUIRE_INLINE int add_pairs(pair_columns *bin, const char *term, size_t n, term_sign signs) {
    const uint64_t sign = (uint64_t)1 << 63;
    u64_pair seen = { 0 };
    for (const char *end = term + 8 * n; term < end; term += 8 * COLUMNS) {
        __builtin_prefetch((const void *)((uintptr_t)term + NEXT_BYTES));
#pragma GCC unroll 2
        for (int k = 0; k < COLUMNS; k += 2) {
            u64_pair bits;
            memcpy(&bits, term + 8 * k, sizeof bits);
            const u64_pair magnitude = bits & ~sign;
            seen |= magnitude + ((uint64_t)1 << 52); /* the exponent of Inf and NaN overflows into the sign */
            /* So does that of a number to be scaled, and 2^63 >> 5 is PAIR_SHIFT_DOWN exponents. */
            const u64_pair high = (magnitude + ((uint64_t)(2048 - 8 * PAIR_SCALED) << 52)) & sign;
            const u64_pair term_bits = signs == SIGN_CLEARED ? magnitude : signs == SIGN_FLIPPED ? bits ^ sign : bits;
            const f64_pair value = (f64_pair)(term_bits - (high >> 5));
            const f64_pair upper = (f64_pair)((u64_pair)value & PAIR_UPPER), lower = value - upper;
            pair_bin(bin, term + 8 * k)[k] += first_of_both(upper, lower);
            pair_bin(bin, term + 8 * k + 8)[k + 1] += second_of_both(upper, lower);
        }
    }
    return ((seen[0] | seen[1]) & sign) != 0;
}

/* Doubles, and products that fit one; n is a multiple of a step and of COLUMNS, and at most PAIR_ADDITIONS. If
 * something was not finite, it must be done again from copies without: what the accumulator notes and holds must not
 * depend on what shared a bin with it. Answers 0 then, having added nothing. */
QUIRE_INLINE int slow_pairs(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n, int copies) {
    pair_columns bin[PAIR_BINS];
    char copy_x[BATCH * 8], copy_y[BATCH * 8], terms[BATCH * 8];
    const size_t size = (size_t)c.format.size, step = (size_t)(STEP_TERMS(c.format.size) * SIMD_F64);
    memset(bin, 0, sizeof bin);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BATCH ? n - done : BATCH;
        const char *p = x + done * size, *q = y + done * size;
        if (copies) copy_finite(c, a, p, q, count / step, copy_x, copy_y), p = copy_x, q = copy_y;
        for (size_t i = 0; i < count && c.is_product; i += step) {
            v_f64 value[4], error[4];
            magnitudes unused = look_at_nothing(c.format.size);
            product_terms(c, p + i * size, q + i * size, value, error, &unused);
            memcpy(terms + 8 * i, value, 8 * step);
        }
        if (add_pairs(bin, c.is_product ? terms : p, count, c.sign)) return 0;
    }
    for (int k = 0; k < PAIR_BINS; k++) {
        f64_pair b = bin[k][0];
        for (int j = 1; j < COLUMNS; j++) b += bin[k][j];
        pair_empty(a, k, b[0]);
        pair_empty(a, k, b[1]);
    }
    return 1;
}

/* Elements narrower than double come here only if they are few: a window holds them all (not so their products).
 * Products of doubles have 106 bits, too many for a pair. */
QUIRE_INLINE void slow_terms(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const int terms = STEP_TERMS(c.format.size) * SIMD_F64;
    const size_t step = (size_t)(terms > COLUMNS ? terms : COLUMNS), size = (size_t)c.format.size;
    while (c.is_double != c.is_product && n >= PAIR_WORTHWHILE) {
        const size_t count = n < PAIR_ADDITIONS ? n - n % step : PAIR_ADDITIONS;
        if (!slow_pairs(c, a, x, y, count, 0)) slow_pairs(c, a, x, y, count, 1);
        x += count * size, y += count * size, n -= count;
    }
    slow_limbs(c, a, x, y, n);
}

/* What terms there are beside -0, as the accumulator's word "other" says it: limbs cannot tell zeros apart, nor from
 * terms that cancel. Most data answers at its first element. */
QUIRE_INLINE int64_t other_terms(exact_choice c, const char *x, const char *y, size_t n) {
    int64_t other = 0;
    for (size_t i = 0; i < n; i++) {
        const double p = c.load_one(x + i * (size_t)c.format.size), q = c.load_one(y + i * (size_t)c.format.size);
        if (p != 0 && q != 0) return other | OTHER_NONZERO;
        if (bits_of_double(c.value_one(p, q)) != 0x8000000000000000) other = 1;
    }
    return other;
}

#endif
