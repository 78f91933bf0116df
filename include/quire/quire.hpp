/* quire.hpp - quire.h for C++17 and later: ranges in, numbers out. Header only; link libquire.
 *
 *     #include <quire/quire.hpp>
 *
 *     std::vector<float> x = {1e20f, 1.0f, -1e20f, 1.0f};
 *     float s = quire::sum(x);                                         // 2
 *     double m = quire::mean<double>(x, quire::options().rounding(QUIRE_UPWARD));
 *
 * RANGES are contiguous: whatever std::data and std::size take (std::vector, std::array, arrays, std::span), or a
 * braced list. A pointer and a length make one: quire::span(p, n), which is std::span where there is one.
 *
 * ELEMENTS AND RESULTS are float, double, _Float16, the std::float16_t and std::bfloat16_t of C++23, and CUDA's __half,
 * __nv_bfloat16, __nv_fp8_e5m2 and __nv_fp8_e4m3, each where it exists; others that hold the same bits join by a
 * specialisation of quire::element. Integers of 8 to 64 bits, and bool, are elements. A function's first template
 * argument is the type of its result; without one it is that of the elements, of integers double. Sums of integers may
 * be quire::int128, which nothing overflows.
 *
 * ERRORS are exceptions or statuses, as the caller likes. A call that was given no place for a status throws
 * quire::error, a std::system_error. One that was given a place, a quire_status, throws nothing and writes QUIRE_OK or
 * what went wrong:
 *
 *     quire_status status;
 *     float s = quire::sum(x, status);                                 // NaN, if status says so
 *     float t = quire::sum(x, quire::options(context).status(status));
 *
 * In a program without exceptions an error that has no place ends it by std::terminate. The statuses are quire.h's;
 * they convert to std::error_code.
 *
 * SUMS UNDER WAY, of numbers that come in parts: accumulator, moments, comoments, in accumulators.hpp. SEGMENTS, SUMS
 * BY KEY AND RUNNING SUMS: vectors.hpp. This includes both.
 *
 * DEVICES. A context on a CUDA device takes device memory, and results that lie there: pass their address, as the
 * second argument of a function below. Functions that return a number give QUIRE_WRONG_CONTEXT on such a context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_QUIRE_HPP
#define QUIRE_QUIRE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif
#if defined(__STDCPP_FLOAT16_T__) || defined(__STDCPP_BFLOAT16_T__)
#include <stdfloat>
#endif

#include <quire/quire.h>

/* CUDA's types, without its headers. */
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e5m2;
struct __nv_fp8_e4m3;

