/* segments.h - segments of an array, by one thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SEGMENTS_H
#define QUIRE_CPU_SEGMENTS_H

#include "cpu/context.h"

/* A result for each segment, see the backend's slot. By this thread alone, and in our environment. */
QUIRE_PRIVATE void segments_reduce(const cpu_context *context, const quire_job *job, const quire_segments *segments);

#endif
