/* quire/device/exact.cuh - a thread's exact sum. Part of device.cuh, whose first comment is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_EXACT_CUH
#define QUIRE_DEVICE_EXACT_CUH

#include <type_traits>

#include <quire/device/elements.cuh>

namespace quire {

/* What becomes of a sum of n terms: the sum itself, its square root, or the sum divided by n. */
enum class finish { keep, root, mean };

namespace detail {

/* How a result of type R is made, as the functions that round read it. */
template <class R> struct rounding_job {
    format_description format;
    quire_rounding rounding;
    finish_kind finish;

    __device__ __forceinline__ rounding_job(quire::finish how, quire_rounding direction)
        : format(element_of<R>::format::description), rounding(direction),
          finish(how == quire::finish::root   ? FINISH_ROOT
                 : how == quire::finish::mean ? FINISH_DIVIDE
                                              : FINISH_KEEP) {}
};

/* Counts beyond this are no doubles: their means are left to limbs. */
constexpr size_t GREATEST_COUNT = (size_t)1 << 52;

/* What two ends round to, if that is one result. has_signs: terms may cancel. Once in a kernel's code, as the next one
 * is: rounding by integers is long. */
template <class R>
static __device__ __noinline__ bool round_state(const rounding_job<R> job, const ends s, size_t n, bool has_signs, bool,
                                                uint64_t *bits) {
    term_count terms = { n, {}, {} };
    if (job.finish == FINISH_DIVIDE) {
        if (n > GREATEST_COUNT) return false;
        *bits = job.format.quiet_nan;
        if (n == 0) return true;
        terms.each = reciprocal_around((double)n);
    }
    if (job.finish == FINISH_ROOT && s.down < 0) { /* which has none */
        *bits = job.format.quiet_nan;
        return s.up < 0;
    }
    return round_ends(job, terms, s.down, s.up, has_signs, bits);
}

/* The same of a sum and two ends of what its additions have lost. overflows: finite terms may have come to what is not
 * finite. */
template <class R>
static __device__ __noinline__ bool round_state(const rounding_job<R> job, const exact_sum<2> s, size_t n,
                                                bool has_signs, bool overflows, uint64_t *bits) {
    return round_exact(job, s, n, has_signs, overflows, bits);
}

/* What a few instructions tell, as mostly: a sum, its root or a mean, to nearest, of 8 bits or more. */
template <class R>
static __device__ __forceinline__ bool round_quickly(const rounding_job<R> &job, ends s, size_t n, uint64_t *bits) {
    constexpr int precision = precision_of<R>;
    if (precision < 8 || job.rounding != QUIRE_TO_NEAREST) return false;
    if (job.finish == FINISH_DIVIDE) {
        if (n - 1 >= GREATEST_COUNT) return false; /* or n is 0 */
        const number_between each = reciprocal_around((double)(int64_t)n);
        s.down = times_down(s.down, each), s.up = times_up(s.up, each);
    }
    if (job.finish == FINISH_ROOT) s.down = root_down(s.down), s.up = root_up(s.up);
    return round_ends_quickly(s.down, s.up, precision, bits);
}
template <class R>
static __device__ __forceinline__ bool round_quickly(const rounding_job<R> &job, const exact_sum<2> &s, size_t,
                                                     uint64_t *bits) {
    return precision_of<R> == 53 && job.finish == FINISH_KEEP && job.rounding == QUIRE_TO_NEAREST &&
           round_exact_quickly(s, bits);
}

/* A thread's sum of elements of type T in a state, two ends or a sum and two ends. */
template <class T, class State> struct thread_sum {
    static constexpr bool has_two_ends = std::is_same_v<State, ends>, is_double = precision_of<T> > 24;
    static_assert(!has_two_ends || !is_double, "doubles may overflow, and their products are no doubles");
    State s;

    static __device__ __forceinline__ double number(T x) { return element_of<T>::number(x); }
    __device__ __forceinline__ thread_sum() { s.clear(); }
    __device__ __forceinline__ void add(T x) { s.add(number(x)); }
    __device__ __forceinline__ void add_magnitude(T x) { s.add(abs_f64(number(x))); }
    __device__ __forceinline__ void add_product(T x, T y) {
        const double a = number(x), b = number(y);
        if constexpr (has_two_ends)
            s.add_product(a, b);
        else if constexpr (is_double)
            s.add_long_product(a, b);
        else
            s.add(__dmul_rn(a, b)); /* which is exact */
    }
    __device__ __forceinline__ void merge(const thread_sum &other) {
        if constexpr (has_two_ends)
            s.join(other.s);
        else
            s.merge(other.s);
    }
    /* That of a lane above (exact::from_above). */
    __device__ __forceinline__ thread_sum from_above(unsigned mask, unsigned lanes) const {
        unsigned long long word[sizeof(State) / 8];
        thread_sum other;
        memcpy(word, &s, sizeof s);
        for (auto &one : word) one = __shfl_down_sync(mask, one, lanes);
        memcpy(&other.s, word, sizeof s);
        return other;
    }
    /* Whether the sum is known, as a sum of two numbers. */
    __device__ __forceinline__ bool numbers(double (&number)[2]) const {
        if constexpr (has_two_ends) {
            number[0] = s.up, number[1] = 0;
            return s.down == s.up && double_is_finite(s.up);
        } else {
            number[0] = s.word[0], number[1] = s.up;
            return s.down == s.up && double_is_finite(s.word[0]);
        }
    }
    /* The bits of a result of n terms, if it is decided. */
    template <class R>
    __device__ __forceinline__ bool round(const rounding_job<R> &job, size_t n, bool has_signs, uint64_t *bits) const {
        return round_quickly(job, s, n, bits) || round_state(job, s, n, has_signs, is_double, bits);
    }
};

/* Two ends tell results of up to 24 bits. */
template <class T, class R>
using first_state = std::conditional_t<precision_of<T> <= 24 && precision_of<R> <= 24, ends, exact_sum<2>>;

} // namespace detail

