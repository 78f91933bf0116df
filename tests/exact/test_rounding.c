/* test_rounding.c - the one rounding, at its hardest: at every midpoint of two neighbours, and 2^-2148 beside it.
 *
 * The expectation needs no arithmetic. Positive numbers of a format, taken as integers, are in order, and subnormals,
 * binades and Inf follow each other without a gap: the neighbour above bits b is b + 1, a tie goes to the even one of b
 * and b + 1. Whoever rounds twice, through float or double, loses the nudge and with it the answer. */
#include <math.h>
#include <string.h>

#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define MAX_TERMS 64

/* Products whose sum is wanted; powers of two below the least double are products too. */
typedef struct terms {
    size_t n;
    double x[MAX_TERMS], y[MAX_TERMS];
} terms;

static void put(terms *t, double x, double y) {
    check_that(t->n < MAX_TERMS, "too many terms");
    t->x[t->n] = x;
    t->y[t->n++] = y;
}

static void put_power(terms *t, double sign, int e) { put(t, sign * power_of_two(e / 2), power_of_two(e - e / 2)); }

/* The exponent of half a unit in the last place of bits b, that is of the distance to the midpoint above. */
static int half_unit(quire_type type, uint64_t b) {
    const number_format *f = type_format(type);
    int field = (int)(b >> (f->precision - 1));
    return (field ? field : 1) - f->bias - f->precision;
}

/* The midpoint above b, moved by the sign of nudge, rounds to this. */
static uint64_t rounded(uint64_t b, int nudge) { return nudge > 0 ? b + 1 : nudge < 0 ? b : b + (b & 1); }

typedef void visitor(quire_type type, uint64_t b);

/* Visits all finite positive bits of a short format; of a long one, in each binade, both ends and some between. */
static void visit_all(quire_type type, visitor *visit) {
    int stored = type_format(type)->precision - 1;
    uint64_t mask = ((uint64_t)1 << stored) - 1;
    generator g;
    generator_seed(&g, 30);
    for (uint64_t field = 0; field < type_infinity(type) >> stored; field++) {
        uint64_t any = generator_next(&g), some[8] = { 0, 1, 2, mask - 1, mask, any, any | 1, any >> 11 };
        for (uint64_t i = 0; i < (stored <= 10 ? mask + 1 : 8); i++)
            visit(type, field << stored | (stored <= 10 ? i : some[i] & mask));
    }
}

/* ------------------------------------------------------------------------------------------------------------- sums */

/* A dot of doubles reaches the midpoints of every format, and the nudge is the least product there is. */
static void midpoint_by_dot(quire_type type, uint64_t b) {
    for (int nudge = -1; nudge <= 1; nudge++)
        for (int s = 0; s < 2; s++) {
            double sign = s ? -1 : 1;
            terms t = { 0, { 0 }, { 0 } };
            uint64_t result[1];
            put(&t, sign * type_decode(type, b), 1);
            put_power(&t, sign, half_unit(type, b));
            if (nudge) put_power(&t, sign * nudge, -2148);
            check_ok(place_reduce(OPERATION_DOT, QUIRE_F64, t.n, t.x, t.y, QUIRE_EXACT, type, result));
            check_bits(type, result, rounded(b, nudge) | (s ? type_sign(type) : 0), "%a and a half, nudge %d",
                       sign * type_decode(type, b), nudge);
        }
}

START_TEST(midpoints) { visit_all(TYPES[_i], midpoint_by_dot); }
END_TEST

/* The same by quire_sum, from every type that can hold the three parts. */
static void midpoint_by_sum(quire_type result_type, uint64_t b) {
    for (int i = 0; i < TYPE_COUNT; i++) {
        quire_type type = TYPES[i];
        double part[3] = { type_decode(result_type, b), power_of_two(half_unit(result_type, b)), 0 };
        uint64_t x[3], result[1];
        if (part[1] == 0 || type_decode(type, type_encode(type, part[0])) != part[0] ||
            type_decode(type, type_encode(type, part[1])) != part[1])
            continue;
        for (int nudge = -1; nudge <= 1; nudge++) {
            part[2] = nudge * power_of_two(type_format(type)->least);
            for (size_t k = 0; k < 3; k++) type_set(type, x, k, part[k]);
            check_ok(place_reduce(OPERATION_SUM, type, 3, x, NULL, QUIRE_EXACT, result_type, result));
            check_bits(result_type, result, rounded(b, nudge), "%a and a half of %s, nudge %d", part[0],
                       type_name(type), nudge);
        }
    }
}

START_TEST(midpoints_by_sum) { visit_all(TYPES[_i], midpoint_by_sum); }
END_TEST

