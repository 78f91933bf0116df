/* shares.h - which units of an array are a block's, and which batches a warp's, by their numbers: arithmetic, which the
 * tests run without a device.
 *
 * The last block of the grid gathers (gather.cuh). Where blocks have pieces it has none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SHARES_H
#define QUIRE_CUDA_GRID_SHARES_H

#include "cuda/job.h"

/* In units of the kernel's: tiles, or batches. */
typedef struct {
    size_t begin;
    unsigned size;
} block_piece;

/* A pair as C and C++ make it on the way out: nvcc takes registers for pairs that have a name. */
#ifdef __cplusplus
#define SHARES_PAIR(type) type
#else
#define SHARES_PAIR(type) (type)
#endif

/* A block's, which may reach beyond the end. Blocks have as much each, or less and less. */
QUIRE_INLINE block_piece piece_of_number(const block_shares *shares, unsigned number) {
    const unsigned largest = shares->units_per_block, per_size = shares->pieces_per_size;
    if (shares->kind != SHARES_PIECES || number < shares->largest_pieces)
        return SHARES_PAIR(block_piece){ (size_t)largest * number, largest };
    const unsigned block = number - shares->largest_pieces, last = shares->smaller_sizes - 1;
    const unsigned sizes = block / per_size < last ? block / per_size : last, size = largest >> (sizes + 1);
    const size_t before = (size_t)largest * shares->largest_pieces + (size_t)per_size * (largest - (largest >> sizes));
    return SHARES_PAIR(block_piece){ before + (size_t)size * (block - sizes * per_size), size };
}

/* The batches of a warp, by number: the next, and then every one that is as many further as warps take turns. They fit
 * 32 bits where arrays fit a memory.
 */
typedef struct {
    unsigned next, end;
} warp_turns;

QUIRE_INLINE unsigned shares_of(size_t n, size_t share) { return (unsigned)(n / share + (n % share != 0)); }

/* A warp's number in the grid: warps of one number in their blocks are neighbours. */
QUIRE_INLINE unsigned warp_of_grid(unsigned warp, unsigned block, unsigned blocks) { return warp * blocks + block; }

/* How many warps take turns: the warps of one block that has a piece, or of all blocks. */
QUIRE_INLINE unsigned warps_of_turns(bool has_piece, unsigned warps, unsigned blocks) {
    return warps * (has_piece ? 1 : blocks);
}

/* In turn with all warps of the grid, by the number of the warp in it. */
QUIRE_INLINE warp_turns turns_by_number(unsigned number, unsigned batches) {
    return SHARES_PAIR(warp_turns){ number, batches };
}

/* The same, the last warp of all first. */
QUIRE_INLINE warp_turns turns_from_end(unsigned number, unsigned warps, unsigned batches) {
    return SHARES_PAIR(warp_turns){ warps - 1 - number, batches };
}

/* In turn with the warps of the block, which has a piece of the batches. */
QUIRE_INLINE warp_turns turns_in_piece(block_piece piece, unsigned warp, unsigned batches) {
    const size_t end = piece.begin + piece.size;
    return SHARES_PAIR(warp_turns){ (unsigned)piece.begin + warp, (unsigned)(end < batches ? end : batches) };
}

#undef SHARES_PAIR

#endif
