/* test_hpp.cpp - quire.hpp: every function's bits are those of the C call beneath it, and every error arrives, as an
 * exception or as a status, with its outputs untouched. */
#include <quire/quire.hpp>
#include <quire/quire.hpp> /* twice, for its include guard */

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "run.h"

static_assert(!std::is_copy_constructible_v<quire::context>, "a context has one owner");
static_assert(std::is_nothrow_move_constructible_v<quire::context>, "a context moves");
static_assert(std::is_same_v<decltype(quire::sum(std::vector<float>())), float>, "a result is of the elements' type");
static_assert(std::is_same_v<decltype(quire::sum<double>(std::vector<float>())), double>,
              "or of the type that is named");

static const std::vector<double> x = { 1e20, 1.0, -1e20, 1.0, 0x1p-60 };
static const std::vector<double> y = { 3.0, -2.0, 3.0, 0.5, 1.0 };

template <class T> static std::uint64_t bits(T value) {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
}

template <class T> static void check_same(T found, T expected) { ck_assert_uint_eq(bits(found), bits(expected)); }

/* What the call of C gives. */
template <class R = double>
static R expected(quire_operation operation, quire_method method = QUIRE_EXACT,
                  quire_rounding rounding = QUIRE_TO_NEAREST, std::int64_t correction = 0) {
    const quire_reduction what = {
        operation, QUIRE_F64, quire::element<R>::value, method, rounding, correction, { 0 }
    };
    const quire_layout layout = quire_strided(x.size(), 1);
    R result = quire::not_a_number<R>();
    quire_reduce(nullptr, &what, &layout, x.data(), nullptr, y.data(), &result);
    return result;
}

START_TEST(every_operation) {
    quire_status status = QUIRE_OK;
    check_same(quire::sum(x), expected(QUIRE_SUM));
    check_same(quire::asum(x), expected(QUIRE_ASUM));
    check_same(quire::nrm2(x), expected(QUIRE_NRM2));
    check_same(quire::mean(x), expected(QUIRE_MEAN));
    check_same(quire::sumsq(x), expected(QUIRE_SUMSQ));
    check_same(quire::dot(x, y), expected(QUIRE_DOT));
    const quire::options sample = quire::options().correction(1).status(status);
    check_same(quire::variance(x, sample), expected(QUIRE_VARIANCE, QUIRE_EXACT, QUIRE_TO_NEAREST, 1));
    check_same(quire::stddev(x, sample), expected(QUIRE_STDDEV, QUIRE_EXACT, QUIRE_TO_NEAREST, 1));

    double result = 0;
    quire::sum(x, &result);
    check_same(result, expected(QUIRE_SUM));
    quire::dot(x, y, &result);
    check_same(result, expected(QUIRE_DOT));
}
END_TEST

START_TEST(every_option) {
    check_same(quire::sum(x, QUIRE_UPWARD), expected(QUIRE_SUM, QUIRE_EXACT, QUIRE_UPWARD));
    check_same(quire::sum(x, QUIRE_PLAIN), expected(QUIRE_SUM, QUIRE_PLAIN));
    check_same(quire::sum<float>(x, quire::options().rounding(QUIRE_DOWNWARD)),
               expected<float>(QUIRE_SUM, QUIRE_EXACT, QUIRE_DOWNWARD));
    const quire::context two = quire::context::cpu(2);
    check_same(quire::sum(x, two), expected(QUIRE_SUM));
    check_same(quire::dot<float>(x, y, quire::options(two).method(QUIRE_KAHAN)),
               expected<float>(QUIRE_DOT, QUIRE_KAHAN));
    check_same(quire::mean(x, quire::options(QUIRE_PAIRWISE).rounding(QUIRE_TOWARD_ZERO)),
               expected(QUIRE_MEAN, QUIRE_PAIRWISE, QUIRE_TOWARD_ZERO));
}
END_TEST

