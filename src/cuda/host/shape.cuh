/* shape.cuh - which kernel a call takes, and its launch: how many blocks of how many threads, and what each block's
 * share is. The host's side of it; what decides are the device, the call, and the policies of policy.h. No result
 * depends on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_SHAPE_CUH
#define QUIRE_CUDA_HOST_SHAPE_CUH

#include "cuda/host/context.cuh"
#include "order/order.h"

static cuda_kernel kernel_by(quire_type type, quire_term term, quire_method method, cuda_access access,
                             cuda_length length) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return quire_cuda_##name(term, method, access, length);
    switch ((int)type) { QUIRE_WINDOWED_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

static cuda_kernel find_kernel(const quire_job *job, cuda_length length) {
    const uintptr_t x = (uintptr_t)job->x, y = (uintptr_t)job->y;
    /* exact takes what is not aligned alike off the front by itself; the other methods must keep their order */
    const bool vectors = (x - y) % 16 == 0 && (job->method == QUIRE_EXACT || x % 16 == 0);
    const cuda_access access = !vectors ? ACCESS_ELEMENTS : x == y ? ACCESS_SAME : ACCESS_VECTORS;
    return kernel_by(job->type, job->term, job->method, access, length);
}

struct launch_shape {
    unsigned blocks, threads; /* blocks that have a share */
    size_t share = 0;         /* see cuda_job for this and what follows */
    unsigned units = 0, loads = 0;
    unsigned whole = 0, level = 0, halvings = 0;
    bool gathers = false; /* with one block more, which gathers */
};

/* A block's. What short.cuh has depends on its threads. */
static unsigned shared_of(const cuda_kernel *kernel, unsigned threads) {
    return kernel->driver == DRIVER_SHORT ? kernel->shared / kernel->threads * threads : kernel->shared;
}

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }
static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* No more than the workspace has places for. */
static size_t wished_blocks(const cuda_context *c) {
    return c->wish.blocks ? least_of(c->wish.blocks, LANE_GROUPS) : LANE_GROUPS;
}

static unsigned resident_blocks(const cuda_context *c, const cuda_kernel *kernel, unsigned threads) {
    int blocks = 1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function, (int)threads, kernel->shared) ||
        blocks < 1)
        blocks = 1;
    return (unsigned)(c->multiprocessors * blocks);
}

/* Of both arrays together. */
static size_t array_bytes(const quire_job *job) {
    return job->n * (size_t)describe_format(job->type).size * (job->y && job->y != job->x ? 2 : 1);
}

/* Whether a method of the canonical order takes direct.cuh: ring.cuh is not there, or not worth it. */
static bool is_short_array(const cuda_context *c, const quire_job *job) {
    return !c->has_bulk || array_bytes(job) < (c->wish.bytes ? c->wish.bytes : find_kernel(job, LENGTH_ONCE).ring);
}

/* The tiles that a block of threads, tile_threads of which take a tile, adds at a time. What fits one block is one
 * block's, which has nobody to wait for; more is spread over the device. */
static unsigned tiles_together(const cuda_context *c, const cuda_kernel *kernel, size_t tiles) {
    const unsigned room = c->wish.warps && c->wish.warps * 32 < kernel->threads ? c->wish.warps * 32 : kernel->threads;
    const size_t spread = tiles * kernel->tile_threads <= room ? 1 : (size_t)c->multiprocessors * 2;
    unsigned together = 1;
    while (together * 2 * kernel->tile_threads <= room && divide_up(tiles, together) > spread) together *= 2;
    return together;
}

/* A block takes more tiles than it adds at a time only where there would be too many blocks. */
static launch_shape shape_direct(const cuda_context *c, const cuda_kernel *kernel, size_t tiles, size_t most) {
    const unsigned together = tiles_together(c, kernel, tiles);
    launch_shape shape = { 0, together * kernel->tile_threads };
    for (shape.units = together; divide_up(tiles, shape.units) > most && shape.units < UNITS_MOST;) shape.units *= 2;
    shape.blocks = (unsigned)divide_up(tiles, shape.units);
    return shape;
}

