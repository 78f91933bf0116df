/* test_ends.c - exact sums that two ends (src/cpu/block/ends.h), or a sum and two ends beside it (pairs.h), leave open
 * or would get wrong, had an addition been rounded another way: a tie and something far below it, numbers that cancel,
 * zeros of both signs, infinities and NaN; among zeros, at random places of vectors of any length, alone, as rows, as
 * columns of a matrix, with others between them, and as segments, by every variant. The judge is arithmetic by hand.
 * And the caller's rounding is the same afterwards. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Terms, and their sum rounded to a float: to nearest, downward, upward, toward zero. */
typedef struct {
    double terms[4], result[4];
} sum_by_hand;

static const sum_by_hand SUMS[] = {
    { { 1, 0x1p-24, 0x1p-90 }, { 0x1.000002p0, 1, 0x1.000002p0, 1 } },
    { { 1, 0x1p-24, -0x1p-90 }, { 1, 1, 0x1.000002p0, 1 } },
    { { -1, -0x1p-24, 0x1p-90 }, { -1, -0x1.000002p0, -1, -1 } },
    { { -1, -0x1p-24, -0x1p-90 }, { -0x1.000002p0, -0x1.000002p0, -1, -1 } },
    { { 0x1.8p0, 0x1p-60 }, { 0x1.8p0, 0x1.8p0, 0x1.800002p0, 0x1.8p0 } },
    { { 0x1.8p0, -0x1p-60 }, { 0x1.8p0, 0x1.7ffffep0, 0x1.8p0, 0x1.7ffffep0 } },
    { { 0x1p80, 1, -0x1p80 }, { 1, 1, 1, 1 } },
    { { 0x1p80, 0x1p-60, -0x1p80, -1 }, { -1, -1, -0x1.fffffep-1, -0x1.fffffep-1 } },
    { { 0x1p60, -0x1p60, 3, -3 }, { 0, -0.0, 0, 0 } },
    { { INFINITY, 1, -0x1p80 }, { INFINITY, INFINITY, INFINITY, INFINITY } },
    { { -INFINITY, 1 }, { -INFINITY, -INFINITY, -INFINITY, -INFINITY } },
    { { INFINITY, -INFINITY }, { NAN, NAN, NAN, NAN } },
    { { 0x1.fep127, 0x1.fep127, -0x1.fep127 }, { 0x1.fep127, 0x1.fep127, 0x1.fep127, 0x1.fep127 } },
    { { 0x1.fep127, 0x1.fep127 }, { INFINITY, 0x1.fffffep127, INFINITY, 0x1.fffffep127 } },
};

