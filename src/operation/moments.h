/* moments.h - variance, covariance and correlation as quotients of exact integers, rounded once.
 *
 * Of n numbers x with the exact sums S = sum x and Q = sum x^2, the variance is (n Q - S^2) / (n (n - correction)).
 * Nothing is lost in it until the rounding, however much cancels: the integers are as wide as they have to be, some
 * digits for ordinary numbers, 277 at most.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_MOMENTS_H
#define QUIRE_OPERATION_MOMENTS_H

#include "accumulator/wide.h"
#include "operation/operations.h"

/* Two sums multiplied, or a count and a sum; and the difference of two such, which are multiples of 2^(2 * -2148) and
 * no longer than a product of sums. */
#define MOMENT_PRODUCT (2 * WIDE_OF_LIMBS)
#define MOMENT_DIFFERENCE (MOMENT_PRODUCT + 3)
QUIRE_STATIC_ASSERT(MOMENT_DIFFERENCE == 277, "as the comments say");

/* Digits for the integers on the way to a moment: the difference and what it is made of. Too many for the stacks of a
 * device's threads, so that the caller says where they are. */
typedef struct {
    uint32_t scaled[WIDE_OF_COUNT + WIDE_OF_LIMBS], product[MOMENT_PRODUCT], difference[MOMENT_DIFFERENCE];
} moment_room;

/* n * products - sum_x * sum_y, which stands in the room. */
QUIRE_INLINE wide_integer moment_difference(uint64_t n, wide_integer products, wide_integer sum_x, wide_integer sum_y,
                                            moment_room *room) {
    uint32_t count[WIDE_OF_COUNT];
    const wide_integer scaled = wide_multiply(wide_of_count(0, n, count), products, room->scaled);
    return wide_subtract(scaled, wide_multiply(sum_x, sum_y, room->product), room->difference);
}

/* n * (n - correction), or 0 where n numbers have no such moment; digit has room for 2 * WIDE_OF_COUNT. */
QUIRE_INLINE wide_integer moment_divisor(uint64_t n, int64_t correction, uint32_t *digit) {
    uint32_t all[WIDE_OF_COUNT], less[WIDE_OF_COUNT];
    const uint64_t low = n - (uint64_t)correction;
    const int overflows = correction < 0 && low < n, positive = correction < 0 || n > (uint64_t)correction;
    return wide_multiply(wide_of_count(0, n, all), wide_of_count((uint32_t)overflows, positive ? low : 0, less), digit);
}

/* difference / (n (n - correction)); NaN where that divisor is not positive. */
QUIRE_INLINE quire_total moment_quotient(wide_integer difference, uint64_t n, int64_t correction) {
    uint32_t digit[2 * WIDE_OF_COUNT], work[WIDE_DIVISION(2 * WIDE_OF_COUNT)];
    const wide_integer divisor = moment_divisor(n, correction, digit);
    return divisor.count ? wide_quotient(difference, divisor, work) : total_special(TOTAL_NAN, 0);
}

/* The variance or, as the finish says, its root. */
QUIRE_INLINE quire_total moment_total(wide_integer difference, finish_kind finish, uint64_t n, int64_t correction) {
    const quire_total variance = moment_quotient(difference, n, correction);
    return finish == FINISH_STDDEV ? total_root(variance) : variance;
}

/* The bits of a variance or of its root. The sums are those of the same n finite numbers; of others that could not be,
 * whose difference is negative, NaN. */
QUIRE_INLINE uint64_t moments_round(wide_integer sum, wide_integer squares, finish_kind finish, uint64_t n,
                                    int64_t correction, format_description format, quire_rounding rounding,
                                    moment_room *room) {
    const wide_integer difference = moment_difference(n, squares, sum, sum, room);
    if (difference.negative) return format.quiet_nan;
    return total_round(moment_total(difference, finish, n, correction), format, rounding);
}

/* Whether something that was added to an accumulator is not finite. */
QUIRE_INLINE int has_special(const quire_accumulator *a) {
    return a->nan || a->positive_infinity || a->negative_infinity;
}

/* The digits of accumulators, too. */
typedef struct {
    uint32_t sum[WIDE_OF_LIMBS], squares[WIDE_OF_LIMBS];
    moment_room moment;
} accumulated_moment_room;

/* The same of accumulators of numbers, any, and of their squares. */
QUIRE_INLINE uint64_t accumulated_moments_round(const quire_accumulator *sum, const quire_accumulator *squares,
                                                finish_kind finish, int64_t correction, format_description format,
                                                quire_rounding rounding, accumulated_moment_room *room) {
    if (has_special(sum) || has_special(squares)) return format.quiet_nan;
    return moments_round(wide_of_limbs(sum->limb, room->sum), wide_of_limbs(squares->limb, room->squares), finish,
                         (uint64_t)sum->count, correction, format, rounding, &room->moment);
}

#endif
