/* indexed.h - the slow ways of exact accumulation, for blocks that no window holds: the pairs of bins of method/indexed.h,
 * filled from vectors, or limb by limb. Compiled anew for every format and term, like window.h.
 *
 * Vectors prepare what is added and where; the additions themselves are one by one, since neighbours may share a bin. They
 * go to columns of their own, so that equal exponents in a row need not wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INDEXED_H
#define QUIRE_CPU_INDEXED_H

#include "cpu/finite.h"
#include "cpu/window.h"
#include "method/indexed.h"

#define BATCH 128 /* elements prepared before they are added: a load must not wait for the store just before it         */
#define COLUMNS 4
#define PAIR_WORTHWHILE 256 /* elements; fewer are not worth clearing and emptying all pairs                             */

/* One element after the other, straight into the limbs; for the few. */
QUIRE_INLINE void slow_limbs(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double p = c.load_one(x + i * (size_t)c.format.size), q = c.load_one(y + i * (size_t)c.format.size);
        const double value = c.value_one(p, q);
        if (!double_is_finite(p) || !double_is_finite(q))
            accumulator_note(a, value);
        else if (c.is_double && c.is_product)
            limbs_add_product(a->limb, p, q);
        else
            limbs_add_double(a->limb, value); /* products of anything narrower fit a double */
    }
}

/* A vector of terms as pairs, upper and lower part, and the places of their bins. */
QUIRE_INLINE void prepare_pairs(v_f64 value, f64_pair *pair, int64_t *index) {
    const v_f64 ones = (v_f64){ 0 } + 1;
    const v_i64 bin = (v_i64)value >> PAIR_SHIFT & (PAIR_BINS - 1), high = bin >= PAIR_SCALED, place = bin * COLUMNS;
    const v_f64 term = value * (v_f64)((high & (v_i64)(ones * PAIR_SCALE)) | (~high & (v_i64)ones));
    const v_f64 upper = (v_f64)((v_i64)term & PAIR_UPPER), lower = term - upper;
    const v_f64 even = even_pairs(upper, lower), odd = odd_pairs(upper, lower);
    memcpy(pair, &even, sizeof even);
    memcpy(pair + SIMD_F64 / 2, &odd, sizeof odd);
    memcpy(index, &place, sizeof place);
}

/* Doubles, and products that fit one; n is a multiple of a step and at most PAIR_ADDITIONS. If something was not finite, it
 * must be done again from copies without: what the accumulator notes and holds must not depend on what shared a bin with
 * it. Answers 0 then, having added nothing. */
QUIRE_INLINE int slow_pairs(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n, int copies) {
    char copy_x[BATCH * 8], copy_y[BATCH * 8];
    f64_pair bin[PAIR_BINS * COLUMNS], pair[BATCH];
    int64_t index[BATCH];
    const size_t step = (size_t)(STEP_TERMS(c.format.size) * SIMD_F64);
    memset(bin, 0, sizeof bin);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BATCH ? n - done : BATCH;
        const char *p = x + done * (size_t)c.format.size, *q = y + done * (size_t)c.format.size;
        if (copies) copy_finite(c, a, p, q, count / step, copy_x, copy_y), p = copy_x, q = copy_y;
        for (size_t i = 0; i < count; i += step) {
            const size_t at = i * (size_t)c.format.size;
            v_f64 value[4], error[4];
            magnitudes unused = look_at_nothing(c.format.size);
            step_terms(c, p + at, q + at, p + at, value, error, &unused);
            for (size_t k = 0; k < STEP_TERMS((size_t)c.format.size); k++)
                prepare_pairs(value[k], pair + i + k * SIMD_F64, index + i + k * SIMD_F64);
        }
        settle(pair), settle(index);
        for (size_t i = 0; i < count; i += SIMD_F64)
#pragma GCC unroll 8
            for (size_t j = 0; j < SIMD_F64; j++)
                bin[(size_t)index[i + j] + j % COLUMNS] += pair[i + j / 2 + j % 2 * (SIMD_F64 / 2)];
    }
    for (int k = PAIR_BINS - 1; k >= 0; k--) { /* what is not finite is in the last bin, if anywhere */
        f64_pair b = bin[k * COLUMNS];
        for (int j = 1; j < COLUMNS; j++) b += bin[k * COLUMNS + j];
        if (!double_is_finite(b[0]) || !double_is_finite(b[1])) return 0;
        pair_empty(a, k, b[0]);
        pair_empty(a, k, b[1]);
    }
    return 1;
}

/* Elements narrower than double come here only if they are few: a window holds them all (not so their products). Products of
 * doubles have 106 bits, too many for a pair. */
QUIRE_INLINE void slow_terms(exact_choice c, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const size_t step = (size_t)(STEP_TERMS(c.format.size) * SIMD_F64), size = (size_t)c.format.size;
    while (c.is_double != c.is_product && n >= PAIR_WORTHWHILE) {
        const size_t count = n < PAIR_ADDITIONS ? n - n % step : PAIR_ADDITIONS;
        if (!slow_pairs(c, a, x, y, count, 0)) slow_pairs(c, a, x, y, count, 1);
        x += count * size, y += count * size, n -= count;
    }
    slow_limbs(c, a, x, y, n);
}

/* Whether there is nothing but -0, which the limbs cannot tell from +0. Most data answers at its first element. */
QUIRE_INLINE int negative_zeros(exact_choice c, const char *x, const char *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double p = c.load_one(x + i * (size_t)c.format.size), q = c.load_one(y + i * (size_t)c.format.size);
        if (p != 0 && q != 0) return 0;
        if (bits_of_double(c.value_one(p, q)) != 0x8000000000000000) return 0;
    }
    return 1;
}

#endif
