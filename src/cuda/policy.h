/* policy.h - how kernels are launched, as data. Nothing here can show in a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_POLICY_H
#define QUIRE_CUDA_POLICY_H

#include <stdbool.h>

#include "arithmetic.h"

/* The methods of the canonical order. Measured on an H200, 2026-11 (docs/performance.md). Sizes of arrays are bytes. */
#define LANE_GROUPS 6144       /* the most blocks: places in the workspace, a multiple of what a warp gathers */
#define LANE_STATES 4096       /* the most numbers of groups of tiles, a block each, that they cut a long array into */
#define UNITS_MOST (1u << 30)  /* and the most tiles of a group, or units of a piece */
#define DIRECT_THREADS 256     /* of a block of direct.cuh, at most */
#define DIRECT_BLOCKS 3        /* of a multiprocessor, at least, where bounds would take registers for two */
#define DIRECT_AHEAD (1 << 20) /* arrays up to this are prefetched by direct.cuh while the kernel before it ends */
#define DIRECT_SPREAD 2        /* blocks of a multiprocessor, from which on a block adds several tiles at once */
#define RING_BYTES ((size_t)2 << 30)     /* arrays from here on take ring.cuh */
#define RING_SOONER ((size_t)32 << 20)   /* the same by kahan, but where it adds by bounds */
#define RING_OVERLAP ((size_t)256 << 20) /* arrays from here on let the next kernel start early */
#define RING_LEAST (64 << 10)            /* of a block, at least */
#define RING_GROUP (256 << 10)           /* of a block, if that leaves RING_GROUPS groups */
#define RING_GROUPS 512

/* Exact sums take one of three ways. An array is short if SHORT_BLOCKS blocks can take it, by threads that have one
 * batch each, or SHORT_BATCHES at most: short.cuh. Products that short.cuh has not got are spread: exact.cuh, with less
 * for a warp at a time, so that all warps have some. All else is long: exact.cuh. */
#define SPREAD_BYTES ((size_t)4 << 20)      /* arrays up to this are spread */
#define SPREAD_ONE_BLOCK ((size_t)16 << 10) /* over one block up to this */
#define SPREAD_BLOCKS 2                     /* else over these blocks a multiprocessor */

/* Arrays are short if SHORT_BLOCKS blocks take them, unless approximate sums are quicker (below). From the shortest on:
 *   - What half of a block's threads load by SHORT_ALONE_LOADS loads is one block's; without clusters, what they load
 *     at once.
 *   - More is a cluster's (gather_cluster.cuh), with all threads if half of them would have more than a batch.
 *   - Still more is shared by all blocks: with a quarter of the threads if half of them made few blocks, with all if
 *     half of them would load more than SHORT_HALF_LOADS times. */
#define SHORT_BLOCKS 128 /* as many as one warp gathers */
#define SHORT_ALONE_LOADS 4
#define SHORT_CLUSTER ((size_t)512 << 10) /* bytes of a cluster, at most; of doubles half of that */
#define CLUSTER_BLOCKS 16 /* of a cluster; fewer, by halves, if no more multiprocessors are near each other */
#define SHORT_HALF_LOADS 2
#define SHORT_ONE_LOAD 32 /* up to as many blocks load once, where there are no clusters */

/* GPUs that add FEW_DOUBLES floats or more in the time of one double take exact.cuh, which adds floats
 * (float_bins.cuh), where it has them, for arrays from EXACT_FLOATS on. */
#define FEW_DOUBLES 8
#define EXACT_FLOATS ((size_t)2 << 20)

/* Exact sums are approximate (approximate.cuh) from EXACT_APPROXIMATE bytes on if the one before met what no window
 * holds: a second kernel is launched behind it, for 3 us. Norms are approximate whatever was before, from where they
 * win more than that. */
#define EXACT_APPROXIMATE ((size_t)8 << 20)
#define EXACT_APPROXIMATE_NORM ((size_t)32 << 20)
#define EXACT_APPROXIMATE_NARROW_NORM ((size_t)512 << 20) /* of elements of 16 bits */

/* From here on what is accumulated, of which all bits are wanted, takes the kernel for long arrays if the array before
 * was of wide-range data. */
