/* quire/device/collectives.cuh - the sum of n elements that a function gives, by a warp or by a block. Part of
 * device.cuh, whose first comment is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_COLLECTIVES_CUH
#define QUIRE_DEVICE_COLLECTIVES_CUH

#include <quire/device/exact.cuh>

namespace quire {

/* What is added up: elements, their magnitudes, their squares, or products of two. */
enum class terms { elements, magnitudes, squares, products };

/* Shared memory of a collective: one object for each warp, or block, that is in a collective at a time. It needs no
 * initialisation; the next collective may use it at once. It may lie in a union with other data, with a __syncwarp() or
 * __syncthreads() between their uses. 1120 bytes for a warp; for a block 8 more, and 24 for each of its warps. */
struct warp_scratch {
    quire_accumulator limbs;
};
template <int THREADS> struct block_scratch {
    static_assert(THREADS >= 1 && THREADS <= 1024, "a block has 1 to 1024 threads");
    quire_accumulator limbs;
    unsigned long long shared;
    unsigned long long state[(THREADS + 31) / 32][3];
};

namespace detail {

/* The least power of two that is not below x. */
static __host__ __device__ constexpr unsigned power_above(unsigned x) {
    return x <= 1 ? 1 : 2 * power_above((x + 1) / 2);
}

/* The sum of the states of the first "count" of COUNT lanes, a power of two, for the first of them; all of those that
 * mask names call this together. */
template <unsigned COUNT, class Sum>
static __device__ __forceinline__ Sum sum_of_lanes(Sum s, unsigned mask, unsigned lane, unsigned count = COUNT) {
#pragma unroll
    for (unsigned apart = COUNT / 2; apart; apart /= 2) {
        const Sum other = s.from_above(mask, apart);
        if (count == COUNT || lane + apart < count) s.merge(other); /* in full, others may add what none asks for */
    }
    return s;
}

static __device__ __forceinline__ unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Who is in a collective. rank: the number of this thread; size: how many there are. total: the sum of all threads',
 * for thread 0. share: what thread 0 has, for all. Several groups may share a scratch: then they use it in turns, of
 * which "turn" is this one's, and any(x) is whether x is true for one of them. */
template <int LANES> struct lane_group {
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "tiles divide a warp");
    unsigned turn, rank;
    static constexpr unsigned size = LANES, turns = WARP_LANES / LANES;

    __device__ __forceinline__ lane_group() : turn(lane_of_warp() / LANES), rank(lane_of_warp() % LANES) {}
    __device__ __forceinline__ unsigned mask() const { return (0xffffffffu >> (WARP_LANES - LANES)) << turn * LANES; }
    __device__ __forceinline__ void sync() const { __syncwarp(mask()); }
    __device__ __forceinline__ bool any(bool x) const { return __any_sync(0xffffffffu, x); }
    template <class Sum> __device__ __forceinline__ Sum total(const Sum &s) const {
        return sum_of_lanes<LANES>(s, mask(), rank);
    }
    __device__ __forceinline__ uint64_t share(uint64_t x) const { return __shfl_sync(mask(), x, 0, LANES); }
};
template <int LANES, class SCRATCH = warp_scratch> struct tile_group : lane_group<LANES> {
    SCRATCH &scratch;
    __device__ __forceinline__ explicit tile_group(SCRATCH &room) : scratch(room) {}
};

template <int THREADS, class SCRATCH = block_scratch<THREADS>> struct block_group {
    SCRATCH &scratch;
    unsigned rank;
    static constexpr unsigned size = THREADS, warps = (THREADS + 31) / 32, turns = 1, turn = 0;

    __device__ __forceinline__ explicit block_group(SCRATCH &room) : scratch(room), rank(rank_in_block()) {}
    __device__ __forceinline__ void sync() const { __syncthreads(); }
    __device__ __forceinline__ bool any(bool x) const { return x; } /* the only one */
    template <class Sum> __device__ __forceinline__ Sum total(Sum s) const {
        static_assert(sizeof s <= sizeof scratch.state[0], "a state has a place in the scratch");
        constexpr unsigned rest = size % WARP_LANES;
        const unsigned lane = rank % WARP_LANES, warp = rank / WARP_LANES;
        if (rest && warp == warps - 1)
            s = sum_of_lanes<power_above(rest)>(s, (1u << rest) - 1, lane, rest);
        else
            s = sum_of_lanes<WARP_LANES>(s, 0xffffffffu, lane);
        if (lane == 0) memcpy(scratch.state[warp], &s, sizeof s);
        __syncthreads();
        if (warp != 0 || lane >= warps) return s;
        memcpy((void *)&s, scratch.state[lane], sizeof s);
        return sum_of_lanes<power_above(warps)>(s, warps == 32 ? 0xffffffffu : (1u << warps) - 1, lane, warps);
    }
    /* Between what a thread reads here and the next that thread 0 writes stands the barrier of a total. */
    __device__ __forceinline__ uint64_t share(uint64_t x) const {
        if (rank == 0) scratch.shared = x;
        __syncthreads();
        return scratch.shared;
    }
};

