/* arena.h - data made on the device, in one large piece of memory that is walked through, so that what was read last is
 * out of every cache by the time that it is read again; and the fastest way to read it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_ARENA_H
#define QUIRE_BENCH_LADDER_ARENA_H

#include <stddef.h>

#include <cuda_runtime_api.h>
#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct arena {
    unsigned char *memory;
    size_t bytes;
} arena;

typedef enum arena_data { ARENA_SIGNED /* [-1, 1) */, ARENA_POSITIVE /* (0, 1] */ } arena_data;

/* Fills it with numbers of a hash of their place, rounded to the type (half or float). */
int arena_fill(const arena *a, quire_type type, arena_data data);

/* The i-th of the pieces of that many bytes, in turn. */
const void *arena_piece(const arena *a, size_t bytes, int i);
int arena_pieces(const arena *a, size_t bytes);

/* Shapes of the read loop, and one reading of all of x (bytes divisible by 16) in one of them; sink is four bytes of
 * the device. */
#define READ_SHAPES 12
int arena_read(int shape, size_t bytes, const void *x, void *sink, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
