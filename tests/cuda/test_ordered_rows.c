/* test_ordered_rows.c - rows by the methods of the canonical order (src/cuda/kernels/ordered_rows.cuh): of every length
 * that its groups share differently, and around the ends of a row of lanes and of a tile; beginning at multiples of 16
 * bytes and anywhere; of one array and of two. Each row is of another family, and some have NaN, infinities and zeros
 * of both signs at random places. By one block, so that few rows are enough; of long rows some are cut into parts. The
 * judge is the CPU. CK_FORK=no. */
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const size_t LENGTHS[] = { 1,   2,   3,   4,    5,    7,    8,    9,    15,   16,   17,   31,    32,   33,  48,
                                  63,  64,  65,  97,   100,  127,  128,  129,  160,  200,  255,  256,   257,  300, 511,
                                  512, 513, 767, 1000, 1025, 2048, 4095, 4096, 4097, 5003, 8193, 12290, 20481 };
static const quire_method ORDERED[] = { QUIRE_PLAIN, QUIRE_PAIRWISE, QUIRE_KAHAN };

/* Rows that give each warp of a block several turns. */
static size_t rows_of(size_t n) { return n <= 64 ? 1100 : n <= 256 ? 300 : 75; }

/* A few numbers around the greatest one, of which kahan's result shows which of two merging lanes came first: of the
 * greatest number and -1.5 of its ulps a TwoSum finds the error in this order, and overflows in the other. */
static void fill_around_greatest(generator *g, quire_type type, size_t n, void *x) {
    const double ulp = type == QUIRE_F64 ? 0x1p971 : 0x1p104, few[] = { -1.5, -1.5, 0.25, -0.25 };
    for (size_t k = 0; k < n; k++) type_store(type, x, k, generator_below(g, 2) ? type_sign(type) : 0);
    for (size_t i = 0; i < COUNT_OF(few); i++)
        type_store(type, x, generator_below(g, n), type_encode(type, few[i] * ulp));
    type_store(type, x, generator_below(g, n), type_greatest(type));
}

static void fill_row(generator *g, quire_type type, size_t n, void *x) {
    const uint64_t kind = generator_below(g, 8);
    family_fill((family)generator_below(g, FAMILY_COUNT), type, generator_next(g), n, x);
    if (kind == 0) /* zeros, most of them -0: the sum's sign tells what has been added */
        for (size_t k = 0; k < n; k++) type_store(type, x, k, generator_below(g, n + 1) ? type_sign(type) : 0);
    if (kind == 3) /* the greatest number and its neighbours, of both signs: sums that nearly overflow, or do */
        for (size_t k = 0; k < n; k++) {
            const uint64_t sign = generator_below(g, 2) ? type_sign(type) : 0, less = generator_below(g, 3);
            if (generator_below(g, 4) == 0) type_store(type, x, k, (type_greatest(type) - less) | sign);
        }
    if (kind == 4 && (type == QUIRE_F64 || type == QUIRE_F32)) fill_around_greatest(g, type, n, x);
    if (kind < 3)
        for (uint64_t i = 1 + generator_below(g, 3); i; i--)
            type_store(type, x, generator_below(g, n), draw_special(g, type));
}

/* Rows of n, ld elements apart; what is between them is NaN. */
static char *rows_new(generator *g, quire_type type, size_t n, size_t rows, size_t ld, size_t offset) {
    char *x = array_new(rows * ld * type_size(type), offset);
    for (size_t v = 0; v < rows; v++) {
        fill_row(g, type, n, x + v * ld * type_size(type));
        for (size_t k = n; k < ld; k++) type_store(type, x, v * ld + k, type_nan(type));
    }
    return x;
}

static void check_rows(generator *g, const quire_layout *lx, const quire_layout *ly, quire_type type, const void *x,
                       const void *y, operation op, quire_method method) {
    quire_reduction what = { operation_number(op), type, type, method, QUIRE_TO_NEAREST, 0, { 0 } };
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    const size_t size = type_size(what.result_type);
    char *expected = array_new(lx->outer * size, 0), *results = array_new(lx->outer * size, 0);
    const int is_dot = op == OPERATION_DOT;
    check_ok(quire_reduce(NULL, &what, lx, x, is_dot ? ly : NULL, is_dot ? y : NULL, expected));
    check_ok(place_layouts(&what, lx, x, is_dot ? ly : NULL, is_dot ? y : NULL, results));
    for (size_t v = 0; v < lx->outer; v++)
        check_bits(what.result_type, results + v * size, type_load(what.result_type, expected, v),
                   "%s, %s of rows of %zu, %td and %td apart: row %zu", reduction_text(&what), operation_name(op),
                   lx->n, lx->outer_stride, ly->outer_stride, v);
    array_free(expected), array_free(results);
}

/* Three of the rows by all blocks, for which they are cut. */
static void check_few(generator *g, const quire_layout *lx, const quire_layout *ly, quire_type type, const void *x,
                      const void *y) {
    quire_layout few_x = *lx, few_y = *ly;
    few_x.outer = few_y.outer = 3;
    check_that(place_use(0) != NULL, "no default launch");
    for (size_t m = 0; m < COUNT_OF(ORDERED); m++) {
        check_rows(g, &few_x, &few_y, type, x, y, OPERATION_SUM, ORDERED[m]);
        check_rows(g, &few_x, &few_y, type, x, y, OPERATION_DOT, ORDERED[m]);
    }
    check_that(place_use(1) != NULL, "no launch of one block");
}

START_TEST(ordered_rows) {
    const quire_type type = TYPES[_i / (int)COUNT_OF(LENGTHS)];
    const size_t size = type_size(type), n = LENGTHS[_i % (int)COUNT_OF(LENGTHS)], rows = rows_of(n),
                 whole = (n * size + 15) / 16 * 16 / size;
    generator g;
    generator_seed(&g, 1700 + (uint64_t)_i);
    check_that(place_use(1) != NULL, "no launch of one block");
    for (size_t turn = 0; turn < scaled(4); turn++) {
        const size_t apart_x = turn % 2 ? n + generator_below(&g, 4) : whole, /* else aligned, all of them */
            apart_y = turn % 2 ? n + generator_below(&g, 4) : whole + 16 / size,
                     at_x = turn % 2 ? generator_below(&g, 16 / size) * size : 0,
                     at_y = turn % 4 == 3 ? generator_below(&g, 16 / size) * size : 0;
        const quire_layout lx = quire_rows(rows, n, (ptrdiff_t)apart_x), ly = quire_rows(rows, n, (ptrdiff_t)apart_y);
        char *x = rows_new(&g, type, n, rows, apart_x, at_x), *y = rows_new(&g, type, n, rows, apart_y, at_y);
        for (size_t o = 0; o < OPERATION_COUNT; o++)
            for (size_t m = 0; m < COUNT_OF(ORDERED); m++)
                check_rows(&g, &lx, &ly, type, x, y, (operation)o, ORDERED[m]);
        check_rows(&g, &lx, &lx, type, x, x, OPERATION_DOT, ORDERED[turn % COUNT_OF(ORDERED)]); /* the same array */
        if (n > 4096) check_few(&g, &lx, &ly, type, x, y);
        array_free(x), array_free(y);
    }
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, ordered_rows, 0, TYPE_COUNT * (int)COUNT_OF(LENGTHS));
}

int main(void) { return run_cases("rows in the canonical order", add_tests); }
