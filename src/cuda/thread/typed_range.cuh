/* typed_range.cuh - a thread's share of the elements of a vector, or of two, of a type that is known when a kernel is
 * compiled: chunks of 16 bytes where they stand side by side, else one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_TYPED_RANGE_CUH
#define QUIRE_CUDA_THREAD_TYPED_RANGE_CUH

#include "cuda/thread/whole_chunks.cuh"

#define RANGE_LOADS 4 /* of an array, of a thread, that are under way together */

template <class Element> struct typed_range {
    const Element *x, *y; /* where there is one array: the same, as are the steps */
    ptrdiff_t x_step, y_step;
    size_t n;

    /* Whether each element of y is that of x. */
    __device__ __forceinline__ bool is_one() const { return x == y && x_step == y_step; }
    __device__ __forceinline__ bool is_side_by_side() const {
        return x_step == 1 && y_step == 1 && ((uintptr_t)x - (uintptr_t)y) % sizeof(uint4) == 0;
    }
    __device__ __forceinline__ typed_range part(size_t from, size_t most) const {
        return { x + (ptrdiff_t)from * x_step, y + (ptrdiff_t)from * y_step, x_step, y_step, min(n - from, most) };
    }
};

/* 16 bytes of an array. */
template <class Element> struct typed_chunk {
    static constexpr unsigned COUNT = sizeof(uint4) / sizeof(Element);
    Element of[COUNT];

    __device__ __forceinline__ void load(const Element *from) {
        const uint4 words = __ldcs((const uint4 *)from);
        memcpy(of, &words, sizeof of);
    }
};

/* Calls use(x, y) for the thread's elements, one of each array at a time. */
template <class Element, class Use>
static __device__ __forceinline__ void each_single(const typed_range<Element> &r, unsigned thread, unsigned threads,
                                                   Use use) {
    for (size_t k = thread; k < r.n; k += (size_t)RANGE_LOADS * threads) {
        Element x[RANGE_LOADS][1], y[RANGE_LOADS][1];
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++) {
            const size_t at = k + u * (size_t)threads;
            if (at >= r.n) continue;
            x[u][0] = r.x[(ptrdiff_t)at * r.x_step];
            y[u][0] = r.is_one() ? x[u][0] : r.y[(ptrdiff_t)at * r.y_step];
        }
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++)
            if (k + u * (size_t)threads < r.n) use(x[u], y[u]);
    }
}

/* Calls use(x, y) for arrays of as many elements, all of the thread's: of chunks, and one by one of what stands before
 * and behind these. */
template <class Element, class Use>
static __device__ __forceinline__ void each_group(const typed_range<Element> &r, unsigned thread, unsigned threads,
                                                  Use use) {
    typedef typed_chunk<Element> chunk;
    if (!r.is_side_by_side()) return each_single(r, thread, threads, use);
    const whole_chunks<Element> whole(r.x, r.n);
    for (size_t k = thread; k < whole.before + whole.behind; k += threads) {
        const size_t at = k < whole.before ? k : k + whole.count * chunk::COUNT;
        const Element x[1] = { r.x[at] }, y[1] = { r.y[at] };
        use(x, y);
    }
    const Element *x = r.x + whole.before + thread * chunk::COUNT, *y = r.y + whole.before + thread * chunk::COUNT;
    const size_t step = (size_t)threads * chunk::COUNT;
    for (size_t c = thread; c < whole.count; c += (size_t)RANGE_LOADS * threads) {
        const unsigned left = (unsigned)min(whole.count - c, (size_t)RANGE_LOADS * threads);
        chunk of_x[RANGE_LOADS], of_y[RANGE_LOADS];
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++, x += step, y += step) {
            if (u * threads >= left) continue;
            of_x[u].load(x);
            if (r.is_one())
                of_y[u] = of_x[u];
            else
                of_y[u].load(y);
        }
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++)
            if (u * threads < left) use(of_x[u].of, of_y[u].of);
    }
}

#endif
