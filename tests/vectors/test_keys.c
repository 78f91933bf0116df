/* test_keys.c - sums by key: the order is the stable one, and each group's result has the bits of the single call on
 * its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keyed.h"
#include "place.h"
#include "support.h"

/* ------------------------------------------------------------------------------------------------------------- keys */

typedef enum kind { UNIFORM, SORTED, ONE_GROUP, POWER_LAW, ANYWHERE, KIND_COUNT } kind;

/* Some of them of no group: less than 0, or more than the last, those of 64 bits by a multiple of 2^32 as well. */
static int64_t draw_key(generator *g, kind which, size_t groups, size_t row, size_t n, quire_index index) {
    if (!groups) return generator_between(g, -2, 2);
    switch (which) {
    case SORTED: return (int64_t)(row * groups / n);
    case ONE_GROUP: return (int64_t)groups - 1;
    case POWER_LAW: return (int64_t)((1 / (generator_uniform(g) + 1e-4) - 1) / 1e4 * (double)groups) % (int64_t)groups;
    case ANYWHERE:
        if (generator_below(g, 4) == 0) switch (generator_below(g, index == QUIRE_I64 ? 4 : 3)) {
            case 0: return -1 - (int64_t)generator_below(g, 1000);
            case 1: return (int64_t)(groups + generator_below(g, 3));
            case 2: return generator_below(g, 2) ? INT32_MIN : INT32_MAX;
            default: return (int64_t)(generator_next(g) << 32 | generator_below(g, groups)) | (int64_t)1 << 32;
            }
        return (int64_t)generator_below(g, groups);
    default: return (int64_t)generator_below(g, groups);
    }
}

static grouped draw_grouped(generator *g, kind which, size_t n, size_t groups, quire_index index) {
    int64_t *keys = array_new((n + 1) * sizeof *keys, 0);
    for (size_t i = 0; i < n; i++) keys[i] = draw_key(g, which, groups, i, n, index);
    return grouped_of(keys, n, groups);
}

/* ------------------------------------------------------------------------------------------------------------ order */

static void check_numbers(quire_index index, const void *found, const int64_t *expected, size_t count,
                          const char *text) {
    for (size_t i = 0; i < count; i++) {
        const int64_t number = index == QUIRE_I64 ? ((const int64_t *)found)[i] : ((const int32_t *)found)[i];
        check_that(number == expected[i], "%s %zu: %lld, not %lld", text, i, (long long)number, (long long)expected[i]);
    }
}

static void check_order(const grouped *d, quire_index index) {
    const size_t size = index == QUIRE_I64 ? 8 : 4;
    void *keys = index_array(index, d->keys, d->n);
    void *order = array_new(d->n * size, 0), *offsets = array_new((d->groups + 1) * size, 0);
    check_ok(place_order_by_key(d->groups, index, d->n, keys, order, offsets));
    check_numbers(index, offsets, d->offsets, d->groups + 1, "offset");
    check_numbers(index, order, d->rows, d->n, "row");
    array_free(keys);
    array_free(order);
    array_free(offsets);
}

static size_t draw_groups(generator *g) {
    switch (generator_below(g, 5)) {
    case 0: return generator_below(g, 4);
    case 1: return (size_t)1 << generator_below(g, 20);
    case 2: return ((size_t)1 << generator_below(g, 20)) - 1;
    case 3: return generator_below(g, 1 << 18);
    default: return generator_below(g, 3000);
    }
}

