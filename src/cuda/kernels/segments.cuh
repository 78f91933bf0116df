/* segments.cuh - exact sums of segments, whose lengths the device knows: a warp takes 32 at a time, those of a length
 * together. What it cannot tell it marks, for marked.cuh; long ones it puts aside, for vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_SEGMENTS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"

/* Elements that a thread loads at a time, and loads that make an item (row_sums.cuh). */
template <class Format> constexpr int segment_ahead = sizeof(typename Format::element) == 8 ? 4 : 8;
#define SEGMENTS_ITEM 256
static_assert(SEGMENTS_ITEM * 8 < 1 << ROW_ITEM_BITS, "an item has more elements than its sum allows for");

/* How many threads share a segment: short ones one, so that no lane waits for others; long ones a warp. */
static __device__ __forceinline__ unsigned threads_of_segment(size_t n) { return n <= 16 ? 1 : n <= 128 ? 4 : WARP; }

/* A lane's segment; the empty one if there is none of this number. */
template <class Format> struct lane_segment {
    vector_pair<Format> at;
    __device__ __forceinline__ lane_segment(const vectors_job &job, size_t v)
        : at(vector_at<Format>(job.at, job.vectors, v)) {}
    __device__ __forceinline__ vector_pair<Format> of_lane(unsigned lane) const {
        vector_pair<Format> other = at;
        other.x.x = (decltype(other.x.x))__shfl_sync(WHOLE_WARP, (unsigned long long)at.x.x, lane);
        other.y.x = (decltype(other.y.x))__shfl_sync(WHOLE_WARP, (unsigned long long)at.y.x, lane);
        other.n = __shfl_sync(WHOLE_WARP, (unsigned long long)at.n, lane);
        return other;
    }
};

/* Notes a segment that is to be cut, while there is room; answers whether it did. */
static __device__ __forceinline__ bool put_aside(const vectors_job &job, size_t v, size_t n) {
    if (n < LONG_SEGMENT) return false;
    const unsigned at = atomicAdd(&job.workspace->long_segments, 1u);
    if (at < LONG_SEGMENTS) job.workspace->long_segment[at] = v;
    return at < LONG_SEGMENTS;
}

/* Adds a thread's elements of a segment; the next are under way while some are added. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_segment(row_sums<Format, TERMS> &sums, const vector_pair<Format> &at,
                                                   unsigned thread, unsigned threads, bool magnitude) {
    constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
    constexpr int ahead = segment_ahead<Format>;
    element_group<Format, ahead> x, y, next_x, next_y;
    const size_t step = (size_t)threads * ahead;
    auto load = [&](size_t k) {
        next_x.load(at.x, k + thread, threads, at.n, false);
        if (has_pairs) next_y.load(at.y, k + thread, threads, at.n, true);
    };
    unsigned loads = 0;
    if (at.n) load(0);
    for (size_t k = 0; k < at.n; k += step) {
        x = next_x, y = next_y;
        if (at.n - k > step) load(k + step);
        sums.add(x, y, magnitude);
        if (++loads % SEGMENTS_ITEM == 0) sums.close();
    }
    if (loads > SEGMENTS_ITEM) sums.close(); /* only a warp has so many */
}

/* What the lanes' segments of one kind come to, as many at once as fit the warp. order: room for the lanes that have such.
 */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void sum_segments(const vectors_job &job, const lane_segment<Format> &own,
                                                    unsigned threads, bool is_one, uint8_t *order,
                                                    row_words<row_sums<Format, TERMS>> &mine, unsigned lane) {
    const unsigned those = __ballot_sync(WHOLE_WARP, is_one), count = __popc(those), at_once = WARP / threads;
    const unsigned rank = __popc(those & ((1u << lane) - 1)), group = lane / threads;
    if (is_one) order[rank] = (uint8_t)lane;
    __syncwarp();
    for (unsigned first = 0; first < count; first += at_once) {
        const bool is_there = first + group < count;
        vector_pair<Format> at = own.of_lane(is_there ? order[first + group] : 0);
        if (!is_there) at.n = 0;
        row_sums<Format, TERMS> sums;
        sums.clear();
        add_segment<Format, TERMS>(sums, at, lane % threads, threads, job.magnitude);
        __syncwarp();
        sums.merge(threads);
        mine.keep(sums, is_one && rank - first < at_once, (int)((rank - first) % at_once * threads));
    }
    __syncwarp();
}

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(VECTORS_THREADS, SEGMENTS_BLOCKS)
    segments_kernel(const __grid_constant__ vectors_job job) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    __shared__ uint8_t orders[VECTORS_THREADS];
    const unsigned lane = threadIdx.x % WARP;
    uint8_t *order = &orders[threadIdx.x - lane];
    size_t v = warp_of_grid() * WARP + lane;
    const size_t step = warps_of_grid() * WARP;
    lane_segment<Format> next(job, v);
    for (; v - lane < job.vectors; v += step) {
        const lane_segment<Format> own = next;
        next = lane_segment<Format>(job, v + step);
        const bool is_aside = TERMS != ROW_MOMENTS && put_aside(job, v, own.at.n);
        row_words<sums_of_segment> mine;
        mine.clear();
        const unsigned threads = threads_of_segment(own.at.n);
        for (unsigned kind = 1; kind <= WARP; kind = kind == 1 ? 4 : kind * 8)
            sum_segments<Format, TERMS>(job, own, kind, threads == kind && own.at.n && !is_aside, order, mine, lane);
        if (own.at.n >> ROW_COUNT_BITS) mine.width[0] = NAN; /* beyond what row_sums.cuh may add up */
        if (v < job.vectors && !is_aside) finish_row<sums_of_segment, TERMS>(job, v, own.at.n, mine.word, mine.width);
        __syncwarp();
    }
}

#endif
