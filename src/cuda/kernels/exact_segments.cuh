/* exact_segments.cuh - exact sums of segments: a warp takes 32 at a time, or fewer where there are few. Short ones that
 * stand side by side pass through shared memory; others are read where they stand, by groups of threads, those of about
 * a length together. What two ends, or wider sums, do not tell is marked, and long segments are put aside, for
 * by_element.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_SEGMENTS_CUH

#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/row_sum.cuh"
#include "cuda/warp/segment_turns.cuh"

/* Starts to copy n elements, as far behind a chunk's begin as they are there; answers where the first will be. */
template <class Element>
static __device__ __forceinline__ const Element *start_copy(unsigned char *room, const Element *x, unsigned n,
                                                            unsigned lane) {
    const whole_chunks<Element> whole(x, n);
    const unsigned before = (unsigned)whole.before, behind = (unsigned)whole.behind, count = (unsigned)whole.count;
    Element *const to = (Element *)(room + (uintptr_t)x % ROWS_CHUNK);
    copy_chunks<WARP>((uint4 *)(to + before), (const uint4 *)(x + before), count, lane);
    if (lane < before) to[lane] = x[lane];
    if (lane < behind) to[n - behind + lane] = x[n - behind + lane];
    return to;
}

/* Elements that stand side by side, copied to a warp's shared memory as they stand, by chunks of 16 bytes: what stands
 * beside them is not read. Of one array, or of two. */
template <class Format, bool PAIR> struct warp_stretch {
    const typename Format::element *x, *y;

    /* n from "from" on, in rooms of so many bytes, one for each array, when all lanes have been here. */
    __device__ __forceinline__ warp_stretch(unsigned char *rooms, unsigned bytes, const row_place<Format, PAIR> &from,
                                            unsigned n, unsigned lane) {
        __syncwarp(); /* those before may still be read */
        x = start_copy(rooms, from.x, n, lane);
        y = PAIR ? start_copy(rooms + bytes, from.y, n, lane) : x;
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
    }
    /* Adds n of them, from the k-th on. */
    template <class Sums> __device__ __forceinline__ void add(Sums &to, unsigned k, unsigned n, bool magnitude) const {
        add_staged<Format, PAIR>(to, x + k, y + k, n, magnitude);
    }
};

/* What a lane keeps of its own segment. */
template <class Sums> struct kept_sums {
    Sums sums;

    __device__ __forceinline__ void set(const Sums &its) { sums = its; }
    /* Those of lane "from", if this lane wants them; by a whole warp. */
    __device__ __forceinline__ void keep(const Sums &its, bool wants, int from) {
        sums.take_if(wants, its.of_lane((unsigned)from));
    }
};

