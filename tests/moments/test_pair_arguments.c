/* test_pair_arguments.c - averages, covariances and correlations of accumulators against MPFR, and what calls of two
 * arrays answer to arguments that are wrong. */
#include <string.h>

#include "families.h"
#include "many.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

static const quire_operation PAIRS[3] = { QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION };

static int64_t draw_correction(generator *g, size_t n) {
    static const int64_t some[] = { 0, 1, -1, -3, 2, INT64_MIN, INT64_MAX };
    switch (generator_below(g, 4)) {
    case 0: return (int64_t)n + generator_between(g, -3, 3);
    case 1: return some[generator_below(g, 7)];
    default: return (int64_t)generator_below(g, 2);
    }
}

/* ----------------------------------------------------------------------------------------------------- accumulators */

typedef struct sums {
    quire_accumulator x, y, xx, yy, xy;
} sums;

static void sums_add(sums *s, quire_type type, size_t n, const void *x, const void *y) {
    check_ok(quire_accumulate(NULL, &s->x, type, n, x));
    check_ok(quire_accumulate(NULL, &s->y, type, n, y));
    check_ok(quire_accumulate_products(NULL, &s->xx, type, n, x, x));
    check_ok(quire_accumulate_products(NULL, &s->yy, type, n, y, y));
    check_ok(quire_accumulate_products(NULL, &s->xy, type, n, x, y));
}

static quire_status finish(const quire_reduction *what, const sums *s, void *result) {
    const int is_average = what->operation == QUIRE_AVERAGE, is_correlation = what->operation == QUIRE_CORRELATION;
    return quire_finish_pair(what, is_average ? NULL : &s->x, &s->y, is_correlation ? &s->xx : NULL,
                             is_correlation ? &s->yy : NULL, &s->xy, result);
}

