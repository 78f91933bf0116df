/* gathered_entries.cuh - a vector whose elements are found through an index, and a thread's loads of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_GATHERED_ENTRIES_CUH
#define QUIRE_CUDA_KERNELS_GATHERED_ENTRIES_CUH

#include "cuda/kernels/calls.cuh"
#include "cuda/thread/lane_elements.cuh"

#define GATHERED_AHEAD 4 /* elements of a thread that are loaded together */

static __device__ __forceinline__ const vectors_job &the_job(const gathered_job &g) { return g.job; }

/* Where a vector's elements are: its entries, and its element of row 0. */
struct gathered_vector {
    int64_t first;
    size_t entries;
    ptrdiff_t x, y;

    __device__ __forceinline__ gathered_vector(const gathered_job &g, size_t v) : first(0), entries(0), x(0), y(0) {
        const vectors_at &at = g.job.at;
        if (v >= g.job.vectors) return;
        const size_t inner = at.x_layout.inner, row = inner == 1 ? v : v / inner, j = inner == 1 ? 0 : v % inner;
        const size_t i = at.x_layout.outer == 1 ? 0 : row / g.segments, s = row - i * g.segments;
        int64_t end = index_at(at.end, at.is_64_bit, s);
        first = index_at(at.begin, at.is_64_bit, s);
        if (!g.x_order && !g.y_order) { /* neighbours: those that there are, however far the segment reaches */
            const size_t rows = g.job.is_pair ? min(at.x_layout.n, at.y_layout.n) : at.x_layout.n;
            first = max(first, (int64_t)0), end = min(end, (int64_t)rows);
        }
        entries = end > first ? (size_t)((uint64_t)end - (uint64_t)first) : 0;
        x = (ptrdiff_t)i * at.x_layout.outer_stride + (ptrdiff_t)j * at.x_layout.inner_stride;
        y = (ptrdiff_t)i * at.y_layout.outer_stride + (ptrdiff_t)j * at.y_layout.inner_stride;
    }
    /* That of another lane of the warp; by a whole warp. */
    __device__ __forceinline__ gathered_vector of_lane(unsigned lane) const {
        gathered_vector v = *this;
        v.first = __shfl_sync(WHOLE_WARP, first, (int)lane), v.entries = __shfl_sync(WHOLE_WARP, entries, (int)lane);
        v.x = __shfl_sync(WHOLE_WARP, x, (int)lane), v.y = __shfl_sync(WHOLE_WARP, y, (int)lane);
        return v;
    }
};

static __device__ __forceinline__ gathered_vector vector_of(const gathered_job &g, size_t v) {
    return gathered_vector(g, v);
}

/* The row that an entry names. */
static __device__ __forceinline__ int64_t row_of(const gathered_job &g, const void *order, int64_t entry) {
    return order ? index_at(order, g.job.at.is_64_bit, (size_t)entry) : entry;
}

/* A thread's elements of a vector, at(0), at(1), ... of those before end. Rows first, then elements, as they stand in
 * memory. Answers whether all of these are there. */
template <class Real, bool PAIR, class At>
static __device__ __forceinline__ bool load_lanes(lane_loads<Real, PAIR> &to, const gathered_job &g,
                                                  const gathered_vector &v, size_t end, At at) {
    const quire_layout &l = g.job.at.x_layout, &m = g.job.at.y_layout;
    ptrdiff_t x[VECTORS_LANES], y[VECTORS_LANES];
    const bool has_y = PAIR && g.job.is_pair;
    unsigned wanted = 0, present = 0;
#pragma unroll
    for (int u = 0; u < VECTORS_LANES; u++) {
        const size_t k = at(u);
        const int64_t entry = (int64_t)((uint64_t)v.first + k);
        wanted |= (unsigned)(k < end) << u;
        x[u] = k < end ? row_of(g, g.x_order, entry) : -1;
        y[u] = has_y && k < end ? row_of(g, g.y_order, entry) : -1;
    }
#pragma unroll
    for (int u = 0; u < VECTORS_LANES; u++) {
        const bool is_there = (uint64_t)x[u] < l.n && (!has_y || (uint64_t)y[u] < m.n);
        present |= (unsigned)is_there << u;
        x[u] = v.x + x[u] * l.stride, y[u] = v.y + y[u] * m.stride;
    }
    to.x.load(g.job, g.job.at.x, x, present, false);
    if (has_y) to.y.load(g.job, g.job.at.y, y, present, true);
    return present == wanted;
}

/* Entries of a thread, which are loaded together: rows first, then elements, as they stand in memory. */
template <bool PAIR> struct gathered_entries {
    ptrdiff_t x[GATHERED_AHEAD], y[PAIR ? GATHERED_AHEAD : 1];
    uint64_t x_bits[GATHERED_AHEAD], y_bits[PAIR ? GATHERED_AHEAD : 1];
    unsigned present; /* a bit each */

    /* Entries k, k + step, ... of a vector. */
    __device__ __forceinline__ void find(const gathered_job &g, const gathered_vector &v, size_t k, size_t step) {
        const quire_layout &l = g.job.at.x_layout, &m = g.job.at.y_layout;
        int64_t row[GATHERED_AHEAD], of_y[PAIR ? GATHERED_AHEAD : 1];
        present = 0;
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            const bool is_there = k + u * step < v.entries;
            const int64_t entry = (int64_t)((uint64_t)v.first + (k + u * step));
            row[u] = is_there ? row_of(g, g.x_order, entry) : -1;
            if (PAIR) of_y[u] = is_there ? row_of(g, g.y_order, entry) : -1;
        }
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            const bool is_there = (uint64_t)row[u] < l.n && (!PAIR || (uint64_t)of_y[PAIR ? u : 0] < m.n);
            present |= (unsigned)is_there << u;
            x[u] = v.x + (ptrdiff_t)row[u] * l.stride;
            if (PAIR) y[u] = v.y + (ptrdiff_t)of_y[u] * m.stride;
        }
    }
    __device__ __forceinline__ void load(const gathered_job &g) {
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            x_bits[u] = present >> u & 1 ? bits_at(g.job.at.x, g.job.log_size, x[u]) : 0;
            if (PAIR) y_bits[u] = present >> u & 1 ? bits_at(g.job.at.y, g.job.log_size, y[u]) : 0;
        }
    }
    __device__ __forceinline__ double number(const gathered_job &g, int u) const {
        const double number = number_of_bits(g.job.type, x_bits[u]);
        return !PAIR && g.job.magnitude ? abs_f64(number) : number;
    }
    __device__ __forceinline__ double other(const gathered_job &g, int u) const {
        return number_of_bits(g.job.type, y_bits[PAIR ? u : 0]);
    }
};

/* Calls use(a, b) for what a thread has of a vector's elements that are there; b: of y. Answers how many. */
template <bool PAIR, class Use>
static __device__ __forceinline__ size_t each_element(const gathered_job &g, const gathered_vector &v, size_t first,
                                                      size_t last, unsigned thread, unsigned threads, Use use) {
    size_t n = 0;
    for (size_t k = first + thread; k < last; k += (size_t)GATHERED_AHEAD * threads) {
        gathered_entries<PAIR> some;
        some.find(g, v, k, threads);
        some.load(g);
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++)
            if (some.present >> u & 1 && k + (size_t)u * threads < last) {
                use(some.number(g, u), PAIR ? some.other(g, u) : 0);
                n++;
            }
    }
    return n;
}

#endif
