/* row_stream.cuh - rows as a stream of items that pass through a warp's stages (stage.cuh).
 *
 * An item is "groups" times 32 / threads rows side by side, or one of "pieces" pieces of a row; groups is 1 unless a
 * row has one thread. Where there are few long rows each has "parts", which are rows here. Item, or row of pieces,
 * number i is that of warp i modulo the number of warps. Where 32 items stand is found at once, an item a lane, which
 * starts its copy when its turn comes: a warp would spend as long on one of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_ROW_STREAM_CUH
#define QUIRE_CUDA_WARP_ROW_STREAM_CUH

#include "cuda/thread/row_sums.cuh"
#include "cuda/warp/stage.cuh"
#include "cuda/warp/vector_at.cuh"

/* An item, as all lanes know it. */
struct row_item {
    unsigned rows;  /* 0: there is no such item */
    unsigned shape; /* see below */

    /* How many elements of each row it has; whether these are the rows' last; whether x, or y, has elements beside its
     * chunks that the copy engine cannot take; how far into the first chunk x and y begin. */
    __device__ __forceinline__ unsigned length() const { return shape & 0x1fff; }
    __device__ __forceinline__ bool ends_rows() const { return shape >> 13 & 1; }
    __device__ __forceinline__ bool has_edges() const { return shape >> 14 & 1; }
    __device__ __forceinline__ unsigned offset_x() const { return shape >> 16 & (ROWS_CHUNK - 1); }
    __device__ __forceinline__ unsigned offset_y() const { return shape >> 20 & (ROWS_CHUNK - 1); }
    __device__ __forceinline__ bool is_there() const { return rows != 0; }
};
static_assert(ROWS_STAGE < 1 << 13 && ROWS_CHUNK == 16, "an item's shape has places for its numbers");

#if QUIRE_HAS_BULK

/* Where an item's rows stand. */
template <class Format> struct row_place {
    typedef typename Format::element element;
    const element *x, *y;
    unsigned rows, length; /* of a row's elements: none where a last part ends early */
    bool ends_rows;
    size_t before, behind; /* elements before x and y, and from them on, that may be read */

    /* Item "piece" of the rows from one on. Pieces end where lines of memory end, if that takes no more of them. */
    __device__ __forceinline__ row_place(const vectors_job &job, size_t row, unsigned piece) {
        const size_t all = job.vectors * job.parts, n = job.at.x_layout.n;
        const size_t v = job.parts > 1 ? row / job.parts : row;
        const size_t part = job.parts > 1 ? min((row - v * job.parts) * job.part, n) : 0;
        const size_t count = job.parts > 1 ? min(job.part, n - part) : n;
        if (job.is_contiguous) {
            before = v * n + part, behind = job.vectors * n - before;
            x = (const element *)job.at.x + before, y = (const element *)job.at.y + before;
        } else {
            const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, v);
            before = part, behind = n - part;
            x = at.x.x + part, y = at.y.x + part;
        }
        size_t from = 0, to = count;
        if (job.pieces > 1) {
            size_t shift = (uintptr_t)x % ROWS_LINE / sizeof(element);
            if (count + shift > job.pieces * job.piece_length) shift = 0;
            if (piece) from = min(piece * job.piece_length - shift, count);
            to = min((piece + 1) * job.piece_length - shift, count);
        }
        rows = row < all ? (unsigned)min(all - row, (size_t)job.rows_of_item) : 0;
        length = (unsigned)(to - from), ends_rows = piece + 1 == job.pieces;
        x += from, y += from, before += from, behind -= from;
    }
    __device__ __forceinline__ memory_piece<element> piece_at(const element *p) const {
        return { p, p + rows * length, p - before, p + behind };
    }
};

/* What a lane has to copy of its item. */
struct row_copy {
    const unsigned char *from;
    unsigned bytes, to; /* the first chunk in the stage */

