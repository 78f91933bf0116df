/* agents.cuh - agents take a range of a vector and answer its total, in every thread that shares the vector: a group of
 * neighbouring threads of a warp, a power of two. They know no grid and no layout.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_AGENTS_CUH
#define QUIRE_CUDA_WARP_AGENTS_CUH

#include "cuda/thread/exact_terms.cuh"
#include "cuda/thread/lane_sums.cuh"
#include "cuda/warp/vector_at.cuh"

/* What a range comes to: numbers whose sum it is, but for the width (thread/long_sum.cuh); or a state of the canonical
 * order, whose width is 0. */
struct vector_total {
    double word[VECTORS_WORDS], width;
};

/* A thread's loads of both arrays. */
template <class Format, bool PRODUCT, int COUNT> struct group_pair {
    element_group<Format, COUNT> x, y;

    /* From element k on, of those before end. side_by_side: a thread may take neighbours. */
    __device__ __forceinline__ void load(const vector_pair<Format> &v, size_t k, size_t end, unsigned thread,
                                         unsigned threads, bool side_by_side) {
        if (side_by_side && k + (size_t)threads * COUNT <= end) {
            x.load_aligned(v.x, k + thread * COUNT);
            if (PRODUCT) y.load_aligned(v.y, k + thread * COUNT);
        } else {
            x.load(v.x, k + thread, threads, end, false);
            if (PRODUCT) y.load(v.y, k + thread, threads, end, true);
        }
    }
};

template <class Format, bool PRODUCT, class Method, bool IS_EXACT, int COUNT> struct agent_base {
    static constexpr bool is_exact = IS_EXACT;
    static constexpr int count = COUNT;
    typedef group_pair<Format, PRODUCT, COUNT> group;

    /* Whether threads may take neighbours of a range; ordered ones have lanes. */
    static __device__ __forceinline__ bool has_neighbours(const vector_pair<Format> &v, size_t begin) {
        return IS_EXACT && has_aligned_groups(v.x, begin) && (!PRODUCT || has_aligned_groups(v.y, begin));
    }
    /* Calls use(group) for the groups of a range; the next is under way while one is used. Of an exact sum's elements
     * those before the first chunk of x are a group of their own. */
    template <class Use>
    static __device__ __forceinline__ void each_group(const vector_pair<Format> &v, size_t begin, size_t end,
                                                      unsigned thread, unsigned threads, Use use) {
        const size_t step = (size_t)threads * COUNT, before = IS_EXACT ? elements_before_chunk(v.x, begin) : 0;
        const size_t head = IS_EXACT && v.x.stride == 1 && before ? min(before, end - begin) : 0;
        const bool neighbours = has_neighbours(v, begin + head);
        size_t following = begin + (head ? head : step);
        group next;
        if (begin >= end) return;
        next.load(v, begin, head ? begin + head : end, thread, threads, !head && neighbours);
        for (bool is_last = false; !is_last; following += step) {
            const group now = next;
            is_last = following >= end;
            if (!is_last) next.load(v, following, end, thread, threads, neighbours);
            use(now);
        }
    }
};

template <class Format, bool PRODUCT>
struct exact_agent : agent_base<Format, PRODUCT, void, true, exact_terms<Format, PRODUCT>::count> {
    typedef agent_base<Format, PRODUCT, void, true, exact_terms<Format, PRODUCT>::count> base;
    typedef exact_sum_of<Format, PRODUCT> sum;
    static constexpr int words = exact_terms<Format, PRODUCT>::words;
    static constexpr bool overflows = exact_terms<Format, PRODUCT>::is_double;

    static __device__ __forceinline__ vector_total consume(const vector_pair<Format> &v, size_t begin, size_t end,
                                                           order_rows, bool magnitude, unsigned thread,
                                                           unsigned threads) {
        sum s;
        s.clear();
        base::each_group(v, begin, end, thread, threads,
                         [&](const typename base::group &g) { add_group<Format, PRODUCT>(s, g.x, g.y, magnitude); });
        return merged(s, threads);
    }
    /* Of a vector that is one group of each thread. */
    static __device__ __forceinline__ vector_total of_group(const typename base::group &g, bool magnitude,
                                                            unsigned threads) {
        sum s;
        s.clear();
        add_group<Format, PRODUCT>(s, g.x, g.y, magnitude);
        return merged(s, threads);
    }
    static __device__ __forceinline__ vector_total total_of(const sum &s) {
        vector_total t = { {}, s.width() };
        for (int i = 0; i < words - 1; i++) t.word[i] = s.word[i];
        t.word[words - 1] = s.up;
        return t;
    }
    static __device__ __forceinline__ vector_total merged(const sum &s, unsigned threads) {
        return total_of(merge_threads(s, threads));
    }
};

template <class Format, bool PRODUCT, class Method>
struct ordered_agent : agent_base<Format, PRODUCT, Method, false, VECTORS_LANES> {
    typedef agent_base<Format, PRODUCT, Method, false, VECTORS_LANES> base;
    typedef typename Format::real real;
    typedef lane_sums<Format, Method> sums;
    static constexpr int words = Method::words;

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
            base::each_group(v, from, to, thread, threads,
                             [&](const typename base::group &g) { lanes.template add<PRODUCT>(g.x, g.y, magnitude); });
            __syncwarp();
            fold_lanes<1>(all, thread, threads);
            if (threads < WARP || (from == begin && to == end)) break;
            tree.add(lanes.state[0]);
            lanes.clear();
        }
        if (tree.tiles) tree.total(lanes.state[0]);
        return total_of(lanes.state[0]);
    }
    static __device__ __forceinline__ vector_total of_group(const typename base::group &g, bool magnitude,
                                                            unsigned threads) {
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
