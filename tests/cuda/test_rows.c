/* test_rows.c - exact rows (src/cuda/kernels/exact_rows.cuh), of every number of chunks that its groups share
 * differently: whole chunks, short ones that pass through shared memory, and long ones that begin and end anywhere, or
 * are cut into parts; of one array and of two. Each row of a matrix is of another family, so that those whose ends meet
 * stand beside those whose do not, which a warp does again by a wider sum, and beside NaN, infinities and zeros of both
 * signs at random places. By one block, so that few rows are enough. The judge is the CPU. CK_FORK=no. */
#include "families.h"
#include "many.h"
#include "open_vectors.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const operation OPERATIONS[] = { OPERATION_SUM,   OPERATION_ASUM,     OPERATION_NRM2,   OPERATION_MEAN,
                                        OPERATION_SUMSQ, OPERATION_VARIANCE, OPERATION_STDDEV, OPERATION_DOT };

/* Rows of so many chunks of 16 bytes, and elements; and as many elements to the next row. */
static const struct shape {
    size_t chunks, elements, apart, rows;
} SHAPES[] = { { 1, 0, 0, 1100 },  { 2, 0, 0, 1100 },  { 3, 0, 0, 1100 },  { 4, 0, 0, 1100 },  { 5, 0, 0, 1100 },
               { 7, 0, 0, 1100 },  { 8, 0, 0, 1100 },  { 13, 0, 0, 1100 }, { 16, 0, 0, 1100 }, { 31, 0, 0, 1100 },
               { 32, 0, 0, 1100 }, { 33, 0, 0, 1100 }, { 63, 0, 0, 1100 }, { 64, 0, 0, 1100 }, { 0, 1, 0, 3000 },
               { 1, 1, 0, 2000 },  { 2, 3, 0, 1100 },  { 4, 1, 0, 1100 },  { 6, 1, 0, 1100 },  { 12, 1, 0, 700 },
               { 31, 1, 0, 500 },  { 63, 1, 0, 300 },  { 1, 1, 1, 400 },   { 9, 1, 2, 400 },   { 72, 0, 0, 45 },
               { 65, 0, 0, 45 },   { 80, 1, 0, 45 },   { 96, 1, 1, 45 },   { 99, 0, 1, 45 },   { 64, 1, 2, 45 },
               { 130, 1, 0, 45 },  { 257, 0, 0, 45 },  { 4300, 1, 1, 3 },  { 5000, 0, 0, 1 } };

/* ly, y: of the second array, where the operation reads two. */
static void check_rows(generator *g, const quire_layout *l, const quire_layout *ly, quire_type type, const void *x,
                       const void *y, operation op) {
    quire_reduction what = { operation_number(op), type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const int is_dot = op == OPERATION_DOT;
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    if (operation_is_moment(op)) what.correction = (int64_t)generator_below(g, 4) - 1;
    const size_t size = type_size(what.result_type);
    char *expected = array_new(l->outer * size, 0), *results = array_new(l->outer * size, 0);
    check_ok(quire_reduce(NULL, &what, l, x, is_dot ? ly : NULL, is_dot ? y : NULL, expected));
    check_ok(place_layouts(&what, l, x, is_dot ? ly : NULL, is_dot ? y : NULL, results));
    for (size_t v = 0; v < l->outer; v++)
        check_bits(what.result_type, results + v * size, type_load(what.result_type, expected, v),
                   "%s, correction %d, rows of %zu, %td apart (y: %td): row %zu", reduction_text(&what),
                   (int)what.correction, l->n, l->outer_stride, ly->outer_stride, v);
    array_free(expected), array_free(results);
}

/* Rows, some elements behind a multiple of 16 bytes; beside them stands nobody's NaN. */
static char *rows_new(generator *g, quire_type type, const quire_layout *l, size_t behind) {
    const size_t size = type_size(type), ld = (size_t)l->outer_stride;
    char *x = array_new(l->outer * ld * size, behind * size);
    for (size_t v = 0; v < l->outer; v++) {
        fill_open(g, type, l->n, x + v * ld * size);
        for (size_t k = l->n; k < ld; k++) type_store(type, x, v * ld + k, type_nan(type));
    }
    return x;
}

START_TEST(rows) {
    const quire_type type = TYPES[_i / (int)COUNT_OF(SHAPES)];
    const struct shape *s = &SHAPES[_i % (int)COUNT_OF(SHAPES)];
    const size_t size = type_size(type), n = s->chunks * 16 / size + s->elements;
    const quire_layout l = quire_rows(s->rows, n, (ptrdiff_t)(n + s->apart));
    generator g;
    generator_seed(&g, 900 + (uint64_t)_i);
    check_that(place_use(1) != NULL, "no launch of one block");
    for (size_t turn = 0; turn < scaled(4); turn++) { /* of two arrays, that begin alike and not */
        const quire_layout ly = quire_rows(s->rows, n, (ptrdiff_t)(n + (turn % 4 == 3)));
        char *x = rows_new(&g, type, &l, turn % 2), *y = rows_new(&g, type, &ly, turn % 4 == 1);
        for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++) check_rows(&g, &l, &ly, type, x, y, OPERATIONS[o]);
        array_free(x), array_free(y);
    }
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, rows, 0, TYPE_COUNT * (int)COUNT_OF(SHAPES)); }

int main(void) { return run_cases("exact rows", add_tests); }
