/* test_accumulator.c - the accumulator as a format: its layout as quire.h documents it, its merging by any integer sum,
 * and its rounding. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

static const quire_accumulator ZERO = QUIRE_ACCUMULATOR_ZERO;

typedef quire_status rounding(const quire_accumulator *accumulator, quire_type result_type, void *result);
static rounding *const ENDS[3] = { quire_round, quire_round_root, quire_round_mean }; /* in oracle_end's order */
static const char *const END_NAMES[3] = { "round", "root", "mean" };

/* Rounds to all types in all ways, against the oracle, also several at once where the place has them; the accumulator
 * must stay as it was. */
static void check_against(const quire_accumulator *a, const oracle *o, const char *text) {
    static const quire_operation operations[3] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_MEAN };
    const quire_accumulator before = *a, several[3] = { *a, ZERO, *a };
    for (int end = 0; end < 3; end++)
        for (int r = 0; r < TYPE_COUNT; r++) {
            const quire_reduction what = { .operation = operations[end], .result_type = TYPES[r] };
            const uint64_t right = oracle_end_bits(o, (oracle_end)end, TYPES[r]);
            uint64_t result[1], results[3];
            check_ok(ENDS[end](a, TYPES[r], result));
            check_bits(TYPES[r], result, right, "%s: %s", text, END_NAMES[end]);
            check_ok(place_finish(&what, 3, several, NULL, results));
            check_bits(TYPES[r], results, right, "%s: %s, the first", text, END_NAMES[end]);
            check_bits(TYPES[r], (char *)results + 2 * type_size(TYPES[r]), right, "%s: %s, the last", text,
                       END_NAMES[end]);
        }
    check_that(!memcmp(&before, a, sizeof before), "%s: rounding changed the accumulator", text);
}

static void check_carried(const quire_accumulator *a) {
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++)
        check_that(a->limb[i] >= 0 && a->limb[i] < (int64_t)1 << 32, "limb %d is %lld", i, (long long)a->limb[i]);
    check_that(a->other == 0 || a->other == 1 || a->other == UINT32_MAX, "other is %lld", (long long)a->other);
    check_that(!((a->nan | a->positive_infinity | a->negative_infinity) >> 1), "a flag is not 0 or 1");
}

static void check_same_limbs(const quire_accumulator *a, const quire_accumulator *b) {
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++)
        check_that(a->limb[i] == b->limb[i], "limb %d: %lld and %lld", i, (long long)a->limb[i], (long long)b->limb[i]);
}

static void check_same(const quire_accumulator *a, const quire_accumulator *b) {
    check_same_limbs(a, b);
    check_that(!memcmp(a, b, sizeof *a), "the counters differ");
}

/* Adds word by word, as MPI, NCCL or SQL would. */
static void add_words(quire_accumulator *into, const quire_accumulator *from) {
    int64_t to_words[QUIRE_ACCUMULATOR_WORDS], from_words[QUIRE_ACCUMULATOR_WORDS];
    memcpy(to_words, into, sizeof to_words);
    memcpy(from_words, from, sizeof from_words);
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) to_words[i] += from_words[i];
    memcpy(into, to_words, sizeof to_words);
}

/* ----------------------------------------------------------------------------------------------------------- layout */

START_TEST(is_plain_words) {
    quire_accumulator a;
    memset(&a, 0, sizeof a);
    ck_assert_uint_eq(sizeof a, QUIRE_ACCUMULATOR_WORDS * sizeof(int64_t));
    ck_assert_uint_eq(offsetof(quire_accumulator, count), QUIRE_ACCUMULATOR_LIMBS * sizeof(int64_t));
    check_same(&a, &ZERO);
}
END_TEST

/* limb[i] = m alone is m * 2^(32 i - 2148), whether m is carried, negative, or far too wide. */
START_TEST(limbs_have_their_weight) {
    static const int64_t values[] = { 1,           -1,        3,         0xffffffff, 0x100000000, -0x100000000,
                                      0x100000001, INT64_MAX, -INT64_MAX };
    int limb = _i;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        quire_accumulator a = ZERO;
        oracle o;
        a.limb[limb] = values[v];
        a.count = a.other = 1;
        oracle_open(&o);
        oracle_add_scaled(&o, (double)(values[v] / 0x100000000), 32L * limb - 2148 + 32);
        oracle_add_scaled(&o, (double)(values[v] % 0x100000000), 32L * limb - 2148);
        o.count = 1;
        check_ok(quire_carry(&a));
        check_carried(&a);
        check_against(&a, &o, "a limb");
        oracle_close(&o);
    }
}
END_TEST

