/* test_layouts.c - many vectors in one call: each result has the bits of the single call on that vector, gathered,
 * whatever the layout, the method, the neighbours and the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

#define MOST_ELEMENTS 20000   /* of the vectors of a layout, together */
#define MOST_EXTENT (1 << 18) /* of an array, in elements */

/* ----------------------------------------------------------------------------------------------------------- arrays */

/* An array that a layout reaches all of, and not a byte more. */
typedef struct array {
    void *memory, *origin; /* origin: the element of index 0 */
    quire_layout layout;
} array;

static size_t extent_of(const quire_layout *l) {
    size_t origin;
    return layout_elements(l, &origin);
}

/* Elements of a family, or NULL where there are none. */
static array array_of(quire_type type, quire_layout layout, family which, uint64_t seed) {
    size_t origin;
    const size_t n = layout_elements(&layout, &origin), size = type_size(type);
    array a = { NULL, NULL, layout };
    if (!n) return a;
    a.memory = array_new(n * size, seed % 8 * size);
    family_fill(which, type, seed, n, a.memory);
    a.origin = (char *)a.memory + origin * size;
    return a;
}

static void array_close(array *a) {
    if (a->memory) array_free(a->memory);
}

/* Vector (i, j), contiguous. */
static void gather(quire_type type, const array *a, size_t i, size_t j, void *to) {
    const quire_layout *l = &a->layout;
    for (size_t k = 0; k < l->n; k++)
        copy_element(type, to, k, a->origin,
                     (ptrdiff_t)i * l->outer_stride + (ptrdiff_t)k * l->stride + (ptrdiff_t)j * l->inner_stride);
}

/* Calls with the variant, and compares each result, or only every so many, with the single call by variant 0. */
static void check_layout(const quire_reduction *what, const array *x, const array *y, size_t variant, size_t every) {
    const quire_layout *l = &x->layout;
    const size_t vectors = l->outer * l->inner, size = type_size(what->type),
                 result_size = type_size(what->result_type);
    void *results = array_new(vectors * result_size, 0), *u = array_new(l->n * size, 0), *v = array_new(l->n * size, 0);
    const char *name = place_use(variant);
    memset(results, 0xa5, vectors * result_size);
    check_ok(place_layouts(what, l, x->origin, &y->layout, y->origin, results));
    place_use(0);
    for (size_t r = 0; r < vectors; r += every) {
        gather(what->type, x, r / l->inner, r % l->inner, u);
        if (operation_reads_two(what->operation)) gather(what->type, y, r / l->inner, r % l->inner, v);
        const uint64_t expected = single_call(what, l->n, u, v);
        check_bits(what->result_type, (char *)results + r * result_size, expected,
                   "%s, %s, { %zu, %zu, %zu,  %td, %td, %td } vector %zu", name, reduction_text(what), l->outer, l->n,
                   l->inner, l->outer_stride, l->stride, l->inner_stride, r);
    }
    array_free(results);
    array_free(u);
    array_free(v);
}

/* -------------------------------------------------------------------------------------------------- drawn at random */

static size_t draw_n(generator *g) {
    static const size_t lengths[] = { 0,   1,   2,   3,   7,   15,   16,   17,   31,   32,   33,   64,   100, 127,
                                      128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 2049, 4096, 4097, 8200 };
    return generator_below(g, 3) ? lengths[generator_below(g, sizeof lengths / sizeof *lengths)]
                                 : generator_below(g, 600);
}

static ptrdiff_t draw_stride(generator *g, ptrdiff_t natural) {
    switch (generator_below(g, 6)) {
    case 0: return 0;
    case 1: return -natural;
    case 2: return generator_between(g, -5, 40);
    case 3: return natural + generator_between(g, 0, 3);
    default: return natural;
    }
}

/* Rows, columns and the middle axis of three, most of them disturbed. */
static void draw_strides(generator *g, quire_layout *l) {
    const ptrdiff_t n = (ptrdiff_t)l->n, inner = (ptrdiff_t)l->inner;
    l->stride = draw_stride(g, inner);
    l->inner_stride = draw_stride(g, 1);
    l->outer_stride = draw_stride(g, n * inner);
    if (generator_below(g, 4) == 0) l->stride = 1, l->inner_stride = draw_stride(g, n);
}

static quire_layout draw_layout(generator *g) {
    quire_layout l;
    do {
        l.outer = generator_below(g, 3) ? 1 : generator_below(g, 40);
        l.inner = generator_below(g, 3) ? generator_below(g, 40) : 1;
        l.n = draw_n(g);
        draw_strides(g, &l);
    } while (l.outer * l.n * l.inner > MOST_ELEMENTS || extent_of(&l) > MOST_EXTENT);
    return l;
}

