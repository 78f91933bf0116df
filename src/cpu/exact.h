/* exact.h - exact sums of one vector.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_EXACT_H
#define QUIRE_CPU_EXACT_H

#include "cpu/split.h"

/* Adds all sums of a job to accumulators, one each. n is not 0. */
QUIRE_PRIVATE void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, quire_accumulator *accumulator);

/* The bits of the result of n > 0 elements. */
QUIRE_PRIVATE uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, format_description format);

#endif
