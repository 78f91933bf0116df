/* row_stream.cuh - rows as a stream of items that pass through a warp's stages (stage.cuh).
 *
 * An item is "groups" times 32 / threads rows side by side, or one of "pieces" pieces of a row. A unit, which a warp takes
 * at a time, is as many items one after the other as make "turns" such groups of rows; between its units lie those of the
 * other warps. groups is 1 unless a row has one thread, and then turns is 1. Where there are few long rows each has "parts",
 * which are rows here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_ROW_STREAM_CUH
#define QUIRE_CUDA_WARP_ROW_STREAM_CUH

#include "cuda/thread/row_sums.cuh"
#include "cuda/warp/stage.cuh"
#include "cuda/warp/vector_at.cuh"

#if QUIRE_HAS_BULK

/* The first elements of a row that does not stand beside the one before, or of a part; and how many it has. */
template <class Format> struct row_place {
    const typename Format::element *x, *y;
    unsigned n;
};

template <class Format> static __device__ __noinline__ row_place<Format> place_of_row(const vectors_job &job, size_t row) {
    const size_t first = row % job.parts * job.part;
    const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, row / job.parts);
    return { at.x.x + first, at.y.x + first, (unsigned)(job.parts > 1 ? min(job.part, at.n - min(first, at.n)) : at.n) };
}

/* Where a warp is in its stream: at an item whose first row and elements these are. */
template <class Format> struct row_cursor {
    typedef typename Format::element element;
    const element *x, *y;
    size_t row;
    unsigned turn, piece, n; /* elements of the row                                                                      */

    __device__ __forceinline__ row_cursor(const vectors_job &job, size_t unit)
        : row(unit * job.turns * job.rows_of_item), turn(0), piece(0), n((unsigned)job.at.x_layout.n) {
        if (job.is_contiguous) {
            x = (const element *)job.at.x + row * job.at.x_layout.n, y = (const element *)job.at.y + row * job.at.x_layout.n;
        } else {
            find_row(job);
        }
    }
    __device__ __forceinline__ void find_row(const vectors_job &job) {
        const row_place<Format> at = place_of_row<Format>(job, row);
        x = at.x, y = at.y, n = at.n;
    }
    __device__ __forceinline__ bool is_there(const vectors_job &job) const { return row < job.vectors * job.parts; }
    __device__ __forceinline__ unsigned rows(const vectors_job &job) const {
        const size_t left = job.vectors * job.parts - row;
        return left < job.rows_of_item ? (unsigned)left : job.rows_of_item;
    }
    /* Elements of a row that the item has: none where a last part ends early. */
    __device__ __forceinline__ unsigned length(const vectors_job &job) const {
        if (job.pieces == 1) return n;
        const unsigned done = piece * (unsigned)job.piece_length;
        return min((unsigned)job.piece_length, n - min(done, n));
    }
    __device__ __forceinline__ bool ends_rows(const vectors_job &job) const { return piece + 1 == job.pieces; }
    __device__ __forceinline__ bool ends_unit(const vectors_job &job) const {
        return turn + 1 == job.turns || row + job.rows_of_item >= job.vectors * job.parts;
    }
    /* The next item. Between the warp's units lie those of the others. */
    __device__ __forceinline__ void advance(const vectors_job &job) {
        if (!ends_rows(job)) {
            x += job.piece_length, y += job.piece_length, piece++;
            return;
        }
        size_t ahead = job.pieces == 1 ? job.elements_of_item : job.last_piece;
        piece = 0, row += job.rows_of_item;
        if (++turn == job.turns) turn = 0, row += job.rows_ahead, ahead += job.elements_ahead;
        if (job.is_contiguous)
            x += ahead, y += ahead;
        else
            find_row(job);
    }
    __device__ __forceinline__ memory_piece<element> piece_of(const vectors_job &job, const element *at,
                                                              const void *all) const {
        const element *end = at + rows(job) * length(job), *first = (const element *)all;
        if (job.is_contiguous) return { at, end, first, first + job.vectors * job.at.x_layout.n };
        return { at, end, at - piece * job.piece_length, at - piece * job.piece_length + n };
    }
    /* Starts to copy the item; y stands in the second half of a stage. */
    template <bool PAIR>
    __device__ __forceinline__ void fetch(const vectors_job &job, warp_stages &stages, unsigned stage, int lane) const {
        uint64_t *barrier = &stages.filled[stage];
        const memory_piece<element> of_x = piece_of(job, x, job.at.x);
        const piece_copy<element> copy_x(of_x);
        if (PAIR && job.is_pair) {
            const memory_piece<element> of_y = piece_of(job, y, job.at.y);
            const piece_copy<element> copy_y(of_y);
            if (lane == 0) barrier_expect(barrier, copy_x.bytes + copy_y.bytes);
            copy_y.start(barrier, of_y, stages.data[stage] + ROWS_STAGE / 2, lane);
        } else if (lane == 0) {
            barrier_expect(barrier, copy_x.bytes);
        }
        copy_x.start(barrier, of_x, stages.data[stage], lane);
    }
};