/* Sum, PAIR: see exact_rows.cuh. */
template <class Format, row_terms TERMS, class Sum, bool PAIR> struct exact_segments {
    typedef typename Format::element element;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef kept_sums<sums> kept;
    static constexpr unsigned E = chunk_elements<Format>,
                              ROOM = SEGMENTS_ROOM / (1 + PAIR), /* bytes of a warp's, for each array */
        STRETCH = (ROOM - 2 * ROWS_CHUNK) / sizeof(element),     /* and the elements it has room for, */
        COPIED = SEGMENTS_COPIED / sizeof(element),              /* of one segment at most, */
        SHARE = SEGMENTS_SHARE / sizeof(element),                /* and of one thread; */
        ALONE = SEGMENTS_OF_ONE / sizeof(element);               /* of one that a thread has alone where it stands */

    /* The result of segment v, of n elements; or a mark. */
    static __device__ __forceinline__ void finish(const vectors_job &job, size_t v, size_t n, const sums &its) {
        if (n == 0)
            store_none(job, v);
        else
            finish_sums(job, terms_of_vector<TERMS>(job, n), v, its);
    }

    /* Segments of as many neighbouring lanes as fit a warp's room, which stand side by side, by way of shared memory.
     * 2^log threads share each; their shares are odd, so that they read different banks. */
    static __device__ __forceinline__ void add_copied(const vectors_job &job, const segment_place &own,
                                                      const lanes_span &span, unsigned log, unsigned char *rooms,
                                                      kept &mine, unsigned lane) {
        const unsigned count = WARP >> log, thread = lane & ((1u << log) - 1);
#pragma unroll 1
        for (unsigned from = 0; from < WARP; from += count) {
            const lanes_span here = span.of_lane(from);
            const segment_place its = own.of_lane(from + (lane >> log));
            const unsigned n = (unsigned)its.n(), share = log ? share_of<Format>(n, log) : n,
                           first = min(thread * share, n);
            const warp_stretch<Format, PAIR> copied(rooms, ROOM, arrays_from<Format, PAIR>(job, here.low),
                                                    (unsigned)here.n(), lane);
            sums some;
            some.clear();
            copied.add(some, (unsigned)(its.begin - here.low) + first, min(n - first, share), job.magnitude);
            __syncwarp();
            some.merge(1u << log);
            mine.keep(some, lane - from < count, (int)((lane - from) << log & (WARP - 1)));
        }
    }
    /* Whether the segments of all lanes are about as long as the longest. */
    static __device__ __forceinline__ bool are_alike(unsigned n, unsigned longest) {
        const unsigned some = __popc(__ballot_sync(WHOLE_WARP, n != 0));
        return 4 * longest * some <= 5 * (unsigned)warp_sum((int)n);
    }
    /* The same, if they are side by side, and so short; answers whether they are. Longer ones that are alike are
     * quicker where they stand. */
    static __device__ __forceinline__ bool add_if_side_by_side(const vectors_job &job, const segment_place &own,
                                                               unsigned char *rooms, kept &mine, unsigned lane) {
        if (__any_sync(WHOLE_WARP, own.n() > COPIED)) return false;
        const unsigned n = (unsigned)own.n(), longest = (unsigned)warp_max((int)n);
        if (longest <= SEGMENTS_CHUNKS * E || (longest >= SHARE && are_alike(n, longest))) return false;
        unsigned log = 0;
        while (longest >> log > SHARE) log++;
        for (; log <= SEGMENTS_SHARERS_LOG; log++) {
            const lanes_span span(own, log, lane);
            if (!span.are_side_by_side(own, STRETCH, log)) continue;
            add_copied(job, own, span, log, rooms, mine, lane);
            return true;
        }
        return false;
    }
    /* Segments that stand anywhere. */
    static __device__ __forceinline__ void add_anywhere(const vectors_job &job, const segment_place &own,
                                                        uint8_t *order, kept &mine, unsigned lane) {
        const bool are_few = !__any_sync(WHOLE_WARP, own.n() > SEGMENTS_SINGLE && own.n() <= ALONE);
        sum_segments<sums>(
            own.n(), (unsigned)sizeof(element), order, mine, lane,
            [&](sums &to, unsigned from, unsigned thread, unsigned threads) {
                if (threads == 1 && are_few) {
                    add_singles<Format>(to, arrays_from<Format, PAIR>(job, own.begin), own.n(), job.magnitude);
                } else if (threads == 1) {
                    add_cut_row<1>(to, arrays_from<Format, PAIR>(job, own.begin), own.n(), job.magnitude, 0, 1);
                } else {
                    const segment_place its = own.of_lane(from);
                    to = sum_of_row<sums, GROUPS_LOADS / 2, false>(arrays_from<Format, PAIR>(job, its.begin), its.n(),
                                                                   job.magnitude, thread, threads);
                }
            });
    }

    /* A warp's segments, a lane each: the lane's is number v, if it is there. order: room for the lanes. */
    static __device__ __forceinline__ void sum_bundle(const vectors_job &job, size_t v, bool is_there,
                                                      segment_place own, uint8_t *order, unsigned char *rooms,
                                                      unsigned lane) {
        const size_t n = own.n();
        const bool is_aside = put_aside(job, v, n, LONG_SEGMENT);
        if (is_aside) own.end = own.begin;
        kept mine;
        mine.sums.clear();
        if (!add_if_side_by_side(job, own, rooms, mine, lane)) add_anywhere(job, own, order, mine, lane);
        if (is_there && !is_aside) finish(job, v, n, mine.sums);
        __syncwarp();
    }

    static __device__ __forceinline__ void all(const vectors_job &job) {
        __shared__ uint8_t orders[SEGMENTS_THREADS];
        __shared__ __align__(ROWS_CHUNK) unsigned char rooms[SEGMENTS_THREADS / WARP][SEGMENTS_ROOM];
        const unsigned lane = threadIdx.x % WARP;
        const size_t step = warps_of_grid() * job.turns;
        size_t first = warp_of_grid() * job.turns;
        auto is_there = [&](size_t bundle) { return lane < job.turns && bundle + lane < job.vectors; };
        segment_place next(job, first + lane, is_there(first));
        for (; first < job.vectors; first += step) {
            const segment_place own = next;
            next = segment_place(job, first + step + lane, is_there(first + step));
            sum_bundle(job, first + lane, is_there(first), own, &orders[threadIdx.x - lane], rooms[threadIdx.x / WARP],
                       lane);
        }
    }
};

/* Two ends come first, but of doubles, and mostly of results that are doubles. */
template <class Format, row_terms TERMS, class Sum, bool PAIR>
__global__ void __launch_bounds__(SEGMENTS_THREADS, has_two_ends<Sum> && !PAIR ? SEGMENTS_BLOCKS : SEGMENTS_WIDE_BLOCKS)
    exact_segments_kernel(const __grid_constant__ vectors_job job) {
    exact_segments<Format, TERMS, Sum, PAIR>::all(job);
}

#endif
