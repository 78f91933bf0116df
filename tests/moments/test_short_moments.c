/* test_short_moments.c - variances of numbers of few bits, such as integers: their quotients often lie in the middle of
 * two results, or next to it, where no radius is small enough. operation/moments_ball.h says such a quotient exactly;
 * here it is asked, against MPFR; and then many short vectors at once, in bits, on every variant of the place. */
#include "cpu/block/moment_ball.h"

#include <check.h>
#include <math.h>

#include "number.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

#define MOST 300

/* Numbers of few bits or of all, of one exponent or of several, about 0 or not. */
static void draw_numbers(generator *g, size_t n, double *x) {
    const int bits = generator_below(g, 2) ? generator_between(g, 22, 28) : generator_between(g, 1, 53);
    const int exponents = generator_below(g, 3) ? 0 : generator_between(g, 1, 20),
              scale = generator_between(g, -90, 90);
    const double about = generator_below(g, 3) ? 0 : floor(ldexp(generator_uniform(g), 20));
    for (size_t i = 0; i < n; i++) {
        const double number = floor(ldexp(generator_uniform(g), bits)) + about;
        x[i] = ldexp(generator_below(g, 2) ? number : -number, scale + generator_between(g, 0, exponents));
    }
}

/* A sum as so many doubles: each is what the ones before leave, to nearest; answers whether they are all of it. */
static int words_of(const oracle *sum, int words, double *word) {
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(sum->finite));
    mpfr_set(rest, sum->finite, MPFR_RNDN);
    for (int i = 0; i < words; i++) {
        word[i] = mpfr_get_d(rest, MPFR_RNDN);
        mpfr_sub_d(rest, rest, word[i], MPFR_RNDN);
    }
    const int is_all = mpfr_zero_p(rest);
    mpfr_clear(rest);
    return is_all;
}

/* In all formats, rounded in all directions, what is said to be exact rounds as the quotient does. */
static void check_quotient(moment_ball ball, const oracle_moments *o, size_t n, int64_t correction) {
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int direction = 0; direction < 4; direction++) {
            const quire_rounding rounding = (quire_rounding)direction;
            const uint64_t bits = total_round(total_of_two(ball.high, ball.low), describe_format(TYPES[t]), rounding);
            const uint64_t expected = oracle_variance(o, correction, TYPES[t], rounding);
            check_bits(TYPES[t], &bits, expected, "%zu numbers, correction %d, rounding %d: %a + %a", n,
                       (int)correction, direction, ball.high, ball.low);
        }
}

START_TEST(exact_quotients) {
    generator g;
    size_t there = 0, undecided = 0;
    generator_seed(&g, 7);
    for (size_t turn = 0; turn < scaled(20000); turn++) {
        const size_t n =
            generator_below(&g, 2) ? 2 + generator_below(&g, MOST - 2) : (size_t)2 << generator_below(&g, 7);
        const int64_t correction = generator_below(&g, 3) ? generator_between(&g, 0, 1) : -generator_between(&g, 1, 99);
        double x[MOST], s[2], q[3];
        const double width[2] = { 0, 0 };
        oracle_moments o;
        draw_numbers(&g, n, x);
        oracle_moments_open(&o, QUIRE_F64, n, x, x);
        const int is_all = words_of(&o.x, 2, s) & words_of(&o.xx, 3, q);
        const moment_ball exact = moment_exactly(s, q, width, FINISH_VARIANCE, n, correction);
        if (is_all && exact.radius == 0) {
            const moment_ball ball = moment_in_ball(s, q, width, FINISH_VARIANCE, n, correction);
            double low, high;
            undecided += !(ball.radius > 0) || !ball_ends(ball, &low, &high) || low != high;
            there++;
            check_quotient(exact, &o, n, correction);
        }
        oracle_moments_close(&o);
    }
    ck_assert_uint_ge(there, scaled(20000) / 2);
    ck_assert_uint_ge(undecided, there / 400); /* which is what it is for */
}
END_TEST

