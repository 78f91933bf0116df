/* test_integers.c - integers by every operation, in every result type and direction, against GMP and MPFR: vectors of
 * every length around blocks, extremes, layouts, segments, keys, threads and tiers.
 * On the CPU: GPUs have no integers (tests/cuda/test_integer_contexts.c). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integer_oracle.h"
#include "random_doubles.h"
#include "support.h"

/* ---------------------------------------------------------------------------------------------------------- vectors */

static void check_vector(quire_context *context, integer_family family, quire_type type, size_t n, size_t offset) {
    const size_t size = integer_size(type);
    char *x = array_new(n * size + !n, offset * size), *y = array_new(n * size + !n, 0);
    uint64_t result[2];
    integer_oracle o;
    integer_fill(family, type, x, n);
    integer_fill(random_bits() % 2 ? family : INTEGERS_RANDOM, type, y, n);
    integer_oracle_open(&o);
    for (size_t k = 0; k < INTEGER_OPERATION_COUNT; k++) {
        const quire_layout one = quire_strided(n, 1);
        integer_oracle_reset(&o);
        for (size_t i = 0; i < n; i++) integer_oracle_add(&o, INTEGER_OPERATIONS[k], type, x + i * size, y + i * size);
        for (int turn = 0; turn < 4; turn++) {
            const quire_reduction what = integer_reduction(type, INTEGER_OPERATIONS[k]);
            check_ok(quire_reduce(context, &what, &one, x, NULL, y, result));
            integer_check(&o, &what, result, "a vector");
        }
    }
    integer_oracle_close(&o);
    array_free(x), array_free(y);
}

