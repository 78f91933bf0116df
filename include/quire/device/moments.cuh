/* quire/device/moments.cuh - mean, variance and standard deviation of elements, each rounded once, from one pass: by a
 * thread, a warp or a block. Part of device.cuh, whose first comment is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_MOMENTS_CUH
#define QUIRE_DEVICE_MOMENTS_CUH

#include <utility>

#include <quire/device/collectives.cuh>

namespace quire {
namespace detail {

/* How a variance of type R is made, or its root. */
template <class R> struct moment_job {
    format_description format;
    quire_rounding rounding;
    finish_kind finish;
    int64_t correction;

    __device__ __forceinline__ moment_job(bool is_root, int64_t less, quire_rounding direction)
        : format(element_of<R>::format::description), rounding(direction),
          finish(is_root ? FINISH_STDDEV : FINISH_VARIANCE), correction(less) {}
};

/* Doubles hold the difference of two counts up to this. */
constexpr int64_t ENDS_COUNT = (int64_t)1 << 52;

/* A sum as the numbers that a ball is made of (operation/moments_ball.h); it is less than these by its width at most.
 */
template <int COUNT> struct sum_words {
    double of[COUNT] = {};

    __device__ __forceinline__ explicit sum_words(const ends &s) { of[0] = s.up; }
    template <int WORDS> __device__ __forceinline__ explicit sum_words(const exact_sum<WORDS> &s) {
        static_assert(WORDS <= COUNT, "as many numbers as a ball takes");
        for (int i = 0; i < WORDS - 1; i++) of[i] = s.word[i];
        of[WORDS - 1] = s.up;
    }
};

/* A thread's sums of elements of type T and of their squares, each in a state. Squares of doubles are 106 bits long. */
template <class T, class State> struct moment_sums {
    static constexpr bool is_double = precision_of<T> > 24, has_two_ends = std::is_same_v<State, ends> && !is_double;
    thread_sum<T, State> numbers;
    thread_sum<T, std::conditional_t<is_double, exact_sum<3>, State>> squares;

    __device__ __forceinline__ void add(T x) { numbers.add(x), squares.add_product(x, x); }
    __device__ __forceinline__ void merge(const moment_sums &other) {
        numbers.merge(other.numbers), squares.merge(other.squares);
    }
    __device__ __forceinline__ moment_sums from_above(unsigned mask, unsigned lanes) const {
        moment_sums other;
        other.numbers = numbers.from_above(mask, lanes), other.squares = squares.from_above(mask, lanes);
        return other;
    }
};

/* The bits of the variance of n elements, or of its root, if two ends decide it: few instructions. */
template <class R>
static __device__ __forceinline__ bool round_by_ends(const moment_job<R> &job, const ends &s, const ends &q, size_t n,
                                                     uint64_t *bits) {
    if (n > (uint64_t)ENDS_COUNT || job.correction > ENDS_COUNT || job.correction < -ENDS_COUNT || n == 0) return false;
    const int64_t count = (int64_t)n;
    const term_count terms = { n, reciprocal_around((double)count),
                               reciprocal_around((double)(count - job.correction)) };
    return round_moment_ends(job, terms, s, q, bits);
}
/* The same for a result that is rounded to nearest and has 8 bits or more, as most are. A caller has it inline, and
 * calls round_moment where it answers false. */
template <class R, class T, class State>
static __device__ __forceinline__ bool round_quickly(const moment_job<R> &job, const moment_sums<T, State> &sums,
                                                     size_t n, uint64_t *bits) {
    if constexpr (moment_sums<T, State>::has_two_ends && precision_of<R> >= 8)
        return job.rounding == QUIRE_TO_NEAREST && round_by_ends(job, sums.numbers.s, sums.squares.s, n, bits);
    return false;
}

/* The same by whatever decides it. Once in a kernel's code. Of numbers narrower than double a sum is not finite only if
 * an element is not. */
template <class R, class T, class State>
static __device__ __noinline__ bool round_moment(const moment_job<R> job, const moment_sums<T, State> sums, size_t n,
                                                 uint64_t *bits) {
    const sum_words<2> s(sums.numbers.s);
    const sum_words<3> q(sums.squares.s);
    const double width[2] = { sums.numbers.s.width(), sums.squares.s.width() };
    *bits = job.format.quiet_nan;
    if (n == 0 || (job.correction > 0 && n <= (uint64_t)job.correction)) return true;
    if (!sums.is_double && !double_is_finite(q.of[0])) return true;
    if constexpr (moment_sums<T, State>::has_two_ends)
        if (round_by_ends(job, sums.numbers.s, sums.squares.s, n, bits)) return true;
    return round_ball(moment_in_ball(s.of, q.of, width, job.finish, n, job.correction), job.format, job.rounding,
                      bits) ||
           round_ball(moment_exactly(s.of, q.of, width, job.finish, n, job.correction), job.format, job.rounding, bits);
}

} // namespace detail

