/* test_finish_many.c - many accumulators rounded by one call, quire_finish_many: each as quire_finish rounds it, and
 * what is refused. */
#include <stdlib.h>

#include "place.h"
#include "support.h"

/* More than one launch of warps takes, directed, and moments where the place has them. */
START_TEST(many_at_once) {
    enum { COUNT = 5000 };
    quire_accumulator *sums = calloc(COUNT, sizeof *sums), *squares = calloc(COUNT, sizeof *squares);
    double results[COUNT], right;
    for (int i = 0; i < COUNT; i++) {
        const double x[3] = { i * 0x1.fp-3, -0x1p-60, 1e300 / (i + 1) };
        check_ok(quire_accumulate(NULL, &sums[i], QUIRE_F64, 3, x));
        check_ok(quire_accumulate_products(NULL, &squares[i], QUIRE_F64, 3, x, x));
    }
    for (int o = QUIRE_SUM; o <= QUIRE_SUMSQ; o++) {
        const quire_reduction what = { .operation = (quire_operation)o, .type = QUIRE_F64, .rounding = QUIRE_DOWNWARD };
        const quire_status status = place_finish(&what, COUNT, sums, squares, results);
        check_ok(status);
        for (int i = 0; i < COUNT; i++) {
            check_ok(quire_finish(&what, &sums[i], &squares[i], &right));
            check_bits(QUIRE_F64, &results[i], double_bits(right), "operation %d, accumulator %d", o, i);
        }
    }
    free(sums), free(squares);
}
END_TEST

START_TEST(many_arguments) {
    quire_accumulator a[2] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    quire_accumulator squares[2] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    double results[2] = { 7, 7 };
    quire_reduction good = { .type = QUIRE_F64 }, what = good, variance = good;
    variance.operation = QUIRE_VARIANCE;
    ck_assert_int_eq(quire_finish_many(NULL, NULL, 2, a, NULL, results), QUIRE_NULL_POINTER);
    what.operation = (quire_operation)99;
    ck_assert_int_eq(quire_finish_many(NULL, &what, 2, a, NULL, results), QUIRE_INVALID_OPERATION);
    what = good, what.method = QUIRE_KAHAN;
    ck_assert_int_eq(quire_finish_many(NULL, &what, 2, a, NULL, results), QUIRE_INVALID_METHOD);
    what = good, what.result_type = (quire_type)99;
    ck_assert_int_eq(quire_finish_many(NULL, &what, 2, a, NULL, results), QUIRE_INVALID_RESULT_TYPE);
    what = good, what.rounding = (quire_rounding)99;
    ck_assert_int_eq(quire_finish_many(NULL, &what, 2, a, NULL, results), QUIRE_INVALID_ROUNDING);
    ck_assert_int_eq(quire_finish_many(NULL, &good, SIZE_MAX / 8, a, NULL, results), QUIRE_SIZE_OVERFLOW);
    ck_assert_int_eq(quire_finish_many(NULL, &good, 2, NULL, NULL, results), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish_many(NULL, &good, 2, a, NULL, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_finish_many(NULL, &good, 2, a, NULL, (char *)results + 1), QUIRE_MISALIGNED);
    ck_assert_int_eq(quire_finish_many(NULL, &variance, 2, a, NULL, results), QUIRE_NULL_POINTER);
    squares[1].count = 1; /* the first would do, and is not written */
    ck_assert_int_eq(quire_finish_many(NULL, &variance, 2, a, squares, results), QUIRE_INVALID_MOMENTS);
    ck_assert(results[0] == 7 && results[1] == 7);
    check_ok(quire_finish_many(NULL, &good, 0, NULL, NULL, NULL));
    check_ok(quire_finish_many(NULL, &good, 2, a, NULL, results));
    ck_assert(results[0] == 0 && results[1] == 0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, many_at_once);
    tcase_add_test(cases, many_arguments);
}

int main(void) { return run_cases("finish_many", add_tests); }
