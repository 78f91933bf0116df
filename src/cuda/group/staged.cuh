/* staged.cuh - elements that are copied to shared memory, and what a thread adds up of them, where they stand side by
 * side and begin anywhere. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_STAGED_CUH
#define QUIRE_CUDA_GROUP_STAGED_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/group/row_sum.cuh"

/* Starts to copy count chunks. By THREADS threads. */
template <unsigned THREADS>
static __device__ __forceinline__ void copy_chunks(uint4 *room, const uint4 *from, unsigned count, unsigned thread) {
    room += thread, from += thread;
#pragma unroll 4
    for (unsigned c = thread; c < count; c += THREADS, room += THREADS, from += THREADS)
        __pipeline_memcpy_async(room, from, sizeof *room);
}

/* How many of n elements each of 2^log threads has that share them in shared memory: an odd number, so that they read
 * different banks; and not as many short ones as nearly fill all banks. */
template <class Format> static __device__ __forceinline__ unsigned share_of(unsigned n, unsigned log) {
    constexpr unsigned size = Format::description.size, more = ROWS_CHUNK / size;
    const unsigned share = ((n + (1u << log) - 1) >> log) | 1;
    return size < 4 && (share * size + ROWS_CHUNK / 2) % (4 * WARP) < ROWS_CHUNK ? share + more : share;
}

/* A chunk from any element in shared memory on; of two arrays two. Room for 16 bytes more must be behind it. */
template <class Format, bool PAIR, class Element>
static __device__ __forceinline__ row_chunks<Format, PAIR, 1> load_staged(const Element *x, const Element *y) {
    row_chunks<Format, PAIR, 1> chunk;
    chunk.x[0].template load_stage<false>((const unsigned char *)x);
    if constexpr (PAIR) chunk.y[0].template load_stage<false>((const unsigned char *)y);
    return chunk;
}
/* Adds n elements in shared memory that stand side by side, or products of two. */
template <class Format, bool PAIR, class Sums, class Element>
static __device__ __forceinline__ void add_staged(Sums &to, const Element *x, const Element *y, unsigned n,
                                                  bool magnitude) {
    constexpr unsigned E = chunk_elements<Format>;
#pragma unroll 2
    for (; n >= E; n -= E, x += E, y += E) load_staged<Format, PAIR>(x, y).add(to, 0, magnitude);
    if (!n) return;
    row_chunks<Format, PAIR, 1> last = load_staged<Format, PAIR>(x, y);
    last.keep(n);
    last.add(to, 0, magnitude);
}

#endif