/* The sums of elements of type T and of their squares, under way in one thread's registers, for results of type R: four
 * doubles where R has at most 24 bits of precision and T is no double (four operations on doubles an element); six or
 * seven otherwise. A new object is that of no elements. Sums may be merged in any order. */
template <class T, class R = T> class moments {
  public:
    /* Adds x and its square. */
    __device__ __forceinline__ void add(T x) { sums.add(x); }

    /* Adds other elements' sums; and those of the lane that stands "lanes" above this one, as exact::from_above. */
    __device__ __forceinline__ void merge(const moments &other) { sums.merge(other.sums); }
    __device__ __forceinline__ moments from_above(unsigned mask, unsigned lanes) const {
        moments other;
        other.sums = sums.from_above(mask, lanes);
        return other;
    }

    /* Each writes to *result the mean of the n elements, their variance (with n - correction as the divisor), or its
     * root, rounded once in the direction of rounding. False: undecided, and *result is not written. Where quire.h has
     * NaN it is NaN: of no elements; where n - correction is not above 0; where an element is not finite. */
    __device__ __forceinline__ bool mean(R *result, size_t n, quire_rounding rounding = QUIRE_TO_NEAREST) const {
        uint64_t bits;
        if (!sums.numbers.round(detail::rounding_job<R>(finish::mean, rounding), n, true, &bits)) return false;
        *result = detail::result_of_bits<R>(bits);
        return true;
    }
    __device__ __forceinline__ bool variance(R *result, size_t n, int64_t correction = 0,
                                             quire_rounding rounding = QUIRE_TO_NEAREST) const {
        return moment(result, false, n, correction, rounding);
    }
    __device__ __forceinline__ bool stddev(R *result, size_t n, int64_t correction = 0,
                                           quire_rounding rounding = QUIRE_TO_NEAREST) const {
        return moment(result, true, n, correction, rounding);
    }

    /* Not for users. */
    detail::moment_sums<T, detail::first_state<T, R>> sums;

  private:
    __device__ __forceinline__ bool moment(R *result, bool is_root, size_t n, int64_t correction,
                                           quire_rounding rounding) const {
        uint64_t bits;
        const detail::moment_job<R> job(is_root, correction, rounding);
        if (!detail::round_quickly(job, sums, n, &bits) && !detail::round_moment<R, T>(job, sums, n, &bits))
            return false;
        *result = detail::result_of_bits<R>(bits);
        return true;
    }
};

/* The results of block_moments and warp_moments. */
template <class R> struct mean_and_variance { R mean, variance; };

/* Shared memory of these collectives, as warp_scratch and block_scratch: 6104 bytes for a warp; for a block 16 more,
 * and 56 for each of its warps. */
struct warp_moments_scratch {
    quire_accumulator limbs[2];
    detail::accumulated_moment_room room;
};
template <int THREADS> struct block_moments_scratch {
    static_assert(THREADS >= 1 && THREADS <= 1024, "a block has 1 to 1024 threads");
    quire_accumulator limbs[2];
    detail::accumulated_moment_room room;
    unsigned long long shared[2], state[(THREADS + 31) / 32][7];
};
static_assert(sizeof(warp_moments_scratch) == 6104 && sizeof(block_moments_scratch<64>) == 6104 + 16 + 2 * 56,
              "as the comment says");

namespace detail {

/* The bits of a mean and of a variance, or of its root; a double NaN that is no canonical one: undecided. */
constexpr uint64_t NO_MOMENT = ~(uint64_t)0;
struct moment_bits {
    uint64_t mean, moment;
    __device__ __forceinline__ bool are_decided() const { return mean != NO_MOMENT && moment != NO_MOMENT; }
};

/* What thread 0 has, for all threads. */
template <int LANES>
static __device__ __forceinline__ moment_bits share_moments(const tile_group<LANES, warp_moments_scratch> &group,
                                                            moment_bits bits) {
    return { group.share(bits.mean), group.share(bits.moment) };
}
template <int THREADS>
static __device__ __forceinline__ moment_bits
share_moments(const block_group<THREADS, block_moments_scratch<THREADS>> &group, moment_bits bits) {
    if (group.rank == 0) group.scratch.shared[0] = bits.mean, group.scratch.shared[1] = bits.moment;
    __syncthreads();
    return { group.scratch.shared[0], group.scratch.shared[1] };
}

/* What is asked for: the mean, and a variance or its root. */
template <class R> struct moments_wanted {
    rounding_job<R> mean;
    moment_job<R> moment;
    bool has_mean, has_moment;
};

/* Whether the sums of all threads decide what is wanted; for all threads. */
template <class R, class Group, class Sums>
static __device__ __forceinline__ moment_bits decide_moments(const moments_wanted<R> &wanted, const Group &group,
                                                             const Sums &sums, size_t n) {
    const Sums total = group.total(sums);
    moment_bits bits = { 0, 0 };
    if (group.rank == 0) {
        if (wanted.has_mean && !total.numbers.round(wanted.mean, n, true, &bits.mean)) bits.mean = NO_MOMENT;
        if (wanted.has_moment && !round_quickly(wanted.moment, total, n, &bits.moment) &&
            !round_moment(wanted.moment, total, n, &bits.moment))
            bits.moment = NO_MOMENT;
    }
    return share_moments(group, bits);
}

/* Accumulators of elements and of their squares, as shared_limbs. */
struct shared_moment_limbs {
    static constexpr unsigned sums = 2;
    quire_accumulator *sum;

