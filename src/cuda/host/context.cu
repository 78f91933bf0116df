/* context.cu - the CUDA backend: its functions, and how a context is opened.
 *
 * No call after quire_open_cuda allocates or waits by itself (CUDA may, when it first loads a kernel of the canonical
 * order); all of them can be captured into a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/host/many.cuh"

/* ------------------------------------------------------------------------------------------------------ the backend */

static quire_status cuda_reduce(quire_context *context, const quire_job *job) {
    const cuda_context *c = (const cuda_context *)context;
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    if (needs_squares(job->finish)) return cuda_reduce_many(context, job, &one, &one);
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    bool is_apart;
    const quire_status status = check_memories(c, job, job->result, &is_apart);
    if (status) return status;
    return is_windowed(job->type) ? reduce_array(c, job, NULL, is_apart) : reduce_many(c, job, &one, &one);
}

static quire_status cuda_accumulate(quire_context *context, const quire_job *job, quire_accumulator *accumulator) {
    return accumulate_array((const cuda_context *)context, job, accumulator); /* of no elements, too: it carries */
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
    const unsigned shared = kernel->shared < c->facts.shared_memory ? kernel->shared : c->facts.shared_memory;
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
                for (int length = 0; length < LENGTH_COUNT; length++) {
                    const cuda_kernel kernel =
                        kernel_by(type, (quire_term)term, QUIRE_EXACT, access, (cuda_length)length);
                    const cudaError_t error = prepare_kernel(c, &kernel);
                    if (error) return error;
                }
    return cudaSuccess;
}

/* How many blocks a kernel's cluster may have, at most: as many multiprocessors must be near each other, and free for
 * us. */
static unsigned cluster_blocks(const cuda_context *c, const cuda_kernel *kernel) {
    const unsigned threads = plan_short_threads(&c->facts, kernel);
    for (unsigned blocks = CLUSTER_BLOCKS; blocks > 1; blocks /= 2) {
        cudaLaunchAttribute attribute = cluster_of(blocks);
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = plan_shared(kernel, threads);
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
    c->facts.cluster = c->facts.has_bulk ? CLUSTER_BLOCKS : 1;
    for (quire_type type : windowed_types) {
        const cuda_kernel kernel = kernel_by(type, TERM_IDENTITY, QUIRE_EXACT, ACCESS_SAME, LENGTH_ONE_BATCH);
        const unsigned blocks = c->facts.has_bulk ? cluster_blocks(c, &kernel) : 1;
        if (blocks < c->facts.cluster) c->facts.cluster = blocks;
    }
}

/* All kernels are compiled alike: one tells of all. */
static cudaError_t look_for_bulk(cuda_context *c) {
    const cuda_kernel kernel = kernel_by(QUIRE_F32, TERM_IDENTITY, QUIRE_PLAIN, ACCESS_SAME, LENGTH_LONG);
    cudaFuncAttributes is;
    const cudaError_t error = cudaFuncGetAttributes(&is, kernel.function);
    c->facts.has_bulk = !error && is.ptxVersion >= 90;
    return error;
}

/* Of shared memory that a block may have, what kernels may ask for. */
static unsigned shared_for_kernels(unsigned bytes) { return bytes - (SHARED_MEMORY - EXACT_SHARED); }

/* As a test wishes. */
static void take_for_lesser(cuda_context *c) {
    device_wish wish = {};
    const char *text = getenv("QUIRE_CUDA_DEVICE");
    if (text) sscanf(text, "%u,%u,%u,%u", &wish.multiprocessors, &wish.shared, &wish.major, &wish.ratio);
    if (wish.multiprocessors)
        c->facts.multiprocessors = (unsigned)plan_least(wish.multiprocessors, c->facts.multiprocessors);
    if (wish.shared)
        c->facts.shared_memory = (unsigned)plan_least(shared_for_kernels(wish.shared << 10), c->facts.shared_memory);
    if (wish.major) c->facts.has_bulk = c->facts.has_bulk && wish.major >= 9;
    if (wish.ratio) c->facts.ratio = wish.ratio;
}

static cudaError_t fill_context(cuda_context *c) {
    cudaStream_t stream = NULL;
    int multiprocessors = 0, shared_memory = 0, ratio = 0;
    cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, c->device);
    if (!error) error = cudaDeviceGetAttribute(&shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device);
    if (!error) error = cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, c->device);
    c->facts.multiprocessors = (unsigned)multiprocessors;
    c->facts.ratio = (unsigned)ratio;
    c->facts.shared_memory = shared_for_kernels((unsigned)shared_memory);
    if (!error) error = prepare_kernels(c);
    if (!error) error = look_for_bulk(c);
    if (!error) error = quire_cuda_load_finish();
    if (!error) error = load_many();
    if (!error) take_for_lesser(c); /* the kernels are prepared for all contexts */
    if (!error) look_for_clusters(c);
    if (!error) error = cudaEventCreateWithFlags(&c->moved, cudaEventDisableTiming);
    if (!error) error = cudaMalloc((void **)&c->workspace, sizeof *c->workspace);
    if (!error) error = cudaMalloc((void **)&c->vectors, sizeof *c->vectors);
    if (!error) error = cudaMallocHost((void **)&c->hint, 2 * sizeof *c->hint);
    if (!error) c->clash = c->hint + 1, *c->hint = *c->clash = 0;
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
    if (wish) sscanf(wish, "%u,%u,%u", &c->facts.wish.blocks, &c->facts.wish.warps, &c->facts.wish.bytes);
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
