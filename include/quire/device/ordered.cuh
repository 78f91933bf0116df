/* quire/device/ordered.cuh - a thread's sum by a method of the canonical order. Part of device.cuh, whose first comment
 * is the contract.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_ORDERED_CUH
#define QUIRE_DEVICE_ORDERED_CUH

#include <quire/device/exact.cuh>

namespace quire {
namespace detail {

/* The result of a state's words, once in a kernel's code. A sum to nearest the hardware rounds. */
template <class METHOD, class R>
static __device__ __noinline__ uint64_t round_words(const rounding_job<R> job, const double first, const double second,
                                                    size_t n) {
    const double word[2] = { first, second };
    const bool is_alone = METHOD::words == 1 || kahan_sum_alone(word);
    if (precision_of<R> >= 8 && job.finish == FINISH_KEEP && job.rounding == QUIRE_TO_NEAREST) {
        const double sum = is_alone ? first : sum_of_two(first, second, precision_of<R>);
        return double_is_nan(sum) ? job.format.quiet_nan : round_number(sum, precision_of<R>);
    }
    return round_total(job, METHOD::total(word), n);
}

} // namespace detail

/* The sum of elements of type T, or of products of two, under way in one thread's registers: one number, or two by
 * kahan, of type float; of elements that are doubles, double.
 *
 * Each step rounds, so that the result depends on the order of the calls, which is the caller's. Whoever wants the bits
 * of quire_sum adds and merges in the canonical order (docs/order.md), as the collectives do. A new object is the empty
 * sum, whose merge changes no result. METHOD is not for users: the types have names, plain, pairwise and kahan. */
template <class METHOD, class T> class ordered {
    typedef detail::element_of<T> element;
    template <class TERM> __device__ __forceinline__ void add_as(T x, T y) {
        const auto a = element::of(x), b = element::of(y), value = TERM::value(a, b);
        METHOD::add(word, value, TERM::error(a, b, value), TERM::is_product);
    }

  public:
    typedef METHOD method;
    typedef typename element::real real;

    __device__ __forceinline__ ordered() {
        for (real &one : word) one = { -0.0f };
    }

    /* Adds x; |x|; x * y, whose own rounding error kahan adds, too. */
    __device__ __forceinline__ void add(T x) { add_as<detail::strict_identity_term>(x, x); }
    __device__ __forceinline__ void add_magnitude(T x) { add_as<detail::strict_magnitude_term>(x, x); }
    __device__ __forceinline__ void add_product(T x, T y) { add_as<detail::strict_product_term>(x, y); }

    /* Adds the sum of elements that come after this one's. */
    __device__ __forceinline__ void merge(const ordered &other) { METHOD::merge(word, other.word); }

    /* The sum of the lane that stands "lanes" above this one, as exact::from_above. */
    __device__ __forceinline__ ordered from_above(unsigned mask, unsigned lanes) const {
        ordered other;
        for (int i = 0; i < METHOD::words; i++) other.word[i].x = __shfl_down_sync(mask, word[i].x, lanes);
        return other;
    }

    /* Writes to *result what the sum rounds to, or its root, or its mean over n terms (n is read for that alone), once,
     * in the direction of rounding. It is always decided: true. An empty sum counts as -0 here, as exact's does. */
    template <class R>
    __device__ __forceinline__ bool value(R *result, quire_rounding rounding = QUIRE_TO_NEAREST,
                                          finish how = finish::keep, size_t n = 1) const {
        const detail::rounding_job<R> job(how, rounding);
        *result = detail::result_of_bits<R>(detail::round_words<METHOD>(job, word[0], word[METHOD::words - 1], n));
        return true;
    }

    /* Not for users. */
    real word[METHOD::words];
};

/* plain and pairwise differ in the canonical order alone, in how many rows a tile has. */
template <class T> using plain = ordered<detail::strict_plain, T>;
template <class T> using pairwise = ordered<detail::strict_pairwise, T>;
template <class T> using kahan = ordered<detail::strict_kahan, T>;

} // namespace quire

#endif
