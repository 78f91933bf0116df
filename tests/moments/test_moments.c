/* test_moments.c - variance, standard deviation, covariance and correlation against integers of GMP. Rows, columns and
 * segments of them are drawn by test_layouts and test_segments. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

static const quire_operation MOMENTS[2] = { QUIRE_VARIANCE, QUIRE_STDDEV };

static uint64_t expected_of(const oracle_moments *o, const quire_reduction *what) {
    return (what->operation == QUIRE_VARIANCE ? oracle_variance : oracle_stddev)(o, what->correction, what->result_type,
                                                                                 what->rounding);
}

static void check_one(const oracle_moments *o, const quire_reduction *what, size_t n, const void *x,
                      const char *about) {
    uint64_t result = 0;
    check_ok(place_reduction(what, n, x, NULL, &result));
    check_bits(what->result_type, &result, expected_of(o, what), "%s of %zu %s, correction %lld, rounding %d: %s",
               what->operation == QUIRE_VARIANCE ? "variance" : "stddev", n, type_name(what->type),
               (long long)what->correction, (int)what->rounding, about);
}

/* To every type, in every direction, the variance and its root. */
static void check_all(quire_type type, size_t n, const void *x, int64_t correction, const char *about) {
    oracle_moments o;
    oracle_moments_open(&o, type, n, x, x);
    for (int i = 0; i < 2 * TYPE_COUNT * 4; i++) {
        const quire_reduction what = {
            MOMENTS[i % 2], type, TYPES[i / 2 % TYPE_COUNT], QUIRE_EXACT, (quire_rounding)(i / (2 * TYPE_COUNT)),
            correction,     { 0 }
        };
        check_one(&o, &what, n, x, about);
    }
    oracle_moments_close(&o);
}

static int64_t draw_correction(generator *g, size_t n) {
    static const int64_t some[] = { 0, 1, -1, -3, 2, INT64_MIN, INT64_MAX };
    const int64_t count = (int64_t)n;
    switch (generator_below(g, 4)) {
    case 0: return count + generator_between(g, -3, 3);
    case 1: return some[generator_below(g, 7)];
    default: return (int64_t)generator_below(g, 2);
    }
}

/* --------------------------------------------------------------------------------------------------------- families */

START_TEST(families_at_random) {
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const family which = (family)(_i / TYPE_COUNT);
    static const size_t lengths[] = { 0,  1,  2,  3,   4,   7,   15,   16,   17,   31,
                                      32, 33, 64, 100, 255, 257, 1000, 4095, 4096, 4097 };
    generator g;
    generator_seed(&g, 31 + (uint64_t)_i);
    for (size_t turn = scaled(20); turn-- > 0;) {
        const size_t n = lengths[generator_below(&g, sizeof lengths / sizeof *lengths)];
        void *x = array_new(n * type_size(type), type_size(type) * generator_below(&g, 3));
        family_fill(which, type, generator_next(&g), n, x);
        if (place_use(generator_below(&g, place_variants())))
            check_all(type, n, x, draw_correction(&g, n), family_name(which));
        place_use(0);
        array_free(x);
    }
}
END_TEST