    template <class T> __device__ __forceinline__ void add(T x) {
        const double number = element_of<T>::number(x);
        atomic_add_number(&sum[0], number), atomic_add_product_of(&sum[1], number, number);
    }
};

template <class R, class Scratch>
static __device__ __noinline__ moment_bits round_moment_limbs(const moments_wanted<R> wanted, Scratch &scratch,
                                                              size_t n) {
    moment_bits bits = { 0, 0 };
    if (wanted.has_mean) bits.mean = round_limbs(wanted.mean, scratch.limbs[0], n);
    if (wanted.has_moment)
        bits.moment = accumulated_moments_round(&scratch.limbs[0], &scratch.limbs[1], wanted.moment.finish,
                                                wanted.moment.correction, wanted.moment.format, wanted.moment.rounding,
                                                &scratch.room);
    return bits;
}

/* As decide_again. */
template <class T, bool HAS_WIDER, class R, class Group, class X>
static __device__ __noinline__ moment_bits decide_moments_again(const moments_wanted<R> wanted, const Group group,
                                                                moment_bits bits, size_t n, const X x) {
    if constexpr (HAS_WIDER)
        if (!bits.are_decided()) {
            moment_sums<T, exact_sum<2>> sums;
            add_terms<terms::elements>(sums, group.rank, n, group.size, x, x);
            bits = decide_moments(wanted, group, sums, n);
        }
    for (unsigned turn = 0; turn < Group::turns; turn++) {
        if (!bits.are_decided() && turn == group.turn) {
            add_to_limbs<terms::elements>(group, shared_moment_limbs{ group.scratch.limbs }, n, x, x);
            if (group.rank == 0) bits = round_moment_limbs(wanted, group.scratch, n);
            bits = share_moments(group, bits);
        }
        if (Group::turns > 1) __syncwarp();
    }
    return bits;
}

template <class T, class R, class Group, class X>
static __device__ __forceinline__ moment_bits finish_moments(const moments_wanted<R> &wanted, const Group &group,
                                                             const moment_sums<T, first_state<T, R>> &mine, size_t n,
                                                             const X &x) {
    static_assert(std::is_same_v<T, std::decay_t<decltype(x((size_t)0))>>, "x gives elements of the sums' type");
    constexpr bool has_wider = thread_sum<T, first_state<T, R>>::has_two_ends;
    moment_bits bits = decide_moments(wanted, group, mine, n);
    if (n == 0) bits = { wanted.mean.format.quiet_nan, wanted.mean.format.quiet_nan };
    if (group.any(!bits.are_decided())) bits = decide_moments_again<T, has_wider>(wanted, group, bits, n, x);
    return bits;
}

template <class RESULT, class X>
using moment_result =
    std::conditional_t<std::is_void_v<RESULT>, std::decay_t<decltype(std::declval<X>()((size_t)0))>, RESULT>;

template <class R, class Group, class X>
static __device__ __forceinline__ moment_bits reduce_moments(const moments_wanted<R> &wanted, const Group &group,
                                                             size_t n, const X &x) {
    typedef std::decay_t<decltype(x((size_t)0))> T;
    moment_sums<T, first_state<T, R>> mine;
    add_terms<terms::elements, LOADS_AHEAD>(mine, group.rank, n, group.size, x, x);
    return finish_moments<T, R>(wanted, group, mine, n, x);
}

template <class R>
static __device__ __forceinline__ moments_wanted<R> wanted_moments(bool has_mean, bool is_root, int64_t correction,
                                                                   quire_rounding rounding) {
    return { { finish::mean, rounding }, { is_root, correction, rounding }, has_mean, true };
}
template <class R> static __device__ __forceinline__ mean_and_variance<R> both_moments(moment_bits bits) {
    return { result_of_bits<R>(bits.mean), result_of_bits<R>(bits.moment) };
}

} // namespace detail

