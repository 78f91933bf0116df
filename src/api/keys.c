/* keys.c - sums by key, and their steps: arguments are checked, and go to the context's backend.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/check.h"
#include "format/integers.h"
#include "workspace.h"

/* Pointers that a call needs: all are looked at, so that a NULL is found before any misalignment. */
typedef struct {
    int has_null, is_misaligned;
} pointer_check;

static void look_at(pointer_check *c, const void *p, size_t alignment) {
    c->has_null |= !p;
    c->is_misaligned |= ((uintptr_t)p & (alignment - 1)) != 0;
}

/* Where NULL is allowed. */
static void look_at_optional(pointer_check *c, const void *p, size_t alignment) {
    if (p) look_at(c, p, alignment);
}

static quire_status pointers_status(pointer_check c) {
    return c.has_null ? QUIRE_NULL_POINTER : c.is_misaligned ? QUIRE_MISALIGNED : QUIRE_OK;
}

/* The pointers' status, then whether the workspace has the bytes that are needed. */
static quire_status workspace_status(pointer_check c, size_t needed, size_t size) {
    const quire_status status = pointers_status(c);
    return !status && size < needed ? QUIRE_OUT_OF_MEMORY : status;
}

/* Whether there can be so many numbers of 64 bits. */
static int counts_fit(size_t n) { return n < PTRDIFF_MAX / sizeof(int64_t); }

/* -------------------------------------------------------------------------------------------------------- the order */

static quire_status check_keys(const quire_keys *keys) {
    if (!size_of_index(keys->index)) return QUIRE_INVALID_INDEX;
    return counts_fit(keys->groups) && counts_fit(keys->n) ? QUIRE_OK : QUIRE_SIZE_OVERFLOW;
}

/* An order of 32 bits counts no more rows. */
static quire_status check_order(const quire_keys *keys) {
    const quire_status status = check_keys(keys);
    return !status && keys->index == QUIRE_I32 && keys->n > INT32_MAX ? QUIRE_SIZE_OVERFLOW : status;
}

size_t quire_order_workspace(quire_context *context, size_t groups, quire_index index, size_t n) {
    const quire_keys rows = { groups, n, index, NULL };
    const quire_backend *backend = backend_of(context);
    return check_order(&rows) || !backend->order_workspace ? 0 : backend->order_workspace(context, &rows);
}

quire_status quire_order_by_key(quire_context *context, size_t groups, quire_index index, size_t n, const void *keys,
                                void *order, void *offsets, void *workspace, size_t workspace_size) {
    const quire_keys rows = { groups, n, index, keys };
    const quire_backend *backend = backend_of(context);
    pointer_check check = { 0, 0 };
    quire_status status = check_order(&rows);
    if (status) return status;
    if (!backend->order_by_key) return QUIRE_WRONG_CONTEXT;
    const size_t size = size_of_index(index), needed = backend->order_workspace(context, &rows);
    if (!needed) return QUIRE_SIZE_OVERFLOW;
    if (n) look_at(&check, keys, size), look_at(&check, order, size);
    look_at(&check, offsets, size);
    look_at(&check, workspace, WORKSPACE_ALIGNMENT);
    status = workspace_status(check, needed, workspace_size);
    return status ? status : backend->order_by_key(context, &rows, order, offsets, workspace);
}

/* ------------------------------------------------------------------------------------------------------- reductions */

/* A reduction whose layouts are to be checked: x's, and y's, which is x's where the operation reads one array. */
typedef struct {
    quire_reduction what;
    quire_layout x, y;
    int reads_y;
} layout_job;

static layout_job layout_job_of(const quire_reduction *what, const quire_layout *x, const quire_layout *y) {
    layout_job l = { reduction_with_defaults(*what), *x, *x, 0 };
    l.reads_y = describe_operation(l.what.operation).arrays == 2;
    if (l.reads_y && y) l.y = *y;
    return l;
}

/* Layouts, of which the rows may differ, and a result for each vector and each of so many parts. */
static quire_status check_extents(const layout_job *l, size_t parts) {
    const size_t size = (size_t)element_size(l->what.type);
    const size_t result = (size_t)result_size(l->what.result_type);
    size_t vectors, results;
    if (l->x.outer != l->y.outer || l->x.inner != l->y.inner) return QUIRE_INVALID_LAYOUT;
    if (!layout_fits(&l->x, size) || !layout_fits(&l->y, size)) return QUIRE_INVALID_LAYOUT;
    if (__builtin_mul_overflow(l->x.outer, l->x.inner, &vectors)) return QUIRE_INVALID_LAYOUT;
    if (__builtin_mul_overflow(vectors, parts, &results) || results > PTRDIFF_MAX / result) return QUIRE_INVALID_LAYOUT;
    return QUIRE_OK;
}

