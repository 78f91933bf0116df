/* row_chunks.cuh - chunks of a vector counted from its first element, wherever that stands: 16 bytes that may begin
 * within those that one load brings, and end in the next. Nothing is read that stands behind the vector's end. They
 * know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_ROW_CHUNKS_CUH
#define QUIRE_CUDA_GROUP_ROW_CHUNKS_CUH

#include "cuda/group/range.cuh"

/* Where a chunk begins, and how many elements the vector has from there on: if there are none, or fewer than none,
 * nothing is to be loaded. is_first: none of the vector's elements stand before it. */
template <class Format> struct chunk_place {
    const typename Format::element *x;
    int left;
    bool is_first;
};

/* Loads the elements that are left of a vector, one by one, into a chunk of zeros. */
template <class Format>
static __device__ __forceinline__ void load_last(chunk_of<Format> &to, const chunk_place<Format> &at) {
#pragma unroll
    for (int i = 0; i < chunk_elements<Format>; i++)
        if (i < at.left) to.of[i] = at.x[i];
}

/* The two times 16 bytes that a chunk is part of. */
template <class Format, bool PLUS> struct chunk_around {
    typedef typename Format::element element;
    static constexpr int E = chunk_elements<Format>;
    chunk_of<Format> first, second;
    unsigned before; /* bytes */

    /* Answers whether all has been loaded that there is: not so where some of the 32 bytes stand beside the vector. */
    __device__ __forceinline__ bool load(const chunk_place<Format> &at) {
        before = (unsigned)((uintptr_t)at.x % 16);
        const int elements = (int)(before / sizeof(element)), needed = elements ? 2 * E - elements : E;
        const bool is_whole = at.left >= needed && !(at.is_first && elements);
        load_chunk<Format, PLUS>(first, at.x - elements, is_whole);
        load_chunk<Format, PLUS>(second, at.x - elements + E, is_whole && elements);
        return is_whole || at.left <= 0;
    }
    __device__ __forceinline__ void cut(chunk_of<Format> &to) const {
        uint32_t w[9];
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = first.word[i], w[4 + i] = second.word[i];
        w[8] = 0;
#pragma unroll
        for (int words = 2; words; words /= 2) /* by as many words, if they are before the chunk */
#pragma unroll
            for (int i = 0; i < 4 + words; i++) w[i] = before & 4 * words ? w[i + words] : w[i];
#pragma unroll
        for (int i = 0; i < 4; i++)
            to.word[i] = sizeof(element) < 4 ? __funnelshift_r(w[i], w[i + 1], 8 * (before & 3)) : w[i];
    }
};

/* Loads chunks, number i from place(i); in place of what is not there stand zeros: -0, or +0 where PLUS. is_aligned:
 * all begin at multiples of 16 bytes. What is loaded one by one comes last, so that nothing waits for it yet. */
template <class Format, bool PLUS, int COUNT, class Place>
static __device__ __forceinline__ void load_chunks(chunk_of<Format> (&chunk)[COUNT], bool is_aligned, bool are_whole,
                                                   Place place) {
    constexpr int E = chunk_elements<Format>;
    if (is_aligned) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) load_chunk<Format, PLUS>(chunk[i], place(i).x, place(i).left >= E);
        if (are_whole) return;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (place(i).left > 0 && place(i).left < E) load_last<Format>(chunk[i], place(i));
        return;
    }
    chunk_around<Format, PLUS> around[COUNT];
    bool is_loaded[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) is_loaded[i] = around[i].load(place(i));
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (!is_loaded[i]) {
            load_last<Format>(around[i].first, place(i));
            around[i].before = 0;
        }
#pragma unroll
    for (int i = 0; i < COUNT; i++) around[i].cut(chunk[i]);
}

#endif
