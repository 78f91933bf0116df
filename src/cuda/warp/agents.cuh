/* agents.cuh - a range of a vector by a method of the canonical order: its state, in every thread that shares the
 * vector, a group of neighbouring threads of a warp, a power of two. It knows no grid and no layout.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_AGENTS_CUH
#define QUIRE_CUDA_WARP_AGENTS_CUH

#include "cuda/thread/exact_terms.cuh"
#include "cuda/thread/lane_sums.cuh"
#include "cuda/warp/vector_at.cuh"

/* A thread's loads of both arrays. */
template <class Format, bool PRODUCT, int COUNT> struct group_pair {
    element_group<Format, COUNT> x, y;

    /* From element k on, of those before end. */
    __device__ __forceinline__ void load(const vector_pair<Format> &v, size_t k, size_t end, unsigned thread,
                                         unsigned threads) {
        x.load(v.x, k + thread, threads, end, false);
        if (PRODUCT) y.load(v.y, k + thread, threads, end, true);
    }
};

template <class Format, bool PRODUCT, class Method> struct ordered_agent {
    typedef typename Format::real real;
    typedef lane_sums<Format, Method> sums;
    typedef group_pair<Format, PRODUCT, VECTORS_LANES> group;
    static constexpr int words = Method::words, count = VECTORS_LANES;

    /* Calls use(group) for the groups of a range; the next is under way while one is used. */
    template <class Use>
    static __device__ __forceinline__ void each_group(const vector_pair<Format> &v, size_t begin, size_t end,
                                                      unsigned thread, unsigned threads, Use use) {
        const size_t step = (size_t)threads * count;
        group next;
        if (begin >= end) return;
        next.load(v, begin, end, thread, threads);
        for (size_t following = begin + step;; following += step) {
            const group now = next;
            const bool is_last = following >= end;
            if (!is_last) next.load(v, following, end, thread, threads);
            use(now);
            if (is_last) break;
        }
    }

    /* Fewer than 32 threads have one row alone, hence one tile. */
    static __device__ __forceinline__ vector_total consume(const vector_pair<Format> &v, size_t begin, size_t end,
                                                           order_rows rows, bool magnitude, unsigned thread,
                                                           unsigned threads) {
        const size_t tile = order_tile(v.n, rows);
        sums all[1], &lanes = all[0];
        tile_tree<real, Method> tree;
        tree.tiles = 0;
        lanes.clear();
        for (size_t from = begin; from < end || tree.tiles == 0; from += tile) {
            const size_t to = end - from < tile ? end : from + tile;
            each_group(v, from, to, thread, threads,
                       [&](const group &g) { lanes.template add<PRODUCT>(g.x, g.y, magnitude); });
            __syncwarp();
            fold_lanes<1>(all, thread, threads);
            if (threads < WARP || (from == begin && to == end)) break;
            tree.add(lanes.state[0]);
            lanes.clear();
        }
        if (tree.tiles) tree.total(lanes.state[0]);
        return total_of(lanes.state[0]);
    }
    static __device__ __forceinline__ vector_total of_group(const group &g, bool magnitude, unsigned threads) {
        sums lanes[1];
        lanes[0].clear();
        lanes[0].template add<PRODUCT>(g.x, g.y, magnitude);
        __syncwarp();
        fold_lanes<1>(lanes, (unsigned)(threadIdx.x % threads), threads);
        return total_of(lanes[0].state[0]);
    }
    static __device__ __forceinline__ vector_total total_of(const real (&state)[Method::words]) {
        vector_total t = {};
        for (int w = 0; w < Method::words; w++) t.word[w] = state[w];
        return t;
    }
};

#endif
