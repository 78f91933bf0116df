/* total.h - a total before its one rounding, and that rounding.
 *
 * Whatever a method leaves behind (limbs, one number, two numbers) becomes a total: 128 leading bits, an exponent, and
 * whether anything not zero lies below. That is enough to take the root or divide by a count and still round correctly,
 * since floor(sqrt(t + f)) = floor(sqrt(t)) and floor((t + f) / n) = floor(t / n) for integers t, n and 0 <= f < 1.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATOR_TOTAL_H
#define QUIRE_ACCUMULATOR_TOTAL_H

#include "format/format.h"
#include "quire/quire.h"

typedef enum { TOTAL_FINITE, TOTAL_INFINITE, TOTAL_NAN } total_kind;

/* The magnitude is (high * 2^64 + low + f) * 2^exponent, 0 <= f < 1, and f is not 0 if and only if sticky is not. The
 * top bit of high is set unless the magnitude is zero (high, low and sticky all 0; negative then tells the sign of
 * zero, and cancelled whether terms other than zeros came to it, whose sign the rounding decides). */
typedef struct {
    total_kind kind;
    int negative;
    uint64_t high, low;
    int exponent;
    int sticky;
    int cancelled;
} quire_total;

QUIRE_INLINE quire_total total_special(total_kind kind, int negative) {
    quire_total t = { kind, negative, 0, 0, 0, 0, 0 };
    return t;
}

QUIRE_INLINE quire_total total_zero(int negative) { return total_special(TOTAL_FINITE, negative); }

/* Puts the top bit where it belongs. sticky must be 0: what it stands for has no place to move up from. */
QUIRE_INLINE quire_total total_normalize(quire_total t) {
    if (!t.high) {
        if (!t.low) return t;
        t.high = t.low;
        t.low = 0;
        t.exponent -= 64;
    }
    int shift = leading_zeros(t.high);
    if (shift) {
        t.high = t.high << shift | t.low >> (64 - shift);
        t.low <<= shift;
        t.exponent -= shift;
    }
    return t;
}

/* Any double. */
QUIRE_INLINE quire_total total_of_double(double x) {
    int negative = bits_of_double(x) >> 63 != 0;
    if (double_is_nan(x)) return total_special(TOTAL_NAN, 0);
    if (!double_is_finite(x)) return total_special(TOTAL_INFINITE, negative);
    int64_t m;
    quire_total t = total_zero(negative);
    double_decompose(x, &m, &t.exponent);
    t.low = (uint64_t)(m < 0 ? -m : m);
    return total_normalize(t);
}

/* A total shifted down by d >= 0 bits, what falls off kept as sticky. */
QUIRE_INLINE quire_total total_shift_down(quire_total t, int d) {
    const uint64_t high = t.high, low = t.low;
    if (d >= 128) {
        t.sticky |= (high | low) != 0;
        t.high = t.low = 0;
    } else if (d >= 64) {
        t.sticky |= (low | (d > 64 ? high << (128 - d) : 0)) != 0;
        t.low = high >> (d - 64), t.high = 0;
    } else if (d > 0) {
        t.sticky |= low << (64 - d) != 0;
        t.low = low >> d | high << (64 - d), t.high = high >> d;
    }
    t.exponent += d;
    return t;
}

/* The exact sum of two finite doubles. What falls off the 128 bits leaves the low bit unsure in a difference whose top
 * bit is lost; no boundary of a rounding, a root's square or a multiple of a count has a bit so low. */
QUIRE_INLINE quire_total total_of_two(double a, double b) {
    quire_total large = total_of_double(a), small = total_of_double(b);
    if (!small.high) return large;
    if (!large.high) return small;
    if (small.exponent > large.exponent || (small.exponent == large.exponent && small.high > large.high)) {
        const quire_total swapped = large;
        large = small, small = swapped;
    }
    quire_total t = total_shift_down(small, large.exponent - small.exponent);
    const int sticky = t.sticky, subtract = large.negative != small.negative;
    const uint64_t low = t.low;
    if (!subtract) {
        t.high += large.high; /* the low half of large is 0 */
        const int carry = t.high < large.high;
        t.negative = large.negative;
        if (!carry) return t;
        t = total_shift_down(t, 1);
        t.high |= (uint64_t)1 << 63;
        return t;
    }
    const uint64_t borrow = low + (uint64_t)sticky; /* large - small - f = (large - small - 1) + (1 - f) */
    t.low = (uint64_t)0 - borrow;
    t.high = large.high - t.high - (borrow != 0);
    t.negative = large.negative;
    t.sticky = 0;
    if (!t.high && !t.low) {
        t = total_zero(0);
        t.cancelled = 1;
        return t;
    }
    t = total_normalize(t);
    t.sticky = sticky;
    return t;
}

/* The root; a negative total has none, but -0 is its own. */
QUIRE_INLINE quire_total total_root(quire_total t) {
    if (t.kind == TOTAL_NAN || (!t.high && t.kind == TOTAL_FINITE)) return t;
    if (t.negative) return total_special(TOTAL_NAN, 0);
    if (t.kind == TOTAL_INFINITE) return t;
    if (t.exponent & 1) { /* an even exponent halves; the bit shifted out is kept as sticky */
        t.sticky |= (int)(t.low & 1);
        t.low = t.low >> 1 | t.high << 63;
        t.high >>= 1;
        t.exponent += 1;
    }
    /* The upper half of the root from the upper half of the radicand, which is at least 2^62; the lower half by a
     * division by twice that, which gives it or one more (P. Zimmermann, Karatsuba Square Root, INRIA RR-3805, 1999).
     */
    const uint64_t upper = integer_root(t.high), remainder = t.high - upper * upper,
                   half = remainder << 31 | t.low >> 33;
    const uint64_t quotient = half / upper, lower = quotient >> 32 ? 0xffffffffu : quotient;
    const uint64_t left =
        (half - lower * upper) * 2 + (t.low >> 32 & 1); /* times 2^32, and 32 digits more, less lower^2 */
    const uint64_t last = left << 32 | (t.low & 0xffffffffu);
    const int one_more = !(left >> 32) && last < lower * lower;
    quire_total r = { TOTAL_FINITE, 0, (upper << 32 | lower) - (uint64_t)one_more, 0, t.exponent / 2 - 64, 1, 0 };
    r.sticky = t.sticky || left >> 32 || last != lower * lower;
    /* A radicand of 127 or 128 bits has a root of 64; here sticky is for all below high: ready to be rounded. */
    return r;
}

