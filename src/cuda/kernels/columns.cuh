/* columns.cuh - exact sums of columns, many at once: a lane has as many as 16 bytes of a row hold
 * (thread/lane_columns.cuh). Where there are few columns lanes share them; the warps of a block share theirs where
 * there are many rows, and blocks take parts of the rows. What it cannot tell it marks, for marked.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_COLUMNS_CUH
#define QUIRE_CUDA_KERNELS_COLUMNS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/row_finish.cuh"
#include "cuda/thread/lane_columns.cuh"

#define COLUMNS_ITEM 64 /* loads that make an item (row_sums.cuh) */

/* Formats of which a lane has few columns: they have registers for more rows at a time, and for sums of items. */
template <class Format> constexpr bool has_few_columns = sizeof(typename Format::element) >= 4;
template <class Format>
constexpr int columns_ahead = has_few_columns<Format> ? 8 : 4; /* rows that a lane loads at a time */

static_assert(2 * COLUMNS_ITEM * 8 < 1 << ROW_ITEM_BITS, "an item has more rows than its sum allows for");

/* What a warp, or a block, takes: a part of the rows of job.threads times as many columns as a lane has, of one of the
 * outer arrays. */
struct column_unit {
    size_t outer, first; /* column */
    size_t part;

    __device__ __forceinline__ column_unit(const vectors_job &job, size_t unit, unsigned columns) {
        const size_t groups = (job.at.x_layout.inner + columns - 1) / columns;
        first = unit % groups * columns; /* neighbours are at work at the same time: they share sectors of memory */
        part = unit / groups % job.parts;
        outer = unit / groups / job.parts;
    }
};

/* The sums of a lane's columns. */
template <class Format, row_terms TERMS> struct column_sums {
    typedef row_sums<Format, TERMS, has_few_columns<Format>> sums_of_column;
    static constexpr int ahead = columns_ahead<Format>;
    typedef lane_columns<Format> columns;
    typedef element_group<Format, columns::count> group;
    sums_of_column of[columns::count];
    uint32_t special;

    __device__ __forceinline__ void clear() {
        special = 0;
#pragma unroll
        for (int i = 0; i < columns::count; i++) of[i].clear();
    }
    __device__ __forceinline__ void add(const group &x, const group &y, bool magnitude) {
        special |= sums_of_column::special_of(x, y);
#pragma unroll
        for (int i = 0; i < columns::count; i++) of[i].add_element(x, y, i, magnitude);
    }
    __device__ __forceinline__ void close() {
#pragma unroll
        for (int i = 0; i < columns::count; i++) of[i].close();
    }
    /* Rows first to end of a part, every so manieth; in place of those that are not there what changes no sum. */
    __device__ __forceinline__ void add_rows(const vectors_job &job, const columns &lane, const vector_view<Format> &x,
                                             const vector_view<Format> &y, size_t first, size_t end, unsigned step) {
        unsigned loads = 0;
        for (size_t k = first; k < end; k += ahead * step) {
            group of_x[ahead], of_y[ahead];
#pragma unroll
            for (int i = 0; i < ahead; i++) {
                const size_t row = k + (unsigned)i * step;
                lane.load(of_x[i], x.x + (ptrdiff_t)row * x.stride, row < end, false);
                if (TERMS == ROW_PRODUCTS) lane.load(of_y[i], y.x + (ptrdiff_t)row * y.stride, row < end, true);
            }
#pragma unroll
            for (int i = 0; i < ahead; i++) add(of_x[i], of_y[i], job.magnitude);
            if (++loads % COLUMNS_ITEM == 0) close();
        }
    }
    /* The same through a ring, batches of rows ahead; answers the first row that is in no whole batch. */
    __device__ __forceinline__ size_t add_batches(const vectors_job &job, const columns &lane,
                                                  const vector_view<Format> &x, const vector_view<Format> &y,
                                                  size_t first, size_t end, unsigned step, uint4 *room) {
        constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
        constexpr int batch = has_pairs ? COLUMNS_BATCH / 2 : COLUMNS_BATCH, stages = COLUMNS_AHEAD / COLUMNS_BATCH;
        constexpr size_t item = COLUMNS_ITEM * ahead / batch;
        typedef column_ring<Format, stages, batch> ring;
        const size_t batches = first < end ? (end - first + step - 1) / step / batch : 0;
        ring of_x(room, lane, x, first, step), of_y(room + COLUMNS_AHEAD / 2 * VECTORS_THREADS, lane, y, first, step);
        of_x.fill(false);
        if (has_pairs) of_y.fill(true);
        auto start = [&](size_t b) {
            if (b < batches) {
                of_x.start(b);
                if (has_pairs) of_y.start(b);
            }
            __pipeline_commit();
        };
        for (int s = 0; s < stages; s++) start(s);
        for (size_t b = 0; b < batches; b++) {
            group rows_x[batch], rows_y[batch];
            __pipeline_wait_prior(stages - 1);
#pragma unroll
            for (int i = 0; i < batch; i++) {
                rows_x[i].load_stage(of_x.row(b, i));
                if (has_pairs) rows_y[i].load_stage(of_y.row(b, i));
            }
#pragma unroll
            for (int i = 0; i < batch; i++) add(rows_x[i], rows_y[i], job.magnitude);
            start(b + stages);
            if (b % item == item - 1) close();
        }
        return first + batches * batch * step;
    }
};

