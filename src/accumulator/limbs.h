/* limbs.h - the fixed-point accumulator: adding to it, carrying, and its total.
 *
 * THE CONSTANTS. The least thing ever added is the square of the least double, (2^-1074)^2 = 2^-2148: limb 0 counts in
 * that unit. The greatest sum is 2^64 squares of the greatest double, below 2^64 * 2^2048 = 2^2112. From 2^-2148 to
 * 2^2112 and a sign take 4261 bits, 134 limbs of 32; one more absorbs whatever billions of merged accumulators could
 * carry up.
 *
 * Limbs are 64 bits wide and hold 32, so that a limb takes 2^30 additions of 2^33 before a carry. Adding needs no carry
 * and commutes: threads, devices and ranks may add in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATOR_LIMBS_H
#define QUIRE_ACCUMULATOR_LIMBS_H

#include "accumulator/total.h"
#include "quire/quire.h"

#define LIMB_BITS 32
#define LIMB_MASK 0xffffffff
#define LIMB_LEAST_EXPONENT (2 * -1074)
#ifndef LIMB_ADDITIONS                   /* tests/exact/counted_carries.h has fewer */
#define LIMB_ADDITIONS ((size_t)1 << 29) /* additions to a carried accumulator that need no carry */
#endif

/* Who adds element after element carries when this number has been added, and perhaps one stretch more. An element adds
 * to a limb twice at most, for the two pieces of a product of doubles overlap. Half of what limbs can take must be
 * enough for that; the other half is the caller's. */
#define CARRY_ELEMENTS (LIMB_ADDITIONS / 16)
#define CARRIES_IN_TIME(stretch) (2 * (CARRY_ELEMENTS + (stretch)) <= LIMB_ADDITIONS / 2)

/* Carried accumulators whose words add up before the next carry, and with what it carries up: those of threads' pieces,
 * and of whoever merges by other means. */
#define LIMB_MERGES ((int64_t)1 << 31)
QUIRE_STATIC_ASSERT(LIMB_MERGES *LIMB_MASK <= INT64_MAX - (LIMB_MERGES - 1), "what is below carries up less");

/* What the word "other" is once a term was no zero; 1 if there was but +0. Of 2^31 accumulators, as many as are merged
 * before a carry, neither the ones reach this number, nor these numbers 2^63. All its bits are ones, so that it may be
 * or-ed in. */
#define OTHER_NONZERO (((int64_t)1 << 32) - 1)

#define LIMB_GREATEST_EXPONENT (2 * 1024 + 64)
#if (LIMB_GREATEST_EXPONENT - LIMB_LEAST_EXPONENT + 1 + LIMB_BITS - 1) / LIMB_BITS + 1 != QUIRE_ACCUMULATOR_LIMBS
#error "QUIRE_ACCUMULATOR_LIMBS does not follow from the range"
#endif

/* Adds m * 2^q; q >= LIMB_LEAST_EXPONENT. No piece that is added to a limb exceeds 2^33 in magnitude: LIMB_ADDITIONS of
 * them are the caller's to count. */
QUIRE_INLINE void limbs_add(int64_t *limb, int64_t m, int q) {
    int place = q - LIMB_LEAST_EXPONENT;
    int i = place / LIMB_BITS;
    int64_t scale = (int64_t)1 << place % LIMB_BITS;
    int64_t lower = (m & LIMB_MASK) * scale; /* in [0, 2^63) */
    int64_t upper = (m >> LIMB_BITS) * scale;
    limb[i] += lower & LIMB_MASK;
    limb[i + 1] += (lower >> LIMB_BITS) + (upper & LIMB_MASK);
    limb[i + 2] += upper >> LIMB_BITS;
}

/* Adds a finite double. */
QUIRE_INLINE void limbs_add_double(int64_t *limb, double x) {
    int64_t m;
    int q;
    double_decompose(x, &m, &q);
    limbs_add(limb, m, q);
}

/* The product of two finite doubles, 106 bits in two pieces: lower * 2^q + upper * 2^(q + 53), each below 2^53; or less
 * than 0 by as much. */
typedef struct {
    uint64_t lower, upper;
    int q;
    int is_negative;
} product_pieces;

QUIRE_INLINE product_pieces multiply_doubles(double x, double y) {
    product_pieces p;
    int64_t mx, my;
    int qx, qy;
    uint64_t high, low;
    double_decompose(x, &mx, &qx);
    double_decompose(y, &my, &qy);
    multiply_64((uint64_t)(mx < 0 ? -mx : mx), (uint64_t)(my < 0 ? -my : my), &high, &low);
    p.lower = low & 0x1fffffffffffff, p.upper = high << 11 | low >> 53;
    p.q = qx + qy, p.is_negative = (mx < 0) != (my < 0);
    return p;
}