#define EXACT_WIDE ((size_t)64 << 20)

/* One block in this number of an approximate sum starts with all bits, and so finds out whether the data is wide-range.
 */
#define WIDE_EVERY 64

/* Long arrays are cut into pieces that become smaller towards the end: equal shares would leave some blocks behind at
 * the end, by a hundredth. The last blocks that are at work together have half of what those before them have, the
 * next ones a quarter, down to the least piece, of an exact sum or of the canonical order (where it is a tile at
 * least). The very last block has none, and gathers. */
#define PIECES_BYTES ((size_t)2 << 30) /* arrays from here on */
#define EXACT_PIECE ((size_t)112 << 10)
#define RING_PIECE ((size_t)128 << 10)
#define PIECES_THREAD 4 /* pieces of the canonical order that a thread takes at once */
#define PIECES_WARP 128 /* and a warp; no more make a tree */
#define PIECE_PLACES 32 /* the number of pieces of a size is a multiple of this */
#define PIECE_TREE 2048 /* and they make fewer trees than this of as much as the greatest has */

/* Sums of other blocks that a thread of the last block takes at once. */
#define SUMS_OF_THREAD 4

/* No block may have more shared memory: what compute capability 7.5 has; and 4 KB less of it for columns. */
#define SHARED_MEMORY (64u << 10)
#define EXACT_SHARED (60u << 10)

/* 16-byte loads that a thread of short.cuh takes at a time, of both arrays together: all of them, twice as many of
 * floats and doubles; or SHORT_BATCHES batches at most, of which all blocks take 256 MB. */
#define SHORT_LOADS 4
#define SHORT_BATCHES 64

/* How an exact kernel is launched.
 *   threads  of a block; a power of two
 *   blocks   of a multiprocessor, at least; what limits registers
 *   vectors  16-byte loads that a thread takes at a time, of each array, while the next are under way */
typedef struct {
    int threads, blocks, vectors;
} exact_policy;

/* What an exact kernel is for: short arrays; spread ones; long ones; long ones by floats where doubles are quicker on a
 * GPU that has units for them; or the first pass of norms of long ones, which is approximate from the start
 * (approximate.cuh), and so needs no columns, nor what has all bits. */
typedef enum { EXACT_SHORT, EXACT_SPREAD, EXACT_LONG, EXACT_LONG_FLOATS, EXACT_APPROXIMATE_ONLY } exact_kind;

typedef struct {
    int size; /* of an element */
    bool is_half, is_product, is_pair;
    exact_kind kind;
} exact_case;

/* Squares of floats take eight instructions of doubles each, two in a norm, or fifteen of floats, and 22 in all: nearly
 * all that there is time for while an H200 reads them. */
QUIRE_CONSTANT bool exact_is_quicker_by_doubles(exact_case c) { return c.size == 4 && c.is_product && !c.is_pair; }

/* Whether bins of floats (float_bins.cuh) are tried first. */
QUIRE_CONSTANT bool exact_adds_floats(exact_case c) {
    return c.size < 8 && (c.kind == EXACT_LONG_FLOATS || (c.kind == EXACT_LONG && !exact_is_quicker_by_doubles(c)));
}

/* Measured on an H200, 2026-11 (docs/performance.md): what is fastest for ordinary data. */
QUIRE_CONSTANT exact_policy exact_policy_of(exact_case c) {
    const bool large_cells = c.is_product && !c.is_half;
    const int vectors = c.is_pair ? 4 : 8; /* what registers hold */
    const int short_threads = (large_cells ? 512 : 1024) / (c.size < 4 ? 4 : c.size);
    const exact_policy approximate_only = { 128, 4, vectors }, not_long = { short_threads, 1, vectors / 2 },
                       long_double_products = { 64, 5, vectors },
                       others = { 128, exact_adds_floats(c) ? 3 : 4, vectors };
    if (c.kind == EXACT_APPROXIMATE_ONLY) return approximate_only;
    if (c.kind <= EXACT_SPREAD) return not_long;
    return c.size == 8 && c.is_product ? long_double_products : others;
}

#endif
