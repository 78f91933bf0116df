/* finish.cu - accumulators in device memory, rounded where they are: a warp takes one at a time. They may be sums of
 * accumulators that were added word by word and not carried since.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/finish.cuh"

#include "cuda/total.cuh"

#define FINISH_THREADS 128
#define FINISH_BLOCKS 1024 /* at most: more accumulators than these have warps are taken in turns */

static __global__ void __launch_bounds__(FINISH_THREADS) finish_accumulators(const finish_job job) {
    const size_t thread = (size_t)blockIdx.x * FINISH_THREADS + threadIdx.x;
    const size_t warps = (size_t)gridDim.x * (FINISH_THREADS / WARP);
    const int lane = (int)(threadIdx.x % WARP);
    for (size_t i = thread / WARP; i < job.count; i += warps) {
        const quire_accumulator *sum = &job.sums[i];
        const quire_total limbs = warp_total(sum->limb, lane);
        if (lane) continue;
        const uint64_t bits = finish_and_round(accumulator_total_of(sum, limbs), job.finish, (uint64_t)sum->count,
                                               job.format, job.rounding);
        format_store(bits, job.format.size, (char *)job.results + i * (size_t)job.format.size);
    }
}

cudaError_t quire_cuda_finish(const finish_job *job, cudaStream_t stream) {
    const size_t warps = FINISH_THREADS / WARP, blocks = job->count / warps + (job->count % warps != 0);
    void *arguments[] = { const_cast<finish_job *>(job) };
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(blocks < FINISH_BLOCKS ? blocks : FINISH_BLOCKS));
    config.blockDim = dim3(FINISH_THREADS);
    config.stream = stream;
    return cudaLaunchKernelExC(&config, (const void *)finish_accumulators, arguments);
}

cudaError_t quire_cuda_load_finish() {
    cudaFuncAttributes is;
    return cudaFuncGetAttributes(&is, (const void *)finish_accumulators);
}
