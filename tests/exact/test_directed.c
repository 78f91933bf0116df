/* test_directed.c - the one rounding in every direction: exact results equal MPFR's, the other methods' the model's
 * with its total rounded once that way, and an exact zero has the sign that the direction gives it. */
#include <string.h>

#include "families.h"
#include "model.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

static quire_reduction reduction_of(operation op, quire_type type, quire_type result_type, quire_method method,
                                    quire_rounding rounding) {
    const quire_reduction what = { operation_number(op), type, result_type, method, rounding, 0, { 0 } };
    return what;
}

/* ------------------------------------------------------------------------------------------ what directions promise */

/* Numbers in the order of their values; the two zeros are one. Not of NaN. */
static int64_t order_of(quire_type type, uint64_t bits) {
    const int64_t magnitude = (int64_t)(bits & ~type_sign(type));
    return bits & type_sign(type) ? -magnitude : magnitude;
}

/* Downward <= to nearest <= upward, which are neighbours at most; toward zero is one of them. E4M3 has NaN for what
 * lies beyond, and no order there. */
static void check_promises(quire_type type, const uint64_t bits[ROUNDING_COUNT], const char *text) {
    for (int k = 0; k < ROUNDING_COUNT; k++)
        if (type_is_nan(type, bits[k])) return;
    const int64_t nearest = order_of(type, bits[QUIRE_TO_NEAREST]), down = order_of(type, bits[QUIRE_DOWNWARD]),
                  up = order_of(type, bits[QUIRE_UPWARD]), toward_zero = order_of(type, bits[QUIRE_TOWARD_ZERO]);
    check_that(down <= nearest && nearest <= up, "%s: not in order", text);
    check_that(up - down <= 1, "%s: upward and downward are not neighbours", text);
    check_that(nearest == down || nearest == up, "%s: to nearest is neither", text);
    check_that(toward_zero == (down < 0 ? up : down), "%s: toward zero is not the lesser", text);
}

/* One vector, all directions, where it is cheap all result types, on the variant in use; expected[result][rounding]. */
typedef uint64_t expectation[TYPE_COUNT][ROUNDING_COUNT];

static void check_vector(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                         expectation expected, const char *text, const char *variant, size_t turn) {
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const quire_reduction what = reduction_of(op, type, TYPES[r], method, ROUNDINGS[k]);
            uint64_t result[1];
            if (turn && (turn + (size_t)k) % TYPE_COUNT != (size_t)r) continue;
            check_ok(place_reduction(&what, n, x, y, result));
            check_bits(TYPES[r], result, expected[r][k], "%s %s of %zu %s, %s, %s, %s", method_name(method),
                       operation_name(op), n, type_name(type), text, rounding_name(ROUNDINGS[k]), variant);
        }
}

/* turn 0: everything on every variant; else each variant but the first takes one result type in turn. */
static void check_everywhere(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                             expectation expected, const char *text, size_t turn) {
    for (int r = 0; r < TYPE_COUNT; r++) check_promises(TYPES[r], expected[r], text);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        if (variant) check_vector(op, type, n, x, y, method, expected, text, variant, turn ? turn + v : 0);
    }
    place_use(0);
}

static void check_exact(operation op, quire_type type, size_t n, const void *x, const void *y, const char *text,
                        size_t turn) {
    expectation expected;
    oracle o;
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) expected[r][k] = oracle_directed(&o, op, TYPES[r], ROUNDINGS[k]);
    oracle_close(&o);
    check_everywhere(op, type, n, x, y, QUIRE_EXACT, expected, text, turn);
}

static void check_model(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                        const char *text, size_t turn) {
    const model_total total = model_reduce(op, type, n, x, y, method);
    expectation expected;
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) expected[r][k] = model_directed(op, total, n, TYPES[r], ROUNDINGS[k]);
    check_everywhere(op, type, n, x, y, method, expected, text, turn);
}

/* ------------------------------------------------------------------------------------------------ the whole product */

static const size_t LENGTHS[] = { 0, 1, 2, 3, 37, 700, 4100 };
#define LENGTH_COUNT (sizeof LENGTHS / sizeof *LENGTHS)

