/* segments.cuh - exact sums of segments, whose lengths the device knows: a warp takes 32 at a time, those of a length
 * together; or fewer, job.turns, where there are few. Those side by side come through a stream
 * (warp/segment_stream.cuh). What it cannot tell it marks, for marked.cuh; long ones it puts aside, for vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_SEGMENTS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/row_finish.cuh"
#include "cuda/warp/segment_stream.cuh"

/* Elements that a thread loads at a time, some times 16 bytes, and loads that make an item (row_sums.cuh). */
template <class Format>
constexpr int segment_ahead = sizeof(typename Format::element) == 8   ? 4
                              : sizeof(typename Format::element) == 1 ? 16
                                                                      : 8;
#define SEGMENTS_ITEM 250
#define SEGMENT_AT_ONCE 4 /* elements of a segment in a stage that a thread adds together */
static_assert(SEGMENTS_ITEM * 16 < 1 << ROW_ITEM_BITS, "an item has more elements than its sum allows for");
static_assert((SEGMENTS_ITEM - 1) * 4 * WARP >= 1 << ROW_ITEM_BITS,
              "some threads of a segment may close, and others not");

/* How many threads share a segment: short ones one, so that no lane waits for others; long ones a warp. */
static __device__ __forceinline__ unsigned threads_of_segment(size_t n) {
    return n <= 16 ? 1 : n <= 128 ? 4 : n <= 512 ? 8 : WARP;
}

/* Notes a segment that is to be cut, while there is room; answers whether it did. */
static __device__ __forceinline__ bool put_aside(const vectors_job &job, size_t v, size_t n) {
    if (n < LONG_SEGMENT) return false;
    const unsigned at = atomicAdd(&job.workspace->long_segments, 1u);
    if (at < LONG_SEGMENTS) job.workspace->long_segment[at] = v;
    return at < LONG_SEGMENTS;
}

/* Adds elements begin to end, every so manieth, one at a time. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_few(row_sums<Format, TERMS> &sums, const vector_pair<Format> &at,
                                               size_t begin, size_t end, unsigned thread, unsigned threads,
                                               bool magnitude) {
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
    const bool by_chunks =
        threads > 1 && (!has_pairs || elements_before_chunk(at.y, 0) == elements_before_chunk(at.x, 0));
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

/* A piece in its stage: where the bundle's element 0 would stand. */
template <class Format> struct piece_in_stage {
    typedef typename Format::element element;
    const unsigned char *x;

    __device__ __forceinline__ piece_in_stage(const segment_cursor<Format> &at, const unsigned char *stage)
        : x(stage + chunk_offset(at.x + at.from) - at.from * sizeof(element)) {}
    /* Adds a thread's elements, of those from begin to end: chunks, where the segment is long or its elements small;
     * else elements. */
    __device__ __forceinline__ void add(row_sums<Format, ROW_NUMBERS> &sums, unsigned begin, unsigned end,
                                        unsigned thread, unsigned threads, bool magnitude) const {
        constexpr unsigned size = (unsigned)sizeof(element);
        const element *of_x = (const element *)x;
        if (threads == WARP || (threads > 1 && size <= 2)) {
            const unsigned char *const p = x + begin * size;
            add_row(sums, p, p, (end - begin) * size, thread, threads, true, 0, magnitude);
            return;
        }
        element_group<Format, SEGMENT_AT_ONCE> group;
        unsigned k = begin + thread;
        for (; k + (SEGMENT_AT_ONCE - 1) * threads < end; k += SEGMENT_AT_ONCE * threads) {
#pragma unroll
            for (unsigned i = 0; i < SEGMENT_AT_ONCE; i++) group.of[i] = of_x[k + i * threads];
            sums.add(group, group, magnitude);
        }
        if (k >= end) return;
        group.load({ of_x, 1 }, k, threads, end, false);
        sums.add(group, group, magnitude);
    }
};

/* What the lanes' segments of n elements come to, as many at once as fit the warp: add(sums, from, thread, threads)
 * adds a thread's elements of the segment of lane "from". order: room for the lanes. */