/* The same of doubles, rounded to a double. */
#define ULP 0x1p-52
#define MOST 0x1.fffffffffffffp1023
static const sum_by_hand SUMS_OF_DOUBLES[] = {
    { { 1, 0x1p-53 }, { 1, 1, 1 + ULP, 1 } },
    { { 1 + ULP, 0x1p-53 }, { 1 + 2 * ULP, 1 + ULP, 1 + 2 * ULP, 1 + ULP } },
    { { 1, 0x1p-53, 0x1p-200 }, { 1 + ULP, 1, 1 + ULP, 1 } },
    { { 1, 0x1p-53, -0x1p-200 }, { 1, 1, 1 + ULP, 1 } },
    { { -1, -0x1p-53, 0x1p-110 }, { -1, -1 - ULP, -1, -1 } },
    { { 1, 0x1p-53, 0x1p-106, -0x1p-1074 }, { 1 + ULP, 1, 1 + ULP, 1 } },
    { { 1, 0x1p-53, 0x1p-106, -0x1p-106 }, { 1, 1, 1 + ULP, 1 } },
    { { 0x1.8p0, -0x1p-1074 }, { 0x1.8p0, 0x1.8p0 - ULP, 0x1.8p0, 0x1.8p0 - ULP } },
    { { 0x1p1000, 1, -0x1p1000 }, { 1, 1, 1, 1 } },
    { { 0x1p1000, 0x1p-1000, -0x1p1000, -1 }, { -1, -1, -1 + ULP / 2, -1 + ULP / 2 } },
    { { MOST, MOST, -MOST }, { MOST, MOST, MOST, MOST } },
    { { -0x3p970, -(MOST - 0x1p971), MOST }, { -0x1p970, -0x1p970, -0x1p970, -0x1p970 } },
    { { -(MOST - 0x1p971), MOST, -0x3p970 }, { -0x1p970, -0x1p970, -0x1p970, -0x1p970 } },
    { { MOST, -MOST, 1, 0x1p-60 }, { 1, 1, 1 + ULP, 1 } },
    { { MOST, -0x3p970, -(MOST - 0x1p971) }, { -0x1p970, -0x1p970, -0x1p970, -0x1p970 } },
    { { MOST, 0x1p970 }, { INFINITY, MOST, INFINITY, MOST } },
    { { MOST, 0x1p969 }, { MOST, MOST, INFINITY, MOST } },
    { { MOST, 0x1p970, 0x1p-1074 }, { INFINITY, MOST, INFINITY, MOST } },
    { { MOST, 0x1p970, -0x1p-1074 }, { MOST, MOST, INFINITY, MOST } },
    { { MOST, 0x1p970, -0x1p900 }, { MOST, MOST, INFINITY, MOST } },
    { { -MOST, -MOST, -MOST, MOST }, { -INFINITY, -INFINITY, -MOST, -MOST } },
    { { MOST, MOST, -MOST, -MOST }, { 0, -0.0, 0, 0 } },
    { { 0x1p-1074, -0x1p-1022 },
      { -0x0.fffffffffffffp-1022, -0x0.fffffffffffffp-1022, -0x0.fffffffffffffp-1022, -0x0.fffffffffffffp-1022 } },
    { { 0x1p900, -0x1p900, 3, -3 }, { 0, -0.0, 0, 0 } },
    { { INFINITY, 1, -0x1p80 }, { INFINITY, INFINITY, INFINITY, INFINITY } },
    { { -INFINITY, MOST, MOST }, { -INFINITY, -INFINITY, -INFINITY, -INFINITY } },
    { { INFINITY, -INFINITY }, { NAN, NAN, NAN, NAN } },
};

/* Of floats, rounded to a double: in one block (src/cpu/strided.c), which two ends do not hold, or in several. */
static const sum_by_hand SUMS_FOR_DOUBLES[] = {
    { { 1, 0x1p-53 }, { 1, 1, 1 + ULP, 1 } },
    { { 1, 0x1p-53, 0x1p-90 }, { 1 + ULP, 1, 1 + ULP, 1 } },
    { { 1, 0x1p-53, -0x1p-90 }, { 1, 1, 1 + ULP, 1 } },
    { { -1, -0x1p-53, 0x1p-110 }, { -1, -1 - ULP, -1, -1 } },
    { { 0x1p80, 1, -0x1p80, 0x1p-60 }, { 1, 1, 1 + ULP, 1 } },
    { { 0x1p80, 0x1p-60, -0x1p80, -1 }, { -1, -1, -1 + ULP / 2, -1 + ULP / 2 } },
    { { 0x1p60, -0x1p60, 3, -3 }, { 0, -0.0, 0, 0 } },
    { { INFINITY, 1, 0x1p-80 }, { INFINITY, INFINITY, INFINITY, INFINITY } },
    { { 0x1p80, -1, -INFINITY }, { -INFINITY, -INFINITY, -INFINITY, -INFINITY } },
    { { INFINITY, 1, 0x1p-80, -INFINITY }, { NAN, NAN, NAN, NAN } },
    { { 0x1.fep127, 0x1.fep127 }, { 0x1.fep128, 0x1.fep128, 0x1.fep128, 0x1.fep128 } },
};

