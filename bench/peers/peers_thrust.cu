/* peers_thrust.cu - thrust::reduce, which allocates, waits, and hands its result to the host; halves and bfloat16 in
 * float.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/system_error.h>

#include <new>

#include "gpu_peers.h"

template <typename T, typename R> static int sum(const job *j, void *result, cudaStream_t stream) {
    try {
        const T *x = (const T *)j->x;
        const R s = thrust::reduce(thrust::cuda::par.on(stream), x, x + j->n, R(0), thrust::plus<R>());
        return cudaMemcpyAsync(result, &s, sizeof s, cudaMemcpyHostToDevice, stream);
    } catch (const thrust::system_error &error) {
        return error.code().value();
    } catch (const std::bad_alloc &) {
        return cudaErrorMemoryAllocation;
    }
}

static bool takes(const reducer *, const job *j) {
    return j->operation == OPERATION_SUM && j->result_type == (j->type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32);
}

static size_t workspace(const reducer *, const job *) { return 0; }

static int enqueue(const reducer *, const job *j, void *, void *result, void *stream) {
    switch (j->type) {
    case QUIRE_F16: return sum<__half, float>(j, result, (cudaStream_t)stream);
    case QUIRE_BF16: return sum<__nv_bfloat16, float>(j, result, (cudaStream_t)stream);
    case QUIRE_F32: return sum<float, float>(j, result, (cudaStream_t)stream);
    default: return sum<double, double>(j, result, (cudaStream_t)stream);
    }
}

extern "C" const reducer thrust_reducers[] = {
    { "thrust", "thrust::reduce", takes, workspace, enqueue, true, nullptr },
};
extern "C" const int thrust_count = 1;
