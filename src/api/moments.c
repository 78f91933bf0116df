/* moments.c - variances of accumulators, and their roots. pairs.c has those of two arrays.
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
