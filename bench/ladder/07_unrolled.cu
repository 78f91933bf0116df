/* 07 - The last warp unrolled, then everything.
 *
 * Mends the end of rung 6's tree: below 64 elements one warp is left, which needs no barrier of the block. Before Volta
 * its lanes ran in lockstep, and the classic code had no barrier at all; since Volta each lane has its own program
 * counter, and lane t may read slot t + 16 before its owner has written it, or after the owner has overwritten it. So:
 * read, __syncwarp, write, __syncwarp. All 32 lanes take every step; the upper ones add what nobody will use, in slots
 * that exist, which is cheaper than to branch.
 *
 * Fully unrolled, the block size is a template parameter: no loop, no stride to compute, and the steps that a block
 * size has not are not compiled. The price: a kernel for each block size, and a tree that only its author changes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree.cuh"

constexpr size_t EACH = 16, SPAN = EACH * THREADS;

template <int STRIDE, typename A> static __device__ __forceinline__ void warp_step(A *tile, int t) {
    const A sum = plus(tile[t], tile[t + STRIDE]);
    __syncwarp();
    tile[t] = sum;
    __syncwarp();
}

/* tile[0 .. 64) into tile[0]; the first warp alone calls. */
template <typename A> static __device__ __forceinline__ void last_warp(A *tile, int t) {
    warp_step<32>(tile, t);
    warp_step<16>(tile, t);
    warp_step<8>(tile, t);
    warp_step<4>(tile, t);
    warp_step<2>(tile, t);
    warp_step<1>(tile, t);
}

template <int STRIDE, int BLOCK, typename A> static __device__ __forceinline__ void block_step(A *tile, int t) {
    if constexpr (BLOCK >= 2 * STRIDE) {
        if (t < STRIDE) tile[t] = plus(tile[t], tile[t + STRIDE]);
        __syncthreads();
    }
}

template <typename E, typename A> static __device__ __forceinline__ A segment_sum(size_t n, const E *x) {
    const size_t begin = blockIdx.x * SPAN;
    return strided_sum<A>(begin, n - begin < SPAN ? n : begin + SPAN, x);
}

template <typename E, typename A> static __global__ void last_warp_unrolled(size_t n, const E *x, A *total) {
    __shared__ A tile[THREADS];
    tile[threadIdx.x] = segment_sum<E, A>(n, x);
    tree_down_to(64, tile);
    __syncthreads();
    if (threadIdx.x >= WARP) return;
    last_warp(tile, threadIdx.x);
    if (threadIdx.x == 0) add_to(total, tile[0]);
}

template <int BLOCK, typename E, typename A> static __global__ void fully_unrolled(size_t n, const E *x, A *total) {
    __shared__ A tile[BLOCK];
    const int t = threadIdx.x;
    tile[t] = segment_sum<E, A>(n, x);
    __syncthreads();
    block_step<512, BLOCK>(tile, t);
    block_step<256, BLOCK>(tile, t);
    block_step<128, BLOCK>(tile, t);
    block_step<64, BLOCK>(tile, t);
    if (t >= WARP) return;
    last_warp(tile, t);
    if (t == 0) add_to(total, tile[0]);
}

namespace { /* every rung has a step of its own */
template <bool UNROLLED> struct step {
    static size_t blocks(size_t n) { return ceiling_of(n, SPAN); }
    static size_t chain(size_t n) { return EACH + log2_up(THREADS) + blocks(n); }
    template <typename E, typename A> static void launch(size_t n, const E *x, A *total, cudaStream_t stream) {
        if (UNROLLED)
            fully_unrolled<THREADS><<<(unsigned)blocks(n), THREADS, 0, stream>>>(n, x, total);
        else
            last_warp_unrolled<<<(unsigned)blocks(n), THREADS, 0, stream>>>(n, x, total);
    }
};
template <typename E, typename A> using kind = adding<step<false>, E, A>;
template <typename E, typename A> using unrolled = adding<step<true>, E, A>;
} // namespace
const rung rung_07 = rung_of<kind>();
const rung rung_07_unrolled = rung_of<unrolled>();
