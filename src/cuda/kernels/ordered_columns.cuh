/* ordered_columns.cuh - columns by the methods of the canonical order, many at once. A thread has a chunk of columns
 * that stand side by side, and some lanes of each tile; threads merge their lanes in shared memory. A block takes a
 * power of two of tiles, a part of its columns; the last block to end brings parts together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_COLUMNS_CUH
#define QUIRE_CUDA_KERNELS_ORDERED_COLUMNS_CUH

#include "cuda/grid/records.cuh"
#include "cuda/grid/vectors_finish.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/choices.cuh"
#include "cuda/thread/chunk.cuh"
#include "cuda/thread/panel_chunks.cuh"

/* A lane of the canonical order for each of the columns that stand side by side in a chunk. */
template <class Format, class Method> struct column_states {
    typedef typename Format::real real;
    static constexpr int E = chunk_elements<Format>;
    real of[E][Method::words];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int e = 0; e < E; e++)
            for (int w = 0; w < Method::words; w++) of[e][w] = (real)-0.0;
    }
    /* One row; of magnitudes without its signs. */
    template <bool PRODUCT> __device__ __forceinline__ void add(const chunk_of<Format> &x, const chunk_of<Format> &y) {
        typedef element_term<Format, PRODUCT> term;
        real a[E], b[E];
        decode_chunk(Format(), x, a);
        if constexpr (PRODUCT) decode_chunk(Format(), y, b);
#pragma unroll
        for (int e = 0; e < E; e++) {
            const real other = PRODUCT ? b[e] : a[e], value = term::value(a[e], other, false);
            Method::add(of[e], value, term::error(a[e], other, value), PRODUCT);
        }
    }
    /* Lanes that come behind these. */
    __device__ __forceinline__ void merge(const column_states &others) {
#pragma unroll
        for (int e = 0; e < E; e++) Method::merge(of[e], others.of[e]);
    }
};

/* A thread's lanes stand evenly apart, a power of two of them, and it takes them in bit-reversed turns. Those of turns
 * 0 and 1 are then the first that the order merges, as are those of 2 and 3, and then the two pairs: a binary counter,
 * in memory of the thread's own. */
template <class States> struct lane_counter {
    States waiting[PANEL_LANES_LOG + 1];

    /* What the lanes of turn number "turn" come to; becomes what is known of all, after the last. */
    __device__ __forceinline__ void add(unsigned turn, States &sum) {
        unsigned b = 0;
#pragma unroll 1
        for (; turn & 1; turn >>= 1, b++) {
            States left = waiting[b];
            left.merge(sum);
            sum = left;
        }
        waiting[b] = sum;
    }
};

/* The same of 2^LOG lanes, in registers. */
template <class States, int LOG> struct lane_group {
    States waiting[LOG];

    __device__ __forceinline__ void add(unsigned turn, States &sum) {
#pragma unroll
        for (unsigned b = 0; b < LOG; b++) {
            if (!(turn >> b & 1)) {
                waiting[b] = sum;
                return;
            }
            States left = waiting[b];
            left.merge(sum);
            sum = left;
        }
    }
};

/* States in shared memory, where the threads of a block merge them: rows of them, a power of two, as wide as the block
 * has columns. */
template <class Real, class Method, int STATES> struct panel_room {
    Real word[Method::words][STATES];

    __device__ __forceinline__ void put(unsigned i, const Real (&state)[Method::words]) {
        for (int w = 0; w < Method::words; w++) word[w][i] = state[w];
    }
    __device__ __forceinline__ void get(unsigned i, Real (&state)[Method::words]) const {
        for (int w = 0; w < Method::words; w++) state[w] = word[w][i];
    }
    /* Merges the lower half of the rows into the upper half, until one is left, which all threads then may read. */
    __device__ __forceinline__ void halve(unsigned rows, unsigned width) {
        for (unsigned apart = rows / 2; apart; apart /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < apart * width; i += blockDim.x) {
                Real state[Method::words], other[Method::words];
                get(i, state), get(i + apart * width, other);
                Method::merge(state, other);
                put(i, state);
            }
        }
        __syncthreads();
    }
};

