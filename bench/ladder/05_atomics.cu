/* 05 - Many blocks, one atomicAdd a block (the segmented sum).
 *
 * Mends rung 4's launches: each block sums its segment of 512 and adds it to one address, so there is one kernel and no
 * memory for partial results. The price: blocks finish in any order, and floating-point addition is not associative, so
 * the bits may differ from run to run; all blocks queue at one address; and one accumulator takes n / 512 additions one
 * after the other, where the tree had a logarithm. In half that chain stagnates: 2048 + 1 is 2048. And the hardware's
 * float atomics flush subnormals to zero.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree.cuh"

template <typename E, typename A> static __global__ void segmented(size_t n, const E *x, A *total) {
    __shared__ A tile[THREADS];
    const size_t i = blockIdx.x * (size_t)(2 * THREADS) + threadIdx.x;
    const A first = i < n ? as<A>(x[i]) : nothing<A>();
    tile[threadIdx.x] = i + THREADS < n ? plus(first, as<A>(x[i + THREADS])) : first;
    const A sum = tree(tile);
    if (threadIdx.x == 0) add_to(total, sum);
}

namespace { /* every rung has a step of its own */
struct step {
    static size_t blocks(size_t n) { return ceiling_of(n, 2 * THREADS); }
    static size_t chain(size_t n) { return log2_up(2 * THREADS) + blocks(n); }
    template <typename E, typename A> static void launch(size_t n, const E *x, A *total, cudaStream_t stream) {
        segmented<<<(unsigned)blocks(n), THREADS, 0, stream>>>(n, x, total);
    }
};
template <typename E, typename A> using kind = adding<step, E, A>;
} // namespace
const rung rung_05 = rung_of<kind>();
