/* vector_at.cuh - where a vector stands, by its number: in a layout, or as a segment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_VECTOR_AT_CUH
#define QUIRE_CUDA_WARP_VECTOR_AT_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/any_element.cuh"

template <class Format> struct vector_pair {
    vector_view<Format> x, y;
    size_t n;
};

template <class Format>
static __device__ __forceinline__ vector_view<Format> view_of(const void *x, const quire_layout &l, size_t i,
                                                              size_t j) {
    const ptrdiff_t first = (ptrdiff_t)i * l.outer_stride + (ptrdiff_t)j * l.inner_stride;
    return { (const typename Format::element *)x + first, l.stride };
}

/* The segment of x and y from one element to another; the empty one if that stands before. */
template <class Format>
static __device__ __forceinline__ vector_pair<Format> segment_at(const vectors_at &at, int64_t begin, int64_t end) {
    typedef const typename Format::element *pointer;
    return { { (pointer)at.x + begin, 1 }, { (pointer)at.y + begin, 1 }, end > begin ? (size_t)(end - begin) : 0 };
}

/* Vector v, or the empty one if there is none of this number. */
template <class Format>
static __device__ __forceinline__ vector_pair<Format> vector_at(const vectors_at &at, size_t vectors, size_t v) {
    if (v >= vectors) return segment_at<Format>(at, 0, 0);
    if (at.begin) return segment_at<Format>(at, index_at(at.begin, at.is_64_bit, v), index_at(at.end, at.is_64_bit, v));
    const size_t inner = at.x_layout.inner, i = inner == 1 ? v : v / inner, j = inner == 1 ? 0 : v % inner;
    return { view_of<Format>(at.x, at.x_layout, i, j), view_of<Format>(at.y, at.y_layout, i, j), at.x_layout.n };
}

#endif
