/* test_pairs.c - averages, covariances and correlations of two arrays against integers of GMP and quotients of MPFR.
 * Rows, columns, segments and groups of them are drawn by test_layouts, test_segments, test_gathered, test_keys and
 * test_random_calls. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "many.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

static const quire_operation PAIRS[3] = { QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION };

static void check_one(const oracle_moments *o, const quire_reduction *what, size_t n, const void *x, const void *y,
                      const char *about) {
    uint64_t result = 0;
    check_ok(place_reduction(what, n, x, y, &result));
    check_bits(what->result_type, &result, oracle_moment(o, what), "%s of %zu, correction %lld: %s",
               reduction_text(what), n, (long long)what->correction, about);
}

/* All three, to every type, in every direction. */
static void check_all(quire_type type, size_t n, const void *x, const void *y, int64_t correction, const char *about) {
    oracle_moments o;
    oracle_moments_open(&o, type, n, x, y);
    for (int i = 0; i < 3 * TYPE_COUNT * ROUNDING_COUNT; i++) {
        const quire_reduction what = {
            PAIRS[i % 3], type, TYPES[i / 3 % TYPE_COUNT], QUIRE_EXACT, ROUNDINGS[i / (3 * TYPE_COUNT)],
            correction,   { 0 }
        };
        check_one(&o, &what, n, x, y, about);
    }
    oracle_moments_close(&o);
}

static int64_t draw_correction(generator *g, size_t n) {
    static const int64_t some[] = { 0, 1, -1, -3, 2, INT64_MIN, INT64_MAX };
    switch (generator_below(g, 4)) {
    case 0: return (int64_t)n + generator_between(g, -3, 3);
    case 1: return some[generator_below(g, 7)];
    default: return (int64_t)generator_below(g, 2);
    }
}

/* --------------------------------------------------------------------------------------------------------- families */

