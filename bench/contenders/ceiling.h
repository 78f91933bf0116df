/* ceiling.h - how fast memory can be read at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_CEILING_H
#define QUIRE_BENCH_CEILING_H

#include <stddef.h>
#include <stdint.h>

/* Reads every byte of x, and of y if it is not NULL, once and does as little with it as can be. The answer is only
 * there to keep the loads. */
uint64_t ceiling_read(const void *x, const void *y, size_t bytes);

#endif
