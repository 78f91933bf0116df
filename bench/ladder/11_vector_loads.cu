/* 11 - Vector loads: four floats or eight halves at a time.
 *
 * Mends the number of instructions: 16 bytes a load, so that a warp asks for 512 bytes at once, and four loads of a
 * thread make 64 bytes in flight. It matters most for half, whose loads were two bytes each. The price: x may begin
 * anywhere, so the elements up to the first address divisible by 16, and what is left at the end, are taken one by one;
 * and with them the order, and so the bits, depend on where the array happens to begin.
 *
 * SPDX-License-Identifier: MIT
 */
#include "vector.cuh"

constexpr int LOADS = 4;

namespace { /* every rung has a step of its own */
struct step {
    template <typename E> static unsigned blocks(size_t n) {
        return some_blocks(n, (size_t)THREADS * LOADS * VECTOR<E>, 2048 / THREADS);
    }
    template <typename E> static size_t chain(size_t n, unsigned blocks) {
        return vector_chain<E>(n, (size_t)blocks * THREADS, THREADS);
    }
    template <typename E, typename A>
    static void launch(unsigned blocks, size_t n, const E *x, A *partials, cudaStream_t stream) {
        vector_loads<THREADS, LOADS><<<blocks, THREADS, 0, stream>>>(n, x, partials);
    }
};
template <typename E, typename A> using kind = two_launches<step, E, A>;
} // namespace
const rung rung_11 = rung_of<kind>();
