/* test_columns.c - columns by every method (src/cuda/kernels/ordered_columns.cuh, exact_columns.cuh), of every shape
 * that these share differently: few rows and many, tiles and parts of tiles, panels that are whole, cut or one of many,
 * rows that stand anywhere, matrices side by side. Each column is of another family, with NaN, infinities and zeros of
 * both signs at random places. By one block, and by as many as there are. The judge is the CPU. CK_FORK=no. */
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const quire_method ALL[] = { QUIRE_PLAIN, QUIRE_PAIRWISE, QUIRE_KAHAN, QUIRE_EXACT };

/* So many rows, columns and matrices. */
static const struct shape {
    size_t rows, columns, matrices;
} SHAPES[] = {
    { 9, 2, 3 },     { 700, 3, 2 },    { 5000, 7, 1 },   { 1, 8, 1 },      { 1, 40, 3 },     { 2, 1000, 1 },
    { 3, 17, 40 },   { 7, 33, 9 },     { 8, 8, 33 },     { 9, 100, 2 },    { 15, 9, 50 },    { 16, 2048, 1 },
    { 17, 300, 1 },  { 31, 65, 2 },    { 32, 65, 2 },    { 32, 66, 2 },    { 33, 8, 70 },    { 64, 515, 1 },
    { 100, 10, 5 },  { 127, 130, 1 },  { 129, 16, 8 },   { 255, 257, 1 },  { 256, 64, 2 },   { 256, 9, 20 },
    { 257, 100, 1 }, { 300, 12, 3 },   { 511, 31, 1 },   { 512, 32, 2 },   { 513, 8, 9 },    { 768, 20, 1 },
    { 1000, 10, 2 }, { 1024, 129, 1 }, { 1025, 16, 1 },  { 2047, 40, 1 },  { 2049, 11, 2 },  { 4095, 17, 1 },
    { 4096, 8, 3 },  { 4097, 10, 1 },  { 4097, 200, 1 }, { 4200, 64, 1 },  { 8191, 33, 1 },  { 8192, 9, 2 },
    { 8193, 24, 1 }, { 12289, 15, 1 }, { 16384, 8, 1 },  { 16500, 50, 1 }, { 20480, 12, 1 }, { 20481, 8, 2 },
};

/* An array of a layout in memory: its bytes, and the element of index 0. */
struct matrix {
    quire_layout layout;
    char *memory, *first;
};

/* Rows side by side, or farther apart; forwards or back; or, rarely, columns that are not neighbours. */
static quire_layout draw_layout(generator *g, const struct shape *s, size_t turn) {
    static const size_t gaps[] = { 0, 0, 1, 3, 4, 8, 16, 21 };
    const ptrdiff_t side = turn > 1 && generator_below(g, 6) == 0 ? generator_below(g, 2) ? 2 : -1 : 1;
    const size_t width = s->columns * (side == 2 ? 2 : 1), apart = width + (turn ? gaps[generator_below(g, 8)] : 0),
                 beyond = turn ? gaps[generator_below(g, 8)] : 0;
    const ptrdiff_t sign = turn > 1 && generator_below(g, 4) == 0 ? -1 : 1;
    quire_layout l = { s->matrices, s->rows, s->columns, (ptrdiff_t)(s->rows * apart + beyond), sign * (ptrdiff_t)apart,
                       side };
    return l;
}

static void fill_column(generator *g, quire_type type, size_t n, void *x) {
    family_fill((family)generator_below(g, FAMILY_COUNT), type, generator_next(g), n, x);
    if (generator_below(g, 4) == 0)
        for (uint64_t i = 1 + generator_below(g, 3); i; i--)
            type_store(type, x, generator_below(g, n), draw_special(g, type));
}

static struct matrix make_matrix(generator *g, quire_type type, const quire_layout *l, size_t offset) {
    struct matrix m = { *l, NULL, NULL };
    size_t origin;
    const size_t elements = layout_elements(l, &origin), size = type_size(type);
    char *column = array_new(l->n * size, 0);
    m.memory = array_new(elements * size, offset * size % 64);
    m.first = m.memory + origin * size;
    for (size_t k = 0; k < elements; k++) type_store(type, m.memory, k, type_nan(type)); /* nobody's */
    for (size_t v = 0; v < l->outer * l->inner; v++) {
        const ptrdiff_t at = (ptrdiff_t)(v / l->inner) * l->outer_stride + (ptrdiff_t)(v % l->inner) * l->inner_stride;
        fill_column(g, type, l->n, column);
        for (size_t k = 0; k < l->n; k++)
            copy_element(type, m.memory, (size_t)((ptrdiff_t)origin + at + (ptrdiff_t)k * l->stride), column,
                         (ptrdiff_t)k);
    }
    array_free(column);
    return m;
}

