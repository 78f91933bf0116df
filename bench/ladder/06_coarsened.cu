/* 06 - Thread coarsening.
 *
 * Mends rung 5's overhead: the tree, its eight barriers and the atomic are paid once for 4096 elements, not for 512,
 * because each thread first adds 16 by itself, without asking anyone. The price: a chain of 16 additions where the tree
 * had 4, and an eighth of the blocks: a small n no longer fills the chip.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree.cuh"

constexpr size_t EACH = 16, SPAN = EACH * THREADS;

template <typename E, typename A> static __global__ void coarsened(size_t n, const E *x, A *total) {
    __shared__ A tile[THREADS];
    const size_t begin = blockIdx.x * SPAN, end = n - begin < SPAN ? n : begin + SPAN;
    tile[threadIdx.x] = strided_sum<A>(begin, end, x);
    const A sum = tree(tile);
    if (threadIdx.x == 0) add_to(total, sum);
}

namespace { /* every rung has a step of its own */
struct step {
    static size_t blocks(size_t n) { return ceiling_of(n, SPAN); }
    static size_t chain(size_t n) { return EACH + log2_up(THREADS) + blocks(n); }
    template <typename E, typename A> static void launch(size_t n, const E *x, A *total, cudaStream_t stream) {
        coarsened<<<(unsigned)blocks(n), THREADS, 0, stream>>>(n, x, total);
    }
};
template <typename E, typename A> using kind = adding<step, E, A>;
} // namespace
const rung rung_06 = rung_of<kind>();