START_TEST(layouts_at_random) {
    generator g;
    generator_seed(&g, 27 + (uint64_t)_i);
    if (!place_use((size_t)_i)) return;
    for (size_t turn = scaled(600); turn-- > 0;) {
        const quire_reduction what = draw_reduction(&g);
        const quire_layout layout = draw_layout(&g);
        quire_layout y_layout = layout;
        do draw_strides(&g, &y_layout);
        while (extent_of(&y_layout) > MOST_EXTENT);
        array x = array_of(what.type, layout, draw_family(&g), generator_next(&g));
        array y = array_of(what.type, y_layout, draw_family(&g), generator_next(&g));
        check_layout(&what, &x, &y, (size_t)_i, 1);
        array_close(&x);
        array_close(&y);
    }
}
END_TEST

/* A matrix times its own first row: both arrays begin at one place, and stand otherwise. */
START_TEST(one_array_twice) {
    static const size_t lengths[] = { 2, 16, 33, 1024, 5000 };
    const quire_type type = TYPES[_i];
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            const quire_reduction what = { QUIRE_DOT, type, QUIRE_F64, METHODS[m], QUIRE_TO_NEAREST, 0, { 0 } };
            array x = array_of(type, quire_rows(40, lengths[k], (ptrdiff_t)lengths[k]), FAMILY_NORMAL, 8 * k + m),
                  y = x;
            y.layout.outer_stride = 0;
            check_layout(&what, &x, &y, 0, 1);
            array_close(&x);
        }
}
END_TEST

/* Products of zeros, which all are -0: so is their sum, and whatever stands in for elements that are not there. */
START_TEST(zeros_of_products) {
    static const size_t lengths[] = { 1, 2, 3, 5, 8, 33, 70, 1000, 9001 }, widths[] = { 1, 2, 3, 8, 16, 25, 100, 130 };
    const quire_type type = TYPES[_i];
    const quire_reduction what = { QUIRE_DOT, type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int as_columns = 0; as_columns < 2; as_columns++) {
                const size_t n = lengths[k], width = widths[w];
                const quire_layout l =
                    as_columns ? quire_columns(n, width, (ptrdiff_t)width) : quire_rows(width, n, (ptrdiff_t)n);
                array x = array_of(type, l, FAMILY_NEGATIVE_ZERO, 8), y = array_of(type, l, FAMILY_ZERO, 8);
                check_layout(&what, &x, &y, 0, width / 3 + 1);
                array_close(&x);
                array_close(&y);
            }
}
END_TEST

/* Two rows of 800 elements, beyond the squares' range, of which every 32nd is not 0: in units of 2^600 their squares
 * add up to 2^-120 more than that of a double, 1.5 - 2^-52, which has as many bits as two words. */
static void check_directed_roots(void) {
    enum { N = 800 };
    static const struct {
        double value;
        size_t count;
    } parts[] = { { 50331630 * 0x1p-25, 1 }, { 38911 * 0x1p-25, 1 }, { 17259 * 0x1p-25, 1 },
                  { 0x1p-27, 20 },           { 0x1p-52, 1 },         { 0x1p-60, 1 } };
    const quire_layout rows = quire_rows(2, N, N);
    double x[2 * N] = { 0 }, results[2];
    size_t k = 0;
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (size_t i = 0; i < parts[part].count; i++, k += 32) x[k] = x[N + k] = parts[part].value * 0x1p600;
    for (size_t r = 0; r < ROUNDING_COUNT; r++) {
        const quire_reduction what = { QUIRE_NRM2, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } };
        const double root = what.rounding == QUIRE_UPWARD ? 0x1.8p600 : 0x1.7ffffffffffffp600;
        check_ok(place_layouts(&what, &rows, x, NULL, NULL, results));
        for (int v = 0; v < 2; v++)
            check_bits(QUIRE_F64, &results[v], double_bits(root), "row %d, %s", v, reduction_text(&what));
    }
}

/* Rows whose words do not tell: a root next to the middle of two doubles, or above one; terms that cancel, rounded
 * down. */
