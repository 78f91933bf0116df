/* segment_stream.cuh - segments that stand side by side as a stream of pieces, which pass through a warp's stages in shared
 * memory: while it works on one, the next is on its way.
 *
 * A bundle is as many segments, one after the other, as a warp takes at a time, job.turns, a lane each; between its bundles
 * lie those of the other warps. A piece is as much of a bundle's elements as a stage holds. Segments that are not side by
 * side, and those of a bundle of which some are put aside, have no pieces: they are read where they stand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SEGMENT_STREAM_CUH
#define QUIRE_CUDA_WARP_SEGMENT_STREAM_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/warp/row_stream.cuh"

static_assert(SEGMENTS_STAGE % (2 * ROWS_CHUNK) == 0, "pieces end where chunks end");
static_assert(SEGMENTS_STAGE < 1 << ROW_ITEM_BITS, "an item has more elements than its sum allows for");

struct segment_stages {
    alignas(ROWS_CHUNK) unsigned char data[SEGMENTS_STAGES][SEGMENTS_STAGE + 2 * ROWS_CHUNK];
};

/* Elements on their way to where they stand behind "to" as they do behind a chunk's begin: whole chunks go by themselves;
 * each of those before and behind them passes through a register of a lane. */
template <class Element> struct arrival {
    Element edge;
    Element *edge_to; /* or NULL */

    __device__ __forceinline__ void start(const Element *begin, const Element *end, unsigned char *to, unsigned lane) {
        const uintptr_t base = (uintptr_t)begin & ~(uintptr_t)(ROWS_CHUNK - 1), stop = (uintptr_t)end;
        const uintptr_t first = ((uintptr_t)begin + ROWS_CHUNK - 1) & ~(uintptr_t)(ROWS_CHUNK - 1);
        const uintptr_t last = max(stop & ~(uintptr_t)(ROWS_CHUNK - 1), first);
        for (uintptr_t p = first + lane * ROWS_CHUNK; p < last; p += WARP * ROWS_CHUNK)
            __pipeline_memcpy_async(to + (p - base), (const void *)p, ROWS_CHUNK);
        const uintptr_t one = lane < WARP / 2 ? (uintptr_t)(begin + lane) : last + (lane - WARP / 2) * sizeof(Element);
        edge_to = one < (lane < WARP / 2 ? min(first, stop) : stop) ? (Element *)(to + (one - base)) : NULL;
        if (edge_to) edge = *(const Element *)one;
    }
    __device__ __forceinline__ void end() const {
        if (edge_to) *edge_to = edge;
    }
};

/* A lane's segment: where it begins in the arrays, and how many elements it has; none beyond the last. */
struct segment_place {
    int64_t begin, n;

    segment_place() = default;
    __device__ __forceinline__ segment_place(const vectors_at &at, bool is_there, size_t v) : begin(0), n(0) {
        if (!is_there) return;
        begin = index_at(at.begin, at.is_64_bit, v);
        n = max(index_at(at.end, at.is_64_bit, v) - begin, (int64_t)0);
    }
    __device__ __forceinline__ int64_t end() const { return begin + n; }
    __device__ __forceinline__ segment_place of_lane(unsigned lane) const {
        segment_place other = *this;
        other.begin = __shfl_sync(WHOLE_WARP, begin, lane), other.n = __shfl_sync(WHOLE_WARP, n, lane);
        return other;
    }
};

/* Where a warp is in its stream: at a piece. Without pieces, "from" and "to" are both the end of all. */
template <class Format> struct segment_cursor {
    typedef typename Format::element element;
    size_t first;            /* segment of the bundle */
    segment_place own;       /* the lane's            */
    int64_t from, to, end;   /* of the piece; and the end of the bundle */
    bool is_aside, is_stream; /* the lane's segment; the bundle          */
    arrival<element> of_x, of_y;

    __device__ __forceinline__ static bool is_mine(const vectors_job &job, size_t first, unsigned lane) {
        return lane < job.turns && first + lane < job.vectors;
    }
    __device__ __forceinline__ bool is_there(const vectors_job &job) const { return first < job.vectors; }
    __device__ __forceinline__ bool ends_bundle() const { return to == end; }
    /* Whole elements of x that a stage holds from one on: up to the last chunk's end. */
    __device__ __forceinline__ void find_piece(const vectors_job &job, bool is_pair) {
        const unsigned bytes = is_pair ? SEGMENTS_STAGE / 2 : SEGMENTS_STAGE;
        const unsigned least = (bytes - chunk_offset((const element *)job.at.x + from)) / (unsigned)sizeof(element);
        to = is_stream ? min(from + (int64_t)least, end) : end;
    }
    /* Enters a bundle whose segments are known. By a whole warp. */
    __device__ __forceinline__ void enter(const vectors_job &job, size_t bundle, const segment_place &place, bool aside,
                                          bool is_pair, unsigned lane) {
        first = bundle, own = place, is_aside = aside;
        const int64_t before = __shfl_up_sync(WHOLE_WARP, own.end(), 1);
        const bool mine = is_mine(job, first, lane), apart = mine && lane > 0 && own.begin != before;
        const unsigned last = max(__popc(__ballot_sync(WHOLE_WARP, mine)), 1) - 1;
        is_stream = !__any_sync(WHOLE_WARP, apart || aside);
        end = __shfl_sync(WHOLE_WARP, own.end(), last);
        from = is_stream ? __shfl_sync(WHOLE_WARP, own.begin, 0) : end;
        find_piece(job, is_pair);
    }
    /* Starts to copy the piece; y stands in the second half of a stage. */
    template <bool PAIR>
    __device__ __forceinline__ void start(const vectors_job &job, unsigned char *stage, unsigned lane) {
        const element *x = (const element *)job.at.x, *y = (const element *)job.at.y;
        of_x.start(x + from, x + to, stage, lane);
        if (PAIR && job.is_pair) of_y.start(y + from, y + to, stage + SEGMENTS_STAGE / 2 + ROWS_CHUNK, lane);
    }
    template <bool PAIR> __device__ __forceinline__ void arrive(const vectors_job &job) const {
        of_x.end();
        if (PAIR && job.is_pair) of_y.end();
    }
};

#endif
