/* lane_columns.cuh - which columns a lane has, and how their rows come to it: as many columns as 16 bytes hold, in
 * pieces of 16 bytes if all rows stand at such; else of a word, neighbours of which belong to neighbouring lanes; else
 * one by one. Pieces come through a ring.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_COLUMNS_CUH
#define QUIRE_CUDA_THREAD_LANE_COLUMNS_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

template <class Format> struct lane_columns {
    typedef typename Format::element element;
    static constexpr int size = (int)sizeof(element), count = ROWS_CHUNK / size, word = columns_word(size),
                         of_word = word / size;
    size_t first;   /* column */
    unsigned left;  /* columns from the first on, at most as many as any lane reaches */
    unsigned apart; /* columns, from one piece's first to the next one's */
    int of_piece;   /* columns of a piece */
    int pieces;     /* of the lane that are there */
    bool has_ring;

    /* group: the first column of all the lanes that have columns side by side; lane: among them. */
    __device__ __forceinline__ lane_columns(const vectors_job &job, size_t group, unsigned lane)
        : first(group + lane * (job.column_bytes / size)), apart(job.threads * (job.column_bytes / size)),
          of_piece((int)job.column_bytes / size), pieces(0) {
        const size_t inner = job.at.x_layout.inner;
        left = (unsigned)min(inner - min(first, inner), (size_t)ROWS_CHUNK * WARP);
        for (int i = 0; i < count; i += of_piece) pieces += offset(i) + of_piece <= left;
        has_ring = job.column_bytes == ROWS_CHUNK ? pieces == 1 : job.column_bytes == word && pieces;
    }
    /* Column i of the lane, from its first. */
    __device__ __forceinline__ unsigned offset(int i) const {
        return of_piece == count ? (unsigned)i
               : of_piece == 1   ? (unsigned)i * apart
                                 : (unsigned)i / of_word * apart + i % of_word;
    }
    __device__ __forceinline__ size_t column(int i) const { return first + offset(i); }

    /* A row, whose column 0 stands at p, if it is there; in place of columns that are not there -0, or if plus +0. */
    __device__ __forceinline__ void load(element_group<Format, count> &x, const element *p, bool is_there,
                                         bool plus) const {
        const unsigned end = is_there ? left : 0;
        p += first;
#pragma unroll
        for (int i = 0; i < count; i++) x.of[i] = offset(i) < end ? p[offset(i)] : zero_element<Format>(plus);
    }
};

/* A lane's pieces of rows on their way from memory, through places in shared memory that are its own: many are under
 * way at once, and none takes a register. No other thread sees them, so that nothing waits for one. STAGES batches of
 * BATCH rows.
 */
template <class Format, int STAGES, int BATCH> class column_ring {
    typedef lane_columns<Format> columns;
    static constexpr int words = ROWS_CHUNK / columns::word;
    static_assert((STAGES & (STAGES - 1)) == 0, "a batch's stage is found by a mask");
    uint4 *own;
    const columns &lane;
    const unsigned char *from;
    ptrdiff_t apart; /* bytes from a row to the next */

    __device__ __forceinline__ uint4 *place(size_t batch, int i) const {
        return own + ((unsigned)(batch % STAGES) * BATCH + (unsigned)i) * VECTORS_THREADS;
    }

  public:
    /* Of every so manieth row of x, from one on. room: of STAGES * BATCH chunks of each of a block's threads. */
    __device__ __forceinline__ column_ring(uint4 *room, const columns &its, const vector_view<Format> &x, size_t row,
                                           unsigned step)
        : own(room + threadIdx.x), lane(its),
          from((const unsigned char *)(x.x + (ptrdiff_t)row * x.stride + (ptrdiff_t)its.first)),
          apart((ptrdiff_t)step * x.stride * columns::size) {}
    /* In place of columns that are not there -0, or if plus +0. Before the first start. */
    __device__ __forceinline__ void fill(bool plus) const {
        if (lane.of_piece == columns::count) return;
        element_group<Format, columns::of_word> zeros;
        for (int i = 0; i < columns::of_word; i++) zeros.of[i] = zero_element<Format>(plus);
        for (int i = 0; i < STAGES * BATCH; i++)
            for (int w = lane.pieces; w < words; w++)
                memcpy((unsigned char *)place(i / BATCH, i % BATCH) + w * columns::word, zeros.word, columns::word);
    }
    /* Starts to copy the next batch, which has this number. */
    __device__ __forceinline__ void start(size_t batch) {
#pragma unroll
        for (int i = 0; i < BATCH; i++, from += apart) {
            unsigned char *const to = (unsigned char *)place(batch, i);
            if (lane.of_piece == columns::count) {
                __pipeline_memcpy_async(to, from, ROWS_CHUNK);
                continue;
            }
#pragma unroll
            for (int w = 0; w < words; w++)
                if (w < lane.pieces)
                    __pipeline_memcpy_async(to + w * columns::word,
                                            from + (size_t)(unsigned)w * lane.apart * columns::size, columns::word);
        }
    }
    /* Row i of a batch that has come. */
    __device__ __forceinline__ const unsigned char *row(size_t batch, int i) const {
        return (const unsigned char *)place(batch, i);
    }
};

#endif
