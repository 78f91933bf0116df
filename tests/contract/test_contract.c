/* test_contract.c - what the contract says of zeros, empty sums, counts and roots, one test case a sentence, on every
 * place and in all its variants. The sentences stand in quire.h, docs/order.md and docs/accumulator.md. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define MOST 5000
static const size_t LENGTHS[] = { 1, 2, 3, 255, 256, 257, 4096, MOST };
#define LENGTH_COUNT (sizeof LENGTHS / sizeof *LENGTHS)

static double x[MOST], y[MOST]; /* room for as many elements of any type */

/* The result must have these bits in every variant of the place. */
static void check_everywhere(operation op, quire_type type, size_t n, quire_method method, quire_type result_type,
                             uint64_t expected, const char *what) {
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        uint64_t result[1] = { 0x5a5a5a5a5a5a5a5a };
        if (!variant) continue;
        check_ok(place_reduce(op, type, n, x, y, method, result_type, result));
        check_bits(result_type, result, expected, "%s: %s %s of %zu %s, %s", what, method_name(method),
                   operation_name(op), n, type_name(type), variant);
    }
    place_use(0);
}

static void fill(void *array, quire_type type, size_t n, uint64_t bits) {
    for (size_t i = 0; i < n; i++) type_store(type, array, i, bits);
}

/* The exponent of the least number that the ordered methods can hold while they add elements of the type. */
static int accumulation_least(quire_type type) { return type_format(type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32)->least; }

/* ---------------------------------------------------------------------------------------------------- signs of zero */

/* The dot of x and y by all methods: of the ordered ones what is given, of exact what MPFR says. */
static void check_dot(quire_type type, size_t n, uint64_t negative, const char *what) {
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int m = 0; m < METHOD_COUNT; m++) {
            const uint64_t rounded = negative ? type_sign(TYPES[r]) : 0;
            const uint64_t expected =
                METHODS[m] == QUIRE_EXACT ? oracle_reduce(OPERATION_DOT, type, n, x, y, TYPES[r]) : rounded;
            check_everywhere(OPERATION_DOT, type, n, METHODS[m], TYPES[r], expected, what);
        }
}

/* "In the other methods a product too small for the accumulation format is a zero of the product's sign." Of exact,
 * which sees such products whole, the sign is that of their sum. _i: type. */
START_TEST(underflowed_products_are_zeros_of_their_sign) {
    const quire_type type = TYPES[_i];
    const uint64_t tiny = 1;                                                  /* the least subnormal's bits */
    if (2 * type_format(type)->least >= accumulation_least(type) - 1) return; /* its products never underflow */
    for (size_t l = 0; l < LENGTH_COUNT; l++) {
        const size_t n = LENGTHS[l];
        fill(x, type, n, tiny);
        fill(y, type, n, tiny | type_sign(type));
        check_dot(type, n, 1, "all underflow to -0");
        type_store(type, y, n / 2, tiny);
        check_dot(type, n, 0, "one underflows to +0");
        type_store(type, y, n / 2, 0);
        check_dot(type, n, 0, "one is +0");
        for (int m = 0; m < METHOD_COUNT; m++) {
            const quire_type result_type = QUIRE_F64;
            const uint64_t root = oracle_reduce(OPERATION_NRM2, type, n, x, x, result_type);
            check_everywhere(OPERATION_NRM2, type, n, METHODS[m], result_type, METHODS[m] == QUIRE_EXACT ? root : 0,
                             "a norm of squares that underflow");
        }
    }
}
END_TEST

/* "A result that is not 0 and rounds to 0 keeps its sign." In the first element alone: beside it are zeros. */
static void check_rounds_to_zero(operation op, quire_type type, size_t n, quire_type result_type) {
    for (int negative = 0; negative < 2; negative++) {
        const int has_sign = negative && op != OPERATION_ASUM && op != OPERATION_NRM2 && op != OPERATION_SUMSQ;
        fill(x, type, n, 0);
        type_store(type, x, 0, 1 | (negative ? type_sign(type) : 0));
        fill(y, type, n, type_encode(type, 1));
        for (int m = 0; m < METHOD_COUNT; m++)
            check_everywhere(op, type, n, METHODS[m], result_type, has_sign ? type_sign(result_type) : 0,
                             "rounds to 0");
    }
}

