/* ordered_vectors.cuh - vectors by the methods of the canonical order (docs/order.md) whose elements are loaded one by
 * one: segments, vectors at any stride, rows through an index. Memory is what these kernels wait for, so that they are
 * compiled once for all formats with such lanes.
 *
 * Some threads of a warp share a vector, 8 lanes each. A thread has a short segment alone; and one of neighbouring
 * columns of rows through an index, so that threads read memory side by side. Long vectors are cut into parts, subtrees
 * of the order.
 *
 * An element that an index does not find makes all behind it move up. So a vector that misses one is marked, for
 * gathered.cu.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_VECTORS_CUH
#define QUIRE_CUDA_KERNELS_ORDERED_VECTORS_CUH

#include <limits.h>
#include <type_traits>

#include "cuda/grid/ordered_parts.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/thread/lane_elements.cuh"

#define TREE_LEVELS 52 /* a vector has no more tiles than 2^this: memory has no more elements than 2^64 */

/* Lanes: float_format or double_format, whose numbers the lanes are. */
template <class Lanes, class Method, bool PRODUCT, class Job> struct ordered_vectors {
    typedef typename Lanes::real real;
    typedef lane_sums<Lanes, Method> sums;
    typedef lane_loads<real, PRODUCT> group;
    typedef decltype(vector_of(*(const Job *)NULL, 0)) vector;
    static constexpr bool MAY_MISS = !std::is_same<Job, vectors_job>::value, MAY_BE_ALONE = MAY_MISS;
    /* Elements for which a thread has registers, and with other ways beside; for segments, which have a way of their
     * own where registers are enough for both. */
    static constexpr unsigned ALONE = 128 / sizeof(real), ALONE_OF_SEGMENT = ALONE / Method::words;
    static constexpr bool HAVE_SEGMENTS = !PRODUCT && Method::words * sizeof(real) <= 8;

    /* What a range comes to; and whether an element of it is not there. */
    struct total {
        real word[Method::words];
        bool misses;
    };
    static __device__ __forceinline__ total total_of(const real (&state)[Method::words], bool misses) {
        total t;
        for (int w = 0; w < Method::words; w++) t.word[w] = state[w];
        t.misses = misses;
        return t;
    }

    /* ---------------------------------------------------------------------------------------- some threads a vector */

    /* The elements of a thread of some, from element k on. */
    template <class Vector>
    static __device__ __forceinline__ bool load(group &to, const Job &job, const Vector &v, size_t k, size_t end,
                                                unsigned thread, unsigned threads) {
        if constexpr (MAY_MISS)
            return load_lanes(to, job, v, end, [=](int u) { return k + thread + u * threads; });
        else
            return to.load(job, v, lane_steps(k + thread, end, threads));
    }
    /* Of a vector of so few elements that each of the threads has one group, by whole warps. */
    template <class Vector>
    static __device__ __forceinline__ total of_few(const Job &job, const Vector &v, unsigned thread, unsigned threads) {
        sums lanes[1];
        group g;
        const bool are_there = load(g, job, v, 0, v.entries, thread, threads);
        g.template add_to<true>(lanes[0], 0, the_job(job));
        fold_lanes<1>(lanes, thread, threads);
        return total_of(lanes[0].state[0], !are_there);
    }
    /* The same of so few that a thread has a lane for each: MOST at most. */
    template <unsigned MOST, class Vector>
    static __device__ __forceinline__ total alone_of_few(const Job &job, const Vector &v) {
        lane_sums<Lanes, Method, MOST> lanes;
        bool are_there = true;
        lanes.clear();
#pragma unroll
        for (unsigned k = 0; k < MOST; k += VECTORS_LANES) {
            group g;
            if (k && k >= v.entries) break;
            are_there &= load(g, job, v, k, v.entries, 0, 1);
            g.template add_to<true>(lanes, (int)k, the_job(job));
        }
        if (v.entries > VECTORS_LANES)
            lanes.template fold_own<MOST, 1>();
        else
            lanes.template fold_own<VECTORS_LANES, 1>();
        return total_of(lanes.state[0], !are_there);
    }
    /* A tile, by a warp: the next group is under way while one is added. */
    template <class Vector>
    static __device__ __forceinline__ bool add_tile(sums &lanes, const Job &job, const Vector &v, size_t begin,
                                                    size_t end, unsigned lane) {
        bool are_there = true;
        group next;
        if (begin >= end) return true;
        are_there &= load(next, job, v, begin, end, lane, WARP);
        for (size_t following = begin + ORDER_LANES;; following += ORDER_LANES) {
            const group now = next;
            const bool is_last = following >= end;
            if (!is_last) are_there &= load(next, job, v, following, end, lane, WARP);
            now.template add_to<false>(lanes, 0, the_job(job));
            if (is_last) return are_there;
        }
    }
    /* A range of whole tiles, by a warp. */
    template <class Vector>
    static __device__ __forceinline__ total of_range(const Job &job, const Vector &v, size_t begin, size_t end,
                                                     unsigned lane) {
        const size_t tile = order_tile(v.entries, the_job(job).rows);
        sums all[1], &lanes = all[0];
        tile_tree<real, Method, TREE_LEVELS> tree;
        bool are_there = true;
        tree.tiles = 0;
        lanes.clear();
        for (size_t from = begin; from < end || tree.tiles == 0; from += tile) {
            const size_t to = end - from < tile ? end : from + tile;
            are_there &= add_tile(lanes, job, v, from, to, lane);
            __syncwarp();
            fold_lanes<1>(all, lane, WARP);
            if (from == begin && to == end) break;
            tree.add(lanes.state[0]);
            lanes.clear();
        }
        if (tree.tiles) tree.total(lanes.state[0]);
        return total_of(lanes.state[0], !are_there);
    }

    /* ------------------------------------------------------------------------------------------ one thread a vector */

    /* A tile's state. */
    static __device__ __forceinline__ bool alone_in_tile(const Job &job, const vector &v, size_t begin, size_t end,
                                                         real (&state)[Method::words]) {
        typedef element_term<Lanes, PRODUCT> term;
        lane_turns next(begin, end - begin), now = next;
        tile_tree<real, Method, 9> tree; /* 2^8 lanes */
        bool are_there = true;
        real lane[Method::words];
        auto clear = [&] {
            for (int w = 0; w < Method::words; w++) lane[w] = (real)-0.0;
        };
        tree.tiles = 0;
        clear();
        while (next.are_left()) {
            group g;
            real a[VECTORS_LANES], b[VECTORS_LANES];
            are_there &= load_lanes(g, job, v, end, [&](int) {
                const size_t k = next.element();
                next.advance();
                return k;
            });
            g.numbers(the_job(job), a, b);
#pragma unroll
            for (int u = 0; u < VECTORS_LANES; u++) {
                if (!now.are_left()) break;
                const real value = term::value(a[u], b[u], false);
                Method::add(lane, value, term::error(a[u], b[u], value), PRODUCT);
                if (now.advance()) tree.add(lane), clear();
            }
        }
        tree.total(state);
        return are_there;
    }
    static __device__ __forceinline__ total alone(const Job &job, const vector &v, size_t begin, size_t end) {
        const size_t tile = order_tile(v.entries, the_job(job).rows);
        tile_tree<real, Method, TREE_LEVELS> tree;
        real state[Method::words];
        bool are_there = true;
        if (v.entries <= ALONE) return alone_of_few<ALONE>(job, v);
        tree.tiles = 0;
        for (size_t from = begin; from < end || tree.tiles == 0; from += tile) {
            are_there &= alone_in_tile(job, v, from, end - from < tile ? end : from + tile, state);
            tree.add(state);
        }
        tree.total(state);
        return total_of(state, !are_there);
    }

    /* ------------------------------------------------------------------------------------------------ whole vectors */

    static __device__ __forceinline__ void store(const vectors_job &its, size_t v, size_t n, const total &t) {
        const double word[VECTORS_WORDS] = { t.word[0], t.word[Method::words - 1] };
        if (MAY_MISS && t.misses)
            mark_result(its, v);
        else if (!n)
            store_none(its, v);
        else if (its.is_number)
            store_number(its, v,
                         Method::words == 1 || kahan_sum_alone(word)
                             ? word[0]
                             : sum_of_two(word[0], word[1], its.format.precision));
        else
            store_ordered<Method>(its, v, n, word[0], word[1]);
    }
    static __device__ __forceinline__ total of_lane(const total &t, unsigned lane) {
        total other;
        for (int w = 0; w < Method::words; w++) other.word[w] = __shfl_sync(WHOLE_WARP, t.word[w], (int)lane);
        other.misses = MAY_MISS && __shfl_sync(WHOLE_WARP, t.misses, (int)lane);
        return other;
    }
    /* How many threads share a vector of n elements: one if it has so few, or so that each has one group, or all 32. */
    static __device__ __forceinline__ unsigned threads_of(size_t n, unsigned of_one) {
        return n <= of_one ? 1 : n <= 4 * VECTORS_LANES ? 4 : n <= 16 * VECTORS_LANES ? 16 : WARP;
    }
    /* The vectors of a warp, a lane each: those of about a length together. order: room for the lanes. A thread alone
     * has OF_ONE elements at most. */
    template <unsigned OF_ONE, class Vector>
    static __device__ __forceinline__ total by_turns(const Job &job, const Vector &own, uint8_t *order, unsigned lane) {
        const unsigned mine_threads = threads_of(own.entries, OF_ONE);
        const bool is_alone = mine_threads == 1;
        total mine = {};
        if (OF_ONE > VECTORS_LANES && __any_sync(WHOLE_WARP, is_alone && own.entries > VECTORS_LANES)) {
            if (is_alone) mine = alone_of_few<OF_ONE>(job, own);
        } else if (is_alone) {
            mine = alone_of_few<VECTORS_LANES>(job, own);
        }
        if (!__any_sync(WHOLE_WARP, !is_alone)) return mine;
#pragma unroll 1
        for (unsigned threads = 4; threads <= WARP; threads = threads == 4 ? 16 : 2 * threads) {
            const bool is = mine_threads == threads;
            const unsigned those = __ballot_sync(WHOLE_WARP, is), count = __popc(those), at_once = WARP / threads,
                           rank = __popc(those & ((1u << lane) - 1)), group = lane / threads, thread = lane % threads;
            if (!count) continue;
            if (is) order[rank] = (uint8_t)lane;
            __syncwarp();
            for (unsigned first = 0; first < count; first += at_once) {
                const bool is_there = first + group < count;
                Vector v = own.of_lane(is_there ? order[first + group] : 0);
                if (!is_there) v.entries = 0;
                total t = threads < WARP || v.entries <= ORDER_LANES ? of_few(job, v, thread, threads)
                                                                     : of_range(job, v, 0, v.entries, thread);
                if (MAY_MISS) { /* of any thread of the group */
                    const unsigned misses = __ballot_sync(WHOLE_WARP, t.misses);
                    t.misses = misses >> group * threads % WARP & (~0u >> (WARP - threads));
                }
                const total its = of_lane(t, (rank - first) * threads % WARP);
                if (is && rank - first < at_once) mine = its;
            }
            __syncwarp();
        }
        return mine;
    }
    static __device__ __forceinline__ void bundle_of(const Job &job, size_t first, unsigned bundle, uint8_t *order,
                                                     unsigned lane) {
        const vectors_job &its = the_job(job);
        const size_t number = first + lane;
        const bool is_there = lane < bundle && number < its.vectors;
        vector v = vector_of(job, is_there ? number : its.vectors);
        const bool is_aside = its.at.begin && put_aside(its, number, v.entries, LONG_SEGMENT);
        total mine;
        if (is_aside) v.entries = 0;
        if constexpr (MAY_BE_ALONE) {
            mine = its.threads == 1 ? alone(job, v, 0, v.entries) : by_turns<VECTORS_LANES>(job, v, order, lane);
        } else {
            if (HAVE_SEGMENTS && its.at.begin)
                mine = by_turns<ALONE_OF_SEGMENT>(job, segment_vector{ v.x, v.entries }, order, lane);
            else
                mine = by_turns<VECTORS_LANES>(job, v, order, lane);
        }
        if (is_there && !is_aside) store(its, number, v.entries, mine);
        __syncwarp();
    }
    static __device__ __forceinline__ void whole(const Job &job) {
        __shared__ uint8_t orders[VECTORS_THREADS];
        const unsigned lane = threadIdx.x % WARP, bundle = the_job(job).turns;
        for (size_t first = warp_of_grid() * bundle; first < the_job(job).vectors; first += warps_of_grid() * bundle)
            bundle_of(job, first, bundle, &orders[threadIdx.x - lane], lane);
    }

    /* -------------------------------------------------------------------------------------------------------- parts */

    /* A slot is a vector's that is cut: how long its parts are, and how many. */
    struct slot {
        size_t number, n, part;
        unsigned parts;

        __device__ __forceinline__ slot(const Job &job, const vector_source &source, size_t i, unsigned most)
            : number(source.number(the_job(job), i)), n(vector_of(job, number).entries),
              part(order_tile(n, the_job(job).rows)), parts(0) {
            while (n && (n - 1) / part >= most) part *= 2;
            if (number < the_job(job).vectors) parts = n ? (unsigned)((n - 1) / part + 1) : 1;
        }
        __device__ __forceinline__ slot of_lane(unsigned lane) const {
            slot other = *this;
            other.number = __shfl_sync(WHOLE_WARP, number, (int)lane);
            other.n = __shfl_sync(WHOLE_WARP, n, (int)lane);
            other.part = __shfl_sync(WHOLE_WARP, part, (int)lane);
            other.parts = __shfl_sync(WHOLE_WARP, parts, (int)lane);
            return other;
        }
    };
    /* Part number "part" of slot i, by all threads of a warp, or of as many slots by a thread each. */
    static __device__ __forceinline__ void one_part(const Job &job, const slot &its, size_t i, unsigned most,
                                                    unsigned part, bool is_alone, unsigned lane) {
        vectors_workspace &w = *the_job(job).workspace;
        const bool is_there = part < its.parts;
        const vector v = vector_of(job, is_there ? its.number : the_job(job).vectors);
        const size_t begin = min((size_t)part * its.part, v.entries), end = min(begin + its.part, v.entries);
        total t;
        if constexpr (MAY_BE_ALONE)
            t = is_alone ? alone(job, v, begin, end) : of_range(job, v, begin, end, lane);
        else
            t = of_range(job, v, begin, end, lane);
        __syncwarp();
        if (MAY_MISS && !is_alone) t.misses = __any_sync(WHOLE_WARP, t.misses);
        const ordered_whole all = { its.number, its.n, &w.place[i * most], its.parts, &w.ended[i] };
        end_parts<real, Method, MAY_MISS>(the_job(job), all, part, t.word, t.misses,
                                          is_there && (is_alone || lane == 0), lane);
    }
    /* Slots have room for as many parts each. A lane looks at one, far from those of the others, and the warp takes
     * those that are there. */
    static __device__ __forceinline__ void parts_of_slots(const Job &job, const vector_source &source, unsigned most,
                                                          unsigned lane) {
        const size_t units = source.count * most, warps = warps_of_grid();
        for (size_t first = warp_of_grid(); first < units; first += warps * WARP) {
            const size_t mine = first + lane * warps;
            const slot own(job, source, mine / most, most);
            unsigned found = __ballot_sync(WHOLE_WARP, mine < units && mine % most < own.parts);
            for (; found; found &= found - 1) {
                const unsigned finder = (unsigned)__ffs((int)found) - 1;
                const size_t unit = first + finder * warps;
                one_part(job, own.of_lane(finder), unit / most, most, (unsigned)(unit % most), false, lane);
            }
        }
    }
    /* The same of slots that a thread has alone: parts of the same number together. */
    static __device__ __forceinline__ void parts_of_threads(const Job &job, const vector_source &source, unsigned most,
                                                            unsigned lane) {
        const size_t units = (source.count + WARP - 1) / WARP * most;
        for (size_t unit = warp_of_grid(); unit < units; unit += warps_of_grid()) {
            const size_t mine = unit / most * WARP + lane;
            const unsigned part = (unsigned)(unit % most);
            const slot own(job, source, mine, most);
            if (__any_sync(WHOLE_WARP, part < own.parts)) one_part(job, own, mine, most, part, true, lane);
        }
    }
    static __device__ __forceinline__ void parts(const Job &job) {
        const vectors_job &its = the_job(job);
        const vector_source source(its);
        const unsigned lane = threadIdx.x % WARP,
                       most = (unsigned)min(VECTORS_PLACES / max(source.count, (size_t)1), (size_t)its.parts);
        if (MAY_BE_ALONE && its.threads == 1)
            parts_of_threads(job, source, most, lane);
        else
            parts_of_slots(job, source, most, lane);
        source.forget(its);
    }
};