/* ------------------------------------------------------------------------------------------------- means and roots */

static void check_end(const terms *t, quire_type type, int64_t count, uint64_t expected, const char *text,
                      double near) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    uint64_t result[1];
    check_ok(place_accumulate_products(&a, QUIRE_F64, t->n, t->x, t->y));
    if (count) {
        a.count = count;
        check_ok(quire_round_mean(&a, type, result));
    } else {
        check_ok(quire_round_root(&a, type, result));
    }
    check_bits(type, result, expected, "%s near %a, of %lld", text, near, (long long)count);
}

/* c times the midpoint, and the nudge, over c. */
static void midpoint_by_mean(quire_type type, uint64_t b) {
    static const int counts[] = { 1, 2, 3, 5, 7, 10, 31 };
    double low = type_decode(type, b), sign = b & 2 ? -1 : 1;
    int c = counts[b % 7], h = half_unit(type, b);
    for (int nudge = -1; nudge <= 1; nudge++) {
        terms t = { 0, { 0 }, { 0 } };
        for (int i = 0; i < c; i++) {
            put(&t, sign * low, 1);
            put_power(&t, sign, h);
        }
        if (nudge) put_power(&t, sign * nudge, -2148);
        check_end(&t, type, c, rounded(b, nudge) | (sign < 0 ? type_sign(type) : 0), "a mean", sign * low);
    }
}

START_TEST(midpoints_of_means) { visit_all(TYPES[_i], midpoint_by_mean); }
END_TEST

/* The square of the midpoint l + h is l l + l 2h + h h, each a product of doubles if h is one. */
static void midpoint_by_root(quire_type type, uint64_t b) {
    double low = type_decode(type, b), half = power_of_two(half_unit(type, b));
    if (half == 0) return;
    /* The nudge is the least there is, or the last bits of the 128 that lead the square, or the first behind them. */
    int leading = 2 * ilogb(low > 0 ? low : half), places[4] = { -2148, leading - 126, leading - 127, leading - 128 };
    int place = places[b / 2 % 4] < -2148 ? -2148 : places[b / 2 % 4];
    for (int nudge = -1; nudge <= 1; nudge++) {
        terms t = { 0, { 0 }, { 0 } };
        put(&t, low, low);
        put(&t, low, 2 * half);
        put(&t, half, half);
        if (nudge) put_power(&t, nudge, place);
        check_end(&t, type, 0, rounded(b, nudge), "a root", low);
    }
}

START_TEST(midpoints_of_roots) { visit_all(TYPES[_i], midpoint_by_root); }
END_TEST

/* By quire_nrm2 itself: the midpoint of a shorter format is one element, and one least element beside it breaks the
 * tie. */
static void midpoint_by_nrm2(quire_type type, uint64_t b) {
    double x[2] = { type_decode(type, b) + power_of_two(half_unit(type, b)), 0 };
    uint64_t result[1];
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_F64, 2, x, NULL, QUIRE_EXACT, type, result));
    check_bits(type, result, rounded(b, 0), "nrm2 of %a", x[0]);
    x[1] = -0x1p-1074;
    check_ok(place_reduce(OPERATION_NRM2, QUIRE_F64, 2, x, NULL, QUIRE_EXACT, type, result));
    check_bits(type, result, rounded(b, 1), "nrm2 of %a and the least", x[0]);
}

/* Of all but double. */
START_TEST(midpoints_of_nrm2) {
    if (TYPES[_i] != QUIRE_F64) visit_all(TYPES[_i], midpoint_by_nrm2);
}
END_TEST

/* By quire_mean itself: of b and the number above it, at even lengths. */
static void midpoint_by_pairs(quire_type type, uint64_t b) {
    size_t n = 2 + 2 * (size_t)(b % 5);
    uint64_t x[10], result[1];
    if (!type_is_finite(type, b + 1)) return;
    for (size_t i = 0; i < n; i++) type_store(type, x, i, b + i % 2);
    check_ok(place_reduce(OPERATION_MEAN, type, n, x, NULL, QUIRE_EXACT, type, result));
    check_bits(type, result, rounded(b, 0), "the mean of %a and the next, %zu times", type_decode(type, b), n / 2);
    /* one more of either tips it */
    type_store(type, x, 0, b + 1);
    check_ok(place_reduce(OPERATION_MEAN, type, n, x, NULL, QUIRE_EXACT, type, result));
    check_bits(type, result, b + 1, "one more above %a, of %zu", type_decode(type, b), n);
}

START_TEST(midpoints_of_pairs) { visit_all(TYPES[_i], midpoint_by_pairs); }
END_TEST