static void check_columns(generator *g, quire_type type, const struct matrix *x, const struct matrix *y, operation op,
                          quire_method method) {
    if (method != QUIRE_EXACT && op >= OPERATION_COUNT) return;
    quire_reduction what = { operation_number(op), type, type, method, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout *l = &x->layout;
    const int is_pair = op == OPERATION_DOT;
    if (op >= OPERATION_COUNT) what.correction = (int64_t)generator_below(g, 4) - 1;
    if (generator_below(g, 3) == 0) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 4) == 0) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    const size_t size = type_size(what.result_type), vectors = l->outer * l->inner;
    char *expected = array_new(vectors * size, 0), *results = array_new(vectors * size, 0);
    check_ok(quire_reduce(NULL, &what, l, x->first, is_pair ? &y->layout : NULL, is_pair ? y->first : NULL, expected));
    for (size_t variant = 0; variant < 2; variant++) {
        check_that(place_use(variant) != NULL, "no launch of one block");
        memset(results, 0x5a, vectors * size);
        check_ok(place_layouts(&what, l, x->first, is_pair ? &y->layout : NULL, is_pair ? y->first : NULL, results));
        for (size_t v = 0; v < vectors; v++)
            check_bits(what.result_type, results + v * size, type_load(what.result_type, expected, v),
                       "%s, %zu rows, %td apart, of %zu columns, %td apart, %zu matrices, %td apart: column %zu, %s",
                       reduction_text(&what), l->n, l->stride, l->inner, l->inner_stride, l->outer, l->outer_stride, v,
                       place_use(variant));
    }
    array_free(expected), array_free(results);
}

START_TEST(columns) {
    const quire_type type = TYPES[_i / (int)COUNT_OF(SHAPES)];
    const struct shape *s = &SHAPES[_i % (int)COUNT_OF(SHAPES)];
    generator g;
    generator_seed(&g, 400 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(6); turn++) {
        const quire_layout lx = draw_layout(&g, s, turn);
        quire_layout ly = generator_below(&g, 2) ? lx : draw_layout(&g, s, turn);
        const size_t offset = turn ? generator_below(&g, 16) : 0;
        struct matrix x = make_matrix(&g, type, &lx, offset),
                      y = make_matrix(&g, type, &ly, generator_below(&g, 2) ? offset : generator_below(&g, 16));
        for (size_t m = 0; m < COUNT_OF(ALL); m++)
            for (operation op = 0; op < OPERATION_ALL; op++) check_columns(&g, type, &x, &y, op, ALL[m]);
        check_columns(&g, type, &x, &x, OPERATION_DOT, QUIRE_KAHAN); /* y is x */
        array_free(x.memory), array_free(y.memory);
    }
    place_use(0);
}
END_TEST

/* So many tiles that parts are joined in two steps, and in three. */
START_TEST(long_columns) {
    static const size_t tiles[] = { 33, 70, 1025 };
    const size_t rows = tiles[_i] * 4096 - 3, columns = 9;
    const quire_type type = QUIRE_E4M3;
    const quire_layout l = quire_columns(rows, columns, (ptrdiff_t)columns);
    generator g;
    generator_seed(&g, 800 + (uint64_t)_i);
    if (tiles[_i] > 100 && scaled(4) < 2) return; /* too long for a sanitizer */
    struct matrix x = { l, array_new(rows * columns, 0), NULL };
    x.first = x.memory;
    for (size_t k = 0; k < rows * columns; k++) x.memory[k] = (char)(generator_next(&g) % 0x7f | (k % 7 & 1) << 7);
    for (size_t m = 0; m < COUNT_OF(ALL); m++) {
        check_columns(&g, type, &x, &x, OPERATION_SUM, ALL[m]);
        check_columns(&g, type, &x, &x, OPERATION_NRM2, ALL[m]);
        check_columns(&g, type, &x, &x, OPERATION_VARIANCE, ALL[m]);
    }
    array_free(x.memory);
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, columns, 0, TYPE_COUNT * (int)COUNT_OF(SHAPES));
    tcase_add_loop_test(cases, long_columns, 0, 3);
}

int main(void) { return run_cases("columns", add_tests); }
