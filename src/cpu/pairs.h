/* pairs.h - averages, covariances and correlations of two vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_PAIRS_H
#define QUIRE_CPU_PAIRS_H

#include "cpu/split.h"
#include "operation/pairs.h"

/* The result's bits; strides are in bytes. The context's threads share the vectors. */
QUIRE_PRIVATE uint64_t pairs_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, format_description format);

/* Those of some contiguous vectors, of the job's n elements, by the ends of their sums. A bit for each result that is
 * not told, and not there. In this and the next one the environment is ours. */
QUIRE_PRIVATE uint64_t pairs_reduce_many(const cpu_tier *tier, const quire_job *job, const ends_vector *vectors,
                                         size_t count, format_description format, char *results);

/* The bits of a result whose sums have these ends, in the order of operation/pairs.h; answers whether they tell it. */
QUIRE_PRIVATE int pair_of_ends_round(const sum_ends *sums, const quire_job *job, format_description format,
                                     uint64_t *bits);

/* The ends that mostly tell a job's results. */
QUIRE_INLINE ends_kind pairs_kind_of(format_description format) {
    return format.precision > 24 ? ENDS_BESIDE_SUM : ENDS_ALONE;
}

#endif
