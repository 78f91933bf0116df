/* 02 - Sequential addressing, no divergence.
 *
 * Mends rung 1's warps: in each step the threads that still add are the first ones, side by side, and their addresses
 * too. Whole warps drop out instead of lanes (only the last five steps divide a warp), and every access is coalesced.
 * The price: none; but each step still goes through global memory.
 *
 *     slots   0 1 2 3 4 5 6 7        step 4: 0+4  1+5  2+6  3+7       step 2: 0+2  1+3       step 1: 0+1
 *
 * SPDX-License-Identifier: MIT
 */
#include "rung.cuh"

template <typename E, typename A>
static __global__ void sequential(size_t n, const E *x, A *slots, A *partials, float *result) {
    const size_t base = blockIdx.x * (size_t)(2 * THREADS), i = base + threadIdx.x;
    const int t = threadIdx.x, filled = n - base < THREADS ? (int)(n - base) : THREADS;
    A *slot = slots + blockIdx.x * (size_t)THREADS;
    if (t < filled) slot[t] = i + THREADS < n ? plus(as<A>(x[i]), as<A>(x[i + THREADS])) : as<A>(x[i]);
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride && t + stride < filled) slot[t] = plus(slot[t], slot[t + stride]);
    }
    if (t == 0) leave(n ? slot[0] : nothing<A>(), partials, result);
}

namespace { /* every rung has a step of its own */
struct step {
    static constexpr size_t span = 2 * THREADS;
    static size_t scratch(size_t blocks) { return blocks * THREADS; }
    template <typename E, typename A>
    static void launch(unsigned blocks, size_t n, const E *x, A *slots, A *partials, float *result,
                       cudaStream_t stream) {
        sequential<<<blocks, THREADS, 0, stream>>>(n, x, slots, partials, result);
    }
};
template <typename E, typename A> using kind = launches<step, E, A>;
} // namespace
const rung rung_02 = rung_of<kind>();
