/* test_gathered.c - segments of rows that are found through an index: each result has the bits of the single call on
 * the elements that are there. */
#include <string.h>

#include "keyed.h"
#include "place.h"
#include "support.h"

/* Segments of entries; orders, or NULL. */
typedef struct gathered {
    size_t segments, entries;
    int64_t *begin, *end, *x_order, *y_order;
} gathered;

/* Row numbers, of which about one of so many is of no row; 0: all are rows. */
static int64_t *draw_order(generator *g, size_t entries, size_t rows, size_t absent) {
    int64_t *order = array_new((entries + 1) * sizeof *order, 0);
    for (size_t i = 0; i < entries; i++) {
        order[i] = rows ? (int64_t)generator_below(g, rows) : 0;
        if (!rows || (absent && generator_below(g, absent) == 0))
            order[i] =
                generator_below(g, 2) ? -1 - (int64_t)generator_below(g, 9) : (int64_t)(rows + generator_below(g, 9));
    }
    return order;
}

static gathered draw_gathered(generator *g, size_t x_rows, size_t y_rows, size_t most) {
    gathered d = { 1 + generator_below(g, 40), 1 + generator_below(g, most), NULL, NULL, NULL, NULL };
    const size_t absent = generator_below(g, 2) ? 1 + generator_below(g, 50) : 0;
    d.begin = array_new(d.segments * sizeof *d.begin, 0);
    d.end = array_new(d.segments * sizeof *d.end, 0);
    if (generator_below(g, 4)) d.x_order = draw_order(g, d.entries, x_rows, absent);
    if (generator_below(g, 4)) d.y_order = draw_order(g, d.entries, y_rows, absent);
    for (size_t i = 0; i < d.segments; i++) {
        const size_t n = generator_below(g, generator_below(g, 8) ? 2 + d.entries / 10 : d.entries + 1);
        d.begin[i] = (int64_t)generator_below(g, d.entries - n + 1);
        d.end[i] = d.begin[i] + (int64_t)n;
        if (generator_below(g, 9) == 0) d.end[i] = d.begin[i] - (int64_t)generator_below(g, 5);
        const int64_t back = (int64_t)generator_below(g, d.entries); /* rows before the first one are absent */
        if (!d.x_order && !d.y_order && generator_below(g, 2)) d.begin[i] -= back, d.end[i] -= back;
    }
    return d;
}

static void gathered_free(gathered *d) {
    array_free(d->begin);
    array_free(d->end);
    if (d->x_order) array_free(d->x_order);
    if (d->y_order) array_free(d->y_order);
}

/* The rows of a segment that are there; answers how many. */
static size_t rows_of(const quire_reduction *what, const gathered *d, size_t s, size_t x_rows, size_t y_rows,
                      int64_t *x, int64_t *y) {
    size_t n = 0;
    for (int64_t e = d->begin[s]; e < d->end[s]; e++) {
        x[n] = d->x_order ? d->x_order[e] : e;
        y[n] = d->y_order ? d->y_order[e] : e;
        if (x[n] < 0 || (uint64_t)x[n] >= x_rows) continue;
        if (operation_reads_two(what->operation) && (y[n] < 0 || (uint64_t)y[n] >= y_rows)) continue;
        n++;
    }
    return n;
}

/* Whether the place has the call; if not, that it says so. */
static int is_there(void) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout one = quire_strided(1, 1);
    const quire_status status = quire_reduce_gathered(place_context(), &what, 0, QUIRE_I64, NULL, NULL, NULL, &one,
                                                      NULL, NULL, NULL, NULL, NULL);
    check_that(status == QUIRE_OK || status == QUIRE_WRONG_CONTEXT, "%s", quire_status_string(status));
    return status == QUIRE_OK;
}