/* Adds the product of two finite doubles. */
QUIRE_INLINE void limbs_add_product(int64_t *limb, double x, double y) {
    const product_pieces p = multiply_doubles(x, y);
    const int64_t lower = (int64_t)p.lower, upper = (int64_t)p.upper;
    limbs_add(limb, p.is_negative ? -lower : lower, p.q);
    limbs_add(limb, p.is_negative ? -upper : upper, p.q + 53);
}

/* The total of a * 2^shift + b, in units of 2^unit; shift < 64, and the sum is below 2^127 in magnitude. A zero is +0.
 */
QUIRE_INLINE quire_total integers_total(int64_t a, int shift, int64_t b, int unit) {
    uint64_t low = (uint64_t)a << shift, high = (uint64_t)((a >> 1) >> (63 - shift));
    low += (uint64_t)b;
    high += (uint64_t)(b >> 63) + (low < (uint64_t)b);
    quire_total t = total_zero(high >> 63 != 0);
    if (t.negative) low = 0 - low, high = ~high + !low;
    t.high = high, t.low = low, t.exponent = unit;
    return total_normalize(t);
}

/* Brings all limbs but the last into [0, 2^32). */
QUIRE_INLINE void limbs_carry(int64_t *limb) {
    int64_t carry = 0;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) {
        int64_t v = limb[i] + carry;
        limb[i] = v & LIMB_MASK;
        carry = v >> LIMB_BITS;
    }
    limb[QUIRE_ACCUMULATOR_LIMBS - 1] += carry;
}

/* The same of limbs that are carried already for the most part: eight at a time that would stay as they are are passed
 * over. */
QUIRE_INLINE void limbs_carry_sparse(int64_t *limb) {
    int64_t carry = 0;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i += 8) {
        const int left = QUIRE_ACCUMULATOR_LIMBS - 1 - i;
        uint64_t any = (uint64_t)carry;
        for (int k = 0; k < 8 && left >= 8; k++) any |= (uint64_t)limb[i + k] >> LIMB_BITS;
        if (!any && left >= 8) continue;
        for (int k = 0; k < 8 && k < left; k++) {
            int64_t v = limb[i + k] + carry;
            limb[i + k] = v & LIMB_MASK;
            carry = v >> LIMB_BITS;
        }
    }
    limb[QUIRE_ACCUMULATOR_LIMBS - 1] += carry;
}

/* A flag of what one accumulator has, or several that were added up. */
QUIRE_INLINE int64_t accumulator_other(int64_t other) { return other >= OTHER_NONZERO ? OTHER_NONZERO : other != 0; }

/* Flags, which adding up makes greater, go back to what one accumulator has. */
QUIRE_INLINE void accumulator_settle_flags(quire_accumulator *a) {
    a->other = accumulator_other(a->other);
    a->nan = a->nan != 0;
    a->positive_infinity = a->positive_infinity != 0;
    a->negative_infinity = a->negative_infinity != 0;
}

QUIRE_INLINE void accumulator_carry(quire_accumulator *a) {
    limbs_carry(a->limb);
    accumulator_settle_flags(a);
}

/* The same, where most limbs are carried already. */
QUIRE_INLINE void accumulator_carry_sparse(quire_accumulator *a) {
    limbs_carry_sparse(a->limb);
    accumulator_settle_flags(a);
}

/* More terms were added. A count is modulo 2^64: signed addition would be undefined from 2^63 on. */
QUIRE_INLINE void accumulator_count(quire_accumulator *a, uint64_t terms) {
    a->count = (int64_t)((uint64_t)a->count + terms);
}

/* Limb i after half a carry: its low 32 bits, and the high ones of the limb below. That is less than 2^32 + 2^31,
 * however full the limbs are, but for the last limb, which keeps all. */
QUIRE_INLINE int64_t limb_eased(const int64_t *limb, int i) {
    const int64_t from_below = i ? limb[i - 1] >> LIMB_BITS : 0;
    return (i < QUIRE_ACCUMULATOR_LIMBS - 1 ? limb[i] & LIMB_MASK : limb[i]) + from_below;
}

/* Adds another accumulator, which may be the same one, and carries. Both may be full. */
QUIRE_INLINE void accumulator_merge(quire_accumulator *into, const quire_accumulator *from) {
    const int64_t other = accumulator_other(into->other), others = accumulator_other(from->other);
    int64_t carry = 0;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) {
        const int64_t low = (into->limb[i] & LIMB_MASK) + (from->limb[i] & LIMB_MASK) + carry; /* less than 2^34 */
        carry = (into->limb[i] >> LIMB_BITS) + (from->limb[i] >> LIMB_BITS) + (low >> LIMB_BITS);
        into->limb[i] = low & LIMB_MASK;
    }
    into->limb[QUIRE_ACCUMULATOR_LIMBS - 1] += from->limb[QUIRE_ACCUMULATOR_LIMBS - 1] + carry;
    accumulator_count(into, (uint64_t)from->count);
    into->other = other > others ? other : others;
    into->nan = into->nan || from->nan;
    into->positive_infinity = into->positive_infinity || from->positive_infinity;
    into->negative_infinity = into->negative_infinity || from->negative_infinity;
}

