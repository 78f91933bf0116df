/* segments.h - lengths of segments: spread evenly, by a power law, or mostly 0, as the tests of CUB have them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_SEGMENTS_H
#define QUIRE_BENCH_SEGMENTS_H

#include "job.h"

/* The most offsets of n elements, whose segments have this mean length. */
size_t segments_room(size_t n, size_t mean);

/* Cuts n elements, less than 2^31, into segments: writes the offsets, and answers how many segments there are. The last
 * one ends at n. */
size_t segments_cut(layout which, size_t n, size_t mean, uint64_t seed, int32_t *offsets);

#endif