/* The term of an element; b is read for products alone. */
template <terms TERMS, class Sum, class T> static __device__ __forceinline__ void add_term(Sum &s, T a, T b) {
    if constexpr (TERMS == terms::elements) s.add(a);
    if constexpr (TERMS == terms::magnitudes) s.add_magnitude(a);
    if constexpr (TERMS == terms::squares) s.add_product(a, a);
    if constexpr (TERMS == terms::products) s.add_product(a, b);
}

/* The terms of elements first, first + step, ... below end, of which AHEAD are loaded together. */
template <terms TERMS, unsigned AHEAD = 1, class Sum, class X, class Y>
static __device__ __forceinline__ void add_terms(Sum &s, size_t first, size_t end, size_t step, const X &x,
                                                 const Y &y) {
    size_t k = first;
    for (; k < end && end - k > (AHEAD - 1) * step; k += AHEAD * step) {
        std::decay_t<decltype(x(k))> a[AHEAD], b[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; i++) {
            a[i] = x(k + i * step);
            if constexpr (TERMS == terms::products) b[i] = y(k + i * step);
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; i++) add_term<TERMS>(s, a[i], TERMS == terms::products ? b[i] : a[i]);
    }
    if constexpr (AHEAD > 1) add_terms<TERMS>(s, k, end, step, x, y);
}
constexpr unsigned LOADS_AHEAD = 4; /* of a thread, of each array */

/* An accumulator as the state of a thread, which others add to as well. */
struct shared_limbs {
    static constexpr unsigned sums = 1;
    quire_accumulator *sum;

    template <class T> __device__ __forceinline__ void add(T x) { atomic_add_number(sum, element_of<T>::number(x)); }
    template <class T> __device__ __forceinline__ void add_magnitude(T x) {
        atomic_add_number(sum, abs_f64(element_of<T>::number(x)));
    }
    template <class T> __device__ __forceinline__ void add_product(T x, T y) {
        atomic_add_product_of(sum, element_of<T>::number(x), element_of<T>::number(y));
    }
};

static __device__ __noinline__ void carry_limbs(quire_accumulator *sum) { accumulator_carry(sum); }

/* The sums of n terms in accumulators of the scratch, carried, with their counts; for all threads. */
template <terms TERMS, class Limbs, class Group, class X, class Y>
static __device__ __forceinline__ void add_to_limbs(const Group &group, Limbs limbs, size_t n, const X &x, const Y &y) {
    quire_accumulator *sum = limbs.sum;
    group.sync();
    for (unsigned i = group.rank; i < Limbs::sums * QUIRE_ACCUMULATOR_WORDS; i += group.size) ((int64_t *)sum)[i] = 0;
    group.sync();
    for (size_t begin = 0; begin < n; begin += ATOMIC_TERMS) {
        const size_t end = n - begin < ATOMIC_TERMS ? n : begin + ATOMIC_TERMS;
        add_terms<TERMS>(limbs, begin + group.rank, end, group.size, x, y);
        group.sync();
        for (unsigned i = 0; group.rank == 0 && i < Limbs::sums; i++) carry_limbs(&sum[i]);
        group.sync();
    }
    for (unsigned i = 0; group.rank == 0 && i < Limbs::sums; i++) sum[i].count = (int64_t)n;
    group.sync();
}
template <terms TERMS, class Group, class X, class Y>
static __device__ __forceinline__ void add_to_limbs(const Group &group, size_t n, const X &x, const Y &y) {
    add_to_limbs<TERMS>(group, shared_limbs{ &group.scratch.limbs }, n, x, y);
}

template <class R>
static __device__ __noinline__ uint64_t round_limbs(const rounding_job<R> job, const quire_accumulator &sum, size_t n) {
    return round_total(job, accumulator_total(&sum), n);
}

