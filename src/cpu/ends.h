/* ends.h - exact sums by their ends, at first (block/ends.h, pairs.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ENDS_H
#define QUIRE_CPU_ENDS_H

#include "cpu/context.h"

/* Whether ends may be tried: of an exact sum, and not of a job that reports, which goes through its elements once. A
 * context NULL: the job alone decides. */
QUIRE_PRIVATE int may_have_ends(const cpu_context *context, const quire_job *job);

/* Whether a vector's sum takes the least time by its ends, at first, and these at once (ends_tell). */
QUIRE_PRIVATE int has_ends(const cpu_context *context, const quire_job *job, format_description format);

/* Whether ends, of whatever length, take more time than windows. */
QUIRE_PRIVATE int have_windows_first(const quire_job *job);

/* A copy of the context for what they do not tell. */
QUIRE_PRIVATE cpu_context ends_past(const cpu_context *context);

/* The ends that mostly tell a job's results; those that may tell some which these leave open, a bit for each, or
 * ENDS_KINDS. */
QUIRE_PRIVATE ends_kind ends_kind_of(const quire_job *job, format_description format);
QUIRE_PRIVATE ends_kind ends_kind_after(const quire_job *job, ends_kind kind, const many_ends *ends, uint64_t open);

/* The results of some vectors whose sums have these ends, of one kind, as many sums as the job has: of n[i] elements
 * or, if n is NULL or the job needs squares, all of the job's. Answers with a bit for each result that is not told, and
 * not there. In this and the next ones the environment is ours. */
QUIRE_PRIVATE uint64_t ends_results(const cpu_tier *tier, ends_kind kind, const many_ends *ends, const size_t *n,
                                    size_t count, const quire_job *job, format_description format, char *results);

/* That of one vector. */
QUIRE_PRIVATE int ends_round(const sum_ends *sums, ends_kind kind, const quire_job *job, format_description format,
                             uint64_t *bits);

/* The result of a contiguous vector; of some, as above, which have the job's n elements each if it needs squares. */
QUIRE_PRIVATE int ends_tell(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits);
QUIRE_PRIVATE uint64_t ends_reduce_many(const cpu_tier *tier, const quire_job *job, const ends_vector *vectors,
                                        size_t count, format_description format, char *results);

/* The result of a vector that the context's threads share; in any environment. Strides are in bytes. */
QUIRE_PRIVATE int ends_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                              format_description format, uint64_t *bits);

#endif