namespace quire {

/* ----------------------------------------------------------------------------------------------------------- errors */

class status_category : public std::error_category {
  public:
    const char *name() const noexcept override { return "quire"; }
    std::string message(int value) const override { return quire_status_string(static_cast<quire_status>(value)); }
};

inline const std::error_category &category() noexcept {
    static const status_category only;
    return only;
}

class error : public std::system_error {
  public:
    explicit error(quire_status status) : std::system_error(static_cast<int>(status), category()) {}
    quire_status status() const noexcept { return static_cast<quire_status>(code().value()); }
};

/* Writes a status where the caller wants it, or throws it. */
inline void report(quire_status status, quire_status *place) {
    if (place) {
        *place = status;
    } else if (status != QUIRE_OK) {
#if defined(__cpp_exceptions)
        throw error(status);
#else
        std::terminate();
#endif
    }
}

/* --------------------------------------------------------------------------------------------------------- elements */

/* The quire_type of a C++ type. */
template <class T, class = void> struct element;
template <quire_type Type> using element_of = std::integral_constant<quire_type, Type>;

template <> struct element<float> : element_of<QUIRE_F32> {};
template <> struct element<double> : element_of<QUIRE_F64> {};
template <> struct element<__half> : element_of<QUIRE_F16> {};
template <> struct element<__nv_bfloat16> : element_of<QUIRE_BF16> {};
template <> struct element<__nv_fp8_e5m2> : element_of<QUIRE_E5M2> {};
template <> struct element<__nv_fp8_e4m3> : element_of<QUIRE_E4M3> {};
#if defined(__FLT16_MANT_DIG__) /* std::float16_t is this type, too */
template <> struct element<_Float16> : element_of<QUIRE_F16> {};
#elif defined(__STDCPP_FLOAT16_T__)
template <> struct element<std::float16_t> : element_of<QUIRE_F16> {};
#endif
#if defined(__STDCPP_BFLOAT16_T__)
template <> struct element<std::bfloat16_t> : element_of<QUIRE_BF16> {};
#endif

/* Integers: QUIRE_INT8 and on, or QUIRE_UINT8 and on, in the order of their sizes. */
template <class T>
struct element<T, std::enable_if_t<std::is_integral_v<T> && (sizeof(T) <= 8)>>
    : element_of<static_cast<quire_type>((std::is_signed_v<T> ? QUIRE_INT8 : QUIRE_UINT8) + (sizeof(T) > 1) +
                                         (sizeof(T) > 2) + (sizeof(T) > 4))> {};

/* A sum of integers: a QUIRE_INT128, its two words in the order of the machine. In place of a NaN it is -1. */
struct int128 {
    std::uint64_t word[2];
#if defined(__SIZEOF_INT128__)
    __extension__ explicit operator __int128() const noexcept {
        __extension__ __int128 value;
        std::memcpy(&value, word, sizeof value);
        return value;
    }
#endif
};
template <> struct element<int128> : element_of<QUIRE_INT128> {};

#if defined(__cpp_lib_span)
using std::span;
#else
/* As much of std::span as is needed here: a pointer and how many elements there are. */
template <class T> class span {
  public:
    span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

  private:
    T *data_;
    std::size_t size_;
};
#endif

/* The type of a range's elements; of the result: the one that was named, or that of the elements, or double. */
template <class X>
using value_of = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const X &>()))>>;
template <class T> using own_result = std::conditional_t<std::is_integral_v<T>, double, T>;
template <class R, class X> using result_of = std::conditional_t<std::is_void_v<R>, own_result<value_of<X>>, R>;

/* --------------------------------------------------------------------------------------------------------- contexts */

/* A quire_context, closed when it goes. It moves, but is not copied. A default one is the calling thread on the CPU. */
class context {
  public:
    context() noexcept = default;
    context(context &&from) noexcept
        : handle_(std::exchange(from.handle_, nullptr)), on_device_(std::exchange(from.on_device_, false)) {}
    context &operator=(context &&from) noexcept {
        std::swap(handle_, from.handle_);
        std::swap(on_device_, from.on_device_);
        return *this;
    }
    ~context() { quire_close(handle_); }

    /* See quire_open_cpu and quire_open_cuda. After an error whose status had a place, the context is a default one. */
    static context cpu(int threads = 0) { return cpu(threads, nullptr); }
    static context cpu(int threads, quire_status &status) { return cpu(threads, &status); }
    static context cuda(int device = 0, CUstream_st *stream = nullptr) { return cuda(device, stream, nullptr); }
    static context cuda(int device, CUstream_st *stream, quire_status &status) { return cuda(device, stream, &status); }

    void set_stream(CUstream_st *stream) { report(quire_set_stream(handle_, stream), nullptr); }
    void set_stream(CUstream_st *stream, quire_status &status) noexcept { status = quire_set_stream(handle_, stream); }
    void set_tier(quire_tier tier) { report(quire_set_tier(handle_, tier), nullptr); }
    void set_tier(quire_tier tier, quire_status &status) noexcept { status = quire_set_tier(handle_, tier); }

    /* For the calls of quire.h. It stays this object's. */
    quire_context *get() const noexcept { return handle_; }
    bool on_device() const noexcept { return on_device_; }

  private:
    static context cpu(int threads, quire_status *place) {
        context opened;
        report(quire_open_cpu(&opened.handle_, threads), place);
        return opened;
    }
    static context cuda(int device, CUstream_st *stream, quire_status *place) {
        context opened;
        const quire_status status = quire_open_cuda(&opened.handle_, device, stream);
        opened.on_device_ = status == QUIRE_OK;
        report(status, place);
        return opened;
    }

    quire_context *handle_ = nullptr;
    bool on_device_ = false;
};

/* ---------------------------------------------------------------------------------------------------------- options */

/* How to compute, and where errors go. Every one has a default: the CPU and this thread, QUIRE_EXACT, to nearest,
 * correction 0, exceptions. A context, a method, a rounding or a place for a status alone is an options, too. It keeps
 * addresses of the context and of the status. */
