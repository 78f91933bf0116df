/* test_vectors.cpp - vectors.hpp and integers: every result's bits are those of the C call beneath it or of the single
 * one, and every error arrives, with its outputs untouched. */
#include <quire/quire.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "run.h"

template <class T> static std::uint64_t bits(T value) {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
}

template <class T> static void check_same(T found, T expected) { ck_assert_uint_eq(bits(found), bits(expected)); }

static const std::vector<double> x = { 1e20, 0.5, -1e20, 1.0, 0x1p-60, 7.0 };
static const std::vector<double> w = { 1.0, 2.0, 1.0, 4.0, -3.0, 0.5 };
static const std::vector<int> keys = { 1, 0, 1, 1, 3, 0 }; /* the fifth row belongs to no group */
static const double unset = 7;

/* The rows of each of three groups. */
static std::vector<double> rows_of(const std::vector<double> &all, int group) {
    std::vector<double> rows;
    for (std::size_t k = 0; k < keys.size(); k++)
        if (keys[k] == group) rows.push_back(all[k]);
    return rows;
}

START_TEST(keyed) {
    std::vector<double> sums(3, unset);
    std::vector<std::int64_t> counts(3);
    quire::reduce_by_key(QUIRE_SUM, keys, quire_strided(6, 1), x, sums, {}, counts.data());
    for (int g = 0; g < 3; g++) {
        check_same(sums[(std::size_t)g], quire::sum(rows_of(x, g)));
        ck_assert_int_eq(counts[(std::size_t)g], (std::int64_t)rows_of(x, g).size());
    }
    quire::reduce_by_key(QUIRE_AVERAGE, keys, quire_strided(6, 1), x, quire_strided(6, 1), w, sums);
    check_same(sums[0], quire::average(rows_of(x, 0), rows_of(w, 0)));
    check_same(sums[1], quire::average(rows_of(x, 1), rows_of(w, 1)));
    ck_assert(std::isnan(sums[2]));

    /* Three rows of two columns; long keys; a rounding, and another result type. */
    std::vector<float> columns(4, 7.0f);
    const std::vector<std::int64_t> of_rows = { 1, 0, 1 };
    quire::reduce_by_key(QUIRE_SUM, of_rows, quire_columns(3, 2, 2), x, columns, QUIRE_UPWARD);
    check_same(columns[0], -1e20f + 0x1p43f); /* above the double -1e20 */
    check_same(columns[1], 1.0f);
    check_same(columns[2], quire::sum<float>(std::vector<double>{ 1e20, 0x1p-60 }, QUIRE_UPWARD));
    check_same(columns[3], 7.5f);
}
END_TEST

START_TEST(workspaces) {
    std::vector<double> sums(3);
    const quire_layout rows = quire_strided(6, 1);
    const std::size_t size = quire::by_key_workspace<int, double, double>(QUIRE_SUM, 3, rows);
    std::vector<unsigned char> bytes(size + 255);
    void *at = bytes.data() + (256 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 256) % 256;
    quire::reduce_by_key(QUIRE_SUM, keys, rows, x, sums, {}, nullptr, { at, size });
    check_same(sums[0], 7.5), check_same(sums[1], 1.0), check_same(sums[2], 0.0);
    quire_status status = QUIRE_OK;
    sums[0] = unset;
    quire::reduce_by_key(QUIRE_SUM, keys, rows, x, sums, status, nullptr, { at, size - 1 });
    ck_assert_int_eq(status, QUIRE_OUT_OF_MEMORY);
    check_same(sums[0], unset);
    ck_assert_uint_gt(quire::order_workspace<std::int64_t>(3, 6), 0);
}
END_TEST

START_TEST(ordered) {
    std::vector<int> order(6), offsets(4);
    std::vector<double> results(3);
    quire::order_by_key(keys, order, offsets);
    ck_assert(order == std::vector<int>({ 1, 5, 0, 2, 3, 4 }) && offsets == std::vector<int>({ 0, 2, 5, 5 }));
    const quire::span<const int> begin(offsets.data(), 3), end(offsets.data() + 1, 3);
    quire::reduce_gathered(QUIRE_NRM2, begin, end, order.data(), quire_strided(6, 1), x, results);
    for (int g = 0; g < 3; g++) check_same(results[(std::size_t)g], quire::nrm2(rows_of(x, g)));
    quire::reduce_gathered(QUIRE_DOT, begin, end, order.data(), quire_strided(6, 1), x, nullptr, quire_strided(6, 1), w,
                           results, QUIRE_KAHAN);
    check_same(results[0], quire::dot(rows_of(x, 0), std::vector<double>{ 1.0, 2.0 }, QUIRE_KAHAN));
    check_same(results[1], quire::dot(rows_of(x, 1), std::vector<double>{ 1.0, 4.0, -3.0 }, QUIRE_KAHAN));
    std::vector<double> of_columns(6);
    const std::vector<int> three = { 2, 0, 1 };
    quire::reduce_gathered(QUIRE_SUM, std::vector<int>{ 0, 1, 3 }, std::vector<int>{ 2, 3, 3 }, three.data(),
                           quire_columns(3, 2, 2), x, of_columns);
    check_same(of_columns[0], quire::sum({ 0x1p-60, 1e20 })), check_same(of_columns[1], 7.5);
    check_same(of_columns[2], 0.0), check_same(of_columns[3], 1.5);
    check_same(of_columns[4], 0.0), check_same(of_columns[5], 0.0);
}
END_TEST

