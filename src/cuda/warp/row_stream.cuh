/* row_stream.cuh - rows as a stream of pieces of memory that pass through a warp's stages in shared memory: while the pieces
 * of one stage are added up, those of the other are under way. What is in a stage stands there as in memory, byte for byte.
 *
 * An item is what fills a stage: 32 / threads rows side by side, or a piece of one row. A bundle is job.turns such groups of
 * rows, one after the other; lane i finishes row i of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_ROW_STREAM_CUH
#define QUIRE_CUDA_WARP_ROW_STREAM_CUH

#include <cuda_pipeline.h>

#include "cuda/thread/row_sums.cuh"
#include "cuda/warp/vector_at.cuh"

/* Where a warp is in its stream. */
struct row_item {
    size_t bundle;
    unsigned turn, piece;

    __device__ __forceinline__ size_t first_row(const vectors_job &job) const {
        return (bundle * job.turns + turn) * (WARP / job.threads);
    }
    __device__ __forceinline__ bool is_there(const vectors_job &job) const { return first_row(job) < job.vectors; }
    __device__ __forceinline__ bool ends_rows(const vectors_job &job) const { return piece + 1 == job.parts; }
    __device__ __forceinline__ bool ends_bundle(const vectors_job &job) const {
        return ends_rows(job) && (turn + 1 == job.turns || first_row(job) + WARP / job.threads >= job.vectors);
    }
    /* The one after this, where a warp takes every so manieth bundle. */
    __device__ __forceinline__ row_item next(const vectors_job &job, size_t warps) const {
        if (!ends_rows(job)) return { bundle, turn, piece + 1 };
        if (!ends_bundle(job)) return { bundle, turn + 1, 0 };
        return { bundle + warps, 0, 0 };
    }
};

/* An item of one array: its elements, and those around it that may be read. */
template <class Element> struct row_piece {
    const Element *begin, *end, *low, *high;

    __device__ __forceinline__ unsigned offset() const { return (unsigned)((uintptr_t)begin % ROWS_CHUNK); }

    /* Starts to copy the chunks that hold the item, so that its first element stands offset() bytes into the stage. A chunk
     * that reaches beyond what may be read goes element by element. */
    __device__ __forceinline__ void fetch(unsigned char *stage, int lane) const {
        const char *from = (const char *)begin - offset();
        const unsigned bytes = (unsigned)((const char *)end - from);
        for (unsigned at = (unsigned)lane * ROWS_CHUNK; at < bytes; at += WARP * ROWS_CHUNK) {
            const char *chunk = from + at;
            if (chunk >= (const char *)low && chunk + ROWS_CHUNK <= (const char *)high) {
                __pipeline_memcpy_async(stage + at, chunk, ROWS_CHUNK);
                continue;
            }
            for (int i = 0; i < ROWS_CHUNK / (int)sizeof(Element); i++) {
                const Element *one = (const Element *)chunk + i;
                if (one >= low && one < high) ((Element *)(stage + at))[i] = *one;
            }
        }
    }
};

/* How many rows an item has, and how many elements of each. */
struct row_extent {
    unsigned rows, elements;
};

static __device__ __forceinline__ row_extent extent_of_item(const vectors_job &job, const row_item &item) {
    const size_t n = job.at.x_layout.n, first = item.first_row(job), left = job.vectors - first, done = item.piece * job.part;
    return { (unsigned)min((size_t)(WARP / job.threads), left), (unsigned)min(job.part, n - done) };
}

template <class Format>
static __device__ __forceinline__ row_piece<typename Format::element>
piece_of(const vectors_job &job, const row_item &item, const void *array, const quire_layout &l) {
    typedef typename Format::element element;
    const row_extent extent = extent_of_item(job, item);
    const element *all = (const element *)array;
    if (job.is_contiguous) {
        const element *begin = all + item.first_row(job) * l.n + item.piece * job.part;
        return { begin, begin + (size_t)extent.rows * extent.elements, all, all + job.vectors * l.n };
    }
    const size_t row = item.first_row(job), i = l.inner == 1 ? row : row / l.inner, j = l.inner == 1 ? 0 : row % l.inner;
    const element *first = view_of<Format>(array, l, i, j).x, *begin = first + item.piece * job.part;
    return { begin, begin + extent.elements, first, first + l.n };
}

/* Adds what a thread has of an item in the stages of x and y. A row's threads take its chunks in turn; neighbouring rows
 * start at different ones, since rows of some lengths would meet in the same banks. Where rows do not stand at chunks they
 * take elements in turn. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void add_item(row_sums<Format, TERMS> &sums, const vectors_job &job, row_extent extent,
                                                const unsigned char *x, const unsigned char *y, int lane) {
    typedef typename Format::element element;
    constexpr int count = ROWS_CHUNK / (int)sizeof(element);
    const unsigned threads = job.threads, row = lane / threads, thread = lane % threads;
    if (row >= extent.rows) return;
    const unsigned row_bytes = extent.elements * (unsigned)sizeof(element), apart = threads < WARP ? row_bytes : 0;
    unsigned done = 0;
    if ((((uintptr_t)x | (uintptr_t)y | apart) & (ROWS_CHUNK - 1)) == 0) {
        const unsigned chunks = row_bytes / ROWS_CHUNK, rounds = (chunks + threads - 1) / threads;
        unsigned round = rounds > 1 && threads <= 4 ? row % rounds : 0;
        for (unsigned i = 0; i < rounds; i++) {
            const unsigned chunk = round * threads + thread;
            element_group<Format, count> of_x, of_y;
            if (chunk < chunks) {
                of_x.load_stage(x + row * row_bytes + chunk * ROWS_CHUNK);
                if (TERMS == ROW_PRODUCTS) of_y.load_stage(y + row * row_bytes + chunk * ROWS_CHUNK);
                sums.add(of_x, of_y, job.magnitude);
            }
            if (++round == rounds) round = 0;
        }
        done = chunks * count;
    }
    const element *of_row_x = (const element *)(x + row * row_bytes), *of_row_y = (const element *)(y + row * row_bytes);
    for (unsigned k = done + thread; k < extent.elements; k += threads) {
        element_group<Format, 1> of_x, of_y;
        of_x.load_one(of_row_x + k);
        if (TERMS == ROW_PRODUCTS) of_y.load_one(of_row_y + k);
        sums.add(of_x, of_y, job.magnitude);
    }
}

#endif