/* Whether an array is long enough for pieces, or a test wants some. */
static bool has_pieces(const cuda_context *c, const quire_job *job) {
    return c->wish.bytes || (!c->wish.blocks && array_bytes(job) >= PIECES_BYTES);
}

/* Cuts units of work into pieces, smaller and smaller (policy.h), for level blocks at once, down to "least" units;
 * leaves the shape as it is if there are too few. in_order: each piece is a subtree of the whole, and so are those of a
 * size. For a test that wants pieces: down to one unit, for no more blocks than leaves four to each. */
static void cut_into_pieces(const cuda_context *c, launch_shape &shape, size_t units, size_t level, size_t least,
                            bool in_order) {
    const size_t once = in_order ? PIECES_THREAD : 1,
                 span = in_order ? PIECES_WARP : LANE_GROUPS; /* see merge_pieces */
    size_t piece = 1;                                         /* up to a fair share; powers of two were faster */
    unsigned halvings = 0;
    if (c->wish.bytes) least = 1, level = level < units / 4 ? level : units / 4;
    if (in_order) level = level < PIECE_PLACES ? level / once * once : divide_up(level, PIECE_PLACES) * PIECE_PLACES;
    if (!level) return;
    while (2 * piece * level <= units && piece < UNITS_MOST) piece *= 2;
    for (; piece >= 2 * least && (halvings + 3) * level + (2 * once << halvings) < LANE_GROUPS; halvings++) {
        if (((size_t)2 << halvings) > span || (in_order && level % ((size_t)2 << halvings))) break;
        piece /= 2;
    }
    const size_t largest = piece << halvings, halved = level * (largest - piece);
    const size_t whole = (units - halved) / largest / once * once;
    if (!halvings || (in_order && units / largest >= PIECE_TREE)) return;
    const size_t rest = units - halved - whole * largest;
    shape.units = (unsigned)largest;
    shape.whole = (unsigned)whole;
    shape.level = (unsigned)level;
    shape.halvings = halvings;
    shape.blocks = (unsigned)(whole + halvings * level + divide_up(rest, piece));
    shape.gathers = true;
}

/* A block a group, and one more that gathers while others are at work. Groups are pieces, or of a size, which is as
 * large as leaves enough of them. */
static launch_shape shape_ring(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, size_t tiles,
                               size_t most) {
    const size_t tile_bytes = divide_up(array_bytes(job), tiles);
    /* large tiles make no small pieces: then they pay only where a block is slow by itself, with 16 bits an element */
    const bool pay = c->wish.bytes || tile_bytes <= RING_PIECE || describe_format(job->type).size == 2;
    launch_shape shape = { 0, kernel->threads };
    if (pay && has_pieces(c, job)) {
        const size_t level = c->wish.blocks ? most : resident_blocks(c, kernel, kernel->threads);
        cut_into_pieces(c, shape, tiles, level, divide_up(RING_PIECE, tile_bytes), true);
    }
    if (shape.halvings) return shape;
    unsigned group = 1;
    if (most > kernel->most_blocks) most = kernel->most_blocks;
    while (group < tiles && group * tile_bytes < RING_LEAST) group *= 2;
    while (group * tile_bytes < RING_GROUP && divide_up(tiles, group) >= 2 * RING_GROUPS) group *= 2;
    while (divide_up(tiles, group) > most && group < UNITS_MOST) group *= 2;
    shape.units = group;
    shape.blocks = (unsigned)divide_up(tiles, group);
    shape.gathers = true;
    return shape;
}