    template <class Element> __device__ __forceinline__ void plan(const memory_piece<Element> &p, bool *has_edges) {
        const piece_copy<Element> chunks(p);
        from = chunks.from, bytes = chunks.bytes;
        to = (unsigned)(from - ((const unsigned char *)p.begin - chunk_offset(p.begin)));
        *has_edges |= chunks.has_ends;
    }
};

/* The elements of an item beside its chunks. By a whole warp. */
template <class Format>
static __device__ __noinline__ void copy_edges(const vectors_job &job, size_t row, unsigned piece, bool has_y,
                                               unsigned char *stage, int lane) {
    typedef typename Format::element element;
    const row_place<Format> p(job, row, piece);
    const memory_piece<element> x = p.piece_at(p.x), y = p.piece_at(p.y);
    piece_copy<element>(x).copy_edges(x, stage, lane);
    if (has_y) piece_copy<element>(y).copy_edges(y, stage + ROWS_STAGE / 2, lane);
}

/* The items of a warp: of groups of rows that stand "apart" from each other, from "first" on. */
template <class Format, bool PAIR> class row_stream {
    typedef typename Format::element element;
    const vectors_job &job;
    warp_stages &stages;
    size_t first, apart;
    unsigned started; /* items, so far */
    int lane;
    row_item mine; /* the lane's, of the 32 items at work */
    row_copy of_x, of_y;

    __device__ __forceinline__ bool has_y() const { return PAIR && job.is_pair; }
    __device__ __forceinline__ unsigned turn_of(unsigned item) const {
        return job.pieces == 1 ? item : item / job.pieces;
    }
    __device__ __forceinline__ size_t row_of(unsigned item) const {
        return (first + turn_of(item) * apart) * job.rows_of_item;
    }
    __device__ __forceinline__ unsigned piece_of(unsigned item) const { return item - turn_of(item) * job.pieces; }
    __device__ __forceinline__ void find_items() {
        const unsigned item = started + (unsigned)lane;
        const row_place<Format> p(job, row_of(item), piece_of(item));
        bool has_edges = false;
        mine.rows = p.rows, mine.shape = 0;
        if (!p.rows) return;
        of_x.plan(p.piece_at(p.x), &has_edges);
        if (has_y()) of_y.plan(p.piece_at(p.y), &has_edges);
        mine.shape = p.length | p.ends_rows << 13 | has_edges << 14 | chunk_offset(p.x) << 16 | chunk_offset(p.y) << 20;
    }

  public:
    __device__ __forceinline__ row_stream(const vectors_job &of_job, warp_stages &in, size_t from, size_t by,
                                          int of_lane)
        : job(of_job), stages(in), first(from), apart(by), started(0), lane(of_lane) {}

    /* Starts to copy the next item, if there is one; y stands in the second half of a stage. By a whole warp. */
    __device__ __forceinline__ row_item start() {
        const unsigned from = started % WARP, stage = started % ROWS_STAGES;
        if (from == 0) find_items();
        const row_item it = { __shfl_sync(WHOLE_WARP, mine.rows, from), __shfl_sync(WHOLE_WARP, mine.shape, from) };
        if (!it.is_there()) return it;
        unsigned char *to = stages.data[stage];
        if ((unsigned)lane == from) {
            uint64_t *barrier = &stages.filled[stage];
            accesses_before_copies(); /* the warp has read what was in the stage */
            barrier_expect(barrier, of_x.bytes + (has_y() ? of_y.bytes : 0));
            if (of_x.bytes) copy_bulk(to + of_x.to, of_x.from, of_x.bytes, barrier);
            if (has_y() && of_y.bytes) copy_bulk(to + ROWS_STAGE / 2 + of_y.to, of_y.from, of_y.bytes, barrier);
        }
        if (it.has_edges()) copy_edges<Format>(job, row_of(started), piece_of(started), has_y(), to, lane);
        started++;
        return it;
    }
};

#endif

