/* 01 - One thread a pair, interleaved addressing in global memory.
 *
 * The first idea: thread t adds elements 2t and 2t + 1, then every second thread adds its neighbour's sum, every
 * fourth, and so on. What it has: any n, no other memory than the global one. What it costs: in each step the threads
 * that still add are spread over all warps, so that every warp goes through every step with ever fewer of its lanes at
 * work; their addresses are ever further apart, so that a 32-byte sector is fetched for four bytes; and each step reads
 * and writes memory and waits for all.
 *
 *     slots   0 1 2 3 4 5 6 7        step 1: 0+1  2+3  4+5  6+7       step 2: 0+2  4+6       step 4: 0+4
 *
 * x is not ours to write, so the first addition goes into slots of the workspace, one a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rung.cuh"

template <typename E, typename A>
static __global__ void interleaved(size_t n, const E *x, A *slots, A *partials, float *result) {
    const size_t slot = blockIdx.x * (size_t)THREADS + threadIdx.x, i = 2 * slot, filled = (n + 1) / 2;
    if (slot < filled) slots[slot] = i + 1 < n ? plus(as<A>(x[i]), as<A>(x[i + 1])) : as<A>(x[i]);
    for (int stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads(); /* also makes the block's writes seen in the block */
        if (threadIdx.x % (2 * stride) == 0 && slot + stride < filled)
            slots[slot] = plus(slots[slot], slots[slot + stride]);
    }
    if (threadIdx.x == 0) leave(n ? slots[slot] : nothing<A>(), partials, result);
}

namespace { /* every rung has a step of its own */
struct step {
    static constexpr size_t span = 2 * THREADS;
    static size_t scratch(size_t blocks) { return blocks * THREADS; }
    template <typename E, typename A>
    static void launch(unsigned blocks, size_t n, const E *x, A *slots, A *partials, float *result,
                       cudaStream_t stream) {
        interleaved<<<blocks, THREADS, 0, stream>>>(n, x, slots, partials, result);
    }
};
template <typename E, typename A> using kind = launches<step, E, A>;
} // namespace
const rung rung_01 = rung_of<kind>();