/* Blocks of a multiprocessor that registers are to leave room for: fewer where a thread has more states. */
template <class Format, class Method>
constexpr int panel_blocks = PANEL_BLOCKS - (Method::words * chunk_elements<Format> > 8);

/* Once in the code, for all columns that a thread finishes. */
template <class Method>
static __device__ __noinline__ void finish_ordered_column(const vectors_job &job, size_t v, double first,
                                                          double second) {
    store_words<Method>(job, v, job.at.x_layout.n, first, second);
}

template <class Format, bool PRODUCT, class Method> struct ordered_columns {
    typedef typename Format::real real;
    typedef column_states<Format, Method> states;
    typedef chunk_of<Format> group;
    static constexpr unsigned E = chunk_elements<Format>, LOADS_LOG = panel_loads_log(PRODUCT);
    typedef panel_room<real, Method, PANEL_THREADS * chunk_elements<Format>> room_of_block;

    const vectors_job &job;
    room_of_block &room;
    unsigned slots, slot, turn, width; /* chunks of a bundle; the thread's; its first lane; columns of a bundle */
    panel_thread at;

    __device__ __forceinline__ ordered_columns(const vectors_job &of, room_of_block &its)
        : job(of), room(its), slots(of.panels.bundle * of.panels.chunks), slot(threadIdx.x % slots),
          turn(threadIdx.x / slots), width(slots * E) {}

    /* How far the lane of a turn stands from the thread's first one. */
    __device__ __forceinline__ unsigned lane_at(unsigned m) const {
        return turn_of_lane(m, job.panels.lanes) * job.panels.threads;
    }

    /* Loads ROWS rows of each of LANES lanes, from turn m and row i of lanes on; zeros where there are none. */
    template <bool PLUS, int LANES, int ROWS>
    __device__ __forceinline__ void load(group (&to)[LANES][ROWS], const panel_view<Format> &view,
                                         const panel_rows &rows, unsigned m, unsigned i) const {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            const unsigned first = lane_at(m + l) + i * ORDER_LANES;
            const typename Format::element *p = view.at(first);
#pragma unroll
            for (int u = 0; u < ROWS; u++, p += ORDER_LANES * view.row)
                load_chunk<Format, PLUS>(to[l][u], p, first + u * ORDER_LANES - rows.first < rows.whole);
        }
    }
    /* The same of what terms are made of: numbers, or magnitudes; or both factors. */
    template <int LANES, int ROWS>
    __device__ __forceinline__ void load_terms(group (&of_x)[LANES][ROWS], group (&of_y)[PRODUCT ? LANES : 1][ROWS],
                                               const panel_view<Format> &x, const panel_view<Format> &y,
                                               const panel_rows &rows, unsigned m, unsigned i) const {
        load<false>(of_x, x, rows, m, i);
        if constexpr (PRODUCT) {
            if (job.is_pair)
                load<true>(of_y, y, rows, m, i);
            else
                memcpy(of_y, of_x, sizeof of_y);
        } else if (job.magnitude) {
#pragma unroll
            for (int k = 0; k < LANES * ROWS; k++) clear_signs<Format>(of_x[k / ROWS][k % ROWS]);
        }
    }
    /* Lanes m to m + 2^LOG, of ROWS rows at most: all loads are under way together. */
    template <int LOG, int ROWS>
    __device__ __forceinline__ void add_lanes(states &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                              const panel_rows &rows, unsigned m) const {
        constexpr int LANES = 1 << LOG;
        lane_group<states, LOG> lanes;
        group some_x[LANES][ROWS], some_y[PRODUCT ? LANES : 1][ROWS];
        load_terms(some_x, some_y, x, y, rows, m, 0);
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            sum.clear();
#pragma unroll
            for (int u = 0; u < ROWS; u++) sum.template add<PRODUCT>(some_x[l][u], some_y[PRODUCT ? l : 0][u]);
            lanes.add(l, sum);
        }
    }
    /* One row, element by element. */
    __device__ __forceinline__ void add_row(states &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                            unsigned row) const {
        group some_x, some_y;
        x.load_some(some_x, x.at(row), at.from, at.end, false);
        if constexpr (PRODUCT)
            y.load_some(some_y, y.at(row), at.from, at.end, !!job.is_pair);
        else if (job.magnitude)
            clear_signs<Format>(some_x);
        sum.template add<PRODUCT>(some_x, some_y);
    }
    /* So many lanes from turn m on, of any number of rows, one after the other. */
    __device__ __forceinline__ void add_alone(states &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                              const panel_rows &rows, unsigned m, unsigned count) const {
        constexpr int ROWS = 1 << LOADS_LOG;
        lane_counter<states> lanes;
#pragma unroll 1
        for (unsigned l = 0; l < count; l++) {
            const unsigned lane = lane_at(m + l);
            sum.clear();
            if (rows.first && m + l == 0) add_row(sum, x, y, 0);
#pragma unroll 1
            for (unsigned i = 0; lane + i * ORDER_LANES < rows.left; i += ROWS) {
                group some_x[1][ROWS], some_y[1][ROWS];
                load_terms(some_x, some_y, x, y, rows, m + l, i);
#pragma unroll
                for (int u = 0; u < ROWS; u++) sum.template add<PRODUCT>(some_x[0][u], some_y[0][u]);
            }
            if (rows.has_last && m + l == rows.turn_with_last) add_row(sum, x, y, rows.left - 1);
            lanes.add(l, sum);
        }
    }
    /* The same of columns that have no chunks. */
    __device__ __forceinline__ void add_elements(states &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                                 const panel_rows &rows) const {
        lane_counter<states> lanes;
#pragma unroll 1
        for (unsigned m = 0; m < job.panels.lanes; m++) {
            sum.clear();
#pragma unroll 1
            for (unsigned row = lane_at(m); row < rows.left; row += ORDER_LANES) add_row(sum, x, y, row);
            lanes.add(m, sum);
        }
    }
    /* The thread's lanes of tile number q, which x and y show, merged: those of a few rows several at a time. */
    __device__ __forceinline__ void add_tile(states &sum, const panel_view<Format> &x, const panel_view<Format> &y,
                                             unsigned q) const {
        const panel_share &share = job.panels;
        const unsigned lanes = share.lanes, together = min(share.lanes_at_once, lanes);
        const panel_rows rows(at, turn, q, share, E);
        if (job.panels.by_elements) {
            add_elements(sum, x, y, rows);
            return;
        }
        lane_counter<states> all;
        const unsigned step = together > 1 ? together : lanes;
#pragma unroll 1
        for (unsigned m = 0; m < lanes; m += step) {
            if (together == 1 || rows.have_others(m, together))
                add_alone(sum, x, y, rows, m, step);
            else if (together == 1 << LOADS_LOG)
                add_lanes<LOADS_LOG, 1>(sum, x, y, rows, m);
            else if (LOADS_LOG > 2 && together == 4)
                add_lanes<2, 1 << (LOADS_LOG - 2)>(sum, x, y, rows, m);
            else
                add_lanes<1, 1 << (LOADS_LOG - 1)>(sum, x, y, rows, m);
            if (together > 1) all.add(m / together, sum);
        }
    }
    /* Merges what the threads of each column have; the columns' states are then the first ones of the room. Those that
     * are side by side in a chunk stand apart there, so that threads do not meet in a bank. */
    __device__ __forceinline__ void merge_threads(const states &sum) const {
        __syncthreads(); /* nobody reads what was there */
        const unsigned panel = slot / job.panels.chunks * job.panels.chunks;
        const int first = (int)((slot - panel) * E) - at.before;
        if (turn < job.panels.threads)
#pragma unroll
            for (int e = 0; e < (int)E; e++) {
                const unsigned column = (unsigned)(first + e);
                if (column < at.columns) room.put(turn * width + column % E * slots + panel + column / E, sum.of[e]);
            }
        room.halve(job.panels.threads, width);
    }

    /* Tiles first to end of the bundle, a subtree of the order: its states are then the first ones of the room. */
    __device__ __forceinline__ void add_part(size_t bundle, unsigned first, unsigned end) {
        tile_tree<real, Method, 40> tree;
        real state[Method::words];
        const bool has_trees = end - first > 1 && threadIdx.x < width;
        panel_view<Format> x(job.at.x, job.at.x_layout), y(job.at.y, job.at.y_layout);
        at.take<Format>(job, bundle, slot, turn, x, y);
        x.advance((ptrdiff_t)first * job.panels.tile + turn), y.advance((ptrdiff_t)first * job.panels.tile + turn);
        tree.tiles = 0;
        for (unsigned q = first; q < end; q++) {
            states sum;
            add_tile(sum, x, y, q);
            merge_threads(sum);
            x.advance(job.panels.tile), y.advance(job.panels.tile);
            if (!has_trees) continue;
            room.get(threadIdx.x, state);
            tree.add(state);
        }
        if (!has_trees) return;
        tree.total(state);
        room.put(threadIdx.x, state);
    }

    /* Leaves the states of a part. The last of a few neighbours to end, a power of two, has the states of them all, and
     * goes on with those; it answers whether these are all. */
    __device__ __forceinline__ bool join_parts(size_t bundle, unsigned part) const {
        part_state *place = job.workspace->place + bundle * job.panels.records * width;
        unsigned *ended = job.workspace->ended + bundle * job.panels.tickets;
        const unsigned join = job.panels.join;
        for (unsigned parts = job.parts; parts > 1;) {
            const unsigned first = part / join * join, together = min(parts - first, join);
            real state[Method::words];
            for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
                room.get(i, state);
                for (int w = 0; w < Method::words; w++) place[(size_t)part * width + i].word[w] = state[w];
            }
            if (!is_last_of(ended + part / join, together)) return false;
            for (unsigned i = threadIdx.x; i < join * width; i += blockDim.x) {
                const unsigned record = i / width; /* in bit-reversed order: neighbours merge first */
                for (int w = 0; w < Method::words; w++)
                    state[w] = record < together ? (real)__ldcg(&place[(size_t)first * width + i].word[w]) : (real)-0.0;
                room.put(turn_of_lane(record, join) * width + i % width, state);
            }
            room.halve(join, width);
            place += (size_t)parts * width, part /= join;
            parts = (parts - 1) / join + 1, ended += parts;
        }
        return true;
    }
    __device__ __forceinline__ void finish(size_t bundle) const {
        for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
            const unsigned chunk = i % slots, column = chunk % job.panels.chunks * E + i / slots;
            const size_t panel = bundle * job.panels.bundle + chunk / job.panels.chunks,
                         outer = panel / job.panels.panels, first = panel % job.panels.panels * job.panels.columns,
                         inner = job.at.x_layout.inner;
            if (outer >= job.at.x_layout.outer || column >= min(job.panels.columns, inner - first)) continue;
            real state[Method::words];
            room.get(i, state);
            finish_ordered_column<Method>(job, outer * inner + first + column, state[0], state[Method::words - 1]);
        }
    }
};

template <class Format, bool PRODUCT, class Method>
__global__ void __launch_bounds__(PANEL_THREADS, (panel_blocks<Format, Method>))
    ordered_columns_kernel(const __grid_constant__ vectors_job job) {
    typedef ordered_columns<Format, PRODUCT, Method> columns;
    __shared__ typename columns::room_of_block room;
    columns its(job, room);
    for (size_t unit = blockIdx.x; unit < job.panels.bundles * job.parts; unit += gridDim.x) {
        const unsigned part = job.parts == 1 ? 0 : (unsigned)(unit / job.panels.bundles),
                       first = part * job.panels.tiles_of_part;
        const size_t bundle = unit - part * job.panels.bundles;
        its.add_part(bundle, first, min(job.panels.tiles, first + job.panels.tiles_of_part));
        if (its.join_parts(bundle, part)) its.finish(bundle);
    }
}

#endif
