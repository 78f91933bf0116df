/* test_examples.c - the sums that one shows to explain why this library exists, and those in its header. What a plain
 * loop makes of them is checked too: an example that stopped failing would show nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "place.h"
#include "support.h"

static double forward(const double *x, size_t n) {
    volatile double s = 0;
    for (size_t i = 0; i < n; i++) s = s + x[i];
    return s;
}

static double backward(const double *x, size_t n) {
    volatile double s = 0;
    for (size_t i = n; i-- > 0;) s = s + x[i];
    return s;
}

/* Ten times 1e-20 before 1e20 - 1e20: nothing from the left, 1e-19 from the right. */
START_TEST(tiny_beside_huge) {
    double x[12], result;
    char text[40];
    generator g;
    for (int i = 0; i < 10; i++) x[i] = 1e-20;
    x[10] = 1e20;
    x[11] = -1e20;
    ck_assert_uint_eq(double_bits(forward(x, 12)), double_bits(0.0));
    snprintf(text, sizeof text, "%.15g", backward(x, 12));
    ck_assert_str_eq(text, "1e-19");

    generator_seed(&g, 40);
    for (int turn = 0; turn < 100; turn++) { /* exact: whatever the order */
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, 12, x, NULL, QUIRE_EXACT, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, double_bits(1e-19), "ten 1e-20 and 1e20 - 1e20");
        ck_assert_uint_eq(double_bits(quire_sumd(x, 12)), double_bits(1e-19));
        generator_shuffle(&g, 12, sizeof *x, x);
    }
}
END_TEST

/* A thousand times 0.001 on top of 1000: a loop in half never leaves 1000, one in float falls short. */
START_TEST(thousand_and_a_thousandth) {
    size_t n = 1001;
    uint16_t half[1001], s = type_encode(QUIRE_F16, 1000) & 0xffff, result;
    float single[1001], f = 1000, exact;
    for (size_t i = 1; i < n; i++) {
        half[i] = (uint16_t)type_encode(QUIRE_F16, 0.001);
        single[i] = 0.001f;
    }
    half[0] = s;
    single[0] = 1000;
    for (size_t i = 1; i < n; i++) {
        s = (uint16_t)type_encode(QUIRE_F16, type_decode(QUIRE_F16, s) + type_decode(QUIRE_F16, half[i]));
        f = (float)((double)f + (double)single[i]); /* rounded once: a sum of two floats fits double well enough */
    }
    ck_assert_uint_eq(s, type_encode(QUIRE_F16, 1000));
    ck_assert(f < 1000.99f);

    check_ok(place_reduce(OPERATION_SUM, QUIRE_F16, n, half, NULL, QUIRE_EXACT, QUIRE_F16, &result));
    check_bits(QUIRE_F16, &result, type_encode(QUIRE_F16, 1001), "halves");
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, n, single, NULL, QUIRE_EXACT, QUIRE_F32, &exact));
    check_bits(QUIRE_F32, &exact, type_encode(QUIRE_F32, 1001), "floats");
    /* 1000 fl(0.001) is 1.0000000474974513, in 24 bits and doubles alike */
    double wide;
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, n, single, NULL, QUIRE_EXACT, QUIRE_F64, &wide));
    check_bits(QUIRE_F64, &wide, double_bits(1000 + 1000 * (double)0.001f), "floats into a double");
}
END_TEST

/* CUB's deterministic sum of four million zeros once was not zero. +0 sums to +0, -0 to -0, one +0 among -0 to +0. */
START_TEST(four_million_zeros) {
    size_t n = scaled(4000000);
    for (int t = 0; t < TYPE_COUNT; t++) {
        quire_type type = TYPES[t];
        size_t size = n * type_size(type);
        void *x = array_new(size, 0);
        for (int m = 0; m < METHOD_COUNT; m++) {
            uint64_t result[1];
            memset(x, 0, size);
            check_ok(place_reduce(OPERATION_SUM, type, n, x, NULL, METHODS[m], type, result));
            check_bits(type, result, 0, "+0, %s", method_name(METHODS[m]));
            for (size_t i = 0; i < n; i++) type_store(type, x, i, type_sign(type));
            check_ok(place_reduce(OPERATION_SUM, type, n, x, NULL, METHODS[m], type, result));
            check_bits(type, result, type_sign(type), "-0, %s", method_name(METHODS[m]));
            type_store(type, x, n * 2 / 3, 0);
            check_ok(place_reduce(OPERATION_SUM, type, n, x, NULL, METHODS[m], type, result));
            check_bits(type, result, 0, "-0 and one +0, %s", method_name(METHODS[m]));
        }
        array_free(x);
    }
}
END_TEST

/* The first lines of quire.h. */
START_TEST(the_header) {
    float x[4] = { 1e20f, 1.0f, -1e20f, 1.0f }, s;
    double m;
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, b = QUIRE_ACCUMULATOR_ZERO;
    ck_assert_uint_eq(type_encode(QUIRE_F32, quire_sumf(x, 4)), type_encode(QUIRE_F32, 2));
    check_ok(place_reduce(OPERATION_MEAN, QUIRE_F32, 4, x, NULL, QUIRE_EXACT, QUIRE_F64, &m));
    check_bits(QUIRE_F64, &m, double_bits(0.5), "the mean");
    check_ok(place_accumulate(&a, QUIRE_F32, 1, x));
    check_ok(place_accumulate(&b, QUIRE_F32, 3, x + 1));
    check_ok(quire_merge(&a, &b));
    check_ok(quire_round(&a, QUIRE_F32, &s));
    check_bits(QUIRE_F32, &s, type_encode(QUIRE_F32, 2), "in two parts");
}
END_TEST