/* Many elements, by pieces, blocks and threads. */
START_TEST(long_vectors) {
    const quire_type type = TYPES[_i];
    const size_t n = scaled(600000) + 12345;
    void *x = array_new(n * type_size(type), 0);
    oracle_moments o;
    family_fill(_i % 2 ? FAMILY_EVERY_EXPONENT : FAMILY_NORMAL, type, 5, n, x);
    oracle_moments_open(&o, type, n, x, x);
    for (size_t v = 0; v < place_variants(); v++)
        for (int k = 0; k < 2 && place_use(v); k++) {
            const quire_reduction what = { MOMENTS[k], type, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
            check_one(&o, &what, n, x, "long");
        }
    place_use(0);
    oracle_moments_close(&o);
    array_free(x);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- boundaries */

/* Half way between two doubles: x and 0 have the variance x^2 / 4, of 54 bits for an odd x of 27. Half way between two
 * floats: the root, x / 2, of an odd x of 25 bits. A third number that is tiny moves both off the middle. */
START_TEST(ties) {
    generator g;
    generator_seed(&g, 77);
    for (size_t turn = scaled(400); turn-- > 0;) {
        const double wide =
            1 + 2 * (double)(94906267 / 2 + generator_below(&g, 19000000)); /* its square is above 2^53 */
        const double narrow = 1 + 2 * (double)((1 << 23) + generator_below(&g, 1 << 23));
        const double tiny = ldexp(generator_below(&g, 2) ? 1 : -1, -generator_between(&g, 60, 1000));
        const double pairs[4][2] = { { wide, 0 }, { narrow, 0 }, { wide, tiny }, { narrow, tiny } };
        for (int i = 0; i < 4; i++) check_all(QUIRE_F64, 2, pairs[i], 0, "a tie, or near one");
    }
}
END_TEST

/* The numbers' mean is 10^15 of their deviations. */
START_TEST(cancellation) {
    generator g;
    double x[100];
    generator_seed(&g, 3);
    for (size_t turn = scaled(50); turn-- > 0;) {
        const size_t n = 2 + generator_below(&g, 98);
        for (size_t i = 0; i < n; i++) x[i] = 1e15 + generator_between(&g, -2, 2);
        check_all(QUIRE_F64, n, x, 1, "great mean");
        for (size_t i = 0; i < n; i++) x[i] = ldexp(1 + generator_uniform(&g) / 1e9, 1000);
        check_all(QUIRE_F64, n, x, 0, "great mean, huge");
    }
}
END_TEST

/* Numbers near each other, and a first one, or some other, that is not like them. */
START_TEST(one_apart) {
    static const float ones[] = { 0, 1e-30f, 3, 16777216, 0x1p60f, -3e38f, INFINITY, NAN };
    static float x[70000];
    static const size_t lengths[] = { 63, 64, 1000, 4096, 70000 };
    generator g;
    generator_seed(&g, 8);
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++)
        for (int means = 0; means < 3; means++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                const size_t n = lengths[l];
                const double mean = means == 0 ? 0 : means == 1 ? 1e4 : 1e7;
                for (size_t i = 0; i < n; i++) x[i] = (float)(mean + generator_uniform(&g));
                x[_i ? n / 2 : 0] = ones[k];
                check_all(QUIRE_F32, n, x, (int64_t)l % 2, "one is apart");
            }
}
END_TEST

START_TEST(overflow_and_underflow) {
    const double huge[3] = { 0x1.8p1023, -0x1.8p1023, 0 }, least[4] = { 0x1p-1074, 0, 0, 0 };
    const double at_limit[2] = { 0x1p512, -0x1p512 },
                 below_limit[2] = { 0x1.fffffffffffffp511, -0x1.fffffffffffffp511 };
    check_all(QUIRE_F64, 3, huge, 0, "huge");
    check_all(QUIRE_F64, 4, least, 1, "least");
    check_all(QUIRE_F64, 2, at_limit, 0, "beyond the greatest number");
    check_all(QUIRE_F64, 2, below_limit, 0, "below the greatest number");
    for (int e = -560; e < -500; e++) {
        double x[99];
        for (size_t k = 0; k < 99; k++) x[k] = ldexp(k % 3 ? k % 3 * 4 - 1 : 1, e); /* 1, 3, 7 */
        check_all(QUIRE_F64, 3, x, 0, "subnormal");
        check_all(QUIRE_F64, 99, x, 0, "subnormal, again and again");
    }
}
END_TEST

/* +0 in every direction. */
START_TEST(equal_elements) {
    const double values[] = { 0.1, -0.0, 0, 1e300, 0x1p-1074, -3 };
    double x[40];
    static float alike[100000];
    for (size_t i = 0; i < 100000; i++) alike[i] = 0.1f;
    check_all(QUIRE_F32, 64, alike, 1, "alike");
    check_all(QUIRE_F32, 100000, alike, 0, "alike");
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t n = 1; n <= 40; n += 3)
            for (int i = 0; i < 8; i++) {
                const quire_reduction what = { MOMENTS[i % 2],          QUIRE_F64, QUIRE_F32, QUIRE_EXACT,
                                               (quire_rounding)(i / 2), 0,         { 0 } };
                uint64_t result = ~(uint64_t)0;
                for (size_t k = 0; k < n; k++) x[k] = values[v];
                check_ok(place_reduction(&what, n, x, NULL, &result));
                check_bits(QUIRE_F32, &result, 0, "%zu of %a", n, values[v]);
            }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- accumulators */

/* Sums of x and of its squares in parts of any length, merged. */
START_TEST(accumulators) {
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 9 + (uint64_t)_i);
    for (size_t turn = scaled(60); turn-- > 0;) {
        const size_t n = generator_below(&g, 300), cut = generator_below(&g, n + 1), size = type_size(type);
        char *x = array_new(n * size, 0);
        quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO, squares = sum, part = sum, part_squares = sum;
        oracle_moments o;
        family_fill((family)generator_below(&g, FAMILY_COUNT), type, generator_next(&g), n, x);
        check_ok(quire_accumulate(NULL, &sum, type, cut, x));
        check_ok(quire_accumulate(NULL, &part, type, n - cut, x + cut * size));
        check_ok(quire_accumulate_products(NULL, &squares, type, cut, x, x));
        check_ok(quire_accumulate_products(NULL, &part_squares, type, n - cut, x + cut * size, x + cut * size));
        check_ok(quire_merge(&sum, &part));
        check_ok(quire_merge(&squares, &part_squares));
        oracle_moments_open(&o, type, n, x, x);
        for (int i = 0; i < 8; i++) {
            const quire_reduction what = { MOMENTS[i % 2],
                                           0,
                                           TYPES[generator_below(&g, TYPE_COUNT)],
                                           QUIRE_EXACT,
                                           (quire_rounding)(i / 2),
                                           draw_correction(&g, n),
                                           { 0 } };
            uint64_t result = 0;
            check_ok(quire_finish(&what, &sum, &squares, &result));
            check_bits(what.result_type, &result, expected_of(&o, &what), "%zu of %s, finished", n, type_name(type));
        }
        oracle_moments_close(&o);
        array_free(x);
    }
}
END_TEST

