/* test_records.c - quire/mpi_record.h without MPI: a merged record has the value of the merged accumulators, and the
 * same bits whatever the order of merging; a window that is too small says so. */
#include <math.h>
#include <string.h>

#include <quire/mpi_record.h>

#include "number.h"
#include "support.h"

#define RANKS 9

/* A carried accumulator whose limbs first to last are random, or all ones; negated, perhaps. */
static quire_accumulator some_accumulator(generator *g, int first, int last, int full, int negative) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    for (int i = first; i <= last; i++) a.limb[i] = full ? 0xffffffff : (int64_t)(generator_next(g) & 0xffffffff);
    for (int i = 0; negative && i < QUIRE_ACCUMULATOR_LIMBS; i++) a.limb[i] = -a.limb[i];
    a.count = 1, a.other = ((int64_t)1 << 32) - 1;
    check_ok(quire_carry(&a));
    return a;
}

/* Merges records of some accumulators in two orders; their value must be that of the merged accumulators. */
static void check_merge(generator *g, const quire_accumulator *parts, int wide) {
    quire_record forward = quire_record_of(&parts[0]), shuffled, records[RANKS];
    quire_accumulator right = QUIRE_ACCUMULATOR_ZERO, found = QUIRE_ACCUMULATOR_ZERO;
    for (int i = 0; i < RANKS; i++) {
        records[i] = quire_record_of(&parts[i]);
        if (i) quire_record_merge(&forward, &records[i]);
        check_ok(quire_merge(&right, &parts[i]));
    }
    generator_shuffle(g, RANKS, sizeof *records, records);
    for (int i = 1; i < 4; i++) quire_record_merge(&records[0], &records[i]); /* two groups */
    shuffled = records[8];
    for (int i = 7; i > 3; i--) quire_record_merge(&shuffled, &records[i]);
    quire_record_merge(&shuffled, &records[0]);
    ck_assert_uint_eq(forward.head, shuffled.head);
    ck_assert_int_eq((forward.head & QUIRE_RECORD_WIDE) != 0, wide);
    if (wide) return;
    ck_assert_mem_eq(&forward, &shuffled, sizeof forward);
    quire_record_to(&forward, (uint64_t)right.count, &found);
    check_ok(quire_carry(&found));
    ck_assert_mem_eq(&found, &right, sizeof right);
}

START_TEST(merging) {
    generator g;
    generator_seed(&g, 31);
    for (size_t turn = 0; turn < scaled(20000); turn++) {
        quire_accumulator parts[RANKS];
        const int low = (int)(generator_next(&g) % 134);
        int first = 1000, last = -1;
        for (int i = 0; i < RANKS; i++) {
            const int at = low + (int)(generator_next(&g) % 6), length = (int)(generator_next(&g) % 8);
            const int from = at < 133 ? at : 133, to = from + length < 133 ? from + length : 133;
            parts[i] = some_accumulator(&g, from, to, turn % 3 == 0, (int)(generator_next(&g) & 1));
            int a = 0, b = 134; /* what a record must reach over: the limbs that differ from the sign, and one more */
            const int64_t sign = parts[i].limb[134] < 0 ? 0xffffffff : 0;
            while (!parts[i].limb[a]) a++;
            while (b >= a && (parts[i].limb[b] & 0xffffffff) == sign) b--;
            first = a / 2 < first ? a / 2 : first;
            last = (b + 1) / 2 > last ? (b + 1) / 2 : last;
        }
        check_merge(&g, parts, last - first >= QUIRE_RECORD_WORDS);
    }
}
END_TEST

/* A window that the numbers fill to the last bit: their sum goes into the headroom. */
START_TEST(full_windows) {
    generator g;
    generator_seed(&g, 32);
    for (int negative = 0; negative < 2; negative++)
        for (int first = 0; first < 120; first++)
            for (int limbs = 1; limbs < 14; limbs++) {
                quire_accumulator parts[RANKS];
                for (int i = 0; i < RANKS; i++) parts[i] = some_accumulator(&g, first, first + limbs - 1, 1, negative);
                check_merge(&g, parts, (first + limbs) / 2 - first / 2 >= QUIRE_RECORD_WORDS);
            }
}
END_TEST