/* Whether chunks of rows can be added: all rows stand at chunks, or there is one, and x and y are alike. */
static __device__ __forceinline__ bool are_aligned(const unsigned char *x, const unsigned char *y, unsigned apart) {
    const uintptr_t off_x = (uintptr_t)x % ROWS_CHUNK, off_y = (uintptr_t)y % ROWS_CHUNK;
    return off_x == off_y && (apart == 0 || (off_x | apart % ROWS_CHUNK) == 0);
}

/* Adds 16 bytes that stand at x, and at y; ALIGNED: at chunks. */
template <bool ALIGNED, class Format, row_terms TERMS>
static __device__ __forceinline__ void add_chunk(row_sums<Format, TERMS> &sums, const unsigned char *x,
                                                 const unsigned char *y, bool magnitude) {
    element_group<Format, ROWS_CHUNK / (int)sizeof(typename Format::element)> of_x, of_y;
    of_x.template load_stage<ALIGNED>(x);
    if (TERMS == ROW_PRODUCTS) of_y.template load_stage<ALIGNED>(y);
    sums.add(of_x, of_y, magnitude);
}

/* Adds elements from a byte on to an end, every so manieth. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_elements(row_sums<Format, TERMS> &sums, const unsigned char *x,
                                                    const unsigned char *y, unsigned from, unsigned end,
                                                    unsigned thread, unsigned threads, bool magnitude) {
    constexpr unsigned size = (unsigned)sizeof(typename Format::element);
    for (unsigned k = from + thread * size; k < end; k += threads * size) {
        element_group<Format, 1> of_x, of_y;
        of_x.load_one((const typename Format::element *)(x + k));
        if (TERMS == ROW_PRODUCTS) of_y.load_one((const typename Format::element *)(y + k));
        sums.add(of_x, of_y, magnitude);
    }
}

/* Adds what a thread has of a row of the given bytes, which its neighbours share, 16 at a time, and elements behind
 * these; if the row stands at chunks these, and elements before them. "rotation" is how many bytes into the chunks its
 * threads begin: where all began at the front, the threads of neighbouring rows would meet in the same banks. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_row(row_sums<Format, TERMS> &sums, const unsigned char *x,
                                               const unsigned char *y, unsigned bytes, unsigned thread,
                                               unsigned threads, bool is_aligned, unsigned rotation, bool magnitude) {
    /* a second loop costs registers, of which products of long elements have none to spare */
    constexpr bool has_loop = sizeof(typename Format::element) < 4 || TERMS == ROW_NUMBERS;
    if (!is_aligned) {
        const unsigned chunks = has_loop ? bytes - bytes % ROWS_CHUNK : 0;
        if constexpr (has_loop)
            for (unsigned k = thread * ROWS_CHUNK; k < chunks; k += threads * ROWS_CHUNK)
                add_chunk<false>(sums, x + k, y + k, magnitude);
        add_elements(sums, x, y, chunks, bytes, thread, threads, magnitude);
        return;
    }
    const unsigned step = threads * ROWS_CHUNK, head = min((unsigned)-(uintptr_t)x % ROWS_CHUNK, bytes);
    const unsigned whole = (bytes - head) & -step, end = head + whole, mine = head + thread * ROWS_CHUNK;
    if (head) add_elements(sums, x, y, 0, head, thread, threads, magnitude);
    unsigned k = mine + rotation;
    for (unsigned left = whole; left; left -= step) {
        add_chunk<true>(sums, x + k, y + k, magnitude);
        k += step;
        if (k >= end) k -= whole;
    }
    if (mine + whole + ROWS_CHUNK <= bytes) add_chunk<true>(sums, x + mine + whole, y + mine + whole, magnitude);
    const unsigned tail = (bytes - head) % ROWS_CHUNK;
    if (tail) add_elements(sums, x, y, bytes - tail, bytes, thread, threads, magnitude);
}

#endif