#endif

/* Whether chunks of rows can be added: all rows stand at chunks, or there is one, and x and y are alike. */
static __device__ __forceinline__ bool are_aligned(const unsigned char *x, const unsigned char *y, unsigned apart) {
    const uintptr_t off_x = (uintptr_t)x % ROWS_CHUNK, off_y = (uintptr_t)y % ROWS_CHUNK;
    return off_x == off_y && (apart == 0 || (off_x | apart % ROWS_CHUNK) == 0);
}

/* Adds chunks of so many bytes that stand from x on: every so manieth, from "from" to the end and then from the front on. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_run(row_sums<Format, TERMS> &sums, const unsigned char *x, unsigned bytes,
                                               unsigned from, unsigned step, ptrdiff_t to_y, bool magnitude) {
    constexpr int count = ROWS_CHUNK / (int)sizeof(typename Format::element);
    const unsigned char *end = x + bytes, *p = x + from;
    for (unsigned left = bytes; left; left -= step) {
        element_group<Format, count> of_x, of_y;
        of_x.load_stage(p);
        if (TERMS == ROW_PRODUCTS) of_y.load_stage(p + to_y);
        sums.add(of_x, of_y, magnitude);
        p += step;
        if (p >= end) p -= bytes;
    }
}

/* Adds elements from a byte on to an end, every so manieth. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_elements(row_sums<Format, TERMS> &sums, const unsigned char *x,
                                                    const unsigned char *y, unsigned from, unsigned end, unsigned thread,
                                                    unsigned threads, bool magnitude) {
    constexpr unsigned size = (unsigned)sizeof(typename Format::element);
    for (unsigned k = from + thread * size; k < end; k += threads * size) {
        element_group<Format, 1> of_x, of_y;
        of_x.load_one((const typename Format::element *)(x + k));
        if (TERMS == ROW_PRODUCTS) of_y.load_one((const typename Format::element *)(y + k));
        sums.add(of_x, of_y, magnitude);
    }
}

/* Adds what a thread has of a row of so many bytes, which its neighbours share: if chunks can be added these, and elements
 * before and behind them; else elements. "rotation" is how many bytes into the chunks its threads begin: where all began at
 * the front, the threads of neighbouring rows would meet in the same banks. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_row(row_sums<Format, TERMS> &sums, const unsigned char *x, const unsigned char *y,
                                               unsigned bytes, unsigned thread, unsigned threads, bool is_aligned,
                                               unsigned rotation, bool magnitude) {
    constexpr int count = ROWS_CHUNK / (int)sizeof(typename Format::element);
    if (!is_aligned) {
        add_elements(sums, x, y, 0, bytes, thread, threads, magnitude);
        return;
    }
    const unsigned step = threads * ROWS_CHUNK, head = min((unsigned)-(uintptr_t)x % ROWS_CHUNK, bytes);
    const unsigned whole = (bytes - head) / step * step, mine = head + whole + thread * ROWS_CHUNK;
    if (head) add_elements(sums, x, y, 0, head, thread, threads, magnitude);
    if (whole) add_run<Format, TERMS>(sums, x + head, whole, thread * ROWS_CHUNK + rotation, step, y - x, magnitude);
    if (mine + ROWS_CHUNK <= bytes) {
        element_group<Format, count> of_x, of_y;
        of_x.load_stage(x + mine);
        if (TERMS == ROW_PRODUCTS) of_y.load_stage(y + mine);
        sums.add(of_x, of_y, magnitude);
    }
    const unsigned tail = (bytes - head) % ROWS_CHUNK;
    if (tail) add_elements(sums, x, y, bytes - tail, bytes, thread, threads, magnitude);
}

#endif
