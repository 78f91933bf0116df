/* ways.h - the ways to the result of one vector, each in a file of its own: exact.c, ordered.c, moments.c, integers.c.
 * vector.c chooses. Elements are strides of bytes apart; the context's threads share them, in any environment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_WAYS_H
#define QUIRE_CPU_WAYS_H

#include "cpu/lane_methods.h"
#include "cpu/split.h"

/* Adds all sums of a job to accumulators, one each. n is not 0. */
QUIRE_PRIVATE void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, quire_accumulator *accumulator);

/* The bits of the result of n > 0 elements: of an exact sum; of a variance or the like; of an average, a covariance or
 * a correlation. */
QUIRE_PRIVATE uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, format_description format);
QUIRE_PRIVATE uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                      ptrdiff_t y_stride, format_description format);
QUIRE_PRIVATE uint64_t pairs_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, format_description format);

/* The result of a variance of no more than VECTOR_EXACT_ELEMENTS contiguous ones, if sums that lose a little decide it;
 * answers whether they do. The environment is ours. */
QUIRE_PRIVATE int short_moment(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits);

/* The total by a method of the canonical order, of n > 0 elements. */
QUIRE_PRIVATE quire_total ordered_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                         ptrdiff_t y_stride);

/* The same of one contiguous vector of no more than the first tile. The environment is ours. The result's bits. */
QUIRE_PRIVATE uint64_t ordered_one_tile(const cpu_tier *tier, const quire_job *job, format_description format);

/* Of integers: stores the result; and adds the terms to an accumulator that is carried. */
QUIRE_PRIVATE void integers_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                   ptrdiff_t y_stride, void *result);
QUIRE_PRIVATE void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                       ptrdiff_t y_stride, quire_accumulator *accumulator);

#endif
