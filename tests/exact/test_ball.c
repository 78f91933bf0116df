/* test_ball.c - QUIRE_EXACT where bits that a fast way would drop decide: sums a hair beside a tie, sums that cancel
 * down to such bits or to nothing, roots and overflows at their border. Equal to the oracle, on every variant of the
 * place. */
#include <math.h>
#include <stdio.h>

#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

static void check_result(operation op, quire_type type, size_t n, const void *x, const void *y, quire_type result_type,
                         const char *what, int e) {
    const uint64_t expected = oracle_reduce(op, type, n, x, y, result_type);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        uint64_t result[1];
        if (!variant) continue;
        check_ok(place_reduce(op, type, n, x, y, QUIRE_EXACT, result_type, result));
        check_bits(result_type, result, expected, "%s of %zu %s, %s, 2^%d, %s", operation_name(op), n, type_name(type),
                   what, e, variant);
    }
    place_use(0);
}

static void check_results(operation op, quire_type type, size_t n, const void *x, const char *what, int e) {
    for (int r = 0; r < TYPE_COUNT; r++) check_result(op, type, n, x, NULL, TYPES[r], what, e);
}

/* An array that is filled from its start; the rest stays +0. */
typedef struct vector {
    quire_type type;
    size_t n, filled;
    void *x;
} vector;

static vector vector_new(quire_type type, size_t n) {
    return (vector){ type, n, 0, array_new(n * type_size(type), 0) };
}

static void vector_clear(vector *v) {
    for (size_t i = 0; i < v->n; i++) type_store(v->type, v->x, i, 0);
    v->filled = 0;
}

static void put(vector *v, double value) { type_set(v->type, v->x, v->filled++, value); }

static void put_pair(vector *v, double value) {
    put(v, value);
    put(v, -value);
}

/* The greatest exponent that both formats have, less a few. */
static int common_exponent(quire_type type, quire_type result_type) {
    const int bias = type_format(type)->bias, other = type_format(result_type)->bias;
    return (bias < other ? bias : other) - 3;
}

static int least_exponent(quire_type type) { return type_format(type)->least; }

/* ------------------------------------------------------------------------------------------------ many small losses */

/* Thousands of elements just below 2^t, which a sum in units of 2^(t+1) drops one by one, lift it above a tie that it
 * would miss by less than all of them, but by more than half of them and of the zeros: whoever doubts only some of what
 * was dropped rounds down. Pairs keep every block wide. Powers of two in number, so that the mean is near a tie too. */
#define LOSSES 7168
#define LOSSES_N 8192

static void fill_losses(vector *v, quire_type result_type, int t) {
    const int e = common_exponent(v->type, result_type), precision = type_format(v->type)->precision;
    vector_clear(v);
    put(v, power_of_two(e));
    put(v, power_of_two(e - type_format(result_type)->precision));
    put(v, -3 * power_of_two(t + 11)); /* of LOSSES * 2^t, 6/7; of LOSSES_N * 2^t, 3/4 */
    for (int i = 0; i < LOSSES; i++) {
        put(v, power_of_two(t) - power_of_two(t - precision));
        if (i % 32 == 0) put_pair(v, power_of_two(e - 1)), put_pair(v, power_of_two(least_exponent(v->type)));
    }
}

/* Makes products of what is not less than 2^(t-1): by factors as far apart as there are. */
static void spread_factors(vector *v, vector *y, int t) {
    const number_format *f = type_format(v->type);
    const int room = t - 1 - f->precision - f->least, up = room < f->bias ? room : f->bias;
    for (size_t i = 0; i < v->n; i++) {
        const double value = type_value(v->type, v->x, i);
        const int spread = fabs(value) >= power_of_two(t - 1);
        type_set(v->type, v->x, i, value * (spread ? power_of_two(-up) : 1));
        type_set(v->type, y->x, i, spread ? power_of_two(up) : 1);
    }
}

