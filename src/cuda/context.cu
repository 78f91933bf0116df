/* context.cu - the CUDA backend's host side: contexts, the checks that only CUDA can make, and launches.
 *
 * No call after quire_open_cuda allocates or waits by itself (CUDA may, when it first loads a kernel of the canonical
 * order); all of them can be captured into a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/job.h"
#include "order/order.h"

/* Launches that a test wants instead of ours: QUIRE_CUDA_LAUNCH="blocks,warps,long", read by quire_open_cuda; blocks: of
 * long arrays one more gathers (of exact sums, if long is given, too); long: from how many bytes on an array is long; 0:
 * ours. Hidden, since no result depends on it. */
struct launch_wish {
    unsigned blocks, warps, bytes;
};

/* A lesser device that a test wants this one to be taken for: QUIRE_CUDA_DEVICE="multiprocessors,KiB,major"; KiB: of shared
 * memory that a block may have; major: of the compute capability; 0: what it has. Hidden, for the same reason. */
struct device_wish {
    unsigned multiprocessors, shared, major;
};

struct cuda_context {
    quire_context base;
    int device, multiprocessors;
    unsigned shared_memory; /* bytes that a block may have beside what kernels always have                                 */
    cudaStream_t stream;
    cudaEvent_t moved; /* orders a new stream behind the old one                                                         */
    cuda_workspace *workspace;
    unsigned *hint; /* the host's: whether the last exact sum of 8 MB or more met what no window holds, as far as is known */
    launch_wish wish;
    bool has_bulk; /* whether the kernels were compiled for compute capability 9.0 or later                              */
    unsigned cluster; /* blocks of a cluster, at most; 1: there are none                                                 */
};

/* Makes a device the current one, and the caller's again. The runtime leaves marks in the floating-point flags (and may not
 * like his modes): those are the caller's again, too. */
class on_device {
    fenv_t environment;
    int callers, mine;

  public:
    cudaError_t error;
    explicit on_device(int device) : callers(device), mine(device) {
        feholdexcept(&environment);
        error = cudaGetDevice(&callers);
        if (!error && callers != mine) error = cudaSetDevice(mine);
    }
    ~on_device() {
        if (callers != mine) cudaSetDevice(callers);
        fesetenv(&environment);
    }
};

/* Another thread's capture must not mind what is allocated and freed here. */
class beside_captures {
    cudaStreamCaptureMode mode;

  public:
    beside_captures() : mode(cudaStreamCaptureModeRelaxed) { cudaThreadExchangeStreamCaptureMode(&mode); }
    ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode); }
};

/* What an error of the runtime means to our caller. An error that does not stick is taken off, so that the caller does not
 * find ours among his own. */
static quire_status status_of(cudaError_t error) {
    if (!error) return QUIRE_OK;
    cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation: return QUIRE_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary: return QUIRE_NO_DEVICE;
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion: return QUIRE_INVALID_DEVICE;
    case cudaErrorInvalidResourceHandle:
    case cudaErrorContextIsDestroyed: return QUIRE_INVALID_STREAM;
    default: return QUIRE_DEVICE_FAULT;
    }
}

/* ------------------------------------------------------------------------------------------------------------ checking */

static quire_status check_stream(cudaStream_t stream, int device) {
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return QUIRE_OK;
#if CUDART_VERSION >= 12080
    int streams;
    const cudaError_t error = cudaStreamGetDevice(stream, &streams);
    if (error == cudaErrorInvalidValue || error == cudaErrorInvalidResourceHandle) {
        cudaGetLastError();
        return QUIRE_INVALID_STREAM;
    }
    if (error) return status_of(error);
    return streams == device ? QUIRE_OK : QUIRE_INVALID_STREAM;
#else
    unsigned flags;
    (void)device;
    return cudaStreamGetFlags(stream, &flags) ? (cudaGetLastError(), QUIRE_INVALID_STREAM) : QUIRE_OK;
#endif
}

/* Memory of this device, managed memory, or host memory that was registered with CUDA, at an address that is the same there.
 * others: is set if it is not of this device. */
