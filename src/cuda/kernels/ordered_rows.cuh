/* ordered_rows.cuh - rows by the methods of the canonical order (docs/order.md): vectors whose elements stand side by
 * side, wherever they begin. A group of threads of a warp has a row; a thread of it has lanes in its registers, chunks
 * of 16 bytes that stand as far apart as the group is wide.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_ROWS_CUH
#define QUIRE_CUDA_KERNELS_ORDERED_ROWS_CUH

#include "cuda/block/stretch.cuh"
#include "cuda/grid/ordered_parts.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/row_sum.cuh"

/* PAIR: the terms are products of two arrays, which are read both; else of an array with itself, or no products. */
template <class Format, class Method, bool PRODUCT, bool PAIR> struct ordered_rows {
    typedef typename Format::element element;
    typedef typename Format::real real;
    typedef chunk_of<Format> chunk;
    static constexpr int E = chunk_elements<Format>, SLOTS = ordered_slots((int)sizeof(element)),
                         THREADS = ORDER_LANES / (SLOTS * E), LOADS = ORDERED_LOADS,
                         IN_REGISTERS = 32 * 4 / (Method::words * (int)sizeof(real)); /* states of lanes */

    typedef lane_state<Method, real> total;
    /* A place in a row: of x, and of y; how many elements the row has from there on; and whether none before. */
    struct cursor {
        const element *x, *y;
        int left;
        bool is_first;

        __device__ __forceinline__ cursor(const vectors_job &job, size_t row, size_t k, int of_row)
            : x((const element *)job.at.x + (ptrdiff_t)row * job.at.x_layout.outer_stride + k),
              y((const element *)job.at.y + (ptrdiff_t)row * job.at.y_layout.outer_stride + k), left(of_row),
              is_first(k == 0) {}
        /* Further on in the row. */
        __device__ __forceinline__ cursor moved(int by) const {
            cursor c = *this;
            c.x += by, c.y += by, c.left -= by;
            c.is_first = is_first && by == 0;
            return c;
        }
    };
    /* COUNT chunks of x, and of y. */
    template <int COUNT> struct chunks {
        chunk x[COUNT], y[PAIR ? COUNT : 1];

        /* at(i): the place of chunk number i. */
        template <class At> __device__ __forceinline__ void load(const vectors_job &job, At at) {
            load_chunks<Format, false>(x, job.is_aligned, job.at.x_layout.n % E == 0, [&](int i) {
                const cursor c = at(i);
                return chunk_place<Format>{ c.x, c.left, c.is_first };
            });
            if constexpr (PAIR)
                load_chunks<Format, true>(y, job.is_aligned, job.at.x_layout.n % E == 0, [&](int i) {
                    const cursor c = at(i);
                    return chunk_place<Format>{ c.y, c.left, c.is_first };
                });
        }
    };

    template <bool FIRST, class Lanes, int COUNT>
    static __device__ __forceinline__ void add(Lanes &lanes, int slot, const chunks<COUNT> &c, int i, bool magnitude) {
        real x[E], y[E];
        decode_chunk(Format(), c.x[i], x);
        decode_chunk(Format(), PAIR ? c.y[i] : c.x[i], y);
        lanes.template add_numbers<FIRST, PRODUCT>(slot * E, x, y, magnitude);
    }
    template <class Lanes> static __device__ __forceinline__ total total_of(const Lanes &lanes) {
        total t;
        for (int w = 0; w < Method::words; w++) t.word[w] = lanes.state[0][w];
        return t;
    }
    /* Row number "row", if there is one of that number. */
    static __device__ __forceinline__ void finish(const vectors_job &job, size_t row, const total &t) {
        if (row >= job.vectors) return;
        if (Method::words == 1 && job.is_number)
            store_number(job, row, t.word[0]);
        else
            store_ordered<Method>(job, row, job.at.x_layout.n, t.word[0], t.word[Method::words - 1]);
    }

    /* Rows of one row of lanes, of which a thread has OWN chunks: as many rows at once as loads are under way. */
    template <int OWN> static __device__ __forceinline__ void together(const vectors_job &job) {
        /* and as many of them are folded together as registers hold */
        constexpr int AT_ONCE = LOADS / OWN, FEW = IN_REGISTERS / E,
                      IN_STEP = FEW < 1         ? 1
                                : FEW > AT_ONCE ? AT_ONCE
                                                : FEW;
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads;
        const int n = (int)job.at.x_layout.n, apart = (int)threads * E, mine = n - (int)thread * E;
        const ptrdiff_t next_x = (ptrdiff_t)rows * job.at.x_layout.outer_stride,
                        next_y = (ptrdiff_t)rows * job.at.y_layout.outer_stride;
        auto finish_row = [&](size_t row, const total &t) { finish(job, row, t); };
        kept_rows<total> kept;
        for (size_t first = warp_of_grid() * AT_ONCE * rows; first < job.vectors;
             first += warps_of_grid() * AT_ONCE * rows) {
            const size_t v = first + lane / threads;
            const cursor begin(job, v, thread * E, mine);
            auto place = [&](int i) {
                cursor at = begin.moved(i % OWN * apart);
                at.x += i / OWN * next_x, at.y += i / OWN * next_y;
                if (v + i / OWN * rows >= job.vectors) at.left = 0;
                return at;
            };
            chunks<LOADS> c;
            total totals[AT_ONCE];
            c.load(job, place);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u += IN_STEP) {
                lane_sums<Format, Method, OWN * E> lanes[IN_STEP];
#pragma unroll
                for (int i = 0; i < IN_STEP * OWN; i++)
                    add<true>(lanes[i / OWN], i % OWN, c, u * OWN + i, job.magnitude);
                fold_lanes<E>(lanes, thread, threads);
#pragma unroll
                for (int i = 0; i < IN_STEP; i++) totals[u + i] = total_of(lanes[i]);
            }
            kept.take(totals, v, rows, thread, threads, finish_row);
        }
        kept.end(finish_row);
    }

    /* Longer rows, or parts of them, one of a group at a time. */
    static __device__ __forceinline__ void one_by_one(const vectors_job &job) {
        constexpr unsigned GROUPS = WARP / THREADS;
        const unsigned lane = threadIdx.x % WARP, thread = lane % THREADS;
        const size_t units = job.vectors * job.parts;
        auto finish_row = [&](size_t row, const total &t) { finish(job, row, t); };
        kept_rows<total> kept;
        for (size_t first = warp_of_grid() * GROUPS; first < units; first += warps_of_grid() * GROUPS) {
            const size_t unit = first + lane / THREADS;
            const total t[1] = { total_of_unit(job, unit, thread) };
            if (job.parts > 1)
                end_part(job, unit, t[0], lane);
            else
                kept.take(t, unit, 0, thread, THREADS, finish_row);
        }
        kept.end(finish_row);
    }
    /* A thread's first chunk of a row, or of a part of one; nothing of those beyond the last. */
    static __device__ __forceinline__ cursor begin_of(const vectors_job &job, size_t unit, unsigned thread) {
        const int n = (int)job.at.x_layout.n, before = (int)thread * E;
        if (job.parts == 1) return cursor(job, unit, thread * E, unit < job.vectors ? n - before : 0);
        const size_t row = unit / job.parts, k = unit % job.parts * job.part;
        return cursor(job, row, k + thread * E, row < job.vectors ? min(n - (int)k, (int)job.part) - before : 0);
    }
    /* The total of a row or of a part, in all threads of its group; by whole warps, whose groups do as if all were as
     * long: what is missing are zeros that change no total. */
    static __device__ __forceinline__ total total_of_unit(const vectors_job &job, size_t unit, unsigned thread) {
        constexpr int STEP = LOADS / SLOTS * ORDER_LANES;
        const unsigned n = (unsigned)job.at.x_layout.n, length = job.parts > 1 ? (unsigned)job.part : n,
                       tile = (unsigned)order_tile(n, job.rows);
        cursor at = begin_of(job, unit, thread);
        tile_tree<real, Method, 24> tree; /* n has 31 bits, and a tile 12 of these */
        lane_sums<Format, Method, SLOTS * E> all[1], &lanes = all[0];
        tree.tiles = 0;
        for (unsigned begin = 0; begin < length; begin += tile) {
            const unsigned end = min(length - begin, tile) + begin;
            lanes.clear();
            for (unsigned k = begin; k < end; k += STEP) {
                add_rows_of_lanes(lanes, job, at, end - k);
                at = at.moved(at.left > 0 ? STEP : 0);
            }
            fold_lanes<E>(all, thread, THREADS);
            if (length <= tile) break;
            tree.add(lanes.state[0]);
        }
        if (tree.tiles) tree.total(lanes.state[0]);
        return total_of(lanes);
    }
    /* As many rows of lanes as loads are under way; none of the warp has more than "most" elements from there on. */
    static __device__ __forceinline__ void add_rows_of_lanes(lane_sums<Format, Method, SLOTS * E> &lanes,
                                                             const vectors_job &job, const cursor &first,
                                                             unsigned most) {
        chunks<LOADS> c;
        c.load(job, [&](int i) { return first.moved(i / SLOTS * ORDER_LANES + i % SLOTS * THREADS * E); });
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (i < SLOTS || most > i / SLOTS * ORDER_LANES) add<false>(lanes, i % SLOTS, c, i, job.magnitude);
    }
    /* What a part comes to, which all threads of its group have. */
    static __device__ __forceinline__ void end_part(const vectors_job &job, size_t unit, const total &t,
                                                    unsigned lane) {
        vectors_workspace &w = *job.workspace;
        const size_t row = unit / job.parts;
        const ordered_whole its = { row, job.at.x_layout.n, &w.place[row * job.parts], job.parts, &w.ended[row] };
        end_parts<real, Method, false>(job, its, (unsigned)(unit - row * job.parts), t.word, false,
                                       lane % THREADS == 0 && row < job.vectors, lane);
    }

    /* Rows side by side of no whole number of chunks, by way of shared memory. A thread of a group has every so manieth
     * lane, so that its neighbours read other banks. */
    static __device__ __forceinline__ void staged(const vectors_job &job) {
        const unsigned threads = job.threads, log = 31 - __clz((int)threads), groups = ORDERED_THREADS >> log,
                       thread = threadIdx.x & (threads - 1), group = threadIdx.x >> log;
        const unsigned n = (unsigned)job.at.x_layout.n;
        const size_t step = gridDim.x * (size_t)job.rows_of_item;
        const row_place<Format, PAIR> all = arrays_from<Format, PAIR>(job, 0);
        auto finish_row = [&](size_t row, const total &t) { finish(job, row, t); };
        kept_rows<total> kept;
        for (size_t first = blockIdx.x * (size_t)job.rows_of_item; first < job.vectors; first += step) {
            const unsigned here = (unsigned)min(job.vectors - first, (size_t)job.rows_of_item);
            const stretch<Format, PAIR> rows(all, first * n, (first + here) * n, job.vectors * n);
            for (unsigned row = group; row - group < here; row += groups) {
                const total t[1] = { total_of_staged(rows, row * n, n, row < here, thread, threads, job.magnitude) };
                kept.take(t, row < here ? first + row : NO_ROW, 0, thread, threads, finish_row);
            }
            __syncthreads();
        }
        kept.end(finish_row);
    }
    /* Of the n elements from the k-th on, a tile at most. Lanes that no thread of the group has an element of stay as
     * they are: a merge with them leaves no trace. */
    static __device__ __forceinline__ total total_of_staged(const stretch<Format, PAIR> &rows, unsigned k, unsigned n,
                                                            bool is_there, unsigned thread, unsigned threads,
                                                            bool magnitude) {
        lane_sums<Format, Method> lanes[1];
        lanes[0].clear();
        for (unsigned from = 0; from < n; from += VECTORS_LANES * threads)
#pragma unroll
            for (unsigned i = 0; i < VECTORS_LANES; i++) {
                const unsigned at = from + i * threads + thread;
                if (at - thread >= n) break;
                const bool is = is_there && at < n;
                const real x[1] = { is ? rows.x_at(k + at) : (real)-0.0 }, y[1] = { !PAIR ? x[0]
                                                                                    : is  ? rows.y_at(k + at)
                                                                                          : (real)0.0 };
                lanes[0].template add_numbers<false, PRODUCT>((int)i, x, y, magnitude);
            }
        __syncwarp();
        fold_lanes<1>(lanes, thread, threads);
        return total_of(lanes[0]);
    }

    static __device__ __forceinline__ void all(const vectors_job &job) {
        if (job.shape == ROWS_STAGED)
            staged(job);
        else if (!job.slots)
            one_by_one(job);
        else if (SLOTS == 1 || job.slots == 1)
            together<1>(job);
        else
            together<SLOTS>(job);
    }
};

/* Two arrays take more registers. */
template <class Format, class Method, bool PRODUCT, bool PAIR>
__global__ void __launch_bounds__(ORDERED_THREADS, PAIR ? ORDERED_PAIR_BLOCKS : ORDERED_BLOCKS)
    ordered_rows_kernel(const __grid_constant__ vectors_job job) {
    ordered_rows<Format, Method, PRODUCT, PAIR>::all(job);
}

#endif