START_TEST(many_losses) {
    vector v = vector_new(TYPES[_i / TYPE_COUNT], LOSSES_N), y = vector_new(v.type, LOSSES_N);
    const quire_type result_type = TYPES[_i % TYPE_COUNT];
    const int e = common_exponent(v.type, result_type), precision = type_format(v.type)->precision;
    for (int t = e - 110; t < e - 20; t++) {
        if (t - precision < least_exponent(v.type)) continue;
        fill_losses(&v, result_type, t);
        check_result(OPERATION_SUM, v.type, v.n, v.x, NULL, result_type, "many losses", t);
        if (t % 3 == 0) check_result(OPERATION_MEAN, v.type, v.n, v.x, NULL, result_type, "many losses", t);
        if (t - 1 - precision < least_exponent(v.type)) continue;
        spread_factors(&v, &y, t);
        check_result(OPERATION_DOT, v.type, v.n, v.x, y.x, result_type, "many losses", t);
    }
    array_free(v.x);
    array_free(y.x);
}
END_TEST

/* The same of products of doubles, whose errors are lost too: each is 2^52 + c + d + c d 2^-52 times 2^t, with an odd c
 * + d and c d just below 2^51, and loses almost 1.5 of these where 2^(t+1) is the unit. What is not lost is taken off.
 */
static void fill_lost_errors(vector *x, vector *y, quire_type result_type, int t) {
    const double c = 47453132, d = c + 1, all = 0x1p52 + c + d - 1;
    const int e = common_exponent(QUIRE_F64, result_type);
    vector_clear(x), vector_clear(y);
    put(x, power_of_two(e)), put(y, 1);
    put(x, power_of_two(e - type_format(result_type)->precision)), put(y, 1);
    put(x, -all * power_of_two(t)), put(y, LOSSES);
    put(x, -9 * power_of_two(t + 10)), put(y, 1); /* LOSSES_N * 2^t is 8/9 of it, LOSSES * 1.5 * 2^t 7/6 */
    for (int i = 0; i < LOSSES; i++) {
        put(x, (0x1p26 + c * 0x1p-26) * power_of_two(t / 2)), put(y, (0x1p26 + d * 0x1p-26) * power_of_two(t - t / 2));
        if (i % 32 == 0) put_pair(x, 0x1p-1074), put_pair(y, 0x1p-1074);
    }
}

