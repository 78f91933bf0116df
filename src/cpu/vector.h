/* vector.h - one vector, by whatever method.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_VECTOR_H
#define QUIRE_CPU_VECTOR_H

#include "cpu/context.h"

/* A job of one vector, whose elements are the strides, in bytes, apart. The context's threads share it. Answers the
 * result's bits. */
QUIRE_PRIVATE uint64_t vector_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                     ptrdiff_t y_stride);

/* The same of a contiguous one, which may be short. The environment is ours. */
QUIRE_PRIVATE uint64_t vector_contiguous(const cpu_context *context, const quire_job *job, size_t size,
                                         format_description format);

#endif