static launch_shape shape_lanes(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, size_t tile) {
    const size_t tiles = job->n ? divide_up(job->n, tile) : 1;
    const size_t most = wished_blocks(c);
    if (kernel->driver == DRIVER_RING) return shape_ring(c, job, kernel, tiles, most);
    return shape_direct(c, kernel, tiles, most);
}

/* How many blocks of a short array's kernel add, at most: what one warp gathers; one multiprocessor is for that. */
static size_t few_blocks(const cuda_context *c) {
    return least_of(c->multiprocessors > 1 ? (size_t)c->multiprocessors - 1 : 1, EXACT_FEW_BLOCKS);
}

static size_t blocks_for_short(const cuda_context *c) {
    return c->wish.blocks ? least_of(c->wish.blocks, few_blocks(c)) : few_blocks(c);
}

/* Threads of a short array's block that add, at most: fewer where shared memory is scarce. */
static unsigned threads_for_short(const cuda_context *c, const cuda_kernel *kernel) {
    unsigned threads = kernel->threads;
    while (shared_of(kernel, threads) > c->shared_memory && threads > 32) threads /= 2;
    return c->wish.warps && c->wish.warps * 32 < threads ? c->wish.warps * 32 : threads;
}

/* Elements from the multiple of 16 bytes on that is before the array, or is its start. */
static size_t elements_of_short(const quire_job *job) {
    return job->n + (uintptr_t)job->x % 16 / (size_t)describe_format(job->type).size;
}

/* Whether floats should do what they can of an exact sum, and they can. */
static bool takes_floats(const cuda_context *c, const quire_job *job) {
    return c->few_doubles && find_kernel(job, LENGTH_LONG).adds_floats;
}

/* Whether an exact sum is short. short.cuh has not got products but those of halves. */
static bool is_short_sum(const cuda_context *c, const quire_job *job) {
    if (c->wish.bytes && array_bytes(job) >= c->wish.bytes) return false;
    if (takes_floats(c, job) && array_bytes(job) >= EXACT_FLOATS) return false;
    const cuda_kernel kernel = find_kernel(job, LENGTH_SHORT);
    if (kernel.driver != DRIVER_SHORT) return job->n <= EXACT_SHORT / (size_t)describe_format(job->type).size;
    const size_t of_block = threads_for_short(c, &kernel) * (size_t)kernel.batch * kernel.most_batches;
    return elements_of_short(job) <= blocks_for_short(c) * of_block;
}

/* Whether a first kernel may be loose, with a second behind it, if the array is hard; norms always are. */
static bool may_be_loose(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel) {
    if (job->finish == FINISH_ROOT && takes_floats(c, job) && !c->wish.bytes) return false;
    const size_t least = job->finish != FINISH_ROOT            ? EXACT_LOOSE
                         : describe_format(job->type).size > 2 ? EXACT_LOOSE_NORM
                                                               : EXACT_LOOSE_NARROW_NORM;
    return job->n && kernel->loose >= (unsigned)describe_format(job->result_type).precision &&
           array_bytes(job) >= (c->wish.bytes ? c->wish.bytes : least);
}

/* A short array is one block's as long as that spares more than it costs; then there are a few blocks a multiprocessor;
 * a long one has as many as fit, or pieces. Warps take no more at a time than leaves work for all. */
static launch_shape shape_exact(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel,
                                cuda_pass pass) {
    const size_t loads = divide_up(job->n, kernel->load) + !job->n, size = (size_t)describe_format(job->type).size;
    unsigned threads = kernel->threads;
    if (c->wish.warps && c->wish.warps * 32 < threads) threads = c->wish.warps * 32;
    const size_t warps = threads / 32;
    size_t blocks =
        kernel->is_short ? (size_t)c->multiprocessors * EXACT_SHORT_BLOCKS : resident_blocks(c, kernel, threads);
    if (blocks > wished_blocks(c) || c->wish.blocks) blocks = wished_blocks(c);
    const size_t batches = kernel->is_short || pass == PASS_AGAIN ? 0 : job->n / kernel->batch;
    if (batches && has_pieces(c, job)) {
        launch_shape pieces = { 0, threads, kernel->batch };
        cut_into_pieces(c, pieces, batches, blocks, divide_up(EXACT_PIECE, array_bytes(job) / batches), false);
        if (pieces.halvings) return pieces;
    }
    if (!c->wish.blocks && job->n * size <= EXACT_ONE_BLOCK) blocks = 1;
    if (!c->wish.blocks && blocks > divide_up(loads, warps)) blocks = divide_up(loads, warps);
    size_t share = divide_up(loads, blocks * warps) * kernel->load;
    if (share > kernel->batch) share = kernel->batch;
    return { (unsigned)blocks, threads, share };
}