START_TEST(results_that_round_to_zero_keep_their_sign) {
    const quire_type type = TYPES[_i / TYPE_COUNT], result_type = TYPES[_i % TYPE_COUNT];
    const int least = type_format(type)->least, least_result = type_format(result_type)->least;
    for (size_t l = 0; l < LENGTH_COUNT; l++) {
        const size_t n = LENGTHS[l];
        if (least < least_result)
            for (int op = 0; op < OPERATION_COUNT; op++) {
                if (op == OPERATION_NRM2) continue; /* the root of a square is no smaller */
                check_rounds_to_zero((operation)op, type, n, result_type);
            }
        else if (least == least_result && n > 1) /* a half of the least is a tie, and goes to the even 0 */
            check_rounds_to_zero(OPERATION_MEAN, type, n, result_type);
    }
}
END_TEST

START_TEST(accumulators_that_round_to_zero_keep_their_sign) {
    const double tiny[2] = { bits_double(1), bits_double(1 | type_sign(QUIRE_F64)) };
    for (int negative = 0; negative < 2; negative++)
        for (int r = 0; r < TYPE_COUNT; r++) {
            quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
            uint64_t result[1];
            check_ok(place_accumulate_products(&a, QUIRE_F64, 1, &tiny[0], &tiny[negative]));
            check_ok(quire_round(&a, TYPES[r], result));
            check_bits(TYPES[r], result, negative ? type_sign(TYPES[r]) : 0, "2^-2148, rounded");
            check_ok(quire_round_mean(&a, TYPES[r], result));
            check_bits(TYPES[r], result, negative ? type_sign(TYPES[r]) : 0, "2^-2148 over 1, rounded");
        }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ kahan */

/* big, small, -big, -small, in places where they are added in this order: big swallows small, which goes to c; -big
 * takes big away, and s ends as -small. So s + c is 0 and c is not. Answers 0 if the type has no such numbers. */
static int fill_cancelling(quire_type type, const size_t at[4], int negative, uint64_t beside) {
    const number_format *f = type_format(type);
    const int big = f->greatest < 15 ? f->greatest : 15, small = big - (type == QUIRE_F64 ? 60 : 30);
    const double sign = negative ? -1 : 1;
    if (small < f->least) return 0;
    fill(x, type, at[0] + at[1] + at[2] + at[3] + 1, beside);
    fill(y, type, at[0] + at[1] + at[2] + at[3] + 1, type_encode(type, 1));
    type_set(type, x, at[0], sign * power_of_two(big));
    type_set(type, x, at[1], sign * power_of_two(small));
    type_set(type, x, at[2], -sign * power_of_two(big));
    type_set(type, x, at[3], -sign * power_of_two(small));
    return 1;
}

/* The sum of x, rounded downward, in every variant of the CPU: the general call takes the test's own memory there. */
static void check_downward(quire_type type, size_t n, quire_method method, quire_type result_type, uint64_t expected,
                           const char *what) {
    const quire_reduction sum = {
        .type = type, .result_type = result_type, .method = method, .rounding = QUIRE_DOWNWARD
    };
    const quire_layout layout = quire_strided(n, 1);
    for (size_t v = 0; v < place_variants() && !strcmp(place_name(), "cpu"); v++) {
        uint64_t result[1] = { 0x5a5a5a5a5a5a5a5a };
        if (!place_use(v)) continue;
        check_ok(quire_reduce(place_context(), &sum, &layout, x, NULL, NULL, result));
        check_bits(result_type, result, expected, "%s, downward: %s of %s", what, method_name(method), type_name(type));
    }
    place_use(0);
}

/* "The ordered methods add to nearest, whatever the mode (1 - 1 is +0 then)": of exact it is -0. _i: type. */
START_TEST(zeros_of_additions_to_nearest_are_positive) {
    const quire_type type = TYPES[_i];
    type_set(type, x, 0, 1);
    type_set(type, x, 1, -1);
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int r = 0; r < TYPE_COUNT; r++)
            check_downward(type, 2, METHODS[m], TYPES[r], METHODS[m] == QUIRE_EXACT ? type_sign(TYPES[r]) : 0, "1 - 1");
}
END_TEST