/* The total of digits of radix 2^32: d points to the leading one, limb number top, with four more below it; below says
 * whether anything not zero lies beneath those. They hold the leading bit and the 127 behind it, wherever in the top
 * digit it stands. */
QUIRE_INLINE quire_total digits_total(const uint32_t *d, int top, int below, int negative) {
    const int shift = leading_zeros(d[0]) - 32;
    const uint64_t high = (uint64_t)d[0] << 32 | d[-1], low = (uint64_t)d[-2] << 32 | d[-3],
                   lowest = (uint64_t)d[-4] << 32;
    quire_total t = total_zero(negative);
    t.high = shift ? high << shift | low >> (64 - shift) : high;
    t.low = shift ? low << shift | lowest >> (64 - shift) : low;
    t.sticky = lowest << shift != 0 || below;
    t.exponent = LIMB_LEAST_EXPONENT + LIMB_BITS * (top - 3) - shift;
    return t;
}

/* Whether eight limbs are all zero. */
QUIRE_INLINE int limbs_are_zero(const int64_t *limb) {
    int64_t any = 0;
    for (int i = 0; i < 8; i++) any |= limb[i];
    return !any;
}

/* The total of limbs alone: finite; a zero is +0. Only the limbs between the first and the last that are not zero are
 * gone through: those of a sum of ordinary numbers are few. Zeros are passed over eight at a time, then one. */
QUIRE_INLINE quire_total limbs_total(const int64_t *limb) {
    int first = 0, last = QUIRE_ACCUMULATOR_LIMBS - 1;
    while (first + 8 <= last && limbs_are_zero(limb + first)) first += 8;
    while (first <= last && !limb[first]) first++;
    if (first > last) return total_zero(0);
    while (first + 8 <= last && limbs_are_zero(limb + last - 7)) last -= 8;
    while (!limb[last]) last--;

    /* Carry into digits of radix 2^32, low to high; what the last limb carries out makes two more. */
    uint32_t digits[QUIRE_ACCUMULATOR_LIMBS + 2 + 4], *digit = digits + 4; /* four zeros below, for a short sum */
    for (int i = 0; i < 4; i++) digits[i] = 0;
    int64_t carry = 0;
    const int count = last - first + 1;
    for (int i = 0; i < count; i++) {
        const int64_t v = limb[first + i] + carry;
        digit[i] = (uint32_t)v;
        carry = v >> LIMB_BITS;
    }
    digit[count] = (uint32_t)carry;
    digit[count + 1] = (uint32_t)(carry >> LIMB_BITS);

    int top = count + 1;
    const int negative = carry < 0;
    if (negative) { /* two's complement, like every integer */
        uint64_t one = 1;
        for (int i = 0; i <= top; i++) {
            const uint64_t v = (uint64_t)(uint32_t)~digit[i] + one;
            digit[i] = (uint32_t)v;
            one = v >> LIMB_BITS;
        }
    }
    while (top > 0 && !digit[top]) top--;
    if (!digit[top]) return total_zero(0);

    int below = 0;
    for (int i = top - 5; i >= 0 && !below; i--) below = digit[i] != 0;
    return digits_total(digit + top, first + top, below, negative);
}

/* Notes that a NaN, an infinity or +0 was among the terms, or a finite term that the limbs hold. */
QUIRE_INLINE void accumulator_note(quire_accumulator *a, double term) {
    if (bits_of_double(term) != 0x8000000000000000) a->other |= term == 0 ? 1 : OTHER_NONZERO;
    if (double_is_finite(term)) return;
    if (double_is_nan(term))
        a->nan = 1;
    else if (term > 0)
        a->positive_infinity = 1;
    else
        a->negative_infinity = 1;
}

/* The total of an accumulator whose limbs have that total. */
QUIRE_INLINE quire_total accumulator_total_of(const quire_accumulator *a, quire_total limbs) {
    if (a->nan || (a->positive_infinity && a->negative_infinity)) return total_special(TOTAL_NAN, 0);
    if (a->positive_infinity || a->negative_infinity) return total_special(TOTAL_INFINITE, a->negative_infinity != 0);
    if (limbs.high) return limbs;
    limbs.negative = a->count && !a->other;
    limbs.cancelled = a->other >= OTHER_NONZERO;
    return limbs;
}

QUIRE_INLINE quire_total accumulator_total(const quire_accumulator *a) {
    return accumulator_total_of(a, limbs_total(a->limb));
}

#endif
