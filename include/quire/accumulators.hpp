/* accumulators.hpp - the part of quire.hpp that keeps exact sums open: of numbers that come in parts, from threads,
 * files or ranks. Included by quire.hpp.
 *
 *     quire::moments m;
 *     m.add(part1).add(part2);
 *     m += others;                                                     // as if their numbers had been added here
 *     double v = m.variance(quire::options().correction(1));           // the same bits, however the numbers were split
 *
 * All lie in host memory, and contexts are on the CPU: one on a device gives QUIRE_WRONG_CONTEXT. A call that reports
 * an error has added nothing. Ranges may be of any type each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCUMULATORS_HPP
#define QUIRE_ACCUMULATORS_HPP

#include <quire/quire.hpp>

namespace quire {

/* ------------------------------------------------------------------------------------------------------ accumulator */

/* An exact sum under way: a quire_accumulator. */
class accumulator {
  public:
    accumulator() noexcept = default;
    explicit accumulator(const quire_accumulator &words) noexcept : words_(words) {}

    /* Adds x[i], |x[i]|, or x[i] * y[i]. */
    template <class X> accumulator &add(const X &x, const options &how = {}) {
        return done(how, quire_accumulate, std::size(x), std::data(x));
    }
    template <class X> accumulator &add_magnitudes(const X &x, const options &how = {}) {
        return done(how, quire_accumulate_magnitudes, std::size(x), std::data(x));
    }
    template <class X, class Y> accumulator &add_products(const X &x, const Y &y, const options &how = {}) {
        if (!same_size(x, y, how)) return *this;
        return done(how, quire_accumulate_products, std::size(x), std::data(x), std::data(y));
    }

    /* Adds one number; another accumulator. */
    template <class T, quire_type = element<T>::value> accumulator &operator+=(const T &x) {
        return add(span<const T>(&x, 1));
    }
    accumulator &operator+=(const accumulator &other) noexcept {
        quire_merge(&words_, &other.words_);
        return *this;
    }

    /* Rounded once. As often as is wanted: the accumulator does not change. */
    template <class R = double> R sum(const options &how = {}) const { return finish<R>(QUIRE_SUM, how); }
    template <class R = double> R root(const options &how = {}) const { return finish<R>(QUIRE_NRM2, how); }
    template <class R = double> R mean(const options &how = {}) const { return finish<R>(QUIRE_MEAN, how); }

    /* How many terms were added, modulo 2^64. */
    std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(words_.count); }

    /* The words, to send them, store them, or merge into them; then carry. */
    quire_accumulator &words() noexcept { return words_; }
    const quire_accumulator &words() const noexcept { return words_; }
    void carry() noexcept { quire_carry(&words_); }

  private:
    template <class Call, class T, class... More>
    accumulator &done(const options &how, Call call, std::size_t n, const T *x, const More *...y) {
        how.report(how.on_device() ? QUIRE_WRONG_CONTEXT : call(how.handle(), &words_, element<T>::value, n, x, y...));
        return *this;
    }

    template <class R> R finish(quire_operation operation, const options &how) const {
        R result = not_a_number<R>();
        const quire_reduction what = how.reduction(operation, element<R>::value, element<R>::value);
        how.report(quire_finish(&what, &words_, nullptr, &result));
        return result;
    }

    quire_accumulator words_ = QUIRE_ACCUMULATOR_ZERO;
};

/* ---------------------------------------------------------------------------------------------------------- moments */

/* The exact sums of numbers and of their squares. */
class moments {
  public:
    moments() noexcept = default;
    /* Of sums that were made elsewhere, both of the same numbers; else variances give QUIRE_INVALID_MOMENTS. */
    moments(const accumulator &values, const accumulator &squares) noexcept : values_(values), squares_(squares) {}

    template <class X> moments &add(const X &x, const options &how = {}) {
        how.report(how.on_device() ? QUIRE_WRONG_CONTEXT : take(how.handle(), std::size(x), std::data(x)));
        return *this;
    }

    /* Adds one number; the numbers of others. */
    template <class T, quire_type = element<T>::value> moments &operator+=(const T &x) {
        return add(span<const T>(&x, 1));
    }
    moments &operator+=(const moments &other) noexcept {
        values_ += other.values_;
        squares_ += other.squares_;
        return *this;
    }

    /* Rounded once. variance and stddev divide by count() - options().correction(). */
    template <class R = double> R sum(const options &how = {}) const { return values_.sum<R>(how); }
    template <class R = double> R mean(const options &how = {}) const { return values_.mean<R>(how); }
    template <class R = double> R variance(const options &how = {}) const { return finish<R>(QUIRE_VARIANCE, how); }
    template <class R = double> R stddev(const options &how = {}) const { return finish<R>(QUIRE_STDDEV, how); }
    std::uint64_t count() const noexcept { return values_.count(); }

    /* The two sums, to send them, store them, or merge into them. */
    accumulator &values() noexcept { return values_; }
    accumulator &squares() noexcept { return squares_; }
    const accumulator &values() const noexcept { return values_; }
    const accumulator &squares() const noexcept { return squares_; }

