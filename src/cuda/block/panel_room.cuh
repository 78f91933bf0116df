/* panel_room.cuh - states of the canonical order in shared memory, where the threads of a block merge them: rows of
 * them, a power of two, as wide as the block has columns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_PANEL_ROOM_CUH
#define QUIRE_CUDA_BLOCK_PANEL_ROOM_CUH

#include "cuda/thread/choices.cuh"

template <class Real, class Method, int STATES> struct panel_room {
    Real word[Method::words][STATES];

    __device__ __forceinline__ void put(unsigned i, const Real (&state)[Method::words]) {
        for (int w = 0; w < Method::words; w++) word[w][i] = state[w];
    }
    __device__ __forceinline__ void get(unsigned i, Real (&state)[Method::words]) const {
        for (int w = 0; w < Method::words; w++) state[w] = word[w][i];
    }
    /* Merges the lower half of the rows into the upper half, until one is left, which all threads then may read. */
    __device__ __forceinline__ void halve(unsigned rows, unsigned width) {
        for (unsigned apart = rows / 2; apart; apart /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < apart * width; i += blockDim.x) {
                Real state[Method::words], other[Method::words];
                get(i, state), get(i + apart * width, other);
                Method::merge(state, other);
                put(i, state);
            }
        }
        __syncthreads();
    }
};

#endif
