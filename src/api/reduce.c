/* reduce.c - the reductions of one vector: arguments become a job, the job is checked and goes to the context's
 * backend.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/check.h"
#include "format/integers.h"
#include "order/order.h"

static quire_status reduce(quire_context *context, quire_operation operation, quire_type type, size_t n, const void *x,
                           const void *y, quire_method method, quire_type result_type, void *result) {
    const operation_description is = describe_operation(operation);
    const quire_job job = { type, is.term, is.finish, n, x, y, method, result_type, result, QUIRE_TO_NEAREST, 0 };
    const quire_backend *backend = backend_of(context);
    quire_status status = check_job(&job);
    return status ? status : backend->reduce(context, &job);
}

quire_status quire_sum(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                       quire_type result_type, void *result) {
    return reduce(context, QUIRE_SUM, type, n, x, x, method, result_type, result);
}

quire_status quire_asum(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                        quire_type result_type, void *result) {
    return reduce(context, QUIRE_ASUM, type, n, x, x, method, result_type, result);
}

quire_status quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                       quire_method method, quire_type result_type, void *result) {
    return reduce(context, QUIRE_DOT, type, n, x, y, method, result_type, result);
}

quire_status quire_nrm2(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                        quire_type result_type, void *result) {
    return reduce(context, QUIRE_NRM2, type, n, x, x, method, result_type, result);
}

quire_status quire_mean(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                        quire_type result_type, void *result) {
    return reduce(context, QUIRE_MEAN, type, n, x, x, method, result_type, result);
}

static quire_status moment(quire_context *context, quire_operation operation, quire_type type, size_t n, const void *x,
                           int64_t correction, quire_type result_type, void *result) {
    const operation_description is = describe_operation(operation);
    const quire_job job = { type,        is.term, is.finish,        n,         x, x, QUIRE_EXACT,
                            result_type, result,  QUIRE_TO_NEAREST, correction };
    const quire_backend *backend = backend_of(context);
    quire_status status = check_job(&job);
    return status ? status : backend->reduce(context, &job);
}

quire_status quire_variance(quire_context *context, quire_type type, size_t n, const void *x, int64_t correction,
                            quire_type result_type, void *result) {
    return moment(context, QUIRE_VARIANCE, type, n, x, correction, result_type, result);
}

quire_status quire_stddev(quire_context *context, quire_type type, size_t n, const void *x, int64_t correction,
                          quire_type result_type, void *result) {
    return moment(context, QUIRE_STDDEV, type, n, x, correction, result_type, result);
}

float quire_sumf(const float *x, size_t n) {
    float sum = float_of_bits(0x7fc00000);
    quire_sum(NULL, QUIRE_F32, n, x, QUIRE_EXACT, QUIRE_F32, &sum);
    return sum;
}

double quire_sumd(const double *x, size_t n) {
    double sum = double_of_bits(0x7ff8000000000000);
    quire_sum(NULL, QUIRE_F64, n, x, QUIRE_EXACT, QUIRE_F64, &sum);
    return sum;
}

size_t quire_type_size(quire_type type) { return type == QUIRE_INT128 ? INT128_SIZE : (size_t)element_size(type); }

size_t quire_chain_length(quire_method method, size_t n) {
    if (!follows_order(method)) return 0;
    const size_t tile = order_tile(n, order_rows_of(method));
    size_t tiles = n ? (n - 1) / tile + 1 : 1, chain = tile / ORDER_LANES + 8;
    for (; tiles > 1; tiles -= tiles / 2) chain++;
    return chain;
}