  private:
    friend class comoments;

    /* The second call has the arguments of the first, and cannot fail where that has not. */
    template <class T> quire_status take(quire_context *context, std::size_t n, const T *x) noexcept {
        const quire_status status = quire_accumulate(context, &values_.words(), element<T>::value, n, x);
        return status ? status : quire_accumulate_products(context, &squares_.words(), element<T>::value, n, x, x);
    }

    template <class R> R finish(quire_operation operation, const options &how) const {
        R result = not_a_number<R>();
        const quire_reduction what = how.reduction(operation, element<R>::value, element<R>::value);
        how.report(quire_finish(&what, &values_.words(), &squares_.words(), &result));
        return result;
    }

    accumulator values_, squares_;
};

/* ------------------------------------------------------------------------------------------------------ two vectors */

/* Of two ranges of one type; see comoments. The first template argument is the type of the result, that of the elements
 * without one. */
template <class R = void, class X, class Y> result_of<R, X> covariance(const X &x, const Y &y, const options &how = {});
template <class R = void, class X, class Y>
result_of<R, X> correlation(const X &x, const Y &y, const options &how = {});

/* The moments of pairs of numbers: those of x, those of y, and the exact sum of x[i] * y[i]. */
class comoments {
  public:
    comoments() noexcept = default;
    comoments(const moments &x, const moments &y, const accumulator &products) noexcept
        : x_(x), y_(y), products_(products) {}

    /* Ranges of different sizes give QUIRE_INVALID_LAYOUT. */
    template <class X, class Y> comoments &add(const X &x, const Y &y, const options &how = {}) {
        how.report(take(x, y, how));
        return *this;
    }
    comoments &operator+=(const comoments &other) noexcept {
        x_ += other.x_;
        y_ += other.y_;
        products_ += other.products_;
        return *this;
    }

    /* Rounded once; another method than QUIRE_EXACT gives QUIRE_INVALID_METHOD. The covariance is divided by count() -
     * options().correction(). */
    template <class R = double> R covariance(const options &how = {}) const {
        R result = not_a_number<R>();
        how.report(covariance_to(&result, how));
        return result;
    }
    template <class R = double> R correlation(const options &how = {}) const {
        R result = not_a_number<R>();
        how.report(correlation_to(&result, how));
        return result;
    }
    std::uint64_t count() const noexcept { return x_.count(); }

    moments &x() noexcept { return x_; }
    moments &y() noexcept { return y_; }
    accumulator &products() noexcept { return products_; }
    const moments &x() const noexcept { return x_; }
    const moments &y() const noexcept { return y_; }
    const accumulator &products() const noexcept { return products_; }

  private:
    template <class R, class X, class Y> friend result_of<R, X> covariance(const X &x, const Y &y, const options &how);
    template <class R, class X, class Y> friend result_of<R, X> correlation(const X &x, const Y &y, const options &how);

    /* The first call checks all arguments; where it succeeds none of the others fails. */
    template <class X, class Y> quire_status take(const X &x, const Y &y, const options &how) noexcept {
        static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
        const std::size_t n = std::size(x);
        if (n != std::size(y)) return QUIRE_INVALID_LAYOUT;
        if (how.on_device()) return QUIRE_WRONG_CONTEXT;
        quire_status status = quire_accumulate_products(how.handle(), &products_.words(), element<value_of<X>>::value,
                                                        n, std::data(x), std::data(y));
        if (!status) status = x_.take(how.handle(), n, std::data(x));
        if (!status) status = y_.take(how.handle(), n, std::data(y));
        return status;
    }

    template <class R> quire_status finish_to(quire_operation operation, R *result, const options &how) const noexcept {
        const quire_reduction what = how.reduction(operation, element<R>::value, element<R>::value);
        return quire_finish_pair(&what, &x_.values().words(), &y_.values().words(), &x_.squares().words(),
                                 &y_.squares().words(), &products_.words(), result);
    }
    template <class R> quire_status covariance_to(R *result, const options &how) const noexcept {
        return finish_to(QUIRE_COVARIANCE, result, how);
    }
    template <class R> quire_status correlation_to(R *result, const options &how) const noexcept {
        return finish_to(QUIRE_CORRELATION, result, how);
    }

    /* What a member makes of two ranges. */
    template <class R, class X, class Y, class Member>
    static R of_ranges(const X &x, const Y &y, const options &how, Member member) {
        R result = not_a_number<R>();
        comoments sums;
        quire_status status = sums.take(x, y, how);
        if (!status) status = (sums.*member)(&result, how);
        how.report(status);
        return result;
    }

    moments x_, y_;
    accumulator products_;
};

template <class R, class X, class Y> result_of<R, X> covariance(const X &x, const Y &y, const options &how) {
    return comoments::of_ranges<result_of<R, X>>(x, y, how, &comoments::covariance_to<result_of<R, X>>);
}

template <class R, class X, class Y> result_of<R, X> correlation(const X &x, const Y &y, const options &how) {
    return comoments::of_ranges<result_of<R, X>>(x, y, how, &comoments::correlation_to<result_of<R, X>>);
}

} // namespace quire

#endif
