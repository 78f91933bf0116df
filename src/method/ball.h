/* ball.h - sums that are known but for a little, and Ziv's test whether that is enough to round them.
 *
 * A correctly rounded result seldom needs every bit of its terms. Where terms are so unlike that no window holds them
 * all, a sum keeps the bits above a unit, and counts how many terms lost bits below it: a ball, the middle in limbs,
 * the radius beside it (J. van der Hoeven, Ball arithmetic, 2010). If both ends of the ball round to the same number,
 * so does every sum in between, since the root, the division by a count and rounding are monotonic; if not, the sum is
 * done again with all its bits (A. Ziv, Fast evaluation of elementary mathematical functions with correctly rounded
 * last bit, ACM TOMS 17, 1991). So which way was gone cannot show in a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_METHOD_BALL_H
#define QUIRE_METHOD_BALL_H

#include "accumulator/limbs.h"
#include "operation/operations.h"

/* At most count * 2^unit; unit >= LIMB_LEAST_EXPONENT, count < 2^63. */
typedef struct {
    int64_t count;
    int unit;
} ball_radius;

#define BALL_EXACT                                                                                                     \
    { 0, LIMB_LEAST_EXPONENT }

/* The radius of a sum of two balls. */
QUIRE_INLINE void radius_add(ball_radius *r, ball_radius other) {
    r->count += other.count;
    if (other.unit > r->unit) r->unit = other.unit;
}

/* A sum that may lack up to 2^-bits of itself; bits < 64. */
QUIRE_INLINE ball_radius radius_relative(quire_total sum, int bits) {
    ball_radius r = BALL_EXACT;
    const int unit = sum.exponent + 66 - bits;
    if (!sum.high) return r;
    r.count = (int64_t)(sum.high >> 2) + 1;
    if (unit >= LIMB_LEAST_EXPONENT)
        r.unit = unit;
    else
        r.count = LIMB_LEAST_EXPONENT - unit < 62 ? (r.count >> (LIMB_LEAST_EXPONENT - unit)) + 1 : 2;
    return r;
}

/* From the middle of a ball to its lower or its upper end, or from there to the middle: one addition. */
QUIRE_INLINE void ball_move(int64_t *limb, ball_radius r, int up) { limbs_add(limb, up ? r.count : -r.count, r.unit); }

/* Rounds every sum in the ball to a format, if they all round alike: *bits; answers whether they do. Ends of two signs
 * do not, even where both are the NaN of a format without infinities: what lies between may be a number. */
QUIRE_INLINE int ball_round(const quire_accumulator *middle, ball_radius r, finish_kind finish, uint64_t n,
                            format_description f, quire_rounding rounding, uint64_t *bits) {
    uint64_t end[2];
    int negative[2];
    for (int side = 0; side < 2; side++) {
        quire_accumulator a = *middle;
        ball_move(a.limb, r, side);
        const quire_total t = accumulator_total(&a);
        negative[side] = t.negative;
        end[side] = finish_and_round(t, finish, n, f, rounding);
    }
    *bits = end[0];
    return end[0] == end[1] && negative[0] == negative[1];
}

#endif