class options {
  public:
    options() noexcept = default;
    options(const quire::context &context) noexcept { this->context(context); }
    options(quire_method method) noexcept : method_(method) {}
    options(quire_rounding rounding) noexcept : rounding_(rounding) {}
    options(quire_status &status) noexcept : status_(&status) {}

    options &context(const quire::context &context) noexcept {
        context_ = context.get();
        on_device_ = context.on_device();
        return *this;
    }
    options &method(quire_method method) noexcept { return method_ = method, *this; }
    options &rounding(quire_rounding rounding) noexcept { return rounding_ = rounding, *this; }
    options &correction(std::int64_t correction) noexcept { return correction_ = correction, *this; }
    options &status(quire_status &status) noexcept { return status_ = &status, *this; }

    quire_context *handle() const noexcept { return context_; }
    bool on_device() const noexcept { return on_device_; }
    void report(quire_status status) const { quire::report(status, status_); }
    quire_reduction reduction(quire_operation operation, quire_type type, quire_type result_type) const noexcept {
        return { operation, type, result_type, method_, rounding_, correction_, { 0, 0, 0, 0 } };
    }

  private:
    quire_context *context_ = nullptr;
    bool on_device_ = false;
    quire_method method_ = QUIRE_EXACT;
    quire_rounding rounding_ = QUIRE_TO_NEAREST;
    std::int64_t correction_ = 0;
    quire_status *status_ = nullptr;
};

/* ------------------------------------------------------------------------------------------------------- reductions */

/* NaN: in each format here, all bits ones are one. */
template <class R> R not_a_number() noexcept {
    R result{};
    std::memset(static_cast<void *>(&result), 0xff, sizeof result);
    return result;
}

/* One vector, or two of the same size; the result where it is wanted. y is NULL but for operations of two. */
template <class T, class R>
quire_status reduce_status(quire_operation operation, std::size_t n, const T *x, const T *y, R *result,
                           const options &how) {
    const quire_reduction what = how.reduction(operation, element<T>::value, element<R>::value);
    const quire_layout layout = quire_strided(n, 1);
    return quire_reduce(how.handle(), &what, &layout, x, nullptr, y, result);
}

template <class X, class Y> bool same_size(const X &x, const Y &y, const options &how) {
    static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
    const bool same = std::size(x) == std::size(y);
    if (!same) how.report(QUIRE_INVALID_LAYOUT);
    return same;
}

template <class R, class X>
R reduce_value(quire_operation operation, const X &x, const value_of<X> *y, const options &how) {
    R result = not_a_number<R>();
    how.report(how.on_device() ? QUIRE_WRONG_CONTEXT
                               : reduce_status(operation, std::size(x), std::data(x), y, &result, how));
    return result;
}

/* The operations of one vector, each: of a range, the result returned; of a braced list; of a range, the result written
 * to memory that the context can write. */
#define QUIRE_UNARY(name, OPERATION)                                                                                   \
    template <class R = void, class X> result_of<R, X> name(const X &x, const options &how = {}) {                     \
        return reduce_value<result_of<R, X>>(OPERATION, x, nullptr, how);                                              \
    }                                                                                                                  \
    template <class R = void, class T>                                                                                 \
    result_of<R, std::initializer_list<T>> name(std::initializer_list<T> x, const options &how = {}) {                 \
        return reduce_value<result_of<R, std::initializer_list<T>>>(OPERATION, x, nullptr, how);                       \
    }                                                                                                                  \
    template <class R, class X> void name(const X &x, R *result, const options &how = {}) {                            \
        how.report(reduce_status<value_of<X>, R>(OPERATION, std::size(x), std::data(x), nullptr, result, how));        \
    }

QUIRE_UNARY(sum, QUIRE_SUM)
QUIRE_UNARY(asum, QUIRE_ASUM)
QUIRE_UNARY(nrm2, QUIRE_NRM2)
QUIRE_UNARY(mean, QUIRE_MEAN)
QUIRE_UNARY(sumsq, QUIRE_SUMSQ)
QUIRE_UNARY(variance, QUIRE_VARIANCE) /* divided by n - options().correction() */
QUIRE_UNARY(stddev, QUIRE_STDDEV)
#undef QUIRE_UNARY