START_TEST(orders_at_random) {
    generator g;
    generator_seed(&g, 211 + (uint64_t)_i);
    if (!place_use((size_t)_i)) return;
    for (size_t turn = scaled(150); turn-- > 0;) {
        const size_t n = generator_below(&g, 3) ? generator_below(&g, 3000) : generator_below(&g, 100000);
        const quire_index index = generator_below(&g, 2) ? QUIRE_I32 : QUIRE_I64;
        grouped d = draw_grouped(&g, (kind)generator_below(&g, KIND_COUNT), n, draw_groups(&g), index);
        check_order(&d, index);
        grouped_free(&d);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- results */

START_TEST(groups_at_random) {
    generator g;
    generator_seed(&g, 307 + (uint64_t)_i);
    if (!place_use((size_t)_i)) return;
    for (size_t turn = scaled(250); turn-- > 0;) {
        const quire_reduction what = draw_reduction(&g);
        const quire_index index = generator_below(&g, 2) ? QUIRE_I32 : QUIRE_I64;
        const size_t n = generator_below(&g, (uint64_t)1 << (1 + generator_below(&g, 13)));
        const size_t groups = 1 + generator_below(&g, (uint64_t)1 << (1 + generator_below(&g, 11)));
        const family which = draw_family(&g);
        grouped d = draw_grouped(&g, (kind)generator_below(&g, KIND_COUNT), n, groups, index);
        row_array x = row_array_new(what.type, draw_rows(&g, n), which, 2 * turn);
        row_array y = row_array_new(what.type, x.layout, which, 2 * turn + 1);
        const size_t all = x.layout.outer * groups * x.layout.inner;
        check_by_key(&what, &d, index, &x, &y, (size_t)_i, 1 + all / 400);
        grouped_free(&d);
        row_array_free(&x);
        row_array_free(&y);
    }
}
END_TEST

/* Enough for threads, with groups that are worth several, and many that are empty; floats and doubles. 300 groups are
 * the most that have windows of three threads, and more than the fewest rows between two emptyings are for. */
START_TEST(many_rows) {
    enum { N = 700000 };
    static const size_t groups[] = { 1, 10, 300, 3000, 100000, 600000 };
    static const kind kinds[] = { UNIFORM, POWER_LAW, ANYWHERE };
    generator g;
    generator_seed(&g, 5);
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        const quire_type type = k % 2 ? QUIRE_F64 : QUIRE_F32;
        const quire_reduction what = { QUIRE_SUM, type, type, METHODS[_i], QUIRE_TO_NEAREST, 0, { 0 } };
        row_array x = row_array_new(type, quire_strided(N, 1), FAMILY_NORMAL, 3);
        grouped d = draw_grouped(&g, kinds[k % 3], N, groups[k], QUIRE_I32);
        for (size_t v = 0; v < place_variants(); v++)
            if (place_use(v)) check_by_key(&what, &d, QUIRE_I32, &x, &x, v, 1 + groups[k] / 100);
        grouped_free(&d);
        row_array_free(&x);
    }
}
END_TEST

/* Wide rows, of which some groups have more than a block holds. */
START_TEST(wide_rows) {
    enum { N = 9000, WIDTH = 37 };
    const quire_reduction what = {
        _i % 2 ? QUIRE_DOT : QUIRE_SUM, QUIRE_F64, QUIRE_F64, METHODS[_i / 2], QUIRE_TO_NEAREST, 0, { 0 }
    };
    row_array x = row_array_new(QUIRE_F64, quire_columns(N, WIDTH, WIDTH + 2), FAMILY_EVERY_EXPONENT, 3);
    row_array y = row_array_new(QUIRE_F64, x.layout, FAMILY_NORMAL, 4);
    generator g;
    generator_seed(&g, 6);
    for (size_t groups = 1; groups <= 2000; groups *= 20) {
        grouped d = draw_grouped(&g, POWER_LAW, N, groups, QUIRE_I64);
        check_by_key(&what, &d, QUIRE_I64, &x, &y, 0, 1 + groups * WIDTH / 300);
        grouped_free(&d);
    }
    row_array_free(&x);
    row_array_free(&y);
}
END_TEST

/* Rows of whole chunks of 16 bytes, of which groups have few, or more than a thread takes alone. */
START_TEST(rows_of_chunks) {
    enum { N = 12000 };
    static const quire_operation operations[] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_VARIANCE };
    const quire_type type = TYPES[_i / 3];
    const quire_reduction what = { operations[_i % 3], type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    row_array x = row_array_new(type, quire_columns(N, 16, 48), _i % 2 ? FAMILY_EVERY_EXPONENT : FAMILY_NORMAL, 3);
    generator g;
    generator_seed(&g, 8 + (uint64_t)_i);
    for (size_t groups = 1; groups <= 1000; groups *= 10) {
        grouped d = draw_grouped(&g, groups == 100 ? ANYWHERE : POWER_LAW, N, groups, QUIRE_I32);
        check_by_key(&what, &d, QUIRE_I32, &x, &x, 0, 1 + groups * 16 / 200);
        grouped_free(&d);
    }
    row_array_free(&x);
}
END_TEST

/* One group has all rows of a family, of few elements or of enough for threads; every third row is of no group. */
START_TEST(families_in_one_group) {
    static const size_t sizes[] = { 200, 60000 };
    generator g;
    generator_seed(&g, 9);
    for (size_t k = 0; k < 4; k++) {
        const quire_type type = k % 2 ? QUIRE_F64 : QUIRE_F32;
        const quire_reduction what = { QUIRE_SUM, type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
        const size_t n = sizes[k / 2], size = type_size(type);
        int64_t *keys = array_new((3 * n + 1) * sizeof *keys, 0);
        char *family_rows = array_new(n * size, 0);
        row_array x = row_array_new(type, quire_strided(3 * n, 1), FAMILY_ANY_BITS, 1);
        family_fill((family)_i, type, 3, n, family_rows);
        for (size_t i = 0, at = 0; i < 3 * n; i++) {
            keys[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? 0 : 2;
            if (i % 3 == 1) copy_element(type, x.memory, i, family_rows, (ptrdiff_t)at++);
        }
        grouped d = grouped_of(keys, 3 * n, 3);
        for (size_t v = 0; v < place_variants(); v++)
            if (place_use(v)) check_by_key(&what, &d, QUIRE_I64, &x, &x, v, 1);
        grouped_free(&d);
        row_array_free(&x);
        array_free(family_rows);
    }
}
END_TEST

/* What was lost twice decides: ties, and a little more or less, in the first rows or in the last ones. */
START_TEST(ties) {
    enum { N = 60000 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout rows = quire_strided(N, 1);
    const double tiny = _i % 2 ? 0x1p-200 : -0x1p-200;
    const size_t first = _i / 2 % 2 ? N - 3 : 0, last = _i / 4 % 2 ? N - 1 : 2;
    double *x = array_new(N * sizeof *x, 0), result;
    int32_t *keys = array_new(N * sizeof *keys, 0);
    for (size_t i = 0; i < N; i++) x[i] = 0, keys[i] = 0;
    x[first] = 1, x[first + 1] = 0x1p-53, x[last] += tiny;
    for (size_t v = 0; v < place_variants(); v++) {
        if (!place_use(v)) continue;
        check_ok(place_by_key(&what, 1, QUIRE_I32, keys, &rows, x, NULL, NULL, &result, NULL));
        ck_assert(result == (tiny > 0 ? 1 + 0x1p-52 : 1));
    }
    place_use(0);
    array_free(x);
    array_free(keys);
}
END_TEST

/* Some thousands of groups are left open by what comes first, of vectors that are one or several. */
START_TEST(open_groups) {
    enum { N = 60000, GROUPS = 20000 };
    const quire_reduction what = { QUIRE_MEAN, QUIRE_F64, QUIRE_F32, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    const quire_layout layouts[2] = { quire_strided(N, 1), { 2, N, 3, 3 * N, 3, 1 } };
    generator g;
    generator_seed(&g, 10);
    row_array x = row_array_new(QUIRE_F64, layouts[_i], FAMILY_NORMAL, 3);
    grouped d = draw_grouped(&g, ANYWHERE, N, GROUPS, QUIRE_I64);
    for (size_t i = 0; i < N; i++)
        if (d.keys[i] % 4 == 0) ((double *)x.memory)[i * layouts[_i].inner] *= i % 2 ? HUGE_VAL : 0x1p-1040;
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_by_key(&what, &d, QUIRE_I64, &x, &x, v, 37);
    grouped_free(&d);
    row_array_free(&x);
}
END_TEST

/* By the exact method, no order of the rows shows. */
START_TEST(any_order_of_rows) {
    enum { N = 5000, GROUPS = 70 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout rows = quire_strided(N, 1);
    double x[N], shuffled[N], expected[GROUPS], results[GROUPS];
    int64_t keys[N], turned[N];
    size_t places[N];
    generator g;
    generator_seed(&g, 8 + (uint64_t)_i);
    family_fill((family)_i, QUIRE_F64, 1, N, x);
    for (size_t i = 0; i < N; i++) places[i] = i, keys[i] = (int64_t)generator_below(&g, GROUPS);
    check_ok(place_by_key(&what, GROUPS, QUIRE_I64, keys, &rows, x, NULL, NULL, expected, NULL));
    generator_shuffle(&g, N, sizeof *places, places);
    for (size_t i = 0; i < N; i++) shuffled[i] = x[places[i]], turned[i] = keys[places[i]];
    check_ok(place_by_key(&what, GROUPS, QUIRE_I64, turned, &rows, shuffled, NULL, NULL, results, NULL));
    ck_assert(!memcmp(results, expected, sizeof results));
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- arguments */

START_TEST(nothing_to_do) {
    const quire_reduction what = { QUIRE_MEAN, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout none = quire_strided(0, 1), narrow = quire_columns(3, 0, 5), three = quire_strided(3, 1);
    const int32_t keys[3] = { 1, 0, 1 };
    const float x[3] = { 1, 2, 4 };
    float results[2] = { -1, -1 };
    int64_t counts[2] = { -1, -1 };
    int32_t offsets[3] = { -1, -1, -1 };
    check_ok(place_by_key(&what, 0, QUIRE_I32, keys, &three, x, NULL, NULL, results, counts));
    ck_assert(results[0] == -1 && counts[0] == -1);
    check_ok(place_by_key(&what, 2, QUIRE_I32, NULL, &none, NULL, NULL, NULL, results, counts));
    for (int i = 0; i < 2; i++) check_bits(QUIRE_F32, &results[i], type_nan(QUIRE_F32), "the mean of nothing");
    ck_assert(counts[0] == 0 && counts[1] == 0);
    check_ok(place_by_key(&what, 2, QUIRE_I32, keys, &narrow, NULL, NULL, NULL, NULL, counts));
    ck_assert(counts[0] == 1 && counts[1] == 2);
    check_ok(place_by_key(&what, 2, QUIRE_I32, keys, &three, x, NULL, NULL, results, NULL));
    ck_assert(results[0] == 2 && results[1] == 2.5f);
    const quire_reduction dot = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, QUIRE_PLAIN, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout first = quire_strided(3, 0); /* one array in two layouts */
    check_ok(place_by_key(&dot, 2, QUIRE_I32, keys, &three, x, &first, x, results, NULL));
    ck_assert(results[0] == 2 && results[1] == 5);
    check_ok(place_order_by_key(2, QUIRE_I32, 0, NULL, NULL, offsets));
    ck_assert(offsets[0] == 0 && offsets[1] == 0 && offsets[2] == 0);
}
END_TEST

START_TEST(arguments_of_orders) {
    int64_t keys[4] = { 1, 0, 1, 0 }, order[4] = { -1, -1, -1, -1 }, offsets[3] = { -1, -1, -1 };
    quire_context *c = place_context();
    const size_t size = quire_order_workspace(c, 2, QUIRE_I64, 4);
    char *workspace = NULL;
    const void *odd = (const char *)keys + 4;
    ck_assert_uint_gt(size, 0);
    ck_assert(!posix_memalign((void **)&workspace, 256, size + 256));
#define REFUSED(status, ...) ck_assert_int_eq(quire_order_by_key(c, __VA_ARGS__), status)
    REFUSED(QUIRE_INVALID_INDEX, 2, (quire_index)3, 4, keys, order, offsets, workspace, size);
    REFUSED(QUIRE_SIZE_OVERFLOW, SIZE_MAX, QUIRE_I64, 4, keys, order, offsets, workspace, size);
    REFUSED(QUIRE_SIZE_OVERFLOW, 2, QUIRE_I64, SIZE_MAX / 8, keys, order, offsets, workspace, size);
    REFUSED(QUIRE_SIZE_OVERFLOW, 2, QUIRE_I32, (size_t)INT32_MAX + 1, keys, order, offsets, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, 2, QUIRE_I64, 4, NULL, order, offsets, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, 2, QUIRE_I64, 4, odd, order, NULL, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, 2, QUIRE_I64, 4, odd, order, offsets, NULL, size);
    REFUSED(QUIRE_MISALIGNED, 2, QUIRE_I64, 4, odd, order, offsets, workspace, size);
    REFUSED(QUIRE_MISALIGNED, 2, QUIRE_I64, 4, keys, order, offsets, workspace + 128, 0);
    REFUSED(QUIRE_OUT_OF_MEMORY, 2, QUIRE_I64, 4, keys, order, offsets, workspace, size - 1);
#undef REFUSED
    ck_assert_uint_eq(quire_order_workspace(c, 2, (quire_index)0, 4), 0);
    ck_assert_uint_eq(quire_order_workspace(c, SIZE_MAX, QUIRE_I64, 4), 0);
    ck_assert(order[0] == -1 && offsets[0] == -1);
    free(workspace);
}
END_TEST

START_TEST(arguments_of_sums) {
    const int32_t keys[4] = { 1, 0, 1, 0 };
    const float x[4] = { 1, 2, 3, 4 };
    const quire_layout rows = quire_strided(4, 1), other = quire_strided(3, 1);
    quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    float results[2] = { -1, -1 };
    int64_t counts[2] = { -1, -1 };
    quire_context *c = place_context();
    const size_t size = quire_by_key_workspace(c, &what, 2, QUIRE_I32, &rows);
    char *workspace = NULL;
    const void *odd = (const char *)x + 1;
    ck_assert_uint_gt(size, 0);
    ck_assert(!posix_memalign((void **)&workspace, 256, size + 256));
#define REFUSED(status, ...) ck_assert_int_eq(quire_reduce_by_key(c, __VA_ARGS__), status)
    REFUSED(QUIRE_NULL_POINTER, NULL, 2, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, keys, NULL, x, NULL, x, results, counts, workspace, size);
    REFUSED(QUIRE_INVALID_INDEX, &what, 2, (quire_index)0, keys, &rows, x, NULL, x, results, counts, workspace, size);
    REFUSED(QUIRE_INVALID_LAYOUT, &what, 2, QUIRE_I32, keys, &rows, x, &other, x, results, counts, workspace, size);
    REFUSED(QUIRE_INVALID_LAYOUT, &what, SIZE_MAX, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace,
            size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, NULL, &rows, x, NULL, x, results, counts, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, keys, &rows, NULL, NULL, odd, results, counts, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, keys, &rows, odd, NULL, NULL, results, counts, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, keys, &rows, odd, NULL, x, NULL, counts, workspace, size);
    REFUSED(QUIRE_NULL_POINTER, &what, 2, QUIRE_I32, keys, &rows, odd, NULL, x, results, counts, NULL, size);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I32, keys, &rows, odd, NULL, x, results, counts, workspace, size);
    REFUSED(QUIRE_MISALIGNED, &what, 2, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace + 64, size);
    REFUSED(QUIRE_OUT_OF_MEMORY, &what, 2, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace, size - 1);
    what.reserved[1] = 1;
    REFUSED(QUIRE_INVALID_OPERATION, &what, 2, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace, size);
    what.reserved[1] = 0, what.operation = QUIRE_VARIANCE, what.method = QUIRE_PLAIN;
    REFUSED(QUIRE_INVALID_METHOD, &what, 2, QUIRE_I32, keys, &rows, x, NULL, x, results, counts, workspace, size);
#undef REFUSED
    ck_assert_uint_eq(quire_by_key_workspace(c, &what, 2, QUIRE_I32, &rows), 0);
    ck_assert(results[0] == -1 && counts[0] == -1);
    free(workspace);
}
END_TEST

static void add_keys(TCase *cases) {
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, orders_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, groups_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, many_rows, 0, METHOD_COUNT);
    tcase_add_loop_test(cases, wide_rows, 0, 2 * METHOD_COUNT);
    tcase_add_loop_test(cases, rows_of_chunks, 0, 3 * TYPE_COUNT);
    tcase_add_loop_test(cases, families_in_one_group, 0, FAMILY_COUNT);
    tcase_add_loop_test(cases, ties, 0, 8);
    tcase_add_loop_test(cases, open_groups, 0, 2);
    tcase_add_loop_test(cases, any_order_of_rows, 0, FAMILY_COUNT);
    tcase_add_test(cases, nothing_to_do);
    tcase_add_test(cases, arguments_of_orders);
    tcase_add_test(cases, arguments_of_sums);
}

int main(void) { return run_cases("keys", add_keys); }