/* The examples of docs/accuracy.md. */
START_TEST(the_page_on_accuracy) {
    enum { N = 1000000, LANE = 256, LANES = 4 * LANE + 1 };
    static const float terms[5] = { 0x1p48f, 0x1p24f, 1, -0x1p48f, -0x1p24f };
    const struct {
        quire_method method;
        double tenths, lane, short_lane;
    } expected[] = { { QUIRE_EXACT, 0x1.86a00061a8p+16, 1, 1 },
                     { QUIRE_KAHAN, 0x1.86a00061a8p+16, 0, 1 },
                     { QUIRE_PAIRWISE, 100000.015625, -0x1p24, 0 },
                     { QUIRE_PLAIN, 100000.015625, -0x1p24, 0 } };
    float *tenths = array_new(N * sizeof *tenths, 0), lane[LANES] = { 0 }, short_lane[LANES] = { 0 };
    volatile float loop = 0;
    double result;
    for (int i = 0; i < N; i++) tenths[i] = 0.1f, loop = loop + tenths[i];
    ck_assert(loop > 100958.3f && loop < 100958.4f);
    for (int k = 0; k < 5; k++) lane[k * LANE] = terms[k];
    for (int k = 0; k < 3; k++) short_lane[k * LANE] = k == 1 ? 1 : k ? -0x1p24f : 0x1p24f;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const quire_method m = expected[i].method;
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, N, tenths, NULL, m, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, double_bits(expected[i].tenths), "tenths, %s", method_name(m));
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, LANES, lane, NULL, m, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, double_bits(expected[i].lane), "lane, %s", method_name(m));
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, LANES, short_lane, NULL, m, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, double_bits(expected[i].short_lane), "three terms, %s", method_name(m));
    }
    array_free(tenths);
}
END_TEST

/* Neumaier's example against Kahan's first algorithm, which gives 0. */
START_TEST(neumaier) {
    double x[4] = { 1, 1e100, 1, -1e100 }, result;
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, 4, x, NULL, QUIRE_EXACT, QUIRE_F64, &result));
    check_bits(QUIRE_F64, &result, double_bits(2), "1 + 1e100 + 1 - 1e100");
}
END_TEST

/* Norms that squares in the same format cannot reach. */
START_TEST(norms_out_of_range) {
    double huge[2] = { 0x3p1020, -0x4p1020 }, tiny[2] = { 0x3p-1074, 0x4p-1074 }, result;
    uint16_t half[2] = { (uint16_t)type_encode(QUIRE_F16, 30000), (uint16_t)type_encode(QUIRE_F16, 40000) },
             short_result;
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_F64, 2, tiny, NULL, QUIRE_EXACT, QUIRE_F64, &result));
    check_bits(QUIRE_F64, &result, 5, "3, 4, 5 in least doubles");
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_F16, 2, half, NULL, QUIRE_EXACT, QUIRE_F16, &short_result));
    check_bits(QUIRE_F16, &short_result, type_encode(QUIRE_F16, 50000), "3, 4, 5 in halves near the greatest");
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_F64, 2, huge, NULL, QUIRE_EXACT, QUIRE_F64, &result));
    check_bits(QUIRE_F64, &result, double_bits(0x5p1020), "3, 4, 5 near the greatest double");
}
END_TEST

/* Exponents apart, so that no window holds them, and sums that overflow a double anywhere below the greatest exponents:
 * a slow run of 2^e adds up to 2^(e + 12) in one bin, and 2^1023 is beside it. */
START_TEST(slow_sums_near_the_top) {
    enum { N = 4096 };
    static double x[N];
    for (int e = 960; e < 1024; e++) {
        double sum, mean;
        for (int i = 0; i < N; i++) x[i] = ldexp(i < N / 2 ? 1 : -1, e);
        x[0] = 0x1p1023;
        x[1] = 0x1p-1000;
        x[N / 2] = -0x1p-1000;
        x[N / 2 + 1] = 0;
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, N, x, NULL, QUIRE_EXACT, QUIRE_F64, &sum));
        check_bits(QUIRE_F64, &sum, double_bits(0x1p1023), "2^1023 and pairs of 2^%d that cancel", e);

        for (int i = 0; i < N; i++) x[i] = ldexp(1, e);
        x[1] = 0x1p-1000; /* of which nothing shows in the mean */
        check_ok(place_reduce(OPERATION_MEAN, QUIRE_F64, N, x, NULL, QUIRE_EXACT, QUIRE_F64, &mean));
        check_bits(QUIRE_F64, &mean, double_bits(ldexp(4095, e - 12)), "the mean of 4095 times 2^%d and a little", e);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("examples");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, tiny_beside_huge);
    tcase_add_test(all, thousand_and_a_thousandth);
    tcase_add_test(all, four_million_zeros);
    tcase_add_test(all, the_header);
    tcase_add_test(all, the_page_on_accuracy);
    tcase_add_test(all, neumaier);
    tcase_add_test(all, norms_out_of_range);
    tcase_add_test(all, slow_sums_near_the_top);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