/* COLLECTIVES. The mean and the variance of n elements, each correctly rounded, or one of the variance and its root,
 * for every thread that takes part:
 *
 *     warp_moments(scratch, n, x, correction)     { mean, variance }      block_moments
 *     warp_variance(scratch, n, x, correction)    the variance            block_variance
 *     warp_stddev(scratch, n, x, correction)      its root                block_stddev
 *
 *   correction   n - correction is the divisor of the variance: 0, if not given; 1 for Bessel's estimate
 *
 * RESULT, LANES, scratch, n, x, rounding and who takes part are as in collectives.cuh, but for the scratch's type. So
 * are warp_moments_finish and block_moments_finish, for threads that have added up their shares themselves. */
#define QUIRE_MOMENT(name, is_root)                                                                                    \
    template <class RESULT = void, int LANES = 32, class X>                                                            \
    static __device__ __forceinline__ auto warp_##name(warp_moments_scratch &scratch, size_t n, const X &x,            \
                                                       int64_t correction = 0,                                         \
                                                       quire_rounding rounding = QUIRE_TO_NEAREST) {                   \
        typedef detail::moment_result<RESULT, X> R;                                                                    \
        const detail::tile_group<LANES, warp_moments_scratch> group(scratch);                                          \
        const auto wanted = detail::wanted_moments<R>(false, is_root, correction, rounding);                           \
        return detail::result_of_bits<R>(detail::reduce_moments(wanted, group, n, x).moment);                          \
    }                                                                                                                  \
    template <class RESULT = void, int THREADS, class X>                                                               \
    static __device__ __forceinline__ auto block_##name(block_moments_scratch<THREADS> &scratch, size_t n, const X &x, \
                                                        int64_t correction = 0,                                        \
                                                        quire_rounding rounding = QUIRE_TO_NEAREST) {                  \
        typedef detail::moment_result<RESULT, X> R;                                                                    \
        const detail::block_group<THREADS, block_moments_scratch<THREADS>> group(scratch);                             \
        const auto wanted = detail::wanted_moments<R>(false, is_root, correction, rounding);                           \
        return detail::result_of_bits<R>(detail::reduce_moments(wanted, group, n, x).moment);                          \
    }
QUIRE_MOMENT(variance, false)
QUIRE_MOMENT(stddev, true)
#undef QUIRE_MOMENT

template <class RESULT = void, int LANES = 32, class X>
static __device__ __forceinline__ auto warp_moments(warp_moments_scratch &scratch, size_t n, const X &x,
                                                    int64_t correction = 0,
                                                    quire_rounding rounding = QUIRE_TO_NEAREST) {
    typedef detail::moment_result<RESULT, X> R;
    const detail::tile_group<LANES, warp_moments_scratch> group(scratch);
    const auto wanted = detail::wanted_moments<R>(true, false, correction, rounding);
    return detail::both_moments<R>(detail::reduce_moments(wanted, group, n, x));
}
template <class RESULT = void, int THREADS, class X>
static __device__ __forceinline__ auto block_moments(block_moments_scratch<THREADS> &scratch, size_t n, const X &x,
                                                     int64_t correction = 0,
                                                     quire_rounding rounding = QUIRE_TO_NEAREST) {
    typedef detail::moment_result<RESULT, X> R;
    const detail::block_group<THREADS, block_moments_scratch<THREADS>> group(scratch);
    const auto wanted = detail::wanted_moments<R>(true, false, correction, rounding);
    return detail::both_moments<R>(detail::reduce_moments(wanted, group, n, x));
}

template <int LANES = 32, class T, class R, class X>
static __device__ __forceinline__ mean_and_variance<R>
warp_moments_finish(warp_moments_scratch &scratch, const moments<T, R> &mine, size_t n, const X &x,
                    int64_t correction = 0, quire_rounding rounding = QUIRE_TO_NEAREST) {
    const detail::tile_group<LANES, warp_moments_scratch> group(scratch);
    const auto wanted = detail::wanted_moments<R>(true, false, correction, rounding);
    return detail::both_moments<R>(detail::finish_moments<T, R>(wanted, group, mine.sums, n, x));
}
template <int THREADS, class T, class R, class X>
static __device__ __forceinline__ mean_and_variance<R>
block_moments_finish(block_moments_scratch<THREADS> &scratch, const moments<T, R> &mine, size_t n, const X &x,
                     int64_t correction = 0, quire_rounding rounding = QUIRE_TO_NEAREST) {
    const detail::block_group<THREADS, block_moments_scratch<THREADS>> group(scratch);
    const auto wanted = detail::wanted_moments<R>(true, false, correction, rounding);
    return detail::both_moments<R>(detail::finish_moments<T, R>(wanted, group, mine.sums, n, x));
}

} // namespace quire

#endif
