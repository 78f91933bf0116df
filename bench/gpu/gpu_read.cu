/* gpu_read.cu - how fast a device's memory can be read at all: kernels that load 16 bytes at a time, several in flight a
 * thread, and do as little with them as can be. A few shapes; which is fastest depends on the device and on n.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime.h>

#include "read.h"

/* Keeps the loads: nobody knows that the or of all is not this. */
static __device__ void keep(unsigned seen, unsigned *out) {
    if (seen == 0x9e3779b9) *out = seen;
}

static __device__ unsigned fold(uint4 v) { return v.x | v.y | v.z | v.w; }

/* Every thread has LOADS loads in flight, a grid's width apart. */
template <int LOADS> static __device__ unsigned read_vector(const uint4 *x, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned seen = 0;
    for (; i + (LOADS - 1) * step < n; i += LOADS * step) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = x[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; k++) seen |= fold(v[k]);
    }
    for (; i < n; i += step) seen |= fold(x[i]);
    return seen;
}

/* Two vectors, half of the loads from each. */
template <int LOADS> static __device__ unsigned read_vectors(const uint4 *x, const uint4 *y, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned seen = 0;
    for (; i + (LOADS / 2 - 1) * step < n; i += LOADS / 2 * step) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS / 2; k++) v[k] = x[i + k * step], v[k + LOADS / 2] = y[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; k++) seen |= fold(v[k]);
    }
    for (; i < n; i += step) seen |= fold(x[i]) | fold(y[i]);
    return seen;
}

template <int LOADS>
static __global__ void read_all(const unsigned char *x, const unsigned char *y, size_t bytes, unsigned *out) {
    const size_t vectors = bytes / sizeof(uint4), rest = vectors * sizeof(uint4) + threadIdx.x;
    unsigned seen =
        y ? read_vectors<LOADS>((const uint4 *)x, (const uint4 *)y, vectors) : read_vector<LOADS>((const uint4 *)x, vectors);
    if (!blockIdx.x && rest < bytes) seen |= x[rest] | (y ? y[rest] : 0u);
    keep(seen, out);
}

struct shape {
    int loads, threads, blocks; /* blocks: of a multiprocessor */
};

static const shape shapes[] = { { 4, 256, 8 }, { 4, 512, 4 }, { 8, 256, 6 }, { 8, 512, 2 } };

static unsigned blocks_for(const shape *s, size_t bytes) {
    static int processors;
    if (!processors) cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    const size_t most = (size_t)processors * s->blocks, useful = bytes / sizeof(uint4) / s->threads + 1;
    return (unsigned)(useful < most ? useful : most);
}

static int launch(const shape *s, const void *x, const void *y, size_t bytes, void *out, void *stream) {
    const unsigned char *a = (const unsigned char *)x, *b = (const unsigned char *)y;
    const unsigned blocks = blocks_for(s, bytes);
    cudaStream_t queue = (cudaStream_t)stream;
    if (s->loads == 8)
        read_all<8><<<blocks, s->threads, 0, queue>>>(a, b, bytes, (unsigned *)out);
    else
        read_all<4><<<blocks, s->threads, 0, queue>>>(a, b, bytes, (unsigned *)out);
    return cudaGetLastError();
}

static size_t element_size(quire_type type) { return type == QUIRE_F64 ? 8 : type == QUIRE_F32 ? 4 : 2; }

static bool takes(const reducer *, const job *) { return true; }
static size_t workspace(const reducer *, const job *) { return 0; }

static int enqueue(const reducer *r, const job *j, void *, void *result, void *stream) {
    const void *y = j->operation == OPERATION_DOT ? j->y : nullptr;
    return launch((const shape *)r->own, j->x, y, j->n * element_size(j->type), result, stream);
}

#define READ(i)                                                                                                             \
    { "read", "reads, 16 bytes at a time", takes, workspace, enqueue, false, &shapes[i] }

extern "C" const reducer read_reducers[] = { READ(0), READ(1), READ(2), READ(3) };
extern "C" const int read_count = sizeof read_reducers / sizeof *read_reducers;

extern "C" int read_flush(const void *memory, size_t bytes, void *result, void *stream) {
    return launch(&shapes[0], memory, nullptr, bytes, result, stream);
}