START_TEST(one_alone) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    generator g;
    generator_seed(&g, 33);
    for (int first = 0; first < 134; first++)
        for (int last = first; last < 134; last++)
            for (int negative = 0; negative < 2; negative++) {
                const quire_accumulator a = some_accumulator(&g, first, last, 1, negative);
                const quire_record r = quire_record_of(&a);
                quire_accumulator found = QUIRE_ACCUMULATOR_ZERO;
                ck_assert_int_eq((r.head & QUIRE_RECORD_WIDE) != 0, (last + 1) / 2 - first / 2 >= QUIRE_RECORD_WORDS);
                if (r.head & QUIRE_RECORD_WIDE) continue;
                quire_record_to(&r, 1, &found);
                check_ok(quire_carry(&found));
                ck_assert_mem_eq(&found, &a, sizeof a);
                found = zero;
                quire_record_to(&r, 1, &found);
                quire_record_undo(&r, &found);
                ck_assert_mem_eq(found.limb, zero.limb, sizeof zero.limb);
            }
}
END_TEST

/* Doubles that are hard: any bits, or powers of two at the ends of limbs, or subnormal, zero or not finite. */
static double some_double(generator *g, size_t turn) {
    uint64_t bits = generator_next(g);
    double x;
    if (turn % 5 == 1) bits &= 0xfff0000000000000;
    if (turn % 5 == 2) bits &= (uint64_t)-1 << bits % 52;
    if (turn % 5 == 3) bits &= 0x800fffffffffffff >> (bits & 1 ? 0 : bits % 52);
    if (turn % 20 == 4) bits = (bits & (uint64_t)1 << 63) | (bits & 1 ? 0 : 0x7ff0000000000000 | (bits & 2) << 40);
    memcpy(&x, &bits, sizeof x);
    return x;
}

START_TEST(doubles) {
    generator g;
    generator_seed(&g, 34);
    for (size_t turn = 0; turn < scaled(100000); turn++) {
        const double x = some_double(&g, turn);
        const uint64_t ends = 0xff00; /* where a window may end later */
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, found = QUIRE_ACCUMULATOR_ZERO;
        check_ok(quire_accumulate(NULL, &a, QUIRE_F64, 1, &x));
        const quire_record of = quire_record_of_double(&x), right = quire_record_of(&a);
        quire_record_to(&of, 1, &found);
        check_ok(quire_carry(&found));
        ck_assert_mem_eq(&found, &a, sizeof a);
        ck_assert_mem_eq(of.word, right.word, sizeof of.word);
        ck_assert_uint_eq(of.head & ~ends, right.head & ~ends);
        ck_assert_int_ge(QUIRE_RECORD_HIGH(of.head), QUIRE_RECORD_HIGH(right.head));
        ck_assert_int_le(QUIRE_RECORD_HIGH(of.head), QUIRE_RECORD_HIGH(right.head) + (x < 0));
    }
}
END_TEST

/* Whether a rank's record is wide: 2^30 terms, and a lesser one. */
static int is_wide(double little, double great, int are_products) {
    quire_accumulator rank = QUIRE_ACCUMULATOR_ZERO, one = QUIRE_ACCUMULATOR_ZERO;
    const double little_factor = are_products ? little : 1, great_factor = are_products ? great : 1;
    check_ok(quire_accumulate_products(NULL, &rank, QUIRE_F64, 1, &great, &great_factor));
    for (int i = 0; i < 30; i++) check_ok(quire_merge(&rank, &rank));
    check_ok(quire_accumulate_products(NULL, &one, QUIRE_F64, 1, &little, &little_factor));
    check_ok(quire_merge(&rank, &one));
    return (quire_record_of(&rank).head & QUIRE_RECORD_WIDE) != 0;
}

/* What the header says of the numbers that records have room for: as far apart wherever they lie, and no farther. */
START_TEST(room) {
    const struct {
        quire_type type;
        int are_products, apart;
    } cases[] = { { QUIRE_F64, 0, 206 }, { QUIRE_BF16, 1, 122 }, { QUIRE_F32, 1, 106 }, { QUIRE_F64, 1, 77 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const number_format f = *type_format(cases[i].type);
        int farther_wide = 0;
        for (int low = -f.bias + 1; low + cases[i].apart < f.greatest; low++) {
            const double full = ldexp(1, f.precision) - 1, little = ldexp(full, low + 1 - f.precision);
            const double great = ldexp(little, cases[i].apart);
            ck_assert_msg(!is_wide(little, great, cases[i].are_products), "case %zu, from 2^%d", i, low);
            farther_wide |= is_wide(little, 2 * great, cases[i].are_products);
        }
        ck_assert(farther_wide);
    }
    for (int t = 0; t < TYPE_COUNT; t++) {
        const double great = type_decode(TYPES[t], type_greatest(TYPES[t])), little = type_decode(TYPES[t], 1);
        ck_assert_int_eq(is_wide(little, great, 0), TYPES[t] == QUIRE_F64);
        ck_assert_int_eq(is_wide(little, great, 1), type_format(TYPES[t])->least < -100);
    }
}
END_TEST

START_TEST(flags) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, found = QUIRE_ACCUMULATOR_ZERO;
    quire_record empty = quire_record_of(&a), r = empty;
    ck_assert_uint_eq(empty.head, 0);
    a.nan = 1, a.other = 1;
    quire_record one = quire_record_of(&a);
    quire_record_merge(&r, &one);
    a.nan = 0, a.positive_infinity = 1, a.negative_infinity = 1;
    one = quire_record_of(&a);
    quire_record_merge(&r, &one);
    quire_record_to(&r, 5, &found);
    ck_assert_int_eq(found.nan, 1);
    ck_assert_int_eq(found.positive_infinity, 1);
    ck_assert_int_eq(found.negative_infinity, 1);
    ck_assert_int_eq(found.other, 1);
    ck_assert_int_eq(found.count, 5);
}
END_TEST

