/* rows_cub.cu - cub::DeviceSegmentedReduce. Rows have offsets that are computed, segments such as are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <type_traits>

#include "gpu_peers.h"

struct times {
    int64_t length;
    __host__ __device__ int64_t operator()(int64_t i) const { return i * length; }
};

struct add {
    __device__ float operator()(float a, float b) const { return a + b; }
};

/* Both phases of CUB: with no workspace it tells how many bytes it wants. T to T is the sum as it comes; T to float
 * adds in float. */
template <typename T, typename R, typename Offsets>
static cudaError_t sum(void *workspace, size_t *bytes, const job *j, void *results, Offsets begin,
                       cudaStream_t stream) {
    const T *x = (const T *)j->x;
    R *to = (R *)results;
    const int64_t vectors = (int64_t)j->vectors;
    if constexpr (std::is_same<T, R>::value)
        return cub::DeviceSegmentedReduce::Sum(workspace, *bytes, x, to, vectors, begin, begin + 1, stream);
    else
        return cub::DeviceSegmentedReduce::Reduce(workspace, *bytes, x, to, vectors, begin, begin + 1, add(), R(0),
                                                  stream);
}

template <typename T, typename R>
static cudaError_t by_offsets(void *workspace, size_t *bytes, const job *j, void *results, cudaStream_t stream) {
    if (j->offsets) return sum<T, R>(workspace, bytes, j, results, j->offsets, stream);
    const auto starts =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), times{ (int64_t)j->length });
    return sum<T, R>(workspace, bytes, j, results, starts, stream);
}

static cudaError_t in_type(void *workspace, size_t *bytes, const job *j, void *results, cudaStream_t stream) {
    switch (j->type) {
    case QUIRE_F16: return by_offsets<__half, __half>(workspace, bytes, j, results, stream);
    case QUIRE_BF16: return by_offsets<__nv_bfloat16, __nv_bfloat16>(workspace, bytes, j, results, stream);
    case QUIRE_F32: return by_offsets<float, float>(workspace, bytes, j, results, stream);
    default: return by_offsets<double, double>(workspace, bytes, j, results, stream);
    }
}

static cudaError_t in_float(void *workspace, size_t *bytes, const job *j, void *results, cudaStream_t stream) {
    if (j->type == QUIRE_F16) return by_offsets<__half, float>(workspace, bytes, j, results, stream);
    return by_offsets<__nv_bfloat16, float>(workspace, bytes, j, results, stream);
}

/* ------------------------------------------------------------------------------------------- segments of one length */

/* The overload that takes the length, if this CUB has it: the one of these two parameters and of this type. */
template <typename T> using fixed_sum = cudaError_t (*)(void *, size_t &, const T *, T *, int64_t, int, cudaStream_t);

template <typename T, typename = void> struct fixed { static constexpr fixed_sum<T> sum = nullptr; };
template <typename T>
struct fixed<T, std::void_t<decltype(static_cast<fixed_sum<T>>(&cub::DeviceSegmentedReduce::Sum<const T *, T *>))>> {
    static constexpr fixed_sum<T> sum = &cub::DeviceSegmentedReduce::Sum<const T *, T *>;
};

template <typename T>
static cudaError_t fixed_of(void *workspace, size_t *bytes, const job *j, void *results, cudaStream_t stream) {
    constexpr fixed_sum<T> sum = fixed<T>::sum;
    if constexpr (sum == nullptr)
        return cudaErrorNotSupported;
    else
        return sum(workspace, *bytes, (const T *)j->x, (T *)results, (int64_t)j->vectors, (int)j->length, stream);
}

static cudaError_t fixed_size(void *workspace, size_t *bytes, const job *j, void *results, cudaStream_t stream) {
    switch (j->type) {
    case QUIRE_F16: return fixed_of<__half>(workspace, bytes, j, results, stream);
    case QUIRE_BF16: return fixed_of<__nv_bfloat16>(workspace, bytes, j, results, stream);
    case QUIRE_F32: return fixed_of<float>(workspace, bytes, j, results, stream);
    default: return fixed_of<double>(workspace, bytes, j, results, stream);
    }
}

/* ----------------------------------------------------------------------------------------------------- the reducers */

typedef cudaError_t reduction(void *, size_t *, const job *, void *, cudaStream_t);

struct own {
    reduction *run;
};

static const own type_own = { in_type }, float_own = { in_float }, fixed_own = { fixed_size };

static bool sums(const job *j) {
    return j->operation == OPERATION_SUM && j->layout != LAYOUT_COLUMNS && j->type <= QUIRE_F64;
}

static bool takes(const reducer *, const job *j) { return sums(j) && j->result_type == j->type; }

static bool takes_in_float(const reducer *, const job *j) {
    return sums(j) && (j->type == QUIRE_F16 || j->type == QUIRE_BF16) && j->result_type == QUIRE_F32;
}

static bool takes_fixed(const reducer *, const job *j) {
    return cub_rows_has_fixed && sums(j) && j->layout == LAYOUT_ROWS && j->result_type == j->type;
}

static size_t workspace(const reducer *r, const job *j) {
    size_t bytes = 0;
    ((const own *)r->own)->run(nullptr, &bytes, j, nullptr, nullptr);
    return bytes;
}

static int enqueue(const reducer *r, const job *j, void *memory, void *results, void *stream) {
    size_t bytes = workspace(r, j);
    return ((const own *)r->own)->run(memory, &bytes, j, results, (cudaStream_t)stream);
}

extern "C" const reducer cub_rows_reducers[] = {
    { "cub segmented", "cub::DeviceSegmentedReduce::Sum", takes, workspace, enqueue, false, &type_own },
    { "cub segmented in float", "the same, adding in float", takes_in_float, workspace, enqueue, false, &float_own },
    { "cub fixed-size", "the same of segments of one length", takes_fixed, workspace, enqueue, false, &fixed_own },
};
extern "C" const int cub_rows_count = sizeof cub_rows_reducers / sizeof *cub_rows_reducers;
extern "C" const bool cub_rows_has_fixed = fixed<float>::sum != nullptr;