static const struct {
    quire_type type, result;
    const sum_by_hand *sums;
    size_t count;
} TABLES[] = { { QUIRE_F32, QUIRE_F32, SUMS, COUNT_OF(SUMS) },
               { QUIRE_BF16, QUIRE_F32, SUMS, COUNT_OF(SUMS) },
               { QUIRE_F32, QUIRE_F64, SUMS_FOR_DOUBLES, COUNT_OF(SUMS_FOR_DOUBLES) },
               { QUIRE_BF16, QUIRE_F64, SUMS_FOR_DOUBLES, COUNT_OF(SUMS_FOR_DOUBLES) },
               { QUIRE_F64, QUIRE_F32, SUMS, COUNT_OF(SUMS) },
               { QUIRE_F64, QUIRE_F64, SUMS_OF_DOUBLES, COUNT_OF(SUMS_OF_DOUBLES) } };

static const size_t LENGTHS[] = { 4, 7, 33, 40, 64, 100, 255, 1000, 4097, 40000, 70001, 200000 };
#define LONGEST_COLUMN ((size_t)5000)
#define COLUMNS ((size_t)37) /* of a matrix: whole panels, and what is left */

static void check_number(const quire_reduction *what, size_t n, const void *result, double expected, size_t number,
                         const char *as) {
    check_bits(what->result_type, result, type_encode(what->result_type, expected),
               "sum %zu of %zu, rounding %d, %s, %s", number, n, (int)what->rounding, as, place_name());
}

static void check_float(const quire_reduction *what, size_t n, const void *result, float expected, size_t number) {
    check_number(what, n, result, (double)expected, number, "a vector");
}

static void check_all(const quire_reduction *what, size_t count, size_t n, const void *results, double expected,
                      size_t number, const char *as) {
    for (size_t v = 0; v < count; v++)
        check_number(what, n, (const char *)results + v * type_size(what->result_type), expected, number, as);
}

/* -0 everywhere but for the terms; squares of ones beside them, whose products with them they are. */
static void fill(generator *g, quire_type type, size_t n, const sum_by_hand *s, void *x, void *y) {
    for (size_t k = 0; k < n; k++) type_store(type, x, k, type_sign(type)), type_set(type, y, k, 1);
    for (size_t i = 0, k = generator_below(g, n); i < COUNT_OF(s->terms) && s->terms[i] != 0; i++) {
        type_set(type, x, k, s->terms[i]);
        k = (k + 1 + generator_below(g, n / COUNT_OF(s->terms))) % n;
    }
}

/* A matrix of which all columns are x. */
static char *matrix_of(quire_type type, size_t n, const char *x) {
    const size_t size = type_size(type);
    char *matrix = array_new(n * COLUMNS * size, 0);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < COLUMNS; c++) memcpy(matrix + (k * COLUMNS + c) * size, x + k * size, size);
    return matrix;
}

/* As columns of a matrix that all are x, as every second of one of them, as a column by itself, and as segments. */
static void check_matrix(const quire_reduction *what, size_t n, const char *x, double expected, size_t number) {
    char *matrix = matrix_of(what->type, n, x);
    double results[COLUMNS];
    const int64_t begin[3] = { 0, 0, 0 }, end[3] = { (int64_t)n, (int64_t)n, (int64_t)n };
    const quire_layout all = quire_columns(n, COLUMNS, (ptrdiff_t)COLUMNS), one = quire_strided(n, (ptrdiff_t)COLUMNS),
                       some = { 1, n, 5, 0, (ptrdiff_t)COLUMNS, 2 };
    check_ok(place_layouts(what, &all, matrix, NULL, NULL, results));
    check_all(what, COLUMNS, n, results, expected, number, "columns");
    check_ok(place_layouts(what, &some, matrix, NULL, NULL, results));
    check_all(what, 5, n, results, expected, number, "every second column");
    check_ok(place_layouts(what, &one, matrix, NULL, NULL, results));
    check_all(what, 1, n, results, expected, number, "a column");
    check_ok(place_segments(what, 3, QUIRE_I64, begin, end, n, x, NULL, results));
    check_all(what, 3, n, results, expected, number, "segments");
    array_free(matrix);
}

