/* 10 - The block's sum in two levels of warp shuffle, several elements a thread, partial results to global memory.
 *
 * Mends the bits: no atomics. Each block leaves its sum in memory, and a second launch of one block adds those in a
 * fixed order, so that a run gives the bits of the run before. (On the same chip, that is: the grid is as large as the
 * chip, and the order follows the grid.) One barrier a block instead of eight; 4 loads of a thread are under way at a
 * time, since what hides the latency of memory is bytes in flight. The price: a second launch, a few microseconds, and
 * memory for partial results.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shuffle.cuh"

constexpr int LOADS = 4;

template <typename E, typename A> static __global__ void two_levels(size_t n, const E *__restrict__ x, A *partials) {
    A sum = nothing<A>();
    const size_t stride = (size_t)gridDim.x * THREADS;
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
        E element[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) element[k] = x[i + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum = plus(sum, as<A>(element[k]));
    }
    for (; i < n; i += stride) sum = plus(sum, as<A>(x[i]));
    sum = block_sum<THREADS>(sum);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

namespace { /* every rung has a step of its own */
struct step {
    template <typename E> static unsigned blocks(size_t n) { return some_blocks(n, THREADS * LOADS, 2048 / THREADS); }
    template <typename E> static size_t chain(size_t n, unsigned blocks) {
        return ceiling_of(n, (size_t)blocks * THREADS) + log2_up(THREADS);
    }
    template <typename E, typename A>
    static void launch(unsigned blocks, size_t n, const E *x, A *partials, cudaStream_t stream) {
        two_levels<<<blocks, THREADS, 0, stream>>>(n, x, partials);
    }
};
template <typename E, typename A> using kind = two_launches<step, E, A>;
} // namespace
const rung rung_10 = rung_of<kind>();
