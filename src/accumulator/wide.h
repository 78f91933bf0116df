/* wide.h - integers of many digits times a power of two: for products of exact sums, their differences and their
 * quotients, which no total holds.
 *
 * Digits are of radix 2^32, the least first. Where they are kept is the caller's business, who knows how many there can
 * be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATOR_WIDE_H
#define QUIRE_ACCUMULATOR_WIDE_H

#include "accumulator/limbs.h"

/* (-1)^negative * (the sum over i < count of digit[i] * 2^(32 i)) * 2^exponent. count is 0 for zero, and then negative
 * is 0; otherwise neither the first digit nor the last is 0. */
typedef struct {
    uint32_t *digit;
    int count, exponent, negative;
} wide_integer;

#define WIDE_OF_LIMBS (QUIRE_ACCUMULATOR_LIMBS + 2) /* the most digits of an accumulator */
#define WIDE_OF_TOTAL 4
#define WIDE_OF_COUNT 3 /* of an integer below 2^96 */

/* Takes zeros off both ends. */
QUIRE_INLINE wide_integer wide_trim(wide_integer a) {
    while (a.count && !a.digit[a.count - 1]) a.count--;
    while (a.count && !a.digit[0]) a.digit++, a.count--, a.exponent += LIMB_BITS;
    if (!a.count) a.negative = 0;
    return a;
}

/* Turns count digits of two's complement into those of the magnitude. */
QUIRE_INLINE void wide_negate(uint32_t *digit, int count) {
    uint64_t one = 1;
    for (int i = 0; i < count; i++) {
        const uint64_t v = (uint64_t)(uint32_t)~digit[i] + one;
        digit[i] = (uint32_t)v;
        one = v >> LIMB_BITS;
    }
}

/* Limbs, carried or not; digit has room for WIDE_OF_LIMBS. */
QUIRE_INLINE wide_integer wide_of_limbs(const int64_t *limb, uint32_t *digit) {
    int first = 0, last = QUIRE_ACCUMULATOR_LIMBS - 1;
    while (first < last && !limb[first]) first++;
    while (last > first && !limb[last]) last--;
    wide_integer a = { digit, last - first + 3, LIMB_LEAST_EXPONENT + LIMB_BITS * first, 0 };
    int64_t carry = 0;
    for (int i = 0; i <= last - first; i++) {
        const int64_t v = limb[first + i] + carry;
        digit[i] = (uint32_t)v;
        carry = v >> LIMB_BITS;
    }
    digit[a.count - 2] = (uint32_t)carry;
    digit[a.count - 1] = (uint32_t)(carry >> LIMB_BITS);
    a.negative = carry < 0;
    if (a.negative) wide_negate(digit, a.count);
    return wide_trim(a);
}

/* A finite total of which nothing is missing (sticky is 0); digit has room for WIDE_OF_TOTAL. */
QUIRE_INLINE wide_integer wide_of_total(quire_total t, uint32_t *digit) {
    wide_integer a = { digit, WIDE_OF_TOTAL, t.exponent, t.negative };
    digit[0] = (uint32_t)t.low, digit[1] = (uint32_t)(t.low >> 32);
    digit[2] = (uint32_t)t.high, digit[3] = (uint32_t)(t.high >> 32);
    return wide_trim(a);
}

/* high * 2^64 + low, below 2^96; digit has room for WIDE_OF_COUNT. */
QUIRE_INLINE wide_integer wide_of_count(uint32_t high, uint64_t low, uint32_t *digit) {
    wide_integer a = { digit, WIDE_OF_COUNT, 0, 0 };
    digit[0] = (uint32_t)low, digit[1] = (uint32_t)(low >> 32), digit[2] = high;
    return wide_trim(a);
}

/* digit has room for as many as both have together, and is neither's own. */
QUIRE_INLINE wide_integer wide_multiply(wide_integer a, wide_integer b, uint32_t *digit) {
    wide_integer product = { digit, a.count + b.count, a.exponent + b.exponent, a.negative != b.negative };
    for (int i = 0; i < product.count; i++) digit[i] = 0;
    for (int i = 0; i < a.count; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b.count; j++) {
            const uint64_t v = (uint64_t)a.digit[i] * b.digit[j] + digit[i + j] + carry; /* below 2^64 */
            digit[i + j] = (uint32_t)v;
            carry = v >> LIMB_BITS;
        }
        digit[i + b.count] = (uint32_t)carry;
    }
    return wide_trim(product);
}

/* Digit i of a, counted in units of 2^exponent, which is no more than its own. */
QUIRE_INLINE uint32_t wide_digit(wide_integer a, int exponent, int i) {
    const int up = a.exponent - exponent, shift = up % LIMB_BITS, at = i - up / LIMB_BITS;
    const uint64_t here = at >= 0 && at < a.count ? a.digit[at] : 0;
    const uint64_t below = shift && at >= 1 && at <= a.count ? a.digit[at - 1] : 0;
    return (uint32_t)(here << shift | below >> (LIMB_BITS - shift));
}

/* How many digits a has in units of 2^exponent. */
QUIRE_INLINE int wide_reach(wide_integer a, int exponent) {
    return a.count ? (a.exponent - exponent) / LIMB_BITS + a.count + 1 : 0;
}

