/* vectors.hpp - the part of quire.hpp with many results a call beside quire::reduce: segments, sums by key, segments of
 * rows that are found through an index, running sums. Included by quire.hpp.
 *
 *     std::vector<int> keys = { 2, 0, 2, 2 };
 *     std::vector<double> sums(3);                                     // of 3 groups
 *     quire::reduce_by_key(QUIRE_SUM, keys, quire_strided(4, 1), x, sums);
 *     quire::scan(QUIRE_INCLUSIVE, x, running);                        // running sums of x, each rounded once
 *
 * KEYS, OFFSETS AND ORDERS are ranges of int32_t or int64_t. What stands in them is not looked at here: the rules of
 * quire/reduce.h and quire/keys.h for what they reach hold. A range that is too small, or results of another size than
 * there are, give QUIRE_INVALID_LAYOUT, and nothing is written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_VECTORS_HPP
#define QUIRE_VECTORS_HPP

#include <new>

#include <quire/quire.hpp>

namespace quire {

/* The quire_index of a C++ type. */
template <class I> struct index_of {
    static_assert(std::is_integral_v<I> && std::is_signed_v<I> && (sizeof(I) == 4 || sizeof(I) == 8),
                  "keys, offsets and orders are int32_t or int64_t");
    static constexpr quire_index value = sizeof(I) == 4 ? QUIRE_I32 : QUIRE_I64;
};

template <class Results> using result_in = std::remove_pointer_t<decltype(std::data(std::declval<Results &>()))>;

template <class X, class Results> quire_reduction reduction_to(quire_operation operation, const options &how) noexcept {
    return how.reduction(operation, element<value_of<X>>::value, element<result_in<Results>>::value);
}

/* Whether there is a result for each vector of a layout and each of so many parts. */
inline bool are_results(const quire_layout &layout, std::size_t parts, std::size_t size) noexcept {
    const std::size_t vectors = vectors_of(layout);
    return parts == 0 || vectors == 0 ? size == 0 : size % parts == 0 && size / parts == vectors;
}

/* --------------------------------------------------------------------------------------------------------- segments */

/* Segment s of x, its elements begin[s] to end[s] - 1, to results[s]: quire_reduce_segments. Of offsets as CSR has them
 * begin is all but the last, and end all but the first. */
template <class Begin, class End, class X, class Results>
void reduce_segments(quire_operation operation, const Begin &begin, const End &end, const X &x, Results &&results,
                     const options &how = {}) {
    static_assert(std::is_same_v<value_of<Begin>, value_of<End>>, "begin and end are of one type");
    const quire_reduction what = reduction_to<X, Results>(operation, how);
    const std::size_t segments = std::size(results);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (std::size(begin) == segments && std::size(end) == segments)
        status = quire_reduce_segments(how.handle(), &what, segments, index_of<value_of<Begin>>::value,
                                       std::data(begin), std::data(end), std::data(x), nullptr, std::data(results));
    how.report(status);
}

