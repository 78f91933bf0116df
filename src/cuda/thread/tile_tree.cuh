/* tile_tree.cuh - the tree of the canonical order (docs/order.md) over a vector's tiles.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_TILE_TREE_CUH
#define QUIRE_CUDA_THREAD_TILE_TREE_CUH

#include <stddef.h>

/* The tree over tiles that come one after the other: the states of full subtrees wait for their right neighbours. */
template <class Real, class Method, int LEVELS = 64> struct tile_tree {
    Real waiting[LEVELS][Method::words];
    size_t tiles;

    __device__ __forceinline__ void add(Real (&state)[Method::words]) {
        int level = 0;
        for (size_t count = tiles++; count & 1; count >>= 1, level++) {
            Method::merge(waiting[level], state);
            for (int w = 0; w < Method::words; w++) state[w] = waiting[level][w];
        }
        for (int w = 0; w < Method::words; w++) waiting[level][w] = state[w];
    }
    /* Merges what waits, the smallest subtree, which is the last, first. There is at least one tile. */
    __device__ __forceinline__ void total(Real (&state)[Method::words]) {
        bool is_first = true;
        for (int level = 0; level < LEVELS && tiles >> level; level++) {
            if (!(tiles >> level & 1)) continue;
            if (!is_first) Method::merge(waiting[level], state);
            for (int w = 0; w < Method::words; w++) state[w] = waiting[level][w];
            is_first = false;
        }
    }
};

#endif
