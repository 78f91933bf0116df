/* array_launch.h - one launch of a kernel for one array: the grid, and what every block has of the array. Pure
 * functions of the job, of what the device is, and of how the kernel likes to be launched; the numbers are those of
 * policy.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ARRAY_LAUNCH_H
#define QUIRE_CUDA_HOST_ARRAY_LAUNCH_H

#include "cuda/host/plan.h"
#include "cuda/job.h"

/* A call, and what of it is not in the job. */
typedef struct {
    const quire_job *job;
    bool accumulates; /* all bits of an exact sum are wanted */
    bool was_wide;    /* the exact sum before met what no window holds, as far as is known */
    bool is_apart;    /* an array is not in memory of this device */
} array_call;

/* One launch of a kernel. */
typedef struct {
    cuda_length length; /* which kernel, of the table that the plan was made from */
    cuda_pass pass;
    bool has_hint;            /* the host is told whether the data is wide-range */
    unsigned blocks, threads; /* of the grid; of a block */
    unsigned shared;          /* bytes of dynamic shared memory of a block */
    unsigned cluster;         /* blocks of the cluster that the grid is; 0: it is none */
    unsigned sharers;         /* blocks that have a share; if there is one more, that is the last, and only gathers */
    block_shares shares;
} array_launch;

/* ---------------------------------------------------------------------------------------- the array and the device */

static inline size_t plan_element_size(const array_call *call) { return (size_t)describe_format(call->job->type).size; }

/* Of both arrays together. */
static inline size_t plan_bytes(const array_call *call) {
    const quire_job *job = call->job;
    return job->n * plan_element_size(call) * (job->y && job->y != job->x ? 2 : 1);
}

/* How a job's arrays may be read. */
static inline cuda_access plan_access(const quire_job *job) {
    const uintptr_t x = (uintptr_t)job->x, y = (uintptr_t)job->y;
    /* exact takes what is not aligned alike off the front by itself; the other methods must keep their order */
    const bool vectors = (x - y) % 16 == 0 && (job->method == QUIRE_EXACT || x % 16 == 0);
    return !vectors ? ACCESS_ELEMENTS : x == y ? ACCESS_SAME : ACCESS_VECTORS;
}

/* Blocks that have a share, at most: no more than the workspace has places for. */
static inline size_t plan_most_blocks(const device_facts *d) {
    return d->wish.blocks ? plan_least(d->wish.blocks, LANE_GROUPS) : LANE_GROUPS;
}

static inline unsigned plan_wished_threads(const device_facts *d, unsigned most) {
    return d->wish.warps && d->wish.warps * 32 < most ? d->wish.warps * 32 : most;
}

/* Threads of a block of a kernel whose blocks are as many as fit the device. */
static inline unsigned plan_long_threads(const device_facts *d, const cuda_kernel *kernel) {
    return kernel->driver == DRIVER_EXACT ? plan_wished_threads(d, kernel->threads) : kernel->threads;
}

/* Bytes of shared memory that a launch asks for. What short.cuh has depends on its threads. */
static inline unsigned plan_shared(const cuda_kernel *kernel, unsigned threads) {
    return kernel->driver == DRIVER_SHORT ? kernel->shared / kernel->threads * threads : kernel->shared;
}

static inline size_t plan_resident(const device_facts *d, const cuda_kernel *kernel) {
    return (size_t)d->multiprocessors * kernel->resident;
}

/* ----------------------------------------------------------------------------------------- pieces, and direct.cuh */

/* Whether an array is long enough for pieces, or a test wants some. */
static inline bool plan_wants_pieces(const array_call *call, const device_facts *d) {
    return d->wish.bytes || (!d->wish.blocks && plan_bytes(call) >= PIECES_BYTES);
}

/* Cuts units of work into pieces, smaller and smaller (policy.h), for so many blocks at once, down to "least" units;
 * leaves the launch as it is, and answers false, if there are too few. in_order: each piece is a subtree of all, and
 * so are those of a size. For a test that wants pieces: down to one unit, for no more blocks than leaves four to
 * each. */