template <class Sums, class Add>
static __device__ __forceinline__ void sum_segments(size_t n, uint8_t *order, row_words<Sums> &mine, unsigned lane,
                                                    Add add) {
    const unsigned kind = n ? threads_of_segment(n) : 0;
    if (__any_sync(WHOLE_WARP, kind == 1)) {
        Sums sums;
        sums.clear();
        if (kind == 1) {
            add(sums, lane, 0, 1);
            mine.set(sums);
        }
        __syncwarp();
    }
    if (!__any_sync(WHOLE_WARP, kind > 1)) return;
    for (unsigned threads = 4; threads <= WARP; threads *= threads == 8 ? 4 : 2) {
        const unsigned those = __ballot_sync(WHOLE_WARP, kind == threads), count = __popc(those),
                       at_once = WARP / threads;
        const unsigned rank = __popc(those & ((1u << lane) - 1)), group = lane / threads;
        if (!count) continue;
        if (kind == threads) order[rank] = (uint8_t)lane;
        __syncwarp();
        for (unsigned first = 0; first < count; first += at_once) {
            Sums sums;
            sums.clear();
            add(sums, first + group < count ? order[first + group] : NO_LANE, lane % threads, threads);
            __syncwarp();
            sums.merge(threads);
            mine.keep(sums, kind == threads && rank - first < at_once, (int)((rank - first) * threads % WARP));
        }
        __syncwarp();
    }
}

/* The segments of a bundle that has no pieces, from where they stand to their results. Apart from the rest, which needs
 * the registers. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ void sum_in_place(const vectors_job &job, size_t first, segment_place own, bool is_aside,
                                                 uint8_t *order, unsigned lane) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    row_words<sums_of_segment> mine;
    mine.clear();
    auto add = [&](sums_of_segment &sums, unsigned from, unsigned thread, unsigned threads) {
        segment_place place = own;
        if (threads > 1) place = own.of_lane(from);
        add_segment(sums, segment_at<Format>(job.at, place.begin, place.end), thread, threads, job.magnitude);
    };
    sum_segments(is_aside ? 0 : own.n(), order, mine, lane, add);
    if (own.n() >> ROW_COUNT_BITS) mine.width[0] = NAN; /* beyond what row_sums.cuh may add up */
    if (has_segment(job, first, lane) && !is_aside)
        finish_row<sums_of_segment, TERMS>(job, first + lane, own.n(), mine.word, mine.width);
    __syncwarp();
}

/* Adds a piece's elements to what its lanes' segments come to. open: the sums of the segment that goes on from one
 * piece to the next, by all lanes. */
template <class Format, class Sums = row_sums<Format, ROW_NUMBERS>>
static __device__ __forceinline__ void sum_piece(const segment_cursor<Format> &at, const piece_in_stage<Format> &piece,
                                                 Sums &open, uint8_t *order, row_words<Sums> &mine, bool magnitude,
                                                 unsigned lane) {
    const bool starts = at.begin >= at.from && at.begin < at.to, ends = at.end <= at.to;
    /* What the piece has of a lane's segment, to the open sums. */
    auto add_open = [&](unsigned from) {
        const unsigned begin = __shfl_sync(WHOLE_WARP, at.begin, from), end = __shfl_sync(WHOLE_WARP, at.end, from);
        piece.add(open, max(begin, at.from), min(end, at.to), lane, WARP, magnitude);
        __syncwarp();
        if (end - begin >= 1u << ROW_ITEM_BITS) open.close();
        if (end > at.to) return;
        open.merge(WARP);
        if (lane == from) mine.set(open);
        open.clear();
    };
    /* A thread's elements of a lane's segment, all of which the piece has. */
    auto add = [&](Sums &sums, unsigned from, unsigned thread, unsigned threads) {
        unsigned begin = at.begin, end = at.end;
        if (threads > 1) {
            begin = __shfl_sync(WHOLE_WARP, begin, from % WARP), end = __shfl_sync(WHOLE_WARP, end, from % WARP);
            if (from == NO_LANE) end = begin;
        }
        piece.add(sums, begin, end, thread, threads, magnitude);
    };
    const unsigned before = __ballot_sync(WHOLE_WARP, at.begin < at.from && at.end > at.from);
    if (before) add_open((unsigned)__ffs((int)before) - 1);
    sum_segments(starts && ends ? at.end - at.begin : 0, order, mine, lane, add);
    const unsigned behind = __ballot_sync(WHOLE_WARP, starts && !ends);
    if (behind) add_open((unsigned)__ffs((int)behind) - 1);
}