static void check_sum(quire_reduction what, size_t n, const char *x, const char *y, double expected, size_t number) {
    double results[3];
    check_ok(place_reduction(&what, n, x, NULL, results));
    check_all(&what, 1, n, results, expected, number, "a vector");
    const quire_layout three = quire_rows(3, n, 0), two = quire_rows(2, n, 0);
    check_ok(place_layouts(&what, &three, x, NULL, NULL, results));
    check_all(&what, 3, n, results, expected, number, "rows");
    if (n <= LONGEST_COLUMN) check_matrix(&what, n, x, expected, number);
    what.operation = QUIRE_DOT;
    check_ok(place_reduction(&what, n, x, y, results));
    check_all(&what, 1, n, results, expected, number, "a dot product");
    check_ok(place_layouts(&what, &two, x, &two, y, results));
    check_all(&what, 2, n, results, expected, number, "dot products of rows");
}

static void check_sums(generator *g, size_t table, size_t n) {
    const quire_type type = TABLES[table].type;
    char *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
    for (size_t i = 0; i < TABLES[table].count; i++) {
        const sum_by_hand *s = &TABLES[table].sums[i];
        fill(g, type, n, s, x, y);
        for (size_t r = 0; r < ROUNDING_COUNT; r++)
            check_sum((quire_reduction){ QUIRE_SUM, type, TABLES[table].result, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } },
                      n, x, y, s->result[r], i);
    }
    array_free(x), array_free(y);
}

START_TEST(sums) {
    generator g;
    generator_seed(&g, 480 + (uint64_t)_i);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        for (size_t l = 0; l < COUNT_OF(LENGTHS); l++)
            if (drawn(&g)) check_sums(&g, (size_t)_i, LENGTHS[l]);
    }
    place_use(0);
}
END_TEST

/* Zeros alone, whose sum is -0 only if all are. */
START_TEST(zeros) {
    generator g;
    generator_seed(&g, 490 + (uint64_t)_i);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        for (size_t l = 0; l < COUNT_OF(LENGTHS) - 2; l++) {
            if (!drawn(&g)) continue;
            const size_t n = LENGTHS[l];
            char *x = array_new(n * type_size(TYPES[_i]), 0);
            for (size_t plus = 0; plus <= 1; plus++)
                for (size_t r = 0; r < ROUNDING_COUNT; r++) {
                    const quire_reduction what = {
                        QUIRE_SUM, TYPES[_i], QUIRE_F32, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 }
                    };
                    float sum;
                    for (size_t k = 0; k < n; k++)
                        type_store(TYPES[_i], x, k, plus && k == n / 2 ? 0 : type_sign(TYPES[_i]));
                    check_ok(place_reduction(&what, n, x, NULL, &sum));
                    check_float(&what, n, &sum, plus ? 0.0f : -0.0f, plus);
                }
            array_free(x);
        }
    }
    place_use(0);
}
END_TEST

/* E4M3 has one pattern for both overflows: ends beyond it of two signs tell nothing of what lies between them. */
START_TEST(two_signs) {
    static const double TERMS[] = { 0x1p80, -1, -0x1p80, 0x1p80, 1, -0x1p80 };
    generator g;
    generator_seed(&g, 484);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        for (size_t n = 40; n < 5000; n = n * 3 + 1) {
            const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_E4M3, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
            float *x = array_new(n * sizeof *x, 0);
            uint8_t sum;
            for (size_t k = 0; k < n; k++) x[k] = 0;
            for (size_t i = 0, k = generator_below(&g, n); i < COUNT_OF(TERMS); i++, k = (k + 1 + n / 7) % n)
                x[k] = (float)TERMS[i];
            check_ok(place_reduction(&what, n, x, NULL, &sum));
            check_bits(QUIRE_E4M3, &sum, 0, "%zu elements, %s", n, place_name());
            array_free(x);
        }
    }
    place_use(0);
}
END_TEST