static quire_job job_of(const layout_job *l, const void *x, const void *y, void *results) {
    const operation_description is = describe_operation(l->what.operation);
    return (quire_job){ .type = l->what.type,
                        .term = is.term,
                        .finish = is.finish,
                        .n = l->x.n,
                        .x = x,
                        .y = l->reads_y ? y : x,
                        .method = l->what.method,
                        .result_type = l->what.result_type,
                        .result = results,
                        .rounding = l->what.rounding,
                        .correction = l->what.correction };
}

/* Arrays and results, of which there is at least one. */
static void look_at_arrays(pointer_check *check, const layout_job *l, const quire_job *job) {
    const size_t size = (size_t)element_size(job->type);
    if (has_elements(&l->x)) look_at(check, job->x, size);
    if (has_elements(&l->y)) look_at(check, job->y, size);
    look_at(check, job->result, (size_t)result_alignment(job->result_type));
}

quire_status quire_reduce_gathered(quire_context *context, const quire_reduction *what, size_t segments,
                                   quire_index index, const void *begin, const void *end, const void *x_order,
                                   const quire_layout *x_layout, const void *x, const void *y_order,
                                   const quire_layout *y_layout, const void *y, void *results) {
    if (!what || !x_layout) return QUIRE_NULL_POINTER;
    const layout_job l = layout_job_of(what, x_layout, y_layout);
    const size_t size = size_of_index(index);
    quire_status status = check_reduction(&l.what);
    if (status) return status;
    if (!size) return QUIRE_INVALID_INDEX;
    status = check_extents(&l, segments);
    if (status) return status;
    if (!counts_fit(segments)) return QUIRE_SIZE_OVERFLOW;
    const quire_job job = job_of(&l, x, y, results);
    const quire_gathered rows = { { segments, index, begin, end }, x_order, l.reads_y ? y_order : x_order, l.x, l.y };
    const quire_backend *backend = backend_of(context);
    if (!backend->reduce_gathered) return QUIRE_WRONG_CONTEXT;
    if (!segments || !l.x.outer || !l.x.inner) return QUIRE_OK;
    pointer_check check = { 0, 0 };
    look_at(&check, begin, size), look_at(&check, end, size);
    look_at_arrays(&check, &l, &job);
    look_at_optional(&check, rows.x_order, size), look_at_optional(&check, rows.y_order, size);
    status = pointers_status(check);
    return status ? status : backend->reduce_gathered(context, &job, &rows);
}

/* ----------------------------------------------------------------------------------------------------------- by key */

static quire_status check_by_key(const layout_job *l, const quire_keys *keys) {
    quire_status status = check_reduction(&l->what);
    if (status) return status;
    if (!size_of_index(keys->index)) return QUIRE_INVALID_INDEX;
    status = l->x.n == l->y.n ? check_extents(l, keys->groups) : QUIRE_INVALID_LAYOUT;
    return status ? status : check_keys(keys);
}

size_t quire_by_key_workspace(quire_context *context, const quire_reduction *what, size_t groups, quire_index index,
                              const quire_layout *x_layout) {
    if (!what || !x_layout) return 0;
    const layout_job l = layout_job_of(what, x_layout, NULL);
    const quire_keys rows = { groups, x_layout->n, index, NULL };
    const quire_backend *backend = backend_of(context);
    const quire_job job = job_of(&l, NULL, NULL, NULL);
    if (check_by_key(&l, &rows) || !backend->by_key_workspace) return 0;
    return backend->by_key_workspace(context, &job, &rows, &l.x, 1 + l.reads_y);
}

quire_status quire_reduce_by_key(quire_context *context, const quire_reduction *what, size_t groups, quire_index index,
                                 const void *keys, const quire_layout *x_layout, const void *x,
                                 const quire_layout *y_layout, const void *y, void *results, int64_t *counts,
                                 void *workspace, size_t workspace_size) {
    if (!what || !x_layout) return QUIRE_NULL_POINTER;
    const layout_job l = layout_job_of(what, x_layout, y_layout);
    const quire_keys rows = { groups, x_layout->n, index, keys };
    quire_status status = check_by_key(&l, &rows);
    if (status) return status;
    const quire_job job = job_of(&l, x, y, results);
    const quire_backend *backend = backend_of(context);
    if (!backend->reduce_by_key) return QUIRE_WRONG_CONTEXT;
    const int has_results = groups && l.x.outer && l.x.inner;
    const size_t needed = backend->by_key_workspace(context, &job, &rows, &l.x, 1 + l.reads_y);
    if (!needed) return QUIRE_SIZE_OVERFLOW;
    if (!groups || (!has_results && !counts)) return QUIRE_OK;
    pointer_check check = { 0, 0 };
    if (l.x.n) look_at(&check, keys, size_of_index(index));
    if (has_results) look_at_arrays(&check, &l, &job);
    look_at_optional(&check, counts, sizeof *counts);
    look_at(&check, workspace, WORKSPACE_ALIGNMENT);
    status = workspace_status(check, needed, workspace_size);
    return status ? status : backend->reduce_by_key(context, &job, &rows, &l.x, &l.y, counts, workspace);
}