/* 2^(32 i - 2148) in double, written down once more without the oracle. */
START_TEST(powers_of_two) {
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) {
        quire_accumulator a = ZERO;
        double result;
        a.limb[i] = 1;
        a.count = a.other = 1;
        check_ok(quire_round(&a, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, double_bits(power_of_two(32 * i - 2148)), "limb[%d] = 1", i);
    }
}
END_TEST

/* Whatever stands in the limbs, carried or not: round after carry is the value, and carry is idempotent. */
START_TEST(any_limbs) {
    generator g;
    generator_seed(&g, 20);
    for (size_t turn = 0; turn < scaled(3000); turn++) {
        quire_accumulator a = ZERO, again;
        oracle o;
        int from = generator_between(&g, 0, QUIRE_ACCUMULATOR_LIMBS - 1);
        int to = generator_between(&g, from, QUIRE_ACCUMULATOR_LIMBS - 1), narrow = generator_between(&g, 0, 62);
        oracle_open(&o);
        for (int i = from; i <= to; i++) {
            a.limb[i] = (int64_t)(generator_next(&g) >> 1 >> narrow) * (generator_next(&g) & 1 ? 1 : -1);
            oracle_add_scaled(&o, (double)(a.limb[i] / 0x100000000), 32L * i - 2148 + 32);
            oracle_add_scaled(&o, (double)(a.limb[i] % 0x100000000), 32L * i - 2148);
        }
        a.count = a.other = 1 + (int64_t)generator_below(&g, 1000);
        o.count = (uint64_t)a.count;
        again = a;
        check_ok(quire_accumulate(NULL, &again, QUIRE_F64, 0, NULL)); /* which carries in another way */
        check_ok(quire_carry(&a));
        check_carried(&a);
        check_same(&again, &a);
        again = a;
        check_ok(quire_carry(&again));
        check_same(&again, &a);
        check_against(&a, &o, "any limbs");
        oracle_close(&o);
    }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- accumulating */

/* Call by call into one accumulator, terms of every kind and type mixed, with the oracle beside it. */
START_TEST(mixed_calls) {
    static const operation kinds[3] = { OPERATION_SUM, OPERATION_ASUM, OPERATION_DOT };
    size_t most = 600;
    void *x = array_new(most * 8, 0), *y = array_new(most * 8, 0);
    generator g;
    generator_seed(&g, 23 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(6); turn++) {
        quire_accumulator a = ZERO;
        oracle o;
        oracle_open(&o);
        for (int call = 0; call < 12; call++) {
            quire_type type = TYPES[generator_below(&g, TYPE_COUNT)];
            operation op = kinds[generator_below(&g, 3)];
            size_t n = (size_t)generator_below(&g, most + 1);
            family_fill_pair((family)_i, type, generator_next(&g), n, x, y);
            check_ok(place_accumulate_terms(op, &a, type, n, x, y));
            oracle_add(&o, op, type, n, x, y);
            check_carried(&a);
            ck_assert_uint_eq((uint64_t)a.count, o.count);
            ck_assert_int_eq(a.other != 0, o.other);
            ck_assert_int_eq(a.nan != 0, o.nan);
            check_against(&a, &o, family_name((family)_i));
        }
        oracle_close(&o);
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Nothing added is nothing changed, and needs no array. */
START_TEST(empty_calls) {
    quire_accumulator a = ZERO;
    oracle o;
    for (int t = 0; t < TYPE_COUNT; t++) {
        check_ok(place_accumulate(&a, TYPES[t], 0, NULL));
        check_ok(place_accumulate_magnitudes(&a, TYPES[t], 0, NULL));
        check_ok(place_accumulate_products(&a, TYPES[t], 0, NULL, NULL));
    }
    check_same(&a, &ZERO);
    check_ok(quire_merge(&a, &ZERO));
    check_ok(quire_carry(&a));
    check_same(&a, &ZERO);
    oracle_open(&o);
    check_against(&a, &o, "the empty sum"); /* +0, root +0, mean NaN */
    oracle_close(&o);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- merging */

/* Many accumulators: word by word and one carry, or quire_merge in turn, or in a random tree: the same bytes. */
START_TEST(merging_is_adding) {
    quire_type type = TYPES[_i / FAMILY_COUNT];
    family which = (family)(_i % FAMILY_COUNT);
    size_t parts = 40, n = 50, size = type_size(type);
    quire_accumulator *part = malloc(parts * sizeof *part), whole = ZERO, words = ZERO, turns = ZERO;
    unsigned char *x = array_new(parts * n * size, 0);
    generator g;
    generator_seed(&g, 24);
    family_fill(which, type, 24, parts * n, x);
    check_ok(place_accumulate(&whole, type, parts * n, x));
    for (size_t p = 0; p < parts; p++) {
        part[p] = ZERO;
        check_ok(place_accumulate(&part[p], type, n, x + p * n * size));
        add_words(&words, &part[p]);
        check_ok(quire_merge(&turns, &part[p]));
        check_carried(&turns);
    }
    check_ok(quire_carry(&words));
    while (parts > 1) {
        size_t b = 1 + (size_t)generator_below(&g, parts - 1);
        check_ok(quire_merge(&part[b - 1], &part[b]));
        part[b] = part[--parts];
    }
    check_carried(&words);
    check_same_limbs(&words, &whole);
    check_same(&turns, &words);
    check_same(&part[0], &words);
    ck_assert_int_eq(words.count, whole.count);
    array_free(x);
    free(part);
}
END_TEST

/* Between two carries, 2^31 accumulators fit: 30 doublings by hand, then one more. */
START_TEST(doubling_by_hand) {
    uint64_t greatest[2] = { type_greatest(QUIRE_F64), type_greatest(QUIRE_F64) | type_sign(QUIRE_F64) };
    for (int s = 0; s < 2; s++) {
        quire_accumulator a = ZERO;
        oracle o;
        double x[3] = { bits_double(greatest[s]), bits_double(greatest[s] - 12345),
                        bits_double(greatest[s] & ~((uint64_t)1 << 62)) };
        check_ok(place_accumulate(&a, QUIRE_F64, 3, x));
        oracle_open(&o);
        oracle_add(&o, OPERATION_SUM, QUIRE_F64, 3, x, NULL);
        for (int i = 0; i < 31; i++) {
            quire_accumulator copy = a;
            add_words(&a, &copy);
        }
        mpfr_mul_2ui(o.finite, o.finite, 31, MPFR_RNDN);
        o.count <<= 31;
        check_ok(quire_carry(&a));
        check_carried(&a);
        check_against(&a, &o, "2^31 by hand");
        oracle_close(&o);
    }
}
END_TEST

/* What 2^31 accumulators come to at most, added up by other means: full, below 0 or not. */
static quire_accumulator full_accumulator(bool negative) {
    const int64_t many = (int64_t)1 << 31, most = many * UINT32_MAX;
    quire_accumulator a = ZERO;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) a.limb[i] = negative ? -most : most;
    a.count = a.nan = a.positive_infinity = a.negative_infinity = many;
    a.other = most;
    return a;
}

/* It takes terms, and another that is as full, as it would had it been carried before. */
START_TEST(full_accumulators_take_more) {
    const quire_type type = TYPES[_i / 2];
    const bool negative = _i % 2;
    const uint64_t sign = negative ? type_sign(type) : 0, terms[2] = { type_greatest(type) | sign, 1 | sign };
    unsigned char x[2 * sizeof(uint64_t)];
    for (int i = 0; i < 2; i++) memcpy(x + (size_t)i * type_size(type), &terms[i], type_size(type));
    const quire_accumulator full = full_accumulator(negative);
    quire_accumulator found = full, expected = full;
    check_ok(place_accumulate(&found, type, 2, x));
    check_ok(quire_carry(&expected));
    check_ok(place_accumulate(&expected, type, 2, x));
    check_carried(&found);
    check_same(&found, &expected);

    quire_accumulator carried = full;
    found = full;
    check_ok(quire_merge(&found, &full));
    check_ok(quire_carry(&carried));
    check_ok(quire_merge(&carried, &carried));
    check_carried(&found);
    check_same(&found, &carried);
}
END_TEST

/* from may be into: the sum doubles, and so does the count. Up to 2^64 products of the greatest doubles have room. */
START_TEST(merging_with_itself) {
    double x = bits_double(type_greatest(QUIRE_F64)), y[2] = { x, -x };
    for (int s = 0; s < 2; s++) {
        quire_accumulator a = ZERO;
        oracle o;
        check_ok(place_accumulate_products(&a, QUIRE_F64, 1, &x, &y[s]));
        oracle_open(&o);
        oracle_add(&o, OPERATION_DOT, QUIRE_F64, 1, &x, &y[s]);
        for (int i = 0; i < 62; i++) {
            check_ok(quire_merge(&a, &a));
            mpfr_mul_2ui(o.finite, o.finite, 1, MPFR_RNDN);
            o.count *= 2;
            check_carried(&a);
            check_against(&a, &o, "doubled");
        }
        ck_assert_int_eq(a.count, (int64_t)1 << 62);
        /* and back to nothing: 2^62 times the opposite product */
        quire_accumulator b = ZERO;
        check_ok(place_accumulate_products(&b, QUIRE_F64, 1, &x, &y[1 - s]));
        for (int i = 0; i < 62; i++) check_ok(quire_merge(&b, &b));
        b.count = 0;
        check_ok(quire_merge(&a, &b));
        check_same_limbs(&a, &ZERO);
        oracle_close(&o);
    }
}
END_TEST

/* -------------------------------------------------------------------------------------------- specials and the ends */

/* Every pair of special elements, in one accumulator and in two that merge. */
START_TEST(specials) {
    quire_type type = TYPES[_i];
    uint64_t sign = type_sign(type), infinity = type_infinity(type), one = type_encode(type, 1);
    uint64_t element[9] = {
        0, sign, infinity, infinity | sign, type_nan(type), type_nan(type) | sign, infinity + 1, one, one | sign
    };
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            for (int kind = 0; kind < 3; kind++) {
                operation op = (operation)kind; /* sum, asum, dot */
                quire_accumulator a = ZERO, b = ZERO, c = ZERO;
                uint64_t x[2], y[2];
                oracle o;
                type_store(type, x, 0, element[i]);
                type_store(type, x, 1, element[j]);
                type_store(type, y, 0, element[j]);
                type_store(type, y, 1, one);
                check_ok(place_accumulate_terms(op, &a, type, 2, x, y));
                check_ok(place_accumulate_terms(op, &b, type, 1, x, y));
                check_ok(
                    place_accumulate_terms(op, &c, type, 1, (char *)x + type_size(type), (char *)y + type_size(type)));
                check_ok(quire_merge(&b, &c));
                oracle_open(&o);
                oracle_add(&o, op, type, 2, x, y);
                check_against(&a, &o, "two specials");
                check_against(&b, &o, "two specials, merged");
                oracle_close(&o);
            }
}
END_TEST

START_TEST(root_of_a_negative_sum) {
    float x[3] = { 1, -1, -0x1p-149f };
    quire_accumulator a = ZERO;
    float result;
    check_ok(place_accumulate(&a, QUIRE_F32, 3, x));
    check_ok(quire_round_root(&a, QUIRE_F32, &result));
    check_bits(QUIRE_F32, &result, type_nan(QUIRE_F32), "the root of -2^-149");
    x[2] = 0x1p-149f; /* twice: +2^-149 */
    for (int i = 0; i < 2; i++) check_ok(place_accumulate(&a, QUIRE_F32, 1, &x[2]));
    check_ok(quire_round_root(&a, QUIRE_F32, &result));
    check_bits(QUIRE_F32, &result, type_encode(QUIRE_F32, sqrt(0x1p-149)), "the root of 2^-149");
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, is_plain_words);
    tcase_add_loop_test(cases, limbs_have_their_weight, 0, QUIRE_ACCUMULATOR_LIMBS);
    tcase_add_test(cases, powers_of_two);
    tcase_add_test(cases, any_limbs);
    tcase_add_loop_test(cases, mixed_calls, 0, FAMILY_COUNT);
    tcase_add_test(cases, empty_calls);
    tcase_add_loop_test(cases, merging_is_adding, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_test(cases, doubling_by_hand);
    tcase_add_loop_test(cases, full_accumulators_take_more, 0, 2 * TYPE_COUNT);
    tcase_add_test(cases, merging_with_itself);
    tcase_add_loop_test(cases, specials, 0, TYPE_COUNT);
    tcase_add_test(cases, root_of_a_negative_sum);
}

int main(void) { return run_cases("accumulator", add_tests); }
