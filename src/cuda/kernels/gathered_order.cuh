/* gathered_order.cuh - elements that are found through an index, by the methods of the canonical order, where some are
 * not there, so that all behind them move up: a warp takes those that are there, 256 at a time, a row of lanes. Vectors
 * that miss one are marked by the kernels of ordered_vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_GATHERED_ORDER_CUH
#define QUIRE_CUDA_KERNELS_GATHERED_ORDER_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/kernels/gathered_entries.cuh"
#include "cuda/thread/lane_sums.cuh"

#define ORDERED_WARPS 4 /* of a block */

/* The elements that are there, in their order, until there is a row of lanes. */
template <class Real> struct lane_row { Real x[2 * ORDER_LANES], y[2 * ORDER_LANES]; };

/* One vector: a lane of the warp has every 32nd lane of the order, from its own number on. */
template <class Format, class Method, bool PRODUCT> struct gathered_order {
    typedef typename Format::real real;
    static constexpr unsigned AT_ONCE = GATHERED_AHEAD * WARP;
    const gathered_job &g;
    lane_row<real> &row;
    const unsigned lane;
    lane_sums<Format, Method> of[1];
    tile_tree<real, Method> tree;

    /* Adds the row, of which n elements are there: -0 in place of the others changes no sum. */
    __device__ __forceinline__ void add_row(unsigned n) {
        real x[VECTORS_LANES], y[VECTORS_LANES];
#pragma unroll
        for (int i = 0; i < VECTORS_LANES; i++) {
            const unsigned at = lane + i * WARP;
            x[i] = at < n ? row.x[at] : (real)-0.0;
            y[i] = at < n ? row.y[at] : (real)0.0;
        }
        of[0].template add_numbers<false, PRODUCT>(0, x, y, g.job.magnitude);
    }
    /* Takes the row away, but for what stands beyond it. */
    __device__ __forceinline__ void take_row(unsigned filled) {
        __syncwarp();
        add_row(ORDER_LANES);
        __syncwarp();
        for (unsigned at = lane; ORDER_LANES + at < filled; at += WARP)
            row.x[at] = row.x[ORDER_LANES + at], row.y[at] = row.y[ORDER_LANES + at];
        __syncwarp();
    }
    __device__ __forceinline__ void end_tile() {
        __syncwarp();
        fold_lanes<1>(of, lane, WARP);
        tree.add(of[0].state[0]);
        of[0].clear();
    }
    /* The elements of some entries, behind those that are there; answers how many are there then. */
    __device__ __forceinline__ unsigned append(const gathered_vector &v, size_t k, unsigned filled) {
        gathered_entries<PRODUCT> some;
        some.find(g, v, k + lane, WARP);
        some.load(g);
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            const bool is_there = some.present >> u & 1;
            const unsigned those = __ballot_sync(WHOLE_WARP, is_there),
                           at = filled + __popc(those & ((1u << lane) - 1));
            if (is_there) row.x[at] = (real)some.number(g, u), row.y[at] = (real)(PRODUCT ? some.other(g, u) : 0);
            filled += __popc(those);
        }
        return filled;
    }
    static __device__ __forceinline__ size_t count(const gathered_job &g, const gathered_vector &v, unsigned lane) {
        size_t n = 0;
        for (size_t k = 0; k < v.entries; k += AT_ONCE) {
            gathered_entries<PRODUCT> some;
            some.find(g, v, k + lane, WARP);
            n += __popc(some.present);
        }
        for (unsigned bit = WARP / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, bit);
        return n;
    }
    __device__ __forceinline__ void store(size_t number) {
        const gathered_vector v(g, number);
        const size_t n = count(g, v, lane), tile = order_tile(n, g.job.rows);
        size_t in_tile = 0;
        unsigned filled = 0;
        tree.tiles = 0;
        of[0].clear();
        for (size_t k = 0; k < v.entries; k += AT_ONCE) {
            filled = append(v, k, filled);
            if (filled < ORDER_LANES) continue;
            take_row(filled);
            filled -= ORDER_LANES, in_tile += ORDER_LANES;
            if (in_tile == tile) end_tile(), in_tile = 0;
        }
        __syncwarp();
        add_row(filled);
        if (in_tile + filled || !tree.tiles) end_tile();
        tree.total(of[0].state[0]);
        if (lane == 0) store_ordered<Method>(g.job, number, n, of[0].state[0][0], of[0].state[0][Method::words - 1]);
        __syncwarp();
    }
};

template <class Format, class Method, bool PRODUCT>
static __global__ void __launch_bounds__(ORDERED_WARPS *WARP)
    ordered_gathered_kernel(const __grid_constant__ gathered_job g) {
    __shared__ lane_row<typename Format::real> rows[ORDERED_WARPS];
    const vector_source source(g.job);
    gathered_order<Format, Method, PRODUCT> order = { g, rows[threadIdx.x / WARP], threadIdx.x % WARP };
    for (size_t i = warp_of_grid(); i < source.count; i += warps_of_grid()) {
        const size_t v = source.number(g.job, i);
        if (v < g.job.vectors) order.store(v);
    }
    source.forget(g.job);
}

#endif
