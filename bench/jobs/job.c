/* job.c - the bytes of a job, where its elements are, and the calls that do it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "job.h"

#include <stdbool.h>

#include "call.h"
#include "number.h"

const char *layout_name(layout which) {
    static const char *const names[LAYOUT_COUNT] = { "vector",   "rows",           "columns",
                                                     "segments", "segments-power", "segments-empty" };
    return names[which];
}

quire_type accumulation_type(quire_type type) { return type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32; }

static bool has_offsets(const job *j) { return j->layout >= LAYOUT_SEGMENTS; }

size_t job_length(const job *j) { return j->layout ? j->length : j->n; }

size_t job_bytes(const job *j) { return j->n * type_size(j->type) * (j->operation == OPERATION_DOT ? 2 : 1); }

size_t job_traffic(const job *j, quire_type result_type) {
    const size_t offsets = has_offsets(j) ? (j->vectors + 1) * sizeof *j->offsets : 0;
    return job_bytes(j) + offsets + j->vectors * type_size(result_type); /* one vector: vectors is 0 */
}

size_t job_vector_length(const job *j, size_t i) {
    return has_offsets(j) ? (size_t)(j->host_offsets[i + 1] - j->host_offsets[i]) : j->length;
}

size_t job_element(const job *j, size_t i, size_t k) {
    if (has_offsets(j)) return (size_t)j->host_offsets[i] + k;
    return j->layout == LAYOUT_COLUMNS ? k * j->vectors + i : i * j->length + k;
}

/* -------------------------------------------------------------------------------------------------------- the calls */

static quire_status reduce_many(quire_context *context, const job *j, const quire_reduction *what, void *results) {
    const ptrdiff_t wide = (ptrdiff_t)j->vectors, apart = (ptrdiff_t)j->length;
    const void *y = j->operation == OPERATION_DOT ? j->y : NULL;
    if (has_offsets(j))
        return quire_reduce_segments(context, what, j->vectors, QUIRE_I32, j->offsets, j->offsets + 1, j->x, y,
                                     results);
    const quire_layout layout = j->layout == LAYOUT_ROWS ? quire_rows(j->vectors, j->length, apart)
                                                         : quire_columns(j->length, j->vectors, wide);
    return quire_reduce(context, what, &layout, j->x, NULL, y, results);
}

quire_status job_reduce(quire_context *context, const job *j, quire_method method, void *result) {
    const quire_reduction what = {
        .operation = operation_number(j->operation), .type = j->type, .result_type = j->result_type, .method = method
    };
    if (j->layout) return reduce_many(context, j, &what, result);
    return call_operation(context, j->operation, j->type, j->n, j->x, j->y, method, j->result_type, result);
}
