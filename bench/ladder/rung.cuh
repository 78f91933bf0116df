/* rung.cuh - what the rungs share: the two accumulations, the ends of a reduction, and the walk over several launches.
 *
 * E is the type of an element, A that of the accumulation: float and float, half and float, or half and half.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_RUNG_CUH
#define QUIRE_BENCH_LADDER_RUNG_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "rung.h"

constexpr int WARP = 32, THREADS = 256; /* of a block, where a rung says nothing else */
constexpr unsigned ALL_LANES = 0xffffffffu;

/* --------------------------------------------------------------------------------------------------- the arithmetic */

template <typename A> static __device__ __forceinline__ A as(float x);
template <typename A> static __device__ __forceinline__ A as(__half x);
template <> __device__ __forceinline__ float as<float>(float x) { return x; }
template <> __device__ __forceinline__ float as<float>(__half x) { return __half2float(x); }
template <> __device__ __forceinline__ __half as<__half>(float x) { return __float2half_rn(x); }
template <> __device__ __forceinline__ __half as<__half>(__half x) { return x; }

/* Each addition is rounded to its own type: to half, one in 2^11. */
static __device__ __forceinline__ float plus(float a, float b) { return a + b; }
static __device__ __forceinline__ __half plus(__half a, __half b) { return __hadd(a, b); }

/* What an element that is not there adds. (-0 would be the neutral element; the classics take +0, so that a sum of -0
 * alone is +0 here.) */
template <typename A> static __device__ __forceinline__ A nothing() { return as<A>(0.0f); }

/* --------------------------------------------------------------------------------------------------------- the host */

static inline size_t ceiling_of(size_t n, size_t span) { return n ? (n - 1) / span + 1 : 1; }
static inline size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }
static inline size_t log2_up(size_t n) {
    size_t steps = 0;
    while (((size_t)1 << steps) < n) steps++;
    return steps;
}

/* Multiprocessors of the current device; 1 if it cannot be asked: what is launched then says why. */
static inline int processors() {
    int device = 0, count = 1;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) return 1;
    return count;
}

/* As many blocks as the elements need, but not more than so many a multiprocessor. */
static inline unsigned some_blocks(size_t n, size_t span, int each) {
    const size_t needed = ceiling_of(n, span), most = (size_t)each * processors();
    return (unsigned)(needed < most ? needed : most);
}

/* ------------------------------------------------------------------------- results through memory, launch by launch */

/* A block's sum is a partial result, or if there is no other block, the result. */
template <typename A> static __device__ __forceinline__ void leave(A sum, A *partials, float *result) {
    if (gridDim.x == 1)
        *result = as<float>(sum);
    else
        partials[blockIdx.x] = sum;
}

/* Rungs 1 to 4: every block leaves a partial result, and the same kernel reduces those, until one block is enough. STEP
 * has span, the elements of a block; scratch(blocks), the accumulators it wants in memory; and launch. */
template <typename STEP, typename E, typename A> struct launches {
    static constexpr int is_by_chance = 0;
    static size_t workspace(size_t n) {
        const size_t blocks = ceiling_of(n, STEP::span);
        return padded(STEP::scratch(blocks) * sizeof(A)) + padded(blocks * sizeof(A)) +
               padded(ceiling_of(blocks, STEP::span) * sizeof(A));
    }
    static size_t chain(size_t n) {
        size_t additions = 0;
        do additions += log2_up(STEP::span), n = ceiling_of(n, STEP::span);
        while (n > 1);
        return additions;
    }
    static cudaError_t enqueue(size_t n, const E *x, unsigned char *workspace, float *result, cudaStream_t stream) {
        size_t blocks = ceiling_of(n, STEP::span);
        A *scratch = (A *)workspace;
        A *now = (A *)(workspace + padded(STEP::scratch(blocks) * sizeof(A)));
        A *next = (A *)((unsigned char *)now + padded(blocks * sizeof(A)));
        STEP::template launch<E, A>((unsigned)blocks, n, x, scratch, now, result, stream);
        while (blocks > 1) {
            const size_t left = blocks;
            blocks = ceiling_of(left, STEP::span);
            STEP::template launch<A, A>((unsigned)blocks, left, now, scratch, next, result, stream);
            A *swap = now;
            now = next, next = swap;
        }
        return cudaGetLastError();
    }
};

/* ------------------------------------------------------------------------------------------ results through atomics */

/* One atomic addition. The hardware adds a float (and flushes subnormals to zero: PTX says so of atom.add.f32 in global
 * memory) or two halves at once. One half it does not know: atomicAdd(__half *) is a loop of compare-and-swap, hundreds
 * of times slower where all wait for one address (docs/ladder.md has the figure). So a half goes as a pair, with a zero
 * for company. */
static __device__ __forceinline__ void add_to(float *total, float sum) { atomicAdd(total, sum); }
static __device__ __forceinline__ void add_to(__half *total, __half sum) {
    atomicAdd((__half2 *)total, __halves2half2(sum, nothing<__half>()));
}

template <typename A> static __global__ void round_once(const A *total, float *result) { *result = as<float>(*total); }

/* The address that all add to: the result itself, or for half an accumulator of its own, which is read at the end. */
template <typename A>
static cudaError_t begin_total(A **total, unsigned char *workspace, float *result, cudaStream_t stream) {
    *total = sizeof(A) == sizeof(float) ? (A *)result : (A *)workspace;
    return cudaMemsetAsync(*total, 0, sizeof(float), stream);
}
template <typename A> static cudaError_t end_total(const A *total, float *result, cudaStream_t stream) {
    if (sizeof(A) != sizeof(float)) round_once<<<1, 1, 0, stream>>>(total, result);
    return cudaGetLastError();
}
template <typename A> constexpr size_t total_bytes = sizeof(A) == sizeof(float) ? 0 : 256;

/* Rungs 5 to 9: one launch whose blocks or warps add to one address. STEP has launch, and chain. */
template <typename STEP, typename E, typename A> struct adding {
    static constexpr int is_by_chance = 1;
    static size_t workspace(size_t) { return total_bytes<A>; }
    static size_t chain(size_t n) { return STEP::chain(n); }
    static cudaError_t enqueue(size_t n, const E *x, unsigned char *workspace, float *result, cudaStream_t stream) {
        A *total;
        const cudaError_t error = begin_total(&total, workspace, result, stream);
        if (error) return error;
        if (n) STEP::template launch<E, A>(n, x, total, stream);
        return end_total(total, result, stream);
    }
};

/* -------------------------------------------------------------------------------------------------------- the table */

template <typename WAY, typename E>
static int enqueue_as(size_t n, const void *x, void *workspace, void *result, void *stream) {
    return WAY::enqueue(n, (const E *)x, (unsigned char *)workspace, (float *)result, (cudaStream_t)stream);
}
template <template <typename, typename> class KIND, typename E, typename A> constexpr way way_of() {
    return { KIND<E, A>::workspace, KIND<E, A>::chain, enqueue_as<KIND<E, A>, E> };
}
template <template <typename, typename> class KIND> constexpr rung rung_of() {
    return { way_of<KIND, float, float>(), way_of<KIND, __half, float>(), way_of<KIND, __half, __half>(),
             KIND<float, float>::is_by_chance };
}

#endif
