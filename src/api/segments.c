/* segments.c - quire_reduce_segments: arguments are checked, as far as that needs no look at the offsets, which may be
 * in a device's memory, and go to the context's backend.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/check.h"
#include "format/integers.h"

/* NULL before misalignment; x and y may be NULL, as all segments may be empty. */
static quire_status check_memory(const quire_job *job, const quire_segments *s) {
    const size_t size = (size_t)element_size(job->type), result = (size_t)result_alignment(job->result_type);
    const size_t offset = size_of_index(s->index);
    if (!s->begin || !s->end || !job->result) return QUIRE_NULL_POINTER;
    const uintptr_t inputs = ((uintptr_t)job->x | (uintptr_t)job->y) & (size - 1);
    const uintptr_t offsets = ((uintptr_t)s->begin | (uintptr_t)s->end) & (offset - 1);
    return inputs || offsets || (uintptr_t)job->result & (result - 1) ? QUIRE_MISALIGNED : QUIRE_OK;
}

quire_status quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                   quire_index index, const void *begin, const void *end, const void *x, const void *y,
                                   void *results) {
    if (!what) return QUIRE_NULL_POINTER;
    const quire_reduction r = reduction_with_defaults(*what);
    const operation_description is = describe_operation(r.operation);
    quire_status status = check_reduction(&r);
    if (status) return status;
    if (!size_of_index(index)) return QUIRE_INVALID_INDEX;
    if (segments > PTRDIFF_MAX / sizeof(int64_t)) return QUIRE_SIZE_OVERFLOW;
    const quire_backend *backend = backend_of(context);
    if (!segments) return QUIRE_OK;
    const void *second = is.arrays == 1 ? x : y;
    const quire_job job = { r.type,   is.term,       is.finish, 0,          x,           second,
                            r.method, r.result_type, results,   r.rounding, r.correction };
    const quire_segments where = { segments, index, begin, end };
    status = check_memory(&job, &where);
    if (status) return status;
    return backend->reduce_segments ? backend->reduce_segments(context, &job, &where) : QUIRE_WRONG_CONTEXT;
}
