/* many.h - units of work given to threads: what the drivers of layouts and of segments have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_MANY_H
#define QUIRE_CPU_MANY_H

#include "cpu/context.h"

/* Does units first to last - 1 of a work, in our environment. */
typedef void (*unit_function)(const void *work, size_t first, size_t last);

/* Gives units to threads, "together" of them at a time, in whatever order. A report counts units. */
QUIRE_PRIVATE void many_run(const cpu_context *context, unit_function run, const void *work, size_t units,
                            size_t together, int threads);

/* The same context for one thread, which reports nothing. */
QUIRE_PRIVATE cpu_context many_single(const cpu_context *context);

/* A job of one contiguous vector by a method of the canonical order, of no more than its first tile. The environment is
 * ours. The result's bits. */
#define ONE_TILE (ORDER_LANES * ORDER_ROWS)
QUIRE_PRIVATE uint64_t many_one_tile(const cpu_tier *tier, const quire_job *job, format_description format);

/* A job of one contiguous vector, by doubles alone if it is short and they hold or decide it. The environment is ours.
 * The result's bits. */
QUIRE_PRIVATE uint64_t many_contiguous(const cpu_context *context, const quire_job *job, size_t size,
                                       format_description format);

#endif
