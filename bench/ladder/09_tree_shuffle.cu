/* 09 - The shared-memory tree down to 64, then one warp's shuffle: 256 threads, 32,768 elements a block.
 *
 * Takes the best of both: two steps in shared memory, where whole warps drop out, then one warp adds the last 64 in
 * registers, and one atomic for 32,768 elements. The price: 128 additions in a row in each thread, and a block for each
 * 32,768 elements: below some millions of them many multiprocessors stay idle, and the last blocks keep the chip
 * waiting.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shuffle.cuh"
#include "tree.cuh"

constexpr size_t SPAN = 32768;

template <typename E, typename A> static __global__ void tree_shuffle(size_t n, const E *x, A *total) {
    __shared__ A tile[THREADS];
    const int t = threadIdx.x;
    const size_t begin = blockIdx.x * SPAN;
    tile[t] = strided_sum<A>(begin, n - begin < SPAN ? n : begin + SPAN, x);
    tree_down_to(64, tile);
    __syncthreads();
    if (t >= WARP) return; /* whole warps */
    const A sum = warp_sum(plus(tile[t], tile[t + WARP]));
    if (t == 0) add_to(total, sum);
}

namespace { /* every rung has a step of its own */
struct step {
    static size_t blocks(size_t n) { return ceiling_of(n, SPAN); }
    static size_t chain(size_t n) { return SPAN / THREADS + log2_up(THREADS) + blocks(n); }
    template <typename E, typename A> static void launch(size_t n, const E *x, A *total, cudaStream_t stream) {
        tree_shuffle<<<(unsigned)blocks(n), THREADS, 0, stream>>>(n, x, total);
    }
};
template <typename E, typename A> using kind = adding<step, E, A>;
} // namespace
const rung rung_09 = rung_of<kind>();
