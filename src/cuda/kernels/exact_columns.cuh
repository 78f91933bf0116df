/* exact_columns.cuh - exact sums of columns, many at once. A thread has a chunk of columns that stand side by side, and
 * every so manieth row of a part; the threads of a block bring their sums together in shared memory. What these do not
 * tell is marked, for by_element.cuh; of columns in parts, by_element.cu has the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_COLUMNS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_COLUMNS_CUH

#include "cuda/grid/sums_finish.cuh"
#include "cuda/thread/panel_chunks.cuh"

#define COLUMNS_ROOM                                                                                                   \
    (32 << 10) /* bytes of shared memory in which a block brings sums together                                         \
                */

/* Sums in shared memory. */
template <class Format, row_terms TERMS, class Sum> struct columns_room {
    typedef range_sums<Format, TERMS, Sum> sums;
    static constexpr int E = chunk_elements<Format>, bytes = sums::sums * (int)sizeof(Sum) * PANEL_THREADS;
    /* Columns of each chunk that are there at a time. */
    static constexpr int columns = E * bytes <= COLUMNS_ROOM       ? E
                                   : E / 2 * bytes <= COLUMNS_ROOM ? E / 2
                                   : E / 4 * bytes <= COLUMNS_ROOM ? E / 4
                                                                   : E / 8;
    static_assert(columns > 0 && columns * bytes <= COLUMNS_ROOM, "sums have no room");
    Sum of[sums::sums][columns * PANEL_THREADS];

    __device__ __forceinline__ void put(unsigned i, const sums &its) {
        if constexpr (sums::has_numbers) of[0][i] = its.numbers;
        if constexpr (sums::has_products) of[sums::sums - 1][i] = its.products;
    }
    __device__ __forceinline__ sums get(unsigned i) const {
        sums its;
        if constexpr (sums::has_numbers) its.numbers = of[0][i];
        if constexpr (sums::has_products) its.products = of[sums::sums - 1][i];
        return its;
    }
    /* Brings rows of so many sums together, until one is left, which all threads then may read. */
    __device__ __forceinline__ void halve(unsigned rows, unsigned width) {
        for (unsigned apart = rows / 2; apart; apart /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < apart * width; i += blockDim.x)
                for (int s = 0; s < sums::sums; s++) of[s][i].join(of[s][i + apart * width]);
        }
        __syncthreads();
    }
};

