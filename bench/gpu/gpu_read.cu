/* gpu_read.cu - how fast a device's memory can be read at all: kernels that load 16 bytes at a time, several in flight
 * a thread, and do as little with them as can be. A few shapes; which is fastest depends on the device and on n.
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

/* Where a thread's loads lie: a grid's width apart, or a block's, so that a block reads one piece after the other. */
enum spacing { BY_GRID, BY_BLOCK };

/* Calls take(i, k) for the thread's share of n vectors, in groups of LOADS whose k counts up, and rest(i) for what is
 * left.
 */
template <int LOADS, spacing SPACING, typename Take, typename Fold, typename Rest>
static __device__ __forceinline__ void walk(size_t n, Take take, Fold fold_group, Rest rest) {
    const size_t width = (size_t)gridDim.x * blockDim.x, apart = SPACING == BY_GRID ? width : blockDim.x;
    const size_t first = blockIdx.x * (size_t)blockDim.x * (SPACING == BY_GRID ? 1 : LOADS) + threadIdx.x;
    const size_t groups = n / (LOADS * width), whole = groups * LOADS * width;
    for (size_t g = 0; g < groups; g++) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) take(first + g * LOADS * width + k * apart, k);
        fold_group();
    }
    for (size_t i = whole + blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += width) rest(i);
}

/* LOADS in flight; of two vectors half of them from each. */
template <int LOADS, spacing SPACING, bool PAIR>
static __device__ __forceinline__ unsigned read_vectors(const uint4 *x, const uint4 *y, size_t n) {
    constexpr int each = PAIR ? LOADS / 2 : LOADS;
    uint4 v[LOADS];
    unsigned seen = 0;
    walk<each, SPACING>(
        n,
        [&](size_t i, int k) {
            v[k] = x[i];
            if (PAIR) v[k + LOADS / 2] = y[i];
        },
        [&] {
#pragma unroll
            for (int k = 0; k < LOADS; k++) seen |= fold(v[k]);
        },
        [&](size_t i) { seen |= fold(x[i]) | (PAIR ? fold(y[i]) : 0u); });
    return seen;
}

template <int LOADS, spacing SPACING, bool PAIR>
static __global__ void read_all(const unsigned char *x, const unsigned char *y, size_t bytes, unsigned *out) {
    const size_t vectors = bytes / sizeof(uint4), rest = vectors * sizeof(uint4) + threadIdx.x;
    unsigned seen = read_vectors<LOADS, SPACING, PAIR>((const uint4 *)x, (const uint4 *)y, vectors);
    if (!blockIdx.x && rest < bytes) seen |= x[rest] | (PAIR ? y[rest] : 0u);
    keep(seen, out);
}

typedef void kernel(const unsigned char *, const unsigned char *, size_t, unsigned *);

struct shape {
    int loads, threads, blocks; /* blocks: of a multiprocessor at most; 0: one group of loads a thread */
    kernel *one, *two;
};

#define SHAPE(loads, spacing, threads, blocks)                                                                         \
    { loads, threads, blocks, read_all<loads, spacing, false>, read_all<loads, spacing, true> }

static const shape shapes[] = {
    SHAPE(4, BY_GRID, 256, 8),  SHAPE(4, BY_GRID, 512, 4),   SHAPE(8, BY_GRID, 256, 6),  SHAPE(4, BY_GRID, 512, 64),
    SHAPE(8, BY_GRID, 256, 64), SHAPE(4, BY_BLOCK, 256, 8),  SHAPE(8, BY_BLOCK, 256, 6), SHAPE(4, BY_BLOCK, 512, 64),
    SHAPE(4, BY_BLOCK, 256, 0), SHAPE(8, BY_BLOCK, 256, 64), SHAPE(8, BY_BLOCK, 256, 0), SHAPE(4, BY_GRID, 256, 0),
};

static unsigned blocks_for(const shape *s, size_t bytes) {
    static int processors;
    if (!processors) cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    const size_t group = sizeof(uint4) * s->threads * (s->blocks ? 1 : s->loads), useful = bytes / group;
    const size_t most = s->blocks ? (size_t)processors * s->blocks : 0x7fffffff;
    return (unsigned)(useful < 1 ? 1 : useful < most ? useful : most);
}

static int launch(const shape *s, const void *x, const void *y, size_t bytes, void *out, void *stream) {
    kernel *read = y ? s->two : s->one;
    read<<<blocks_for(s, bytes), s->threads, 0, (cudaStream_t)stream>>>(
        (const unsigned char *)x, (const unsigned char *)y, bytes, (unsigned *)out);
    return cudaGetLastError();
}

static bool takes(const reducer *, const job *) { return true; }
static size_t workspace(const reducer *, const job *) { return 0; }

static int enqueue(const reducer *r, const job *j, void *, void *result, void *stream) {
    const void *y = j->operation == OPERATION_DOT ? j->y : nullptr;
    return launch((const shape *)r->own, j->x, y, j->n * quire_type_size(j->type), result, stream);
}

#define READ(i)                                                                                                        \
    { "read", "reads, 16 bytes at a time", takes, workspace, enqueue, false, &shapes[i] }

extern "C" const reducer read_reducers[] = {
    READ(0), READ(1), READ(2), READ(3), READ(4), READ(5), READ(6), READ(7), READ(8), READ(9), READ(10), READ(11),
};
extern "C" const int read_count = sizeof read_reducers / sizeof *read_reducers;

extern "C" int read_flush(const void *memory, size_t bytes, void *result, void *stream) {
    return launch(&shapes[0], memory, nullptr, bytes, result, stream);
}