static quire_status check_memory(const void *p, const cuda_context *c, bool *others) {
    cudaPointerAttributes is;
    const cudaError_t error = cudaPointerGetAttributes(&is, p);
    if (error == cudaErrorInvalidValue) {
        cudaGetLastError();
        return QUIRE_NOT_DEVICE_MEMORY;
    }
    if (error) return status_of(error);
    if (is.type == cudaMemoryTypeUnregistered || is.devicePointer != p) return QUIRE_NOT_DEVICE_MEMORY;
    if (is.type != cudaMemoryTypeDevice) *others = true;
    return is.type == cudaMemoryTypeDevice && is.device != c->device ? QUIRE_NOT_DEVICE_MEMORY : QUIRE_OK;
}

/* Those of a job; others: of the arrays. */
static quire_status check_memories(const cuda_context *c, const quire_job *job, const void *target, bool *others) {
    quire_status status = check_memory(target, c, others);
    *others = false;
    if (!status && job->n) status = check_memory(job->x, c, others);
    if (!status && job->n && job->y != job->x) status = check_memory(job->y, c, others);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- launching */

static cuda_kernel find_kernel(const quire_job *job, cuda_length length) {
    const uintptr_t x = (uintptr_t)job->x, y = (uintptr_t)job->y;
    /* exact takes what is not aligned alike off the front by itself; the other methods must keep their order */
    const bool vectors = (x - y) % 16 == 0 && (job->method == QUIRE_EXACT || x % 16 == 0);
    const cuda_access access = !vectors ? ACCESS_ELEMENTS : x == y ? ACCESS_SAME : ACCESS_VECTORS;
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                        \
    case number: return quire_cuda_##name(job->term, job->method, access, length);
    switch (job->type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

struct launch_shape {
    unsigned blocks, threads, run; /* blocks that have a share                                                          */
    size_t share;
    unsigned whole = 0, step = 0, halvings = 0; /* of pieces; step blocks start after the one that gathers           */
    bool gathers = false;                       /* with one block more, which gathers                                */
};

/* A block's. What short.cuh has depends on its threads. */
static unsigned shared_of(const cuda_kernel *kernel, unsigned threads) {
    return kernel->driver == DRIVER_SHORT ? kernel->shared / kernel->threads * threads : kernel->shared;
}

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }
static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* The workspace has places for so many. */
static size_t wished_blocks(const cuda_context *c) {
    return c->wish.blocks ? least_of(c->wish.blocks, LANE_GROUPS) : LANE_GROUPS;
}

static unsigned resident_blocks(const cuda_context *c, const cuda_kernel *kernel, unsigned threads) {
    int blocks = 1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function, (int)threads, kernel->shared) || blocks < 1)
        blocks = 1;
    return (unsigned)(c->multiprocessors * blocks);
}

/* Of both arrays together. */
static size_t array_bytes(const quire_job *job) {
    return job->n * (size_t)describe_format(job->type).size * (job->y && job->y != job->x ? 2 : 1);
}

/* Whether a method of the canonical order takes direct.cuh: ring.cuh is not there, or not worth it. */
static bool is_short_array(const cuda_context *c, const quire_job *job) {
    const size_t ring = job->method == QUIRE_KAHAN ? RING_KAHAN : RING_BYTES;
    return !c->has_bulk || array_bytes(job) < (c->wish.bytes ? c->wish.bytes : ring);
}

/* The tiles that a block of threads, owners of which take a tile, adds at a time. What fits one block is one block's, which
 * has nobody to wait for; more is spread over the device. */
static unsigned tiles_together(const cuda_context *c, const cuda_kernel *kernel, size_t tiles) {
    const unsigned room = c->wish.warps && c->wish.warps * 32 < kernel->threads ? c->wish.warps * 32 : kernel->threads;
    const size_t spread = tiles * kernel->owners <= room ? 1 : (size_t)c->multiprocessors * 2;
    unsigned together = 1;
    while (together * 2 * kernel->owners <= room && divide_up(tiles, together) > spread) together *= 2;
    return together;
}

/* A block takes a run of steps only where there would be too many blocks. */
static launch_shape shape_direct(const cuda_context *c, const cuda_kernel *kernel, size_t tiles, size_t most) {
    const unsigned together = tiles_together(c, kernel, tiles);
    unsigned run = together;
    while (divide_up(tiles, run) > most && run < RUN_MOST) run *= 2;
    return { (unsigned)divide_up(tiles, run), together * kernel->owners, run, 0 };
}

