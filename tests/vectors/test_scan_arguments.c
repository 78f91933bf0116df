/* test_scan_arguments.c - what running sums answer to arguments that are wrong, or nothing. */
#include "place.h"
#include "support.h"

/* Whether the place has the call; if not, that it says so. */
static int is_there(void) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout none = quire_strided(0, 1);
    const quire_status status = quire_scan(place_context(), &what, QUIRE_INCLUSIVE, &none, NULL, &none, NULL);
    check_that(status == QUIRE_OK || status == QUIRE_WRONG_CONTEXT, "%s", quire_status_string(status));
    return status == QUIRE_OK;
}

START_TEST(defaults_and_nothing) {
    const quire_reduction what = { (quire_operation)0, QUIRE_F32, (quire_type)0, (quire_method)0,
                                   QUIRE_TO_NEAREST,   0,         { 0 } };
    const quire_layout one = quire_strided(1, 7), none = quire_strided(0, 1), no_rows = quire_rows(0, 3, 3);
    float x = 3, result = -1;
    if (!is_there()) return;
    check_ok(place_scan(&what, QUIRE_INCLUSIVE, &none, &x, &none, &result));
    check_ok(place_scan(&what, QUIRE_EXCLUSIVE, &no_rows, NULL, &no_rows, NULL));
    ck_assert(result == -1);
    check_ok(place_scan(&what, QUIRE_INCLUSIVE, &one, &x, &one, &result));
    ck_assert(result == 3);
    check_ok(place_scan(&what, QUIRE_EXCLUSIVE, &one, &x, &one, &result));
    check_bits(QUIRE_F32, &result, 0, "the empty sum");
}
END_TEST

typedef struct call {
    quire_reduction what;
    quire_layout x_layout, results_layout;
    const void *x;
    void *results;
    int kind;
} call;

static quire_status call_scan(const call *c) {
    return quire_scan(place_context(), &c->what, (quire_scan_kind)c->kind, &c->x_layout, c->x, &c->results_layout,
                      c->results);
}

/* Each wrong argument alone, and before those that are checked later. */
START_TEST(wrong_arguments) {
    float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, results[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const quire_layout eight = quire_strided(8, 1);
    const call good = { { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } },
                        eight,
                        eight,
                        x,
                        results,
                        QUIRE_INCLUSIVE };
    call c = good;
    if (!is_there()) return;
    ck_assert_int_eq(quire_scan(place_context(), NULL, QUIRE_INCLUSIVE, &eight, x, &eight, results),
                     QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_scan(place_context(), &c.what, QUIRE_INCLUSIVE, NULL, x, &eight, results),
                     QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_scan(place_context(), &c.what, QUIRE_INCLUSIVE, &eight, x, NULL, results),
                     QUIRE_NULL_POINTER);
    c.results = (char *)results + 1;
    ck_assert_int_eq(call_scan(&c), QUIRE_MISALIGNED);
    c.x = NULL;
    ck_assert_int_eq(call_scan(&c), QUIRE_NULL_POINTER);
    c.x = x, c.results = NULL;
    ck_assert_int_eq(call_scan(&c), QUIRE_NULL_POINTER);
    c.results_layout.n = 7;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_LAYOUT);
    c.results_layout = c.x_layout = quire_strided(8, PTRDIFF_MAX / 8);
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_LAYOUT);
    c.results_layout = c.x_layout = (quire_layout){ SIZE_MAX / 2, 1, 8, 0, 0, 0 };
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_LAYOUT);
    c.results_layout = c.x_layout = (quire_layout){ 2, 1, PTRDIFF_MAX / 2, 5, 1, 0 }; /* strides of 0 reach nowhere */
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_LAYOUT);
    c.results_layout = c.x_layout = (quire_layout){ 2, 0, (size_t)1 << 63, 0, 1, 0 }; /* nothing reaches nowhere */
    ck_assert_int_eq(call_scan(&c), QUIRE_OK);
    c.what.rounding = (quire_rounding)4;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_ROUNDING);
    c.what.result_type = (quire_type)99;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_RESULT_TYPE);
    for (size_t m = 1; m < METHOD_COUNT; m++) {
        c.what.method = METHODS[m];
        ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_METHOD);
    }
    c.what.method = (quire_method)77;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_METHOD);
    c.what.type = (quire_type)99;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_TYPE);
    for (int operation = -1; operation < 12; operation++)
        if (operation != 0 && operation != QUIRE_SUM && operation != QUIRE_ASUM) {
            c.what.operation = (quire_operation)operation;
            ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_OPERATION);
        }
    c = good, c.kind = 2;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_OPERATION);
    c = good, c.what.reserved[3] = 1;
    ck_assert_int_eq(call_scan(&c), QUIRE_INVALID_OPERATION);
    for (size_t k = 0; k < 8; k++) ck_assert(results[k] == -1);
}
END_TEST

static void add_arguments(TCase *cases) {
    tcase_add_test(cases, defaults_and_nothing);
    tcase_add_test(cases, wrong_arguments);
}

int main(void) { return run_cases("scan_arguments", add_arguments); }