START_TEST(vectors) {
    static const size_t lengths[] = { 0, 1, 2, 3, 7, 8, 31, 64, 65, 255, 1000, 1024, 1025 };
    for (int t = 0; t < INTEGER_TYPES; t++)
        for (int family = 0; family < INTEGER_FAMILIES; family++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
                check_vector(NULL, (integer_family)family, INTEGERS[t], lengths[i], random_bits() % 8);
}
END_TEST

/* Longer than a stretch of 16-bit elements, and than a block; by every tier, by threads that share pieces. */
START_TEST(long_vectors) {
    static const size_t lengths[] = { (1 << 13) - 1, (1 << 13) + 1, 70000, 200001 };
    setenv("QUIRE_CPU_THREAD", "1", 1);
    for (int tier = QUIRE_TIER_BEST; tier <= QUIRE_TIER_AVX512; tier++) {
        quire_context *context = NULL;
        if (!quire_tier_available((quire_tier)tier)) continue;
        check_ok(quire_open_cpu(&context, tier ? tier : 3));
        check_ok(quire_set_tier(context, (quire_tier)tier));
        for (int t = 0; t < INTEGER_TYPES; t++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
                check_vector(context, (integer_family)(random_bits() % INTEGER_FAMILIES), INTEGERS[t], lengths[i], 1);
        quire_close(context);
    }
}
END_TEST

/* Sums that go beyond 64 bits, and beyond 53. */
START_TEST(great_sums) {
    static const int64_t odd[3] = { ((int64_t)1 << 53) + 1, 0, 0 };
    static const uint64_t greatest[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
    static const int64_t least[4] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
    uint64_t words[2];
    double d;
    check_ok(quire_sum(NULL, QUIRE_INT64, 3, odd, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 0x1p53);
    check_ok(quire_mean(NULL, QUIRE_INT64, 3, odd, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 3002399751580331); /* (2^53 + 1) / 3, an integer: 2^53 / 3 is none */
    check_ok(quire_sum(NULL, QUIRE_UINT64, 3, greatest, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == UINT64_MAX - 2 && words[1] == 2); /* on a little-endian machine, as all that are tested */
    check_ok(quire_sum(NULL, QUIRE_INT64, 4, least, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == 0 && words[1] == (uint64_t)-2);
    check_ok(quire_asum(NULL, QUIRE_INT64, 4, least, QUIRE_EXACT, QUIRE_INT128, words));
    ck_assert(words[0] == 0 && words[1] == 2);
    check_ok(quire_nrm2(NULL, QUIRE_INT64, 4, least, QUIRE_EXACT, QUIRE_F64, &d));
    ck_assert(d == 0x1p64);
    check_ok(quire_variance(NULL, QUIRE_UINT64, 3, greatest, 0, QUIRE_F64, &d));
    ck_assert(d == 0);
}
END_TEST

/* By default a result is a double. */
START_TEST(defaults) {
    static const int8_t x[3] = { 100, 100, 100 };
    const quire_reduction what = { .type = QUIRE_INT8 };
    const quire_layout one = quire_strided(3, 1);
    double d = 0;
    check_ok(quire_reduce(NULL, &what, &one, x, NULL, NULL, &d));
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

static void check_layout(quire_context *context, quire_type type, size_t outer, size_t n, size_t inner) {
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
    check_ok(quire_reduce(context, &what, &a, x + x_first * size, &b, y + y_first * size, results));
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
    quire_context *context = NULL;
    setenv("QUIRE_CPU_THREAD", "1", 1);
    check_ok(quire_open_cpu(&context, 3));
    for (size_t turn = 0; turn < scaled(600); turn++) {
        const size_t n = turn % 10 ? random_bits() % 40 : random_bits() % 1500;
        check_layout(turn % 2 ? context : NULL, INTEGERS[turn % INTEGER_TYPES], random_bits() % 5, n,
                     random_bits() % 40);
    }
    check_layout(context, QUIRE_INT32, 1, (size_t)1 << 18, 2); /* few and long ones, which threads share */
    check_layout(context, QUIRE_UINT8, 2, ((size_t)1 << 18) + 5, 1);
    quire_close(context);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- segments, keys */

static void check_segments(quire_context *context, quire_type type, size_t segments, size_t elements) {
    const size_t size = integer_size(type);
    const quire_operation op = INTEGER_OPERATIONS[random_bits() % INTEGER_OPERATION_COUNT];
    const quire_reduction what = integer_reduction(type, op);
    char *x = array_new(elements * size, 0), *y = array_new(elements * size, 0), *results = array_new(segments * 16, 0);
    int32_t *begin = array_new(segments * sizeof *begin, 0), *end = array_new(segments * sizeof *end, 0);
    integer_oracle o;
    integer_fill(INTEGERS_EXTREMES, type, x, elements), integer_fill(INTEGERS_RANDOM, type, y, elements);
    for (size_t s = 0; s < segments; s++)
        begin[s] = (int32_t)(random_bits() % elements), end[s] = (int32_t)(random_bits() % (elements + 1));
    check_ok(quire_reduce_segments(context, &what, segments, QUIRE_I32, begin, end, x, y, results));
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
    quire_context *context = NULL;
    setenv("QUIRE_CPU_THREAD", "1", 1);
    check_ok(quire_open_cpu(&context, 3));
    for (size_t turn = 0; turn < scaled(60); turn++)
        check_segments(turn % 2 ? context : NULL, INTEGERS[turn % INTEGER_TYPES], 1 + random_bits() % 50,
                       1 + random_bits() % 300);
    check_segments(context, QUIRE_INT16, 4, (size_t)1 << 19);
    quire_close(context);
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
    const size_t room = quire_by_key_workspace(NULL, &what, groups, QUIRE_I64, &layout);
    const size_t sort = quire_order_workspace(NULL, groups, QUIRE_I64, rows);
    void *workspace = aligned_alloc(256, (room + 255) / 256 * 256),
         *sorting = aligned_alloc(256, (sort + 255) / 256 * 256);
    integer_oracle o;
    integer_fill(INTEGERS_EXTREMES, type, x, rows * columns), integer_fill(INTEGERS_RANDOM, type, y, rows * columns);
    for (size_t i = 0; i < rows; i++) keys[i] = (int64_t)(random_bits() % (groups + 2)) - 1;
    check_ok(quire_reduce_by_key(NULL, &what, groups, QUIRE_I64, keys, &layout, x, NULL, y, results, counts, workspace,
                                 room));
    check_ok(quire_order_by_key(NULL, groups, QUIRE_I64, rows, keys, order, offsets, sorting, sort));
    check_ok(quire_reduce_gathered(NULL, &what, groups, QUIRE_I64, offsets, offsets + 1, order, &layout, x, order, NULL,
                                   y, again));
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
    array_free(order), array_free(offsets), free(workspace), free(sorting);
}

START_TEST(keys) {
    for (size_t turn = 0; turn < scaled(100); turn++)
        check_keys(INTEGERS[turn % INTEGER_TYPES], random_bits() % 900, turn % 7 ? 1 + turn % KEY_COLUMNS : 40,
                   1 + random_bits() % 12);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, vectors);
    tcase_add_test(cases, long_vectors);
    tcase_add_test(cases, great_sums);
    tcase_add_test(cases, defaults);
    tcase_add_test(cases, layouts);
    tcase_add_test(cases, segments);
    tcase_add_test(cases, keys);
}

int main(void) { return run_cases_without_place("integers", add); }
