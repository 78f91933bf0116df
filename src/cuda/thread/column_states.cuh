/* column_states.cuh - a lane of the canonical order (docs/order.md) for each of the columns that stand side by side in
 * a chunk, and how the lanes that a thread takes one after the other merge.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_COLUMN_STATES_CUH
#define QUIRE_CUDA_THREAD_COLUMN_STATES_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/chunk.cuh"

template <class Format, class Method> struct column_states {
    typedef typename Format::real real;
    static constexpr int E = chunk_elements<Format>;
    real of[E][Method::words];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int e = 0; e < E; e++)
            for (int w = 0; w < Method::words; w++) of[e][w] = (real)-0.0;
    }
    /* One row; of magnitudes without its signs. */
    template <bool PRODUCT> __device__ __forceinline__ void add(const chunk_of<Format> &x, const chunk_of<Format> &y) {
        typedef element_term<Format, PRODUCT> term;
        real a[E], b[E];
        decode_chunk(Format(), x, a);
        if constexpr (PRODUCT) decode_chunk(Format(), y, b);
#pragma unroll
        for (int e = 0; e < E; e++) {
            const real other = PRODUCT ? b[e] : a[e], value = term::value(a[e], other, false);
            Method::add(of[e], value, term::error(a[e], other, value), PRODUCT);
        }
    }
    /* Lanes that come behind these. */
    __device__ __forceinline__ void merge(const column_states &others) {
#pragma unroll
        for (int e = 0; e < E; e++) Method::merge(of[e], others.of[e]);
    }
};

/* A thread's lanes stand evenly apart, a power of two of them, and it takes them in bit-reversed turns. Those of turns
 * 0 and 1 are then the first that the order merges, as are those of 2 and 3, and then the two pairs: a binary counter,
 * in memory of the thread's own. */
template <class States> struct lane_counter {
    States waiting[PANEL_LANES_LOG + 1];

    /* What the lanes of turn number "turn" come to; becomes what is known of all, after the last. */
    __device__ __forceinline__ void add(unsigned turn, States &sum) {
        unsigned b = 0;
#pragma unroll 1
        for (; turn & 1; turn >>= 1, b++) {
            States left = waiting[b];
            left.merge(sum);
            sum = left;
        }
        waiting[b] = sum;
    }
};

/* The same of 2^LOG lanes, in registers. */
template <class States, int LOG> struct lane_group {
    States waiting[LOG];

    __device__ __forceinline__ void add(unsigned turn, States &sum) {
#pragma unroll
        for (unsigned b = 0; b < LOG; b++) {
            if (!(turn >> b & 1)) {
                waiting[b] = sum;
                return;
            }
            States left = waiting[b];
            left.merge(sum);
            sum = left;
        }
    }
};

#endif