/* Whether an array is long enough for pieces, or a test wants some. */
static bool has_pieces(const cuda_context *c, const quire_job *job) {
    return c->wish.bytes || (!c->wish.blocks && array_bytes(job) >= PIECES_BYTES);
}

/* Cuts units of work into pieces, smaller and smaller (policy.h), for step blocks at once, down to so many units; leaves the
 * shape as it is if there are too few. in_order: each piece is a subtree of the whole, and so are those of a size. For a
 * test that wants pieces: down to one unit, for no more blocks than leaves four to each. */
static void cut_into_pieces(const cuda_context *c, launch_shape &shape, size_t units, size_t step, size_t least,
                            bool in_order) {
    const size_t once = in_order ? PIECES_THREAD : 1, span = in_order ? PIECES_WARP : LANE_GROUPS; /* see merge_pieces */
    size_t piece = 1; /* up to a fair share; powers of two were faster */
    unsigned halvings = 0;
    if (c->wish.bytes) least = 1, step = step < units / 4 ? step : units / 4;
    if (in_order) step = step < PIECE_PLACES ? step / once * once : divide_up(step, PIECE_PLACES) * PIECE_PLACES;
    if (!step) return;
    while (2 * piece * step <= units && piece < RUN_MOST) piece *= 2;
    for (; piece >= 2 * least && (halvings + 3) * step + (2 * once << halvings) < LANE_GROUPS; halvings++) {
        if (((size_t)2 << halvings) > span || (in_order && step % ((size_t)2 << halvings))) break;
        piece /= 2;
    }
    const size_t run = piece << halvings, halved = step * (run - piece);
    const size_t whole = (units - halved) / run / once * once;
    if (!halvings || (in_order && units / run >= PIECE_TREE)) return;
    const size_t rest = units - halved - whole * run;
    shape.run = (unsigned)run;
    shape.whole = (unsigned)whole;
    shape.step = (unsigned)step;
    shape.halvings = halvings;
    shape.blocks = (unsigned)(whole + halvings * step + divide_up(rest, piece));
    shape.gathers = true;
}

/* A block a group, and one more that gathers while others are at work. Groups are pieces, or of a size, which is as large as
 * leaves enough of them. */
