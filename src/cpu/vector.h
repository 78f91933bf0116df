/* vector.h - one vector, by whatever method.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_VECTOR_H
#define QUIRE_CPU_VECTOR_H

#include "cpu/context.h"

/* A job of one vector, of floating-point numbers or integers, whose elements are the strides, in bytes, apart. The
 * context's threads share it. Stores the result. */
QUIRE_PRIVATE void vector_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                 ptrdiff_t y_stride, void *result);

/* The same of a contiguous one, which may be short. format: of the result, unless that is of integers. The environment
 * is ours. */
QUIRE_PRIVATE void vector_contiguous(const cpu_context *context, const quire_job *job, format_description format,
                                     void *result);

/* Adds all sums of a job of floating-point numbers to accumulators, one each. n is not 0. */
QUIRE_PRIVATE void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, quire_accumulator *accumulator);

#endif
