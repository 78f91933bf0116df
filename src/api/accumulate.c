/* accumulate.c - the calls on accumulators. SPDX-License-Identifier: MIT */
#include "accumulator/limbs.h"
#include "api/check.h"
#include "format/formats.h"

static quire_status accumulate(quire_context *context, quire_accumulator *accumulator, quire_term term, quire_type type,
                               size_t n, const void *x, const void *y) {
    const quire_job job = { type, term, FINISH_KEEP, n, x, y, QUIRE_EXACT, type, NULL, QUIRE_TO_NEAREST };
    const quire_status input = check_input(type, n, x, y);
    const quire_status target = check_pointer(accumulator, _Alignof(quire_accumulator));
    if (input == QUIRE_MISALIGNED && target == QUIRE_NULL_POINTER) return target;
    if (input) return input;
    if (target) return target;
    return backend_of(context)->accumulate(context, &job, accumulator);
}

quire_status quire_accumulate(quire_context *context, quire_accumulator *accumulator, quire_type type, size_t n,
                              const void *x) {
    return accumulate(context, accumulator, TERM_IDENTITY, type, n, x, x);
}

quire_status quire_accumulate_magnitudes(quire_context *context, quire_accumulator *accumulator, quire_type type, size_t n,
                                         const void *x) {
    return accumulate(context, accumulator, TERM_MAGNITUDE, type, n, x, x);
}

quire_status quire_accumulate_products(quire_context *context, quire_accumulator *accumulator, quire_type type, size_t n,
                                       const void *x, const void *y) {
    return accumulate(context, accumulator, TERM_PRODUCT, type, n, x, y);
}

quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from) {
    if (!into || !from) return QUIRE_NULL_POINTER;
    accumulator_merge(into, from);
    return QUIRE_OK;
}

quire_status quire_carry(quire_accumulator *accumulator) {
    if (!accumulator) return QUIRE_NULL_POINTER;
    accumulator_carry(accumulator);
    return QUIRE_OK;
}

quire_status quire_finish(const quire_reduction *what, const quire_accumulator *sum, const quire_accumulator *squares,
                          void *result) {
    (void)squares;
    if (!what) return QUIRE_NULL_POINTER;
    const quire_reduction r = reduction_with_defaults(*what);
    quire_reduction checked = r; /* the type is not read, and of methods there is but one */
    checked.type = QUIRE_F64;
    if (r.method != QUIRE_EXACT) checked.method = (quire_method)0;
    quire_status status = check_reduction(&checked);
    if (status) return status;
    if (!sum) return QUIRE_NULL_POINTER;
    status = check_result(r.result_type, result);
    if (status) return status;
    const format_description format = describe_format(r.result_type);
    const finish_kind finish = describe_operation(r.operation).finish;
    const uint64_t n = (uint64_t)sum->count;
    format_store(finish_and_round(accumulator_total(sum), finish, n, format, r.rounding), format.size, result);
    return QUIRE_OK;
}

static quire_status round_as(quire_operation operation, const quire_accumulator *sum, quire_type result_type, void *result) {
    quire_reduction what = { operation, result_type, result_type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    return result_type ? quire_finish(&what, sum, NULL, result) : QUIRE_INVALID_RESULT_TYPE;
}

quire_status quire_round(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_as(QUIRE_SUM, accumulator, result_type, result);
}

quire_status quire_round_root(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_as(QUIRE_NRM2, accumulator, result_type, result);
}

quire_status quire_round_mean(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_as(QUIRE_MEAN, accumulator, result_type, result);
}