START_TEST(every_range) {
    const double array[5] = { 1e20, 1.0, -1e20, 1.0, 0x1p-60 };
    const std::array<double, 5> standard = { 1e20, 1.0, -1e20, 1.0, 0x1p-60 };
    const double right = expected(QUIRE_SUM);
    check_same(quire::sum(array), right);
    check_same(quire::sum(standard), right);
    check_same(quire::sum({ 1e20, 1.0, -1e20, 1.0, 0x1p-60 }), right);
    check_same(quire::sum<float>({ 1e20, 1.0, -1e20, 1.0 }), 2.0f);
    check_same(quire::sum(quire::span<const double>(array, 5)), right);
    check_same(quire::sum(quire::span(x.data(), 2)), 1e20 + 1.0);
    std::vector<double> changeable = x;
    check_same(quire::sum(quire::span(changeable.data(), changeable.size())), right);
    check_same(quire::sum(std::vector<double>()), 0.0);
}
END_TEST

/* A format of one's own, by its bits. */
struct my_half {
    std::uint16_t bits;
};
template <> struct quire::element<my_half> : quire::element_of<QUIRE_F16> {};

START_TEST(every_element) {
    check_same(quire::sum(std::vector<float>{ 1e20f, 1.0f, -1e20f, 1.0f }), 2.0f);
    const std::vector<my_half> halves = { { 0x3c00 }, { 0x3c00 }, { 0x1000 } }; /* 1, 1, 2^-11 */
    ck_assert_uint_eq(quire::sum(halves).bits, 0x4000);
    ck_assert_uint_eq(quire::sum(halves, QUIRE_UPWARD).bits, 0x4001);
    check_same(quire::sum<double>(halves), 2.0 + 0x1p-11);
#if defined(__FLT16_MANT_DIG__)
    const std::vector<_Float16> h = { (_Float16)1.0f, (_Float16)1.0f, (_Float16)0x1p-11f };
    check_same(quire::sum(h), (_Float16)2.0f);
    check_same(quire::sum<float>(h), 2.0f + 0x1p-11f);
#endif
#if defined(__STDCPP_BFLOAT16_T__)
    check_same(quire::sum(std::vector<std::bfloat16_t>{ 1.0bf16, 2.0bf16 }), 3.0bf16);
#endif
}
END_TEST