/* -------------------------------------------------------------------------------------------------------- the edges */

/* Whatever is far beyond the greatest number is Inf, whatever is far below the least is a zero that keeps its sign. */
START_TEST(far_beyond) {
    for (int e = -2148; e <= 2046; e++)
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int s = 0; s < 2; s++) {
                const number_format *f = type_format(TYPES[r]);
                uint64_t expected, result[1];
                terms t = { 0, { 0 }, { 0 } };
                put_power(&t, s ? -1 : 1, e);
                expected = type_encode(TYPES[r], power_of_two(e));
                if (e > f->greatest || e < f->least) expected = e > 0 ? type_beyond(TYPES[r], 0) : 0;
                if (s) expected = e > f->greatest ? type_beyond(TYPES[r], 1) : expected | type_sign(TYPES[r]);
                check_ok(place_reduce(OPERATION_DOT, QUIRE_F64, 1, t.x, t.y, QUIRE_EXACT, TYPES[r], result));
                check_bits(TYPES[r], result, expected, "2^%d", e);
            }
}
END_TEST

/* 1 + 2^-11 + 2^-30 is above the tie of halves, but float holds 24 bits and lands on it; written out as one reads it in
 * papers, for each pair of formats. */
START_TEST(double_rounding) {
    double f16[3] = { 1, 0x1p-11, 0x1p-30 }, bf16[3] = { 1, 0x1p-8, 0x1p-60 }, f32[3] = { 1, 0x1p-24, 0x1p-70 };
    uint64_t result[1];
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, 3, f16, NULL, QUIRE_EXACT, QUIRE_F16, result));
    check_bits(QUIRE_F16, result, 0x3c01, "through float it would be 0x3c00");
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, 3, bf16, NULL, QUIRE_EXACT, QUIRE_BF16, result));
    check_bits(QUIRE_BF16, result, 0x3f81, "through double it would be 0x3f80");
    check_ok(place_reduce(OPERATION_SUM, QUIRE_F64, 3, f32, NULL, QUIRE_EXACT, QUIRE_F32, result));
    check_bits(QUIRE_F32, result, 0x3f800001, "through double it would be 0x3f800000");
}
END_TEST

/* The same from elements of every type that has them, above and below, where two numbers are left to be rounded, too.
 */
START_TEST(double_rounding_from_any) {
    static const quire_type from[] = { QUIRE_BF16, QUIRE_F32, QUIRE_F64 };
    for (int t = 0; t < 3; t++)
        for (int below = 0; below < 2; below++)
            for (int m = 0; m < 2; m++) {
                const double element[3] = { 1, below ? 0x3p-8 : 0x1p-8, below ? -0x1p-60 : 0x1p-60 };
                uint64_t x[3], result[1];
                for (size_t i = 0; i < 3; i++) type_store(from[t], x, i, type_encode(from[t], element[i]));
                check_ok(place_reduce(OPERATION_SUM, from[t], 3, x, NULL, m ? QUIRE_KAHAN : QUIRE_EXACT, QUIRE_BF16,
                                      result));
                check_bits(QUIRE_BF16, result, 0x3f81, "type %d, %s the tie, method %d", (int)from[t],
                           below ? "below" : "above", m);
            }
}
END_TEST

/* -------------------------------------------------------------------------------------------- nothing to be rounded */

/* One element comes out of an accumulator as it went in. */
static void check_through(quire_type type, uint64_t bits) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    uint64_t element[1], result[1];
    type_store(type, element, 0, bits);
    check_ok(place_accumulate(&a, type, 1, element));
    check_that(a.count == 1, "count is %lld", (long long)a.count);
    check_that((a.other != 0) == (bits != type_sign(type)), "other is %lld for %a", (long long)a.other,
               type_decode(type, bits));
    check_ok(quire_round(&a, type, result));
    check_bits(type, result, type_is_nan(type, bits) ? type_nan(type) : bits, "one element");
    check_ok(quire_round_mean(&a, type, result));
    check_bits(type, result, type_is_nan(type, bits) ? type_nan(type) : bits, "the mean of one element");
}

/* In 16 parts, so that a test is short. */
START_TEST(all_sixteen_bits) {
    quire_type type = _i < 16 ? QUIRE_F16 : QUIRE_BF16;
    for (uint64_t bits = (uint64_t)(_i % 16) << 12; bits < (uint64_t)(_i % 16 + 1) << 12; bits++)
        check_through(type, bits);
}
END_TEST

