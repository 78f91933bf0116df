/* quire/device/ordered_collectives.cuh - the sum of n elements by a method of the canonical order (docs/order.md), by a
 * warp or by a block. Part of device.cuh, whose first comment is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_ORDERED_COLLECTIVES_CUH
#define QUIRE_DEVICE_ORDERED_COLLECTIVES_CUH

#include <quire/device/collectives.cuh>
#include <quire/device/ordered.cuh>

namespace quire {
namespace detail {

static __host__ __device__ constexpr unsigned power_below(unsigned x) { return x <= 1 ? 1 : 2 * power_below(x / 2); }

/* How THREADS threads share the 256 lanes of a tile: "sharers" of them are a team, which has a tile. Thread t of a team
 * has the lanes t, t + sharers, ...: "lanes" of them at a time, which stand "apart", in so many passes. */
constexpr unsigned LANES_AT_ONCE = 8;
template <int THREADS> struct lane_shares {
    static constexpr unsigned all = power_below(THREADS), sharers = all < TILE_LANES ? all : TILE_LANES,
                              teams = all / sharers, own = TILE_LANES / sharers,
                              lanes = own < LANES_AT_ONCE ? own : LANES_AT_ONCE, passes = own / lanes,
                              apart = TILE_LANES / lanes, warps = (sharers + WARP_LANES - 1) / WARP_LANES;
};

} // namespace detail

/* Shared memory of a collective by a method: one object for each block that is in a collective at a time. STATE is the
 * method's, for instance quire::kahan<float>. It needs no initialisation, and may lie in a union, as block_scratch.
 * Bytes: at most 24, and a state for each thread: 4 bytes, by kahan 8; of elements that are doubles twice as many. */
template <int THREADS, class STATE> struct ordered_scratch {
    static_assert(THREADS >= 1 && THREADS <= 1024, "a block has 1 to 1024 threads");
    typedef detail::lane_shares<THREADS> shares;
    static constexpr unsigned beyond = shares::warps > 1 ? shares::sharers - detail::WARP_LANES : 1;
    unsigned long long shared;
    typename STATE::real total[shares::teams][STATE::method::words];
    typename STATE::real room[shares::teams][STATE::method::words][beyond];
};
static_assert(sizeof(ordered_scratch<1, kahan<double>>) == 24 + 16 &&
                  sizeof(ordered_scratch<1024, plain<float>>) <= 4120,
              "as the comment says");