static void check_gathered(const quire_reduction *what, const gathered *d, quire_index index, const row_array *x,
                           const row_array *y, size_t variant, size_t every) {
    const quire_layout *l = &x->layout;
    const size_t size = type_size(what->result_type), all = l->outer * d->segments * l->inner;
    void *begin = index_array(index, d->begin, d->segments), *end = index_array(index, d->end, d->segments);
    void *x_order = d->x_order ? index_array(index, d->x_order, d->entries) : NULL;
    void *y_order = d->y_order ? index_array(index, d->y_order, d->entries) : NULL;
    const place_rows rows = { d->segments, d->entries, index, begin, end, x_order, y_order };
    void *results = array_new(all * size, 0);
    int64_t *u = array_new((d->entries + 1) * sizeof *u, 0), *v = array_new((d->entries + 1) * sizeof *v, 0);
    const char *name = place_use(variant);
    memset(results, 0xa5, all * size);
    check_ok(place_gathered(what, &rows, l, x->origin, &y->layout, y->origin, results));
    place_use(0);
    for (size_t r = 0; r < all; r += every) {
        const size_t i = r / l->inner / d->segments, s = r / l->inner % d->segments, j = r % l->inner;
        const size_t n = rows_of(what, d, s, l->n, y->layout.n, u, v);
        check_bits(what->result_type, (char *)results + r * size, call_on_rows(what, x, u, y, v, n, i, j),
                   "%s, %s, segment %zu, %zu rows of %td, vector (%zu, %zu)", name, reduction_text(what), s, n,
                   (ptrdiff_t)(d->end[s] - d->begin[s]), i, j);
    }
    array_free(begin), array_free(end);
    if (x_order) array_free(x_order);
    if (y_order) array_free(y_order);
    array_free(results), array_free(u), array_free(v);
}

static void check_at_random(generator *g, const quire_reduction *what, size_t most, size_t turn, size_t variant) {
    const quire_index index = generator_below(g, 2) ? QUIRE_I32 : QUIRE_I64;
    const size_t x_rows = generator_below(g, 900), y_rows = generator_below(g, 900);
    const family which = draw_family(g);
    row_array x = row_array_new(what->type, draw_rows(g, x_rows), which, 2 * turn);
    quire_layout l = draw_rows(g, y_rows);
    l.outer = x.layout.outer, l.inner = x.layout.inner;
    row_array y = row_array_new(what->type, l, which, 2 * turn + 1);
    const int is_one = generator_below(g, 4) == 0; /* of both factors the same array */
    gathered d = draw_gathered(g, x_rows, is_one ? x_rows : y_rows, most);
    const size_t all = x.layout.outer * x.layout.inner * d.segments;
    check_gathered(what, &d, index, &x, is_one ? &x : &y, variant, 1 + all / 200);
    gathered_free(&d);
    row_array_free(&x);
    row_array_free(&y);
}

START_TEST(gathered_at_random) {
    generator g;
    generator_seed(&g, 401 + (uint64_t)_i);
    if (!is_there() || !place_use((size_t)_i)) return;
    for (size_t turn = scaled(250); turn-- > 0;) {
        const quire_reduction what = draw_reduction(&g);
        check_at_random(&g, &what, (size_t)1 << (1 + generator_below(&g, 12)), turn, (size_t)_i);
    }
}
END_TEST

/* More than a block holds, and more than a piece. */
START_TEST(long_segments) {
    generator g;
    generator_seed(&g, 503 + (uint64_t)_i);
    if (!is_there() || !place_use((size_t)_i)) return;
    for (size_t turn = scaled(8); turn-- > 0;) {
        const quire_reduction what = draw_reduction(&g);
        check_at_random(&g, &what, turn % 4 ? 30000 : 300000, turn, (size_t)_i);
    }
}
END_TEST

/* Worth several threads, and with rows that are absent, or without. */
START_TEST(segments_for_threads) {
    enum { N = 600000 };
    const quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, METHODS[_i / 2], QUIRE_TO_NEAREST, 0, { 0 } };
    generator g;
    generator_seed(&g, 7 + (uint64_t)_i);
    if (!is_there()) return;
    row_array x = row_array_new(QUIRE_F32, quire_strided(N, 1), FAMILY_NORMAL, 1);
    row_array y = row_array_new(QUIRE_F32, quire_strided(N, -1), FAMILY_NORMAL, 2);
    int64_t offsets[4] = { 0, 10, N - 10, N };
    gathered d = { 3, N, offsets, offsets + 1, draw_order(&g, N, N, _i % 2 ? 1000 : 0), draw_order(&g, N, N, 0) };
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_gathered(&what, &d, QUIRE_I32, &x, &y, v, 1);
    array_free(d.x_order), array_free(d.y_order);
    row_array_free(&x);
    row_array_free(&y);
}
END_TEST

/* Rows of whole chunks of 16 bytes, of formats that all have them: segments about as long as those that blocks share,
 * and many times longer. */
