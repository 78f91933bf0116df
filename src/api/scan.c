/* scan.c - quire_scan: arguments are checked, and go to the context's backend.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/check.h"

/* In the order that the header promises: the method before what follows it. */
static quire_status check_scan(const quire_reduction *what, quire_scan_kind kind) {
    const int has_operation = what->operation == QUIRE_SUM || what->operation == QUIRE_ASUM;
    if (!has_operation || (kind != QUIRE_INCLUSIVE && kind != QUIRE_EXCLUSIVE)) return QUIRE_INVALID_OPERATION;
    const quire_status status = check_reduction(what);
    if (status == QUIRE_INVALID_OPERATION || status == QUIRE_INVALID_TYPE) return status;
    return what->method == QUIRE_EXACT ? status : QUIRE_INVALID_METHOD;
}

static int have_same_sizes(const quire_layout *x, const quire_layout *y) {
    return x->outer == y->outer && x->n == y->n && x->inner == y->inner;
}

static quire_status check_memory(const quire_job *job) {
    return both_checks(check_pointer(job->x, (size_t)element_size(job->type)),
                       check_pointer(job->result, (size_t)result_alignment(job->result_type)));
}

/* Strides of 0 may let a layout fit whose elements are too many: each of them has a result in a place of its own. */
static int fits_side_by_side(const quire_layout *layout, size_t size) {
    size_t elements;
    if (!has_elements(layout)) return 1;
    if (__builtin_mul_overflow(layout->outer, layout->inner, &elements)) return 0;
    if (__builtin_mul_overflow(elements, layout->n, &elements)) return 0;
    return elements <= PTRDIFF_MAX / size && layout_fits(layout, size);
}

quire_status quire_scan(quire_context *context, const quire_reduction *what, quire_scan_kind kind,
                        const quire_layout *x_layout, const void *x, const quire_layout *results_layout,
                        void *results) {
    if (!what || !x_layout || !results_layout) return QUIRE_NULL_POINTER;
    const quire_reduction r = reduction_with_defaults(*what);
    const operation_description is = describe_operation(r.operation);
    quire_status status = check_scan(&r, kind);
    if (status) return status;
    if (!have_same_sizes(x_layout, results_layout)) return QUIRE_INVALID_LAYOUT;
    if (!fits_side_by_side(x_layout, (size_t)element_size(r.type))) return QUIRE_INVALID_LAYOUT;
    if (!fits_side_by_side(results_layout, (size_t)result_size(r.result_type))) return QUIRE_INVALID_LAYOUT;
    const quire_backend *backend = backend_of(context);
    if (!backend->scan) return QUIRE_WRONG_CONTEXT;
    if (!has_elements(x_layout)) return QUIRE_OK;
    const quire_job job = { r.type,   is.term,       is.finish, x_layout->n, x,           x,
                            r.method, r.result_type, results,   r.rounding,  r.correction };
    status = check_memory(&job);
    return status ? status : backend->scan(context, &job, kind, x_layout, results_layout);
}
