/* vector.h - one vector, by whatever method.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_VECTOR_H
#define QUIRE_CPU_VECTOR_H

#include "cpu/context.h"
#include "cpu/results.h"

/* A job of one vector, of floating-point numbers or integers, whose elements are the strides, in bytes, apart. The
 * context's threads share it, in any environment. Stores the result. */
QUIRE_PRIVATE void vector_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                 ptrdiff_t y_stride, void *result);

/* The same of a contiguous one, which may be short. format: of the result, unless that is of integers. The environment
 * is ours. */
QUIRE_PRIVATE void vector_contiguous(const cpu_context *context, const quire_job *job, format_description format,
                                     void *result);

/* Adds all sums of a job of floating-point numbers to accumulators, one each. n is not 0. */
QUIRE_PRIVATE void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, quire_accumulator *accumulator);

/* The bits of the job's result, which is one of floating-point numbers, from all its sums. */
QUIRE_PRIVATE uint64_t accumulators_round(const quire_accumulator *const *sums, const quire_job *job,
                                          format_description format);

/* Whether elements of a job, which are the stride apart, are NaN or infinite: then so are its sums, and a variance is
 * NaN. */
QUIRE_PRIVATE int variance_is_none(const quire_job *job, ptrdiff_t stride);

/* ------------------------------------------------------------------------------------------------- some of its ways */

/* Strides and environment are as those of vector_reduce, but where something else is said. */

/* The result's bits by a method of the canonical order, of n > 0 elements (ordered.c). */
QUIRE_PRIVATE uint64_t ordered_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                      ptrdiff_t y_stride, format_description format);

/* The same of one contiguous vector of no more than the first tile. The environment is ours. */
QUIRE_PRIVATE uint64_t ordered_one_tile(const cpu_tier *tier, const quire_job *job, format_description format);

/* Of integers (integers.c): stores the result; and adds the terms to an accumulator that is carried. */
QUIRE_PRIVATE void integers_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                   ptrdiff_t y_stride, void *result);
QUIRE_PRIVATE void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                       ptrdiff_t y_stride, quire_accumulator *accumulator);

#endif