namespace detail {

/* The sum of a thread's lanes from "lane" on, of the elements of a tile: down the lanes, and then the first half of
 * them take the other half, and so on. Some rows are loaded before the first is added. */
template <class SHARES, terms TERMS, class STATE, class X, class Y>
static __device__ __forceinline__ STATE sum_down_lanes(size_t begin, size_t end, unsigned lane, const X &x,
                                                       const Y &y) {
    typedef std::decay_t<decltype(x((size_t)0))> T;
    constexpr int lanes = SHARES::lanes, rows = 16 / lanes;
    STATE s[lanes];
    for (size_t at = begin + lane; at < end; at += rows * TILE_LANES) {
        T a[rows][lanes], b[rows][lanes];
#pragma unroll
        for (int i = 0; i < rows * lanes; i++) {
            const size_t k = at + i / lanes * TILE_LANES + i % lanes * SHARES::apart;
            if (k >= end) continue;
            a[i / lanes][i % lanes] = x(k);
            if constexpr (TERMS == terms::products) b[i / lanes][i % lanes] = y(k);
        }
#pragma unroll
        for (int i = 0; i < rows * lanes; i++) {
            const size_t k = at + i / lanes * TILE_LANES + i % lanes * SHARES::apart;
            const T &one = a[i / lanes][i % lanes];
            if (k < end) add_term<TERMS>(s[i % lanes], one, TERMS == terms::products ? b[i / lanes][i % lanes] : one);
        }
    }
#pragma unroll
    for (int half = lanes / 2; half; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++) s[i].merge(s[i + half]);
    return s[0];
}

/* The sum of all lanes of thread t. Passes come in an order in which their sums are neighbours, as tiles are: the
 * second is of the lanes half as far from the first as those of a pass stand apart, the next two are between. */
template <class SHARES, terms TERMS, class STATE, class X, class Y>
static __device__ __forceinline__ STATE sum_of_share(size_t begin, size_t end, unsigned t, const X &x, const Y &y) {
    if constexpr (SHARES::passes == 1) {
        return sum_down_lanes<SHARES, TERMS, STATE>(begin, end, t, x, y);
    } else {
        tile_tree<typename STATE::real, typename STATE::method, 6> tree;
        STATE s;
        tree.tiles = 0;
#pragma unroll 1
        for (unsigned pass = 0; pass < SHARES::passes; pass++) {
            const unsigned lane =
                t + SHARES::sharers * (__brev(pass) / (unsigned)(((uint64_t)1 << 32) / SHARES::passes));
            s = sum_down_lanes<SHARES, TERMS, STATE>(begin, end, lane, x, y);
            tree.add(s.word);
        }
        tree.total(s.word);
        return s;
    }
}

/* The sum of COUNT neighbouring lanes of a warp, for the first of them: those that mask names call this together. */
template <unsigned COUNT, class STATE> static __device__ __forceinline__ STATE fold_lanes(STATE s, unsigned mask) {
#pragma unroll
    for (unsigned apart = COUNT / 2; apart; apart /= 2) s.merge(s.from_above(mask, apart));
    return s;
}

/* The tree over all tiles that a vector can have. */
template <class STATE>
using tree_of = tile_tree<typename STATE::real, typename STATE::method, tree_levels<typename STATE::method>>;

/* The sum of n terms, one at least, for the first of LANES lanes. */
template <terms TERMS, class STATE, int LANES, class X, class Y>
static __device__ __forceinline__ STATE sum_in_order(const lane_group<LANES> &group, size_t n, const X &x, const Y &y) {
    typedef lane_shares<LANES> shares;
    const size_t tile = order_tile(n, STATE::method::rows);
    tree_of<STATE> tree;
    STATE s;
    tree.tiles = 0;
    for (size_t begin = 0;; begin += tile) {
        const bool is_last = n - begin <= tile;
        s = sum_of_share<shares, TERMS, STATE>(begin, is_last ? n : begin + tile, group.rank, x, y);
        s = fold_lanes<LANES>(s, group.mask());
        if (n <= tile) return s;
        if (group.rank == 0) tree.add(s.word);
        if (is_last) break;
    }
    if (group.rank == 0) tree.total(s.word);
    return s;
}

/* The sum of a tile, of which each of its team's threads has its share's, for the first of them. All threads of the
 * block call this; those that are in no team, or whose team has no tile, have no share. */
template <int THREADS, class STATE>
static __device__ __forceinline__ STATE sum_of_team(ordered_scratch<THREADS, STATE> &scratch, STATE s, unsigned team,
                                                    unsigned t, bool has_share) {
    typedef lane_shares<THREADS> shares;
    constexpr int words = STATE::method::words;
    if (shares::warps > 1 && has_share && t >= WARP_LANES)
        for (int w = 0; w < words; w++) scratch.room[team][w][t - WARP_LANES] = s.word[w];
    __syncthreads();
    if (!has_share || t >= WARP_LANES) return s;
    STATE of_warp[shares::warps];
    of_warp[0] = s;
#pragma unroll
    for (unsigned k = 1; k < shares::warps; k++)
        for (int w = 0; w < words; w++) of_warp[k].word[w] = scratch.room[team][w][(k - 1) * WARP_LANES + t];
#pragma unroll
    for (unsigned half = shares::warps / 2; half; half /= 2)
#pragma unroll
        for (unsigned k = 0; k < half; k++) of_warp[k].merge(of_warp[k + half]);
    constexpr unsigned count = shares::sharers < WARP_LANES ? shares::sharers : WARP_LANES;
    return fold_lanes<count>(of_warp[0], 0xffffffffu >> (WARP_LANES - count));
}

/* The same by a block, for its first thread. Each team takes a tile, and then each the next. */
template <terms TERMS, class STATE, int THREADS, class X, class Y>
static __device__ __forceinline__ STATE sum_in_order(ordered_scratch<THREADS, STATE> &scratch, unsigned rank, size_t n,
                                                     const X &x, const Y &y) {
    typedef lane_shares<THREADS> shares;
    const size_t tile = order_tile(n, STATE::method::rows), tiles = (n - 1) / tile + 1;
    const unsigned team = rank / shares::sharers, t = rank % shares::sharers;
    tree_of<STATE> tree;
    STATE s;
    tree.tiles = 0;
    for (size_t first = 0; first < tiles; first += shares::teams) {
        const size_t number = first + team, begin = number * tile;
        const bool has_share = team < shares::teams && number < tiles;
        s = STATE();
        if (has_share) s = sum_of_share<shares, TERMS, STATE>(begin, n - begin < tile ? n : begin + tile, t, x, y);
        s = sum_of_team<THREADS, STATE>(scratch, s, team, t, has_share);
        if (tiles == 1) return s;
        if (shares::teams > 1 && has_share && t == 0)
            for (int w = 0; w < STATE::method::words; w++) scratch.total[team][w] = s.word[w];
        __syncthreads();
        for (unsigned i = 0; rank == 0 && i < shares::teams && first + i < tiles; i++) {
            if (shares::teams > 1)
                for (int w = 0; w < STATE::method::words; w++) s.word[w] = scratch.total[i][w];
            tree.add(s.word);
        }
    }
    if (rank == 0) tree.total(s.word);
    return s;
}

/* The bits of the result of what thread 0 has. */
template <class R, class STATE>
static __device__ __forceinline__ uint64_t finish_in_order(const STATE &s, size_t n, finish how,
                                                           quire_rounding rounding) {
    const rounding_job<R> job(how, rounding);
    if (n == 0) return how == finish::mean ? job.format.quiet_nan : 0;
    return round_words<typename STATE::method>(job, s.word[0], s.word[STATE::method::words - 1], n);
}

template <class RESULT, class T> using result_type = std::conditional_t<std::is_void_v<RESULT>, T, RESULT>;

template <terms TERMS, class RESULT, int LANES, class METHOD, class T, class X, class Y>
static __device__ __forceinline__ auto reduce_in_order(const ordered<METHOD, T> &, size_t n, finish how, const X &x,
                                                       const Y &y, quire_rounding rounding) {
    static_assert(std::is_same_v<T, std::decay_t<decltype(x((size_t)0))>>, "x gives elements of the state's type");
    static_assert(std::is_same_v<T, std::decay_t<decltype(y((size_t)0))>>, "y gives elements of the state's type");
    typedef result_type<RESULT, T> R;
    const lane_group<LANES> group;
    ordered<METHOD, T> s;
    uint64_t bits = 0;
    if (n) s = sum_in_order<TERMS, ordered<METHOD, T>>(group, n, x, y);
    if (group.rank == 0) bits = finish_in_order<R>(s, n, how, rounding);
    return result_of_bits<R>(group.share(bits));
}

template <terms TERMS, class RESULT, int THREADS, class METHOD, class T, class X, class Y>
static __device__ __forceinline__ auto reduce_in_order(ordered_scratch<THREADS, ordered<METHOD, T>> &scratch, size_t n,
                                                       finish how, const X &x, const Y &y, quire_rounding rounding) {
    static_assert(std::is_same_v<T, std::decay_t<decltype(x((size_t)0))>>, "x gives elements of the state's type");
    static_assert(std::is_same_v<T, std::decay_t<decltype(y((size_t)0))>>, "y gives elements of the state's type");
    typedef result_type<RESULT, T> R;
    const unsigned rank = rank_in_block();
    ordered<METHOD, T> s;
    if (n) s = sum_in_order<TERMS, ordered<METHOD, T>>(scratch, rank, n, x, y);
    if (n == 0) __syncthreads(); /* others may still read the last result */
    if (rank == 0) scratch.shared = finish_in_order<R>(s, n, how, rounding);
    __syncthreads();
    return result_of_bits<R>(scratch.shared);
}

} // namespace detail

