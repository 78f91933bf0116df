/* read.h - the ceiling of a GPU: kernels that only read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_READ_H
#define QUIRE_BENCH_GPU_READ_H

#include "contenders/reducer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* They want x and y on a multiple of 16 bytes, and write no result (but perhaps, once in 2^32, a word of no meaning).
 */
extern const reducer read_reducers[];
extern const int read_count;

/* Reads some memory, so that nothing else is in the cache; result: 4 bytes, as above. */
int read_flush(const void *memory, size_t bytes, void *result, void *stream);

#ifdef __cplusplus
}
#endif

#endif