START_TEST(segments) {
    const std::vector<std::int64_t> begin = { 0, 2, 5 }, end = { 4, 2, 6 };
    std::vector<float> results(3);
    quire::reduce_segments(QUIRE_SUM, begin, end, x, results);
    check_same(results[0], 1.5f), check_same(results[1], 0.0f), check_same(results[2], 7.0f);
    quire::reduce_segments_of_two(QUIRE_DOT, begin, end, x, w, results, QUIRE_DOWNWARD);
    check_same(results[0], 5.0f), check_same(results[1], 0.0f), check_same(results[2], 3.5f);
    quire_status status = QUIRE_OK;
    quire::reduce_segments(QUIRE_SUM, begin, std::vector<std::int64_t>(2), x, results, status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    quire::reduce_segments_of_two(QUIRE_DOT, std::vector<std::int64_t>(4), end, x, w, results, status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    check_same(results[2], 3.5f);
}
END_TEST

START_TEST(scans) {
    std::vector<double> running(6), before(6);
    quire::scan(QUIRE_INCLUSIVE, x, running);
    quire::scan(QUIRE_EXCLUSIVE, x, before);
    for (std::size_t k = 0; k < 6; k++) {
        check_same(before[k], quire::sum(quire::span(x.data(), k)));
        check_same(running[k], quire::sum(quire::span(x.data(), k + 1)));
    }
    std::vector<float> down(6), in_place = { 1e20f, 1, -1e20f };
    quire::scan(QUIRE_INCLUSIVE, quire_rows(2, 3, 3), x, quire_layout{ 2, 3, 1, 1, 2, 0 }, down, QUIRE_DOWNWARD);
    check_same(down[4], 0.5f), check_same(down[5], 8.0f); /* 1 + 2^-60 + 7, downward */
    quire::scan(QUIRE_INCLUSIVE, in_place, in_place);
    check_same(in_place[2], 1.0f);
    const std::vector<std::int64_t> whole = { INT64_MAX, INT64_MAX, 3 };
    std::vector<quire::int128> sums(3);
    std::vector<double> rounded(3);
    quire::scan(QUIRE_INCLUSIVE, whole, sums);
    quire::scan(QUIRE_INCLUSIVE, whole, rounded);
    ck_assert(sums[1].word[0] == UINT64_MAX - 1 && sums[1].word[1] == 0); /* on a little-endian machine */
    ck_assert(sums[2].word[0] == 1 && sums[2].word[1] == 1);
    check_same(rounded[1], 0x1p64);
}
END_TEST

template <class T> static void check_integer(quire_type type) {
    static_assert(std::is_same_v<decltype(quire::sum(std::vector<T>())), double>, "of integers results are doubles");
    ck_assert_int_eq(quire::element<T>::value, type);
    const T most = std::numeric_limits<T>::max();
    const std::vector<T> all = { most, most, 1 };
    check_same(quire::mean<float>(std::vector<T>{ 5, 2, 1 }), (float)(8.0 / 3));
    const quire::int128 sum = quire::sum<quire::int128>(all);
    std::uint64_t words[2];
    quire_sum(nullptr, type, 3, all.data(), QUIRE_EXACT, QUIRE_INT128, words);
    ck_assert_mem_eq(&sum, words, sizeof sum);
#if defined(__SIZEOF_INT128__)
    __extension__ typedef __int128 wide;
    ck_assert(static_cast<wide>(sum) == static_cast<wide>(most) * 2 + 1);
#endif
}

START_TEST(integers) {
    check_integer<std::int8_t>(QUIRE_INT8), check_integer<std::uint8_t>(QUIRE_UINT8);
    check_integer<std::int16_t>(QUIRE_INT16), check_integer<std::uint16_t>(QUIRE_UINT16);
    check_integer<std::int32_t>(QUIRE_INT32), check_integer<std::uint32_t>(QUIRE_UINT32);
    check_integer<std::int64_t>(QUIRE_INT64), check_integer<std::uint64_t>(QUIRE_UINT64);
    check_integer<long>(sizeof(long) == 8 ? QUIRE_INT64 : QUIRE_INT32), check_integer<long long>(QUIRE_INT64);
    const bool flags[3] = { true, false, true };
    ck_assert_int_eq(quire::element<bool>::value, QUIRE_UINT8);
    check_same(quire::mean(flags), 2.0 / 3);

    const std::vector<std::int64_t> large = { INT64_C(9007199254740993), 0, 0, 1, 1, 1 };
    check_same(quire::mean(quire::span(large.data(), 3)), 3002399751580331.0);
    check_same(quire::dot<double>(large, large), 81129638414606699710187514626052.0);
    std::vector<double> sums(3);
    quire::reduce_by_key(QUIRE_SUM, keys, quire_strided(6, 1), large, sums);
    check_same(sums[1], 9007199254740994.0);
    std::vector<quire::int128> exactly(2);
    quire::reduce(QUIRE_SUM, quire_rows(2, 3, 3), large, exactly);
    ck_assert_uint_eq(exactly[0].word[0] | exactly[0].word[1], UINT64_C(9007199254740993));

    quire::accumulator total;
    total.add(large).add(std::vector<std::uint8_t>{ 255 });
    total += 2;
    const quire::int128 held = total.sum<quire::int128>();
    ck_assert_uint_eq(held.word[0] | held.word[1], UINT64_C(9007199254741253));
    quire_status status = QUIRE_OK;
    quire::sum<quire::int128>(x, status);
    ck_assert_int_eq(status, QUIRE_NO_INTEGER);
    quire::sum(large, quire::options(QUIRE_PLAIN).status(status));
    ck_assert_int_eq(status, QUIRE_INVALID_METHOD);
}
END_TEST

/* One size or reach that is wrong at a time: results stay. */
START_TEST(layouts) {
    std::vector<double> results(3, unset), five(5, unset);
    std::vector<int> order(6, 7), offsets(4, 7);
    quire_status status = QUIRE_OK;
    const auto refused = [&] {
        ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
        status = QUIRE_OK;
        for (double one : results) check_same(one, unset);
        for (double one : five) check_same(one, unset);
        for (int one : order) ck_assert_int_eq(one, 7);
    };
    const quire_layout six = quire_strided(6, 1), seven = quire_strided(7, 1), pairs = quire_columns(3, 2, 2);
    const std::vector<int> three = { 0, 1, 0 }, none;
    quire::reduce_by_key(QUIRE_SUM, three, six, x, results, status), refused();
    quire::reduce_by_key(QUIRE_SUM, keys, quire_strided(6, 2), x, results, status), refused();
    quire::reduce_by_key(QUIRE_SUM, three, pairs, x, five, status), refused();
    quire::reduce_by_key(QUIRE_DOT, keys, six, x, quire_strided(6, 2), w, results, status), refused();
    quire::order_by_key(keys, quire::span(order.data(), 5), offsets, status), refused();
    quire::order_by_key(keys, order, std::vector<int>(), status), refused();
    quire::reduce_gathered(QUIRE_SUM, three, none, nullptr, six, x, results, status), refused();
    quire::reduce_gathered(QUIRE_SUM, three, three, nullptr, seven, x, results, status), refused();
    quire::reduce_gathered(QUIRE_SUM, three, three, nullptr, pairs, x, five, status), refused();
    quire::reduce_gathered(QUIRE_DOT, three, three, nullptr, six, x, nullptr, seven, w, results, status), refused();
    quire::scan(QUIRE_INCLUSIVE, x, five, status), refused();
    quire::scan(QUIRE_INCLUSIVE, seven, x, quire_strided(7, 0), results, status), refused();
    quire::scan(QUIRE_INCLUSIVE, six, x, six, five, status), refused();
    quire::reduce_by_key(QUIRE_SUM, none, quire_strided(0, 1), std::vector<double>(), results, status);
    ck_assert_int_eq(status, QUIRE_OK);
    for (double one : results) check_same(one, 0.0);
    bool thrown = false;
    try {
        quire::scan(static_cast<quire_scan_kind>(2), x, five = std::vector<double>(6));
    } catch (const quire::error &error) {
        thrown = error.status() == QUIRE_INVALID_OPERATION;
    }
    ck_assert(thrown);
}
END_TEST

int main() {
    Suite *suite = suite_create("hpp_vectors");
    TCase *cases = tcase_create("hpp_vectors");
    tcase_add_test(cases, keyed);
    tcase_add_test(cases, workspaces);
    tcase_add_test(cases, ordered);
    tcase_add_test(cases, segments);
    tcase_add_test(cases, scans);
    tcase_add_test(cases, integers);
    tcase_add_test(cases, layouts);
    suite_add_tcase(suite, cases);
    return run(suite);
}