static inline bool plan_pieces(const device_facts *d, array_launch *launch, size_t units, size_t at_once, size_t least,
                               bool in_order) {
    const size_t of_thread = in_order ? PIECES_THREAD : 1,
                 span = in_order ? PIECES_WARP : LANE_GROUPS; /* see merge_pieces */
    size_t piece = 1;                                         /* up to a fair share; powers of two were faster */
    unsigned sizes = 0;
    if (d->wish.bytes) least = 1, at_once = at_once < units / 4 ? at_once : units / 4;
    if (in_order)
        at_once = at_once < PIECE_PLACES ? at_once / of_thread * of_thread
                                         : plan_divide_up(at_once, PIECE_PLACES) * PIECE_PLACES;
    if (!at_once) return false;
    while (2 * piece * at_once <= units && piece < UNITS_MOST) piece *= 2;
    for (; piece >= 2 * least && (sizes + 3) * at_once + (2 * of_thread << sizes) < LANE_GROUPS; sizes++) {
        if (((size_t)2 << sizes) > span || (in_order && at_once % ((size_t)2 << sizes))) break;
        piece /= 2;
    }
    const size_t largest = piece << sizes, halved = at_once * (largest - piece);
    const size_t largest_pieces = (units - halved) / largest / of_thread * of_thread;
    if (!sizes || (in_order && units / largest >= PIECE_TREE)) return false;
    const size_t rest = units - halved - largest_pieces * largest;
    launch->shares.kind = SHARES_PIECES;
    launch->shares.units_per_block = (unsigned)largest;
    launch->shares.largest_pieces = (unsigned)largest_pieces;
    launch->shares.pieces_per_size = (unsigned)at_once;
    launch->shares.smaller_sizes = sizes;
    launch->sharers = (unsigned)(largest_pieces + sizes * at_once + plan_divide_up(rest, piece));
    launch->blocks = launch->sharers + 1;
    return true;
}

/* The tiles that a block of threads, tile_threads of which take a tile, adds at a time. What fits one block is one
 * block's, which has nobody to wait for; more is spread over the device. */
static inline unsigned plan_tiles_together(const device_facts *d, const cuda_kernel *kernel, size_t tiles) {
    const unsigned room = plan_wished_threads(d, kernel->threads);
    const size_t spread = tiles * kernel->tile_threads <= room ? 1 : (size_t)d->multiprocessors * DIRECT_SPREAD;
    unsigned together = 1;
    while (together * 2 * kernel->tile_threads <= room && plan_divide_up(tiles, together) > spread) together *= 2;
    return together;
}

/* A block takes more tiles than it adds at a time only where there would be too many blocks. */
static inline void plan_direct(const device_facts *d, const cuda_kernel *kernel, size_t tiles, array_launch *launch) {
    const unsigned together = plan_tiles_together(d, kernel, tiles);
    unsigned group = together;
    while (plan_divide_up(tiles, group) > plan_most_blocks(d) && group < UNITS_MOST) group *= 2;
    launch->shares.kind = SHARES_EQUAL;
    launch->shares.units_per_block = group;
    launch->threads = together * kernel->tile_threads;
    launch->blocks = launch->sharers = (unsigned)plan_divide_up(tiles, group);
}

/* ------------------------------------------------------------------------------------------------------- ring.cuh */

static inline size_t plan_tile_bytes(const array_call *call, size_t tiles) {
    return plan_divide_up(plan_bytes(call), tiles);
}

/* Large tiles make no small pieces: then they pay only where a block is slow by itself, with 16 bits an element. */
static inline bool plan_wants_ring_pieces(const array_call *call, const device_facts *d, size_t tiles) {
    const bool pay = d->wish.bytes || plan_tile_bytes(call, tiles) <= RING_PIECE || plan_element_size(call) == 2;
    return pay && plan_wants_pieces(call, d);
}

/* A block a group, and one more that gathers while others are at work. Groups are pieces, or of a size, which is as
 * large as leaves enough of them. */
static inline void plan_ring(const array_call *call, const device_facts *d, const cuda_kernel *kernel, size_t tiles,
                             array_launch *launch) {
    const size_t tile_bytes = plan_tile_bytes(call, tiles);
    if (plan_wants_ring_pieces(call, d, tiles)) {
        const size_t at_once = d->wish.blocks ? plan_most_blocks(d) : plan_resident(d, kernel);
        if (plan_pieces(d, launch, tiles, at_once, plan_divide_up(RING_PIECE, tile_bytes), true)) return;
    }
    const size_t most = plan_least(plan_most_blocks(d), kernel->most_blocks);
    unsigned group = 1;
    while (group < tiles && group * tile_bytes < RING_LEAST) group *= 2;
    while (group * tile_bytes < RING_GROUP && plan_divide_up(tiles, group) >= 2 * RING_GROUPS) group *= 2;
    while (plan_divide_up(tiles, group) > most && group < UNITS_MOST) group *= 2;
    launch->shares.kind = SHARES_EQUAL;
    launch->shares.units_per_block = group;
    launch->sharers = (unsigned)plan_divide_up(tiles, group);
    launch->blocks = launch->sharers + 1;
}

/* ------------------------------------------------------------------------------------------------------ exact.cuh */

/* A spread array is one block's as long as that spares more than it costs; then there are a few blocks a
 * multiprocessor; a long one has as many as fit, or pieces. Warps take no more at a time than leaves work for all. */