START_TEST(long_segments_of_chunks) {
    enum { ROWS = 700, N = 90000, SEGMENTS = 40 };
    static const quire_operation operations[] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_VARIANCE, QUIRE_DOT };
    const quire_type type = TYPES[_i / 4];
    const quire_reduction what = { operations[_i % 4], type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    generator g;
    generator_seed(&g, 11 + (uint64_t)_i);
    if (!is_there()) return;
    row_array x =
        row_array_new(type, quire_columns(ROWS, 16, 32), _i % 8 < 4 ? FAMILY_NORMAL : FAMILY_EVERY_EXPONENT, 1);
    row_array y = row_array_new(type, x.layout, FAMILY_NORMAL, 2);
    int64_t begin[SEGMENTS], end[SEGMENTS];
    for (int64_t i = 0; i < SEGMENTS; i++) {
        const int64_t n = i < 3 ? N / (i + 1) : i < 35 ? 512 * (i / 8 + 1) - 4 + i % 8 : i - 35;
        begin[i] = (int64_t)generator_below(&g, (uint64_t)(N - n + 1));
        end[i] = begin[i] + n;
    }
    gathered d = { SEGMENTS, N, begin, end, draw_order(&g, N, ROWS, _i % 2 ? 1000 : 0), draw_order(&g, N, ROWS, 0) };
    check_gathered(&what, &d, QUIRE_I64, &x, &y, 0, 3);
    array_free(d.x_order), array_free(d.y_order);
    row_array_free(&x);
    row_array_free(&y);
}
END_TEST

/* A sparse matrix times a dense one. */
START_TEST(sparse_times_dense) {
    enum { ROWS = 3, COLUMNS = 2 };
    const quire_reduction what = { QUIRE_DOT, QUIRE_F64, QUIRE_F64, METHODS[_i], QUIRE_TO_NEAREST, 0, { 0 } };
    const int64_t offsets[ROWS + 1] = { 0, 2, 2, 5 }, columns[5] = { 0, 3, 1, 2, 3 };
    const double values[5] = { 1, 2, 3, 4, 5 }, dense[4][COLUMNS] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    const double expected[ROWS][COLUMNS] = { { 15, 18 }, { 0, 0 }, { 64, 76 } };
    const quire_layout x_layout = { 1, 5, COLUMNS, 0, 1, 0 }, y_layout = quire_columns(4, COLUMNS, COLUMNS);
    const place_rows rows = { ROWS, 5, QUIRE_I64, offsets, offsets + 1, NULL, columns };
    double results[ROWS][COLUMNS];
    if (!is_there()) return;
    check_ok(place_gathered(&what, &rows, &x_layout, values, &y_layout, dense, results));
    ck_assert(!memcmp(results, expected, sizeof results));
}
END_TEST

/* Rows of whole chunks whose products cancel: the zero is that of a sum of other terms, in each direction. */
START_TEST(products_that_cancel) {
    enum { COLUMNS = 16 };
    static const int64_t begin[1] = { 0 }, end[1] = { 2 };
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type);
    const quire_layout l = quire_columns(2, COLUMNS, COLUMNS);
    if (!is_there()) return;
    char *x = array_new(2 * COLUMNS * size, 0), *y = array_new(2 * COLUMNS * size, 0);
    char *results = array_new(COLUMNS * size, 0);
    for (size_t k = 0; k < 2 * COLUMNS; k++) {
        type_set(type, x, k, 1);
        type_set(type, y, k, k < COLUMNS ? 1 : -1);
    }
    for (size_t r = 0; r < ROUNDING_COUNT; r++) {
        const quire_reduction what = { QUIRE_DOT, type, type, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } };
        const place_rows rows = { 1, 2, QUIRE_I64, begin, end, NULL, NULL };
        const uint64_t zero = type_encode(type, what.rounding == QUIRE_DOWNWARD ? -0.0 : 0.0);
        check_ok(place_gathered(&what, &rows, &l, x, &l, y, results));
        for (size_t c = 0; c < COLUMNS; c++)
            check_bits(type, results + c * size, zero, "%s, %s, column %zu", place_name(), reduction_text(&what), c);
    }
    array_free(x), array_free(y), array_free(results);
}
END_TEST

/* Without an index segments may reach as far as their offsets do: only rows that are there cost time. On a CPU, in
 * every place: a device goes through all entries of a segment. */