/* What is off by anything, however little, has no exact quotient, nor have roots, too many numbers, or too few. */
START_TEST(not_exact) {
    const double s[2] = { 6, 0 }, q[3] = { 14, 0, 0 }, none[2] = { 0, 0 }, off[2][2] = { { 0x1p-1074, 0 }, { 0, 1 } };
    const double long_s[2] = { 6, 0x1p-60 }, long_q[3] = { 14, 0x1p-60, 0x1p-120 }, huge[3] = { 0x1p401, 0, 0 };
    const double low_s[2] = { 0x1p-401, 0 }, low_q[3] = { 14, 0x1p-401, 0 };
    const double half[2] = { 0x1.0000004p-1, 0 }, odd[3] = { 0x1p52 + 1, 0, 0 };
    const double little[2] = { 0x1.0000000000001p10, 0 }, much[3] = { 0x1p60, 0, 0 };
    const double apart[3] = { 0x1p52 + 1, 0x1p-60, 0 }, product[3] = { 0x1p60, 0x1.0000000000001p-10, 0 };
    const double remainder[3] = { 1, 0x1.0000000000001p-60, 0 };
    const uint64_t many = (uint64_t)BALL_QUOTIENTS;
    ck_assert(moment_exactly(s, q, none, FINISH_VARIANCE, 3, 1).radius == 0);
    ck_assert(moment_exactly(s, q, none, FINISH_VARIANCE, many, 0).radius == 0);
    ck_assert(moment_exactly(s, q, off[0], FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(s, q, off[1], FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(long_s, q, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(s, long_q, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(s, huge, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(low_s, q, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(s, low_q, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(half, odd, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(none, apart, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(little, much, none, FINISH_VARIANCE, 2, 1).radius < 0);
    ck_assert(moment_exactly(none, product, none, FINISH_VARIANCE, 3, 1).radius < 0);
    ck_assert(moment_exactly(none, remainder, none, FINISH_VARIANCE, 2, -1).radius < 0);
    ck_assert(moment_exactly(s, q, none, FINISH_STDDEV, 3, 1).radius < 0);
    ck_assert(moment_exactly(s, q, none, FINISH_VARIANCE, 3, 3).radius < 0);
    ck_assert(moment_exactly(s, q, none, FINISH_VARIANCE, many, -1).radius < 0);
    ck_assert(moment_exactly(s, q, none, FINISH_VARIANCE, many + 1, 1).radius < 0);
}
END_TEST

/* Of one number the difference is 0, whatever its bits: a length that segments often have. Not so of other squares. */
START_TEST(one_number) {
    const double none[2] = { 0, 0 };
    generator g;
    generator_seed(&g, 8);
    for (size_t turn = 0; turn < 1000; turn++) {
        const double x = ldexp(generator_uniform(&g), generator_between(&g, -150, 150)), square = x * x;
        const double s[2] = { x, 0 }, q[3] = { square, fma(x, x, -square), 0 };
        const double other[3] = { q[0], nextafter(q[1], 1), 0 }, more[3] = { q[0], q[1], ldexp(q[0], -120) };
        for (int correction = -1; correction < 1; correction++) {
            const moment_ball ball = moment_in_ball(s, q, none, FINISH_VARIANCE, 1, correction);
            ck_assert(ball.radius == 0 && ball.high == 0 && ball.low == 0);
            ck_assert(moment_in_ball(s, other, none, FINISH_VARIANCE, 1, correction).radius != 0);
            ck_assert(moment_in_ball(s, more, none, FINISH_VARIANCE, 1, correction).radius != 0);
        }
        if (q[1] != 0) ck_assert(moment_in_ball(s, q, none, FINISH_VARIANCE, 2, 0).radius != 0);
    }
}
END_TEST

/* Sums so small that a radius would underflow are left open, though nothing is off: 1, 3 and 7 times 2^e. */
START_TEST(tiny_numbers) {
    for (int e = -537; e < -400; e++) {
        const double s[2] = { ldexp(11, e), 0 }, q[3] = { ldexp(59, 2 * e), 0, 0 }, none[2] = { 0, 0 };
        ck_assert(moment_in_ball(s, q, none, FINISH_VARIANCE, 3, 0).radius < 0);
    }
}
END_TEST

/* Rows of a few small integers, and columns; every variance is compared. */
static void check_vectors(quire_type type, size_t n, size_t vectors, const void *x, int columns) {
    const quire_layout layout = columns ? quire_columns(n, vectors, vectors) : quire_rows(vectors, n, n);
    const size_t size = type_size(type);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (int i = 0; i < 8 && variant; i++) {
            const quire_type to = i % 2 ? QUIRE_F64 : type;
            const quire_rounding rounding = (quire_rounding)(i / 2);
            const quire_reduction what = { QUIRE_VARIANCE, type, to, QUIRE_EXACT, rounding, i % 3 == 0, { 0 } };
            char *results = array_new(vectors * type_size(to), 0), *one = array_new(n * size, 0);
            check_ok(place_layouts(&what, &layout, x, NULL, NULL, results));
            for (size_t at = 0; at < vectors; at++) {
                oracle_moments o;
                for (size_t k = 0; k < n; k++)
                    type_set(type, one, k, type_value(type, x, columns ? k * vectors + at : at * n + k));
                oracle_moments_open(&o, type, n, one, one);
                check_bits(to, results + at * type_size(to), oracle_variance(&o, what.correction, to, rounding),
                           "%s %zu of %zu %s, rounding %d, %s", columns ? "column" : "row", at, n, type_name(type),
                           (int)rounding, variant);
                oracle_moments_close(&o);
            }
            array_free(results), array_free(one);
        }
    }
    place_use(0);
}

START_TEST(vectors_of_integers) {
    static const size_t lengths[] = { 2, 3, 4, 8, 16, 33, 64 };
    const quire_type type = TYPES[_i];
    const size_t vectors = scaled(40);
    generator g;
    generator_seed(&g, 90 + (uint64_t)_i);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const size_t n = lengths[l];
        void *x = array_new(n * vectors * type_size(type), 0);
        for (size_t i = 0; i < n * vectors; i++)
            type_set(type, x, i, (double)generator_between(&g, -8, type_format(type)->precision < 8 ? 8 : 200));
        check_vectors(type, n, vectors, x, l % 2);
        array_free(x);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, exact_quotients);
    tcase_add_test(cases, not_exact);
    tcase_add_test(cases, one_number);
    tcase_add_test(cases, tiny_numbers);
    tcase_add_loop_test(cases, vectors_of_integers, 0, TYPE_COUNT);
}

int main(void) { return run_cases("short_moments", add_tests); }
