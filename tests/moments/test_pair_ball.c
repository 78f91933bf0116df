/* test_pair_ball.c - the balls about averages, covariances and correlations: a radius that is too small would cost bits
 * in results that nobody has met, so the radii themselves are asked, against MPFR: for numbers anywhere in the balls of
 * the sums, what is made of them must be in the ball that is said. */
#include "cpu/block/moment_ball.h"
#include "operation/pairs_ball.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "number.h"
#include "support.h"

#define EXACT 3000 /* bits that hold sums and differences of products exactly, and quotients but for little */

/* A sum as the library knows it, and what it is. */
typedef struct {
    moment_ball ball;
    mpfr_t truth;
} sum;

static double draw_sign(generator *g) { return generator_below(g, 2) ? 1 : -1; }

/* A low word of as many bits as there are, or fewer; a radius from nothing to more than that; and somewhere in the
 * ball, the truth: at its ends, too. */
static void set_sum(generator *g, sum *s, double high) {
    const double unit = high == 0 ? 0 : ldexp(1, ilogb(high) - 53);
    s->ball.high = high;
    s->ball.low = generator_below(g, 4) ? unit * draw_sign(g) * generator_uniform(g) : 0;
    s->ball.radius = generator_below(g, 3)
                         ? ldexp(generator_uniform(g), (high == 0 ? 0 : ilogb(high)) - generator_between(g, 20, 130))
                         : 0;
    const double at = generator_below(g, 3) ? draw_sign(g) : 2 * generator_uniform(g) - 1;
    mpfr_set_d(s->truth, at, MPFR_RNDN);
    mpfr_mul_d(s->truth, s->truth, s->ball.radius, MPFR_RNDN);
    mpfr_add_d(s->truth, s->truth, s->ball.high, MPFR_RNDN);
    mpfr_add_d(s->truth, s->truth, s->ball.low, MPFR_RNDN);
}

static double draw_number(generator *g, int least, int greatest) {
    return draw_sign(g) * ldexp(1 + generator_uniform(g), generator_between(g, least, greatest));
}

/* n p - s t */
static void difference(mpfr_t d, uint64_t n, const mpfr_t p, const mpfr_t s, const mpfr_t t) {
    mpfr_t product;
    mpfr_init2(product, EXACT);
    mpfr_mul(product, s, t, MPFR_RNDN);
    mpfr_mul_ui(d, p, n, MPFR_RNDN);
    mpfr_sub(d, d, product, MPFR_RNDN);
    mpfr_clear(product);
}

/* What the finish makes of the true sums. */
static void true_result(mpfr_t r, const sum *s, finish_kind finish, uint64_t n, int64_t correction) {
    mpfr_t a, b;
    if (finish == FINISH_AVERAGE) {
        mpfr_div(r, s[PAIR_PRODUCTS].truth, s[PAIR_OF_Y].truth, MPFR_RNDN);
        return;
    }
    mpfr_inits2(EXACT, a, b, NULL);
    difference(r, n, s[PAIR_PRODUCTS].truth, s[PAIR_OF_X].truth, s[PAIR_OF_Y].truth);
    if (finish == FINISH_COVARIANCE) {
        mpfr_div_ui(r, r, n, MPFR_RNDN);
        mpfr_div_ui(r, r, n - (uint64_t)correction, MPFR_RNDN);
    } else {
        difference(a, n, s[PAIR_SQUARES_X].truth, s[PAIR_OF_X].truth, s[PAIR_OF_X].truth);
        difference(b, n, s[PAIR_SQUARES_Y].truth, s[PAIR_OF_Y].truth, s[PAIR_OF_Y].truth);
        mpfr_mul(a, a, b, MPFR_RNDN);
        mpfr_sqrt(a, a, MPFR_RNDN);
        mpfr_div(r, r, a, MPFR_RNDN);
    }
    mpfr_clears(a, b, NULL);
}

/* A sum of products near s t / n, so that most of a difference cancels, or any; of squares, above s^2 / n. */
static double draw_products(generator *g, double s, double t, double n, int is_square) {
    const double rest = ldexp(1 + generator_uniform(g), -generator_between(g, 0, is_square ? 70 : 110));
    const double near = s * t / n;
    if (is_square) return near * (1 + rest) + (near == 0 ? rest : 0);
    return generator_below(g, 2) ? near * (1 + draw_sign(g) * rest) : draw_number(g, -60, 60);
}

/* Answers whether the ball said something. */
static int check_ball(generator *g, sum *s, finish_kind finish) {
    const uint64_t n = 1 + generator_next(g) % ((uint64_t)1 << generator_between(g, 1, 41));
    const int64_t correction = (int64_t)generator_below(g, 2);
    const int apart = generator_below(g, 3) ? 20 : 190;
    const double x = generator_below(g, 9) ? draw_number(g, -apart, apart) : 0;
    const double y = generator_below(g, 9) ? draw_number(g, -apart, apart) : 0, all = (double)n;
    set_sum(g, &s[PAIR_OF_X], x);
    set_sum(g, &s[PAIR_OF_Y], y);
    set_sum(g, &s[PAIR_PRODUCTS], draw_products(g, x, y, all, 0));
    set_sum(g, &s[PAIR_SQUARES_X], draw_products(g, x, x, all, 1));
    set_sum(g, &s[PAIR_SQUARES_Y], draw_products(g, y, y, all, 1));
    moment_ball sums[MOST_PAIR_SUMS];
    for (int i = 0; i < MOST_PAIR_SUMS; i++) sums[i] = s[i].ball;
    const moment_ball ball = pair_in_ball(sums, finish, n, correction);
    if (!(ball.radius >= 0)) return 0;
    mpfr_t truth;
    mpfr_init2(truth, EXACT);
    true_result(truth, s, finish, n, correction);
    mpfr_sub_d(truth, truth, ball.high, MPFR_RNDN);
    mpfr_sub_d(truth, truth, ball.low, MPFR_RNDN);
    mpfr_abs(truth, truth, MPFR_RNDN);
    check_that(!mpfr_nan_p(truth) && mpfr_cmp_d(truth, ball.radius) <= 0,
               "finish %d of %llu: off by %g, said %g, of %a + %a", (int)finish, (unsigned long long)n,
               mpfr_get_d(truth, MPFR_RNDU), ball.radius, ball.high, ball.low);
    check_that(fabs(ball.low) <= ldexp(fabs(ball.high), -52), "low words are low: %a + %a", ball.high, ball.low);
    mpfr_clear(truth);
    return 1;
}

