/* vector.cuh - sums of 16-byte loads: four floats or eight halves. Rungs 11 and 12, and the search for the latter.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_VECTOR_CUH
#define QUIRE_BENCH_LADDER_VECTOR_CUH

#include "shuffle.cuh"

#include <cstdint>

template <typename E> constexpr int VECTOR = 16 / sizeof(E);

/* The sum of a vector, a tree of its own, so that the thread's chain grows by one addition only. */
template <typename A, typename E> struct vector_sum;
template <> struct vector_sum<float, float> {
    static __device__ __forceinline__ float of(uint4 v) {
        return (__uint_as_float(v.x) + __uint_as_float(v.y)) + (__uint_as_float(v.z) + __uint_as_float(v.w));
    }
};
static __device__ __forceinline__ __half2 two_halves(unsigned bits) {
    return __halves2half2(__ushort_as_half((unsigned short)bits), __ushort_as_half((unsigned short)(bits >> 16)));
}
template <> struct vector_sum<float, __half> {
    static __device__ __forceinline__ float of_two(unsigned bits) {
        const float2 f = __half22float2(two_halves(bits));
        return f.x + f.y;
    }
    static __device__ __forceinline__ float of(uint4 v) {
        return (of_two(v.x) + of_two(v.y)) + (of_two(v.z) + of_two(v.w));
    }
};
template <> struct vector_sum<__half, __half> { /* two additions an instruction */
    static __device__ __forceinline__ __half of(uint4 v) {
        const __half2 sum =
            __hadd2(__hadd2(two_halves(v.x), two_halves(v.y)), __hadd2(two_halves(v.z), two_halves(v.w)));
        return __hadd(__low2half(sum), __high2half(sum));
    }
};

/* A thread's share of x: vectors from the first address divisible by 16, and the elements before and behind them from
 * the first threads of the grid. */
template <int BLOCK, int LOADS, typename A, typename E>
static __device__ __forceinline__ A vectors_of_thread(size_t n, const E *__restrict__ x) {
    const size_t t = blockIdx.x * (size_t)BLOCK + threadIdx.x, stride = (size_t)gridDim.x * BLOCK;
    size_t head = (16 - (uintptr_t)x % 16) % 16 / sizeof(E);
    if (head > n) head = n;
    const size_t vectors = (n - head) / VECTOR<E>, tail = head + vectors * VECTOR<E>;
    const uint4 *__restrict__ v = (const uint4 *)(x + head);
    A sum = t < head ? as<A>(x[t]) : nothing<A>();
    if (tail + t < n) sum = plus(sum, as<A>(x[tail + t]));
    size_t i = t;
    for (; i + (LOADS - 1) * stride < vectors; i += LOADS * stride) {
        uint4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) loaded[k] = v[i + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum = plus(sum, vector_sum<A, E>::of(loaded[k]));
    }
    for (; i < vectors; i += stride) sum = plus(sum, vector_sum<A, E>::of(v[i]));
    return sum;
}

template <int BLOCK, int LOADS, typename E, typename A>
static __global__ void vector_loads(size_t n, const E *__restrict__ x, A *partials) {
    const A sum = block_sum<BLOCK>(vectors_of_thread<BLOCK, LOADS, A>(n, x));
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <typename E> static size_t vector_chain(size_t n, size_t threads_of_grid, size_t threads_of_block) {
    return ceiling_of(n, threads_of_grid * VECTOR<E>) + 2 + log2_up(VECTOR<E>) + log2_up(threads_of_block);
}

#endif