/* Rows of an array with those of the same array that stand further apart: the first one is the same, others are not. */
START_TEST(rows_of_one_array) {
    enum { ROWS = 5, N = 40 };
    float x[2 * ROWS * N], dots[ROWS];
    const quire_layout near = quire_rows(ROWS, N, N), far = quire_rows(ROWS, N, 2 * N);
    const quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    for (size_t k = 0; k < 2 * ROWS * N; k++) x[k] = (float)(k / N + 1);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        check_ok(place_layouts(&what, &near, x, &far, x, dots));
        for (size_t v = 0; v < ROWS; v++) check_float(&what, N, &dots[v], (float)(N * (v + 1) * (2 * v + 1)), v);
    }
    place_use(0);
}
END_TEST

/* By every variant, alone, as rows and as columns. */
static void check_everywhere(const quire_reduction *what, size_t n, const void *x, double expected, size_t number) {
    enum { ROWS = 3 };
    const size_t size = type_size(what->type);
    char *rows = array_new(n * ROWS * size, 0), *columns = matrix_of(what->type, n, x);
    double results[COLUMNS];
    const quire_layout as_rows = quire_rows(ROWS, n, (ptrdiff_t)n),
                       as_columns = quire_columns(n, COLUMNS, (ptrdiff_t)COLUMNS);
    for (size_t v = 0; v < ROWS; v++) memcpy(rows + v * n * size, x, n * size);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        check_ok(place_reduction(what, n, x, NULL, results));
        check_all(what, 1, n, results, expected, number, "a vector");
        check_ok(place_layouts(what, &as_rows, rows, NULL, NULL, results));
        check_all(what, ROWS, n, results, expected, number, "rows");
        check_ok(place_layouts(what, &as_columns, columns, NULL, NULL, results));
        check_all(what, COLUMNS, n, results, expected, number, "columns");
    }
    place_use(0);
    array_free(rows), array_free(columns);
}

/* (1 + 2^-24)^2 + 2^-52 as squares of floats: its root is above the middle of two floats by less than half of the last
 * place of a double. */