/* The same for n < 2^32, 32 digits at a time; sticky is for all below the last one that is there, as for a root. */
QUIRE_INLINE quire_total total_divide_short(quire_total t, uint32_t n) {
    uint64_t digits[2] = { t.high, t.low }, remainder = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t some = remainder << 32 | (i % 2 ? digits[i / 2] & 0xffffffffu : digits[i / 2] >> 32),
                       digit = some / n;
        remainder = some - digit * n;
        digits[i / 2] =
            i % 2 ? (digits[i / 2] & ~(uint64_t)0xffffffffu) | digit : (digits[i / 2] & 0xffffffffu) | digit << 32;
    }
    const int sticky = t.sticky || remainder;
    t.high = digits[0], t.low = digits[1], t.sticky = 0;
    t = total_normalize(t);
    t.sticky = sticky;
    return t;
}

/* The quotient by a count; nothing divided by nothing is NaN. */
QUIRE_INLINE quire_total total_divide(quire_total t, uint64_t n) {
    if (t.kind == TOTAL_NAN || n == 0) return total_special(TOTAL_NAN, 0);
    if (t.kind == TOTAL_INFINITE || !t.high) return t;
    if (n >> 32 == 0) return total_divide_short(t, (uint32_t)n);
    /* Long division, bit by bit, of the 128 leading bits and 64 more: high >= 2^63 and n < 2^64, so that the quotient
     * has at least 128 bits. The leading 128 are kept. f itself is unknown; it can show only below the leading 64 bits
     * of the quotient, where all that matters is whether there is anything, and any f > 0 gives the same answer: 2^-64.
     */
    uint64_t digits[3] = { t.high, t.low, (uint64_t)(t.sticky != 0) };
    quire_total r = total_zero(t.negative);
    uint64_t remainder = 0;
    for (int i = 0; i < 192; i++) {
        uint64_t carry = remainder >> 63;
        remainder = remainder << 1 | (digits[i / 64] >> (63 - i % 64) & 1);
        uint64_t bit = carry || remainder >= n;
        if (bit) remainder -= n;
        if (r.high >> 63) {
            r.sticky |= (int)bit;
            continue;
        }
        r.high = r.high << 1 | r.low >> 63;
        r.low = r.low << 1 | bit;
        r.exponent = t.exponent + 127 - i;
    }
    r.sticky |= remainder != 0;
    return r;
}

/* What a magnitude beyond the greatest finite number becomes, or an infinity: where the format has none, its NaN. */
QUIRE_INLINE uint64_t infinity_bits(format_description f, uint64_t sign) {
    return f.has_infinity ? sign | f.infinity : f.quiet_nan;
}

#define EXPONENT_FIELDS 2048 /* a double's; no format has more */

/* Rounds to a format, and returns its bits (IEEE 754-2019, 4.3). */
QUIRE_INLINE uint64_t total_round(quire_total t, format_description f, quire_rounding rounding) {
    const uint64_t sign = t.negative || (t.cancelled && rounding == QUIRE_DOWNWARD) ? f.sign : 0;
    const int nearest = rounding == QUIRE_TO_NEAREST;
    const int away = rounding == (t.negative ? QUIRE_DOWNWARD : QUIRE_UPWARD); /* from zero */
    if (t.kind == TOTAL_NAN) return f.quiet_nan;
    if (t.kind == TOTAL_INFINITE) return infinity_bits(f, sign);
    if (!t.high) return sign;
    /* The last place kept is 2^q: precision bits below the leading one, but no finer than the least subnormal. */
    int q = t.exponent + 128 - f.precision;
    if (q < f.least_exponent) q = f.least_exponent;
    int drop = q - t.exponent;                    /* at least 128 - 53 = 75 bits go: all of low, and some of high */
    if (drop > 128) return sign | (uint64_t)away; /* below half of the least subnormal */
    uint64_t kept = drop == 128 ? 0 : t.high >> (drop - 64);
    uint64_t half = drop == 128 ? t.high >> 63 : t.high >> (drop - 65) & 1;
    uint64_t below = drop == 128 ? t.high << 1 : t.high & (((uint64_t)1 << (drop - 65)) - 1);
    const int beyond_half = below || t.low || t.sticky;
    if (nearest ? half && (beyond_half || (kept & 1)) : away && (half || beyond_half)) kept++;
    /* The exponent field counts from the subnormals' last place; the hidden bit of kept adds the one that is missing,
     * and a carry out of the significand moves into the next binade by itself. Quotients of sums may be so great that
     * the field would not fit 64 bits. */
    const uint64_t field = (uint64_t)(q - f.least_exponent), bits = (field << (f.precision - 1)) + kept;
    if (field < EXPONENT_FIELDS && bits < f.infinity) return sign | bits;
    return nearest || away ? infinity_bits(f, sign) : sign | (f.infinity - 1);
}

#endif
