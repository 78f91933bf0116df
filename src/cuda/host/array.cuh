/* array.cuh - the launches of kernels/array.cuh, as array_plan.h has planned them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ARRAY_CUH
#define QUIRE_CUDA_HOST_ARRAY_CUH

#include "cuda/host/array_plan.h"
#include "cuda/host/vectors.cuh"

static cuda_kernel kernel_by(quire_type type, quire_term term, quire_method method, cuda_access access,
                             cuda_length length) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return quire_cuda_##name(term, method, access, length);
    switch ((int)type) { QUIRE_WINDOWED_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

/* The kernels of a job, by length. */
struct array_kernels {
    cuda_kernel of[LENGTH_COUNT];
};

static array_kernels find_kernels(const quire_job *job) {
    array_kernels kernels;
    for (int length = 0; length < LENGTH_COUNT; length++)
        kernels.of[length] = kernel_by(job->type, job->term, job->method, plan_access(job), (cuda_length)length);
    return kernels;
}

/* Blocks of a kernel that fit a multiprocessor. */
static unsigned resident_blocks(const cuda_context *c, const cuda_kernel *kernel) {
    int blocks = 1;
    const int threads = (int)plan_long_threads(&c->facts, kernel);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function, threads, kernel->shared) || blocks < 1)
        return 1;
    return (unsigned)blocks;
}

static array_plan plan_call(const cuda_context *c, const array_call *call, array_kernels *kernels) {
    array_plan plan = plan_kernels(call, &c->facts, kernels->of);
    for (unsigned i = 0; i < plan.launches; i++) {
        cuda_kernel *kernel = &kernels->of[plan.launch[i].length];
        if (plan_asks_resident(call, &c->facts, &plan, &plan.launch[i], kernel))
            kernel->resident = resident_blocks(c, kernel);
    }
    plan_launches(&plan, call, &c->facts, kernels->of);
    return plan;
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
static cudaError_t start(const cuda_context *c, const cuda_kernel *kernel, const array_plan *plan,
                         const array_launch *launch, cuda_job work) {
    plan_to_job(plan, launch, &work);
    if (!launch->has_hint) work.hint = NULL;
    void *arguments[] = { &work };
    cudaLaunchAttribute attributes[] = { overlapping(plan->overlaps), cluster_of(launch->cluster) };
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(launch->blocks);
    config.blockDim = dim3(launch->threads);
    config.dynamicSmemBytes = launch->shared;
    config.stream = c->stream;
    config.attrs = attributes;
    config.numAttrs = !plan->overlaps ? 0 : launch->cluster ? 2 : 1;
    return cudaLaunchKernelExC(&config, kernel->function, arguments);
}

/* One array of a format that has kernels for it. is_apart: it is not in memory of this device. */
static quire_status reduce_array(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator,
                                 bool is_apart) {
    if (*(volatile unsigned *)c->clash) return QUIRE_DEVICE_FAULT;
    const bool was_wide = *(volatile unsigned *)c->hint;
    const array_call call = { job, accumulator != NULL, was_wide, is_apart };
    array_kernels kernels = find_kernels(job);
    const array_plan plan = plan_call(c, &call, &kernels);
    cuda_job work = {};
    work.x = job->x, work.y = job->y, work.n = job->n;
    work.finish = job->finish, work.rounding = job->rounding;
    work.format = describe_format(job->result_type);
    work.is_number = is_number(job, work.format);
    work.result = job->result, work.accumulator = accumulator;
    work.workspace = c->workspace;
    if (plan.needs_zero) work.zero = &c->workspace->zero;
    work.hint = c->hint, work.was_wide = was_wide, work.clash = c->clash;
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < plan.launches && !error; i++)
        error = start(c, &kernels.of[plan.launch[i].length], &plan, &plan.launch[i], work);
    return error || !plan.tells_zeros ? status_of(error) : tell_zeros(c, job, accumulator);
}

/* The same of any format, into an accumulator. */
static quire_status accumulate_array(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    bool is_apart;
    const quire_status status = check_memories(c, job, accumulator, &is_apart);
    if (status) return status;
    if (is_windowed(job->type) && job->n) return reduce_array(c, job, accumulator, is_apart);
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    return reduce_layout(c, job, &one, &one, accumulator);
}

#endif
