/* 04 - The first addition during the load; and beside it, bank conflicts.
 *
 * Mends rung 3's idle half: each thread loads two elements and adds them on the way into shared memory, so that half as
 * many blocks do the same work. The price: none. Still every launch leaves 1/512 of its input for another launch.
 *
 * The variant shows what sequential addressing is for when the memory is shared: neighbours are added first, by the
 * first threads (no divergence), at indices 2 stride apart. Shared memory has 32 banks of 4 bytes; lanes whose
 * addresses differ by a multiple of 128 bytes meet in one bank and are served one after the other: two at stride 1,
 * four at 2, eight at 4, then ever fewer lanes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree.cuh"

template <typename E, typename A> static __device__ __forceinline__ A pair_sum(size_t n, const E *x) {
    const size_t i = blockIdx.x * (size_t)(2 * THREADS) + threadIdx.x;
    const A first = i < n ? as<A>(x[i]) : nothing<A>();
    return i + THREADS < n ? plus(first, as<A>(x[i + THREADS])) : first;
}

template <typename E, typename A> static __global__ void first_add(size_t n, const E *x, A *partials, float *result) {
    __shared__ A tile[THREADS];
    tile[threadIdx.x] = pair_sum<E, A>(n, x);
    const A sum = tree(tile);
    if (threadIdx.x == 0) leave(sum, partials, result);
}

template <typename E, typename A>
static __global__ void bank_conflicts(size_t n, const E *x, A *partials, float *result) {
    __shared__ A tile[THREADS];
    tile[threadIdx.x] = pair_sum<E, A>(n, x);
    for (int stride = 1; stride < THREADS; stride *= 2) {
        const int at = 2 * stride * threadIdx.x;
        __syncthreads();
        if (at < THREADS) tile[at] = plus(tile[at], tile[at + stride]);
    }
    if (threadIdx.x == 0) leave(tile[0], partials, result);
}

namespace { /* every rung has a step of its own */
template <bool CONFLICTS> struct step {
    static constexpr size_t span = 2 * THREADS;
    static size_t scratch(size_t) { return 0; }
    template <typename E, typename A>
    static void launch(unsigned blocks, size_t n, const E *x, A *, A *partials, float *result, cudaStream_t stream) {
        if (CONFLICTS)
            bank_conflicts<<<blocks, THREADS, 0, stream>>>(n, x, partials, result);
        else
            first_add<<<blocks, THREADS, 0, stream>>>(n, x, partials, result);
    }
};
template <typename E, typename A> using kind = launches<step<false>, E, A>;
template <typename E, typename A> using conflicts = launches<step<true>, E, A>;
} // namespace
const rung rung_04 = rung_of<kind>();
const rung rung_04_conflicts = rung_of<conflicts>();