/* "Where c = -s, and neither is zero, that sum is an exact zero: +0, or -0 in QUIRE_DOWNWARD." _i: type. */
START_TEST(kahan_of_opposite_sum_and_compensation_is_positive_zero) {
    static const size_t down_a_lane[4] = { 0, 256, 512, 768 }, across_lanes[4] = { 0, 128, 64, 32 };
    static const operation operations[] = { OPERATION_SUM, OPERATION_DOT, OPERATION_MEAN };
    const quire_type type = TYPES[_i];
    for (int k = 0; k < 8; k++) {
        const size_t *at = k & 1 ? across_lanes : down_a_lane, n = at == across_lanes ? 129 : 769;
        const int negative = k >> 1 & 1;
        uint64_t rest[1];
        if (!fill_cancelling(type, at, negative, k & 4 ? type_sign(type) : 0)) continue;
        check_ok(place_reduce(OPERATION_SUM, type, n, x, y, QUIRE_PLAIN, QUIRE_F64, rest));
        ck_assert_msg((rest[0] >> 63 != 0) == !negative && rest[0] << 1,
                      "s is not what it should be: nothing is tested");
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int o = 0; o < 3; o++) check_everywhere(operations[o], type, n, QUIRE_KAHAN, TYPES[r], 0, "s = -c");
        for (int r = 0; r < TYPE_COUNT; r++)
            check_downward(type, n, QUIRE_KAHAN, TYPES[r], type_sign(TYPES[r]), "s = -c");
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- empty sums */

/* "The empty sum is +0", though lanes start at -0: a sum of one -0 shows that they do. Its mean is NaN. _i: type. */
START_TEST(sums_of_nothing_are_positive_zero) {
    const quire_type type = TYPES[_i];
    x[0] = 1;
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int m = 0; m < METHOD_COUNT; m++)
            for (int op = 0; op < OPERATION_COUNT; op++) {
                const uint64_t expected = op == OPERATION_MEAN ? type_nan(TYPES[r]) : 0;
                const int keeps_sign = op == OPERATION_SUM || op == OPERATION_DOT || op == OPERATION_MEAN;
                check_everywhere((operation)op, type, 0, METHODS[m], TYPES[r], expected, "of nothing");
                fill(x, type, 1, type_sign(type));
                fill(y, type, 1, type_encode(type, 1));
                check_everywhere((operation)op, type, 1, METHODS[m], TYPES[r], keeps_sign ? type_sign(TYPES[r]) : 0,
                                 "of one -0");
            }
}
END_TEST

/* "A call on no elements carries, and changes nothing else." */
START_TEST(accumulating_nothing_carries) {
    static const operation kinds[] = { OPERATION_SUM, OPERATION_ASUM, OPERATION_DOT };
    for (size_t v = 0; v < place_variants(); v++)
        for (int k = 0; k < 3 && place_use(v); k++) {
            quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, carried;
            a.limb[3] = -7, a.limb[60] = (int64_t)5 << 33;
            a.count = 9, a.other = 3, a.nan = 4, a.positive_infinity = 5, a.negative_infinity = 6;
            carried = a;
            check_ok(quire_carry(&carried));
            check_ok(place_accumulate_terms(kinds[k], &a, QUIRE_F32, 0, NULL, NULL));
            ck_assert_msg(!memcmp(&a, &carried, sizeof a), "%s of nothing did not just carry",
                          operation_name(kinds[k]));
        }
    place_use(0);
}
END_TEST

/* ----------------------------------------------------------------------------------------- counts, roots: host only */

static void check_mean(const quire_accumulator *a, uint64_t expected, const char *what) {
    uint64_t result[1];
    check_ok(quire_round_mean(a, QUIRE_F64, result));
    check_bits(QUIRE_F64, result, expected, "%s", what);
}

