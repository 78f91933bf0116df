/* test_wide.c - integers of many digits against GMP, with digits that make carries, borrows and corrections likely. */
#include <gmp.h>
#include <string.h>

#include "accumulator/wide.h"
#include "number.h"
#include "support.h"

#define DIGITS 12

/* Digits of which many are extreme, so that a quotient's digit is often guessed one too high. */
static wide_integer draw(generator *g, uint32_t *digit, int most) {
    static const uint32_t extremes[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
    wide_integer a = { digit, (int)generator_below(g, (uint64_t)most + 1), generator_between(g, -4000, 4000),
                       generator_below(g, 2) != 0 };
    for (int i = 0; i < a.count; i++)
        digit[i] = generator_below(g, 4) ? extremes[generator_below(g, 6)] : (uint32_t)generator_next(g);
    return wide_trim(a);
}

/* In units of 2^exponent, which is no more than a's. */
static void to_gmp(mpz_t z, wide_integer a, int exponent) {
    mpz_import(z, (size_t)a.count, -1, sizeof *a.digit, 0, 0, a.digit);
    if (a.count) mpz_mul_2exp(z, z, (mp_bitcnt_t)(a.exponent - exponent));
    if (a.negative) mpz_neg(z, z);
}

static void check_equal(wide_integer found, mpz_t expected, int exponent, const char *what) {
    mpz_t z;
    mpz_init(z);
    if (found.count) ck_assert_msg(found.exponent >= exponent, "%s: digits below", what);
    to_gmp(z, found, exponent);
    ck_assert_msg(!mpz_cmp(z, expected), "%s differs", what);
    if (!found.count) ck_assert(!found.negative);
    mpz_clear(z);
}

START_TEST(products_and_differences) {
    generator g;
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    generator_seed(&g, 1);
    for (size_t turn = scaled(100000); turn-- > 0;) {
        uint32_t x[DIGITS], y[DIGITS], product[2 * DIGITS], difference[DIGITS + 8000 / 32 + 3];
        const wide_integer u = draw(&g, x, DIGITS), v = draw(&g, y, DIGITS);
        const int least = u.count && (!v.count || u.exponent < v.exponent) ? u.exponent : v.exponent;
        to_gmp(a, u, u.exponent);
        to_gmp(b, v, v.exponent);
        mpz_mul(a, a, b);
        check_equal(wide_multiply(u, v, product), a, u.exponent + v.exponent, "product");
        to_gmp(a, u, least);
        to_gmp(b, v, least);
        mpz_sub(a, a, b);
        check_equal(wide_subtract(u, v, difference), a, least, "difference");
    }
    mpz_clears(a, b, NULL);
}
END_TEST

/* The total's 128 bits are the leading ones of the quotient, and sticky tells of any below. */
START_TEST(quotients) {
    generator g;
    mpz_t a, b, q, r;
    mpz_inits(a, b, q, r, NULL);
    generator_seed(&g, 2);
    for (size_t turn = scaled(400000); turn-- > 0;) {
        uint32_t x[2 * DIGITS], y[DIGITS], work[WIDE_DIVISION(DIGITS)];
        const wide_integer u = draw(&g, x, 2 * DIGITS), v = draw(&g, y, 1 + (int)generator_below(&g, DIGITS));
        if (!v.count) continue;
        const quire_total t = wide_quotient(u, v, work);
        if (!u.count) {
            ck_assert(!t.high && !t.low && !t.sticky && !t.negative);
            continue;
        }
        ck_assert(t.high >> 63 && t.negative == (u.negative != v.negative));
        /* u / v in units of 2^t.exponent: both shifted, so that the quotient is that integer and a rest. */
        const int up = u.exponent - v.exponent - t.exponent;
        to_gmp(a, u, u.exponent);
        to_gmp(b, v, v.exponent);
        mpz_abs(a, a);
        mpz_abs(b, b);
        mpz_mul_2exp(up > 0 ? a : b, up > 0 ? a : b, (mp_bitcnt_t)(up > 0 ? up : -up));
        mpz_tdiv_qr(q, r, a, b);
        mpz_set_ui(a, t.high);
        mpz_mul_2exp(a, a, 64);
        mpz_add_ui(a, a, t.low);
        ck_assert_msg(!mpz_cmp(a, q), "quotient");
        ck_assert_msg((t.sticky != 0) == (mpz_sgn(r) != 0), "sticky");
    }
    mpz_clears(a, b, q, r, NULL);
}
END_TEST

/* Guessed too high by the leading digits, twice, and found so only by the last: Knuth's exercises 21 and 22 of 4.3.1.
 */
START_TEST(corrected_digit) {
    uint32_t u[4] = { 0, 0, 0x80000000, 0x7fffffff }, v[3] = { 1, 0, 0x80000000 };
    ck_assert(wide_quotient_digit(u, v, 3) == 0xfffffffe);
    ck_assert(u[0] == 2 && u[1] == 0xffffffff && u[2] == 0x7fffffff && u[3] == 0);
}
END_TEST

START_TEST(limbs) {
    generator g;
    mpz_t z, limb;
    mpz_inits(z, limb, NULL);
    generator_seed(&g, 4);
    for (size_t turn = scaled(20000); turn-- > 0;) {
        int64_t limbs[QUIRE_ACCUMULATOR_LIMBS] = { 0 };
        uint32_t digit[WIDE_OF_LIMBS];
        const int first = (int)generator_below(&g, QUIRE_ACCUMULATOR_LIMBS);
        const int count = (int)generator_below(&g, (uint64_t)(QUIRE_ACCUMULATOR_LIMBS - first) + 1);
        mpz_set_ui(z, 0);
        for (int i = first; i < first + count; i++)
            limbs[i] = (int64_t)generator_next(&g) >> (generator_below(&g, 3) ? 31 : 1);
        for (int i = QUIRE_ACCUMULATOR_LIMBS - 1; i >= 0; i--) {
            mpz_mul_2exp(z, z, 32);
            mpz_set_si(limb, limbs[i]);
            mpz_add(z, z, limb);
        }
        check_equal(wide_of_limbs(limbs, digit), z, LIMB_LEAST_EXPONENT, "limbs");
    }
    mpz_clears(z, limb, NULL);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, products_and_differences);
    tcase_add_test(cases, quotients);
    tcase_add_test(cases, corrected_digit);
    tcase_add_test(cases, limbs);
}

int main(void) { return run_cases_without_place("wide", add); }