/* The same for operations of two arrays. */
template <class Begin, class End, class X, class Y, class Results>
void reduce_segments_of_two(quire_operation operation, const Begin &begin, const End &end, const X &x, const Y &y,
                            Results &&results, const options &how = {}) {
    static_assert(std::is_same_v<value_of<Begin>, value_of<End>>, "begin and end are of one type");
    static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
    const quire_reduction what = reduction_to<X, Results>(operation, how);
    const std::size_t segments = std::size(results);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (std::size(begin) == segments && std::size(end) == segments)
        status =
            quire_reduce_segments(how.handle(), &what, segments, index_of<value_of<Begin>>::value, std::data(begin),
                                  std::data(end), std::data(x), std::data(y), std::data(results));
    how.report(status);
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Memory for calls by key, aligned to 256 bytes, where the context works. Without any, calls on a CPU allocate theirs,
 * and give QUIRE_OUT_OF_MEMORY if there is none; those on a device give QUIRE_NULL_POINTER. */
struct memory {
    void *bytes = nullptr;
    std::size_t size = 0;
};

/* What was given, or as many bytes of the host's, freed when it goes. */
class workspace {
  public:
    workspace(const memory &given, std::size_t bytes, const options &how) noexcept : used_(given) {
        if (given.bytes || how.on_device() || !bytes) return;
        own_ = ::operator new(bytes, alignment, std::nothrow);
        used_ = { own_, bytes };
        failed_ = !own_;
    }
    workspace(const workspace &) = delete;
    workspace &operator=(const workspace &) = delete;
    ~workspace() { ::operator delete(own_, alignment, std::nothrow); }

    void *bytes() const noexcept { return used_.bytes; }
    std::size_t size() const noexcept { return used_.size; }
    bool failed() const noexcept { return failed_; }

  private:
    static constexpr std::align_val_t alignment{ 256 };
    memory used_;
    void *own_ = nullptr;
    bool failed_ = false;
};

/* ----------------------------------------------------------------------------------------------------------- by key */

/* Bytes of workspace for reduce_by_key and order_by_key of so many groups, with keys of type I. */
template <class I, class T, class R>
std::size_t by_key_workspace(quire_operation operation, std::size_t groups, const quire_layout &x_layout,
                             const options &how = {}) noexcept {
    const quire_reduction what = how.reduction(operation, element<T>::value, element<R>::value);
    return quire_by_key_workspace(how.handle(), &what, groups, index_of<I>::value, &x_layout);
}
template <class I> std::size_t order_workspace(std::size_t groups, std::size_t n, const options &how = {}) noexcept {
    return quire_order_workspace(how.handle(), groups, index_of<I>::value, n);
}

/* How many groups have results, of which each vector of a layout has one. */
template <class Keys, class Results>
std::size_t groups_of(const Keys &keys, const quire_layout &layout, const Results &results, bool &fits) noexcept {
    const std::size_t vectors = vectors_of(layout), size = std::size(results);
    fits = std::size(keys) == layout.n && (vectors ? size % vectors == 0 : size == 0);
    return vectors ? size / vectors : 0;
}

/* What both calls below come to. y is NULL where there is none. */
template <class Keys, class X, class Results>
void reduce_keys(quire_operation operation, const Keys &keys, const quire_layout &x_layout, const X &x,
                 const quire_layout *y_layout, const value_of<X> *y, Results &results, const options &how,
                 std::int64_t *counts, const memory &room) {
    using I = value_of<Keys>;
    const quire_reduction what = reduction_to<X, Results>(operation, how);
    bool fits = false;
    const std::size_t groups = groups_of(keys, x_layout, results, fits);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (fits && lies_within(x_layout, std::size(x))) {
        const std::size_t bytes = quire_by_key_workspace(how.handle(), &what, groups, index_of<I>::value, &x_layout);
        const workspace used(room, bytes, how);
        status = used.failed() ? QUIRE_OUT_OF_MEMORY
                               : quire_reduce_by_key(how.handle(), &what, groups, index_of<I>::value, std::data(keys),
                                                     &x_layout, std::data(x), y_layout, y, std::data(results), counts,
                                                     used.bytes(), used.size());
    }
    how.report(status);
}

/* The rows of each group: quire_reduce_by_key. Row k of x is what the axis n of the layout counts, and keys[k] its
 * group. There are as many groups as there are results for each vector of the layout; counts, where it is not NULL,
 * takes how many rows each has. */
template <class Keys, class X, class Results>
void reduce_by_key(quire_operation operation, const Keys &keys, const quire_layout &x_layout, const X &x,
                   Results &&results, const options &how = {}, std::int64_t *counts = nullptr,
                   const memory &room = {}) {
    reduce_keys(operation, keys, x_layout, x, nullptr, nullptr, results, how, counts, room);
}

/* The same for operations of two arrays. */
template <class Keys, class X, class Y, class Results>
void reduce_by_key(quire_operation operation, const Keys &keys, const quire_layout &x_layout, const X &x,
                   const quire_layout &y_layout, const Y &y, Results &&results, const options &how = {},
                   std::int64_t *counts = nullptr, const memory &room = {}) {
    static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
    if (lies_within(y_layout, std::size(y)))
        reduce_keys(operation, keys, x_layout, x, &y_layout, std::data(y), results, how, counts, room);
    else
        how.report(QUIRE_INVALID_LAYOUT);
}

/* Rows sorted by their keys, once for many calls of reduce_gathered: quire_order_by_key. order has as many elements as
 * keys, offsets one more than there are groups; all are of one type. */
template <class Keys, class Order, class Offsets>
void order_by_key(const Keys &keys, Order &&order, Offsets &&offsets, const options &how = {},
                  const memory &room = {}) {
    using I = value_of<Keys>;
    static_assert(std::is_same_v<I, result_in<Order>> && std::is_same_v<I, result_in<Offsets>>,
                  "keys, order and offsets are of one type");
    const std::size_t n = std::size(keys), groups = std::size(offsets) ? std::size(offsets) - 1 : 0;
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (std::size(order) == n && std::size(offsets) != 0) {
        const workspace used(room, quire_order_workspace(how.handle(), groups, index_of<I>::value, n), how);
        status = used.failed() ? QUIRE_OUT_OF_MEMORY
                               : quire_order_by_key(how.handle(), groups, index_of<I>::value, n, std::data(keys),
                                                    std::data(order), std::data(offsets), used.bytes(), used.size());
    }
    how.report(status);
}

/* --------------------------------------------------------------------------------------------------------- gathered */

/* Segments of rows that are found through an index: quire_reduce_gathered, of operations of two arrays. An order may be
 * NULL: positions are the rows themselves. */
template <class Begin, class End, class X, class Y, class Results>
void reduce_gathered(quire_operation operation, const Begin &begin, const End &end, const value_of<Begin> *x_order,
                     const quire_layout &x_layout, const X &x, const value_of<Begin> *y_order,
                     const quire_layout &y_layout, const Y &y, Results &&results, const options &how = {}) {
    static_assert(std::is_same_v<value_of<Begin>, value_of<End>>, "begin and end are of one type");
    static_assert(std::is_same_v<value_of<X>, value_of<Y>>, "the elements of both ranges are of one type");
    const quire_reduction what = reduction_to<X, Results>(operation, how);
    const std::size_t segments = std::size(begin);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (std::size(end) == segments && lies_within(x_layout, std::size(x)) &&
        (!std::data(y) || lies_within(y_layout, std::size(y))) && are_results(x_layout, segments, std::size(results)))
        status = quire_reduce_gathered(how.handle(), &what, segments, index_of<value_of<Begin>>::value,
                                       std::data(begin), std::data(end), x_order, &x_layout, std::data(x), y_order,
                                       &y_layout, std::data(y), std::data(results));
    how.report(status);
}

/* The same of one array. */
template <class Begin, class End, class X, class Results>
void reduce_gathered(quire_operation operation, const Begin &begin, const End &end, const value_of<Begin> *order,
                     const quire_layout &x_layout, const X &x, Results &&results, const options &how = {}) {
    const span<const value_of<X>> none(static_cast<const value_of<X> *>(nullptr), 0);
    reduce_gathered(operation, begin, end, order, x_layout, x, order, x_layout, none, results, how);
}

/* ----------------------------------------------------------------------------------------------------- running sums */

/* The running sums of each vector of a layout, where results_layout says: quire_scan. results may be x. */
template <class X, class Results>
void scan(quire_scan_kind kind, const quire_layout &x_layout, const X &x, const quire_layout &results_layout,
          Results &&results, const options &how = {}) {
    const quire_reduction what = reduction_to<X, Results>(QUIRE_SUM, how);
    quire_status status = QUIRE_INVALID_LAYOUT;
    if (lies_within(x_layout, std::size(x)) && lies_within(results_layout, std::size(results)))
        status = quire_scan(how.handle(), &what, kind, &x_layout, std::data(x), &results_layout, std::data(results));
    how.report(status);
}

/* Those of one range. */
template <class X, class Results>
void scan(quire_scan_kind kind, const X &x, Results &&results, const options &how = {}) {
    if (std::size(x) == std::size(results))
        scan(kind, quire_strided(std::size(x), 1), x, quire_strided(std::size(results), 1), results, how);
    else
        how.report(QUIRE_INVALID_LAYOUT);
}

} // namespace quire

#endif
