/* integer_sums.h - the exact sums of one vector of integers, and the result that they make.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INTEGER_SUMS_H
#define QUIRE_CPU_INTEGER_SUMS_H

#include "cpu/context.h"
#include "operation/pairs.h"

/* All sums of a job over the elements seen so far, in the order of operation/pairs.h where it needs those of pairs; and
 * whether a term of the first was not zero. */
typedef struct {
    integer_sum sum[MOST_PAIR_SUMS];
    uint64_t n;
    int has_terms;
} integer_state;

#define INTEGER_STATE_ZERO                                                                                             \
    { { INTEGER_ZERO, INTEGER_ZERO, INTEGER_ZERO, INTEGER_ZERO, INTEGER_ZERO }, 0, 0 }

/* Adds n elements that stand side by side, each aligned to itself. */
QUIRE_PRIVATE void integer_state_add(integer_state *s, const cpu_tier *tier, const quire_job *job, const char *x,
                                     const char *y, size_t n);

/* The same of n elements strides of bytes apart. */
QUIRE_PRIVATE void integer_state_add_strided(integer_state *s, const cpu_tier *tier, const quire_job *job,
                                             const char *x, const char *y, size_t n, ptrdiff_t x_stride,
                                             ptrdiff_t y_stride);

QUIRE_PRIVATE void integer_state_merge(integer_state *into, const integer_state *from);

/* All of the job's vector, whose elements are strides of bytes apart, by the context's threads. */
QUIRE_PRIVATE integer_state integer_state_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                             ptrdiff_t y_stride);

/* Stores the result that the job asks for. */
QUIRE_PRIVATE void integer_result(const integer_state *s, const quire_job *job, void *result);

#endif