/* The bits of the result, for all threads, if the sum of all threads' states decides it. */
template <class Job, class Group, class Sum>
static __device__ __forceinline__ bool decide(const Job &job, const Group &group, const Sum &s, size_t n,
                                              bool has_signs, uint64_t *bits) {
    constexpr uint64_t undecided = ~(uint64_t)0; /* a double NaN, but no canonical one */
    const Sum total = group.total(s);
    uint64_t result = undecided;
    if (group.rank == 0 && !total.round(job, n, has_signs, &result)) result = undecided;
    *bits = group.share(result);
    return *bits != undecided;
}

/* The bits of results that two ends did not decide: by a wider state, and then by limbs. Rare, and so no part of the
 * caller's loop. By all groups that share a scratch; is_decided: this one's result is known. */
template <terms TERMS, class T, bool HAS_WIDER, class Job, class Group, class X, class Y>
static __device__ __noinline__ uint64_t decide_again(const Job job, const Group group, bool is_decided, uint64_t bits,
                                                     size_t n, bool has_signs, const X x, const Y y) {
    if constexpr (HAS_WIDER)
        if (!is_decided) {
            thread_sum<T, exact_sum<2>> s;
            add_terms<TERMS>(s, group.rank, n, group.size, x, y);
            is_decided = decide(job, group, s, n, has_signs, &bits);
        }
    for (unsigned turn = 0; turn < Group::turns; turn++) {
        if (!is_decided && turn == group.turn) {
            add_to_limbs<TERMS>(group, n, x, y);
            if (group.rank == 0) bits = round_limbs(job, group.scratch.limbs, n);
            bits = group.share(bits);
        }
        if (Group::turns > 1) __syncwarp();
    }
    return bits;
}

/* The result of n terms of which each thread has added its share to s, for all threads. */
template <terms TERMS, class T, class R, class Group, class X, class Y>
static __device__ __forceinline__ R finish_sum(const Group &group, const thread_sum<T, first_state<T, R>> &s, size_t n,
                                               finish how, const X &x, const Y &y, quire_rounding rounding) {
    typedef thread_sum<T, first_state<T, R>> sum;
    static_assert(std::is_same_v<T, std::decay_t<decltype(x((size_t)0))>>, "x gives elements of the sum's type");
    static_assert(std::is_same_v<T, std::decay_t<decltype(y((size_t)0))>>, "y gives elements of the sum's type");
    constexpr bool has_signs = TERMS == terms::elements || TERMS == terms::products;
    const rounding_job<R> job(how, rounding);
    uint64_t bits;
    bool is_decided = decide(job, group, s, n, has_signs, &bits);
    if (n == 0) bits = how == finish::mean ? job.format.quiet_nan : 0, is_decided = true;
    if (group.any(!is_decided))
        bits = decide_again<TERMS, T, sum::has_two_ends>(job, group, is_decided, bits, n, has_signs, x, y);
    return result_of_bits<R>(bits);
}

/* The result of n terms. RESULT: its type; void: that of the elements. */
template <terms TERMS, class RESULT, class Group, class X, class Y>
static __device__ __forceinline__ auto reduce(const Group &group, size_t n, finish how, const X &x, const Y &y,
                                              quire_rounding rounding) {
    typedef std::decay_t<decltype(x((size_t)0))> T;
    typedef std::conditional_t<std::is_void_v<RESULT>, T, RESULT> R;
    thread_sum<T, first_state<T, R>> s;
    add_terms<TERMS, LOADS_AHEAD>(s, group.rank, n, group.size, x, y);
    return finish_sum<TERMS, T, R>(group, s, n, how, x, y, rounding);
}

} // namespace detail

/* COLLECTIVES. The correctly rounded sum of n terms, for every thread that takes part:
 *
 *     warp_sum(scratch, n, x)      the sum of x(0), ..., x(n - 1)      block_sum
 *     warp_asum(scratch, n, x)     the sum of |x(k)|                   block_asum
 *     warp_sumsq(scratch, n, x)    the sum of x(k) * x(k)              block_sumsq
 *     warp_nrm2(scratch, n, x)     the root of that                    block_nrm2
 *     warp_mean(scratch, n, x)     the sum of x(k), divided by n       block_mean
 *     warp_dot(scratch, n, x, y)   the sum of x(k) * y(k)              block_dot
 *
 *   RESULT    the first template argument, the type of the result; without it that of the elements
 *   LANES     the second one of warp_*: so many neighbouring lanes, a power of two, have a sum of their own; without it
 *             32. The sums of a warp may differ in n and in x; all lanes of the warp call together
 *   scratch   in shared memory, of this warp, or of this block (warp_scratch, block_scratch<THREADS>)
 *   n         how many elements; 0 gives +0, and NaN for the mean
 *   x, y      functions of a size_t below n that give an element, called by any thread for any element. A call asks
 *             for each element once, and where the result is undecided up to two times more: each time it must be the
 *             same bits. So x should load a value, not compute it, for a compiler may contract an expression in one
 *             place and not in another (intrinsics such as __fsub_rn are never contracted); and nothing may write to
 *             what x reads until the call has returned.
 *   rounding  the direction of the one rounding; to nearest, if not given
 *
 * Who takes part: all 32 lanes of a warp, those of one sum with the same arguments; or all threads of a block of
 * exactly THREADS threads, of any shape. */
