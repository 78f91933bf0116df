/* stretch.cuh - elements that stand side by side, copied to shared memory as they stand: by chunks of 16 bytes, whether
 * vectors begin at these or not. From there a thread reads any of them. By a block, or by a warp. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_STRETCH_CUH
#define QUIRE_CUDA_BLOCK_STRETCH_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/group/row_sum.cuh"

/* How many elements stand beside some: so many may be read, too. */
struct elements_beside {
    size_t before, behind;
};

/* Starts to copy n elements, as far behind a chunk's begin as they are there. Answers how many elements are before the
 * first of them. By THREADS threads. */
template <unsigned THREADS, class Element>
static __device__ __forceinline__ unsigned copy_stretch(unsigned char *room, const Element *x, unsigned n,
                                                        elements_beside more, unsigned thread) {
    constexpr unsigned E = ROWS_CHUNK / sizeof(Element);
    const unsigned first = (unsigned)((uintptr_t)x % ROWS_CHUNK / sizeof(Element)),
                   beside = more.before < E ? first : 0, end = first + n;
    const whole_chunks<Element> whole(x - (first - beside), (more.behind < E ? end : (end + E - 1) / E * E) - beside);
    const unsigned before = (unsigned)whole.before, behind = (unsigned)whole.behind, count = (unsigned)whole.count;
    x -= first; /* where a chunk begins */
    Element *const to = (Element *)room;
    uint4 *at = (uint4 *)(to + beside + before) + thread;
    const uint4 *from = (const uint4 *)(x + beside + before) + thread;
#pragma unroll 4
    for (unsigned c = thread; c < count; c += THREADS, at += THREADS, from += THREADS)
        __pipeline_memcpy_async(at, from, sizeof *at);
    if (thread < before) to[beside + thread] = x[beside + thread];
    if (thread < behind) to[end - behind + thread] = x[end - behind + thread];
    return first;
}

/* How many of n elements each of 2^log threads has that share them in shared memory: an odd number, so that they read
 * different banks; and not as many short ones as nearly fill all banks. */
template <class Format> static __device__ __forceinline__ unsigned share_of(unsigned n, unsigned log) {
    constexpr unsigned size = Format::description.size, more = ROWS_CHUNK / size;
    const unsigned share = ((n + (1u << log) - 1) >> log) | 1;
    return size < 4 && (share * size + ROWS_CHUNK / 2) % (4 * WARP) < ROWS_CHUNK ? share + more : share;
}

/* Elements of one array, or of two. */
template <class Format, bool PAIR> class stretch {
    typedef typename Format::element element;
    const element *x, *y;

  public:
    /* n elements from "from" on, and of those beside them what is quicker to copy than not, copied to rooms of so many
     * bytes, one for each array, when this thread's share is there. By THREADS threads, which wait for each other
     * before they copy, and before they read. */
    template <unsigned THREADS>
    __device__ __forceinline__ void copy(unsigned char *rooms, unsigned bytes, const row_place<Format, PAIR> &from,
                                         unsigned n, elements_beside more, unsigned thread) {
        x = (const element *)rooms + copy_stretch<THREADS>(rooms, from.x, n, more, thread);
        y = PAIR ? (const element *)(rooms + bytes) + copy_stretch<THREADS>(rooms + bytes, from.y, n, more, thread) : x;
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    /* The same in the shared memory that the launch has asked for, by a whole block. */
    __device__ __forceinline__ void copy_to_block(const row_place<Format, PAIR> &from, unsigned n,
                                                  elements_beside more) {
        extern __shared__ __align__(ROWS_CHUNK) unsigned char rooms[];
        copy<GROUPS_THREADS>(rooms, STRETCH_BYTES / 2, from, n, more, threadIdx.x);
        __syncthreads();
    }
    /* Adds n of these elements, from the k-th on, which stand side by side. */
    template <class Sums> __device__ __forceinline__ void add(Sums &to, unsigned k, unsigned n, bool magnitude) const {
        constexpr unsigned E = chunk_elements<Format>;
#pragma unroll 2
        for (; n >= E; n -= E, k += E) load(k).add(to, 0, magnitude);
        if (!n) return;
        row_chunks<Format, PAIR, 1> last = load(k);
        last.keep(n);
        last.add(to, 0, magnitude);
    }

    /* The k-th. */
    __device__ __forceinline__ typename Format::real x_at(unsigned k) const { return decode(Format(), x[k]); }
    __device__ __forceinline__ typename Format::real y_at(unsigned k) const { return decode(Format(), y[k]); }

  private:
    __device__ __forceinline__ row_chunks<Format, PAIR, 1> load(unsigned k) const {
        row_chunks<Format, PAIR, 1> chunk;
        chunk.x[0].template load_stage<false>((const unsigned char *)(x + k));
        if constexpr (PAIR) chunk.y[0].template load_stage<false>((const unsigned char *)(y + k));
        return chunk;
    }
};

#endif