static launch_shape shape_ring(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, size_t tiles,
                               size_t most) {
    const size_t tile_bytes = divide_up(array_bytes(job), tiles);
    /* large tiles make no small pieces: then they pay only where a block is slow by itself, with 16 bits an element */
    const bool pay = c->wish.bytes || tile_bytes <= RING_PIECE || describe_format(job->type).size == 2;
    launch_shape shape = { 0, kernel->threads, 1, 0 };
    if (pay && has_pieces(c, job)) {
        const size_t step = c->wish.blocks ? most : resident_blocks(c, kernel, kernel->threads);
        cut_into_pieces(c, shape, tiles, step, divide_up(RING_PIECE, tile_bytes), true);
    }
    if (shape.halvings) return shape;
    unsigned run = 1;
    if (most > kernel->owners) most = kernel->owners;
    while (run < tiles && run * tile_bytes < RING_LEAST) run *= 2;
    while (run * tile_bytes < RING_GROUP && divide_up(tiles, run) >= 2 * RING_GROUPS) run *= 2;
    while (divide_up(tiles, run) > most && run < RUN_MOST) run *= 2;
    shape.run = run;
    shape.blocks = (unsigned)divide_up(tiles, run);
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

/* Whether an exact sum is short. short.cuh has not got products but those of halves. */
static bool is_short_sum(const cuda_context *c, const quire_job *job) {
    if (c->wish.bytes && array_bytes(job) >= c->wish.bytes) return false;
    const cuda_kernel kernel = find_kernel(job, LENGTH_SHORT);
    if (kernel.driver != DRIVER_SHORT) return job->n <= EXACT_SHORT / (size_t)describe_format(job->type).size;
    const size_t of_block = threads_for_short(c, &kernel) * (size_t)kernel.batch * kernel.owners;
    return elements_of_short(job) <= blocks_for_short(c) * of_block;
}

/* Whether a first kernel may be loose, with a second behind it, if the array is hard; norms always are. */
static bool may_be_loose(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel) {
    const size_t least = job->finish != FINISH_ROOT            ? EXACT_LOOSE
                         : describe_format(job->type).size > 2 ? EXACT_LOOSE_NORM
                                                               : EXACT_LOOSE_NARROW_NORM;
    return job->n && kernel->loose >= (unsigned)describe_format(job->result_type).precision &&
           array_bytes(job) >= (c->wish.bytes ? c->wish.bytes : least);
}

/* How many of the blocks of a long array are spared, for one that gathers: see policy.h. */
static size_t spare_blocks(const cuda_context *c, const quire_job *job, size_t blocks, unsigned threads) {
    const size_t once = (size_t)threads * SUMS_OF_THREAD, spare = blocks % once;
    const bool pays = !c->wish.blocks && array_bytes(job) <= EXACT_GATHERED && blocks > once;
    return pays && spare <= blocks / EXACT_SPARE_BLOCKS ? spare : 0;
}

/* A short array is one block's as long as that spares more than it costs; then there are a few blocks a multiprocessor; a
 * long one has as many as fit, but for a few that are spared, or pieces. Warps take no more at a time than leaves work for
 * all. */
static launch_shape shape_exact(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, cuda_pass pass) {
    const size_t steps = divide_up(job->n, kernel->step) + !job->n, size = (size_t)describe_format(job->type).size;
    unsigned threads = kernel->threads;
    if (c->wish.warps && c->wish.warps * 32 < threads) threads = c->wish.warps * 32;
    const size_t warps = threads / 32;
    size_t blocks = kernel->is_short ? (size_t)c->multiprocessors * EXACT_SHORT_BLOCKS : resident_blocks(c, kernel, threads);
    if (blocks > wished_blocks(c) || c->wish.blocks) blocks = wished_blocks(c);
    const size_t batches = kernel->is_short || pass == PASS_AGAIN ? 0 : job->n / kernel->batch;
    if (batches && has_pieces(c, job)) {
        launch_shape pieces = { 0, threads, 0, kernel->batch };
        cut_into_pieces(c, pieces, batches, blocks, divide_up(EXACT_PIECE, array_bytes(job) / batches), false);
        if (pieces.halvings) return pieces;
    }
    const size_t spare = batches >= blocks ? spare_blocks(c, job, blocks, threads) : 0;
    blocks -= spare;
    if (!c->wish.blocks && job->n * size <= EXACT_ONE_BLOCK) blocks = 1;
    if (!c->wish.blocks && blocks > divide_up(steps, warps)) blocks = divide_up(steps, warps);
    size_t share = divide_up(steps, blocks * warps) * kernel->step;
    if (share > kernel->batch) share = kernel->batch;
    launch_shape shape = { (unsigned)blocks, threads, 0, share };
    shape.gathers = batches >= blocks && (spare || c->wish.bytes);
    if (shape.gathers) shape.step = shape.blocks; /* none will end soon: the one that gathers is the first to start */
    return shape;
}

/* See policy.h. */
static launch_shape shape_short(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel) {
    const size_t n = elements_of_short(job);
    const unsigned most_loads = kernel->batch / kernel->step, most_threads = threads_for_short(c, kernel);
    unsigned threads = most_threads < kernel->threads / 2 ? most_threads : kernel->threads / 2;
    auto steps = [&] { return n ? divide_up(n, threads * (size_t)kernel->step) : 1; };
    size_t blocks = blocks_for_short(c);
    if (!c->wish.warps && steps() > EXACT_ONE_LOAD && steps() <= blocks / 2)
        threads /= 2;
    else if (steps() > EXACT_FEW_LOADS * blocks)
        threads = most_threads;
    if (!c->wish.blocks) {
        if (steps() <= (c->cluster > 1 ? EXACT_ALONE_LOADS : most_loads))
            blocks = 1;
        else if (c->cluster > 1 && array_bytes(job) <= EXACT_CLUSTER / (job->type == QUIRE_F64 ? 2 : 1)) {
            if (steps() > c->cluster * most_loads) threads = most_threads;
            blocks = least_of(steps(), least_of(c->cluster, blocks));
        } else if (steps() <= EXACT_ONE_LOAD)
            blocks = least_of(steps(), blocks);
    }
    size_t loads = divide_up(steps(), blocks), batches = divide_up(loads, most_loads);
    if (batches > kernel->owners) batches = kernel->owners, loads = batches * most_loads;
    const unsigned run = (unsigned)divide_up(loads, batches);
    loads = run * batches;
    launch_shape shape = { (unsigned)divide_up(steps(), loads), threads, run, 0 };
    shape.gathers = shape.blocks > 1;
    return shape;
}

/* Short arrays that make more blocks than are wanted, if threads load but once, take a kernel whose threads load more; those
 * that are expected to be hard a long array's, if that may be loose, or is quicker where all bits are wanted. */
static cuda_kernel kernel_for(const cuda_context *c, const quire_job *job, bool was_hard, bool accumulates) {
    const bool is_exact = job->method == QUIRE_EXACT, is_short = is_exact ? is_short_sum(c, job) : is_short_array(c, job);
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

static launch_shape shape_of(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, const cuda_job *work) {
    switch (kernel->driver) {
    case DRIVER_SHORT: return shape_short(c, job, kernel);
    case DRIVER_EXACT: return shape_exact(c, job, kernel, work->pass);
    default: return shape_lanes(c, job, kernel, work->tile);
    }
}

static cudaLaunchAttribute overlapping(bool may_overlap) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = may_overlap;
    return attribute;
}

static cudaLaunchAttribute cluster_of(unsigned blocks) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return attribute;
}

