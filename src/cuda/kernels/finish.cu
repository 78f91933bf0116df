/* finish.cu - accumulators in device memory, rounded where they are: a warp takes one at a time, or one and that of the
 * squares. They may be sums of accumulators that were added word by word and not carried since.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/calls.cuh"

#include "cuda/grid/pair_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/warp/total.cuh"

#define FINISH_THREADS 128
#define FINISH_WARPS (FINISH_THREADS / WARP)
#define FINISH_BLOCKS 1024 /* at most: more accumulators than these have warps are taken in turns */

static __device__ __forceinline__ void store_result(const finish_job &job, size_t i, uint64_t bits) {
    format_store(bits, job.format.size, (char *)job.results + i * (size_t)job.format.size);
}

static __global__ void __launch_bounds__(FINISH_THREADS) finish_accumulators(const finish_job job) {
    const int lane = (int)(threadIdx.x % WARP);
    for (size_t i = warp_of_grid(); i < job.count; i += warps_of_grid()) {
        const quire_accumulator *sum = &job.sums[i];
        const quire_total limbs = warp_total(sum->limb, lane);
        if (lane) continue;
        store_result(job, i,
                     finish_and_round(accumulator_total_of(sum, limbs), job.finish, (uint64_t)sum->count, job.format,
                                      job.rounding));
    }
}

/* Of what are no sums and squares of the same numbers the moment is NaN: a device has no status to say so. */
static __global__ void __launch_bounds__(FINISH_THREADS) finish_moments(const finish_job job) {
    __shared__ accumulated_moment_room rooms[FINISH_WARPS];
    for (size_t i = warp_of_grid(); i < job.count; i += warps_of_grid()) {
        if (threadIdx.x % WARP) continue;
        const quire_accumulator *sum = &job.sums[i], *squares = &job.squares[i];
        const uint64_t bits = accumulated_moments_round(sum, squares, job.finish, job.correction, job.format,
                                                        job.rounding, &rooms[threadIdx.x / WARP]);
        store_result(job, i, sum->count == squares->count ? bits : job.format.quiet_nan);
    }
}

/* The same of averages: products over weights. */
static __global__ void __launch_bounds__(FINISH_THREADS) finish_averages(const finish_job job) {
    __shared__ average_room rooms[FINISH_WARPS];
    const int lane = (int)(threadIdx.x % WARP);
    for (size_t i = warp_of_grid(); i < job.count; i += warps_of_grid()) {
        const quire_accumulator *products = &job.sums[i], *weights = &job.squares[i];
        const quire_total average = warp_average(products, weights, &rooms[threadIdx.x / WARP], lane);
        if (lane) continue;
        const uint64_t bits = total_round(average, job.format, job.rounding);
        store_result(job, i, products->count == weights->count ? bits : job.format.quiet_nan);
    }
}

cudaError_t quire_cuda_finish(const finish_job *job, cudaStream_t stream) {
    const size_t blocks = job->count / FINISH_WARPS + (job->count % FINISH_WARPS != 0);
    const auto kernel = !job->squares                   ? finish_accumulators
                        : job->finish == FINISH_AVERAGE ? finish_averages
                                                        : finish_moments;
    return start_kernel(blocks < FINISH_BLOCKS ? blocks : FINISH_BLOCKS, FINISH_THREADS, 0, stream, kernel, *job);
}

cudaError_t quire_cuda_load_finish() {
    return load_functions(
        { (const void *)finish_accumulators, (const void *)finish_moments, (const void *)finish_averages });
}