START_TEST(balls_hold_results) {
    const finish_kind finish = (finish_kind)(FINISH_AVERAGE + _i);
    const size_t turns = scaled(60000);
    sum s[MOST_PAIR_SUMS];
    size_t said = 0;
    generator g;
    generator_seed(&g, 600 + (uint64_t)_i);
    for (int i = 0; i < MOST_PAIR_SUMS; i++) mpfr_init2(s[i].truth, EXACT);
    for (size_t turn = 0; turn < turns; turn++) said += (size_t)check_ball(&g, s, finish);
    for (int i = 0; i < MOST_PAIR_SUMS; i++) mpfr_clear(s[i].truth);
    check_that(said > turns / 3, "of %zu balls %zu said something", turns, said);
}
END_TEST

/* Each step alone, of numbers without a radius: what it says is off by no more, and no hundred times less, so that a
 * step cannot hide behind what others say. */
START_TEST(steps_hold_results) {
    static const char *const names[] = { "times", "minus", "over" };
    generator g;
    sum a, b;
    mpfr_t truth;
    double greatest = 0;
    generator_seed(&g, 700 + (uint64_t)_i);
    mpfr_inits2(EXACT, a.truth, b.truth, truth, NULL);
    for (size_t turn = scaled(100000); turn > 0; turn--) {
        set_sum(&g, &a, draw_number(&g, 0, 4));
        set_sum(&g, &b, draw_number(&g, 0, 4));
        a.ball.radius = b.ball.radius = 0;
        mpfr_set_d(a.truth, a.ball.high, MPFR_RNDN), mpfr_add_d(a.truth, a.truth, a.ball.low, MPFR_RNDN);
        mpfr_set_d(b.truth, b.ball.high, MPFR_RNDN), mpfr_add_d(b.truth, b.truth, b.ball.low, MPFR_RNDN);
        const moment_ball ball = _i == 0   ? ball_times(a.ball, b.ball)
                                 : _i == 1 ? ball_minus(a.ball, b.ball)
                                           : ball_over(a.ball, b.ball);
        (_i == 0 ? mpfr_mul : _i == 1 ? mpfr_sub : mpfr_div)(truth, a.truth, b.truth, MPFR_RNDN);
        mpfr_sub_d(truth, truth, ball.high, MPFR_RNDN);
        mpfr_sub_d(truth, truth, ball.low, MPFR_RNDN);
        mpfr_abs(truth, truth, MPFR_RNDN);
        const double off = mpfr_get_d(truth, MPFR_RNDU) / ball.radius;
        check_that(off <= 1, "%s: off by %g of what was said", names[_i], off);
        if (off > greatest) greatest = off;
    }
    check_that(greatest > 0.01, "%s: off by %g of what was said, at most", names[_i], greatest);
    mpfr_clears(a.truth, b.truth, truth, NULL);
}
END_TEST

/* What is too small, too great or no number has no ball. */
START_TEST(no_balls) {
    const moment_ball good = { 3, 0, 0 },
                      bad[] = { { 0x1p-201, 0, 0 }, { 0x1p201, 0, 0 },  { INFINITY, 0, 0 }, { NAN, 0, 0 },
                                { 3, 0, NAN },      { 3, 0, INFINITY }, { 0, 0x1p-1074, 0 } };
    for (int finish = FINISH_AVERAGE; finish <= FINISH_CORRELATION; finish++)
        for (int i = 0; i < pair_sums_of((finish_kind)finish); i++)
            for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
                moment_ball sums[MOST_PAIR_SUMS] = { { 7, 0, 0 }, good, good, { 9, 0, 0 }, { 9, 0, 0 } };
                ck_assert(pair_in_ball(sums, (finish_kind)finish, 2, 0).radius > 0);
                ck_assert(pair_in_ball(sums, (finish_kind)finish, (uint64_t)BALL_COUNTS + 1, 0).radius < 0);
                sums[i] = bad[k];
                ck_assert(!(pair_in_ball(sums, (finish_kind)finish, 2, 0).radius >= 0));
            }
    const moment_ball sums[3] = { { 7, 0, 0 }, good, good };
    ck_assert(pair_in_ball(sums, FINISH_COVARIANCE, 2, 2).radius < 0);
    ck_assert(pair_in_ball(sums, FINISH_COVARIANCE, 2, INT64_MIN).radius < 0);
    const moment_ball unsure[2] = { { 7, 0, 0 }, { 3, 0, 1 } };
    ck_assert(pair_in_ball(unsure, FINISH_AVERAGE, 2, 0).radius < 0);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, balls_hold_results, 0, 3);
    tcase_add_loop_test(cases, steps_hold_results, 0, 3);
    tcase_add_test(cases, no_balls);
}

int main(void) { return run_cases_without_place("pair_ball", add); }
