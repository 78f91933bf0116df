/* accumulate.c - the calls on accumulators. SPDX-License-Identifier: MIT */
#include "accumulator/integers.h"
#include "api/check.h"
#include "api/moments.h"
#include "format/integers.h"
#include "operation/moments.h"

static quire_status accumulate(quire_context *context, quire_accumulator *accumulator, quire_term term, quire_type type,
                               size_t n, const void *x, const void *y) {
    const quire_job job = { type, term, FINISH_KEEP, n, x, y, QUIRE_EXACT, type, NULL, QUIRE_TO_NEAREST, 0 };
    const quire_backend *backend = backend_of(context);
    quire_status status = both_checks(check_input(type, n, x, y), check_accumulator(accumulator));
    if (!status) status = check_integers(backend, type, type);
    return status ? status : backend->accumulate(context, &job, accumulator);
}

quire_status quire_accumulate(quire_context *context, quire_accumulator *accumulator, quire_type type, size_t n,
                              const void *x) {
    return accumulate(context, accumulator, TERM_IDENTITY, type, n, x, x);
}

quire_status quire_accumulate_magnitudes(quire_context *context, quire_accumulator *accumulator, quire_type type,
                                         size_t n, const void *x) {
    return accumulate(context, accumulator, TERM_MAGNITUDE, type, n, x, x);
}

quire_status quire_accumulate_products(quire_context *context, quire_accumulator *accumulator, quire_type type,
                                       size_t n, const void *x, const void *y) {
    return accumulate(context, accumulator, TERM_PRODUCT, type, n, x, y);
}

quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from) {
    const quire_status status = both_checks(check_accumulator(into), check_accumulator(from));
    if (!status) accumulator_merge(into, from);
    return status;
}

quire_status quire_carry(quire_accumulator *accumulator) {
    const quire_status status = check_accumulator(accumulator);
    if (!status) accumulator_carry(accumulator);
    return status;
}

quire_status check_finish(const quire_reduction *what, quire_reduction *r) {
    *r = reduction_with_defaults(*what);
    r->type = r->result_type == QUIRE_INT128 ? QUIRE_INT32 : QUIRE_F64; /* no elements are read: any that can be */
    const quire_status status = check_reduction(r);
    return status != QUIRE_INVALID_OPERATION && r->method != QUIRE_EXACT ? QUIRE_INVALID_METHOD : status;
}

/* What quire_finish_pair alone has. */
static int is_of_more_sums(finish_kind finish) { return needs_pair_sums(finish) && finish != FINISH_AVERAGE; }

/* Whether a finish has a second sum. */
static int has_second_sum(finish_kind finish) { return needs_squares(finish) || finish == FINISH_AVERAGE; }

/* The integer that an accumulator holds. */
static quire_status finish_integer(const quire_accumulator *sum, void *result) {
    integer_sum s;
    if (has_special(sum) || !integer_of_limbs(sum->limb, &s)) return QUIRE_NO_INTEGER;
    integer_store(&s, result);
    return QUIRE_OK;
}

quire_status quire_finish(const quire_reduction *what, const quire_accumulator *sum, const quire_accumulator *squares,
                          void *result) {
    if (!what) return QUIRE_NULL_POINTER;
    quire_reduction r;
    quire_status status = check_finish(what, &r);
    const finish_kind finish = describe_operation(r.operation).finish;
    if (is_of_more_sums(finish)) return QUIRE_INVALID_OPERATION;
    if (!status) status = both_checks(check_accumulator(sum), check_result(r.result_type, result));
    if (needs_squares(finish)) return finish_moments(&r, status, sum, squares, result);
    if (finish == FINISH_AVERAGE) return finish_average(&r, status, sum, squares, result);
    if (status) return status;
    if (r.result_type == QUIRE_INT128) return finish_integer(sum, result);
    const format_description format = describe_format(r.result_type);
    const uint64_t n = (uint64_t)sum->count;
    format_store(finish_and_round(accumulator_total(sum), finish, n, format, r.rounding), format.size, result);
    return QUIRE_OK;
}

/* In host memory. What can be wrong with squares, or has no integer, is found in a first pass, which writes nothing. */
static quire_status finish_here(const quire_reduction *what, size_t count, const quire_accumulator *sums,
                                const quire_accumulator *squares, char *results) {
    const size_t size = (size_t)result_size(what->result_type);
    const int may_fail = squares || what->result_type == QUIRE_INT128;
    quire_status status = QUIRE_OK;
    uint64_t unused[2];
    for (size_t i = 0; may_fail && i < count && !status; i++)
        status = quire_finish(what, &sums[i], squares ? &squares[i] : NULL, unused);
    for (size_t i = 0; i < count && !status; i++)
        status = quire_finish(what, &sums[i], squares ? &squares[i] : NULL, results + i * size);
    return status;
}

quire_status quire_finish_many(quire_context *context, const quire_reduction *what, size_t count,
                               const quire_accumulator *sums, const quire_accumulator *squares, void *results) {
    if (!what) return QUIRE_NULL_POINTER;
    const quire_backend *backend = backend_of(context);
    quire_reduction r;
    quire_status status = check_finish(what, &r);
    const finish_kind finish = describe_operation(r.operation).finish;
    if (is_of_more_sums(finish)) return QUIRE_INVALID_OPERATION;
    if (status) return status;
    if (lacks_finish(backend, finish)) return QUIRE_WRONG_CONTEXT;
    if (count > PTRDIFF_MAX / sizeof *sums) return QUIRE_SIZE_OVERFLOW;
    if (!count) return QUIRE_OK;
    if (!has_second_sum(finish)) squares = NULL;
    status = both_checks(check_accumulator(sums), check_result(r.result_type, results));
    if (has_second_sum(finish)) status = both_checks(status, check_accumulator(squares));
    if (!status) status = check_integers(backend, r.type, r.result_type);
    if (status) return status;
    if (!backend->finish) return finish_here(&r, count, sums, squares, results);
    if (r.result_type == QUIRE_INT128) return QUIRE_WRONG_CONTEXT; /* a device cannot say that there is no integer */
    const quire_job job = { r.type,   TERM_IDENTITY, finish,  0,          NULL,        NULL,
                            r.method, r.result_type, results, r.rounding, r.correction };
    return backend->finish(context, &job, count, sums, squares);
}

static quire_status round_as(quire_operation operation, const quire_accumulator *sum, quire_type result_type,
                             void *result) {
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