/* test number i is type i / FAMILY_COUNT, family i % FAMILY_COUNT */
START_TEST(every_family) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    for (size_t l = 0; l < LENGTH_COUNT - (scaled(10) < 10); l++) {
        const size_t n = LENGTHS[l];
        void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
        family_fill(which, type, 90 + l, n, x);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            if (op == OPERATION_DOT) family_fill_pair(which, type, 90 + l, n, x, y);
            check_exact(op, type, n, x, y, family_name(which), n > 2 ? 1 + l + op : 0);
            for (int m = 1; m < METHOD_COUNT; m++)
                check_model(op, type, n, x, y, METHODS[m], family_name(which), 1 + l + op);
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* Short vectors of many seeds: where most decisions are made. */
START_TEST(many_seeds) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    const size_t most = 24;
    void *x = array_new(most * type_size(type), 0), *y = array_new(most * type_size(type), 0);
    for (size_t seed = 0; seed < scaled(40); seed++) {
        const size_t n = 1 + seed % most;
        const operation op = (operation)(seed % OPERATION_COUNT);
        family_fill_pair(which, type, 2000 + seed, n, x, y);
        check_exact(op, type, n, x, y, family_name(which), 1 + seed);
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ zeros */

/* n elements: of pairs that cancel, of -0, of +0, of zeros of both signs. */
enum { PAIRS, NEGATIVE, POSITIVE, BOTH, ZERO_KINDS };

static void fill_zero(quire_type type, int kind, size_t n, void *x) {
    const uint64_t sign = type_sign(type);
    for (size_t i = 0; i < n; i++) {
        const uint64_t odd = i % 2 ? sign : 0;
        type_store(type, x, i,
                   kind == PAIRS      ? type_encode(type, 1.5) | odd
                   : kind == NEGATIVE ? sign
                   : kind == BOTH     ? odd
                                      : 0);
    }
}

/* The sign by hand: an exact zero of numbers is -0 downward; of zeros it is -0 if all of them are, whatever the
 * direction.
 */
START_TEST(exact_zeros) {
    static const size_t lengths[] = { 2, 30, 300, 5000, 9000 };
    static const operation sums[] = { OPERATION_SUM, OPERATION_MEAN, OPERATION_DOT };
    const quire_type type = TYPES[_i / ZERO_KINDS];
    const int kind = _i % ZERO_KINDS;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const size_t n = lengths[l];
        void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
        fill_zero(type, kind, n, x);
        for (size_t i = 0; i < n; i++) type_set(type, y, i, 1);
        for (size_t s = 0; s < 3; s++) {
            expectation expected;
            for (int r = 0; r < TYPE_COUNT; r++)
                for (int k = 0; k < ROUNDING_COUNT; k++)
                    expected[r][k] =
                        kind == NEGATIVE || (kind == PAIRS && ROUNDINGS[k] == QUIRE_DOWNWARD) ? type_sign(TYPES[r]) : 0;
            check_everywhere(sums[s], type, n, x, y, QUIRE_EXACT, expected, "zero", l);
            for (int m = 1; m < METHOD_COUNT; m++) check_model(sums[s], type, n, x, y, METHODS[m], "zero", 1 + l);
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* What kahan has left of numbers that cancel may be two numbers, which cancel when they are rounded. By hand, where an
 * ulp is 4: lanes 1 and 3 are left with -4, and lanes 4 to 7 have each lost a 1, which is kept. */
START_TEST(compensated_zero) {
    const quire_type type = _i ? QUIRE_F64 : QUIRE_F32;
    const double large = _i ? 0x1p54 : 0x1p25, values[8] = { large, large, -large, -(large + 4), 1, 1, 1, 1 };
    uint64_t x[8];
    for (size_t i = 0; i < 8; i++) type_set(type, x, i, values[i]);
    ck_assert(model_reduce(OPERATION_SUM, type, 8, x, NULL, QUIRE_KAHAN).c == 4);
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const quire_reduction what = reduction_of(OPERATION_SUM, type, TYPES[r], QUIRE_KAHAN, ROUNDINGS[k]);
            uint64_t result[1];
            check_ok(place_reduction(&what, 8, x, NULL, result));
            check_bits(TYPES[r], result, ROUNDINGS[k] == QUIRE_DOWNWARD ? type_sign(TYPES[r]) : 0, "kahan, %s",
                       rounding_name(ROUNDINGS[k]));
        }
}
END_TEST

/* The same of accumulators: numbers that cancel only when they are merged, by a call or word by word; and zeros. */
static void check_merged(const quire_accumulator *a, const quire_accumulator *b, int by_words, int negative,
                         int zeros) {
    quire_accumulator sum = *a;
    if (by_words) {
        int64_t *into = sum.limb;
        const int64_t *from = b->limb;
        ck_assert_uint_eq(sizeof sum, QUIRE_ACCUMULATOR_WORDS * sizeof *into);
        for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) into[i] += from[i];
        sum.count += b->count, sum.other += b->other, sum.nan += b->nan;
        sum.positive_infinity += b->positive_infinity, sum.negative_infinity += b->negative_infinity;
        if (by_words == 2) check_ok(quire_carry(&sum));
    } else {
        check_ok(quire_merge(&sum, b));
    }
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const quire_reduction what = reduction_of(OPERATION_SUM, QUIRE_F64, TYPES[r], QUIRE_EXACT, ROUNDINGS[k]);
            uint64_t result[1];
            const int minus = zeros ? negative : ROUNDINGS[k] == QUIRE_DOWNWARD;
            check_ok(quire_finish(&what, &sum, NULL, result));
            check_bits(TYPES[r], result, minus ? type_sign(TYPES[r]) : 0, "merged, %s", rounding_name(ROUNDINGS[k]));
        }
}

START_TEST(merged_zeros) {
    const quire_type type = TYPES[_i];
    for (int by_words = 0; by_words < 3; by_words++) {
        const double values[6] = { 1, -1, -0.0, -0.0, 0.0, 0.0 };
        quire_accumulator a[6];
        memset(a, 0, sizeof a);
        for (int i = 0; i < 6; i++) {
            uint64_t x[1];
            type_set(type, x, 0, values[i]);
            check_ok(place_accumulate(&a[i], type, 1, x));
        }
        check_merged(&a[0], &a[1], by_words, 0, 0);
        check_merged(&a[2], &a[3], by_words, 1, 1);
        check_merged(&a[2], &a[4], by_words, 0, 1);
        check_merged(&a[4], &a[5], by_words, 0, 1);
    }
}
END_TEST

/* Any vector in parts, the parts merged in any order. */
START_TEST(merged_families) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    const size_t n = 900, size = type_size(type);
    unsigned char *x = array_new(n * size, 0), *y = array_new(n * size, 0);
    generator g;
    generator_seed(&g, 97);
    family_fill_pair(which, type, 98, n, x, y);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        quire_accumulator total = QUIRE_ACCUMULATOR_ZERO;
        oracle o;
        oracle_open(&o);
        oracle_add(&o, op, type, n, x, y);
        for (size_t from = 0, to; from < n; from = to) {
            quire_accumulator part = QUIRE_ACCUMULATOR_ZERO;
            to = from + 1 + (size_t)generator_below(&g, n - from);
            check_ok(place_accumulate_terms(op, &part, type, to - from, x + from * size, y + from * size));
            check_ok(quire_merge(&part, &total));
            total = part;
        }
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int k = 0; k < ROUNDING_COUNT; k++) {
                const quire_reduction what = reduction_of(op, type, TYPES[r], QUIRE_EXACT, ROUNDINGS[k]);
                uint64_t result[1];
                check_ok(quire_finish(&what, &total, NULL, result));
                check_bits(TYPES[r], result, oracle_directed(&o, op, TYPES[r], ROUNDINGS[k]),
                           "%s of %s %s, in parts, %s", operation_name(op), family_name(which), type_name(type),
                           rounding_name(ROUNDINGS[k]));
            }
        oracle_close(&o);
    }
    array_free(x);
    array_free(y);
}
END_TEST

static void add_tests(TCase *cases) {
    const int product = TYPE_COUNT * FAMILY_COUNT;
    tcase_add_loop_test(cases, every_family, 0, product);
    tcase_add_loop_test(cases, many_seeds, 0, product);
    tcase_add_loop_test(cases, exact_zeros, 0, TYPE_COUNT * ZERO_KINDS);
    tcase_add_loop_test(cases, compensated_zero, 0, 2);
    tcase_add_loop_test(cases, merged_zeros, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, merged_families, 0, product);
}

int main(void) { return run_cases("directed", add_tests); }