START_TEST(layouts) {
    const std::vector<float> matrix = { 1, 2, 3, 4, 5, 6 };
    std::vector<float> rows(2), columns(3);
    quire::reduce(QUIRE_SUM, quire_rows(2, 3, 3), matrix, rows);
    quire::reduce(QUIRE_SUM, quire_columns(2, 3, 3), matrix, columns);
    check_same(rows[0], 6.0f), check_same(rows[1], 15.0f);
    check_same(columns[0], 5.0f), check_same(columns[1], 7.0f), check_same(columns[2], 9.0f);
    const std::vector<float> vector = { 1, 10, 100 };
    quire::reduce(QUIRE_DOT, quire_rows(2, 3, 3), matrix, quire_layout{ 2, 3, 1, 0, 1, 0 }, vector, rows);
    check_same(rows[0], 321.0f), check_same(rows[1], 654.0f);

    /* Beyond the end by one element; backwards; one result too many. Nothing is written. */
    const quire_layout bad[] = { quire_rows(2, 3, 4), quire_rows(3, 3, 3), quire_strided(7, 1), quire_strided(6, -1),
                                 quire_rows(SIZE_MAX, SIZE_MAX, PTRDIFF_MAX) };
    for (const quire_layout &layout : bad) {
        quire_status status = QUIRE_OK;
        std::vector<float> results(layout.outer < 4 ? layout.outer : 1, 7.0f);
        quire::reduce(QUIRE_SUM, layout, matrix, results, status);
        ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
        for (float one : results) check_same(one, 7.0f);
    }
    quire_status status = QUIRE_OK;
    quire::reduce(QUIRE_SUM, quire_rows(2, 3, 3), matrix, columns, status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    check_same(columns[0], 5.0f);
    quire::reduce(QUIRE_SUM, quire_layout{ 0, 9, 1, 9, 1, 1 }, matrix, std::vector<float>()); /* no vectors: anywhere */
}
END_TEST

/* The status that a call throws; QUIRE_OK if none. */
template <class Call> static quire_status thrown_by(Call call) {
    try {
        call();
    } catch (const quire::error &error) {
        ck_assert(error.code().category() == quire::category());
        const std::string message = error.code().message();
        ck_assert_str_eq(message.c_str(), quire_status_string(error.status()));
        return error.status();
    }
    return QUIRE_OK;
}

START_TEST(errors) {
    const double *nowhere = nullptr;
    quire_status status = QUIRE_OK;
    ck_assert_int_eq(thrown_by([&] { quire::sum(quire::span(nowhere, 3)); }), QUIRE_NULL_POINTER);
    ck_assert(std::isnan(quire::sum(quire::span(nowhere, 3), status)));
    ck_assert_int_eq(status, QUIRE_NULL_POINTER);
    check_same(quire::sum(x, status), expected(QUIRE_SUM));
    ck_assert_int_eq(status, QUIRE_OK);

    const std::vector<double> shorter(4);
    ck_assert_int_eq(thrown_by([&] { quire::dot(x, shorter); }), QUIRE_INVALID_LAYOUT);
    ck_assert(std::isnan(quire::dot(x, shorter, status)));
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    double result = 7;
    quire::dot(x, shorter, &result, status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    check_same(result, 7.0);
    ck_assert_int_eq(thrown_by([&] { quire::sum(x, static_cast<quire_method>(7)); }), QUIRE_INVALID_METHOD);

    ck_assert_int_eq(thrown_by([] { quire::context::cpu(-1); }), QUIRE_INVALID_THREADS);
    const quire::context none = quire::context::cpu(-1, status);
    ck_assert_int_eq(status, QUIRE_INVALID_THREADS);
    ck_assert_ptr_null(none.get());
    const std::error_code code = QUIRE_NULL_POINTER;
    ck_assert(code == QUIRE_NULL_POINTER && code != QUIRE_MISALIGNED && !std::error_code(QUIRE_OK));
    ck_assert_str_eq(code.category().name(), "quire");
}
END_TEST

START_TEST(contexts) {
    quire::context first = quire::context::cpu(1), second;
    quire_context *handle = first.get();
    ck_assert_ptr_nonnull(handle);
    second = std::move(first);
    ck_assert_ptr_eq(second.get(), handle);
    ck_assert_ptr_null(first.get());
    quire::context third(std::move(second));
    ck_assert_ptr_eq(third.get(), handle);
    ck_assert_ptr_null(second.get());
    third.set_tier(QUIRE_TIER_PORTABLE);
    check_same(quire::sum(x, third), expected(QUIRE_SUM));
    ck_assert_int_eq(thrown_by([&] { third.set_tier(static_cast<quire_tier>(7)); }), QUIRE_INVALID_TIER);
    ck_assert_int_eq(thrown_by([&] { third.set_stream(nullptr); }), QUIRE_WRONG_CONTEXT);

    quire_status status = QUIRE_OK;
    const quire::context device = quire::context::cuda(0, nullptr, status);
    if (status == QUIRE_OK) { /* a number cannot be returned before the device has it */
        ck_assert_int_eq(thrown_by([&] { quire::sum(x, device); }), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(thrown_by([&] { quire::accumulator().add(x, device); }), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(thrown_by([&] { quire::moments().add(x, device); }), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(thrown_by([&] { quire::covariance(x, y, device); }), QUIRE_WRONG_CONTEXT);
    } else {
        ck_assert(!device.on_device());
    }
}
END_TEST

START_TEST(accumulators) {
    quire::accumulator one, two;
    one.add(std::vector<float>{ 1e20f, 1.0f }).add(x);
    two.add_products(x, y).add_magnitudes(std::vector<double>{ -3 });
    two += -1e20f;
    one += two;
    const std::vector<double> all = { 1e20f, 1, 1e20, 1, -1e20, 1, 0x1p-60, 3e20, -2, -3e20, .5, 0x1p-60, 3, -1e20f };
    check_same(one.sum(), quire::sum(all));
    check_same(one.sum<float>(QUIRE_UPWARD), quire::sum<float>(all, QUIRE_UPWARD));
    check_same(one.mean(), quire::mean(all));
    ck_assert_uint_eq(one.count(), all.size());
    check_same(quire::accumulator().add_products(x, x).root(), quire::nrm2(x));

    quire::accumulator copy(one.words());
    copy.words().limb[70] += (std::int64_t)1 << 40;
    copy.carry();
    ck_assert_int_ge(copy.words().limb[70], 0);
    ck_assert_int_lt(copy.words().limb[70], (std::int64_t)1 << 32);

    quire_status status = QUIRE_OK;
    const quire_accumulator before = one.words();
    one.add_products(x, std::vector<double>(3), status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    one.add(quire::span(static_cast<const float *>(nullptr), 1), status);
    ck_assert_int_eq(status, QUIRE_NULL_POINTER);
    ck_assert_mem_eq(&before, &one.words(), sizeof before);
}
END_TEST

/* Moments against the calls of C on the same accumulators. */
START_TEST(moments) {
    const std::vector<double> part(x.begin() + 2, x.end());
    const quire::options sample = quire::options().correction(1);
    quire::moments one, two;
    one.add(quire::span(x.data(), 2));
    two.add(part);
    one += two;
    ck_assert_uint_eq(one.count(), x.size());
    check_same(one.sum(), expected(QUIRE_SUM));
    check_same(one.mean(), expected(QUIRE_MEAN));
    check_same(one.variance(), expected(QUIRE_VARIANCE));
    check_same(one.stddev(), expected(QUIRE_STDDEV));
    check_same(one.variance(sample), expected(QUIRE_VARIANCE, QUIRE_EXACT, QUIRE_TO_NEAREST, 1));
    check_same(one.stddev<float>(quire::options(QUIRE_UPWARD).correction(2)),
               expected<float>(QUIRE_STDDEV, QUIRE_EXACT, QUIRE_UPWARD, 2));
    two += 3.0;
    two += 2.5f;
    ck_assert_uint_eq(two.count(), part.size() + 2);
    check_same(quire::moments(one.values(), one.squares()).variance(), expected(QUIRE_VARIANCE));
    check_same(quire::moments().add(std::vector<float>{ 1e8f + 8, 1e8f + 16, 1e8f + 24 }).variance<float>(sample),
               64.0f);
    ck_assert(std::isnan(quire::moments().variance()));

    quire_status status = QUIRE_OK;
    const quire::moments before = one;
    one.add(quire::span(static_cast<const float *>(nullptr), 1), status);
    ck_assert_int_eq(status, QUIRE_NULL_POINTER);
    ck_assert_mem_eq(&before, &one, sizeof before);
    ck_assert_int_eq(thrown_by([&] { one.variance(QUIRE_KAHAN); }), QUIRE_INVALID_METHOD);
    one.values() += 1.0;
    ck_assert_int_eq(thrown_by([&] { one.variance(); }), QUIRE_INVALID_MOMENTS);
}
END_TEST

/* What the calls of C give for x and y. */
static double expected_covariance(std::int64_t correction) {
    quire_accumulator s[3] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    double result = 0;
    quire_accumulate(nullptr, &s[0], QUIRE_F64, x.size(), x.data());
    quire_accumulate(nullptr, &s[1], QUIRE_F64, y.size(), y.data());
    quire_accumulate_products(nullptr, &s[2], QUIRE_F64, x.size(), x.data(), y.data());
    ck_assert_int_eq(quire_covariance(&s[0], &s[1], &s[2], correction, QUIRE_F64, &result), QUIRE_OK);
    return result;
}

START_TEST(comoments) {
    const quire::options sample = quire::options().correction(1);
    check_same(quire::covariance(x, y), expected_covariance(0));
    check_same(quire::covariance(x, y, sample), expected_covariance(1));
    check_same(quire::covariance(x, x), expected(QUIRE_VARIANCE));
    check_same(quire::covariance<float>(x, x, sample),
               expected<float>(QUIRE_VARIANCE, QUIRE_EXACT, QUIRE_TO_NEAREST, 1));
    const std::vector<float> line = { 1, 2, 4 }, rising = { 3, 5, 9 }, falling = { -1, -2, -4 };
    check_same(quire::correlation(line, rising), 1.0f);
    check_same(quire::correlation<double>(line, falling), -1.0);
    ck_assert(std::isnan(quire::correlation(line, std::vector<float>(3))));
    check_same(quire::correlation<double>(line, std::vector<float>{ 1, 0, 0 }), -0x1.83091e6a7f7e7p-1); /* -2/sqrt(7) */

    quire::comoments one, two;
    one.add(quire::span(x.data(), 1), quire::span(y.data(), 1));
    two.add(quire::span(x.data() + 1, 4), quire::span(y.data() + 1, 4));
    one += two;
    ck_assert_uint_eq(one.count(), x.size());
    check_same(one.covariance(sample), expected_covariance(1));
    check_same(one.correlation<float>(), quire::correlation<float>(x, y));
    check_same(one.x().variance(), expected(QUIRE_VARIANCE));
    check_same(one.y().mean(), quire::mean(y));
    check_same(one.products().sum(), expected(QUIRE_DOT));
    check_same(quire::comoments(one.x(), one.y(), one.products()).covariance(), expected_covariance(0));

    quire_status status = QUIRE_OK;
    const quire::comoments before = one;
    double before_average = 0;
    one.add(x, std::vector<double>(3), status);
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    one.add(quire::span(x.data(), 1), quire::span(static_cast<const double *>(nullptr), 1), status);
    ck_assert_int_eq(status, QUIRE_NULL_POINTER);
    ck_assert_mem_eq(&before, &one, sizeof before);
    ck_assert(std::isnan(quire::covariance(x, std::vector<double>(3), status)));
    ck_assert_int_eq(status, QUIRE_INVALID_LAYOUT);
    ck_assert(quire::correlation(x, y, QUIRE_UPWARD) > quire::correlation(x, y, QUIRE_DOWNWARD));
    ck_assert(one.covariance(QUIRE_DOWNWARD) < one.covariance(QUIRE_UPWARD));
    check_same(quire::average(x, std::vector<double>(x.size(), 1.0)), quire::mean(x));
    check_same(quire::average<float>(line, rising), static_cast<float>(49.0 / 17));
    quire::average(x, x, &before_average);
    check_same(before_average, quire::average(x, x));
    ck_assert_int_eq(thrown_by([&] { quire::average(x, std::vector<double>(3)); }), QUIRE_INVALID_LAYOUT);
    ck_assert_int_eq(thrown_by([&] { quire::covariance(x, y, QUIRE_PLAIN); }), QUIRE_INVALID_METHOD);
    one.products() += 1.0;
    ck_assert_int_eq(thrown_by([&] { one.covariance(); }), QUIRE_INVALID_MOMENTS);
}
END_TEST

int main() {
    Suite *suite = suite_create("hpp");
    TCase *cases = tcase_create("hpp");
    tcase_add_test(cases, every_operation);
    tcase_add_test(cases, every_option);
    tcase_add_test(cases, every_range);
    tcase_add_test(cases, every_element);
    tcase_add_test(cases, layouts);
    tcase_add_test(cases, errors);
    tcase_add_test(cases, contexts);
    tcase_add_test(cases, accumulators);
    tcase_add_test(cases, moments);
    tcase_add_test(cases, comoments);
    suite_add_tcase(suite, cases);
    return run(suite);
}