START_TEST(accumulators) {
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type);
    generator g;
    generator_seed(&g, 19 + (uint64_t)_i);
    for (size_t turn = scaled(60); turn-- > 0;) {
        const size_t n = generator_below(&g, 300), cut = generator_below(&g, n + 1);
        char *x = array_new(n * size, 0), *y = array_new(n * size, 0);
        sums s;
        oracle_moments o;
        memset(&s, 0, sizeof s);
        family_fill_pair((family)generator_below(&g, FAMILY_COUNT), type, generator_next(&g), n, x, y);
        sums_add(&s, type, cut, x, y);
        sums_add(&s, type, n - cut, x + cut * size, y + cut * size);
        oracle_moments_open(&o, type, n, x, y);
        for (int i = 0; i < 12; i++) {
            const quire_reduction what = {
                PAIRS[i % 3],           0,    TYPES[generator_below(&g, TYPE_COUNT)], QUIRE_EXACT, ROUNDINGS[i / 3],
                draw_correction(&g, n), { 0 }
            };
            uint64_t result = 0;
            check_ok(finish(&what, &s, &result));
            check_bits(what.result_type, &result, oracle_moment(&o, &what), "%s of %zu, finished",
                       reduction_text(&what), n);
            if (what.operation != QUIRE_AVERAGE) continue;
            result = 0;
            check_ok(quire_finish(&what, &s.xy, &s.y, &result));
            check_bits(what.result_type, &result, oracle_moment(&o, &what), "average of two accumulators");
            result = 0;
            check_ok(place_finish(&what, 1, &s.xy, &s.y, &result));
            check_bits(what.result_type, &result, oracle_moment(&o, &what), "the same of many");
        }
        oracle_moments_close(&o);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- statuses */

static const void *beside(const void *p) { return (const char *)p + 1; }

START_TEST(bad_accumulators) {
    const double x[4] = { 1, 2, 4, 9 };
    double result = -7;
    sums s, other, mixed;
    memset(&s, 0, sizeof s);
    other = mixed = s;
    sums_add(&s, QUIRE_F64, 4, x, x);
    sums_add(&other, QUIRE_F64, 3, x, x);
    const quire_reduction good = { QUIRE_CORRELATION, 0, QUIRE_F64, 0, QUIRE_TO_NEAREST, 0, { 0 } };
    quire_reduction what = good;
    ck_assert_int_eq(quire_finish_pair(NULL, &s.x, &s.y, &s.xx, &s.yy, &s.xy, &result), QUIRE_NULL_POINTER);
    for (int operation = -1; operation < 15; operation++) {
        what.operation = (quire_operation)operation, what.method = QUIRE_PLAIN;
        const int is_pair = operation >= QUIRE_AVERAGE && operation <= QUIRE_CORRELATION;
        const quire_status right = is_pair ? QUIRE_INVALID_METHOD : QUIRE_INVALID_OPERATION;
        ck_assert_int_eq(quire_finish_pair(&what, NULL, NULL, NULL, NULL, NULL, NULL), right);
        if (operation != QUIRE_COVARIANCE && operation != QUIRE_CORRELATION) continue;
        ck_assert_int_eq(quire_finish(&what, NULL, NULL, NULL), QUIRE_INVALID_OPERATION);
        ck_assert_int_eq(quire_finish_many(NULL, &what, 1, NULL, NULL, NULL), QUIRE_INVALID_OPERATION);
    }
    what = good, what.reserved[1] = 1;
    ck_assert_int_eq(quire_finish_pair(&what, &s.x, &s.y, &s.xx, &s.yy, &s.xy, &result), QUIRE_INVALID_OPERATION);
    what = good, what.result_type = (quire_type)99;
    ck_assert_int_eq(quire_finish_pair(&what, NULL, &s.y, &s.xx, &s.yy, &s.xy, &result), QUIRE_INVALID_RESULT_TYPE);
    what = good, what.rounding = (quire_rounding)4;
    ck_assert_int_eq(quire_finish_pair(&what, NULL, &s.y, &s.xx, &s.yy, &s.xy, &result), QUIRE_INVALID_ROUNDING);
    what = good;
    for (int i = 0; i < 6; i++) { /* each pointer, and behind a misaligned one */
        const quire_accumulator *all[5] = { &s.x, &s.y, &s.xx, &s.yy, &s.xy };
        void *to = i == 5 ? NULL : (void *)&result;
        if (i < 5) all[i] = NULL;
        ck_assert_int_eq(quire_finish_pair(&what, all[0], all[1], all[2], all[3], all[4], to), QUIRE_NULL_POINTER);
        all[(i + 1) % 5] = beside(&s.x);
        ck_assert_int_eq(quire_finish_pair(&what, all[0], all[1], all[2], all[3], all[4], to), QUIRE_NULL_POINTER);
        if (i == 5) to = (void *)((char *)&result + 1);
        if (i < 5) all[i] = beside(&s.xx);
        ck_assert_int_eq(quire_finish_pair(&what, all[0], all[1], all[2], all[3], all[4], to), QUIRE_MISALIGNED);
    }
    ck_assert_int_eq(quire_finish_pair(&what, &s.x, &s.y, &s.xx, &other.yy, &s.xy, &result), QUIRE_INVALID_MOMENTS);
    mixed = s, check_ok(quire_merge(&mixed.xy, &mixed.xy)), mixed.xy.count = 4;
    ck_assert_int_eq(finish(&what, &mixed, &result), QUIRE_INVALID_MOMENTS);
    mixed = s, check_ok(quire_merge(&mixed.x, &mixed.x)), mixed.x.count = 4;
    ck_assert_int_eq(finish(&what, &mixed, &result), QUIRE_INVALID_MOMENTS);
    what.operation = QUIRE_AVERAGE;
    ck_assert_int_eq(finish(&what, &other, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish(&what, &s.xy, &other.y, &result), QUIRE_INVALID_MOMENTS);
    ck_assert_int_eq(quire_finish(&what, &s.xy, NULL, &result), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish_many(NULL, &what, 1, &s.xy, NULL, &result), QUIRE_NULL_POINTER);
    ck_assert(result == -7);
}
END_TEST

/* By exact alone; and what is not there is said before pointers are looked at. */
START_TEST(bad_arguments) {
    const quire_layout rows = quire_rows(1, 3, 3), fewer = quire_rows(1, 2, 3);
    const double x[3] = { 1, 2, 4 };
    const int64_t offsets[2] = { 0, 3 };
    double result = -7;
    quire_context *context = place_context();
    for (int k = 0; k < 3; k++) {
        quire_reduction what = { PAIRS[k], QUIRE_F64, QUIRE_F64, QUIRE_KAHAN, QUIRE_TO_NEAREST, 0, { 0 } };
        for (size_t m = 1; m < METHOD_COUNT; m++) {
            what.method = METHODS[m];
            ck_assert_int_eq(quire_reduce(context, &what, &rows, x, NULL, x, &result), QUIRE_INVALID_METHOD);
        }
        what.method = QUIRE_EXACT;
        ck_assert_int_eq(quire_reduce(context, &what, &rows, x, &fewer, x, &result), QUIRE_INVALID_LAYOUT);
        ck_assert_int_eq(quire_reduce(context, &what, &rows, x, NULL, NULL, &result), QUIRE_NULL_POINTER);
        ck_assert_int_eq(quire_reduce_segments(context, &what, 1, QUIRE_I64, offsets, offsets + 1, x, NULL, NULL),
                         QUIRE_NULL_POINTER);
        ck_assert_int_eq(quire_reduce_gathered(context, &what, 1, QUIRE_I64, offsets, offsets + 1, NULL, &rows, x, NULL,
                                               NULL, NULL, &result),
                         QUIRE_NULL_POINTER);
    }
    ck_assert(result == -7);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, accumulators, 0, TYPE_COUNT);
    tcase_add_test(cases, bad_accumulators);
    tcase_add_test(cases, bad_arguments);
}

int main(void) { return run_cases("pair_arguments", add); }
