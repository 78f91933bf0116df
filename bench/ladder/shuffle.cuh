/* shuffle.cuh - sums through the registers of a warp.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_SHUFFLE_CUH
#define QUIRE_BENCH_LADDER_SHUFFLE_CUH

#include "rung.cuh"

/* The sum of a warp; lane 0 alone may use what it gets. Two kinds of absent lane:
 *   - Beyond the warp's end (lane 31 asks for lane 47): the shuffle gives the asking lane its own value, and that lane
 * adds itself to itself. No such sum reaches lane 0, which at distance d asks for lane d, and lane d is right as long
 * as d is.
 *   - Not in the mask, or gone: what a shuffle reads from it is undefined. So nobody goes: blocks are whole warps, a
 * lane without elements stays and brings +0, and all 32 call, with the full mask. A warp that lost lanes by an early
 * return, or asked
 *     __activemask who is there, would be wrong now and then, on some chips. */
template <typename A> static __device__ __forceinline__ A warp_sum(A sum) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        sum = plus(sum, __shfl_down_sync(ALL_LANES, sum, distance));
    return sum;
}

/* The sum of a block in two levels: each warp's, then one warp takes those of all, with +0 from the warps a block has
 * not. Thread 0 alone may use what it gets. */
template <int BLOCK, typename A> static __device__ __forceinline__ A block_sum(A sum) {
    static_assert(BLOCK % WARP == 0 && BLOCK <= WARP * WARP, "whole warps, and one warp for their sums");
    __shared__ A warps[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    sum = warp_sum(sum);
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) sum = warp_sum(lane < BLOCK / WARP ? warps[lane] : nothing<A>());
    return sum;
}

/* -------------------------------------------------------------------- rungs 10 to 12: partial results, two launches */

constexpr int LAST_THREADS = 256, MOST_PARTIALS = 1 << 16;

template <typename A> static __global__ void last_launch(int blocks, const A *partials, float *result) {
    A sum = nothing<A>();
    for (int i = threadIdx.x; i < blocks; i += LAST_THREADS) sum = plus(sum, partials[i]);
    sum = block_sum<LAST_THREADS>(sum);
    if (threadIdx.x == 0) *result = as<float>(sum);
}

static inline size_t last_chain(size_t blocks) { return ceiling_of(blocks, LAST_THREADS) + log2_up(LAST_THREADS); }

/* STEP has blocks(n), chain(n) of the first launch, and launch. */
template <typename STEP, typename E, typename A> struct two_launches {
    static constexpr int is_by_chance = 0;
    static size_t workspace(size_t) { return MOST_PARTIALS * sizeof(A); }
    static size_t chain(size_t n) {
        const unsigned blocks = STEP::template blocks<E>(n);
        return STEP::template chain<E>(n, blocks) + last_chain(blocks);
    }
    static cudaError_t enqueue(size_t n, const E *x, unsigned char *workspace, float *result, cudaStream_t stream) {
        const unsigned most = STEP::template blocks<E>(n), blocks = most < MOST_PARTIALS ? most : MOST_PARTIALS;
        A *partials = (A *)workspace;
        STEP::template launch<E, A>(blocks, n, x, partials, stream);
        last_launch<<<1, LAST_THREADS, 0, stream>>>((int)blocks, partials, result);
        return cudaGetLastError();
    }
};

#endif
