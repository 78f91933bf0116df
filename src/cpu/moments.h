/* moments.h - results of several sums: variances and the like, of one vector; covariances and the like, of two.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_MOMENTS_H
#define QUIRE_CPU_MOMENTS_H

#include "cpu/split.h"

/* The bits of a variance or the like, of n > 0 elements. */
QUIRE_PRIVATE uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                      ptrdiff_t y_stride, format_description format);

/* Those of an average, a covariance or a correlation. */
QUIRE_PRIVATE uint64_t pairs_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, format_description format);

/* Of a variance of no more than VECTOR_EXACT_ELEMENTS contiguous ones, if sums that lose a little decide it; answers
 * whether they do. The environment is ours. */
QUIRE_PRIVATE int short_moment(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits);

#endif
