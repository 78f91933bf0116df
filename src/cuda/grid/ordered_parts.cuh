/* ordered_parts.cuh - parts of vectors by a method of the canonical order, each a subtree: each leaves its state in a
 * place, and the last of a vector's to end brings all of these together. No part waits for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_ORDERED_PARTS_CUH
#define QUIRE_CUDA_GRID_ORDERED_PARTS_CUH

#include "cuda/grid/vector_source.cuh"
#include "cuda/thread/lane_sums.cuh"

#define PARTS_AT_ONCE 8 /* whose states a thread loads together */

/* A vector's number; of how many elements; where its parts leave their states, how many there are, and where those that
 * have ended are counted. */
struct ordered_whole {
    size_t number, n;
    part_state *place;
    unsigned parts, *ended;
};

/* The result of a vector from its parts, by a warp: a lane takes neighbouring parts, a subtree, and lanes merge with
 * their neighbours. MAY_MISS: a part may have met an element that is not there; then the result is marked. */
template <class Real, class Method, bool MAY_MISS>
static __device__ __noinline__ void finish_parts(const vectors_job &job, const ordered_whole &its, unsigned lane) {
    unsigned each = 1;
    while (each * WARP < its.parts) each *= 2;
    const unsigned end = min((lane + 1) * each, its.parts);
    Real state[Method::words];
    bool misses = false;
    tile_tree<Real, Method, 32> tree;
    tree.tiles = 0;
    for (int i = 0; i < Method::words; i++) state[i] = (Real)-0.0;
    for (unsigned first = lane * each; first < end; first += PARTS_AT_ONCE) {
        constexpr int WORDS = Method::words + MAY_MISS;
        double word[PARTS_AT_ONCE][WORDS];
#pragma unroll
        for (int u = 0; u < PARTS_AT_ONCE; u++)
            for (int i = 0; i < WORDS; i++) word[u][i] = __ldcg(&its.place[min(first + u, end - 1)].word[i]);
#pragma unroll
        for (int u = 0; u < PARTS_AT_ONCE; u++) {
            if (first + u >= end) break;
            for (int i = 0; i < Method::words; i++) state[i] = (Real)word[u][i];
            if (MAY_MISS) misses |= word[u][WORDS - 1] != 0;
            tree.add(state);
        }
    }
    if (tree.tiles) tree.total(state);
    __syncwarp();
    for (unsigned apart = 1; apart < WARP; apart *= 2) {
        Real other[Method::words];
        for (int i = 0; i < Method::words; i++) other[i] = __shfl_xor_sync(WHOLE_WARP, state[i], apart);
        Method::merge(state, other);
    }
    misses = MAY_MISS && __any_sync(WHOLE_WARP, misses);
    if (lane == 0 && misses)
        mark_result(job, its.number);
    else if (lane == 0)
        store_ordered<Method>(job, its.number, its.n, state[0], state[Method::words - 1]);
}

/* The state of a part, which a thread has if has_one; by whole warps. */
template <class Real, class Method, bool MAY_MISS>
static __device__ __noinline__ void end_parts(const vectors_job &job, const ordered_whole &its, unsigned part,
                                              const Real (&state)[Method::words], bool misses, bool has_one,
                                              unsigned lane) {
    bool is_last = false;
    if (has_one) {
        part_state *const to = &its.place[part];
        for (int i = 0; i < Method::words; i++) to->word[i] = state[i];
        if (MAY_MISS) to->word[Method::words] = misses;
        __threadfence();
        is_last = atomicAdd(its.ended, 1u) == its.parts - 1;
        if (is_last) *its.ended = 0;
    }
    for (unsigned those = __ballot_sync(WHOLE_WARP, is_last); those; those &= those - 1) {
        const int from = __ffs((int)those) - 1;
        const ordered_whole one = { __shfl_sync(WHOLE_WARP, its.number, from), __shfl_sync(WHOLE_WARP, its.n, from),
                                    (part_state *)__shfl_sync(WHOLE_WARP, (uintptr_t)its.place, from),
                                    __shfl_sync(WHOLE_WARP, its.parts, from), NULL };
        __threadfence();
        finish_parts<Real, Method, MAY_MISS>(job, one, lane);
        __syncwarp();
    }
}

#endif