START_TEST(families_at_random) {
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const family which = (family)(_i / TYPE_COUNT);
    static const size_t lengths[] = { 0, 1, 2, 3, 4, 7, 15, 16, 17, 31, 33, 64, 100, 255, 257, 1000, 4095, 4096, 4097 };
    generator g;
    generator_seed(&g, 59 + (uint64_t)_i);
    for (size_t turn = scaled(5); turn-- > 0;) {
        const size_t n = lengths[generator_below(&g, sizeof lengths / sizeof *lengths)], size = type_size(type);
        void *x = array_new(n * size, size * generator_below(&g, 3)), *y = array_new(n * size, 0);
        family_fill_pair(which, type, generator_next(&g), n, x, y);
        if (generator_below(&g, 3) == 0) family_fill(FAMILY_POSITIVE, type, generator_next(&g), n, y);
        if (place_use(generator_below(&g, place_variants())))
            check_all(type, n, x, y, draw_correction(&g, n), family_name(which));
        place_use(0);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* Numbers near a line: what is left of a covariance and of a correlation is small, or nothing. */
START_TEST(cancellation) {
    generator g;
    double x[300], y[300];
    generator_seed(&g, 4);
    for (size_t turn = scaled(8); turn-- > 0;) {
        const size_t n = 2 + generator_below(&g, 298);
        for (size_t i = 0; i < n; i++) x[i] = 1e15 + generator_between(&g, -2, 2), y[i] = generator_between(&g, -2, 2);
        check_all(QUIRE_F64, n, x, y, 1, "great mean");
        for (size_t i = 0; i < n; i++) y[i] = 3 * x[i] + ldexp(generator_uniform(&g), -(int)(turn % 40));
        check_all(QUIRE_F64, n, x, y, 0, "near a line");
        for (size_t i = 0; i < n; i++) x[i] = ldexp(generator_uniform(&g), 900), y[i] = ldexp(x[i], -1900);
        check_all(QUIRE_F64, n, x, y, 0, "a line, of huge and tiny numbers");
        for (size_t i = 0; i < n; i++) y[i] = 0.1;
        check_all(QUIRE_F64, n, x, y, 0, "all alike");
    }
}
END_TEST

/* Many elements, by pieces, blocks and threads. */
START_TEST(long_vectors) {
    const quire_type type = TYPES[_i / 3];
    const size_t n = scaled(150000) + 12345, size = type_size(type);
    void *x = array_new(n * size, 0), *y = array_new(n * size, 0);
    oracle_moments o;
    family_fill(_i % 3 ? FAMILY_EVERY_EXPONENT : FAMILY_NORMAL, type, 5, n, x);
    family_fill(_i % 3 == 2 ? FAMILY_ONE_INFINITY : FAMILY_POSITIVE, type, 6, n, y);
    oracle_moments_open(&o, type, n, x, y);
    for (size_t v = 0; v < place_variants(); v++)
        for (int k = 0; k < 3 && place_use(v); k++) {
            const quire_reduction what = { PAIRS[k], type, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
            check_one(&o, &what, n, x, y, "long");
        }
    place_use(0);
    oracle_moments_close(&o);
    array_free(x);
    array_free(y);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- by hand */

static double average(size_t n, const double *x, const double *weights, quire_rounding rounding) {
    const quire_reduction what = { QUIRE_AVERAGE, QUIRE_F64, 0, 0, rounding, 0, { 0 } };
    double result = 0;
    check_ok(place_reduction(&what, n, x, weights, &result));
    return result;
}

START_TEST(averages_by_hand) {
    const double inf = INFINITY, down = -0.0;
    const struct {
        double x[2], weights[2], nearest, downward;
    } rows[] = {
        { { 1e16, 2 }, { 1, 1 }, 5000000000000001, 5000000000000001 },
        { { 1, 2 }, { 1, 2 }, 5 / 3.0, 0x1.aaaaaaaaaaaaap+0 },
        { { 1, -1 }, { 1, 1 }, 0, down }, /* numbers cancel */
        { { 1, -1 }, { -1, -1 }, 0, down },
        { { 0, 0 }, { 1, 1 }, 0, 0 }, /* zeros as IEEE divides them */
        { { -0.0, -0.0 }, { 1, 1 }, down, down },
        { { 0, 0 }, { -1, -1 }, 0.0, 0.0 },      /* 0 * -1 is -0, over -2 */
        { { 0, -0.0 }, { -1, -1 }, down, down }, /* -0 and +0 are +0, over -2 */
        { { 3, 3 }, { 0, 0 }, NAN, NAN },        /* 0 over 0 */
        { { 3, 4 }, { 1, -1 }, -inf, -inf },     /* -1 over +0 */
        { { 4, 3 }, { 1, -1 }, inf, inf },
        { { inf, 3 }, { 1, 1 }, inf, inf },
        { { inf, 3 }, { 0, 1 }, NAN, NAN },
        { { 3, 3 }, { inf, 1 }, NAN, NAN },    /* infinite over infinite */
        { { 0, 3 }, { inf, 1 }, NAN, NAN },    /* 0 times infinite */
        { { inf, 1 }, { -1, 1 }, -inf, -inf }, /* over 0 */
        { { NAN, 1 }, { 1, 1 }, NAN, NAN },
        { { 1, 1 }, { 1, NAN }, NAN, NAN },
        { { 0x1p1000, 0x1p1000 }, { 0x1p1000, 0x1p1000 }, 0x1p1000, 0x1p1000 }, /* nothing overflows */
        { { 0x1p-1070, 0 }, { 0x1p-1070, 0 }, 0x1p-1070, 0x1p-1070 },
        { { 0x1p1023, 0x1p1023 }, { 1, -0.5 }, 0x1p1023, 0x1p1023 },
        { { 0x1p1023, -0x1p1023 }, { 1, -0.5 }, inf, 0x1.fffffffffffffp+1023 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double nearest = average(2, rows[i].x, rows[i].weights, QUIRE_TO_NEAREST);
        const double downward = average(2, rows[i].x, rows[i].weights, QUIRE_DOWNWARD);
        check_bits(QUIRE_F64, &nearest, isnan(rows[i].nearest) ? type_nan(QUIRE_F64) : double_bits(rows[i].nearest),
                   "row %zu", i);
        check_bits(QUIRE_F64, &downward, isnan(rows[i].downward) ? type_nan(QUIRE_F64) : double_bits(rows[i].downward),
                   "row %zu, downward", i);
    }
}
END_TEST

/* Weights that cancel to 2^-below, under a sum of 2^(a + 1024): up to 2^3122, of which no format has the exponent. */
START_TEST(great_quotients) {
    for (int a = -1074; a <= 1023; a += a < 1000 ? 61 : 1)
        for (int below = 1; below <= 1074; below += below < 1040 ? 53 : 1) {
            const double x[3] = { ldexp(1, a), -ldexp(1, a), 0 },
                         weights[3] = { 0x1p1023, -0x1p1023, ldexp(1, -below) };
            const double nearest = average(3, x, weights, QUIRE_TO_NEAREST), right = ldexp(1, a + 1024 + below);
            const double downward = average(3, x, weights, QUIRE_DOWNWARD);
            check_bits(QUIRE_F64, &nearest, double_bits(right), "2^%d over 2^-%d", a + 1024, below);
            check_bits(QUIRE_F64, &downward, double_bits(isinf(right) ? 0x1.fffffffffffffp+1023 : right),
                       "2^%d over 2^-%d, downward", a + 1024, below);
        }
}
END_TEST

/* Half way between two doubles, and beside it by what only the last of 1000 bits tells: x of 53 bits, and x + ulp, have
 * the average of weights 1 and 1 in the middle. */
START_TEST(ties) {
    generator g;
    generator_seed(&g, 78);
    for (size_t turn = scaled(100); turn-- > 0;) {
        const double a = 1 + generator_uniform(&g), b = nextafter(a, 4);
        const double off = ldexp(generator_below(&g, 2) ? 1 : -1, -generator_between(&g, 60, 1000));
        const double x[3] = { a, b, off }, equal[3] = { 1, 1, 0 }, weights[3] = { 3, 3, 0x1p-40 };
        check_all(QUIRE_F64, 3, x, equal, 0, "a tie");
        check_all(QUIRE_F64, 3, x, weights, 0, "near a tie");
    }
}
END_TEST

/* A covariance of an array with itself is its variance, and a line's correlation is 1 or -1, in every direction. */
START_TEST(lines) {
    generator g;
    double x[200], y[200], variance, covariance, correlation;
    generator_seed(&g, 12);
    for (size_t turn = scaled(40); turn-- > 0;) {
        const size_t n = 2 + generator_below(&g, 199);
        family_fill(turn % 2 ? FAMILY_NORMAL : FAMILY_FINITE_BITS, QUIRE_F64, turn, n, x);
        for (size_t i = 0; i < n; i++) y[i] = -x[i];
        for (int r = 0; r < ROUNDING_COUNT; r++) {
            quire_reduction what = { QUIRE_VARIANCE, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, ROUNDINGS[r], 1, { 0 } };
            check_ok(place_reduction(&what, n, x, NULL, &variance));
            what.operation = QUIRE_COVARIANCE;
            check_ok(place_reduction(&what, n, x, x, &covariance));
            check_bits(QUIRE_F64, &covariance, double_bits(variance), "of an array with itself, rounding %d", r);
            what.operation = QUIRE_CORRELATION;
            check_ok(place_reduction(&what, n, x, x, &correlation));
            check_bits(QUIRE_F64, &correlation, double_bits(1), "of a line");
            check_ok(place_reduction(&what, n, x, y, &correlation));
            check_bits(QUIRE_F64, &correlation, double_bits(-1), "of a falling line");
        }
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- matrices */

/* All pairs of rows of a matrix, or of its columns, by strides of 0. */
static void check_matrix(const quire_reduction *what, size_t rows, size_t n, int is_columns, family which,
                         uint64_t seed) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    const ptrdiff_t apart = is_columns ? 1 : (ptrdiff_t)n, stride = is_columns ? (ptrdiff_t)rows : 1;
    const quire_layout first = { rows, n, rows, apart, stride, 0 }, second = { rows, n, rows, 0, stride, apart };
    char *x = array_new(rows * n * size, 0), *results = array_new(rows * rows * result_size, 0);
    char *u = array_new(n * size, 0), *v = array_new(n * size, 0);
    family_fill(which, what->type, seed, rows * n, x);
    check_ok(place_layouts(what, &first, x, &second, x, results));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            oracle_moments o;
            for (size_t k = 0; k < n; k++) {
                copy_element(what->type, u, k, x, (ptrdiff_t)i * apart + (ptrdiff_t)k * stride);
                copy_element(what->type, v, k, x, (ptrdiff_t)j * apart + (ptrdiff_t)k * stride);
            }
            oracle_moments_open(&o, what->type, n, u, v);
            check_bits(what->result_type, results + (i * rows + j) * result_size, oracle_moment(&o, what),
                       "%s, %zu rows of %zu of %s, (%zu, %zu)", reduction_text(what), rows, n, family_name(which), i,
                       j);
            oracle_moments_close(&o);
        }
    array_free(x), array_free(results), array_free(u), array_free(v);
}

START_TEST(matrices) {
    static const size_t sizes[][2] = { { 1, 1 }, { 2, 3 }, { 5, 100 }, { 17, 33 }, { 33, 40 }, { 9, 5000 } };
    static const family families[] = { FAMILY_NORMAL,   FAMILY_POSITIVE, FAMILY_EVERY_EXPONENT,
                                       FAMILY_ANY_BITS, FAMILY_ONE_NAN,  FAMILY_HUGE };
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 300 + (uint64_t)_i);
    for (size_t turn = scaled(36); turn-- > 0;) {
        const size_t *size = sizes[generator_below(&g, 6)];
        const quire_reduction what = { PAIRS[turn % 3],
                                       type,
                                       generator_below(&g, 2) ? type : QUIRE_F64,
                                       QUIRE_EXACT,
                                       ROUNDINGS[turn % 5 ? 0 : generator_below(&g, 4)],
                                       (int64_t)generator_below(&g, 2),
                                       { 0 } };
        if (place_use(generator_below(&g, place_variants())))
            check_matrix(&what, size[0], size[1], generator_below(&g, 2) == 0, families[turn / 3 % 6], turn);
        place_use(0);
    }
}
END_TEST

/* More vectors than have their own sums kept at a time, of which some are no numbers: each result is that of the single
 * call. The first matrix is all pairs of its rows, the second of the rows of two. */
START_TEST(large_matrices) {
    enum { ROWS = 300, OTHERS = 523, MOST = 700 };
    const quire_type type = TYPES[_i];
    const size_t n = _i % 2 ? 17 : MOST, size = type_size(type);
    char *x = array_new(ROWS * n * size, 0), *y = array_new(OTHERS * n * size, 0), *results;
    family_fill(FAMILY_NORMAL, type, 3, ROWS * n, x);
    family_fill(FAMILY_POSITIVE, type, 4, OTHERS * n, y);
    type_store(type, x, 270 * n + 5, type_nan(type));
    for (int k = 0; k < 4; k++) {
        const quire_reduction what = {
            PAIRS[1 + k / 2], type, k % 2 ? QUIRE_F64 : QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 }
        };
        const size_t others = k % 2 ? OTHERS : ROWS, result_size = type_size(what.result_type);
        const char *second = k % 2 ? y : x;
        const quire_layout first = { ROWS, n, others, (ptrdiff_t)n, 1, 0 };
        const quire_layout of_second = { ROWS, n, others, 0, 1, (ptrdiff_t)n };
        if (!place_use(k % place_variants())) continue;
        results = array_new(ROWS * others * result_size, 0);
        memset(results, 0xa5, ROWS * others * result_size);
        check_ok(place_layouts(&what, &first, x, &of_second, second, results));
        place_use(0);
        for (size_t r = (size_t)k; r < ROWS * others; r += 97) {
            const size_t i = r / others, j = r % others;
            check_bits(what.result_type, results + r * result_size,
                       single_call(&what, n, x + i * n * size, second + j * n * size), "%s of %zu, rows %zu and %zu",
                       reduction_text(&what), n, i, j);
        }
        array_free(results);
    }
    place_use(0);
    array_free(x), array_free(y);
}
END_TEST

/* More results than can be put aside at a time, be it for their lengths or for what they are. */
static void check_rows(const quire_reduction *what, size_t rows, size_t n, const void *x, const void *y) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    const quire_layout all = quire_rows(rows, n, (ptrdiff_t)n);
    char *results = array_new(rows * result_size, 0);
    memset(results, 0xa5, rows * result_size);
    check_ok(place_layouts(what, &all, x, &all, y, results));
    place_use(0);
    for (size_t r = 0; r < rows; r += r + 50 < rows ? 49 : 1)
        check_bits(what->result_type, results + r * result_size,
                   single_call(what, n, (const char *)x + r * n * size, (const char *)y + r * n * size),
                   "%s, row %zu of %zu of %zu", reduction_text(what), r, rows, n);
    array_free(results);
}

START_TEST(many_put_aside) {
    static const size_t sizes[][2] = { { 5000, 3 }, { 2300, 2100 } }; /* rows */
    for (size_t turn = 0; turn < 12; turn++) {
        const size_t rows = sizes[turn % 2][0], n = sizes[turn % 2][1];
        const quire_type type = turn % 2 ? QUIRE_E5M2 : QUIRE_F64;
        const quire_reduction what = { PAIRS[turn / 2 % 3], type, QUIRE_F32, QUIRE_EXACT, QUIRE_DOWNWARD, 0, { 0 } };
        char *x = array_new(rows * n * type_size(type), 0), *y = array_new(rows * n * type_size(type), 0);
        family_fill(turn < 6 ? FAMILY_NORMAL : FAMILY_ANY_BITS, type, turn, rows * n, x);
        family_fill(FAMILY_POSITIVE, type, turn + 1, rows * n, y);
        if (turn % 4 == 0)
            for (size_t i = 0; i < rows * n; i++)
                type_store(type, x, i, 0); /* zeros, of which no ball tells the sign */
        if (place_use(turn % place_variants())) check_rows(&what, rows, n, x, y);
        place_use(0);
        array_free(x), array_free(y);
    }
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, families_at_random, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_test(cases, cancellation);
    tcase_add_loop_test(cases, long_vectors, 0, 3 * TYPE_COUNT);
    tcase_add_test(cases, averages_by_hand);
    tcase_add_test(cases, great_quotients);
    tcase_add_test(cases, ties);
    tcase_add_test(cases, lines);
    tcase_add_loop_test(cases, matrices, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, large_matrices, 0, TYPE_COUNT);
    tcase_add_test(cases, many_put_aside);
}

int main(void) { return run_cases("pairs", add); }
