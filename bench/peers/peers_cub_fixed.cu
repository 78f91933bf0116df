/* peers_cub_fixed.cu - cub::DeviceReduce::Sum that promises the same bits on every GPU, from CCCL 3.1 on.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cub/version.cuh>

#include "gpu_peers.h"

#if CUB_VERSION >= 300100

#include <cub/device/device_reduce.cuh>
#include <cuda/std/execution>
#include <cuda/stream_ref>

template <typename T> static cudaError_t sum(const job *j, void *result, cudaStream_t stream) {
    namespace execution = cuda::execution;
    const auto how =
        cuda::std::execution::env{ cuda::stream_ref{ stream }, execution::require(execution::determinism::gpu_to_gpu) };
    return cub::DeviceReduce::Sum((const T *)j->x, (T *)result, j->n, how);
}

static bool takes(const reducer *, const job *j) {
    return j->operation == OPERATION_SUM && (j->type == QUIRE_F32 || j->type == QUIRE_F64) && j->result_type == j->type;
}

static size_t workspace(const reducer *, const job *) { return 0; }

static int enqueue(const reducer *, const job *j, void *, void *result, void *stream) {
    return j->type == QUIRE_F32 ? sum<float>(j, result, (cudaStream_t)stream)
                                : sum<double>(j, result, (cudaStream_t)stream);
}

/* It allocates on the stream. */
extern "C" const reducer cub_fixed_reducers[] = {
    { "cub gpu_to_gpu", "cub::DeviceReduce::Sum, gpu_to_gpu", takes, workspace, enqueue, true, nullptr },
};
extern "C" const int cub_fixed_count = 1;

#else

extern "C" const reducer cub_fixed_reducers[] = { { nullptr, nullptr, nullptr, nullptr, nullptr, false, nullptr } };
extern "C" const int cub_fixed_count = 0;

#endif