static inline void plan_exact(const array_call *call, const device_facts *d, const cuda_kernel *kernel,
                              array_launch *launch) {
    const bool is_spread = launch->length == LENGTH_ONE_BATCH;
    const size_t n = call->job->n, loads = plan_divide_up(n, kernel->load) + !n, warps = launch->threads / 32;
    size_t blocks = is_spread ? (size_t)d->multiprocessors * SPREAD_BLOCKS : plan_resident(d, kernel);
    if (blocks > plan_most_blocks(d) || d->wish.blocks) blocks = plan_most_blocks(d);
    const size_t batches = is_spread || launch->pass == PASS_AGAIN ? 0 : n / kernel->batch;
    launch->shares.elements_per_turn = kernel->batch;
    if (batches && plan_wants_pieces(call, d)) {
        const size_t least = plan_divide_up(EXACT_PIECE, plan_bytes(call) / batches);
        if (plan_pieces(d, launch, batches, blocks, least, false)) return;
    }
    if (!d->wish.blocks && n * plan_element_size(call) <= SPREAD_ONE_BLOCK) blocks = 1;
    if (!d->wish.blocks) blocks = plan_least(blocks, plan_divide_up(loads, warps));
    launch->shares.kind = SHARES_TURNS;
    launch->shares.elements_per_turn = plan_least(kernel->batch, plan_divide_up(loads, blocks * warps) * kernel->load);
    launch->blocks = launch->sharers = (unsigned)blocks;
}

/* ------------------------------------------------------------------------------------------------------ short.cuh */

/* How many blocks of a short array's kernel add, at most: what one warp gathers; one multiprocessor is for that. */
static inline size_t plan_short_blocks(const device_facts *d) {
    const size_t most = plan_least(d->multiprocessors > 1 ? d->multiprocessors - 1 : 1, SHORT_BLOCKS);
    return d->wish.blocks ? plan_least(d->wish.blocks, most) : most;
}

/* Threads of a short array's block that add, at most: fewer where shared memory is scarce. */
static inline unsigned plan_short_threads(const device_facts *d, const cuda_kernel *kernel) {
    unsigned threads = kernel->threads;
    while (plan_shared(kernel, threads) > d->shared_memory && threads > 32) threads /= 2;
    return plan_wished_threads(d, threads);
}

/* Elements from the multiple of 16 bytes on that is before the array, or is its start. */
static inline size_t plan_short_elements(const array_call *call) {
    return call->job->n + (uintptr_t)call->job->x % 16 / plan_element_size(call);
}

/* How often a block of as many threads would have to load, for all elements. */
static inline size_t plan_loads(size_t n, unsigned threads, const cuda_kernel *kernel) {
    return n ? plan_divide_up(n, threads * (size_t)kernel->load) : 1;
}

/* Threads of a block for an array that blocks of half of them, at most, load "loads" times. */
static inline unsigned plan_threads_for(size_t loads, const device_facts *d, const cuda_kernel *kernel) {
    const unsigned most = plan_short_threads(d, kernel), half = (unsigned)plan_least(most, kernel->threads / 2);
    const size_t blocks = plan_short_blocks(d);
    if (!d->wish.warps && loads > SHORT_ONE_LOAD && loads <= blocks / 2) return half / 2;
    return loads > SHORT_HALF_LOADS * blocks ? most : half;
}

/* See policy.h. */
static inline void plan_short(const array_call *call, const device_facts *d, const cuda_kernel *kernel,
                              array_launch *launch) {
    const size_t n = plan_short_elements(call);
    const unsigned most_loads = kernel->batch / kernel->load;
    const unsigned half = (unsigned)plan_least(plan_short_threads(d, kernel), kernel->threads / 2);
    unsigned threads = plan_threads_for(plan_loads(n, half, kernel), d, kernel);
    size_t blocks = plan_short_blocks(d), needed = plan_loads(n, threads, kernel);
    if (!d->wish.blocks) {
        if (needed <= (d->cluster > 1 ? SHORT_ALONE_LOADS : most_loads)) {
            blocks = 1;
        } else if (d->cluster > 1 && plan_bytes(call) <= SHORT_CLUSTER / (call->job->type == QUIRE_F64 ? 2 : 1)) {
            if (needed > d->cluster * most_loads) threads = plan_short_threads(d, kernel);
            needed = plan_loads(n, threads, kernel);
            blocks = plan_least(needed, plan_least(d->cluster, blocks));
        } else if (needed <= SHORT_ONE_LOAD) {
            blocks = plan_least(needed, blocks);
        }
    }
    size_t loads = plan_divide_up(needed, blocks), batches = plan_divide_up(loads, most_loads);
    if (batches > kernel->most_batches) batches = kernel->most_batches, loads = batches * most_loads;
    loads = plan_divide_up(loads, batches);
    launch->shares.kind = SHARES_BATCHES;
    launch->shares.loads_per_batch = (unsigned)loads;
    launch->threads = threads;
    launch->sharers = (unsigned)plan_divide_up(needed, loads * batches);
    const bool is_cluster = kernel->once && launch->sharers > 1 && launch->sharers <= d->cluster;
    launch->cluster = is_cluster ? launch->sharers : 0;
    launch->blocks = launch->sharers + (launch->sharers > 1 && !launch->cluster);
}

#endif