/* The kernel may be started before the one ahead of it has ended, if the device knows how: it waits where it must. */
static cudaError_t start(const cuda_context *c, const quire_job *job, const cuda_kernel *kernel, cuda_job work) {
    const launch_shape shape = shape_of(c, job, kernel, &work);
    work.cluster = kernel->once && shape.blocks > 1 && shape.blocks <= c->cluster;
    work.gathers = shape.gathers && !work.cluster;
    work.sharers = shape.blocks;
    const unsigned blocks = work.sharers + (work.gathers ? 1 : 0);
    work.run = shape.run;
    work.share = shape.share;
    work.whole = shape.whole, work.step = shape.step, work.halvings = shape.halvings;
    work.gatherer = blocks - 1 - shape.step;
    void *arguments[] = { &work };
    cudaLaunchAttribute attributes[] = { overlapping(c->has_bulk), cluster_of(blocks) };
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(shape.threads);
    config.dynamicSmemBytes = shared_of(kernel, shape.threads);
    config.stream = c->stream;
    config.attrs = attributes;
    config.numAttrs = !c->has_bulk ? 0 : work.cluster ? 2 : 1;
    return cudaLaunchKernelExC(&config, kernel->function, arguments);
}

static quire_status launch(cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    bool others;
    const quire_status status = check_memories(c, job, accumulator ? accumulator : job->result, &others);
    if (status) return status;
    const bool was_hard = *(volatile unsigned *)c->hint;
    const cuda_kernel kernel = kernel_for(c, job, was_hard, accumulator != NULL);
    cuda_job work = {};
    work.x = job->x, work.y = job->y, work.n = job->n;
    work.finish = job->finish;
    work.format = describe_format(job->result_type);
    work.result = job->result, work.accumulator = accumulator;
    work.workspace = c->workspace;
    work.tile = order_tile(job->n, order_rows_of(job->method));
    const bool is_root = job->finish == FINISH_ROOT;
    const bool could_be_loose = may_be_loose(c, job, &kernel),
               loose = could_be_loose && !accumulator; /* it needs all bits */
    if (loose && (is_root || was_hard || c->wish.bytes)) work.pass = PASS_LOOSE;
    if (!is_root && (could_be_loose || (kernel.driver == DRIVER_SHORT && array_bytes(job) >= EXACT_LOOSE)))
        work.hint = c->hint, work.was_hard = was_hard;
    work.ahead = c->has_bulk && job->n && !others && /* of no elements, x may be anything */
                 (kernel.driver == DRIVER_SHORT || array_bytes(job) <= DIRECT_AHEAD);
    const cuda_kernel first = is_root && work.pass == PASS_LOOSE ? find_kernel(job, LENGTH_LONG_NORM) : kernel;
    cudaError_t error = start(c, job, &first, work);
    if (!error && work.pass == PASS_LOOSE) {
        work.pass = PASS_AGAIN;
        work.hint = NULL;
        error = start(c, job, &kernel, work);
    }
    return status_of(error);
}

/* --------------------------------------------------------------------------------------------------------- the backend */

static quire_status cuda_reduce(quire_context *context, const quire_job *job) {
    return launch((cuda_context *)context, job, NULL);
}