START_TEST(a_root_beside_the_middle) {
    const float x[] = { 1, 23170 * 0x1p-26f, 148 * 0x1p-26f, 11 * 0x1p-26f, 2 * 0x1p-26f };
    const quire_reduction what = { QUIRE_NRM2, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    check_everywhere(&what, COUNT_OF(x), x, 0x1.000002p0, 0);
}
END_TEST

/* 256 numbers whose variance is (1 + 2^-24) / 8, the middle of two floats, but for 2^-127 below it; what is left of
 * their squares is lost in the upper end of their sum, one unit each. */
START_TEST(a_variance_beside_the_middle) {
    const quire_reduction what = { QUIRE_VARIANCE, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    float x[256];
    for (size_t k = 0; k < 256; k++) x[k] = k < 16 ? 1 : k < 32 ? -1 : 0x1p-100f;
    x[40] = 65534 * 0x1p-26f, x[80] = -65534 * 0x1p-26f, x[120] = 510 * 0x1p-26f, x[160] = -510 * 0x1p-26f;
    x[200] = 0x1p-20f;
    check_everywhere(&what, 256, x, 0x1p-3, 0);
}
END_TEST

/* The mean is 1 + 3 * 2^-53, the middle of two doubles, but for 2^-105 / 11: less than what is lost as the sum of what
 * a quotient leaves and what the sum of doubles has lost is rounded. */
START_TEST(a_mean_beside_the_middle) {
    const quire_reduction what = { QUIRE_MEAN, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    for (int above = 0; above < 2; above++) {
        const double x[11] = { 11 + 0x1p-48, 0x1p-53 + (above ? 0x1p-105 : -0x1p-105) };
        check_everywhere(&what, 11, x, 1 + (above ? 2 * ULP : ULP), (size_t)above);
    }
}
END_TEST

/* Numbers that differ in their last bits alone: n Q and S^2 are rounded by as much as they differ. */
START_TEST(variances_of_near_numbers) {
    const quire_reduction what = { QUIRE_VARIANCE, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    for (size_t n = 50; n <= 250; n += 25) {
        float x[250];
        double sum = 0, squares = 0;
        for (size_t k = 0; k < n; k++) {
            const double last = (double)(k * k % 7);
            x[k] = (float)(1 + last * 0x1p-23);
            sum += last, squares += last * last;
        }
        const double m = (double)n, variance = (m * squares - sum * sum) / (m * m) * 0x1p-46;
        check_everywhere(&what, n, x, (double)(float)variance, n);
    }
}
END_TEST

/* A product of doubles whose error has a bit of 2^-1075, less that product rounded: -(2^51 - 1/2) * 2^-1074. */
START_TEST(products_at_the_edge) {
    const double factor = 0x1.8p0 + 0x1p-52, p = factor * 0x1p-485 * (factor * 0x1p-486);
    const double near = -0x1p-1023, far = -0x1p-1023 + 0x1p-1074, expected[] = { near, near, far, far };
    for (size_t n = 2; n < 5000; n = n * 3 + 1) {
        double *x = array_new(n * sizeof *x, 0), *y = array_new(n * sizeof *y, 0);
        for (size_t k = 0; k < n; k++) x[k] = 0, y[k] = 1;
        x[0] = factor * 0x1p-485, y[0] = factor * 0x1p-486, x[n - 1] = -p, y[n - 1] = 1;
        for (size_t variant = 0; variant < place_variants(); variant++)
            for (size_t r = 0; r < ROUNDING_COUNT && place_use(variant); r++) {
                const quire_reduction what = { QUIRE_DOT, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } };
                const quire_layout two = quire_rows(2, n, 0), columns = { 1, n, 20, 0, 1, 0 };
                double results[20];
                check_ok(place_reduction(&what, n, x, y, results));
                check_all(&what, 1, n, results, expected[r], r, "a dot product");
                check_ok(place_layouts(&what, &two, x, &two, y, results));
                check_all(&what, 2, n, results, expected[r], r, "dot products of rows");
                check_ok(place_layouts(&what, &columns, x, &columns, y, results));
                check_all(&what, 20, n, results, expected[r], r, "of columns");
            }
        place_use(0);
        array_free(x), array_free(y);
    }
}
END_TEST

/* Whatever the caller's rounding, the result is the same, and so is that rounding afterwards. */
START_TEST(callers_rounding) {
    static const int MODES[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
    float x[1000] = { 0 }, result;
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    x[3] = 1, x[500] = 0x1p-24f, x[501] = 0x1p-90f;
    for (size_t n = 502; n <= 1000; n += 166) {
        fesetround(MODES[_i]);
        const quire_status status = place_reduction(&what, n, x, NULL, &result);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        check_ok(status);
        check_that(after == MODES[_i], "rounding %d became %d", MODES[_i], after);
        check_float(&what, n, &result, 0x1.000002p0f, 0);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, sums, 0, (int)COUNT_OF(TABLES));
    tcase_add_loop_test(cases, zeros, 0, TYPE_COUNT);
    tcase_add_test(cases, two_signs);
    tcase_add_test(cases, rows_of_one_array);
    tcase_add_test(cases, a_root_beside_the_middle);
    tcase_add_test(cases, a_variance_beside_the_middle);
    tcase_add_test(cases, a_mean_beside_the_middle);
    tcase_add_test(cases, variances_of_near_numbers);
    tcase_add_test(cases, products_at_the_edge);
    tcase_add_loop_test(cases, callers_rounding, 0, 4);
}

int main(void) { return run_cases("sums by two ends", add_tests); }
