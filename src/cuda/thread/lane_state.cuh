/* lane_state.cuh - the methods that follow the canonical order (docs/order.md) on a GPU: the
 * state of a lane, and the tree over tiles that come one by one.
 *
 * A block takes a group: a run of neighbouring tiles, as many as a power of two says, which is a subtree of the order.
 * Its threads add down the lanes (direct.cuh: from registers; ring.cuh: from shared memory), lay the lanes of a tile in
 * shared memory, and one warp merges them. The total of a group is that of its block; gather.cuh merges those.
 *
 * What is missing, a lane or a tile, is -0 here, whose merge leaves no trace: so all trees are full ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_STATE_CUH
#define QUIRE_CUDA_THREAD_LANE_STATE_CUH

#include "cuda/thread/choices.cuh"

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
static __device__ __forceinline__ void add_term(lane_state<Method, typename Format::real> &lane,
                                                typename Format::element x, typename Format::element y) {
    const auto a = decode(Format(), x), b = Term::is_pair ? decode(Format(), y) : a;
    const auto value = Term::value(a, b);
    Method::add(lane.word, value, Term::error(a, b, value), Term::is_product);
}

/* -------------------------------------------------------------------------------------- a tree that grows by itself */

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