START_TEST(rows_that_words_do_not_tell) {
    const double squares[8] = { 1, 0x1p-13, 0x1p-26, 0x1p-27, 0x1p-40, 0x1p-40, 0x1p-53, 0x1p-100 };
    const double x[4] = { 1 + 0x1p-52, -1, -0x1p-51, -0x1p-104 }, y[4] = { 1 + 0x1p-52, 1, 1, 1 };
    const quire_reduction root = { QUIRE_NRM2, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_reduction dot = { QUIRE_DOT, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_DOWNWARD, 0, { 0 } };
    const quire_layout roots = { 40, 8, 1, 0, 1, 0 }, dots = { 40, 4, 1, 0, 1, 0 };
    double results[40];
    for (size_t v = 0; v < place_variants(); v++) {
        if (!place_use(v)) continue;
        check_ok(place_layouts(&root, &roots, squares, NULL, NULL, results));
        for (int i = 0; i < 40; i++)
            check_bits(QUIRE_F64, &results[i], double_bits(0x1.0000002000001p+0), "root %d", i);
        check_ok(place_layouts(&dot, &dots, x, &dots, y, results));
        for (int i = 0; i < 40; i++) check_bits(QUIRE_F64, &results[i], double_bits(-0.0), "zero %d", i);
        check_directed_roots();
    }
    place_use(0);
}
END_TEST

/* More columns with an infinity each than a GPU lists as unknown. */
START_TEST(many_infinities) {
    enum { ROWS = 256, COLUMNS = 8192 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout columns = quire_columns(ROWS, COLUMNS, COLUMNS);
    const float infinity = HUGE_VALF;
    float *x = calloc((size_t)ROWS * COLUMNS, sizeof *x), *results = calloc(COLUMNS, sizeof *results);
    for (int c = 0; c < COLUMNS; c++) x[(size_t)(c % ROWS) * COLUMNS + (size_t)c] = infinity;
    for (size_t v = 0; v < place_variants(); v++) {
        if (!place_use(v)) continue;
        memset(results, 0, COLUMNS * sizeof *results);
        check_ok(place_layouts(&what, &columns, x, NULL, NULL, results));
        for (int c = 0; c < COLUMNS; c++) ck_assert(results[c] == infinity);
    }
    place_use(0);
    free(x), free(results);
}
END_TEST

/* ----------------------------------------------------------------------------------------------- enough for threads */

static void check_large(quire_layout layout, quire_type type, quire_method method, quire_operation operation,
                        size_t every) {
    const quire_reduction what = { operation, type, type, method, QUIRE_TO_NEAREST, 0, { 0 } };
    array x = array_of(type, layout, FAMILY_NORMAL, 5), y = array_of(type, layout, FAMILY_UNIFORM, 6);
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_layout(&what, &x, &y, v, every);
    array_close(&x);
    array_close(&y);
}

START_TEST(large_layouts) {
    const quire_method method = METHODS[_i];
    check_large(quire_rows(20000, 40, 41), QUIRE_F32, method, QUIRE_SUM, 301);
    check_large(quire_rows(601, 1000, 1000), QUIRE_F32, method, QUIRE_SUM, 7);
    check_large(quire_rows(601, 1000, 1001), QUIRE_BF16, method, QUIRE_DOT, 7);
    check_large(quire_rows(70, 4096, 4097), QUIRE_F32, method, QUIRE_SUM, 1); /* pieces of rows that end at no lines */
    check_large(quire_rows(70, 8190, 8191), QUIRE_F16, method, QUIRE_SUM, 1);
    check_large(quire_rows(3, 300000, 300000), QUIRE_F32, method, QUIRE_SUM, 1);
    check_large(quire_columns(1000, 603, 603), QUIRE_F32, method, QUIRE_SUM, 11);
    check_large(quire_columns(1000, 303, 304), QUIRE_F64, method, QUIRE_NRM2, 11);
    check_large(quire_columns(70001, 9, 9), QUIRE_F16, method, QUIRE_MEAN, 1);
    for (size_t n = 1; n < 20; n++) /* each number of rows that a CPU merges in registers, many panels wide */
        check_large(quire_columns(n, 299, 300), QUIRE_F32, method, QUIRE_DOT, 1);
    check_large(quire_strided(300000, -2), QUIRE_F32, method, QUIRE_SUM, 1);
    check_large((quire_layout){ 30, 100, 170, 17000, 170, 1 }, QUIRE_F32, method, QUIRE_ASUM, 97);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- large counts */

/* More than 2^32 elements in all: one row, again and again. */
START_TEST(beyond_32_bits) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const size_t n = 65536, rows = scaled(65537);
    const quire_layout layout = { rows, n, 1, 0, 1, 0 };
    float *x = array_new(n * sizeof *x, 0), *results = array_new(rows * sizeof *results, 0);
    family_fill(FAMILY_NORMAL, QUIRE_F32, 1, n, x);
    check_ok(place_layouts(&what, &layout, x, NULL, NULL, results));
    const uint64_t expected = single_call(&what, n, x, NULL);
    for (size_t r = 0; r < rows; r++) check_bits(QUIRE_F32, &results[r], expected, "row %zu of %zu", r, rows);
    array_free(x);
    array_free(results);
}
END_TEST

/* So long that tiles grow, backwards. One byte an element; the exponent is kept below that of 2. */
START_TEST(tiles_that_grow) {
    const size_t n = ((size_t)1 << 27) + 5003;
    if (scaled(100) < 100) return;
    uint8_t *x = array_new(n, 0), *reversed = array_new(n, 0);
    generator g;
    generator_seed(&g, 1);
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t bits = generator_next(&g) & 0xbfbfbfbfbfbfbfbf;
        memcpy(x + i, &bits, n - i < 8 ? n - i : 8);
    }
    for (size_t i = 0; i < n; i++) reversed[i] = x[n - 1 - i];
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        const quire_reduction what = { QUIRE_SUM, QUIRE_E5M2, QUIRE_F64, METHODS[m], QUIRE_TO_NEAREST, 0, { 0 } };
        const quire_layout backwards = quire_strided(n, -1);
        double result;
        check_ok(place_layouts(&what, &backwards, reversed + (n - 1), NULL, NULL, &result));
        check_bits(QUIRE_F64, &result, single_call(&what, n, x, NULL), "%s", method_name(METHODS[m]));
    }
    array_free(x);
    array_free(reversed);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- rounding once */

/* Doubles whose sum is beside a tie of floats by less than a double shows: a total that was rounded on the way would be
 * taken for the tie. As rows and as columns, five of each. */
START_TEST(ties_that_errors_break) {
    static const double vectors[2][4] = { { 16, 0x1p-20, 0x1p-40 + 0x1p-60, -0x1p-40 },
                                          { 16 + 0x1p-19, 0x1p-20, 0x1p-40, -0x1p-40 - 0x1p-60 } };
    static const float expected[2] = { 16 + 0x1p-19f, 16 + 0x1p-19f }; /* the tie: 16 + 2^-20, 16 + 3 2^-20 */
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout rows = quire_rows(5, 4, 4), columns = quire_columns(4, 5, 5);
    for (int v = 0; v < 2; v++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            double by_rows[20], by_columns[20];
            float results[10];
            for (int i = 0; i < 20; i++) by_rows[i] = by_columns[i % 4 * 5 + i / 4] = sign * vectors[v][i % 4];
            check_ok(place_layouts(&what, &rows, by_rows, NULL, NULL, results));
            check_ok(place_layouts(&what, &columns, by_columns, NULL, NULL, results + 5));
            for (int i = 0; i < 10; i++)
                check_bits(QUIRE_F32, &results[i], type_encode(QUIRE_F32, sign * expected[v]),
                           "%s of vector %d, sign %d", i < 5 ? "row" : "column", v, sign);
        }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- arguments */

START_TEST(arguments) {
    quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    float x[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, y[4] = { 1, 1, 1, 1 }, results[3];
    const quire_layout rows = quire_rows(3, 4, 4), one = { 3, 4, 1, 0, 1, 0 }, other = quire_rows(2, 4, 4);
    const quire_layout far = quire_rows(3, 4, PTRDIFF_MAX / 4), none = quire_rows(0, 4, 4);
    quire_context *context = place_context();
    ck_assert_int_eq(quire_reduce(context, &what, &rows, x, &other, y, results), QUIRE_INVALID_LAYOUT);
    ck_assert_int_eq(quire_reduce(context, &what, &far, x, &one, y, results), QUIRE_INVALID_LAYOUT);
    ck_assert_int_eq(quire_reduce(context, &what, &rows, x, &one, NULL, results), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce(context, &what, &rows, x, &one, y, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce(context, &what, &none, NULL, NULL, NULL, NULL), QUIRE_OK);
    check_ok(place_layouts(&what, &rows, x, &one, y, results)); /* a matrix times a vector */
    ck_assert(results[0] == 10 && results[1] == 26 && results[2] == 42);
}
END_TEST

static void add_layouts(TCase *cases) {
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, layouts_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, one_array_twice, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, zeros_of_products, 0, TYPE_COUNT);
    tcase_add_test(cases, rows_that_words_do_not_tell);
    tcase_add_test(cases, many_infinities);
    tcase_add_loop_test(cases, large_layouts, 0, METHOD_COUNT);
    tcase_add_test(cases, beyond_32_bits);
    tcase_add_test(cases, tiles_that_grow);
    tcase_add_test(cases, ties_that_errors_break);
    tcase_add_test(cases, arguments);
}

int main(void) { return run_cases("layouts", add_layouts); }
