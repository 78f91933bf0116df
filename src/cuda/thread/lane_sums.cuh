/* lane_sums.cuh - a thread's lanes of the canonical order (docs/order.md), COUNT of the 256 of a tile: stretches of E
 * lanes side by side, as many as one load brings. Where G threads share a vector, thread t has lanes E t to E t + E -
 * 1, and those that stand E G further, and so on. All that a method wants is its state's arithmetic.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_SUMS_CUH
#define QUIRE_CUDA_THREAD_LANE_SUMS_CUH

#include "cuda/device/warp.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/choices.cuh"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/tile_tree.cuh"

/* The state of one lane, or of a tree of them. What is missing, a lane or a tile, is -0, whose merge leaves no trace:
 * so all trees are full ones. */
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

template <class Format, class Method, int COUNT = VECTORS_LANES> struct lane_sums {
    typedef typename Format::real real;
    real state[COUNT][Method::words];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            for (int w = 0; w < Method::words; w++) state[i][w] = (real)-0.0;
    }

    /* The terms of E numbers, to the lanes from "lane" on. FIRST: they are a lane's first: the term is its sum, and
     * what the term has lost is the second word, of a method that has one (method/methods.h says that its zeros do not
     * show). */
    template <bool FIRST, bool PRODUCT, int E>
    __device__ __forceinline__ void add_numbers(int lane, const real (&x)[E], const real (&y)[E], bool magnitude) {
        typedef element_term<Format, PRODUCT> term;
#pragma unroll
        for (int i = 0; i < E; i++) {
            const real value = term::value(x[i], y[i], magnitude), error = term::error(x[i], y[i], value);
            if constexpr (FIRST) {
                state[lane + i][0] = value;
                for (int w = 1; w < Method::words; w++) state[lane + i][w] = PRODUCT ? error : (real)0;
            } else {
                Method::add(state[lane + i], value, error, PRODUCT);
            }
        }
    }

    /* Of the first OWN states each pair whose lanes stand apart, from OWN / 2 down to LEAST. */
    template <int OWN, int LEAST> __device__ __forceinline__ void fold_own() {
        if constexpr (OWN / 2 >= LEAST && OWN > 1) {
#pragma unroll
            for (int i = 0; i < OWN / 2; i++) Method::merge(state[i], state[i + OWN / 2]);
            fold_own<OWN / 2, LEAST>();
        }
    }
    /* The same with another thread's, by both partners. A lane is merged into one before it: of two sums the first one
     * is the lower thread's, for where a TwoSum has an error that overflows the other way round may have none (Boldo,
     * Graillat and Muller 2017). Of all else the order does not show. */
    __device__ __forceinline__ void merge_other(int i, real (&other)[Method::words], bool is_upper) {
        if (Method::words > 1 && is_upper) {
            const real mine = state[i][0];
            state[i][0] = other[0], other[0] = mine;
        }
        Method::merge(state[i], other);
    }
    /* Those of the threads that stand apart. */
    template <int OWN> __device__ __forceinline__ void fold_with(unsigned thread, unsigned apart) {
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            real other[Method::words];
            for (int w = 0; w < Method::words; w++) other[w] = __shfl_xor_sync(WHOLE_WARP, state[i][w], apart);
            merge_other(i, other, thread & apart);
        }
    }
    /* The same, but each of the partners merges one half of the lanes. */
    template <int OWN> __device__ __forceinline__ void share_with(unsigned thread, unsigned apart) {
        const bool has_upper = thread & apart;
#pragma unroll
        for (int i = 0; i < OWN / 2; i++) {
            real other[Method::words];
            for (int w = 0; w < Method::words; w++) {
                const real lower = state[i][w], upper = state[i + OWN / 2][w];
                other[w] = __shfl_xor_sync(WHOLE_WARP, has_upper ? lower : upper, apart);
                state[i][w] = has_upper ? upper : lower;
            }
            merge_other(i, other, has_upper);
        }
    }
};

/* Folds the lanes of several vectors in step, so that none waits for the exchanges of another. */
template <int E, class Lanes, int COUNT> struct lane_folds {
    Lanes (&of)[COUNT];
    unsigned thread, threads;

    /* What stretches of E lanes, of which OWN are still this thread's, come to: first the stretches are merged, then
     * what is left of one, by the threads that share it. */
    template <int OWN> __device__ __forceinline__ void stretches(unsigned apart) {
        if constexpr (OWN > 1)
            if (apart) {
#pragma unroll
                for (int v = 0; v < COUNT; v++) of[v].template share_with<OWN>(thread, apart);
                stretches<OWN / 2>(apart / 2);
                return;
            }
        for (; apart; apart /= 2) with<OWN>(apart);
        apart = threads / 2;
#pragma unroll
        for (int lanes = E; lanes > OWN; lanes /= 2, apart /= 2) with<OWN>(apart);
#pragma unroll
        for (int v = 0; v < COUNT; v++) of[v].template fold_own<OWN, 1>();
    }
    template <int OWN> __device__ __forceinline__ void with(unsigned apart) {
#pragma unroll
        for (int v = 0; v < COUNT; v++) of[v].template fold_with<OWN>(thread, apart);
    }
};

/* The tile's state, in state[0] of all threads that share the vector: merges of lanes 128 apart first, then of 64, down
 * to 1. Of COUNT vectors; by whole warps. */
template <int E, class Format, class Method, int LANES, int COUNT>
static __device__ __forceinline__ void fold_lanes(lane_sums<Format, Method, LANES> (&of)[COUNT], unsigned thread,
                                                  unsigned threads) {
#pragma unroll
    for (int v = 0; v < COUNT; v++) of[v].template fold_own<LANES, E>();
    lane_folds<E, lane_sums<Format, Method, LANES>, COUNT>{ of, thread, threads }.template stretches<E>(threads / 2);
}

#endif
