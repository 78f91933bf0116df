/* stretch.cuh - rows that stand side by side, copied to a block's shared memory as they stand: by chunks of 16 bytes,
 * whether rows begin at these or not. From there a thread reads any of them. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_STRETCH_CUH
#define QUIRE_CUDA_BLOCK_STRETCH_CUH

#include "cuda/group/row_sum.cuh"

/* Starts to copy elements from to to of the n at x, as far behind a chunk's begin as they are there; what stands beside
 * the n is not read. Answers how many elements are before the first of them. By a whole block. */
template <class Format>
static __device__ __forceinline__ unsigned copy_stretch(unsigned char *room, const typename Format::element *x,
                                                        size_t from, size_t to, size_t n) {
    typedef typename Format::element element;
    constexpr int E = chunk_elements<Format>;
    const element *const first = x + from;
    const unsigned beside = (unsigned)((uintptr_t)first % 16 / sizeof(element)), count = (unsigned)(to - from),
                   chunks = (beside + count + E - 1) / E;
    if (from >= beside && from - beside + chunks * E <= n)
        copy_chunks<GROUPS_THREADS>((uint4 *)room, (const uint4 *)(first - beside), chunks, threadIdx.x);
    else
        for (unsigned k = threadIdx.x; k < count; k += GROUPS_THREADS) ((element *)room)[beside + k] = first[k];
    return beside;
}

/* A block's room, the shared memory that its launch has asked for: for a stretch of one array, or of two, with
 * half of it for each. */
template <class Format, bool PAIR> class stretch {
    typedef typename Format::element element;
    unsigned beside_x, beside_y; /* elements before the first */

    static __device__ __forceinline__ unsigned char *room(unsigned i) {
        extern __shared__ __align__(ROWS_CHUNK) unsigned char rooms[];
        return rooms + i * (STRETCH_BYTES / 2);
    }

  public:
    /* Elements from to to of the n at x, when all of them are there. By a whole block, which no longer reads those
     * before. */
    __device__ __forceinline__ stretch(const row_place<Format, PAIR> &x, size_t from, size_t to, size_t n) {
        beside_x = copy_stretch<Format>(room(0), x.x, from, to, n);
        beside_y = PAIR ? copy_stretch<Format>(room(1), x.y, from, to, n) : 0;
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    }
    /* Adds n of these elements, from the k-th on, which stand side by side. */
    template <class Sums> __device__ __forceinline__ void add(Sums &to, unsigned k, unsigned n, bool magnitude) const {
        add_staged<Format, PAIR>(to, (const element *)room(0) + beside_x + k, (const element *)room(1) + beside_y + k,
                                 n, magnitude);
    }

    /* The k-th. */
    __device__ __forceinline__ typename Format::real x_at(unsigned k) const {
        return decode(Format(), ((const element *)room(0))[beside_x + k]);
    }
    __device__ __forceinline__ typename Format::real y_at(unsigned k) const {
        return decode(Format(), ((const element *)room(1))[beside_y + k]);
    }
};

#endif
