/* test_squares.c - products of an array with itself, which may go ways of their own, have the bits of products with a
 * copy of it: in every method, layout and variant of the place. And two vectors that begin at the same element, but are
 * different, are not taken for one. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "place.h"
#include "support.h"

/* ------------------------------------------------------------------------------------------------------- one vector */

static void check_vector(quire_type type, size_t n, const void *x, const void *copy, const char *what) {
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        uint64_t expected = 0, dot = 0, sumsq = 0;
        check_ok(place_reduce(OPERATION_DOT, type, n, x, copy, METHODS[m], QUIRE_F64, &expected));
        check_ok(place_reduce(OPERATION_DOT, type, n, x, x, METHODS[m], QUIRE_F64, &dot));
        check_ok(place_reduce(OPERATION_SUMSQ, type, n, x, NULL, METHODS[m], QUIRE_F64, &sumsq));
        check_bits(QUIRE_F64, &dot, expected, "%s dot of %s %s with itself, n = %zu", method_name(METHODS[m]), what,
                   type_name(type), n);
        check_bits(QUIRE_F64, &sumsq, expected, "%s sumsq of %s %s, n = %zu", method_name(METHODS[m]), what,
                   type_name(type), n);
    }
}

/* Every bit, of which a result shows the leading ones; and the root, which no product of two arrays has. */
static void check_accumulated(quire_type type, size_t n, const void *x, const void *copy, const char *what) {
    quire_accumulator squares = QUIRE_ACCUMULATOR_ZERO, products = QUIRE_ACCUMULATOR_ZERO;
    uint64_t expected = 0, norm = 0;
    check_ok(place_accumulate_products(&squares, type, n, x, x));
    check_ok(place_accumulate_products(&products, type, n, x, copy));
    check_that(!memcmp(squares.limb, products.limb, sizeof squares.limb) && squares.count == products.count &&
                   !squares.other == !products.other && !squares.nan == !products.nan &&
                   !squares.positive_infinity == !products.positive_infinity && !squares.negative_infinity,
               "the accumulated squares of %s %s, n = %zu, differ from its products", what, type_name(type), n);
    check_ok(quire_round_root(&products, QUIRE_F64, &expected));
    check_ok(place_reduce(OPERATION_NRM2, type, n, x, NULL, QUIRE_EXACT, QUIRE_F64, &norm));
    check_bits(QUIRE_F64, &norm, expected, "exact nrm2 of %s %s, n = %zu", what, type_name(type), n);
}

static void check_length(family which, quire_type type, size_t n) {
    const size_t bytes = n * type_size(type);
    void *x = array_new(bytes, 0);
    family_fill(which, type, 70 + n, n, x);
    void *copy = array_copy(x, bytes, 8);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        char what[80];
        if (!variant) continue;
        snprintf(what, sizeof what, "%s, %s,", family_name(which), variant);
        check_vector(type, n, x, copy, what);
        check_accumulated(type, n, x, copy, what);
    }
    array_free(x);
    array_free(copy);
}

/* Around the ends of steps, of what counts as few, of rows of lanes, tiles and blocks. */
START_TEST(short_squares_are_products) {
    static const size_t lengths[] = { 1,    2,    7,    8,    9,    16,   17,   31,   32,  33,  63,
                                      64,   65,   127,  128,  129,  255,  256,  257,  511, 513, 1000,
                                      1023, 1025, 2047, 2049, 4095, 4096, 4097, 8191, 8193 };
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const family which = (family)(_i / TYPE_COUNT);
    generator g;
    generator_seed(&g, 100 + (uint64_t)_i);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (drawn(&g)) check_length(which, type, lengths[k]);
}
END_TEST

/* Several tiles together, and long blocks; threads. */
START_TEST(long_squares_are_products) {
    static const family families[] = { FAMILY_UNIFORM, FAMILY_NORMAL, FAMILY_EVERY_EXPONENT, FAMILY_ANY_BITS };
    static const size_t lengths[] = { 16 * 4096 - 1, 16 * 4096 + 1, 300001 };
    generator g;
    generator_seed(&g, 200 + (uint64_t)_i);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            if (drawn(&g)) check_length(families[f], TYPES[_i], lengths[k]);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- layouts */

#define VECTORS ((size_t)37) /* two panels, and some */

/* Dot products by every method and variant of the place: of x and y, and expected: of copies of both. */
static void check_layouts(quire_type type, const quire_layout *x_layout, const quire_layout *y_layout, const void *x,
                          const quire_layout *expected_layout, const void *expected_y, const char *what) {
    const size_t vectors = x_layout->outer * x_layout->inner;
    for (size_t v = 0; v < place_variants(); v++)
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            const quire_reduction dot = {
                .operation = QUIRE_DOT, .type = type, .method = METHODS[m], .result_type = QUIRE_F64
            };
            uint64_t expected[VECTORS], found[VECTORS];
            const char *variant = place_use(v);
            if (!variant) continue;
            check_ok(place_layouts(&dot, x_layout, x, expected_layout, expected_y, expected));
            check_ok(place_layouts(&dot, x_layout, x, y_layout, x, found));
            for (size_t i = 0; i < vectors; i++)
                check_bits(QUIRE_F64, &found[i], expected[i], "%s %s dot of %s, n = %zu, vector %zu, %s",
                           method_name(METHODS[m]), type_name(type), what, x_layout->n, i, variant);
        }
}

