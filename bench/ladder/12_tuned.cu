/* 12 - Tuned block count and size.
 *
 * Rung 11 with the three numbers that it guessed (threads of a block, loads in flight, blocks a multiprocessor) taken
 * from a search: tune.cu times all combinations on the chip in question. The price: the table is right for that chip,
 * the compiler and the sizes that were searched; another grid adds in another order, so tuning changes the bits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "vector.cuh"

struct shape {
    int threads, loads, blocks; /* blocks: of a multiprocessor */
};

/* NVIDIA H200, CUDA 13.0, 2026-11-21: of tune.cu's 120 shapes the one that is never far from the best: within 1.3% of
 * the fastest at 2^24, 2^28 and 2^30 elements, in all three ways. Each way and size has another winner, by less. */
template <typename E, typename A> constexpr shape tuned = { 512, 4, 64 };

namespace {
template <typename A> struct step {
    template <typename E> static unsigned blocks(size_t n) {
        constexpr shape s = tuned<E, A>;
        return some_blocks(n, (size_t)s.threads * s.loads * VECTOR<E>, s.blocks);
    }
    template <typename E> static size_t chain(size_t n, unsigned blocks) {
        return vector_chain<E>(n, (size_t)blocks * tuned<E, A>.threads, tuned<E, A>.threads);
    }
    template <typename E, typename>
    static void launch(unsigned blocks, size_t n, const E *x, A *partials, cudaStream_t stream) {
        constexpr shape s = tuned<E, A>;
        vector_loads<s.threads, s.loads><<<blocks, s.threads, 0, stream>>>(n, x, partials);
    }
};
template <typename E, typename A> using kind = two_launches<step<A>, E, A>;
} // namespace
const rung rung_12 = rung_of<kind>();