static quire_status cuda_accumulate(quire_context *context, const quire_job *job, quire_accumulator *accumulator) {
    if (!job->n) return QUIRE_OK;
    return launch((cuda_context *)context, job, accumulator);
}

static quire_status cuda_set_stream(quire_context *context, struct CUstream_st *stream) {
    cuda_context *c = (cuda_context *)context;
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    const quire_status status = check_stream(stream, c->device);
    if (status || stream == c->stream) return status;
    cudaError_t error = cudaEventRecord(c->moved, c->stream);
    if (!error) error = cudaStreamWaitEvent(stream, c->moved, 0);
    if (!error) c->stream = stream;
    return status_of(error);
}

static quire_status cuda_set_tier(quire_context *context, quire_tier tier) {
    (void)context;
    return quire_tier_name(tier) ? QUIRE_WRONG_CONTEXT : QUIRE_INVALID_TIER;
}

static quire_status cuda_set_progress(quire_context *context, void (*report)(void *, size_t, size_t), void *user) {
    (void)context, (void)report, (void)user;
    return QUIRE_WRONG_CONTEXT;
}

static void release(cuda_context *c) {
    if (c->moved) cudaEventDestroy(c->moved);
    if (c->workspace) cudaFree(c->workspace);
    if (c->hint) cudaFreeHost(c->hint);
    free(c);
}

static void cuda_close(quire_context *context) {
    cuda_context *c = (cuda_context *)context;
    const on_device here(c->device);
    const beside_captures captures;
    cudaStreamSynchronize(c->stream);
    release(c);
    cudaGetLastError();
}

static const quire_backend cuda_backend = { cuda_reduce,   cuda_accumulate,   cuda_set_stream,
                                            cuda_set_tier, cuda_set_progress, cuda_close };

/* ------------------------------------------------------------------------------------------------------------- opening */

/* Kernels of more shared memory than a block has by default must ask for it, once a device. */
static cudaError_t prepare_kernels(const cuda_context *c) {
    for (int type = QUIRE_F16; type <= QUIRE_F64; type++)
        for (int term = 0; term < TERM_COUNT; term++)
            for (int offset = 0; offset <= 16; offset += 8) { /* y is x; not aligned alike; aligned alike */
                static const char array[64] __attribute__((aligned(64))) = { 0 };
                const char *x = array, *y = array + offset;
                const quire_job job = { (quire_type)type, (quire_term)term, FINISH_KEEP, 0, x, y,
                                        QUIRE_EXACT,      QUIRE_F64,        NULL };
                for (cuda_length length : { LENGTH_ONCE, LENGTH_SHORT, LENGTH_LONG, LENGTH_LONG_NORM }) {
                    const cuda_kernel kernel = find_kernel(&job, length);
                    if (!kernel.function) continue; /* nobody has one array that is not aligned like itself */
                    const unsigned shared = kernel.shared < c->shared_memory ? kernel.shared : c->shared_memory;
                    const cudaError_t error =
                        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
                    if (error) return error;
                    if (kernel.once && /* by more than 8 blocks */
                        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))
                        cudaGetLastError();
                }
            }
    return cudaSuccess;
}

/* How many blocks a kernel's cluster may have, at most: as many multiprocessors must be near each other, and free for us. */
static unsigned cluster_blocks(const cuda_context *c, const cuda_kernel *kernel) {
    for (unsigned blocks = CLUSTER_BLOCKS; blocks > 1; blocks /= 2) {
        cudaLaunchAttribute attribute = cluster_of(blocks);
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads_for_short(c, kernel));
        config.dynamicSmemBytes = shared_of(kernel, threads_for_short(c, kernel));
        config.attrs = &attribute;
        config.numAttrs = 1;
        int clusters = 0;
        if (!cudaOccupancyMaxActiveClusters(&clusters, kernel->function, &config) && clusters > 0) return blocks;
        cudaGetLastError();
    }
    return 1;
}

/* The same for all of them. */
static void look_for_clusters(cuda_context *c) {
    alignas(16) static const char array[16] = { 0 };
    c->cluster = c->has_bulk ? CLUSTER_BLOCKS : 1;
    for (int type = QUIRE_F16; c->has_bulk && type <= QUIRE_F64; type++) {
        const quire_job job = {
            (quire_type)type, TERM_IDENTITY, FINISH_KEEP, 0, array, array, QUIRE_EXACT, QUIRE_F64, NULL
        };
        const cuda_kernel kernel = find_kernel(&job, LENGTH_ONCE);
        const unsigned blocks = cluster_blocks(c, &kernel);
        if (blocks < c->cluster) c->cluster = blocks;
    }
}