START_TEST(random_bits) {
    quire_type type = _i ? QUIRE_F64 : QUIRE_F32;
    generator g;
    generator_seed(&g, 21);
    for (size_t turn = 0; turn < scaled(40000); turn++)
        check_through(type, generator_next(&g) & ((type_sign(type) << 1) - 1));
    for (uint64_t near = 0; near < 100; near++) { /* both ends of the finite numbers, of both signs */
        check_through(type, near);
        check_through(type, type_sign(type) | near);
        check_through(type, type_infinity(type) + 50 - near);
        check_through(type, type_sign(type) | (type_infinity(type) + 50 - near));
    }
}
END_TEST

/* The square of an element and its root: |x|, whatever the format's range does to the square. */
START_TEST(root_of_square) {
    quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 22);
    for (size_t turn = 0; turn < scaled(20000); turn++) {
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
        uint64_t element[1] = { 0 }, result[1], bits;
        do bits = generator_next(&g) & ((type_sign(type) << 1) - 1);
        while (type_is_nan(type, bits));
        type_store(type, element, 0, bits);
        check_ok(place_accumulate_products(&a, type, 1, element, element));
        check_ok(quire_round_root(&a, type, result));
        check_bits(type, result, bits & ~type_sign(type), "the root of one square");
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------ who watches the oracle? */

/* The hardware: one IEEE operation on two doubles, or on two floats. */
START_TEST(oracle_agrees_with_hardware) {
    generator g;
    generator_seed(&g, 31);
    for (size_t turn = 0; turn < scaled(50000); turn++) {
        volatile double a = bits_double(generator_next(&g) & ~((uint64_t)1 << 62)),
                        b = a * (generator_uniform(&g) - 0.5);
        volatile double sum = a + b, product = a * b, root = sqrt(fabs(b)), mean = a / 3;
        volatile float narrow = (float)b;
        double x[3] = { a, b, 0 }, y[1] = { b }, z[3] = { a, 0, 0 };
        if (a == 0 || !isfinite(sum)) continue;
        check_that(oracle_reduce(OPERATION_SUM, QUIRE_F64, 2, x, NULL, QUIRE_F64) == double_bits(sum), "%a + %a", a, b);
        check_that(oracle_reduce(OPERATION_DOT, QUIRE_F64, 1, x, y, QUIRE_F64) == double_bits(product), "%a * %a", a,
                   b);
        check_that(oracle_reduce(OPERATION_MEAN, QUIRE_F64, 3, z, NULL, QUIRE_F64) == double_bits(mean), "%a / 3", a);
        check_that(oracle_reduce(OPERATION_SUM, QUIRE_F64, 1, y, NULL, QUIRE_F32) ==
                       type_encode(QUIRE_F32, (double)narrow),
                   "%a to float", b);
        oracle o;
        oracle_open(&o);
        oracle_add_scaled(&o, fabs(b), 0);
        check_that(oracle_end_bits(&o, ORACLE_ROOT, QUIRE_F64) == double_bits(root), "the root of %a", fabs(b));
        oracle_close(&o);
    }
}
END_TEST

/* And the walk along the integers: the midpoints again, by the oracle. */
static void oracle_midpoint(quire_type type, uint64_t b) {
    for (int nudge = -1; nudge <= 1; nudge++) {
        oracle o;
        oracle_open(&o);
        oracle_add_scaled(&o, type_decode(type, b), 0);
        oracle_add_scaled(&o, 1, half_unit(type, b));
        oracle_add_scaled(&o, nudge, -2148);
        o.count = 1;
        uint64_t found = oracle_end_bits(&o, ORACLE_MEAN, type);
        check_bits(type, &found, rounded(b, nudge), "the oracle's midpoint");
        oracle_close(&o);
    }
}

START_TEST(oracle_agrees_with_integers) { visit_all(TYPES[_i], oracle_midpoint); }
END_TEST

int main(void) {
    Suite *suite = suite_create("rounding");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 600);
    tcase_add_test(all, oracle_agrees_with_hardware);
    tcase_add_loop_test(all, oracle_agrees_with_integers, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints_by_sum, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints_of_means, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints_of_roots, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints_of_nrm2, 0, TYPE_COUNT);
    tcase_add_loop_test(all, midpoints_of_pairs, 0, TYPE_COUNT);
    tcase_add_test(all, far_beyond);
    tcase_add_loop_test(all, all_sixteen_bits, 0, 32);
    tcase_add_loop_test(all, random_bits, 0, 2);
    tcase_add_loop_test(all, root_of_square, 0, TYPE_COUNT);
    tcase_add_test(all, double_rounding);
    tcase_add_test(all, double_rounding_from_any);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