template <class Lanes, class Method, bool PRODUCT, class Job>
static __global__ void __launch_bounds__(VECTORS_THREADS, PRODUCT ? VECTORS_PRODUCT_BLOCKS : VECTORS_BLOCKS)
    ordered_vectors_kernel(const __grid_constant__ Job job) {
    ordered_vectors<Lanes, Method, PRODUCT, Job>::whole(job);
}
template <class Lanes, class Method, bool PRODUCT, class Job>
static __global__ void __launch_bounds__(VECTORS_THREADS, PRODUCT ? VECTORS_PRODUCT_BLOCKS : VECTORS_BLOCKS)
    ordered_parts_kernel(const __grid_constant__ Job job) {
    ordered_vectors<Lanes, Method, PRODUCT, Job>::parts(job);
}

/* Calls use(lanes, method, product), whose types are what a job's kernels are templates of; product is a constant, too.
 * has_doubles: what terms are added up in. */
template <class Lanes, class Method, class Use> static auto with_product(bool is_product, Use use) {
    return is_product ? use(Lanes(), Method(), std::true_type()) : use(Lanes(), Method(), std::false_type());
}
template <class Method, class Use> static auto with_lanes(bool has_doubles, bool is_product, Use use) {
    return has_doubles ? with_product<double_format, Method>(is_product, use)
                       : with_product<float_format, Method>(is_product, use);
}
template <class Use> static auto with_method(bool has_doubles, bool is_product, quire_method method, Use use) {
    return method == QUIRE_KAHAN
               ? with_lanes<kahan_method>(has_doubles, is_product, use)
               : with_lanes<plain_method>(has_doubles, is_product, use); /* pairwise: in tiles of another size */
}

#endif
