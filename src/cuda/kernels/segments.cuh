/* segments.cuh - exact sums of segments, whose lengths the device knows: a warp takes 32 at a time, those of a length
 * together; or fewer, job.turns, where there are few. Those side by side come through a stream (warp/segment_stream.cuh).
 * What it cannot tell it marks, for marked.cuh; long ones it puts aside, for vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_SEGMENTS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"
#include "cuda/warp/segment_stream.cuh"

/* Elements that a thread loads at a time, some times 16 bytes, and loads that make an item (row_sums.cuh). */
template <class Format>
constexpr int segment_ahead = sizeof(typename Format::element) == 8   ? 4
                              : sizeof(typename Format::element) == 1 ? 16
                                                                      : 8;
#define SEGMENTS_ITEM 250
#define SEGMENT_AT_ONCE 4 /* elements of a segment in a stage that a thread adds together */
static_assert(SEGMENTS_ITEM * 16 < 1 << ROW_ITEM_BITS, "an item has more elements than its sum allows for");
static_assert((SEGMENTS_ITEM - 1) * 4 * WARP >= 1 << ROW_ITEM_BITS, "some threads of a segment may close, and others not");

/* How many threads share a segment: short ones one, so that no lane waits for others; long ones a warp. */
static __device__ __forceinline__ unsigned threads_of_segment(size_t n) { return n <= 16 ? 1 : n <= 128 ? 4 : WARP; }

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

/* A segment's elements where they stand. */
template <class Format>
static __device__ __forceinline__ vector_pair<Format> segment_at(const vectors_job &job, const segment_place &place) {
    typedef const typename Format::element *pointer;
    return { { (pointer)job.at.x + place.begin, 1 }, { (pointer)job.at.y + place.begin, 1 }, (size_t)place.n };
}

/* A piece in its stage. */
template <class Format, row_terms TERMS> struct piece_in_stage {
    typedef typename Format::element element;
    const unsigned char *x, *y; /* of element "from" */
    int64_t from;
    bool is_aligned; /* x and y have chunks at the same elements */

    __device__ __forceinline__ piece_in_stage(const vectors_job &job, const segment_cursor<Format> &at,
                                              const unsigned char *stage)
        : x(stage + chunk_offset((const element *)job.at.x + at.from)), y(x), from(at.from), is_aligned(true) {
        if (TERMS != ROW_PRODUCTS || !job.is_pair) return;
        y = stage + SEGMENTS_STAGE / 2 + ROWS_CHUNK + chunk_offset((const element *)job.at.y + at.from);
        is_aligned = are_aligned(x, y, 0);
    }
    /* Adds a thread's elements of n from one on: a few by themselves; chunks where a segment has many. */
    __device__ __forceinline__ void add(row_sums<Format, TERMS> &sums, int64_t begin, int64_t n, unsigned thread,
                                        unsigned threads, bool magnitude) const {
        const unsigned at = (unsigned)(begin - from) * (unsigned)sizeof(element), count = (unsigned)n;
        if (threads == WARP || (threads > 1 && sizeof(element) <= 2)) {
            add_row(sums, x + at, y + at, count * (unsigned)sizeof(element), thread, threads, is_aligned, 0, magnitude);
            return;
        }
        const element *of_x = (const element *)(x + at), *of_y = (const element *)(y + at);
        for (unsigned k = thread; k < count; k += SEGMENT_AT_ONCE * threads) {
            element_group<Format, SEGMENT_AT_ONCE> group_x, group_y;
#pragma unroll
            for (unsigned i = 0; i < SEGMENT_AT_ONCE; i++) {
                const bool is_there = k + i * threads < count;
                group_x.of[i] = is_there ? of_x[k + i * threads] : zero_element<Format>(false);
                if (TERMS == ROW_PRODUCTS) group_y.of[i] = is_there ? of_y[k + i * threads] : zero_element<Format>(true);
            }
            sums.add(group_x, group_y, magnitude);
        }
    }
};

/* What the lanes' segments come to that are "in", as many at once as fit the warp: add(sums, segment, thread, threads) adds
 * a thread's elements. order: room for the lanes. */
template <class Sums, class Add>
static __device__ __forceinline__ void sum_segments(const segment_place &own, bool in, uint8_t *order,
                                                    row_words<Sums> &mine, unsigned lane, Add add) {
    const unsigned kind = in && own.n ? threads_of_segment((size_t)own.n) : 0;
    if (__any_sync(WHOLE_WARP, kind == 1)) {
        Sums sums;
        sums.clear();
        if (kind == 1) {
            add(sums, own, 0, 1);
            mine.set(sums);
        }
        __syncwarp();
    }
    for (unsigned threads = 4; threads <= WARP; threads *= 8) {
        const unsigned those = __ballot_sync(WHOLE_WARP, kind == threads), count = __popc(those), at_once = WARP / threads;
        const unsigned rank = __popc(those & ((1u << lane) - 1)), group = lane / threads;
        if (kind == threads) order[rank] = (uint8_t)lane;
        __syncwarp();
        for (unsigned first = 0; first < count; first += at_once) {
            const bool is_there = first + group < count;
            segment_place other = own.of_lane(is_there ? order[first + group] : 0);
            if (!is_there) other.n = 0;
            Sums sums;
            sums.clear();
            add(sums, other, lane % threads, threads);
            __syncwarp();
            sums.merge(threads);
            mine.keep(sums, kind == threads && rank - first < at_once, (int)((rank - first) % at_once * threads));
        }
        __syncwarp();
    }
}

