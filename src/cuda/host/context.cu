/* context.cu - the CUDA backend: its functions, and how a context is opened.
 *
 * No call after quire_open_cuda allocates or waits by itself; all of them can be captured into a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/host/by_key.cuh"
#include "cuda/host/gathered.cuh"
#include "cuda/host/scan.cuh"

/* ------------------------------------------------------------------------------------------------------ the backend */

static quire_status cuda_reduce(const cuda_context *c, const quire_job *job) {
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    const quire_status status = check_memories(c, job, job->result);
    if (status) return status;
    if (has_own_sums(job)) return reduce_own_array(c, job, NULL);
    return job->n || job->method != QUIRE_EXACT ? reduce_array(c, job) : reduce_many(c, job, &one, &one);
}

static quire_status cuda_accumulate(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const quire_status status = check_memories(c, job, accumulator);
    if (status) return status;
    return has_own_sums(job) ? reduce_own_array(c, job, accumulator) : accumulate_array(c, job, accumulator);
}

static quire_status cuda_set_stream(cuda_context *c, struct CUstream_st *stream) {
    if (stream == c->stream && is_capturing(stream)) return QUIRE_OK;
    const quire_status status = check_stream(stream, c->device);
    if (status || stream == c->stream) return status;
    /* What the context has under way is not of the graph, and a wait for it would spoil the capture. */
    if (is_capturing(stream) && !is_capturing(c->stream)) return QUIRE_INVALID_STREAM;
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
    if (c->vectors) cudaFree(c->vectors);
    if (c->clash) cudaFreeHost(c->clash);
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

static const quire_backend cuda_backend = { on_its_device<cuda_reduce>::call,
                                            on_its_device<cuda_reduce_many>::call,
                                            on_its_device<cuda_reduce_segments>::call,
                                            on_its_device<cuda_accumulate>::call,
                                            on_its_device<cuda_set_stream>::call,
                                            cuda_set_tier,
                                            cuda_set_progress,
                                            cuda_close,
                                            on_its_device<cuda_finish>::call,
                                            on_its_device<cuda_reduce_gathered>::call,
                                            cuda_order_workspace,
                                            on_its_device<cuda_order_by_key>::call,
                                            cuda_by_key_workspace,
                                            on_its_device<cuda_reduce_by_key>::call,
                                            on_its_device<cuda_scan>::call };

/* ---------------------------------------------------------------------------------------------------------- opening */

/* All kernels are compiled alike: one tells of all. */
static cudaError_t look_for_early_starts(cuda_context *c) {
    cudaFuncAttributes is;
    const cudaError_t error = cudaFuncGetAttributes(&is, quire_rows_float(TERM_IDENTITY, false).by_ends.array[0]);
    c->facts.starts_early = !error && is.ptxVersion >= 90;
    return error;
}

/* For the lesser device that a test wants it to be taken for: QUIRE_CUDA_DEVICE="multiprocessors,major,ratio"; major:
 * of the compute capability; ratio: of floats to doubles that it adds at a time; 0: what it has. Hidden, since no
 * result depends on it. */
static void take_for_lesser(cuda_context *c) {
    unsigned multiprocessors = 0, major = 0, ratio = 0;
    const char *wish = getenv("QUIRE_CUDA_DEVICE");
    if (wish) sscanf(wish, "%u,%u,%u", &multiprocessors, &major, &ratio);
    if (multiprocessors) c->facts.multiprocessors = (unsigned)plan_least(multiprocessors, c->facts.multiprocessors);
    if (major) c->facts.starts_early = c->facts.starts_early && major >= 9;
    if (ratio) c->facts.ratio = ratio;
}

static cudaError_t fill_context(cuda_context *c) {
    cudaStream_t stream = NULL;
    int multiprocessors = 0, ratio = 0;
    cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, c->device);
    if (!error) error = cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, c->device);
    c->facts.multiprocessors = (unsigned)multiprocessors;
    c->facts.ratio = (unsigned)ratio;
    if (!error) error = look_for_early_starts(c);
    for (auto load : { quire_cuda_load_finish, load_many, quire_cuda_load_scan, quire_cuda_load_integer_scan,
                       quire_cuda_load_gathered, quire_cuda_load_pairs, quire_cuda_load_integers })
        if (!error) error = load();
    take_for_lesser(c);
    if (!error) error = cudaEventCreateWithFlags(&c->moved, cudaEventDisableTiming);
    if (!error) error = cudaMalloc((void **)&c->vectors, sizeof *c->vectors);
    if (!error) error = cudaMallocHost((void **)&c->clash, sizeof *c->clash);
    if (!error) *c->clash = 0;
    if (!error) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!error) error = cudaMemsetAsync(c->vectors, 0, sizeof *c->vectors, stream);
    if (!error) error = quire_cuda_load_keys(c->vectors, sizeof *c->vectors, stream);
    if (!error) error = cudaMemsetAsync(c->vectors, 0, sizeof *c->vectors, stream);
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
    if (wish) sscanf(wish, "%u,%u", &c->facts.wish.blocks, &c->facts.wish.warps);
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
