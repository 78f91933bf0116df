/* strided.h - elements that stand apart.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_STRIDED_H
#define QUIRE_CPU_STRIDED_H

#include "cpu/indexed.h"
#include "cpu/lane_methods.h"
#include "cpu/split.h"

/* Parts of such a vector are gathered, and reduced as contiguous ones are. Strides are in bytes; y is read where the
 * terms are products. */
typedef struct {
    const cpu_tier *tier;
    quire_type type;
    quire_term term;
    quire_method method;
    size_t size; /* bytes of an element */
    ptrdiff_t x_stride, y_stride;
    const indexed_vector *indexed; /* or NULL: what stands at the strides are entries of an index */
} strided_vector;

/* Of a job's elements, with a term of its sums. */
QUIRE_INLINE strided_vector strided_vector_of(const cpu_context *context, const quire_job *job, quire_term term,
                                              ptrdiff_t x_stride, ptrdiff_t y_stride) {
    const size_t size = (size_t)describe_format(job->type).size;
    return (strided_vector){ context->tier, job->type, term, job->method, size, x_stride, y_stride, context->indexed };
}

/* A tile of the order, or less: n elements, 0 < n <= tile. */
QUIRE_PRIVATE void strided_tile(const strided_vector *v, const char *x, const char *y, size_t n, size_t tile,
                                lane_state *state);

/* Adds n elements as an exact_function does. */
QUIRE_PRIVATE void strided_exact(const strided_vector *v, quire_accumulator *a, const char *x, const char *y, size_t n);

/* The ends of n > 0 elements, by a function of a tier. */
QUIRE_PRIVATE sum_ends strided_ends(const strided_vector *v, ends_function add, const char *x, const char *y, size_t n);

#endif