/* A column's sums as words, of each warp of a block. */
template <class Sums> struct column_words {
    double word[Sums::words][VECTORS_THREADS], width[Sums::sums][VECTORS_THREADS];
};

/* One sum of a column from all warps, its words from "first" on: added up, as WORDS words. */
template <int WORDS, class Sums>
static __device__ __forceinline__ void total_of_warps(const column_words<Sums> &room, unsigned lane, int first, int sum,
                                                      double *word, double *width) {
    long_sum<WORDS == 3 ? 3 : 2> s;
    s.clear();
    for (unsigned from = lane; from < VECTORS_THREADS; from += WARP) {
        for (int w = 0; w < WORDS; w++) s.add_word(w, room.word[first + w][from]);
        s.widen(room.width[sum][from], 0);
    }
    if constexpr (WORDS == 1) s.shorten();
    for (int w = 0; w < WORDS; w++) word[w] = s.word(w);
    *width = s.width();
}

template <class Sums>
static __device__ __forceinline__ void totals_of_warps(const column_words<Sums> &room, unsigned lane,
                                                       double (&word)[Sums::words], double (&width)[Sums::sums]) {
    constexpr int numbers = Sums::number_words, products = Sums::words - numbers;
    if constexpr (Sums::has_numbers) total_of_warps<numbers>(room, lane, 0, 0, word, width);
    if constexpr (Sums::has_products)
        total_of_warps<products>(room, lane, numbers, Sums::sums - 1, word + numbers, width + (Sums::sums - 1));
}

template <class Sums, row_terms TERMS>
static __device__ __forceinline__ void leave_column(const vectors_job &job, const column_unit &unit, size_t column,
                                                    const double (&word)[Sums::words],
                                                    const double (&width)[Sums::sums]) {
    const size_t v = unit.outer * job.at.x_layout.inner + column;
    if (column >= job.at.x_layout.inner) return;
    if (job.parts == 1)
        finish_column<Sums, TERMS>(job, v, job.at.x_layout.n, word, width);
    else
        store_part<Sums>(*job.workspace, v * job.parts + unit.part, word, width);
}

/* job.warps: how many warps share a unit, 1 or those of a block. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(VECTORS_THREADS, VECTORS_BLOCKS)
    columns_kernel(const __grid_constant__ vectors_job job) {
    typedef lane_columns<Format> columns;
    typedef typename column_sums<Format, TERMS>::sums_of_column sums_of_column;
    __shared__ column_words<sums_of_column> room;
    extern __shared__ __align__(ROWS_CHUNK) unsigned char shared[];
    uint4 *const staged = (uint4 *)shared;
    const bool by_block = job.warps > 1;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, side = lane % job.threads,
                   sharers = WARP / job.threads;
    const quire_layout &l = job.at.x_layout;
    const unsigned wide = job.threads * columns::count, turn = (by_block ? warp * sharers : 0) + lane / job.threads;
    const size_t units = l.outer * ((l.inner + wide - 1) / wide) * job.parts;
    const size_t first = by_block ? blockIdx.x : warp_of_grid(), step = by_block ? gridDim.x : warps_of_grid();
    for (size_t u = first; u < units; u += step) {
        const column_unit unit(job, u, wide);
        const columns mine(job, unit.first, side);
        const size_t begin = unit.part * job.part, end = min(begin + job.part, l.n);
        column_sums<Format, TERMS> sums;
        sums.clear();
        const vector_view<Format> x = view_of<Format>(job.at.x, l, unit.outer, 0),
                                  y = view_of<Format>(job.at.y, job.at.y_layout, unit.outer, 0);
        size_t row = begin + turn;
        if (mine.has_ring) row = sums.add_batches(job, mine, x, y, row, end, sharers * job.warps, staged);
        sums.add_rows(job, mine, x, y, row, end, sharers * job.warps);
        sums.close();
        __syncwarp();
#pragma unroll
        for (int i = 0; i < columns::count; i++) {
            sums_of_column &s = sums.of[i];
            s.special = sums.special;
            s.merge(sharers, job.threads);
            row_words<sums_of_column> total;
            total.set(s);
            if (by_block) {
                for (int w = 0; w < sums_of_column::words; w++) room.word[w][threadIdx.x] = total.word[w];
                for (int j = 0; j < sums_of_column::sums; j++) room.width[j][threadIdx.x] = total.width[j];
                __syncthreads();
                if (warp == 0) totals_of_warps(room, lane, total.word, total.width);
                __syncthreads();
            }
            if (lane < job.threads && (!by_block || warp == 0))
                leave_column<sums_of_column, TERMS>(job, unit, mine.column(i), total.word, total.width);
        }
        __syncwarp();
    }
}

#endif
