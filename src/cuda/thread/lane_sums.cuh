/* lane_sums.cuh - a thread's lanes of the canonical order (docs/order.md): of the 256 lanes of a tile those that stand
 * G apart, where G threads share a vector: thread t has lanes t, t + G, ... All that a method wants is its state's
 * arithmetic.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_SUMS_CUH
#define QUIRE_CUDA_THREAD_LANE_SUMS_CUH

#include "cuda/device/warp.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

template <class Format, class Method> struct lane_sums {
    typedef typename Format::real real;
    real state[VECTORS_LANES][Method::words];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < VECTORS_LANES; i++)
            for (int w = 0; w < Method::words; w++) state[i][w] = (real)-0.0;
    }

    /* One row of the thread's lanes. */
    template <bool PRODUCT>
    __device__ __forceinline__ void add(const element_group<Format, VECTORS_LANES> &x,
                                        const element_group<Format, VECTORS_LANES> &y, bool magnitude) {
        typedef element_term<Format, PRODUCT> term;
#pragma unroll
        for (int i = 0; i < VECTORS_LANES; i++) {
            const real a = decode(Format(), x.of[i]), b = PRODUCT ? decode(Format(), y.of[i]) : a;
            const real value = term::value(a, b, magnitude);
            Method::add(state[i], value, term::error(a, b, value), PRODUCT);
        }
    }

    /* The thread's own lanes, in state[0]. */
    __device__ __forceinline__ void fold_own() {
#pragma unroll
        for (int apart = VECTORS_LANES / 2; apart; apart /= 2)
#pragma unroll
            for (int i = 0; i < apart; i++) Method::merge(state[i], state[i + apart]);
    }

    /* The tile's state, in state[0] of all threads that share the vector: merges of lanes 128 apart first, then of 64,
     * down to 1. A thread has those that are G or more apart; merging is commutative, so that partners both merge. By
     * whole warps. */
    __device__ __forceinline__ void fold(unsigned threads) {
        fold_own();
        for (unsigned apart = threads / 2; apart; apart /= 2) {
            real other[Method::words];
            for (int w = 0; w < Method::words; w++) other[w] = __shfl_xor_sync(WHOLE_WARP, state[0][w], apart);
            Method::merge(state[0], other);
        }
    }
};

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
