/* rows_thrust.cu - thrust::reduce_by_key: the keys are the numbers of the segments, an array of one for each element.
 * It allocates and waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/system_error.h>

#include <new>

#include "gpu_peers.h"

#define WARP 32
#define THREADS 256

/* A warp a segment. */
static __global__ void write_keys(const int32_t *offsets, size_t segments, int32_t *keys) {
    const size_t warps = (size_t)gridDim.x * (THREADS / WARP), lane = threadIdx.x % WARP;
    for (size_t i = blockIdx.x * (size_t)(THREADS / WARP) + threadIdx.x / WARP; i < segments; i += warps)
        for (size_t at = offsets[i] + lane; at < (size_t)offsets[i + 1]; at += WARP) keys[at] = (int32_t)i;
}

/* Those of the last job; no two jobs have all of these alike. */
static struct held {
    int32_t *keys;
    size_t n, vectors, length;
    layout cut;
} held;

extern "C" void thrust_rows_close(void) {
    cudaFree(held.keys);
    held = {};
}

static int make_keys(const job *j, cudaStream_t stream) {
    if (held.keys && held.n == j->n && held.vectors == j->vectors && held.length == j->length && held.cut == j->layout)
        return 0;
    thrust_rows_close();
    cudaError_t error = cudaMalloc(&held.keys, j->n * sizeof *held.keys);
    if (error) {
        cudaGetLastError(); /* or the next launch would be blamed */
        return error;
    }
    const size_t blocks = j->vectors / (THREADS / WARP) + 1;
    write_keys<<<(unsigned)(blocks < 65536 ? blocks : 65536), THREADS, 0, stream>>>(j->offsets, j->vectors, held.keys);
    error = cudaGetLastError();
    if (!error) error = cudaStreamSynchronize(stream);
    held.n = j->n, held.vectors = j->vectors, held.length = j->length, held.cut = j->layout;
    return error;
}

template <typename R> struct widen {
    template <typename T> __host__ __device__ R operator()(T x) const { return (R)x; }
};

template <typename T, typename R> static int sum(const job *j, void *results, cudaStream_t stream) {
    try {
        const auto x = thrust::make_transform_iterator((const T *)j->x, widen<R>());
        thrust::reduce_by_key(thrust::cuda::par.on(stream), held.keys, held.keys + j->n, x,
                              thrust::make_discard_iterator(), (R *)results);
        return cudaSuccess;
    } catch (const thrust::system_error &error) {
        return error.code().value();
    } catch (const std::bad_alloc &) {
        return cudaErrorMemoryAllocation;
    }
}

/* Empty segments have no key, and no result. */
static bool takes(const reducer *, const job *j) {
    return j->operation == OPERATION_SUM && (j->layout == LAYOUT_SEGMENTS || j->layout == LAYOUT_POWER_LAW) &&
           j->type <= QUIRE_F64 && j->result_type == (j->type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32);
}

static size_t workspace(const reducer *, const job *) { return 0; }

static int enqueue(const reducer *, const job *j, void *, void *results, void *stream) {
    const int error = make_keys(j, (cudaStream_t)stream);
    if (error) return error;
    switch (j->type) {
    case QUIRE_F16: return sum<__half, float>(j, results, (cudaStream_t)stream);
    case QUIRE_BF16: return sum<__nv_bfloat16, float>(j, results, (cudaStream_t)stream);
    case QUIRE_F32: return sum<float, float>(j, results, (cudaStream_t)stream);
    default: return sum<double, double>(j, results, (cudaStream_t)stream);
    }
}

extern "C" const reducer thrust_rows_reducers[] = {
    { "thrust by key", "thrust::reduce_by_key", takes, workspace, enqueue, true, nullptr },
};
extern "C" const int thrust_rows_count = 1;
