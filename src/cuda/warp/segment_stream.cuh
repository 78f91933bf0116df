/* segment_stream.cuh - segments that stand side by side as a stream of pieces, which pass through a warp's stages in
 * shared memory: while it works on one, the next is on its way.
 *
 * A bundle is as many segments, one after the other, as a warp takes at a time, job.turns, a lane each; between its
 * bundles lie those of the other warps. A piece is as much of a bundle's elements as a stage holds. Segments that are
 * not side by side, and those of a bundle of which some are put aside, have no pieces: they are read where they stand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SEGMENT_STREAM_CUH
#define QUIRE_CUDA_WARP_SEGMENT_STREAM_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/warp/row_stream.cuh"

static_assert(SEGMENTS_STAGE % ROWS_CHUNK == 0, "pieces end where chunks end");
#define NO_LANE WARP
/* Elements that a segment of a bundle with pieces begins behind, and has, at most. */
#define SEGMENTS_LONGEST (1u << 27)
static_assert(2ull * SEGMENTS_LONGEST * 8 <= 1ull << 31, "bytes of a bundle are counted by 32 bits");

struct segment_stages {
    alignas(ROWS_CHUNK) unsigned char data[SEGMENTS_STAGES][SEGMENTS_STAGE + ROWS_CHUNK];
};
static_assert(sizeof(segment_stages) * (SEGMENTS_THREADS / WARP) == SEGMENTS_SHARED, "the host asks for all stages");

/* Elements on their way to where they stand behind "to" as they do behind a chunk's begin: whole chunks go by
 * themselves; each of those before and behind them passes through a register of a lane. */
template <class Element> struct arrival {
    Element edge;
    unsigned edge_at; /* byte behind "to"; or NO_EDGE */
    static constexpr unsigned NO_EDGE = ~0u;

    __device__ __forceinline__ void start(const Element *x, unsigned count, unsigned char *to, unsigned lane) {
        constexpr unsigned size = (unsigned)sizeof(Element);
        const unsigned char *const p = (const unsigned char *)x;
        const unsigned off = chunk_offset(p), bytes = count * size, head = min(-off % ROWS_CHUNK, bytes);
        const unsigned whole = head + (bytes - head) / ROWS_CHUNK * ROWS_CHUNK;
        for (unsigned at = head + lane * ROWS_CHUNK; at < whole; at += WARP * ROWS_CHUNK)
            __pipeline_memcpy_async(to + off + at, p + at, ROWS_CHUNK);
        const bool is_head = lane < WARP / 2;
        const unsigned at = is_head ? lane * size : whole + (lane - WARP / 2) * size;
        edge_at = at < (is_head ? head : bytes) ? off + at : NO_EDGE;
        if (edge_at != NO_EDGE) edge = *(const Element *)(p + at);
    }
    __device__ __forceinline__ void end(unsigned char *to) const {
        if (edge_at != NO_EDGE) *(Element *)(to + edge_at) = edge;
    }
};

/* Whether a lane has a segment of a bundle. */
static __device__ __forceinline__ bool has_segment(const vectors_job &job, size_t first, unsigned lane) {
    return lane < job.turns && first + lane < job.vectors;
}

/* A lane's segment of a bundle: where it begins and ends in the arrays; nowhere beyond the last. */
struct segment_place {
    int64_t begin, end;

    __device__ __forceinline__ segment_place(const vectors_job &job, size_t first, unsigned lane) : begin(0), end(0) {
        if (!has_segment(job, first, lane)) return;
        begin = index_at(job.at.begin, job.at.is_64_bit, first + lane);
        end = index_at(job.at.end, job.at.is_64_bit, first + lane);
    }
    __device__ __forceinline__ size_t n() const { return end > begin ? (size_t)(end - begin) : 0; }
    /* Of another lane, or of NO_LANE, which has none. By a whole warp. */
    __device__ __forceinline__ segment_place of_lane(unsigned from) const {
        segment_place other = *this;
        other.begin = __shfl_sync(WHOLE_WARP, begin, from % WARP),
        other.end = __shfl_sync(WHOLE_WARP, end, from % WARP);
        if (from == NO_LANE) other.end = other.begin;
        return other;
    }
};

/* Where a warp is in its stream: at a piece of a bundle. Elements are counted from the bundle's first. */
template <class Format> struct segment_cursor {
    typedef typename Format::element element;
    size_t first;              /* segment of the bundle */
    const element *x;          /* its first element */
    unsigned begin, end;       /* of the lane's segment */
    unsigned from, to, last;   /* of the piece; and of the bundle. Without pieces they are alike */
    bool is_aside, has_pieces; /* the lane's segment; the bundle */
    arrival<element> of_x;

    __device__ __forceinline__ bool is_there(const vectors_job &job) const { return first < job.vectors; }
    __device__ __forceinline__ bool ends_bundle() const { return to == last; }
    /* The piece from one element on: what a stage holds, up to the end of a chunk. */
    __device__ __forceinline__ void find_piece(unsigned at) {
        from = at, to = min(at + (SEGMENTS_STAGE - chunk_offset(x + at)) / (unsigned)sizeof(element), last);
    }
    /* Enters a bundle whose segments are known. By a whole warp. */
    __device__ __forceinline__ void enter(const vectors_job &job, size_t bundle, const segment_place &own, bool aside,
                                          unsigned lane) {
        const int64_t base = __shfl_sync(WHOLE_WARP, own.begin, 0);
        const uint64_t behind = (uint64_t)own.begin - (uint64_t)base; /* far, if it is before */
        const size_t n = own.n();
        const bool mine = has_segment(job, bundle, lane);
        const bool is_far = behind > SEGMENTS_LONGEST || n > SEGMENTS_LONGEST;
        first = bundle, is_aside = aside;
        x = (const element *)job.at.x + base;
        begin = mine ? (unsigned)behind : 0, end = mine ? begin + (unsigned)n : 0;
        const unsigned before = __shfl_up_sync(WHOLE_WARP, end, 1);
        has_pieces = !__any_sync(WHOLE_WARP, mine && (is_far || aside || (lane > 0 && begin != before)));
        last = has_pieces ? (unsigned)warp_max((int)end) : 0;
        find_piece(0);
    }
    /* Starts to copy the piece. */
    __device__ __forceinline__ void start(unsigned char *stage, unsigned lane) {
        of_x.start(x + from, to - from, stage, lane);
    }
};

#endif
