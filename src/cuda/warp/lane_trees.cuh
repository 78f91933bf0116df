/* lane_trees.cuh - the trees of the canonical order over what the threads of a warp have, and over the lanes of a tile.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_LANE_TREES_CUH
#define QUIRE_CUDA_WARP_LANE_TREES_CUH

#include "cuda/device/warp.cuh"
#include "cuda/thread/lane_state.cuh"

/* Thread i takes thread i + w of the warp; what threads from w on hold then is of no use. */
template <class Method, class Real>
static __device__ __forceinline__ void merge_down(lane_state<Method, Real> &s, int w) {
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

#endif
