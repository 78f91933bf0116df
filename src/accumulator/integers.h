/* integers.h - exact sums of integers, and what becomes of them: limbs, a total, digits, a result of 128 bits.
 *
 * THE CONSTANT. A term is a product of two integers of 64 bits at most, below 2^128 in magnitude, and memory holds
 * fewer than 2^60 of them: sums are below 2^188, and 192 bits hold them with their sign. Those of elements themselves
 * are below 2^64 times as many, below 2^124: a result of 128 bits holds them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATOR_INTEGERS_H
#define QUIRE_ACCUMULATOR_INTEGERS_H

#include "accumulator/wide.h"
#include "format/integers.h"

/* Two's complement; the first word is the least. */
#define INTEGER_WORDS 3
typedef struct {
    uint64_t word[INTEGER_WORDS];
} integer_sum;

#define INTEGER_ZERO                                                                                                   \
    {                                                                                                                  \
        { 0, 0, 0 }                                                                                                    \
    }

QUIRE_INLINE void integer_add(integer_sum *s, const integer_sum *from) {
    uint64_t carry = 0;
    for (int i = 0; i < INTEGER_WORDS; i++) {
        const uint64_t with_carry = from->word[i] + carry;
        carry = with_carry < carry;
        s->word[i] += with_carry;
        carry += s->word[i] < with_carry;
    }
}

QUIRE_INLINE void integer_negate(integer_sum *s) {
    uint64_t one = 1;
    for (int i = 0; i < INTEGER_WORDS; i++) {
        s->word[i] = ~s->word[i] + one;
        one = one && !s->word[i];
    }
}

/* Adds v * 2^shift, shift < 64. */
QUIRE_INLINE void integer_add_signed(integer_sum *s, int64_t v, int shift) {
    const integer_sum term = { { (uint64_t)v << shift, (uint64_t)((v >> 1) >> (63 - shift)), (uint64_t)(v >> 63) } };
    integer_add(s, &term);
}

QUIRE_INLINE void integer_add_unsigned(integer_sum *s, uint64_t v, int shift) {
    const integer_sum term = { { v << shift, (v >> 1) >> (63 - shift), 0 } };
    integer_add(s, &term);
}

QUIRE_INLINE int integer_is_zero(const integer_sum *s) { return !(s->word[0] | s->word[1] | s->word[2]); }
QUIRE_INLINE int integer_is_negative(const integer_sum *s) { return s->word[2] >> 63 != 0; }

QUIRE_INLINE integer_sum integer_magnitude(integer_sum s) {
    if (integer_is_negative(&s)) integer_negate(&s);
    return s;
}

/* has_terms: whether a term was not zero. */
QUIRE_INLINE quire_total integer_total(const integer_sum *s, int has_terms) {
    const integer_sum m = integer_magnitude(*s);
    quire_total t = total_zero(integer_is_negative(s));
    t.cancelled = has_terms && integer_is_zero(s);
    t.high = m.word[1], t.low = m.word[0];
    if (m.word[2]) {
        const int shift = leading_zeros(m.word[2]);
        t.high = m.word[2] << shift | (m.word[1] >> 1) >> (63 - shift);
        t.low = m.word[1] << shift | (m.word[0] >> 1) >> (63 - shift);
        t.sticky = m.word[0] << shift != 0;
        t.exponent = 64 - shift;
        return t;
    }
    return total_normalize(t);
}

/* digit has room for WIDE_OF_INTEGER. */
#define WIDE_OF_INTEGER (2 * INTEGER_WORDS)
QUIRE_INLINE wide_integer integer_wide(const integer_sum *s, uint32_t *digit) {
    const integer_sum m = integer_magnitude(*s);
    wide_integer a = { digit, WIDE_OF_INTEGER, 0, integer_is_negative(s) };
    for (int i = 0; i < WIDE_OF_INTEGER; i++) digit[i] = (uint32_t)(m.word[i / 2] >> (i % 2 ? LIMB_BITS : 0));
    return wide_trim(a);
}

/* Takes LIMB_ADDITIONS as one term does. */
QUIRE_INLINE void integer_add_to_limbs(int64_t *limb, const integer_sum *s) {
    for (int i = 0; i < INTEGER_WORDS; i++) {
        const int64_t lower = (int64_t)(s->word[i] & LIMB_MASK), upper = (int64_t)(s->word[i] >> LIMB_BITS);
        const int is_last = i == INTEGER_WORDS - 1;
        limbs_add(limb, lower, 64 * i);
        limbs_add(limb, is_last ? (int64_t)s->word[i] >> LIMB_BITS : upper, 64 * i + LIMB_BITS);
    }
}

/* Whether limbs hold an integer, and one of 128 bits; if so, *s is that. */
QUIRE_INLINE int integer_of_limbs(const int64_t *limb, integer_sum *s) {
    uint32_t digits[WIDE_OF_LIMBS];
    const wide_integer a = wide_of_limbs(limb, digits);
    const int below = a.exponent < 0 ? -a.exponent : 0; /* bits of the first digit that are no integer's */
    const integer_sum zero = INTEGER_ZERO;
    *s = zero;
    if (!a.count) return 1;
    if (below >= LIMB_BITS || a.digit[0] & (((uint32_t)1 << below) - 1)) return 0;
    if (a.exponent + LIMB_BITS * a.count > 128 + LIMB_BITS) return 0;
    for (int i = 0; i < a.count; i++) {
        const int at = a.exponent + LIMB_BITS * i; /* where bit 0 of this digit goes: below 128 + LIMB_BITS */
        const int place = at < 0 ? 0 : at, shift = place % 64;
        const uint64_t v = at < 0 ? a.digit[i] >> -at : a.digit[i];
        s->word[place / 64] |= v << shift;
        if (shift > LIMB_BITS && place / 64 + 1 < INTEGER_WORDS) s->word[place / 64 + 1] |= v >> (64 - shift);
    }
    if (a.negative) integer_negate(s);
    const uint64_t sign = s->word[1] >> 63 ? ~(uint64_t)0 : 0;
    return s->word[2] == sign;
}

/* The result of 128 bits of a sum that it holds. */
QUIRE_INLINE void integer_store(const integer_sum *s, void *to) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const uint64_t words[2] = { s->word[1], s->word[0] };
#else
    const uint64_t words[2] = { s->word[0], s->word[1] };
#endif
    memcpy(__builtin_assume_aligned(to, INT128_ALIGNMENT), words, sizeof words);
}

#endif