/* The sum of elements of type T, or of products of two, under way in one thread's registers, for a result of type R.
 *
 * State: two doubles where R has at most 24 bits of precision and T is no double (two operations on doubles an
 * element); three doubles otherwise (eight, and for a product of doubles thirteen). A new object is the empty sum. Sums
 * may be merged in any order; what shows of the order is whether the result is decided, and nothing else. */
template <class T, class R = T> class exact {
  public:
    /* Adds x; |x|; x * y, exactly. */
    __device__ __forceinline__ void add(T x) { sum.add(x); }
    __device__ __forceinline__ void add_magnitude(T x) { sum.add_magnitude(x); }
    __device__ __forceinline__ void add_product(T x, T y) { sum.add_product(x, y); }

    /* Adds another sum. */
    __device__ __forceinline__ void merge(const exact &other) { sum.merge(other.sum); }

    /* The sum of the lane that stands "lanes" above this one. All lanes of the warp that mask names must call this
     * together, as __shfl_down_sync; a lane that has none so far above gets its own sum. */
    __device__ __forceinline__ exact from_above(unsigned mask, unsigned lanes) const {
        exact other;
        other.sum = sum.from_above(mask, lanes);
        return other;
    }

    /* Writes to *result what the sum rounds to, or its root, or its mean over n terms (n is read for that alone), once,
     * in the direction of rounding. False: undecided, and *result is not written. An empty sum counts as -0 here; only
     * the caller knows that it is empty, and the empty sum of quire.h is +0. The mean of n = 0 is NaN. */
    __device__ __forceinline__ bool value(R *result, quire_rounding rounding = QUIRE_TO_NEAREST,
                                          finish how = finish::keep, size_t n = 1) const {
        uint64_t bits;
        if (!sum.round(detail::rounding_job<R>(how, rounding), n, true, &bits)) return false;
        *result = detail::result_of_bits<R>(bits);
        return true;
    }

    /* Whether the sum is known exactly, and finite: then number[0] + number[1] is the sum (number[1] may be 0). */
    __device__ __forceinline__ bool numbers(double (&number)[2]) const { return sum.numbers(number); }

    /* Not for users. */
    detail::thread_sum<T, detail::first_state<T, R>> sum;
};

} // namespace quire

#endif
