/* test_integers.c - integers by every operation, in every result type and direction, against GMP and MPFR: vectors of
 * every length around blocks, extremes, layouts, segments, keys, threads, tiers and launches. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integer_oracle.h"
#include "number.h"
#include "place.h"
#include "random_doubles.h"
#include "support.h"

/* A context whose threads share whatever there is, where there are threads. */
static quire_context *eager;

static void open_eager(void) {
    if (strcmp(place_name(), "cpu")) return;
    setenv("QUIRE_CPU_THREAD", "1", 1);
    check_ok(quire_open_cpu(&eager, 3));
    unsetenv("QUIRE_CPU_THREAD");
}

static void close_eager(void) {
    place_use(0);
    quire_close(eager);
    eager = NULL;
}

static void use_any_variant(void) {
    place_use(0);
    if (eager && random_bits() % 3 == 0)
        place_set_context(eager);
    else
        place_use(random_bits() % place_variants());
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

/* Variant number place_variants() is a context whose threads and blocks share pieces; 0 if there is no such variant. */
static int use_variant(size_t variant) {
    place_use(0);
    if (variant < place_variants()) return place_use(variant) != NULL;
    if (eager) place_set_context(eager);
    return eager != NULL;
}

/* Four calls by any variant, or by each. */
static void check_vector(integer_family family, quire_type type, size_t n, size_t offset, int any_variant) {
    const size_t size = integer_size(type), variants = any_variant ? 1 : place_variants() + 1;
    char *x = array_new(n * size + !n, offset * size), *y = array_new(n * size + !n, 0);
    uint64_t result[2];
    integer_oracle o;
    integer_fill(family, type, x, n);
    integer_fill(random_bits() % 2 ? family : INTEGERS_RANDOM, type, y, n);
    integer_oracle_open(&o);
    for (size_t k = 0; k < INTEGER_OPERATION_COUNT; k++) {
        integer_oracle_reset(&o);
        for (size_t i = 0; i < n; i++) integer_oracle_add(&o, INTEGER_OPERATIONS[k], type, x + i * size, y + i * size);
        for (size_t call = 0; call < 4 * variants; call++) {
            const quire_reduction what = integer_reduction(type, INTEGER_OPERATIONS[k]);
            if (any_variant)
                use_any_variant();
            else if (!use_variant(call / 4))
                continue;
            check_ok(place_reduction(&what, n, x, y, result));
            integer_check(&o, &what, result, "a vector");
        }
    }
    integer_oracle_close(&o);
    array_free(x), array_free(y);
}

START_TEST(vectors) {
    static const size_t lengths[] = { 0, 1, 2, 3, 7, 8, 31, 64, 65, 255, 1000, 1024, 1025, 2047, 2048 };
    open_eager();
    for (int t = 0; t < INTEGER_TYPES; t++)
        for (int family = 0; family < INTEGER_FAMILIES; family++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
                check_vector((integer_family)family, INTEGERS[t], lengths[i], random_bits() % 8, 1);
    close_eager();
}
END_TEST

/* Longer than a stretch of 16-bit elements, and than a block; by every tier and launch, by threads and blocks that
 * share pieces. */
START_TEST(long_vectors) {
    static const size_t lengths[] = { (1 << 13) - 1, (1 << 13) + 1, 70000, 200001 };
    open_eager();
    for (int t = 0; t < INTEGER_TYPES; t++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            check_vector((integer_family)(random_bits() % INTEGER_FAMILIES), INTEGERS[t], lengths[i], 1, 0);
    close_eager();
}
END_TEST

/* Sums that go beyond 64 bits, and beyond 53. */
START_TEST(great_sums) {
    static const int64_t odd[3] = { ((int64_t)1 << 53) + 1, 0, 0 };
    static const uint64_t greatest[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
    static const int64_t least[4] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
    const quire_reduction variance = { .operation = QUIRE_VARIANCE, .type = QUIRE_UINT64 };
    uint64_t words[2];
    double d;
    check_ok(place_reduce(OPERATION_SUM, QUIRE_INT64, 3, odd, NULL, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 0x1p53);
    check_ok(place_reduce(OPERATION_MEAN, QUIRE_INT64, 3, odd, NULL, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 3002399751580331); /* (2^53 + 1) / 3, an integer: 2^53 / 3 is none */
    check_ok(place_reduce(OPERATION_SUM, QUIRE_UINT64, 3, greatest, NULL, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == UINT64_MAX - 2 && words[1] == 2); /* on a little-endian machine, as all that are tested */
    check_ok(place_reduce(OPERATION_SUM, QUIRE_INT64, 4, least, NULL, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == 0 && words[1] == (uint64_t)-2);
    check_ok(place_reduce(OPERATION_ASUM, QUIRE_INT64, 4, least, NULL, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == 0 && words[1] == 2);
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_INT64, 4, least, NULL, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 0x1p64);
    check_ok(place_reduction(&variance, 3, greatest, NULL, &d));
    ck_assert(d == 0);
}
END_TEST

/* By default a result is a double. */
START_TEST(defaults) {
    static const int8_t x[3] = { 100, 100, 100 };
    const quire_reduction what = { .type = QUIRE_INT8 };
    double d = 0;
    check_ok(place_reduction(&what, 3, x, NULL, &d));
    ck_assert(d == 300);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Any layout whose elements lie in [0, room). */
static quire_layout random_layout(size_t outer, size_t n, size_t inner, ptrdiff_t most, size_t *first, size_t *room) {
    quire_layout l = { outer, n, inner, 0, 0, 0 };
    ptrdiff_t *const strides[3] = { &l.outer_stride, &l.stride, &l.inner_stride };
    const size_t counts[3] = { outer, n, inner };
    size_t before = 0, behind = 0;
    for (int i = 0; i < 3; i++) {
        *strides[i] = (ptrdiff_t)(random_bits() % (uint64_t)(2 * most + 1)) - most;
        const size_t span = counts[i] ? (counts[i] - 1) * (size_t)(*strides[i] < 0 ? -*strides[i] : *strides[i]) : 0;
        if (*strides[i] < 0)
            before += span;
        else
            behind += span;
    }
    *first = before, *room = before + behind + 1;
    return l;
}

static void check_layout(quire_type type, size_t outer, size_t n, size_t inner) {
    const size_t size = integer_size(type);
    const quire_operation op = INTEGER_OPERATIONS[random_bits() % INTEGER_OPERATION_COUNT];
    const quire_reduction what = integer_reduction(type, op);
    size_t x_first, x_room, y_first, y_room;
    quire_layout a = random_layout(outer, n, inner, 3, &x_first, &x_room);
    quire_layout b = random_layout(outer, n, inner, 40, &y_first, &y_room);
    char *x = array_new(x_room * size, 0), *y = array_new(y_room * size, 0);
    char *results = array_new(outer * inner * 16 + 8, 0);
    integer_oracle o;
    integer_fill((integer_family)(random_bits() % INTEGER_FAMILIES), type, x, x_room);
    integer_fill(INTEGERS_RANDOM, type, y, y_room);
    if (random_bits() % 2) { /* the wide strides for x, too */
        char *z = x;
        const quire_layout l = a;
        const size_t f = x_first;
        x = y, y = z, a = b, b = l, x_first = y_first, y_first = f;
    }
    integer_oracle_open(&o);
    use_any_variant();
    check_ok(place_layouts(&what, &a, x + x_first * size, &b, y + y_first * size, results));
    for (size_t i = 0; i < outer; i++)
        for (size_t j = 0; j < inner; j++) {
            integer_oracle_reset(&o);
            for (size_t k = 0; k < n; k++) {
                const ptrdiff_t at_x = (ptrdiff_t)i * a.outer_stride + (ptrdiff_t)k * a.stride +
                                       (ptrdiff_t)j * a.inner_stride + (ptrdiff_t)x_first;
                const ptrdiff_t at_y = (ptrdiff_t)i * b.outer_stride + (ptrdiff_t)k * b.stride +
                                       (ptrdiff_t)j * b.inner_stride + (ptrdiff_t)y_first;
                integer_oracle_add(&o, op, type, x + at_x * (ptrdiff_t)size, y + at_y * (ptrdiff_t)size);
            }
            integer_check(&o, &what, results + (i * inner + j) * integer_result_size(what.result_type), "a layout");
        }
    integer_oracle_close(&o);
    array_free(x), array_free(y), array_free(results);
}

START_TEST(layouts) {
    open_eager();
    for (size_t turn = 0; turn < scaled(600); turn++) {
        const size_t n = turn % 10 ? random_bits() % 40 : random_bits() % 3000;
        check_layout(INTEGERS[turn % INTEGER_TYPES], random_bits() % 5, n, random_bits() % 40);
    }
    for (size_t turn = 0; turn < scaled(6); turn++) { /* few and long ones, which threads and blocks share */
        check_layout(QUIRE_INT32, 1, (size_t)1 << 18, 2);
        check_layout(QUIRE_UINT8, 2, ((size_t)1 << 18) + 5, 1);
    }
    close_eager();
}
END_TEST

/* More results than can be put aside at a time: for their lengths, or since they are 0, which no ball tells. */
START_TEST(many_put_aside) {
    enum { ROWS = 5000, N = 3 };
    static const quire_operation operations[3] = { QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION };
    const quire_layout rows = quire_rows(ROWS, N, N);
    int16_t *x = array_new(ROWS * N * sizeof *x, 0), *y = array_new(ROWS * N * sizeof *y, 0);
    double *results = array_new(ROWS * sizeof *results, 0);
    for (size_t turn = 0; turn < scaled(3); turn++) check_layout(QUIRE_INT8, 2300, 2100, 1);
    for (int i = 0; i < ROWS * N; i++) x[i] = 7, y[i] = (int16_t)(1 + i % 5);
    for (int k = 0; k < 3; k++) {
        const quire_reduction what = { .operation = operations[k], .type = QUIRE_INT16 };
        const uint64_t right = k == 0 ? double_bits(7) : k == 1 ? 0 : type_nan(QUIRE_F64);
        use_any_variant();
        check_ok(place_layouts(&what, &rows, x, NULL, y, results));
        for (size_t i = 0; i < ROWS; i++) check_bits(QUIRE_F64, &results[i], right, "operation %d, row %zu", k, i);
    }
    place_use(0);
    array_free(x), array_free(y), array_free(results);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- segments, keys */

static void check_segments(quire_type type, size_t segments, size_t elements) {
    const size_t size = integer_size(type);
    const quire_operation op = INTEGER_OPERATIONS[random_bits() % INTEGER_OPERATION_COUNT];
    const quire_reduction what = integer_reduction(type, op);
    char *x = array_new(elements * size, 0), *y = array_new(elements * size, 0), *results = array_new(segments * 16, 0);
    int32_t *begin = array_new(segments * sizeof *begin, 0), *end = array_new(segments * sizeof *end, 0);
    integer_oracle o;
    integer_fill(INTEGERS_EXTREMES, type, x, elements), integer_fill(INTEGERS_RANDOM, type, y, elements);
    for (size_t s = 0; s < segments; s++)
        begin[s] = (int32_t)(random_bits() % elements), end[s] = (int32_t)(random_bits() % (elements + 1));
    use_any_variant();
    check_ok(place_segments(&what, segments, QUIRE_I32, begin, end, elements, x, y, results));
    integer_oracle_open(&o);
    for (size_t s = 0; s < segments; s++) {
        integer_oracle_reset(&o);
        for (int32_t i = begin[s]; i < end[s]; i++)
            integer_oracle_add(&o, op, type, x + (size_t)i * size, y + (size_t)i * size);
        integer_check(&o, &what, results + s * integer_result_size(what.result_type), "a segment");
    }
    integer_oracle_close(&o);
    array_free(x), array_free(y), array_free(results), array_free(begin), array_free(end);
}

START_TEST(segments) {
    open_eager();
    for (size_t turn = 0; turn < scaled(60); turn++)
        check_segments(INTEGERS[turn % INTEGER_TYPES], 1 + random_bits() % 50, 1 + random_bits() % 300);
    for (size_t turn = 0; turn < scaled(6); turn++) {
        check_segments(INTEGERS[turn % INTEGER_TYPES], 50, 9000);
        check_segments(QUIRE_INT16, 4, (size_t)1 << 19);
    }
    close_eager();
}
END_TEST

#define KEY_COLUMNS 3
static void check_keys(quire_type type, size_t rows, size_t columns, size_t groups) {
    const size_t size = integer_size(type);
    const quire_operation op = INTEGER_OPERATIONS[random_bits() % INTEGER_OPERATION_COUNT];
    const quire_reduction what = integer_reduction(type, op);
    const quire_layout layout = quire_columns(rows, columns, (ptrdiff_t)columns);
    char *x = array_new(rows * columns * size + 8, 0), *y = array_new(rows * columns * size + 8, 0);
    char *results = array_new(groups * columns * 16, 0), *again = array_new(groups * columns * 16, 0);
    int64_t *keys = array_new(rows * sizeof *keys + 8, 0), *counts = array_new(groups * sizeof *counts, 0);
    int64_t *order = array_new(rows * sizeof *order + 8, 0), *offsets = array_new((groups + 1) * sizeof *offsets, 0);
    integer_oracle o;
    integer_fill(INTEGERS_EXTREMES, type, x, rows * columns), integer_fill(INTEGERS_RANDOM, type, y, rows * columns);
    for (size_t i = 0; i < rows; i++) keys[i] = (int64_t)(random_bits() % (groups + 2)) - 1;
    use_any_variant();
    const place_rows gathered = { groups, rows, QUIRE_I64, offsets, offsets + 1, order, order };
    check_ok(place_by_key(&what, groups, QUIRE_I64, keys, &layout, x, NULL, y, results, counts));
    check_ok(place_order_by_key(groups, QUIRE_I64, rows, keys, order, offsets));
    check_ok(place_gathered(&what, &gathered, &layout, x, NULL, y, again));
    ck_assert(!memcmp(results, again, groups * columns * integer_result_size(what.result_type)));
    integer_oracle_open(&o);
    for (size_t g = 0; g < groups; g++)
        for (size_t c = 0; c < columns; c++) {
            integer_oracle_reset(&o);
            for (size_t i = 0; i < rows; i++)
                if (keys[i] == (int64_t)g)
                    integer_oracle_add(&o, op, type, x + (i * columns + c) * size, y + (i * columns + c) * size);
            integer_check(&o, &what, results + (g * columns + c) * integer_result_size(what.result_type), "a group");
            ck_assert_int_eq(counts[g], (int64_t)o.n);
        }
    integer_oracle_close(&o);
    array_free(x), array_free(y), array_free(results), array_free(again), array_free(keys), array_free(counts);
    array_free(order), array_free(offsets);
}

START_TEST(keys) {
    for (size_t turn = 0; turn < scaled(100); turn++)
        check_keys(INTEGERS[turn % INTEGER_TYPES], random_bits() % 900, turn % 7 ? 1 + turn % KEY_COLUMNS : 40,
                   1 + random_bits() % 12);
    for (size_t turn = 0; turn < scaled(10); turn++) /* groups that blocks share */
        check_keys(INTEGERS[turn % INTEGER_TYPES], 9000, turn % 2 ? 1 : 9, 1 + turn % 3);
    place_use(0);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, vectors);
    tcase_add_test(cases, long_vectors);
    tcase_add_test(cases, great_sums);
    tcase_add_test(cases, defaults);
    tcase_add_test(cases, layouts);
    tcase_add_test(cases, many_put_aside);
    tcase_add_test(cases, segments);
    tcase_add_test(cases, keys);
}

int main(void) { return run_cases("integers", add); }