START_TEST(lost_errors) {
    vector x = vector_new(QUIRE_F64, LOSSES_N), y = vector_new(QUIRE_F64, LOSSES_N);
    const quire_type result_type = TYPES[_i];
    const int e = common_exponent(QUIRE_F64, result_type);
    for (int t = e - 110; t < e - 60; t++) {
        fill_lost_errors(&x, &y, result_type, t);
        check_result(OPERATION_DOT, QUIRE_F64, x.n, x.x, y.x, result_type, "lost errors", t);
    }
    array_free(x.x);
    array_free(y.x);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- one small loss */

/* A tie of 2^e and half its last place, and one power of two of every size beside it; the same as a product of factors
 * as far apart as there are. */
static void check_near_tie(vector *v, vector *one, quire_type result_type, int e) {
    const int least = least_exponent(v->type), bias = type_format(v->type)->bias;
    for (int t = least; t < e; t += 1 + (e - least) / 300)
        for (int sign = -1; sign <= 1; sign += 2) {
            vector_clear(v);
            put(v, power_of_two(e));
            put(v, power_of_two(e - type_format(result_type)->precision));
            put(v, sign * power_of_two(t));
            put_pair(v, power_of_two(least));
            check_result(OPERATION_SUM, v->type, v->n, v->x, NULL, result_type, "near a tie", t);
            check_result(OPERATION_ASUM, v->type, v->n, v->x, NULL, result_type, "near a tie", t);
            const int up = t - least < bias ? t - least : bias;
            type_set(v->type, v->x, 2, sign * power_of_two(t - up));
            type_set(v->type, one->x, 2, power_of_two(up));
            check_result(OPERATION_DOT, v->type, v->n, v->x, one->x, result_type, "near a tie", t);
        }
}

/* The tie at which overflow begins, and one power of two of every size beside it. */
static void check_near_overflow(vector *v, quire_type result_type) {
    const number_format *r = type_format(result_type);
    const int least = least_exponent(v->type), e = r->bias - r->precision, precision = type_format(v->type)->precision;
    for (int t = least; t < e; t += 1 + (e - least) / 300)
        for (int sign = -1; sign <= 1; sign += 2) {
            vector_clear(v);
            put(v, sign * type_decode(result_type, type_greatest(result_type)));
            put(v, sign * power_of_two(e));
            put(v, -sign * power_of_two(t + precision)); /* 2^t, as the last bits of a full significand */
            put(v, sign * (power_of_two(t + precision) - power_of_two(t)));
            check_result(OPERATION_SUM, v->type, v->n, v->x, NULL, result_type, "near overflow", t);
        }
}

START_TEST(near_ties) {
    vector v = vector_new(TYPES[_i / TYPE_COUNT], 100), one = vector_new(v.type, 100);
    const quire_type result_type = TYPES[_i % TYPE_COUNT];
    const number_format *f = type_format(v.type), *r = type_format(result_type);
    for (size_t i = 0; i < one.n; i++) put(&one, 1);
    check_near_tie(&v, &one, result_type, common_exponent(v.type, result_type));
    check_near_tie(&v, &one, result_type,
                   f->least + 100); /* the greatest element hardly leaves room for a window below it */
    check_near_tie(&v, &one, result_type, f->least + 140);
    if (f->bias >= r->bias && f->precision >= r->precision) check_near_overflow(&v, result_type);
    array_free(v.x);
    array_free(one.x);
}
END_TEST

/* (M + 1/2)^2 and a little more, as a sum of squares: M = 2^(p-1) for a result of p bits, and M itself of one square or
 * two.
 */
START_TEST(near_ties_of_roots) {
    vector v = vector_new(TYPES[_i / TYPE_COUNT], 100);
    const quire_type result_type = TYPES[_i % TYPE_COUNT];
    const int p = type_format(result_type)->precision, least = least_exponent(v.type);
    for (int t = least; t < p - 1 && p <= type_format(v.type)->bias; t += 1 + (p - least) / 300) {
        vector_clear(&v);
        put(&v, power_of_two(p - 1));
        put(&v, power_of_two((p - 1) / 2));
        if (p % 2 == 0) put(&v, power_of_two((p - 1) / 2));
        put(&v, 0.5);
        check_result(OPERATION_NRM2, v.type, v.n, v.x, NULL, result_type, "a tie", t);
        put(&v, power_of_two(t));
        check_result(OPERATION_NRM2, v.type, v.n, v.x, NULL, result_type, "near a tie", t);
    }
    array_free(v.x);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ what is left over */

/* Large pairs that cancel, and one power of two of every size, or nothing; the sign of what rounds to zero counts too.
 */
START_TEST(what_is_left) {
    vector v = vector_new(TYPES[_i], 100);
    const int least = least_exponent(v.type), most = type_format(v.type)->bias;
    for (int t = least; t < most; t += 1 + (most - least) / 100)
        for (int sign = -1; sign <= 1; sign++) {
            vector_clear(&v);
            for (int i = 0; i < 8; i++) put_pair(&v, power_of_two(most - i)), put_pair(&v, power_of_two(least + i));
            put(&v, sign * power_of_two(t));
            put_pair(&v, power_of_two(most));
            check_results(OPERATION_SUM, v.type, v.n, v.x, "left over", t);
            check_results(OPERATION_MEAN, v.type, v.n, v.x, "left over", t);
        }
    array_free(v.x);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* Lengths around the blocks of every tier, all of whose blocks are wide; the little beside the tie comes last, or
 * before. */
START_TEST(block_borders) {
    static const size_t borders[] = { 8, 16, 32, 64, 128, 1024, 2048, 4096, 8192, 16384 };
    const quire_type type = TYPES[_i];
    const int least = least_exponent(type), precision = type_format(type)->precision;
    for (size_t b = 0; b < sizeof borders / sizeof *borders; b++)
        for (size_t n = borders[b] - 1; n <= borders[b] + 1; n++)
            for (size_t at = n - 1; at + 3 > n; at--) {
                vector v = vector_new(type, n);
                vector_clear(&v);
                put(&v, 1);
                put(&v, power_of_two(-precision));
                while (v.filled + 3 < n) put_pair(&v, v.filled % 4 ? 0.5 : power_of_two(least));
                type_set(type, v.x, at, power_of_two(least + 1));
                check_result(OPERATION_SUM, type, n, v.x, NULL, type, "at a border", (int)at);
                array_free(v.x);
            }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, many_losses, 0, TYPE_COUNT * TYPE_COUNT);
    tcase_add_loop_test(cases, lost_errors, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, near_ties, 0, TYPE_COUNT * TYPE_COUNT);
    tcase_add_loop_test(cases, near_ties_of_roots, 0, TYPE_COUNT * TYPE_COUNT);
    tcase_add_loop_test(cases, what_is_left, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, block_borders, 0, TYPE_COUNT);
}

int main(void) { return run_cases("ball", add_tests); }
