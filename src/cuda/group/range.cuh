/* range.cuh - elements side by side as the chunks of 16 bytes that they touch: those at multiples of 16 bytes, of which
 * the first and the last may have elements of others beside them. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_RANGE_CUH
#define QUIRE_CUDA_GROUP_RANGE_CUH

#include "cuda/thread/chunk.cuh"

/* Loads a chunk, if it is wanted; in its place stand zeros that change no sum: -0, or of a second factor +0. */
template <class Format, bool PLUS = false>
static __device__ __forceinline__ void load_chunk(chunk_of<Format> &to, const typename Format::element *p,
                                                  bool wanted) {
    constexpr int size = Format::description.size;
    constexpr uint64_t sign = PLUS ? 0 : Format::description.sign;
    constexpr uint32_t even = size == 8 ? 0
                                        : (uint32_t)sign * (size == 1   ? 0x01010101u
                                                            : size == 2 ? 0x00010001u
                                                                        : 1),
                       odd = size == 8 ? (uint32_t)(sign >> 32) : even; /* words of zeros */
    const uint4 four = wanted ? __ldcs((const uint4 *)p) : make_uint4(even, odd, even, odd);
    to.word[0] = four.x, to.word[1] = four.y, to.word[2] = four.z, to.word[3] = four.w;
}

/* Adds its terms to a sum; or those of two. Signs of short elements are taken off a word at a time. */
template <class Format, class Sums>
static __device__ __forceinline__ void sum_chunk(Sums &sums, chunk_of<Format> chunk, bool magnitude) {
    constexpr bool is_short = Format::description.size < 4;
    typename Format::real x[chunk_elements<Format>];
    if constexpr (is_short && Sums::has_magnitudes) {
        constexpr uint32_t signs = Format::description.size == 1 ? 0x80808080 : 0x80008000;
        const uint32_t keep = magnitude ? ~signs : ~0u;
#pragma unroll
        for (int i = 0; i < 4; i++) chunk.word[i] &= keep;
    }
    decode_chunk(Format(), chunk, x);
    sums.add(x, x, magnitude && !is_short);
}
template <class Format, class Sums>
static __device__ __forceinline__ void sum_chunks(Sums &sums, const chunk_of<Format> &of_x,
                                                  const chunk_of<Format> &of_y) {
    typename Format::real x[chunk_elements<Format>], y[chunk_elements<Format>];
    decode_chunk(Format(), of_x, x);
    decode_chunk(Format(), of_y, y);
    sums.add(x, y, false);
}

#endif