/* See policy.h. */
static launch_shape shape_short(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel) {
    const size_t n = elements_of_short(job);
    const unsigned most_loads = kernel->batch / kernel->load, most_threads = threads_for_short(c, kernel);
    unsigned threads = most_threads < kernel->threads / 2 ? most_threads : kernel->threads / 2;
    auto needed = [&] { return n ? divide_up(n, threads * (size_t)kernel->load) : 1; };
    size_t blocks = blocks_for_short(c);
    if (!c->wish.warps && needed() > EXACT_ONE_LOAD && needed() <= blocks / 2)
        threads /= 2;
    else if (needed() > EXACT_FEW_LOADS * blocks)
        threads = most_threads;
    if (!c->wish.blocks) {
        if (needed() <= (c->cluster > 1 ? EXACT_ALONE_LOADS : most_loads))
            blocks = 1;
        else if (c->cluster > 1 && array_bytes(job) <= EXACT_CLUSTER / (job->type == QUIRE_F64 ? 2 : 1)) {
            if (needed() > c->cluster * most_loads) threads = most_threads;
            blocks = least_of(needed(), least_of(c->cluster, blocks));
        } else if (needed() <= EXACT_ONE_LOAD)
            blocks = least_of(needed(), blocks);
    }
    size_t loads = divide_up(needed(), blocks), batches = divide_up(loads, most_loads);
    if (batches > kernel->most_batches) batches = kernel->most_batches, loads = batches * most_loads;
    launch_shape shape = { 0, threads };
    shape.loads = (unsigned)divide_up(loads, batches);
    shape.blocks = (unsigned)divide_up(needed(), shape.loads * batches);
    shape.gathers = shape.blocks > 1;
    return shape;
}

/* Short arrays that make more blocks than are wanted, if threads load but once, take a kernel whose threads load more;
 * those that are expected to be hard a long array's, if that may be loose, or is quicker where all bits are wanted. */
static cuda_kernel kernel_for(const cuda_context *c, const quire_job *job, bool was_hard, bool accumulates) {
    const bool is_exact = job->method == QUIRE_EXACT,
               is_short = is_exact ? is_short_sum(c, job) : is_short_array(c, job);
    if (!is_short || was_hard) {
        const cuda_kernel large = find_kernel(job, LENGTH_LONG);
        const bool pays = !accumulates || c->wish.bytes || array_bytes(job) >= EXACT_HARD;
        if (!is_short || (pays && may_be_loose(c, job, &large))) return large;
    }
    cuda_kernel kernel = find_kernel(job, LENGTH_ONCE);
    kernel.is_short = true;
    if (kernel.driver != DRIVER_SHORT) return kernel;
    return shape_short(c, job, &kernel).blocks <= blocks_for_short(c) ? kernel : find_kernel(job, LENGTH_SHORT);
}

static launch_shape shape_of(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel,
                             const cuda_job *work) {
    switch (kernel->driver) {
    case DRIVER_SHORT: return shape_short(c, job, kernel);
    case DRIVER_EXACT: return shape_exact(c, job, kernel, work->pass);
    default: return shape_lanes(c, job, kernel, work->tile);
    }
}

#endif
