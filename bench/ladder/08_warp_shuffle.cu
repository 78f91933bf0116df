/* 08 - A grid-stride loop and the warp shuffle, one atomicAdd a warp.
 *
 * Mends the tree: lanes pass their sums from register to register, so there is no shared memory and no barrier, and
 * five steps instead of eight. The grid is as large as the chip, not as n: each thread strides over the whole array,
 * whatever its length. The price: eight times the atomics of a block's one, as before the bits are chance, and the
 * compiler no longer unrolls the loop, whose stride it does not know: one load of a thread is under way, where rung 6
 * had four.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shuffle.cuh"

template <typename E, typename A> static __global__ void warp_shuffle(size_t n, const E *__restrict__ x, A *total) {
    A sum = nothing<A>();
    const size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += stride) sum = plus(sum, as<A>(x[i]));
    sum = warp_sum(sum); /* the lanes of a warp leave the loop at different times; all come here */
    if (threadIdx.x % WARP == 0) add_to(total, sum);
}

namespace { /* every rung has a step of its own */
struct step {
    static unsigned blocks(size_t n) { return some_blocks(n, THREADS, 2048 / THREADS); }
    static size_t chain(size_t n) {
        const size_t threads = (size_t)blocks(n) * THREADS;
        return ceiling_of(n, threads) + log2_up(WARP) + threads / WARP;
    }
    template <typename E, typename A> static void launch(size_t n, const E *x, A *total, cudaStream_t stream) {
        warp_shuffle<<<blocks(n), THREADS, 0, stream>>>(n, x, total);
    }
};
template <typename E, typename A> using kind = adding<step, E, A>;
} // namespace
const rung rung_08 = rung_of<kind>();
