/* lane_state.cuh - the methods that follow the canonical order (docs/order.md) on a GPU: what their kernels share.
 *
 * A block takes a group: a run of neighbouring tiles, as many as a power of two says, which is a subtree of the order. Its
 * threads add down the lanes (direct.cuh: from registers; ring.cuh: from shared memory), lay the lanes of a tile in shared
 * memory, and one warp merges them. The total of a group is that of its block; gather.cuh merges those.
 *
 * What is missing, a lane or a tile, is -0 here, whose merge leaves no trace: so all trees are full ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_STATE_CUH
#define QUIRE_CUDA_THREAD_LANE_STATE_CUH

#include "cuda/job.h"

#include "cuda/thread/choices.cuh"
#include "cuda/warp/total.cuh"

template <class Method, class Real> struct lane_state { Real word[Method::words]; };

template <class State> static __device__ __forceinline__ State identity(void) {
    State s;
    for (unsigned w = 0; w < sizeof s.word / sizeof *s.word; w++) s.word[w] = -0.0f;
    return s;
}

template <class Method, class Real>
static __device__ __forceinline__ void merge(lane_state<Method, Real> &into, const lane_state<Method, Real> &from) {
    Method::merge(into.word, from.word);
}

/* Adds the term of an element, or of two. */
template <class Format, class Term, class Method>
static __device__ __forceinline__ void add_term(lane_state<Method, typename Format::real> &lane, typename Format::element x,
                                                typename Format::element y) {
    const auto a = decode(Format(), x), b = Term::is_pair ? decode(Format(), y) : a;
    const auto value = Term::value(a, b);
    Method::add(lane.word, value, Term::error(a, b, value), Term::is_product);
}

/* ----------------------------------------------------------------------------------------------------- trees of a warp */

/* Thread i takes thread i + w of the warp; what threads from w on hold then is of no use. */
template <class Method, class Real> static __device__ __forceinline__ void merge_down(lane_state<Method, Real> &s, int w) {
    lane_state<Method, Real> other;
    for (int i = 0; i < Method::words; i++) other.word[i] = __shfl_xor_sync(WHOLE_WARP, s.word[i], w);
    merge(s, other);
}

/* The tree over count neighbours, one a thread, in thread 0. */
template <class State> static __device__ __forceinline__ State warp_tree(State s, int count) {
    for (int w = 1; w < count; w *= 2) merge_down(s, w);
    return s;
}

/* The total of a tile from its lanes, by a warp, in thread 0: lane j takes lane j + w, w = 128, 64, ... 1. */
template <class State> static __device__ __forceinline__ State tile_total(const State *lanes, int thread) {
    State s[ORDER_LANES / WARP];
#pragma unroll
    for (int k = 0; k < ORDER_LANES / WARP; k++) s[k] = lanes[k * WARP + thread];
#pragma unroll
    for (int w = ORDER_LANES / WARP / 2; w; w /= 2)
#pragma unroll
        for (int k = 0; k < w; k++) merge(s[k], s[k + w]);
#pragma unroll
    for (int w = WARP / 2; w; w /= 2) merge_down(s[0], w);
    return s[0];
}

/* -------------------------------------------------------------------------------------------- a tree that grows by itself
 */

#define TREE_DEPTH 40 /* more tiles than 2^40 do not fit any memory */

/* The tree over totals that come one by one, as a binary counter: entry k, if there, is the total of 2^k. */
template <class State> struct tree_counter { State entry[TREE_DEPTH]; };

/* before: how many have come. */
template <class State> static __device__ void counter_add(tree_counter<State> &counter, unsigned before, State total) {
    int k = 0;
    for (; before & 1; before >>= 1, k++) {
        State left = counter.entry[k];
        merge(left, total);
        total = left;
    }
    counter.entry[k] = total;
}

/* count: at least 1. */
template <class State> static __device__ State counter_total(const tree_counter<State> &counter, unsigned count) {
    int k = 0;
    while (!(count & 1)) count >>= 1, k++;
    State total = counter.entry[k];
    while (count >>= 1) {
        k++;
        if (!(count & 1)) continue;
        State left = counter.entry[k];
        merge(left, total);
        total = left;
    }
    return total;
}

#endif
