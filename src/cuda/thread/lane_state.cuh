/* lane_state.cuh - the state of a lane, or of a tree of them, by a method of the canonical order (docs/order.md).
 *
 * A block takes a group: a run of neighbouring tiles, as many as a power of two says, which is a subtree of the order.
 * Its threads add down the lanes, lay the lanes of a tile in shared memory, and one warp merges them
 * (kernels/ordered_array.cuh).
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

#endif