/* A count of 2^64 - 1, and n - correction beyond 64 bits. */
START_TEST(greatest_counts) {
    const double x[3] = { 1, -2, 5 };
    const int64_t corrections[] = { INT64_MIN, -2, -1, 0, INT64_MAX };
    oracle_moments o;
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO, squares = sum;
    check_ok(quire_accumulate(NULL, &sum, QUIRE_F64, 3, x));
    check_ok(quire_accumulate_products(NULL, &squares, QUIRE_F64, 3, x, x));
    sum.count = squares.count = -1;
    oracle_moments_open(&o, QUIRE_F64, 3, x, x);
    o.x.count = o.xx.count = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        const quire_reduction what = { MOMENTS[i % 2], 0, QUIRE_F64, 0, QUIRE_TO_NEAREST, corrections[i / 2], { 0 } };
        double result = 0;
        check_ok(quire_finish(&what, &sum, &squares, &result));
        check_bits(QUIRE_F64, &result, expected_of(&o, &what), "correction %lld", (long long)what.correction);
    }
    oracle_moments_close(&o);
}
END_TEST

/* Of two vectors. */
typedef struct pair_sums {
    quire_accumulator x, y, xx, yy, xy;
} pair_sums;

static pair_sums pair_sums_of(quire_type type, size_t n, const void *x, const void *y) {
    pair_sums s;
    memset(&s, 0, sizeof s);
    check_ok(quire_accumulate(NULL, &s.x, type, n, x));
    check_ok(quire_accumulate(NULL, &s.y, type, n, y));
    check_ok(quire_accumulate_products(NULL, &s.xx, type, n, x, x));
    check_ok(quire_accumulate_products(NULL, &s.yy, type, n, y, y));
    check_ok(quire_accumulate_products(NULL, &s.xy, type, n, x, y));
    return s;
}

