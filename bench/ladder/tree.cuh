/* tree.cuh - a block's sum by the halving tree in shared memory, with sequential addressing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_TREE_CUH
#define QUIRE_BENCH_LADDER_TREE_CUH

#include "rung.cuh"

/* Adds tile[0 .. THREADS) until `left` are left, which is a power of two. Every thread of the block calls, each having
 * written its own element; after the call the block has not yet been made to wait for the last step. */
template <typename A> static __device__ __forceinline__ void tree_down_to(int left, A *tile) {
    const int t = threadIdx.x;
    for (int stride = THREADS / 2; stride >= left; stride /= 2) {
        __syncthreads();
        if (t < stride) tile[t] = plus(tile[t], tile[t + stride]);
    }
}

/* The sum; thread 0 alone may use what it gets. */
template <typename A> static __device__ __forceinline__ A tree(A *tile) {
    tree_down_to(1, tile);
    return tile[0];
}

/* A thread's sum of every THREADS-th element of [begin, end). */
template <typename A, typename E>
static __device__ __forceinline__ A strided_sum(size_t begin, size_t end, const E *__restrict__ x) {
    A sum = nothing<A>();
    for (size_t i = begin + threadIdx.x; i < end; i += THREADS) sum = plus(sum, as<A>(x[i]));
    return sum;
}

#endif
