/* call.c - the calls of one vector, by operation. */
#include "call.h"

quire_status call_operation(quire_context *context, operation op, quire_type type, size_t n, const void *x,
                            const void *y, quire_method method, quire_type result_type, void *result) {
    const quire_reduction what = {
        .operation = operation_number(op), .type = type, .result_type = result_type, .method = method
    };
    const quire_layout layout = quire_strided(n, 1);
    switch (op) {
    case OPERATION_SUM: return quire_sum(context, type, n, x, method, result_type, result);
    case OPERATION_ASUM: return quire_asum(context, type, n, x, method, result_type, result);
    case OPERATION_DOT: return quire_dot(context, type, n, x, y, method, result_type, result);
    case OPERATION_NRM2: return quire_nrm2(context, type, n, x, method, result_type, result);
    case OPERATION_MEAN: return quire_mean(context, type, n, x, method, result_type, result);
    default: return quire_reduce(context, &what, &layout, x, NULL, NULL, result);
    }
}
