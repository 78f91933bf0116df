/* vectors_parts.cuh - parts of ordered vectors: each leaves its state in a place, and the last of a bundle to end
 * brings them together. No part waits for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_VECTORS_PARTS_CUH
#define QUIRE_CUDA_GRID_VECTORS_PARTS_CUH

#include "cuda/grid/vectors_finish.cuh"
#include "cuda/warp/agents.cuh"

/* The result of a vector from its parts: a lane takes neighbouring parts, a subtree, and lanes merge with their
 * neighbours. */
template <class Format, class Method>
static __device__ __noinline__ void finish_ordered_parts(const vectors_job &job, size_t v, const part_state *place,
                                                         unsigned parts, int lane) {
    typedef typename Format::real real;
    unsigned each = 1;
    while (each * WARP < parts) each *= 2;
    real state[Method::words];
    tile_tree<real, Method> tree;
    tree.tiles = 0;
    for (int i = 0; i < Method::words; i++) state[i] = (real)-0.0;
    for (unsigned p = lane * each; p < parts && p < (lane + 1) * each; p++) {
        for (int i = 0; i < Method::words; i++) state[i] = (real)__ldcg(&place[p].word[i]);
        tree.add(state);
    }
    if (tree.tiles) tree.total(state);
    __syncwarp();
    for (unsigned apart = 1; apart < WARP; apart *= 2) {
        real other[Method::words];
        for (int i = 0; i < Method::words; i++) other[i] = __shfl_xor_sync(WHOLE_WARP, state[i], apart);
        Method::merge(state, other);
    }
    if (lane == 0)
        store_ordered<Method>(job, v, vector_at<Format>(job.at, job.vectors, v).n, state[0], state[Method::words - 1]);
}

/* Whether this is the last of the units to end: all that the others wrote is then seen. By a whole warp. */
static __device__ __forceinline__ bool is_last_unit(unsigned *ended, unsigned units, int lane) {
    unsigned before = 0;
    __threadfence();
    __syncwarp();
    if (lane == 0) before = atomicAdd(ended, 1u);
    const bool is_last = __shfl_sync(WHOLE_WARP, before, 0) == units - 1;
    if (is_last && lane == 0) *ended = 0;
    __threadfence();
    return is_last;
}

/* Part number "part" of "parts", "elements" each, of the vectors that a warp has at once: from first on, in slots from
 * slot on, whose places are those from "places" on. */
template <class Format, class Agent, class Method>
static __device__ __forceinline__ void one_part(const vectors_job &job, size_t first, unsigned threads, size_t slot,
                                                size_t places, unsigned part, size_t elements, unsigned parts,
                                                int lane) {
    vectors_workspace &w = *job.workspace;
    const unsigned group = lane / threads, thread = lane % threads, groups = WARP / threads;
    const bool is_there = first + group < job.vectors;
    const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, first + group);
    const size_t begin = min((size_t)part * elements, at.n), end = min(begin + elements, at.n);
    const vector_total t = Agent::consume(at, begin, end, job.rows, job.magnitude, thread, threads);
    if (thread == 0 && is_there) {
        part_state *to = &w.place[places + group * parts + part];
        for (int i = 0; i < Agent::words; i++) to->word[i] = t.word[i];
    }
    if (!is_last_unit(&w.ended[slot], parts, lane)) return;
    for (unsigned g = 0; g < groups && first + g < job.vectors; g++)
        finish_ordered_parts<Format, Method>(job, first + g, &w.place[places + g * parts], parts, lane);
}

#endif