static const size_t VECTOR_LENGTHS[] = { 1, 2, 5, 16, 33, 128, 129, 255, 257, 300, 1023, 1025, 4095, 4097 };
#define VECTOR_LENGTH_COUNT (sizeof VECTOR_LENGTHS / sizeof *VECTOR_LENGTHS)

typedef struct {
    const char *what;
    quire_layout x, y;
} layout_pair;

/* Dot products of an array with itself, by each pair of layouts; expected: with a copy in place of y. */
static void check_pairs(family which, quire_type type, size_t n, uint64_t seed, size_t count,
                        const layout_pair *pairs) {
    const size_t elements = 2 * VECTORS * n, bytes = elements * type_size(type);
    void *x = array_new(bytes, 0);
    family_fill(which, type, seed, elements, x);
    void *copy = array_copy(x, bytes, 8);
    for (size_t p = 0; p < count; p++)
        check_layouts(type, &pairs[p].x, &pairs[p].y, x, &pairs[p].y, copy, pairs[p].what);
    array_free(x);
    array_free(copy);
}
#define CHECK_PAIRS(which, type, n, seed, pairs) check_pairs(which, type, n, seed, sizeof pairs / sizeof *pairs, pairs)

static void check_shapes(family which, quire_type type, size_t n) {
    const ptrdiff_t length = (ptrdiff_t)n, width = (ptrdiff_t)VECTORS;
    const quire_layout rows = quire_rows(VECTORS, n, length), apart = { VECTORS, n, 1, 2 * length, 2, 0 },
                       columns = quire_columns(n, VECTORS, width), second = { 1, n, VECTORS, 0, 2 * width, 2 };
    const layout_pair shapes[] = {
        { "rows", rows, rows },
        { "rows of every second element", apart, apart },
        { "columns", columns, columns },
        { "every second column", second, second },
    };
    CHECK_PAIRS(which, type, n, 80 + n, shapes);
}

START_TEST(squares_of_many_vectors_are_products) {
    static const family families[] = { FAMILY_NORMAL, FAMILY_EVERY_EXPONENT, FAMILY_ANY_BITS, FAMILY_ZERO };
    const family which = families[_i / TYPE_COUNT];
    generator g;
    generator_seed(&g, 300 + (uint64_t)_i);
    for (size_t k = 0; k < VECTOR_LENGTH_COUNT; k++)
        if (drawn(&g)) check_shapes(which, TYPES[_i % TYPE_COUNT], VECTOR_LENGTHS[k]);
}
END_TEST

/* x takes more of the memory than y, both from the same element on. */
START_TEST(vectors_that_begin_together_are_two) {
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 400 + (uint64_t)_i);
    for (size_t k = 0; k < VECTOR_LENGTH_COUNT; k++) {
        if (!drawn(&g)) continue;
        const size_t n = VECTOR_LENGTHS[k];
        const ptrdiff_t length = (ptrdiff_t)n, width = (ptrdiff_t)VECTORS;
        const layout_pair pairs[] = {
            { "rows and every second element", { VECTORS, n, 1, 2 * length, 2, 0 }, quire_rows(VECTORS, n, length) },
            { "rows and rows", quire_rows(VECTORS, n, 2 * length), quire_rows(VECTORS, n, length) },
            { "rows and one of them", quire_rows(VECTORS, n, length), quire_rows(VECTORS, n, 0) },
            { "columns and columns", quire_columns(n, VECTORS, 2 * width), quire_columns(n, VECTORS, width) },
            { "columns and one of them", quire_columns(n, VECTORS, width), { 1, n, VECTORS, 0, width, 0 } },
            { "a column and elements", quire_strided(n, width), quire_strided(n, 1) },
        };
        CHECK_PAIRS(FAMILY_NORMAL, type, n, 90 + n, pairs);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, short_squares_are_products, 0, FAMILY_COUNT * TYPE_COUNT);
    tcase_add_loop_test(cases, long_squares_are_products, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, squares_of_many_vectors_are_products, 0, 4 * TYPE_COUNT);
    tcase_add_loop_test(cases, vectors_that_begin_together_are_two, 0, TYPE_COUNT);
}

int main(void) { return run_cases("squares", add_tests); }
