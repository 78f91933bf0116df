/* integers.h - vectors of integers: their exact sums, and the results that these make.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INTEGERS_H
#define QUIRE_CPU_INTEGERS_H

#include "cpu/panels.h"

/* One vector, whose elements are strides of bytes apart, by the context's threads. Stores the result. */
QUIRE_PRIVATE void integers_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                   ptrdiff_t y_stride, void *result);

/* Adds the terms of such a one to an accumulator that is carried. */
QUIRE_PRIVATE void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                       ptrdiff_t y_stride, quire_accumulator *accumulator);

/* A result for each vector of one panel, one behind the other. */
QUIRE_PRIVATE void panel_integers(const panel_job *p, char *results);

#endif