/* What a bundle's segments come to that have no pieces. Apart from the rest, which needs the registers. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ row_words<row_sums<Format, TERMS>> sum_in_place(const vectors_job &job,
                                                                               const segment_place &own, bool in,
                                                                               uint8_t *order, unsigned lane) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    row_words<sums_of_segment> mine;
    mine.clear();
    sum_segments<sums_of_segment>(own, in, order, mine, lane,
                                  [&](sums_of_segment &sums, const segment_place &s, unsigned thread, unsigned threads) {
                                      add_segment<Format, TERMS>(sums, segment_at<Format>(job, s), thread, threads,
                                                                 job.magnitude);
                                  });
    return mine;
}

/* Adds a piece's elements to what its lanes' segments come to. open: the sums of the segment that goes on from one piece to
 * the next, by all lanes. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void sum_piece(const vectors_job &job, const segment_cursor<Format> &at,
                                                 const unsigned char *stage, row_sums<Format, TERMS> &open, uint8_t *order,
                                                 row_words<row_sums<Format, TERMS>> &mine, unsigned lane) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    const piece_in_stage<Format, TERMS> piece(job, at, stage);
    const int64_t begin = at.own.begin, end = at.own.end();
    const bool starts = begin >= at.from && begin < at.to, ends = end <= at.to;
    auto add_open = [&](unsigned from, int64_t first, int64_t last) {
        piece.add(open, first, last - first, lane, WARP, job.magnitude);
        __syncwarp();
        open.close();
        if (last != __shfl_sync(WHOLE_WARP, end, from)) return;
        open.merge(WARP);
        if (lane == from) mine.set(open);
        open.clear();
    };
    const unsigned before = __ballot_sync(WHOLE_WARP, begin < at.from && end > at.from);
    if (before) {
        const unsigned from = (unsigned)__ffs((int)before) - 1;
        add_open(from, at.from, min(__shfl_sync(WHOLE_WARP, end, from), at.to));
    }
    sum_segments<sums_of_segment>(at.own, starts && ends, order, mine, lane,
                                  [&](sums_of_segment &sums, const segment_place &s, unsigned thread, unsigned threads) {
                                      piece.add(sums, s.begin, s.n, thread, threads, job.magnitude);
                                  });
    const unsigned behind = __ballot_sync(WHOLE_WARP, starts && !ends);
    if (behind) {
        const unsigned from = (unsigned)__ffs((int)behind) - 1;
        add_open(from, __shfl_sync(WHOLE_WARP, begin, from), at.to);
    }
}

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(SEGMENTS_THREADS, SEGMENTS_BLOCKS)
    segments_kernel(const __grid_constant__ vectors_job job) {
    typedef row_sums<Format, TERMS> sums_of_segment;
    constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
    extern __shared__ __align__(ROWS_CHUNK) unsigned char shared[];
    __shared__ uint8_t orders[SEGMENTS_THREADS];
    segment_stages &stages = ((segment_stages *)shared)[threadIdx.x / WARP];
    const unsigned lane = threadIdx.x % WARP;
    uint8_t *order = &orders[threadIdx.x - lane];
    const bool is_pair = has_pairs && job.is_pair;
    const size_t step = warps_of_grid() * job.turns;
    segment_cursor<Format> now, next;
    size_t bundle = warp_of_grid() * job.turns;
    auto place_of = [&](size_t first) {
        return segment_place(job.at, segment_cursor<Format>::is_mine(job, first, lane), first + lane);
    };
    segment_place following = place_of(bundle);
    auto enter = [&] { /* the next bundle, whose segments are known by now; those behind it are asked for */
        const bool is_aside = TERMS != ROW_MOMENTS && put_aside(job, bundle + lane, (size_t)following.n);
        next.enter(job, bundle, following, is_aside, is_pair, lane);
        bundle += step;
        following = place_of(bundle);
    };
    sums_of_segment open;
    open.clear();
    row_words<sums_of_segment> mine;
    mine.clear();
    enter();
    if (next.is_there(job)) next.template start<has_pairs>(job, stages.data[0], lane);
    __pipeline_commit();
    for (unsigned count = 0; next.is_there(job); count++) {
        now = next;
        if (now.ends_bundle()) {
            enter();
        } else {
            next.from = now.to;
            next.find_piece(job, is_pair);
        }
        if (next.is_there(job)) next.template start<has_pairs>(job, stages.data[(count + 1) % SEGMENTS_STAGES], lane);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        now.template arrive<has_pairs>(job);
        __syncwarp();
        if (now.is_stream)
            sum_piece<Format, TERMS>(job, now, stages.data[count % SEGMENTS_STAGES], open, order, mine, lane);
        else
            mine = sum_in_place<Format, TERMS>(job, now.own, !now.is_aside, order, lane);
        if (now.ends_bundle()) {
            if (now.own.n >> ROW_COUNT_BITS) mine.width[0] = NAN; /* beyond what row_sums.cuh may add up */
            if (now.is_mine(job, now.first, lane) && !now.is_aside)
                finish_row<sums_of_segment, TERMS>(job, now.first + lane, (size_t)now.own.n, mine.word, mine.width);
            mine.clear();
        }
        __syncwarp();
    }
}

#endif