/* What ranks say of their call, merged in every order: the terms are added up, the greatest status is everybody's, and
 * one number that differs is seen. */
START_TEST(calls) {
    const quire_reduction good = { QUIRE_VARIANCE, QUIRE_F32, QUIRE_F64, 0, QUIRE_UPWARD, 1, { 0 } };
    for (int way = 0; way < 13; way++)
        for (int turn = 0; turn < 3; turn++) {
            quire_record call[3];
            quire_status right = QUIRE_OK, status[3] = { QUIRE_OK, QUIRE_OK, QUIRE_OK };
            for (int r = 0; r < 3; r++) {
                const int other = (r + turn) % 3 == 0;
                quire_reduction what = good;
                uint64_t vectors = 5, terms = 10u + (unsigned)r;
                if (way == 0) what.operation = QUIRE_STDDEV;
                if (way == 1) right = QUIRE_RANKS_DIFFER, what.operation = other ? QUIRE_STDDEV : QUIRE_VARIANCE;
                if (way == 2) right = QUIRE_RANKS_DIFFER, what.type = other ? QUIRE_BF16 : QUIRE_F32;
                if (way == 3) right = QUIRE_RANKS_DIFFER, what.result_type = other ? QUIRE_F32 : QUIRE_F64;
                if (way == 4) right = QUIRE_RANKS_DIFFER, what.rounding = other ? QUIRE_DOWNWARD : QUIRE_UPWARD;
                if (way == 5) right = QUIRE_RANKS_DIFFER, what.correction = other ? 0 : 1;
                if (way == 6) right = QUIRE_RANKS_DIFFER, vectors = other ? 6 : 5;
                if (way == 7) what.operation = QUIRE_SUM, what.correction = other; /* which a sum does not read */
                if (way == 8) what.result_type = other ? (quire_type)0 : what.type;
                if (way == 9) what.operation = other ? (quire_operation)0 : QUIRE_SUM;
                if (way == 10) right = QUIRE_RANKS_DIFFER, vectors = other ? (uint64_t)1 << 47 : 0;
                if (way == 11) {
                    right = QUIRE_NULL_POINTER, what.type = other ? QUIRE_BF16 : QUIRE_F32;
                    status[r] = other ? QUIRE_NULL_POINTER : r == turn ? QUIRE_INVALID_TYPE : QUIRE_OK;
                }
                call[r] = quire_record_of_call(status[r], terms, vectors, &what);
                if (way == 12 && other) { /* a rank that was compiled with another version of the header */
                    const uint64_t said = quire_record_what(QUIRE_RECORD_VERSION + 1, vectors, &what);
                    right = QUIRE_RANKS_DIFFER, quire_record_say(&call[r], QUIRE_CALL_WHAT, said);
                }
            }
            quire_record forward = call[0], backward = call[2];
            quire_record_merge(&forward, &call[1]);
            quire_record_merge(&forward, &call[2]);
            quire_record_merge(&call[1], &call[0]);
            quire_record_merge(&backward, &call[1]);
            ck_assert_mem_eq(&forward, &backward, sizeof forward);
            ck_assert_msg(quire_record_status(&forward) == right, "way %d", way);
            ck_assert_uint_eq(forward.word[QUIRE_CALL_TERMS], 33);
        }
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, merging);
    tcase_add_test(cases, full_windows);
    tcase_add_test(cases, one_alone);
    tcase_add_test(cases, doubles);
    tcase_add_test(cases, room);
    tcase_add_test(cases, flags);
    tcase_add_test(cases, calls);
}

int main(void) { return run_cases_without_place("records", add); }
