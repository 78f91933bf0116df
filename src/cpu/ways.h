/* ways.h - ways to the result of one vector: ordered.c, integers.c. vector.c has the others, and chooses. Elements are
 * strides of bytes apart; the context's threads share them, in any environment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_WAYS_H
#define QUIRE_CPU_WAYS_H

#include "cpu/lane_methods.h"
#include "cpu/split.h"

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
