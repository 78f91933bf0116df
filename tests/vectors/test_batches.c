/* test_batches.c - batch invariance: the result of a row has the bits that it has alone, at whatever place of whatever
 * batch it stands, whatever lies beside it, and however the call runs. */
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

/* The next way to run that this machine has. */
static void use_next_variant(void) {
    static size_t variant;
    do variant = (variant + 1) % place_variants();
    while (!place_use(variant));
}

/* Result type and rounding at random. */
static quire_reduction reduction_of(generator *g, operation op, quire_type type, quire_method method) {
    quire_reduction what = { operation_number(op), type, type, method, QUIRE_TO_NEAREST, 0, { 0 } };
    if (operation_is_moment(op)) what.method = QUIRE_EXACT, what.correction = generator_between(g, 0, 1);
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    return what;
}

/* A row, its result by itself, and a batch of so many vectors of its length, as rows or as columns. */
typedef struct batch {
    const quire_reduction *what;
    const void *row;
    size_t rows, n;
    int as_columns;
    void *x, *results;
    uint64_t expected;
} batch;

static batch batch_of(const quire_reduction *what, const void *row, size_t rows, size_t n, int as_columns, void *x) {
    void *results = array_new(rows * type_size(what->result_type), 0);
    return (batch){ what, row, rows, n, as_columns, x, results, single_call(what, n, row, row) };
}

static void put_row(const batch *b, size_t r) {
    for (size_t k = 0; k < b->n; k++)
        copy_element(b->what->type, b->x, b->as_columns ? k * b->rows + r : r * b->n + k, b->row, (ptrdiff_t)k);
}

/* In another way than the batch before. */
static void reduce_batch(const batch *b) {
    const quire_layout layout =
        b->as_columns ? quire_columns(b->n, b->rows, (ptrdiff_t)b->rows) : quire_rows(b->rows, b->n, (ptrdiff_t)b->n);
    use_next_variant();
    check_ok(place_layouts(b->what, &layout, b->x, &layout, b->x, b->results));
    place_use(0);
}

static void check_row(const batch *b, size_t r) {
    check_bits(b->what->result_type, (char *)b->results + r * type_size(b->what->result_type), b->expected,
               "%s of %zu elements, %s %zu of %zu", reduction_text(b->what), b->n, b->as_columns ? "column" : "row", r,
               b->rows);
}

/* ------------------------------------------------------------------------------------------------------- short rows */

static const family NEIGHBOURS[] = { FAMILY_EVERY_EXPONENT, FAMILY_ANY_BITS, FAMILY_HUGE, FAMILY_ZERO,
                                     FAMILY_SUBNORMAL };

/* At every third place, and by turns at all. */
static void check_every_place(const quire_reduction *what, const void *row, size_t rows, size_t n, int as_columns) {
    void *x = array_new(rows * n * type_size(what->type), 0);
    const batch b = batch_of(what, row, rows, n, as_columns, x);
    for (size_t turn = 0; turn < 3; turn++) {
        family_fill(NEIGHBOURS[(rows + turn) % 5], what->type, rows, rows * n, x);
        for (size_t r = turn; r < rows; r += 3) put_row(&b, r);
        reduce_batch(&b);
        for (size_t r = turn; r < rows; r += 3) check_row(&b, r);
    }
    array_free(b.results);
    array_free(x);
}

START_TEST(short_rows_at_every_place) {
    static const size_t batches[] = { 1, 2, 3, 15, 16, 17, 64, 333, 1000, 10000 };
    static const size_t lengths[] = { 1, 16, 33, 300 };
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 30 + (uint64_t)_i);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (size_t m = 0; m < METHOD_COUNT; m++) {
                const size_t n = batches[b] < 1000 ? lengths[k] : lengths[k] % 100 + 1;
                const operation op = (operation)((b + k + m) % OPERATION_ALL);
                const quire_reduction what = reduction_of(&g, op, type, METHODS[m]);
                void *row = array_new(n * type_size(type), 0);
                family_fill(FAMILY_NORMAL, type, n, n, row);
                check_every_place(&what, row, scaled(batches[b]), n, 0);
                check_every_place(&what, row, scaled(batches[b]), n, 1);
                array_free(row);
            }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- long rows */

/* Neighbours of all families, some thousand elements of each in turn. */
static void fill_neighbours(quire_type type, size_t n, void *x) {
    enum { EACH = 3001 };
    const size_t size = type_size(type);
    char *some = array_new(5 * EACH * size, 0);
    for (size_t f = 0; f < 5; f++) family_fill(NEIGHBOURS[f], type, f, EACH, some + f * EACH * size);
    for (size_t at = 0; at < n; at += 5 * EACH)
        memcpy((char *)x + at * size, some, (n - at < 5 * EACH ? n - at : 5 * EACH) * size);
    array_free(some);
}

/* At the first place, the last one, and some more. */
static void check_some_places(const batch *b, generator *g) {
    enum { PLACES = 30 };
    size_t places[PLACES] = { 0, b->rows - 1 };
    for (size_t i = 2; i < PLACES; i++) places[i] = generator_below(g, b->rows);
    for (size_t i = 0; i < PLACES; i++) put_row(b, places[i]);
    reduce_batch(b);
    for (size_t i = 0; i < PLACES; i++) check_row(b, places[i]);
}

/* All operations over the sizes; methods as they come. */
START_TEST(long_rows_at_some_places) {
    static const size_t batches[] = { 1, 2, 3, 5, 16, 17, 64, 333, 1000, 10000 };
    static const size_t lengths[] = { 1000, 1023, 4097 };
    const size_t most = strcmp(place_name(), "cpu") ? 10000 : 1000;
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 60 + (uint64_t)_i);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t b = 0; b < sizeof batches / sizeof *batches && batches[b] <= most; b++) {
            const size_t n = lengths[k], rows = scaled(batches[b]), bytes = rows * n * type_size(type);
            void *row = array_new(n * type_size(type), 0), *x = array_new(bytes, 0);
            family_fill(FAMILY_NORMAL, type, n, n, row);
            fill_neighbours(type, rows * n, x);
            for (size_t turn = 0; turn < 4; turn++) {
                const operation op = (operation)((2 * turn + 3 * k + b) % OPERATION_ALL);
                const quire_reduction what = reduction_of(&g, op, type, METHODS[generator_below(&g, METHOD_COUNT)]);
                const batch all = batch_of(&what, row, rows, n, turn % 2, x);
                check_some_places(&all, &g);
                array_free(all.results);
            }
            array_free(row);
            array_free(x);
        }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, short_rows_at_every_place, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, long_rows_at_some_places, 0, TYPE_COUNT);
}

int main(void) { return run_cases("batches", add_tests); }
