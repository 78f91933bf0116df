/* pairs.c - weighted averages, covariances and correlations of accumulators.
 *
 * SPDX-License-Identifier: MIT
 */
#include "operation/pairs.h"

#include "api/check.h"
#include "api/moments.h"
#include "format/formats.h"

/* The accumulators of a result, of the same numbers. so_far: what checks before came to; NULLs come first. */
static quire_status check_sums(const quire_accumulator *const *sums, int count, quire_status so_far) {
    for (int i = 0; i < count; i++)
        if (!so_far || so_far == QUIRE_MISALIGNED) so_far = both_checks(so_far, check_accumulator(sums[i]));
    for (int i = 1; i < count && !so_far; i++)
        if (sums[i]->count != sums[0]->count) so_far = QUIRE_INVALID_MOMENTS;
    return so_far;
}

static quire_status finish_sums(const quire_reduction *what, quire_status so_far, const quire_accumulator *const *sums,
                                void *result) {
    const finish_kind finish = describe_operation(what->operation).finish;
    const format_description format = describe_format(what->result_type);
    const quire_status status = check_sums(sums, pair_sums_of(finish), so_far);
    quire_total total;
    pair_room room;
    if (status) return status;
    if (!pair_total(sums, finish, what->correction, &room, &total)) return QUIRE_INVALID_MOMENTS;
    format_store(total_round(total, format, what->rounding), format.size, result);
    return QUIRE_OK;
}

quire_status finish_average(const quire_reduction *what, quire_status so_far, const quire_accumulator *products,
                            const quire_accumulator *weights, void *result) {
    const quire_accumulator *const sums[] = { products, weights };
    return finish_sums(what, so_far, sums, result);
}

quire_status quire_finish_pair(const quire_reduction *what, const quire_accumulator *sum_x,
                               const quire_accumulator *sum_y, const quire_accumulator *squares_x,
                               const quire_accumulator *squares_y, const quire_accumulator *products, void *result) {
    const quire_accumulator *const sums[] = { products, sum_y, sum_x, squares_x, squares_y };
    quire_reduction r;
    if (!what) return QUIRE_NULL_POINTER;
    const quire_status status = check_finish(what, &r);
    if (status == QUIRE_INVALID_OPERATION || !needs_pair_sums(describe_operation(r.operation).finish))
        return QUIRE_INVALID_OPERATION;
    return finish_sums(&r, status ? status : check_result(r.result_type, result), sums, result);
}

static quire_status finish_nearest(quire_operation operation, const quire_accumulator *sum_x,
                                   const quire_accumulator *sum_y, const quire_accumulator *squares_x,
                                   const quire_accumulator *squares_y, const quire_accumulator *products,
                                   int64_t correction, quire_type result_type, void *result) {
    quire_reduction what = { operation, result_type, result_type, QUIRE_EXACT, QUIRE_TO_NEAREST, correction, { 0 } };
    if (!result_type) return QUIRE_INVALID_RESULT_TYPE;
    return quire_finish_pair(&what, sum_x, sum_y, squares_x, squares_y, products, result);
}

quire_status quire_covariance(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                              const quire_accumulator *products, int64_t correction, quire_type result_type,
                              void *result) {
    return finish_nearest(QUIRE_COVARIANCE, sum_x, sum_y, NULL, NULL, products, correction, result_type, result);
}

quire_status quire_correlation(const quire_accumulator *sum_x, const quire_accumulator *sum_y,
                               const quire_accumulator *squares_x, const quire_accumulator *squares_y,
                               const quire_accumulator *products, quire_type result_type, void *result) {
    return finish_nearest(QUIRE_CORRELATION, sum_x, sum_y, squares_x, squares_y, products, 0, result_type, result);
}
