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

#include "cuda/host/shape.cuh"
#include "cuda/kernels/finish.cuh"

/* Makes a device the current one, and the caller's again. The runtime leaves marks in the floating-point flags (and may
 * not like his modes): those are the caller's again, too. */
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

/* What an error of the runtime means to our caller. An error that does not stick is taken off, so that the caller does
 * not find ours among his own. */
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

#include "cuda/host/checks.cuh"
#include "cuda/host/vectors.cuh"

static quire_status launch(cuda_context *c, const quire_job *job, quire_accumulator *accumulator);

#include "cuda/host/many.cuh"

/* -------------------------------------------------------------------------------------------------------- launching */

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
    if (kernel->driver == DRIVER_SHORT)
        work.loads = shape.loads;
    else
        work.units = shape.units;
    work.share = shape.share;
    work.whole = shape.whole, work.level = shape.level, work.halvings = shape.halvings;
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
    if (!is_windowed(job->type)) { /* no kernel of arrays knows it */
        const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
        return accumulator ? reduce_layout(c, job, &one, &one, accumulator) : reduce_many(c, job, &one, &one);
    }
    const bool was_hard = *(volatile unsigned *)c->hint;
    const cuda_kernel kernel = kernel_for(c, job, was_hard, accumulator != NULL);
    cuda_job work = {};
    work.x = job->x, work.y = job->y, work.n = job->n;
    work.finish = job->finish, work.rounding = job->rounding;
    work.format = describe_format(job->result_type);
    const bool wants_zero = job->method == QUIRE_EXACT && !accumulator && job->n && job->rounding == QUIRE_DOWNWARD;
    if (wants_zero) work.zero = &c->workspace->zero;
    work.is_number = is_number(job, work.format);
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
    cuda_kernel first = is_root && work.pass == PASS_LOOSE ? find_kernel(job, LENGTH_LONG_NORM) : kernel;
    if (first.loose < (unsigned)work.format.precision) first = kernel; /* it tells results of fewer bits alone */
    cudaError_t error = start(c, job, &first, work);
    if (!error && work.pass == PASS_LOOSE) {
        work.pass = PASS_AGAIN;
        work.hint = NULL;
        error = start(c, job, &kernel, work);
    }
    return error || (!wants_zero && !accumulator) || !job->n ? status_of(error) : tell_zeros(c, job, accumulator);
}

/* ------------------------------------------------------------------------------------------------------ the backend */

static quire_status cuda_reduce(quire_context *context, const quire_job *job) {
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    return needs_squares(job->finish) ? cuda_reduce_many(context, job, &one, &one)
                                      : launch((cuda_context *)context, job, NULL);
}

static quire_status cuda_accumulate(quire_context *context, const quire_job *job, quire_accumulator *accumulator) {
    return launch((cuda_context *)context, job, accumulator); /* of no elements, too: it carries */
}

