/* ordered_rows.cuh - rows by the methods of the canonical order, many at once, where one load brings neighbouring lanes
 * of a thread. A warp has as many rows at a time as fit it, turn by turn; the groups of all its rows are one stream, of
 * which some are always under way. Other layouts, segments, and rows that are cut are for vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_ROWS_CUH
#define QUIRE_CUDA_KERNELS_ORDERED_ROWS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/vectors_finish.cuh"

/* Groups of a thread that are under way: as many as make these bytes, 4 at most. And the blocks of a multiprocessor
 * that registers are to leave room for. */
template <class Format, bool PRODUCT> struct ordered_policy {
    static constexpr int size = (int)sizeof(typename Format::element), bytes = size > 4 ? 128 : 64,
                         of_group = VECTORS_LANES * size * (1 + PRODUCT), groups = bytes / of_group,
                         ahead = groups > 4 ? 4
                                 : groups   ? groups
                                            : 1,
                         blocks = size > 4 ? 2 : 3;
};

/* The groups that a thread has of its warp's rows, one after the other. */
template <class Format, bool PRODUCT> struct ordered_stream {
    typedef typename Format::element element;
    typedef group_pair<Format, PRODUCT, VECTORS_LANES> group;
    static constexpr int E = ordered_stretch((int)sizeof(element)); /* lanes side by side */
    const vectors_job &job;
    unsigned thread, steps, step; /* steps: groups of a row */
    size_t row;

    __device__ __forceinline__ void load_row(element_group<Format, VECTORS_LANES> &g, const void *of,
                                             const quire_layout &l, bool plus) const {
        const element *x = (const element *)of + (ptrdiff_t)row * l.outer_stride;
        const unsigned threads = job.threads;
        const size_t k = (size_t)step * threads * VECTORS_LANES + thread * E, end = row < job.vectors ? l.n : 0;
        if constexpr (E == 1)
            g.load({ x, 1 }, k, threads, end, plus);
        else
            g.template load_stretches<E>(x, k, threads * E, end, plus);
    }
    /* Starts to load the next group. */
    __device__ __forceinline__ void load(group &g) {
        load_row(g.x, job.at.x, job.at.x_layout, false);
        if (PRODUCT) load_row(g.y, job.at.y, job.at.y_layout, true);
        if (++step == steps) step = 0, row += WARP / job.threads;
    }
};

/* Once in the code, for all lanes that have a row to finish. */
template <class Agent>
static __device__ __noinline__ void finish_ordered_row(const vectors_job &job, size_t v, double first, double second) {
    vector_total t = { { first, second }, 0 };
    store_vector<Agent>(job, v, job.at.x_layout.n, t);
}

/* The rows from "first" on, of "turns" turns. */
template <class Format, bool PRODUCT, class Method>
static __device__ __forceinline__ void ordered_rows(const vectors_job &job, size_t first, unsigned turns,
                                                    unsigned lane) {
    typedef ordered_agent<Format, PRODUCT, Method> agent;
    typedef ordered_stream<Format, PRODUCT> groups_of_rows;
    constexpr int AHEAD = ordered_policy<Format, PRODUCT>::ahead;
    const unsigned threads = job.threads, groups = WARP / threads, thread = lane % threads;
    const unsigned of_group = threads * VECTORS_LANES, steps = (unsigned)((job.at.x_layout.n - 1) / of_group + 1);
    const unsigned of_tile = (unsigned)(order_tile(job.at.x_layout.n, job.rows) / ORDER_LANES);
    groups_of_rows stream = { job, thread, steps, 0, first + lane / threads };
    typename groups_of_rows::group next[AHEAD];
    lane_sums<Format, Method> lanes;
    tile_tree<typename Format::real, Method, 24> tree; /* n has 31 bits, and a tile 12 of these */
    /* a lane finishes the row of one turn, of as many as threads share a row, and has its words from there */
    const unsigned my_turn = lane / groups, from = lane % groups * threads;
    double mine[2] = { 0, 0 };
    unsigned step = 0, turn = 0; /* of what is added next */
    size_t left = (size_t)turns * steps, to_load = left;
    lanes.clear();
    tree.tiles = 0;
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (to_load) stream.load(next[i]), to_load--;
    while (left)
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (!left) break;
            const typename groups_of_rows::group now = next[i];
            left--;
            if (to_load) stream.load(next[i]), to_load--;
            lanes.template add<PRODUCT>(now.x, now.y, job.magnitude);
            step++;
            if (step < steps && (step & (of_tile - 1))) continue;
            __syncwarp();
            lanes.template fold<groups_of_rows::E>(thread, threads);
            if (steps > of_tile) {
                tree.add(lanes.state[0]);
                if (step == steps) tree.total(lanes.state[0]), tree.tiles = 0;
            }
            if (step == steps) {
                const unsigned of_set = turn & (threads - 1);
                for (int w = 0; w < Method::words; w++) {
                    const double word = __shfl_sync(WHOLE_WARP, lanes.state[0][w], from);
                    if (my_turn == of_set) mine[w] = word;
                }
                if (of_set + 1 == threads || turn + 1 == turns) {
                    const size_t v = first + (turn - of_set) * groups + lane;
                    if (my_turn <= of_set && v < job.vectors) finish_ordered_row<agent>(job, v, mine[0], mine[1]);
                    __syncwarp();
                }
                step = 0, turn++;
            }
            lanes.clear();
        }
}

template <class Format, bool PRODUCT, class Method>
__global__ void __launch_bounds__(VECTORS_THREADS, (ordered_policy<Format, PRODUCT>::blocks))
    ordered_rows_kernel(const __grid_constant__ vectors_job job) {
    const unsigned lane = threadIdx.x % WARP, groups = WARP / job.threads, bundle = groups * job.turns;
    for (size_t first = warp_of_grid() * bundle; first < job.vectors; first += warps_of_grid() * bundle) {
        const size_t rows = min(job.vectors - first, (size_t)bundle);
        ordered_rows<Format, PRODUCT, Method>(job, first, (unsigned)((rows + groups - 1) / groups), lane);
    }
}

#endif