/* COLLECTIVES BY A METHOD. The functions of collectives.cuh with another first argument give the bits of quire_sum,
 * quire_dot, quire_nrm2, ... with QUIRE_PLAIN, QUIRE_PAIRWISE or QUIRE_KAHAN (error bounds: docs/accuracy.md):
 *
 *     warp_sum(quire::kahan<float>(), n, x)    a new state says what the method and the elements' type are
 *     block_sum(scratch, n, x)                 the type of the scratch does, an ordered_scratch<THREADS, STATE>
 *
 * Warps need no shared memory. All other arguments, who takes part, and the result for every thread are as there.
 * Elements are added in the canonical order, whatever THREADS or LANES is. x and y are asked for each element once, so
 * that they may compute it; and nothing may write to what they read until the call has returned. */
#define QUIRE_IN_ORDER(name, terms_of, how)                                                                            \
    template <class RESULT = void, int LANES = 32, class METHOD, class T, class X>                                     \
    static __device__ __forceinline__ auto warp_##name(const ordered<METHOD, T> &method, size_t n, const X &x,         \
                                                       quire_rounding rounding = QUIRE_TO_NEAREST) {                   \
        return detail::reduce_in_order<terms::terms_of, RESULT, LANES>(method, n, finish::how, x, x, rounding);        \
    }                                                                                                                  \
    template <class RESULT = void, int THREADS, class METHOD, class T, class X>                                        \
    static __device__ __forceinline__ auto block_##name(ordered_scratch<THREADS, ordered<METHOD, T>> &scratch,         \
                                                        size_t n, const X &x,                                          \
                                                        quire_rounding rounding = QUIRE_TO_NEAREST) {                  \
        return detail::reduce_in_order<terms::terms_of, RESULT, THREADS>(scratch, n, finish::how, x, x, rounding);     \
    }
QUIRE_IN_ORDER(sum, elements, keep)
QUIRE_IN_ORDER(asum, magnitudes, keep)
QUIRE_IN_ORDER(sumsq, squares, keep)
QUIRE_IN_ORDER(nrm2, squares, root)
QUIRE_IN_ORDER(mean, elements, mean)
#undef QUIRE_IN_ORDER
template <class RESULT = void, int LANES = 32, class METHOD, class T, class X, class Y>
static __device__ __forceinline__ auto warp_dot(const ordered<METHOD, T> &method, size_t n, const X &x, const Y &y,
                                                quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce_in_order<terms::products, RESULT, LANES>(method, n, finish::keep, x, y, rounding);
}
template <class RESULT = void, int THREADS, class METHOD, class T, class X, class Y>
static __device__ __forceinline__ auto block_dot(ordered_scratch<THREADS, ordered<METHOD, T>> &scratch, size_t n,
                                                 const X &x, const Y &y, quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce_in_order<terms::products, RESULT, THREADS>(scratch, n, finish::keep, x, y, rounding);
}

} // namespace quire

#endif