static quire_status cuda_set_stream(quire_context *context, struct CUstream_st *stream) {
    cuda_context *c = (cuda_context *)context;
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    if (stream == c->stream && is_capturing(stream)) return QUIRE_OK;
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
    if (c->vectors) cudaFree(c->vectors);
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

static const quire_backend cuda_backend = { cuda_reduce,       cuda_reduce_many, cuda_reduce_segments,
                                            cuda_accumulate,   cuda_set_stream,  cuda_set_tier,
                                            cuda_set_progress, cuda_close,       cuda_finish };

/* ---------------------------------------------------------------------------------------------------------- opening */

#define QUIRE_NUMBER(name, NAME, number, real, unused) (quire_type) number,
static const quire_type windowed_types[] = { QUIRE_WINDOWED_FORMATS(QUIRE_NUMBER, ) };
#undef QUIRE_NUMBER

/* A kernel of more shared memory than a block has by default must ask for it, once a device. */
static cudaError_t prepare_kernel(const cuda_context *c, const cuda_kernel *kernel) {
    if (!kernel->function) return cudaSuccess; /* nobody has one array that is not aligned like itself */
    const unsigned shared = kernel->shared < c->shared_memory ? kernel->shared : c->shared_memory;
    const cudaError_t error =
        cudaFuncSetAttribute(kernel->function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (!error && kernel->once && /* by more than 8 blocks */
        cudaFuncSetAttribute(kernel->function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))
        cudaGetLastError();
    return error;
}

static cudaError_t prepare_kernels(const cuda_context *c) {
    for (quire_type type : windowed_types)
        for (int term = 0; term < TERM_COUNT; term++)
            for (cuda_access access : { ACCESS_ELEMENTS, ACCESS_VECTORS, ACCESS_SAME })
                for (cuda_length length : { LENGTH_ONCE, LENGTH_SHORT, LENGTH_LONG, LENGTH_LONG_NORM }) {
                    const cuda_kernel kernel = kernel_by(type, (quire_term)term, QUIRE_EXACT, access, length);
                    const cudaError_t error = prepare_kernel(c, &kernel);
                    if (error) return error;
                }
    return cudaSuccess;
}

/* How many blocks a kernel's cluster may have, at most: as many multiprocessors must be near each other, and free for
 * us. */
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
    c->cluster = c->has_bulk ? CLUSTER_BLOCKS : 1;
    for (quire_type type : windowed_types) {
        const cuda_kernel kernel = kernel_by(type, TERM_IDENTITY, QUIRE_EXACT, ACCESS_SAME, LENGTH_ONCE);
        const unsigned blocks = c->has_bulk ? cluster_blocks(c, &kernel) : 1;
        if (blocks < c->cluster) c->cluster = blocks;
    }
}

/* All kernels are compiled alike: one tells of all. */
static cudaError_t look_for_bulk(cuda_context *c) {
    const cuda_kernel kernel = kernel_by(QUIRE_F32, TERM_IDENTITY, QUIRE_PLAIN, ACCESS_SAME, LENGTH_LONG);
    cudaFuncAttributes is;
    const cudaError_t error = cudaFuncGetAttributes(&is, kernel.function);
    c->has_bulk = !error && is.ptxVersion >= 90;
    return error;
}

/* Of shared memory that a block may have, what kernels may ask for. */
static unsigned shared_for_kernels(unsigned bytes) { return bytes - (SHARED_MEMORY - EXACT_SHARED); }

/* As a test wishes. */
static void take_for_lesser(cuda_context *c) {
    device_wish wish = {};
    const char *text = getenv("QUIRE_CUDA_DEVICE");
    if (text) sscanf(text, "%u,%u,%u,%u", &wish.multiprocessors, &wish.shared, &wish.major, &wish.ratio);
    if (wish.multiprocessors) c->multiprocessors = (int)least_of(wish.multiprocessors, (size_t)c->multiprocessors);
    if (wish.shared) c->shared_memory = (unsigned)least_of(shared_for_kernels(wish.shared << 10), c->shared_memory);
    if (wish.major) c->has_bulk = c->has_bulk && wish.major >= 9;
    if (wish.ratio) c->few_doubles = wish.ratio >= FEW_DOUBLES;
}

static cudaError_t fill_context(cuda_context *c) {
    cudaStream_t stream = NULL;
    cudaError_t error = cudaDeviceGetAttribute(&c->multiprocessors, cudaDevAttrMultiProcessorCount, c->device);
    int shared_memory = 0, ratio = 0;
    if (!error) error = cudaDeviceGetAttribute(&shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device);
    if (!error) error = cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, c->device);
    c->few_doubles = ratio >= FEW_DOUBLES;
    c->shared_memory = shared_for_kernels((unsigned)shared_memory);
    if (!error) error = prepare_kernels(c);
    if (!error) error = look_for_bulk(c);
    if (!error) error = quire_cuda_load_finish();
    if (!error) error = load_many(c);
    if (!error) take_for_lesser(c); /* the kernels are prepared for all contexts */
    if (!error) look_for_clusters(c);
    if (!error) error = cudaEventCreateWithFlags(&c->moved, cudaEventDisableTiming);
    if (!error) error = cudaMalloc((void **)&c->workspace, sizeof *c->workspace);
    if (!error) error = cudaMalloc((void **)&c->vectors, sizeof *c->vectors);
    if (!error) error = cudaMallocHost((void **)&c->hint, sizeof *c->hint);
    if (!error) *c->hint = 0;
    if (!error) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!error) error = cudaMemsetAsync(c->workspace, 0, sizeof *c->workspace, stream);
    if (!error) error = cudaMemsetAsync(c->vectors, 0, sizeof *c->vectors, stream);
    if (!error) error = cudaMemsetAsync(c->workspace->places, 255, sizeof c->workspace->places, stream);
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