/* The sum of x[i] * y[i]. Ranges of different sizes give QUIRE_INVALID_LAYOUT. */
template <class R = void, class X, class Y> result_of<R, X> dot(const X &x, const Y &y, const options &how = {}) {
    if (!same_size(x, y, how)) return not_a_number<result_of<R, X>>();
    return reduce_value<result_of<R, X>>(QUIRE_DOT, x, std::data(y), how);
}

template <class R, class X, class Y> void dot(const X &x, const Y &y, R *result, const options &how = {}) {
    if (!same_size(x, y, how)) return;
    how.report(reduce_status<value_of<X>, R>(QUIRE_DOT, std::size(x), std::data(x), std::data(y), result, how));
}

/* The sum of x[i] * weights[i], divided by that of the weights; see quire/pairs.h. On a CUDA device
 * QUIRE_WRONG_CONTEXT. */
template <class R = void, class X, class W>
result_of<R, X> average(const X &x, const W &weights, const options &how = {}) {
    if (!same_size(x, weights, how)) return not_a_number<result_of<R, X>>();
    return reduce_value<result_of<R, X>>(QUIRE_AVERAGE, x, std::data(weights), how);
}

template <class R, class X, class W> void average(const X &x, const W &weights, R *result, const options &how = {}) {
    if (!same_size(x, weights, how)) return;
    how.report(
        reduce_status<value_of<X>, R>(QUIRE_AVERAGE, std::size(x), std::data(x), std::data(weights), result, how));
}

/* Whether a layout stays within size elements, the one with index 0 being the first. */
inline bool lies_within(const quire_layout &layout, std::size_t size) noexcept {
    const std::size_t sizes[3] = { layout.outer, layout.n, layout.inner };
    const std::ptrdiff_t strides[3] = { layout.outer_stride, layout.stride, layout.inner_stride };
    for (std::size_t one : sizes)
        if (one == 0) return true;
    if (size == 0) return false;
    std::size_t left = size - 1;
    for (int i = 0; i < 3; i++) {
        const std::size_t steps = sizes[i] - 1;
        if (steps == 0 || strides[i] == 0) continue;
        if (strides[i] < 0 || static_cast<std::size_t>(strides[i]) > left / steps) return false;
        left -= steps * static_cast<std::size_t>(strides[i]);
    }
    return true;
}

/* How many vectors a layout has; the greatest size_t if more than that. */
inline std::size_t vectors_of(const quire_layout &layout) noexcept {
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    return layout.inner && layout.outer > most / layout.inner ? most : layout.outer * layout.inner;
}

/* The vectors of a layout in x, each to one element of results: quire_reduce. A layout that reaches beyond x or goes
 * backwards from its first element, and results of another size than there are vectors, give QUIRE_INVALID_LAYOUT. */
template <class X, class Results>
void reduce(quire_operation operation, const quire_layout &layout, const X &x, Results &&results,
            const options &how = {}) {
    using R = std::remove_pointer_t<decltype(std::data(results))>;
    const quire_reduction what = how.reduction(operation, element<value_of<X>>::value, element<R>::value);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (lies_within(layout, std::size(x)) && std::size(results) == vectors_of(layout))
        status = quire_reduce(how.handle(), &what, &layout, std::data(x), nullptr, nullptr, std::data(results));
    how.report(status);
}

/* The same for operations of two arrays, with vectors of y that stand as y_layout says. */
template <class X, class Y, class Results>
void reduce(quire_operation operation, const quire_layout &x_layout, const X &x, const quire_layout &y_layout,
            const Y &y, Results &&results, const options &how = {}) {
    static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
    using R = std::remove_pointer_t<decltype(std::data(results))>;
    const quire_reduction what = how.reduction(operation, element<value_of<X>>::value, element<R>::value);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (lies_within(x_layout, std::size(x)) && lies_within(y_layout, std::size(y)) &&
        std::size(results) == vectors_of(x_layout))
        status =
            quire_reduce(how.handle(), &what, &x_layout, std::data(x), &y_layout, std::data(y), std::data(results));
    how.report(status);
}

} // namespace quire

/* A quire_status converts to std::error_code, by this function. */
inline std::error_code make_error_code(quire_status status) noexcept {
    return { static_cast<int>(status), quire::category() };
}
template <> struct std::is_error_code_enum<quire_status> : std::true_type {};

#include <quire/accumulators.hpp>
#include <quire/vectors.hpp>

#endif
