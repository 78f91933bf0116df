/* accumulate.c - the calls on accumulators. SPDX-License-Identifier: MIT */
#include "accumulator/limbs.h"
#include "api/check.h"
#include "format/formats.h"

static quire_status accumulate(quire_context *context, quire_accumulator *accumulator, quire_term term, quire_type type,
                               size_t n, const void *x, const void *y) {
    const quire_job job = { type, term, FINISH_KEEP, n, x, y, QUIRE_EXACT, type, NULL };
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

static quire_status round_finished(const quire_accumulator *accumulator, quire_finish finish, quire_type result_type,
                                   void *result) {
    const quire_status status = check_result(result_type, result);
    if (status == QUIRE_INVALID_RESULT_TYPE) return status;
    if (!accumulator) return QUIRE_NULL_POINTER;
    if (status) return status;
    const format_description format = describe_format(result_type);
    const quire_total total = finish_total(accumulator_total(accumulator), finish, (uint64_t)accumulator->count);
    format_store(total_round(total, format), format.size, result);
    return QUIRE_OK;
}

quire_status quire_round(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_finished(accumulator, FINISH_KEEP, result_type, result);
}

quire_status quire_round_root(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_finished(accumulator, FINISH_ROOT, result_type, result);
}

quire_status quire_round_mean(const quire_accumulator *accumulator, quire_type result_type, void *result) {
    return round_finished(accumulator, FINISH_DIVIDE, result_type, result);
}