/* PAIR: the terms are products of two arrays; else of an array with itself, or no products. */
template <class Format, row_terms TERMS, class Sum, bool PAIR> struct exact_columns {
    typedef chunk_columns<Format, TERMS, Sum> columns;
    typedef columns_room<Format, TERMS, Sum> room_of_block;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef chunk_of<Format> group;
    static constexpr unsigned E = chunk_elements<Format>, ROWS = PAIR ? 4 : 8, AT_ONCE = room_of_block::columns;

    const vectors_job &job;
    room_of_block &room;
    unsigned slots, slot, turn; /* chunks of a bundle; the thread's; its first row */
    panel_thread at;

    __device__ __forceinline__ exact_columns(const vectors_job &of, room_of_block &its)
        : job(of), room(its), slots(of.panels.bundle * of.panels.chunks), slot(threadIdx.x % slots),
          turn(threadIdx.x / slots) {}

    /* So many rows of both arrays, from one on; zeros that change no sum where there are none. */
    __device__ __forceinline__ void add_rows(columns &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                             const panel_rows &rows, unsigned first) const {
        const unsigned step = job.panels.threads;
        group some_x[ROWS], some_y[PAIR ? ROWS : 1];
        const typename Format::element *of_x = x.at(first), *of_y = y.at(first);
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++, of_x += step * x.row, of_y += step * y.row) {
            const bool is_there = first + r * step - rows.first < rows.whole;
            load_chunk<Format>(some_x[r], of_x, is_there);
            if (PAIR) load_chunk<Format, true>(some_y[PAIR ? r : 0], of_y, is_there);
        }
        sum.template add<PAIR>(some_x, some_y, job.magnitude);
    }
    /* One row, element by element. */
    __device__ __forceinline__ void add_row(columns &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                            unsigned row) const {
        group some_x[1], some_y[1];
        x.load_some(some_x[0], x.at(row), at.from, at.end, false);
        if (PAIR) y.load_some(some_y[0], y.at(row), at.from, at.end, true);
        sum.template add<PAIR>(some_x, some_y, job.magnitude);
    }
    /* The thread's rows of a part. */
    __device__ __forceinline__ void add_part(columns &sum, size_t bundle, unsigned part) {
        const panel_share &share = job.panels;
        const ptrdiff_t first_row = (ptrdiff_t)part * share.tile + turn;
        panel_view<Format> x(job.at.x, job.at.x_layout), y(job.at.y, job.at.y_layout);
        at.take<Format>(job, bundle, slot, turn, x, y);
        x.advance(first_row), y.advance(first_row);
        const panel_rows rows(at, turn, part, share, E);
        unsigned row = 0;
        if (share.by_elements) {
#pragma unroll 1
            for (; row < rows.left; row += share.threads) add_row(sum, x, y, row);
            return;
        }
        if (rows.first) add_row(sum, x, y, 0), row = share.threads;
#pragma unroll 1
        for (; row < rows.left; row += ROWS * share.threads) add_rows(sum, x, y, rows, row);
        if (rows.has_last) add_row(sum, x, y, rows.left - 1);
    }

    /* The sums of some columns of each chunk, from column number "first" of it on, in the first row of the room. Those
     * that are side by side in a chunk stand apart there, so that threads do not meet in a bank. */
    __device__ __forceinline__ void bring_together(const columns &sum, unsigned first) const {
        const unsigned panel = slot / job.panels.chunks * job.panels.chunks, width = AT_ONCE * slots;
        const int left = (int)((slot - panel) * E) - at.before;
        __syncthreads(); /* nobody reads what was there */
        if (turn < job.panels.threads)
#pragma unroll
            for (int e = 0; e < (int)E; e++) {
                const unsigned column = (unsigned)(left + e), number = column % E - first;
                if (column < at.columns && number < AT_ONCE)
                    room.put(turn * width + number * slots + panel + column / E, sum.of[e]);
            }
        room.halve(job.panels.threads, width);
    }
    /* Stores the result of a vector, or of a part of it, or a mark. */
    __device__ __forceinline__ void deliver(size_t v, unsigned part, const sums &its) const {
        if (job.parts == 1)
            finish_sums(job, job.terms, v, its);
        else
            store_part(*job.workspace, v * job.parts + part, its);
    }
    /* The same of all columns of a thread that shares them with none. */
    __device__ __forceinline__ void finish_alone(const columns &sum, size_t bundle, unsigned part) const {
        const size_t panel = bundle * job.panels.bundle + slot / job.panels.chunks;
        const size_t outer = panel / job.panels.panels, before = panel % job.panels.panels * job.panels.columns;
        const int left = (int)(slot % job.panels.chunks * E) - at.before;
        if (turn > 0) return;
#pragma unroll
        for (int e = 0; e < (int)E; e++)
            if ((unsigned)(left + e) < at.columns)
                deliver(outer * job.at.x_layout.inner + before + (unsigned)(left + e), part, sum.of[e]);
    }
    /* The same of what is in the room. */
    __device__ __forceinline__ void finish(size_t bundle, unsigned part, unsigned first) const {
        for (unsigned i = threadIdx.x; i < AT_ONCE * slots; i += blockDim.x) {
            const unsigned chunk = i % slots, column = chunk % job.panels.chunks * E + first + i / slots;
            const size_t panel = bundle * job.panels.bundle + chunk / job.panels.chunks,
                         outer = panel / job.panels.panels, before = panel % job.panels.panels * job.panels.columns,
                         inner = job.at.x_layout.inner, v = outer * inner + before + column;
            if (outer >= job.at.x_layout.outer || column >= min(job.panels.columns, inner - before)) continue;
            deliver(v, part, room.get(i));
        }
    }
};

template <class Format, row_terms TERMS, class Sum, bool PAIR>
__global__ void __launch_bounds__(PANEL_THREADS, (columns_blocks<Format, TERMS, Sum>))
    exact_columns_kernel(const __grid_constant__ vectors_job job) {
    typedef exact_columns<Format, TERMS, Sum, PAIR> all;
    __shared__ typename all::room_of_block room;
    all its(job, room);
    for (size_t unit = blockIdx.x; unit < job.panels.bundles * job.parts; unit += gridDim.x) {
        const unsigned part = job.parts == 1 ? 0 : (unsigned)(unit / job.panels.bundles);
        const size_t bundle = unit - part * job.panels.bundles;
        typename all::columns sum;
        sum.clear();
        its.add_part(sum, bundle, part);
        if (job.panels.threads == 1) {
            its.finish_alone(sum, bundle, part);
            continue;
        }
        for (unsigned first = 0; first < all::E; first += all::AT_ONCE) {
            its.bring_together(sum, first);
            its.finish(bundle, part, first);
        }
    }
}

#endif