template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_sum(warp_scratch &scratch, size_t n, const X &x,
                                                quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::elements, RESULT>(detail::tile_group<LANES>(scratch), n, finish::keep, x, x, rounding);
}
template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_asum(warp_scratch &scratch, size_t n, const X &x,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::magnitudes, RESULT>(detail::tile_group<LANES>(scratch), n, finish::keep, x, x,
                                                     rounding);
}
template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_sumsq(warp_scratch &scratch, size_t n, const X &x,
                                                  quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::squares, RESULT>(detail::tile_group<LANES>(scratch), n, finish::keep, x, x, rounding);
}
template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_nrm2(warp_scratch &scratch, size_t n, const X &x,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::squares, RESULT>(detail::tile_group<LANES>(scratch), n, finish::root, x, x, rounding);
}
template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_mean(warp_scratch &scratch, size_t n, const X &x,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::elements, RESULT>(detail::tile_group<LANES>(scratch), n, finish::mean, x, x, rounding);
}
template <class RESULT = void, int LANES = 32, class X, class Y>
static __device__ __forceinline__ auto warp_dot(warp_scratch &scratch, size_t n, const X &x, const Y &y,
                                                quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::products, RESULT>(detail::tile_group<LANES>(scratch), n, finish::keep, x, y, rounding);
}

template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_sum(block_scratch<THREADS> &scratch, size_t n, const X &x,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::elements, RESULT>(detail::block_group<THREADS>(scratch), n, finish::keep, x, x,
                                                   rounding);
}
template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_asum(block_scratch<THREADS> &scratch, size_t n, const X &x,
                                                  quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::magnitudes, RESULT>(detail::block_group<THREADS>(scratch), n, finish::keep, x, x,
                                                     rounding);
}
template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_sumsq(block_scratch<THREADS> &scratch, size_t n, const X &x,
                                                   quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::squares, RESULT>(detail::block_group<THREADS>(scratch), n, finish::keep, x, x,
                                                  rounding);
}
template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_nrm2(block_scratch<THREADS> &scratch, size_t n, const X &x,
                                                  quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::squares, RESULT>(detail::block_group<THREADS>(scratch), n, finish::root, x, x,
                                                  rounding);
}
template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_mean(block_scratch<THREADS> &scratch, size_t n, const X &x,
                                                  quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::elements, RESULT>(detail::block_group<THREADS>(scratch), n, finish::mean, x, x,
                                                   rounding);
}
template <class RESULT = void, int THREADS, class X, class Y>
static __device__ __forceinline__ auto block_dot(block_scratch<THREADS> &scratch, size_t n, const X &x, const Y &y,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::reduce<terms::products, RESULT>(detail::block_group<THREADS>(scratch), n, finish::keep, x, y,
                                                   rounding);
}

/* The same where the threads have added up the terms themselves, for instance from registers, by chunks of 16 bytes.
 *
 *   TERMS     what the terms are, to ask for them again where the result is undecided
 *   mine      the sum of this thread's share of the n terms; all shares together are the n terms
 *   how       what becomes of the sum: finish::keep, finish::root or finish::mean
 *   y         is not read but for terms::products */
template <terms TERMS, int LANES = 32, class T, class R, class X, class Y>
static __device__ __forceinline__ R warp_finish(warp_scratch &scratch, const exact<T, R> &mine, size_t n, finish how,
                                                const X &x, const Y &y, quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::finish_sum<TERMS, T, R>(detail::tile_group<LANES>(scratch), mine.sum, n, how, x, y, rounding);
}
template <terms TERMS, int THREADS, class T, class R, class X, class Y>
static __device__ __forceinline__ R block_finish(block_scratch<THREADS> &scratch, const exact<T, R> &mine, size_t n,
                                                 finish how, const X &x, const Y &y,
                                                 quire_rounding rounding = QUIRE_TO_NEAREST) {
    return detail::finish_sum<TERMS, T, R>(detail::block_group<THREADS>(scratch), mine.sum, n, how, x, y, rounding);
}

} // namespace quire

#endif