/* All kernels are compiled alike: one tells of all. */
static cudaError_t look_for_bulk(cuda_context *c) {
    const quire_job job = { QUIRE_F32, TERM_IDENTITY, FINISH_KEEP, 0, NULL, NULL, QUIRE_PLAIN, QUIRE_F32, NULL };
    cudaFuncAttributes is;
    const cudaError_t error = cudaFuncGetAttributes(&is, find_kernel(&job, LENGTH_LONG).function);
    c->has_bulk = !error && is.ptxVersion >= 90;
    return error;
}

/* Of shared memory that a block may have, what kernels may ask for. */
static unsigned shared_for_kernels(unsigned bytes) { return bytes - (SHARED_MEMORY - EXACT_SHARED); }

/* As a test wishes. */
static void take_for_lesser(cuda_context *c) {
    device_wish wish = {};
    const char *text = getenv("QUIRE_CUDA_DEVICE");
    if (text) sscanf(text, "%u,%u,%u", &wish.multiprocessors, &wish.shared, &wish.major);
    if (wish.multiprocessors) c->multiprocessors = (int)least_of(wish.multiprocessors, (size_t)c->multiprocessors);
    if (wish.shared) c->shared_memory = (unsigned)least_of(shared_for_kernels(wish.shared << 10), c->shared_memory);
    if (wish.major) c->has_bulk = c->has_bulk && wish.major >= 9;
}

static cudaError_t fill_context(cuda_context *c) {
    cudaStream_t stream = NULL;
    cudaError_t error = cudaDeviceGetAttribute(&c->multiprocessors, cudaDevAttrMultiProcessorCount, c->device);
    int shared_memory = 0;
    if (!error) error = cudaDeviceGetAttribute(&shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device);
    c->shared_memory = shared_for_kernels((unsigned)shared_memory);
    if (!error) error = prepare_kernels(c);
    if (!error) error = look_for_bulk(c);
    if (!error) take_for_lesser(c); /* the kernels are prepared for all contexts */
    if (!error) look_for_clusters(c);
    if (!error) error = cudaEventCreateWithFlags(&c->moved, cudaEventDisableTiming);
    if (!error) error = cudaMalloc((void **)&c->workspace, sizeof *c->workspace);
    if (!error) error = cudaMallocHost((void **)&c->hint, sizeof *c->hint);
    if (!error) *c->hint = 0;
    if (!error) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!error) error = cudaMemsetAsync(c->workspace, 0, sizeof *c->workspace, stream);
    if (!error) error = cudaMemsetAsync(c->workspace->partial, 255, sizeof c->workspace->partial, stream);
    if (!error) error = cudaStreamSynchronize(stream);
    if (stream) cudaStreamDestroy(stream);
    return error;
}

quire_status quire_open_cuda(quire_context **context, int device, struct CUstream_st *stream) {
    if (!context) return QUIRE_NULL_POINTER;
    int devices = 0;
    const cudaError_t counted = cudaGetDeviceCount(&devices);
    if (counted) return status_of(counted); /* no device, or what an earlier kernel has left */
    if (!devices) return QUIRE_NO_DEVICE;
    if (device < 0 || device >= devices) return QUIRE_INVALID_DEVICE;
    const on_device here(device);
    if (here.error) return status_of(here.error);
    quire_status status = check_stream(stream, device);
    if (status) return status;
    cuda_context *c = (cuda_context *)calloc(1, sizeof *c);
    if (!c) return QUIRE_OUT_OF_MEMORY;
    c->base.backend = &cuda_backend;
    c->device = device;
    c->stream = stream;
    const char *wish = getenv("QUIRE_CUDA_LAUNCH");
    if (wish) sscanf(wish, "%u,%u,%u", &c->wish.blocks, &c->wish.warps, &c->wish.bytes);
    const beside_captures captures;
    status = status_of(fill_context(c));
    if (status) {
        release(c);
        cudaGetLastError();
        return status;
    }
    *context = &c->base;
    return QUIRE_OK;
}

int quire_has_cuda(void) { return 1; }
