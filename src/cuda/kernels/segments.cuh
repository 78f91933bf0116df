/* segments.cuh - exact sums of segments, whose lengths the device knows: a warp takes 32 at a time, those of a length
 * together; or fewer, job.turns, where there are few. What it cannot tell it marks, for marked.cuh; long ones it puts aside,
 * for vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_SEGMENTS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"

/* Elements that a thread loads at a time, some times 16 bytes, and loads that make an item (row_sums.cuh). */
template <class Format>
constexpr int segment_ahead = sizeof(typename Format::element) == 8   ? 4
                              : sizeof(typename Format::element) == 1 ? 16
                                                                      : 8;
#define SEGMENTS_ITEM 250
static_assert(SEGMENTS_ITEM * 16 < 1 << ROW_ITEM_BITS, "an item has more elements than its sum allows for");
static_assert((SEGMENTS_ITEM - 1) * 4 * WARP >= 1 << ROW_ITEM_BITS, "some threads of a segment may close, and others not");

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

/* Adds elements begin to end, every so manieth, one at a time. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_few(row_sums<Format, TERMS> &sums, const vector_pair<Format> &at, size_t begin,
                                               size_t end, unsigned thread, unsigned threads, bool magnitude) {
    for (size_t k = begin + thread; k < end; k += threads) {
        element_group<Format, 1> x, y;
        x.load_one(at.x.x + k);
        if (TERMS == ROW_PRODUCTS) y.load_one(at.y.x + k);
        sums.add(x, y, magnitude);
    }
}

/* Adds a thread's elements of a segment, chunks if there can be any; the next are under way while some are added. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_segment(row_sums<Format, TERMS> &sums, const vector_pair<Format> &at,
                                                   unsigned thread, unsigned threads, bool magnitude) {
    constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
    constexpr int ahead = segment_ahead<Format>;
    element_group<Format, ahead> x, y, next_x, next_y;
    const size_t head = min(elements_before_chunk(at.x, 0), at.n);
    const bool by_chunks = threads > 1 && (!has_pairs || elements_before_chunk(at.y, 0) == elements_before_chunk(at.x, 0));
    const size_t step = (size_t)threads * ahead, begin = by_chunks ? head : 0,
                 end = by_chunks ? at.n - (at.n - head) % ahead : at.n;
    auto load = [&](size_t k) {
        if (by_chunks) {
            next_x.load_aligned(at.x, k);
            if (has_pairs) next_y.load_aligned(at.y, k);
        } else {
            next_x.load(at.x, k, threads, end, false);
            if (has_pairs) next_y.load(at.y, k, threads, end, true);
        }
    };
    size_t k = begin + thread * (by_chunks ? ahead : 1);
    unsigned loads = 0;
    if (k < end) load(k);
    if (by_chunks) {
        add_few(sums, at, 0, head, thread, threads, magnitude);
        add_few(sums, at, end, at.n, thread, threads, magnitude);
    }
    for (; k < end; k += step) {
        x = next_x, y = next_y;
        if (end - k > step) load(k + step);
        sums.add(x, y, magnitude);
        if (++loads % SEGMENTS_ITEM == 0) sums.close();
    }
    /* All threads alike; an item that is merged unclosed has fewer elements in all than one may have. */
    if (threads == WARP && at.n >= (size_t)1 << ROW_ITEM_BITS) sums.close();
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
__global__ void __launch_bounds__(SEGMENTS_THREADS, SEGMENTS_BLOCKS)
    segments_kernel(const __grid_constant__ vectors_job job) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    __shared__ uint8_t orders[SEGMENTS_THREADS];
    const unsigned lane = threadIdx.x % WARP;
    uint8_t *order = &orders[threadIdx.x - lane];
    const size_t none = job.vectors, step = warps_of_grid() * job.turns;
    size_t first = warp_of_grid() * job.turns;
    const bool has_one = lane < job.turns;
    lane_segment<Format> next(job, has_one ? first + lane : none);
    for (; first < job.vectors; first += step) {
        const lane_segment<Format> own = next;
        const size_t v = has_one ? first + lane : none;
        next = lane_segment<Format>(job, has_one ? v + step : none);
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
