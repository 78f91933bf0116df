/* lane_sums.cuh - a thread's lanes of the canonical order (docs/order.md), of the 256 of a tile: stretches of E lanes
 * side by side, as many as one load brings. Where G threads share a vector, thread t has lanes E t to E t + E - 1, and
 * those that stand E G further, and so on. All that a method wants is its state's arithmetic.
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

    /* Of the first COUNT states each pair whose lanes stand apart, from COUNT / 2 down to LEAST. */
    template <int COUNT, int LEAST> __device__ __forceinline__ void fold_own() {
#pragma unroll
        for (int apart = COUNT / 2; apart >= LEAST; apart /= 2)
#pragma unroll
            for (int i = 0; i < apart; i++) Method::merge(state[i], state[i + apart]);
    }
    /* The same with those of the threads that stand apart. Merging is commutative, so that both partners merge. */
    template <int COUNT> __device__ __forceinline__ void fold_with(unsigned apart) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            real other[Method::words];
            for (int w = 0; w < Method::words; w++) other[w] = __shfl_xor_sync(WHOLE_WARP, state[i][w], apart);
            Method::merge(state[i], other);
        }
    }
    /* The same, but each of the partners merges one half of the lanes. */
    template <int COUNT> __device__ __forceinline__ void share_with(unsigned thread, unsigned apart) {
        const bool has_upper = thread & apart;
#pragma unroll
        for (int i = 0; i < COUNT / 2; i++) {
            real other[Method::words];
            for (int w = 0; w < Method::words; w++) {
                const real lower = state[i][w], upper = state[i + COUNT / 2][w];
                other[w] = __shfl_xor_sync(WHOLE_WARP, has_upper ? lower : upper, apart);
                state[i][w] = has_upper ? upper : lower;
            }
            Method::merge(state[i], other);
        }
    }
    /* What stretches of E lanes, of which COUNT are still this thread's, come to: first the stretches are merged, then
     * what is left of one, by the threads that share it. */
    template <int E, int COUNT>
    __device__ __forceinline__ void fold_stretches(unsigned thread, unsigned threads, unsigned apart) {
        if constexpr (COUNT > 1)
            if (apart) {
                share_with<COUNT>(thread, apart);
                fold_stretches<E, COUNT / 2>(thread, threads, apart / 2);
                return;
            }
        for (; apart; apart /= 2) fold_with<COUNT>(apart);
        apart = threads / 2;
#pragma unroll
        for (int lanes = E; lanes > COUNT; lanes /= 2, apart /= 2) fold_with<COUNT>(apart);
        fold_own<COUNT, 1>();
    }

    /* The tile's state, in state[0] of all threads that share the vector: merges of lanes 128 apart first, then of 64,
     * down to 1. By whole warps. */
    template <int E> __device__ __forceinline__ void fold(unsigned thread, unsigned threads) {
        fold_own<VECTORS_LANES, E>();
        fold_stretches<E, E>(thread, threads, threads / 2);
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