/* |a| - |b| with a's sign, or the other one if |b| is greater. */
QUIRE_INLINE wide_integer wide_subtract_magnitudes(wide_integer a, wide_integer b, uint32_t *digit) {
    if (!b.count) b.exponent = a.exponent;
    if (!a.count) a.exponent = b.exponent;
    const int exponent = a.exponent < b.exponent ? a.exponent : b.exponent;
    const int reach_a = wide_reach(a, exponent), reach_b = wide_reach(b, exponent);
    wide_integer d = { digit, reach_a > reach_b ? reach_a : reach_b, exponent, a.negative };
    int64_t borrow = 0;
    for (int i = 0; i < d.count; i++) {
        const int64_t v = (int64_t)wide_digit(a, exponent, i) - wide_digit(b, exponent, i) + borrow;
        digit[i] = (uint32_t)v;
        borrow = v >> LIMB_BITS;
    }
    if (borrow) wide_negate(digit, d.count), d.negative = !d.negative;
    return wide_trim(d);
}

QUIRE_INLINE wide_integer wide_add_magnitudes(wide_integer a, wide_integer b, uint32_t *digit) {
    if (!b.count) b.exponent = a.exponent;
    if (!a.count) a.exponent = b.exponent;
    const int exponent = a.exponent < b.exponent ? a.exponent : b.exponent;
    const int reach_a = wide_reach(a, exponent), reach_b = wide_reach(b, exponent);
    wide_integer s = { digit, (reach_a > reach_b ? reach_a : reach_b) + 1, exponent, a.negative };
    uint64_t carry = 0;
    for (int i = 0; i < s.count; i++) {
        const uint64_t v = (uint64_t)wide_digit(a, exponent, i) + wide_digit(b, exponent, i) + carry;
        digit[i] = (uint32_t)v;
        carry = v >> LIMB_BITS;
    }
    return wide_trim(s);
}

/* a - b. If both are multiples of 2^low below 2^high, digit has room for (high - low) / 32 + 3. */
QUIRE_INLINE wide_integer wide_subtract(wide_integer a, wide_integer b, uint32_t *digit) {
    if (a.count && b.count && a.negative != b.negative) return wide_add_magnitudes(a, b, digit);
    if (!a.count) a.negative = b.negative;
    return wide_subtract_magnitudes(a, b, digit);
}

/* As many digits of a dividend are divided as the quotient needs to have the 128 bits of a total: a dividend of count +
 * 5 digits is at least 2^(32 (count + 4)), a divisor of count digits less than 2^(32 count), so that the quotient has
 * five digits or six. */
#define WIDE_QUOTIENT 6
#define WIDE_DIVISION(count) (2 * (count) + WIDE_QUOTIENT) /* digits of room to divide by one of count */

/* One digit of a quotient: the leading digits of u, which is count + 1 long, over v, whose top bit is set (D. E. Knuth,
 * The Art of Computer Programming 2, 1997, 4.3.1, algorithm D). u becomes the remainder. */
QUIRE_INLINE uint32_t wide_quotient_digit(uint32_t *u, const uint32_t *v, int count) {
    const uint64_t leading = (uint64_t)u[count] << LIMB_BITS | u[count - 1];
    uint64_t q = leading / v[count - 1], left = leading - q * v[count - 1];
    if (q >> LIMB_BITS) left += (q - LIMB_MASK) * v[count - 1], q = LIMB_MASK;
    while (count > 1 && !(left >> LIMB_BITS) && q * v[count - 2] > (left << LIMB_BITS | u[count - 2]))
        q--, left += v[count - 1];
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t p = q * v[i] + carry;
        carry = p >> LIMB_BITS;
        const int64_t t = (int64_t)u[i] - (int64_t)(p & LIMB_MASK) + borrow;
        u[i] = (uint32_t)t;
        borrow = t >> LIMB_BITS;
    }
    const int64_t t = (int64_t)u[count] - (int64_t)carry + borrow;
    u[count] = (uint32_t)t;
    if (t >= 0) return (uint32_t)q;
    carry = 0; /* one too many: it goes back */
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)u[i] + v[i];
        u[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    u[count] += (uint32_t)carry;
    return (uint32_t)q - 1;
}

/* a / b; b is not 0, and work has room for WIDE_DIVISION(b.count) digits. */
QUIRE_INLINE quire_total wide_quotient(wide_integer a, wide_integer b, uint32_t *work) {
    const int count = b.count, length = count + WIDE_QUOTIENT, shift = leading_zeros(b.digit[count - 1]) - LIMB_BITS;
    uint32_t *v = work, *u = work + count, q[WIDE_QUOTIENT];
    if (!a.count) return total_zero(0);
    /* Both shifted, so that the divisor's top bit is set; of the dividend the leading digits, and below them zeros. */
    for (int i = count - 1; i >= 0; i--)
        v[i] = (uint32_t)((uint64_t)b.digit[i] << shift | (i && shift ? b.digit[i - 1] >> (LIMB_BITS - shift) : 0));
    const int dropped = a.count - (length - 1);
    wide_integer leading = a;
    leading.exponent = shift;
    int sticky = 0;
    if (dropped > 0) {
        leading.digit += dropped, leading.count -= dropped;
        for (int i = 0; i < dropped && !sticky; i++) sticky = a.digit[i] != 0;
    }
    const int zeros = length - 1 - leading.count;
    for (int i = 0; i < length; i++) u[i] = i < zeros ? 0 : wide_digit(leading, 0, i - zeros);
    for (int i = WIDE_QUOTIENT - 1; i >= 0; i--) q[i] = wide_quotient_digit(u + i, v, count);
    for (int i = 0; i < count && !sticky; i++) sticky = u[i] != 0;
    const int top = q[WIDE_QUOTIENT - 1] ? WIDE_QUOTIENT - 1 : WIDE_QUOTIENT - 2;
    if (top == WIDE_QUOTIENT - 1) sticky |= q[0] != 0;
    quire_total t = digits_total(q + top, top, sticky, a.negative != b.negative);
    t.exponent += a.exponent + LIMB_BITS * dropped - b.exponent - LIMB_LEAST_EXPONENT;
    return t;
}

#endif
