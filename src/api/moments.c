/* moments.c - variance, covariance and correlation of accumulators.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/moments.h"

#include "api/check.h"
#include "format/integers.h"
#include "operation/moments.h"

/* n * products - sum_x * sum_y of accumulators. */
static wide_integer difference_of(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                                  const quire_accumulator *products, moment_room *room) {
    uint32_t x[WIDE_OF_LIMBS], y[WIDE_OF_LIMBS], xy[WIDE_OF_LIMBS];
    return moment_difference((uint64_t)products->count, wide_of_limbs(products->limb, xy),
                             wide_of_limbs(sum_x->limb, x), wide_of_limbs(sum_y->limb, y), room);
}

static void store(quire_total total, const quire_reduction *what, void *result) {
    const format_description format = describe_format(what->result_type);
    format_store(total_round(total, format, what->rounding), format.size, result);
}

quire_status finish_moments(const quire_reduction *what, quire_status so_far, const quire_accumulator *sum,
                            const quire_accumulator *squares, void *result) {
    moment_room room;
    if (!so_far || so_far == QUIRE_MISALIGNED) so_far = both_checks(so_far, check_accumulator(squares));
    if (so_far) return so_far;
    if (sum->count != squares->count) return QUIRE_INVALID_MOMENTS;
    quire_total t = total_special(TOTAL_NAN, 0);
    if (!has_special(sum) && !has_special(squares)) {
        const wide_integer difference = difference_of(sum, sum, squares, &room);
        if (difference.negative) return QUIRE_INVALID_MOMENTS;
        t = moment_total(difference, describe_operation(what->operation).finish, (uint64_t)sum->count,
                         what->correction);
    }
    store(t, what, result);
    return QUIRE_OK;
}

/* Of a call that has several accumulators: NULLs come first. */
static quire_status check_all(const quire_accumulator *const *accumulators, int count, quire_type result_type,
                              const void *result) {
    quire_status status = check_result(result_type, result);
    if (status == QUIRE_INVALID_RESULT_TYPE) return status;
    if (result_type == QUIRE_INT128) return QUIRE_NO_INTEGER;
    for (int i = 0; i < count; i++) status = both_checks(status, check_accumulator(accumulators[i]));
    for (int i = 1; i < count && !status; i++)
        if (accumulators[i]->count != accumulators[0]->count) status = QUIRE_INVALID_MOMENTS;
    return status;
}

static int any_special(const quire_accumulator *const *accumulators, int count) {
    int any = 0;
    for (int i = 0; i < count; i++) any |= has_special(accumulators[i]);
    return any;
}

quire_status quire_covariance(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                              const quire_accumulator *products, int64_t correction, quire_type result_type,
                              void *result) {
    const quire_accumulator *const all[] = { sum_x, sum_y, products };
    const quire_reduction what = { .result_type = result_type };
    const quire_status status = check_all(all, 3, result_type, result);
    moment_room room;
    if (status) return status;
    quire_total t = total_special(TOTAL_NAN, 0);
    if (!any_special(all, 3))
        t = moment_quotient(difference_of(sum_x, sum_y, products, &room), (uint64_t)products->count, correction);
    store(t, &what, result);
    return QUIRE_OK;
}

/* c / sqrt(a b), by the root of c^2 / (a b); no number is above 1. */
static quire_status correlate(wide_integer c, wide_integer a, wide_integer b, quire_total *t) {
    uint32_t above[2 * MOMENT_DIFFERENCE], below[2 * MOMENT_DIFFERENCE], digit[2 * MOMENT_DIFFERENCE + 1];
    uint32_t work[WIDE_DIVISION(2 * MOMENT_DIFFERENCE)];
    *t = total_special(TOTAL_NAN, 0);
    if (a.negative || b.negative) return QUIRE_INVALID_MOMENTS;
    const wide_integer dividend = wide_multiply(c, c, above), divisor = wide_multiply(a, b, below);
    if (wide_subtract(divisor, dividend, digit).negative) return QUIRE_INVALID_MOMENTS;
    if (!divisor.count) return QUIRE_OK;
    *t = total_root(wide_quotient(dividend, divisor, work));
    t->negative = c.negative;
    return QUIRE_OK;
}

quire_status quire_correlation(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                               const quire_accumulator *squares_x, const quire_accumulator *squares_y,
                               const quire_accumulator *products, quire_type result_type, void *result) {
    const quire_accumulator *const all[] = { sum_x, sum_y, squares_x, squares_y, products };
    const quire_reduction what = { .result_type = result_type };
    quire_status status = check_all(all, 5, result_type, result);
    moment_room of_x, of_y, of_both;
    if (status) return status;
    quire_total t = total_special(TOTAL_NAN, 0);
    if (!any_special(all, 5))
        status =
            correlate(difference_of(sum_x, sum_y, products, &of_both), difference_of(sum_x, sum_x, squares_x, &of_x),
                      difference_of(sum_y, sum_y, squares_y, &of_y), &t);
    if (!status) store(t, &what, result);
    return status;
}
