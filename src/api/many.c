/* many.c - quire_reduce: layouts are checked, and go to the context's backend, one contiguous vector as a job of its
 * own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/check.h"
#include "format/integers.h"

static quire_status check_layouts(const quire_reduction *what, const quire_layout *x, const quire_layout *y) {
    const size_t size = (size_t)element_size(what->type);
    size_t results;
    if (x->outer != y->outer || x->n != y->n || x->inner != y->inner) return QUIRE_INVALID_LAYOUT;
    if (!layout_fits(x, size) || !layout_fits(y, size) || __builtin_mul_overflow(x->outer, x->inner, &results))
        return QUIRE_INVALID_LAYOUT;
    return results > PTRDIFF_MAX / (size_t)result_size(what->result_type) ? QUIRE_INVALID_LAYOUT : QUIRE_OK;
}

static int is_contiguous(const quire_layout *l) { return l->n <= 1 || l->stride == 1; }

quire_status quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                          const void *x, const quire_layout *y_layout, const void *y, void *results) {
    if (!what || !x_layout) return QUIRE_NULL_POINTER;
    const quire_reduction r = reduction_with_defaults(*what);
    const operation_description is = describe_operation(r.operation);
    quire_status status = check_reduction(&r);
    if (status) return status;
    if (is.arrays == 1) y_layout = x_layout, y = x;
    if (!y_layout) y_layout = x_layout;
    status = check_layouts(&r, x_layout, y_layout);
    if (status) return status;
    const size_t vectors = x_layout->outer * x_layout->inner, n = x_layout->n;
    const quire_backend *backend = backend_of(context);
    if (!vectors) return QUIRE_OK;
    const quire_job job = { r.type,   is.term,       is.finish, n,          x,           y,
                            r.method, r.result_type, results,   r.rounding, r.correction };
    status = check_job(&job);
    if (status) return status;
    if (vectors == 1 && is_contiguous(x_layout) && is_contiguous(y_layout)) return backend->reduce(context, &job);
    return backend->reduce_many(context, &job, x_layout, y_layout);
}