/* "count is taken modulo 2^64, so a negative one stands for 2^64 + count terms; of a count of 0 the mean is NaN." */
START_TEST(counts_are_unsigned) {
    const uint64_t one = double_bits(1), nan = type_nan(QUIRE_F64);
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    check_mean(&a, nan, "0 / 0");
    a.limb[67] = 0x10, a.other = 1; /* limb 67 counts in 2^-4: the sum is 1 */
    check_mean(&a, nan, "1 / 0");
    a.count = 1;
    check_mean(&a, one, "1 / 1");
    a.count = INT64_MIN;
    check_mean(&a, double_bits(0x1p-63), "1 / 2^63");
    a.limb[67] = 0, a.limb[69] = 0x8; /* limb 69 counts in 2^60: 2^63 */
    check_mean(&a, one, "2^63 / 2^63");
    a.limb[69] = 0x10, a.limb[67] = -0x10, a.count = -1; /* 2^64 - 1 */
    check_mean(&a, one, "(2^64 - 1) / (2^64 - 1)");
    a.count = 0, a.positive_infinity = 1;
    check_mean(&a, nan, "Inf / 0");
    a.count = -5;
    check_mean(&a, type_infinity(QUIRE_F64), "Inf / (2^64 - 5)");
}
END_TEST

/* Merging to 2^63 terms and beyond. */
START_TEST(counts_wrap_around) {
    const float ones[1] = { 1 };
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, b;
    check_ok(place_accumulate(&a, QUIRE_F32, 1, ones));
    for (int i = 0; i < 63; i++) check_ok(quire_merge(&a, &a));
    ck_assert_int_eq(a.count, INT64_MIN);
    check_mean(&a, double_bits(1), "2^63 ones");
    b = a;
    b.count = INT64_MAX; /* one short of it: then the next accumulation wraps around */
    check_ok(place_accumulate(&b, QUIRE_F32, 1, ones));
    ck_assert_int_eq(b.count, INT64_MIN);
    check_ok(quire_merge(&a, &a));
    ck_assert_int_eq(a.count, 0);
    check_mean(&a, type_nan(QUIRE_F64), "2^64 ones: the count is 0 again");
}
END_TEST

/* "The root of a negative sum, -Inf included, is NaN; of -0 it is -0." */
START_TEST(roots_of_special_sums) {
    for (int r = 0; r < TYPE_COUNT; r++) {
        const quire_type type = TYPES[r];
        const uint64_t infinity = type_infinity(QUIRE_F64), sign = type_sign(QUIRE_F64);
        const struct {
            uint64_t element, root;
        } cases[] = {
            { infinity, type_infinity(type) },
            { infinity | sign, type_nan(type) },
            { type_nan(QUIRE_F64), type_nan(type) },
            { double_bits(-4), type_nan(type) },
            { 1 | sign, type_nan(type) }, /* -2^-1074 */
            { sign, type_sign(type) },
            { 0, 0 },
            { double_bits(4), type_encode(type, 2) },
        };
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
            uint64_t result[1];
            check_ok(place_accumulate(&a, QUIRE_F64, 1, &cases[k].element));
            check_ok(quire_round_root(&a, type, result));
            check_bits(type, result, cases[k].root, "the root of %a", bits_double(cases[k].element));
        }
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, underflowed_products_are_zeros_of_their_sign, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, results_that_round_to_zero_keep_their_sign, 0, TYPE_COUNT * TYPE_COUNT);
    tcase_add_test(cases, accumulators_that_round_to_zero_keep_their_sign);
    tcase_add_loop_test(cases, kahan_of_opposite_sum_and_compensation_is_positive_zero, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, zeros_of_additions_to_nearest_are_positive, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, sums_of_nothing_are_positive_zero, 0, TYPE_COUNT);
    tcase_add_test(cases, accumulating_nothing_carries);
    tcase_add_test(cases, counts_are_unsigned);
    tcase_add_test(cases, counts_wrap_around);
    tcase_add_test(cases, roots_of_special_sums);
}

int main(void) { return run_cases("contract", add_tests); }
