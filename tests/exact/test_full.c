/* test_full.c - accumulators that are as full as 2^31 of them make one, added up word by word: every call that rounds
 * them gives what it gives after a carry, and what MPFR and GMP make of them. */
#include <string.h>

#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define MANY ((int64_t)1 << 31)

typedef enum { POSITIVE, NEGATIVE, IN_TURNS, FULLS } full_kind;

/* What 2^31 carried accumulators come to at most; signs in turns are more than any can come to. */
static quire_accumulator full_of(full_kind kind) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++)
        a.limb[i] = kind == NEGATIVE || (kind == IN_TURNS && i % 2) ? -(MANY * UINT32_MAX) : MANY * UINT32_MAX;
    a.count = MANY;
    a.other = MANY * UINT32_MAX;
    return a;
}

/* The same in MPFR, half a limb at a time: a double holds that. */
static void add_to_oracle(oracle *o, const quire_accumulator *a) {
    const int64_t half = (int64_t)1 << 32;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) {
        oracle_add_scaled(o, (double)(a->limb[i] / half), 32L * i - 2148 + 32);
        oracle_add_scaled(o, (double)(a->limb[i] % half), 32L * i - 2148);
    }
    o->count = (uint64_t)a->count;
    o->other = o->nonzero = 1;
}

static const operation OPERATIONS[3] = { OPERATION_SUM, OPERATION_NRM2, OPERATION_MEAN };

/* By the calls that round one, and the one that rounds several where they lie. */
static void check_rounded(const quire_accumulator *a, const oracle *o, const char *text) {
    for (int i = 0; i < 3 * TYPE_COUNT * ROUNDING_COUNT; i++) {
        const operation op = OPERATIONS[i % 3];
        const quire_type to = TYPES[i / 3 % TYPE_COUNT];
        const quire_rounding rounding = ROUNDINGS[i / 3 / TYPE_COUNT];
        const quire_reduction what = { .operation = operation_number(op), .result_type = to, .rounding = rounding };
        const uint64_t right = oracle_directed(o, op, to, rounding);
        const quire_accumulator two[2] = { *a, *a };
        uint64_t one[1], several[2];
        check_ok(quire_finish(&what, a, NULL, one));
        check_bits(to, one, right, "%s: %s, %s", text, operation_name(op), rounding_name(rounding));
        check_ok(place_finish(&what, 2, two, NULL, several));
        for (int k = 0; k < 2; k++)
            check_bits(to, (char *)several + (size_t)k * type_size(to), right, "%s: %s %d, %s", text,
                       operation_name(op), k, rounding_name(rounding));
        if (rounding != QUIRE_TO_NEAREST) continue;
        check_ok(op == OPERATION_SUM    ? quire_round(a, to, one)
                 : op == OPERATION_NRM2 ? quire_round_root(a, to, one)
                                        : quire_round_mean(a, to, one));
        check_bits(to, one, right, "%s: %s", text, operation_name(op));
    }
}

START_TEST(rounded) {
    quire_accumulator full = full_of((full_kind)_i), carried = full, merged = QUIRE_ACCUMULATOR_ZERO;
    oracle o;
    oracle_open(&o);
    add_to_oracle(&o, &full);
    check_rounded(&full, &o, "full");
    check_ok(quire_carry(&carried));
    check_rounded(&carried, &o, "carried");
    check_ok(quire_merge(&merged, &full));
    check_that(!memcmp(&merged, &carried, sizeof merged), "a merge is not a carry");
    oracle_close(&o);
}
END_TEST

/* The calls of two sums and more. Test number i is one kind of the sum with one of the squares. */
START_TEST(moments) {
    quire_accumulator sum = full_of((full_kind)(_i % FULLS)), squares = full_of((full_kind)(_i / FULLS));
    quire_accumulator carried = sum, carried_squares = squares;
    check_ok(quire_carry(&carried));
    check_ok(quire_carry(&carried_squares));
    for (int k = 0; k < TYPE_COUNT * ROUNDING_COUNT; k++) {
        const quire_type to = TYPES[k % TYPE_COUNT];
        const quire_rounding rounding = ROUNDINGS[k / TYPE_COUNT];
        const quire_reduction what = { .operation = QUIRE_VARIANCE, .result_type = to, .rounding = rounding };
        uint64_t found[1] = { 0 }, expected[1] = { 0 };
        ck_assert_int_eq(quire_finish(&what, &sum, &squares, found),
                         quire_finish(&what, &carried, &carried_squares, expected));
        check_bits(to, found, type_load(to, expected, 0), "variance, %s", rounding_name(rounding));
        check_ok(quire_covariance(&sum, &sum, &squares, 1, to, found));
        check_ok(quire_covariance(&carried, &carried, &carried_squares, 1, to, expected));
        check_bits(to, found, type_load(to, expected, 0), "covariance");
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, rounded, 0, FULLS);
    tcase_add_loop_test(cases, moments, 0, FULLS * FULLS);
}

int main(void) { return run_cases("full", add_tests); }