START_TEST(segments_beyond_all_rows) {
    enum { ROWS = 5000, SEGMENTS = 6 };
    static const int64_t begin[SEGMENTS] = { 1, INT64_MIN, INT64_MIN, ROWS, INT64_MIN, INT64_MAX },
                         end[SEGMENTS] = { INT64_MAX, 3, INT64_MAX, INT64_MAX, 0, INT64_MIN },
                         first[SEGMENTS] = { 1, 0, 0, 0, 0, 0 }, rows[SEGMENTS] = { ROWS - 1, 3, ROWS, 0, 0, 0 };
    const quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, METHODS[_i / 2], QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout l = quire_strided(ROWS, 1), longer = quire_strided(ROWS + 7, 1);
    float *x = array_new((ROWS + 7) * sizeof *x, 0), results[SEGMENTS];
    quire_context *c = NULL;
    for (size_t i = 0; i < ROWS + 7; i++) x[i] = 1 + (float)i / 3;
    if (_i % 2) check_ok(quire_open_cpu(&c, 3));
    check_ok(quire_reduce_gathered(c, &what, SEGMENTS, QUIRE_I64, begin, end, NULL, &l, x, NULL, &longer, x, results));
    for (size_t s = 0; s < SEGMENTS; s++) {
        const quire_layout one = quire_strided((size_t)rows[s], 1);
        float single;
        check_ok(quire_reduce(NULL, &what, &one, x + first[s], NULL, x + first[s], &single));
        ck_assert_msg(!memcmp(&results[s], &single, sizeof single), "segment %zu: %a, not %a", s, results[s], single);
    }
    quire_close(c);
    array_free(x);
}
END_TEST

START_TEST(arguments) {
    const int64_t begin[2] = { 0, 1 }, order[2] = { 1, 0 };
    const float x[2] = { 1, 2 };
    const quire_layout two = quire_strided(2, 1), matrix = quire_columns(2, 3, 3), none = quire_strided(0, 1);
    float results[2] = { -1, -1 };
    quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    quire_context *c = place_context();
    const void *odd = (const char *)begin + 4;
    if (!is_there()) return;
#define REFUSED(status, ...) ck_assert_int_eq(quire_reduce_gathered(c, __VA_ARGS__), status)
    REFUSED(QUIRE_NULL_POINTER, NULL, 2, QUIRE_I64, begin, begin, order, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I64, begin, begin, order, NULL, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_INVALID_INDEX, &what, 2, (quire_index)0, begin, begin, order, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_INVALID_LAYOUT, &what, SIZE_MAX / 2, QUIRE_I64, begin, begin, order, &two, x, NULL, NULL, NULL,
            results);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I64, NULL, begin, odd, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I64, odd, begin, odd, &two, NULL, NULL, NULL, NULL, results);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I64, odd, begin, odd, &two, x, NULL, NULL, NULL, NULL);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I64, begin, begin, odd, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I64, begin, odd, order, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I64, begin, begin, order, &two, (const char *)x + 2, NULL, NULL, NULL,
            results);
    what.operation = QUIRE_DOT;
    REFUSED(QUIRE_INVALID_LAYOUT, &what, 2, QUIRE_I64, begin, begin, order, &two, x, NULL, &matrix, x, results);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I64, begin, begin, order, &two, x, NULL, NULL, NULL, results);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I64, begin, begin, order, &two, x, odd, NULL, x, results);
#undef REFUSED
    ck_assert(results[0] == -1 && results[1] == -1);
    const place_rows rows = { 2, 2, QUIRE_I64, begin, order, order, NULL };
    what.operation = QUIRE_SUM;
    check_ok(place_gathered(&what, &rows, &none, NULL, NULL, NULL, results)); /* all rows are absent */
    ck_assert(results[0] == 0 && results[1] == 0);
}
END_TEST

static void add_gathered(TCase *cases) {
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, gathered_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, long_segments, 0, (int)place_variants());
    tcase_add_loop_test(cases, segments_for_threads, 0, 2 * METHOD_COUNT);
    tcase_add_loop_test(cases, long_segments_of_chunks, 0, 4 * TYPE_COUNT);
    tcase_add_loop_test(cases, sparse_times_dense, 0, METHOD_COUNT);
    tcase_add_loop_test(cases, products_that_cancel, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, segments_beyond_all_rows, 0, 2 * METHOD_COUNT);
    tcase_add_test(cases, arguments);
}

int main(void) { return run_cases("gathered", add_gathered); }
