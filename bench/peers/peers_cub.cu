/* peers_cub.cu - cub::DeviceReduce. By default it adds halves in half; told to add in float, it does that.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu_peers.h"

/* Both phases of CUB: with no workspace it tells how many bytes it wants. */
template <typename T>
static cudaError_t sum(void *workspace, size_t *bytes, const job *j, void *result, cudaStream_t stream) {
    return cub::DeviceReduce::Sum(workspace, *bytes, (const T *)j->x, (T *)result, j->n, stream);
}

struct add {
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename T>
static cudaError_t sum_in_float(void *workspace, size_t *bytes, const job *j, void *result, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(workspace, *bytes, (const T *)j->x, (float *)result, j->n, add(), 0.0f, stream);
}

static cudaError_t reduce(void *workspace, size_t *bytes, const job *j, void *result, cudaStream_t stream) {
    switch (j->type) {
    case QUIRE_F16: return sum<__half>(workspace, bytes, j, result, stream);
    case QUIRE_BF16: return sum<__nv_bfloat16>(workspace, bytes, j, result, stream);
    case QUIRE_F32: return sum<float>(workspace, bytes, j, result, stream);
    default: return sum<double>(workspace, bytes, j, result, stream);
    }
}

static cudaError_t reduce_in_float(void *workspace, size_t *bytes, const job *j, void *result, cudaStream_t stream) {
    if (j->type == QUIRE_F16) return sum_in_float<__half>(workspace, bytes, j, result, stream);
    return sum_in_float<__nv_bfloat16>(workspace, bytes, j, result, stream);
}

typedef cudaError_t reduction(void *, size_t *, const job *, void *, cudaStream_t);

struct own {
    reduction *run;
};

static const own in_type = { reduce }, in_float = { reduce_in_float };

static bool takes(const reducer *, const job *j) { return j->operation == OPERATION_SUM && j->result_type == j->type; }

static bool takes_in_float(const reducer *, const job *j) {
    return j->operation == OPERATION_SUM && (j->type == QUIRE_F16 || j->type == QUIRE_BF16) &&
           j->result_type == QUIRE_F32;
}

static size_t workspace(const reducer *r, const job *j) {
    size_t bytes = 0;
    ((const own *)r->own)->run(nullptr, &bytes, j, nullptr, nullptr);
    return bytes;
}

static int enqueue(const reducer *r, const job *j, void *memory, void *result, void *stream) {
    size_t bytes = workspace(r, j);
    return ((const own *)r->own)->run(memory, &bytes, j, result, (cudaStream_t)stream);
}

extern "C" const reducer cub_reducers[] = {
    { "cub", "cub::DeviceReduce::Sum", takes, workspace, enqueue, false, &in_type },
    { "cub in float", "cub::DeviceReduce::Reduce, adding in float", takes_in_float, workspace, enqueue, false,
      &in_float },
};
extern "C" const int cub_count = sizeof cub_reducers / sizeof *cub_reducers;
extern "C" const int cub_version = CUB_VERSION;