START_TEST(pairs) {
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 1009 + (uint64_t)_i);
    for (size_t turn = scaled(100); turn-- > 0;) {
        const size_t n = generator_below(&g, 60), size = type_size(type);
        const quire_type to = TYPES[generator_below(&g, TYPE_COUNT)];
        const int64_t correction = draw_correction(&g, n);
        void *x = array_new(n * size, 0), *y = array_new(n * size, 0);
        uint64_t result = 0;
        oracle_moments o;
        family_fill_pair((family)generator_below(&g, FAMILY_COUNT), type, generator_next(&g), n, x, y);
        const pair_sums s = pair_sums_of(type, n, x, y);
        oracle_moments_open(&o, type, n, x, y);
        check_ok(quire_covariance(&s.x, &s.y, &s.xy, correction, to, &result));
        check_bits(to, &result, oracle_covariance(&o, correction, to, QUIRE_TO_NEAREST), "covariance of %zu", n);
        result = 0;
        check_ok(quire_correlation(&s.x, &s.y, &s.xx, &s.yy, &s.xy, to, &result));
        check_bits(to, &result, oracle_correlation(&o, to, QUIRE_TO_NEAREST), "correlation of %zu", n);
        oracle_moments_close(&o);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* Of numbers and their negated doubles: -1, exactly; of a constant: NaN. */
START_TEST(correlation_of_a_line) {
    double x[50], y[50], result = 0;
    for (int i = 0; i < 50; i++) x[i] = 1 / (3.0 + i * i), y[i] = -2 * x[i];
    const pair_sums s = pair_sums_of(QUIRE_F64, 50, x, y);
    check_ok(quire_correlation(&s.x, &s.y, &s.xx, &s.yy, &s.xy, QUIRE_F64, &result));
    ck_assert(result == -1);
    check_ok(quire_correlation(&s.x, &s.x, &s.xx, &s.xx, &s.xx, QUIRE_F64, &result));
    ck_assert(result == 1);
    for (int i = 0; i < 50; i++) y[i] = 0.1;
    const pair_sums constant = pair_sums_of(QUIRE_F64, 50, x, y);
    check_ok(quire_correlation(&constant.x, &constant.y, &constant.xx, &constant.yy, &constant.xy, QUIRE_F64, &result));
    ck_assert(isnan(result));
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- statuses */

START_TEST(bad_accumulators) {
    const double x[4] = { 1, 2, 4, 9 };
    double result = -7;
    pair_sums s = pair_sums_of(QUIRE_F64, 4, x, x);
    pair_sums other = pair_sums_of(QUIRE_F64, 3, x, x), mixed = pair_sums_of(QUIRE_F64, 4, x, x);
    quire_reduction what = { QUIRE_VARIANCE, 0, QUIRE_F64, 0, QUIRE_TO_NEAREST, 0, { 0 } };
    ck_assert_int_eq(quire_finish(&what, &s.x, NULL, &result), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish(&what, &s.x, (quire_accumulator *)((char *)&s.xx + 1), NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish(&what, &s.x, (quire_accumulator *)((char *)&s.xx + 1), &result), QUIRE_MISALIGNED);
    ck_assert_int_eq(quire_finish(&what, &s.x, &other.xx, &result), QUIRE_INVALID_MOMENTS);
    for (int i = 0; i < 4; i++) check_ok(quire_merge(&mixed.x, &mixed.x)); /* a sum too great for such squares */
    mixed.x.count = 4;
    ck_assert_int_eq(quire_finish(&what, &mixed.x, &mixed.xx, &result), QUIRE_INVALID_MOMENTS);
    what.method = QUIRE_KAHAN;
    ck_assert_int_eq(quire_finish(&what, &s.x, &s.xx, &result), QUIRE_INVALID_METHOD);

    ck_assert_int_eq(quire_covariance(NULL, &s.x, &s.xx, 0, QUIRE_F64, &result), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_covariance(&s.x, &s.x, &s.xx, 0, (quire_type)0, &result), QUIRE_INVALID_RESULT_TYPE);
    ck_assert_int_eq(quire_covariance(&s.x, &s.x, &s.xx, 0, QUIRE_F64, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_covariance(&s.x, &other.x, &s.xx, 0, QUIRE_F64, &result), QUIRE_INVALID_MOMENTS);
    ck_assert_int_eq(quire_correlation(&s.x, &s.x, &s.xx, NULL, &s.xx, QUIRE_F64, &result), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_correlation(&mixed.x, &s.x, &s.xx, &s.xx, &s.xx, QUIRE_F64, &result), QUIRE_INVALID_MOMENTS);
    check_ok(quire_merge(&s.xy, &s.xy)); /* |correlation| above 1 */
    s.xy.count = 4;
    ck_assert_int_eq(quire_correlation(&s.x, &s.x, &s.xx, &s.xx, &s.xy, QUIRE_F64, &result), QUIRE_INVALID_MOMENTS);
    ck_assert(result == -7);
}
END_TEST

START_TEST(bad_arguments) {
    const float x[3] = { 1, 2, 4 };
    float result = -7;
    quire_reduction what = { QUIRE_VARIANCE, QUIRE_F32, 0, 0, QUIRE_TO_NEAREST, 0, { 0 } };
    for (int i = 0; i < METHOD_COUNT; i++) {
        what.method = METHODS[i];
        const quire_status expected = METHODS[i] == QUIRE_EXACT ? QUIRE_OK : QUIRE_INVALID_METHOD;
        result = -7;
        ck_assert_int_eq(place_reduction(&what, 3, x, NULL, &result), expected);
        ck_assert((result == -7) == (expected != QUIRE_OK));
    }
    result = -7;
    ck_assert_int_eq(quire_variance(NULL, QUIRE_F32, 3, NULL, 0, QUIRE_F32, &result), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_variance(NULL, QUIRE_F32, 3, x, 0, QUIRE_F32, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_stddev(NULL, (quire_type)99, 3, x, 0, QUIRE_F32, &result), QUIRE_INVALID_TYPE);
    ck_assert_int_eq(quire_stddev(NULL, QUIRE_F32, 3, x, 0, (quire_type)0, &result), QUIRE_INVALID_RESULT_TYPE);
    ck_assert_int_eq(quire_stddev(NULL, QUIRE_F32, SIZE_MAX, x, 0, QUIRE_F32, &result), QUIRE_SIZE_OVERFLOW);
    ck_assert(result == -7);
    check_ok(quire_variance(NULL, QUIRE_F32, 3, x, 0, QUIRE_F32, &result));
    ck_assert(result == (float)(14 / 9.0));
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, families_at_random, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, long_vectors, 0, TYPE_COUNT);
    tcase_add_test(cases, ties);
    tcase_add_test(cases, cancellation);
    tcase_add_loop_test(cases, one_apart, 0, 2);
    tcase_add_test(cases, overflow_and_underflow);
    tcase_add_test(cases, equal_elements);
    tcase_add_loop_test(cases, accumulators, 0, TYPE_COUNT);
    tcase_add_test(cases, greatest_counts);
    tcase_add_loop_test(cases, pairs, 0, TYPE_COUNT);
    tcase_add_test(cases, correlation_of_a_line);
    tcase_add_test(cases, bad_accumulators);
    tcase_add_test(cases, bad_arguments);
}

int main(void) { return run_cases("moments", add); }
