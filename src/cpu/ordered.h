/* ordered.h - the methods of the canonical order, of one vector.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ORDERED_H
#define QUIRE_CPU_ORDERED_H

#include "cpu/lane_methods.h"
#include "cpu/split.h"

/* The total of a job of n > 0 elements. */
QUIRE_PRIVATE quire_total ordered_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                         ptrdiff_t y_stride);

/* A job of one contiguous vector by a method of the canonical order, of no more than its first tile. The environment is
 * ours. The result's bits. */
QUIRE_PRIVATE uint64_t ordered_one_tile(const cpu_tier *tier, const quire_job *job, format_description format);

#endif