/* All of a warp's bundles, as a stream. */
template <class Format>
static __device__ __forceinline__ void sum_stream(const vectors_job &job, segment_stages &stages, uint8_t *order,
                                                  unsigned lane) {
    typedef row_sums<Format, ROW_NUMBERS> sums_of_segment;
    static_assert(!sums_of_segment::arithmetic::has_items ||
                      SEGMENTS_STAGE / sizeof(typename Format::element) < 1 << ROW_ITEM_BITS,
                  "an item has more elements than its sum allows for");
    const size_t step = warps_of_grid() * job.turns;
    segment_cursor<Format> now, next;
    size_t bundle = warp_of_grid() * job.turns;
    segment_place following(job, bundle, lane);
    /* The next bundle, whose segments are known by now; the offsets of those behind it are loaded. */
    auto enter = [&] {
        next.enter(job, bundle, following, put_aside(job, bundle + lane, following.n()), lane);
        bundle += step;
        following = segment_place(job, bundle, lane);
    };
    auto start = [&](unsigned char *stage) {
        if (next.is_there(job)) next.start(stage, lane);
        __pipeline_commit();
    };
    sums_of_segment open;
    open.clear();
    row_words<sums_of_segment> mine;
    mine.clear();
    enter();
    start(stages.data[0]);
    for (unsigned count = 0; next.is_there(job); count++) {
        unsigned char *const stage = stages.data[count % SEGMENTS_STAGES];
        now = next;
        if (now.ends_bundle())
            enter();
        else
            next.find_piece(now.to);
        start(stages.data[(count + 1) % SEGMENTS_STAGES]);
        __pipeline_wait_prior(1);
        now.of_x.end(stage);
        __syncwarp();
        if (!now.has_pieces) {
            sum_in_place<Format, ROW_NUMBERS>(job, now.first, segment_place(job, now.first, lane), now.is_aside, order,
                                              lane);
            continue;
        }
        sum_piece(now, piece_in_stage<Format>(now, stage), open, order, mine, job.magnitude, lane);
        if (now.ends_bundle()) {
            const unsigned n = now.end - now.begin;
            if (n >> ROW_COUNT_BITS) mine.width[0] = NAN; /* beyond what row_sums.cuh may add up */
            if (has_segment(job, now.first, lane))
                finish_row<sums_of_segment, ROW_NUMBERS>(job, now.first + lane, n, mine.word, mine.width);
            mine.clear();
        }
        __syncwarp();
    }
}

/* Products and moments wait for their own additions, and would have too few registers with a stream. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(SEGMENTS_THREADS, TERMS == ROW_NUMBERS ? SEGMENTS_STREAM_BLOCKS : SEGMENTS_BLOCKS)
    segments_kernel(const __grid_constant__ vectors_job job) {
    extern __shared__ __align__(ROWS_CHUNK) unsigned char shared[];
    __shared__ uint8_t orders[SEGMENTS_THREADS];
    const unsigned lane = threadIdx.x % WARP;
    uint8_t *order = &orders[threadIdx.x - lane];
    if constexpr (TERMS == ROW_NUMBERS) {
        sum_stream<Format>(job, ((segment_stages *)shared)[threadIdx.x / WARP], order, lane);
    } else {
        const size_t step = warps_of_grid() * job.turns;
        size_t bundle = warp_of_grid() * job.turns;
        segment_place next(job, bundle, lane);
        for (; bundle < job.vectors; bundle += step) {
            const segment_place own = next;
            next = segment_place(job, bundle + step, lane);
            const bool is_aside = TERMS != ROW_MOMENTS && put_aside(job, bundle + lane, own.n());
            sum_in_place<Format, TERMS>(job, bundle, own, is_aside, order, lane);
        }
    }
}

#endif
