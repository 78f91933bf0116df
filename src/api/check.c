/* check.c - see check.h. SPDX-License-Identifier: MIT */
#include "api/check.h"

#include "format/integers.h"
#include "method/methods.h"

quire_status check_pointer(const void *p, size_t size) {
    if (!p) return QUIRE_NULL_POINTER;
    return (uintptr_t)p & (size - 1) ? QUIRE_MISALIGNED : QUIRE_OK;
}

quire_status both_checks(quire_status first, quire_status second) {
    if (first == QUIRE_MISALIGNED && second == QUIRE_NULL_POINTER) return second;
    return first ? first : second;
}

quire_status check_accumulator(const quire_accumulator *accumulator) {
    return check_pointer(accumulator, _Alignof(quire_accumulator));
}

size_t size_of_index(quire_index index) {
    switch (index) {
    case QUIRE_I32: return sizeof(int32_t);
    case QUIRE_I64: return sizeof(int64_t);
    }
    return 0;
}

int follows_order(quire_method method) {
#define QUIRE_CASE(name, METHOD, words, rows, unused) case METHOD:
    switch ((int)method) {
        QUIRE_LANE_METHODS(QUIRE_CASE, )
        return 1;
    }
#undef QUIRE_CASE
    return 0;
}

static int is_method(quire_method method) { return method == QUIRE_EXACT || follows_order(method); }

/* In two passes, so that a NULL is found before a misalignment. */
static quire_status check_memory(size_t n, const void *x, const void *y, size_t size) {
    ptrdiff_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) return QUIRE_SIZE_OVERFLOW;
    if (!n) return QUIRE_OK;
    if (!x || !y) return QUIRE_NULL_POINTER;
    return check_pointer(x, size) || check_pointer(y, size) ? QUIRE_MISALIGNED : QUIRE_OK;
}

quire_status check_input(quire_type type, size_t n, const void *x, const void *y) {
    const int size = element_size(type);
    return size ? check_memory(n, x, y, (size_t)size) : QUIRE_INVALID_TYPE;
}

quire_status check_result(quire_type result_type, const void *result) {
    const int alignment = result_alignment(result_type);
    return alignment ? check_pointer(result, (size_t)alignment) : QUIRE_INVALID_RESULT_TYPE;
}

quire_reduction reduction_with_defaults(quire_reduction what) {
    if (!what.operation) what.operation = QUIRE_SUM;
    if (!what.result_type) what.result_type = is_integer(what.type) ? QUIRE_F64 : what.type;
    if (!what.method) what.method = QUIRE_EXACT;
    return what;
}

static int is_rounding(quire_rounding rounding) {
    switch (rounding) {
    case QUIRE_TO_NEAREST:
    case QUIRE_DOWNWARD:
    case QUIRE_UPWARD:
    case QUIRE_TOWARD_ZERO: return 1;
    }
    return 0;
}

/* An integer of 128 bits is what sums of integers are, and those of products that have no more than 64 bits. */
static int is_integer_sum(quire_type type, quire_term term, finish_kind finish) {
    return is_integer(type) && finish == FINISH_KEEP && (!describe_term(term).is_product || element_size(type) <= 4);
}

/* The types and the method of a reduction. */
static quire_status check_kinds(quire_type type, quire_term term, finish_kind finish, quire_method method,
                                quire_type result_type) {
    if (!element_size(type)) return QUIRE_INVALID_TYPE;
    if (!is_method(method)) return QUIRE_INVALID_METHOD;
    if ((is_exact_finish(finish) || is_integer(type)) && method != QUIRE_EXACT) return QUIRE_INVALID_METHOD;
    if (!result_size(result_type)) return QUIRE_INVALID_RESULT_TYPE;
    return result_type != QUIRE_INT128 || is_integer_sum(type, term, finish) ? QUIRE_OK : QUIRE_NO_INTEGER;
}

quire_status check_reduction(const quire_reduction *what) {
    for (size_t i = 0; i < sizeof what->reserved / sizeof *what->reserved; i++)
        if (what->reserved[i]) return QUIRE_INVALID_OPERATION;
    const operation_description is = describe_operation(what->operation);
    if (!is.arrays) return QUIRE_INVALID_OPERATION;
    const quire_status status = check_kinds(what->type, is.term, is.finish, what->method, what->result_type);
    return status || is_rounding(what->rounding) ? status : QUIRE_INVALID_ROUNDING;
}

/* Adds the distance between the first and the last of count things, in elements; answers whether that fits. */
static int add_span(size_t *span, size_t count, ptrdiff_t stride) {
    size_t product;
    return !__builtin_mul_overflow(count - 1, stride_magnitude(stride), &product) &&
           !__builtin_add_overflow(*span, product, span);
}

int layout_fits(const quire_layout *l, size_t size) {
    size_t span = 1;
    if (!l->outer || !l->n || !l->inner) return 1;
    return l->n <= PTRDIFF_MAX / size && add_span(&span, l->outer, l->outer_stride) &&
           add_span(&span, l->n, l->stride) && add_span(&span, l->inner, l->inner_stride) && span <= PTRDIFF_MAX / size;
}

quire_status check_job(const quire_job *job) {
    const quire_status status = check_kinds(job->type, job->term, job->finish, job->method, job->result_type);
    if (status) return status;
    return both_checks(check_memory(job->n, job->x, job->y, (size_t)element_size(job->type)),
                       check_pointer(job->result, (size_t)result_alignment(job->result_type)));
}
