/* segments.h - where segments stand, and those of an array by one thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SEGMENTS_H
#define QUIRE_CPU_SEGMENTS_H

#include "cpu/context.h"
#include "cpu/gather.h"

typedef struct {
    int64_t begin; /* element, or entry of an index */
    size_t n;
} segment;

/* Segment i; one that ends before it begins is empty. */
QUIRE_INLINE segment segment_at(const quire_segments *s, size_t i) {
    const int is_64_bit = s->index == QUIRE_I64;
    const int64_t begin = index_at(s->begin, (ptrdiff_t)i, is_64_bit), end = index_at(s->end, (ptrdiff_t)i, is_64_bit);
    return (segment){ begin, end > begin ? (size_t)((uint64_t)end - (uint64_t)begin) : 0 };
}

/* A result for each segment, see the backend's slot. By this thread alone, and in our environment. */
QUIRE_PRIVATE void segments_reduce(const cpu_context *context, const quire_job *job, const quire_segments *segments);

#endif
