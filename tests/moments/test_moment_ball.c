/* test_moment_ball.c - the sums that lose a little, and the balls about variances: a radius that is too small would
 * cost bits in results that nobody has met, so the radii themselves are asked, against MPFR. Then variances of vectors
 * whose blocks differ as much as they can, in bits, on every variant of the place. The sums are compiled here once
 * more, in the portable tier. */
#define SIMD_TIER_portable
#include "cpu/tier/moments.c"

#include <check.h>
#include <fenv.h>
#include <math.h>

#include "families.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

/* Bits that hold all there is in sums and in differences of their products, but for a last rounding. */
#define EXACT 5000

/* |exact - (high + middle + low)| <= width */
static void check_within(const mpfr_t exact, double high, double middle, double low, double width, const char *what) {
    mpfr_t off;
    mpfr_init2(off, EXACT);
    mpfr_sub_d(off, exact, high, MPFR_RNDN);
    mpfr_sub_d(off, off, middle, MPFR_RNDN);
    mpfr_sub_d(off, off, low, MPFR_RNDN);
    mpfr_abs(off, off, MPFR_RNDN);
    if (mpfr_cmp_d(off, width) > 0) ck_abort_msg("%s: off by %g, said %g", what, mpfr_get_d(off, MPFR_RNDU), width);
    mpfr_clear(off);
}

/* ------------------------------------------------------------------------------------------------------------- sums */

#define MOMENTS_ENTRIES(format, FORMAT, type, real, unused) [type] = format##_moments,
static const moments_function SUMS[FORMAT_NUMBERS] = { QUIRE_FORMATS(MOMENTS_ENTRIES, ) };

/* Multiplies whole stretches of blocks' lengths, more or less, by powers of two. */
static void spread(generator *g, quire_type type, size_t n, void *x) {
    const int most = type_format(type)->bias / 2;
    for (size_t i = 0; i < n;) {
        size_t count = 1 + generator_below(g, 3000);
        const double factor = generator_below(g, 5) ? power_of_two(generator_between(g, -most, most)) : 0;
        for (; count && i < n; count--, i++) type_set(type, x, i, type_value(type, x, i) * factor);
    }
}

/* Vectors of less than a block, of one and of several. */
static size_t draw_length(generator *g) {
    static const size_t most[] = { 20, 300, 1100, 9000 };
    return 1 + generator_below(g, most[generator_below(g, 4)]);
}

START_TEST(sums_lose_no_more) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    generator g;
    generator_seed(&g, 17 + (uint64_t)_i);
    for (size_t turn = scaled(12); turn-- > 0;) {
        const size_t n = draw_length(&g);
        void *x = array_new(n * type_size(type), type_size(type) * generator_below(&g, 3));
        oracle_moments o;
        family_fill(which, type, generator_next(&g), n, x);
        if (turn % 3 == 0) spread(&g, type, n, x);
        oracle_moments_open(&o, type, n, x, x);
        for (moment_way way = 0; way < MOMENT_WAYS; way++) {
            moment_sums s;
            const int is_finite = !o.xx.nan && !o.xx.positive_infinity, there = SUMS[type](x, n, way, &s);
            ck_assert_msg(is_finite || !there, "%s of %s", family_name(which), type_name(type));
            if (!there) continue;
            check_within(o.x.finite, s.s[0], s.s[1], 0, s.width[0], family_name(which));
            check_within(o.xx.finite, s.q[0], s.q[1], s.q[2], s.width[1], family_name(which));
        }
        oracle_moments_close(&o);
        array_free(x);
    }
}
END_TEST

/* |exact - (high + low)| >= width / most: data are as bad as a bound says that they can be, so that no bound much
 * smaller is one. */
static void check_reaches(const mpfr_t exact, double high, double low, double width, double most, const char *what) {
    mpfr_t off;
    mpfr_init2(off, EXACT);
    mpfr_sub_d(off, exact, high, MPFR_RNDN);
    mpfr_sub_d(off, off, low, MPFR_RNDN);
    mpfr_abs(off, off, MPFR_RNDN);
    mpfr_mul_d(off, off, most, MPFR_RNDN);
    if (mpfr_cmp_d(off, width) < 0)
        ck_abort_msg("%s: off by %g / %g only, said %g", what, mpfr_get_d(off, MPFR_RNDU), most, width);
    mpfr_clear(off);
}

/* Where an element's step is in its stretch: the first one has half as many. */
static size_t step_in_stretch(size_t i) {
    const size_t step = i / MOMENT_FLOAT_STEP, half = MOMENT_FLOAT_STEPS / 2;
    return step < half ? step : (step - half) % MOMENT_FLOAT_STEPS;
}

/* In floats, both sums are within their widths; one of them is off by so much of its own at least. */
static void check_floats(quire_type type, size_t n, const void *x, int of_squares, double most) {
    oracle_moments o;
    moment_sums s;
    oracle_moments_open(&o, type, n, x, x);
    ck_assert(SUMS[type](x, n, MOMENTS_IN_FLOATS, &s));
    check_within(o.x.finite, s.s[0], s.s[1], 0, s.width[0], "sum");
    check_within(o.xx.finite, s.q[0], s.q[1], s.q[2], s.width[1], "squares");
    if (of_squares)
        check_reaches(o.xx.finite, s.q[0], s.q[1], s.width[1], most, "squares");
    else
        check_reaches(o.x.finite, s.s[0], s.s[1], s.width[0], most, "sum");
    oracle_moments_close(&o);
}

/* The stretches begin with ones, and go on with half an ulp of the lanes' sums, or of squares, which is lost in each
 * step. The bound of S knows squares alone: elements of so few bits cannot reach it. */
START_TEST(floats_lose_as_much_as_they_may) {
    const quire_type type = _i % 2 ? QUIRE_BF16 : QUIRE_F16;
    const int of_squares = _i / 2;
    const size_t ones = of_squares ? 1 : 8;
    for (size_t stretches = 0; stretches < 4; stretches++) {
        const size_t n = MOMENT_FLOAT_STRETCH / 2 + stretches * MOMENT_FLOAT_STRETCH;
        void *x = array_new(n * type_size(type), 0);
        for (size_t i = 0; i < n; i++)
            type_set(type, x, i, step_in_stretch(i) < ones ? 1 : of_squares ? 0x1p-12 : 0x1p-21);
        check_floats(type, n, x, of_squares, of_squares ? 1.7 : 4.5);
        array_free(x);
    }
}
END_TEST

/* Likewise where lanes are added to each other, after one step. */
START_TEST(lanes_of_floats_lose_as_much_as_they_may) {
    const quire_type type = _i % 2 ? QUIRE_BF16 : QUIRE_F16;
    const int of_squares = _i / 2;
    void *x = array_new(MOMENT_FLOAT_STEP * type_size(type), 0);
    for (size_t i = 0; i < MOMENT_FLOAT_STEP; i++)
        type_set(type, x, i, i < (size_t)SIMD_F32 ? 1 : of_squares ? 0x1p-12 : 0x1p-24);
    check_floats(type, MOMENT_FLOAT_STEP, x, of_squares, of_squares ? 1.5 : 3);
    array_free(x);
}
END_TEST

/* Ordinary data have sums, and they are narrow. */
START_TEST(sums_are_narrow) {
    for (int t = 0; t < TYPE_COUNT; t++)
        for (size_t n = 1; n < 10000; n += 1 + n) {
            void *x = array_new(n * type_size(TYPES[t]), 0);
            family_fill(FAMILY_NORMAL, TYPES[t], n, n, x);
            for (moment_way way = TYPES[t] == QUIRE_F64 ? MOMENTS_SPLIT : MOMENTS_IN_FLOATS; way < MOMENT_WAYS; way++) {
                static const double narrow[MOMENT_WAYS] = { 0x1p-18, 0x1p-44, 0x1p-63 };
                moment_sums s;
                if (!SUMS[TYPES[t]](x, n, way, &s)) {
                    ck_assert(way == MOMENTS_IN_FLOATS && n < 10); /* perhaps near a constant */
                    continue;
                }
                ck_assert_msg(s.width[1] <= s.q[0] * narrow[way], "%zu of %s: %a of %a", n, type_name(TYPES[t]),
                              s.width[1], s.q[0]);
            }
            array_free(x);
        }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ balls */

/* sum and sum of squares moved by their widths, up or down; what they come to is in the ball. */
static void check_ball(moment_ball ball, const moment_sums *s, finish_kind finish, uint64_t n, int64_t correction,
                       int sides) {
    mpfr_t sum, squares, divisor;
    mpfr_inits2(EXACT, sum, squares, divisor, NULL);
    mpfr_set_d(sum, s->s[0], MPFR_RNDN);
    mpfr_add_d(sum, sum, s->s[1], MPFR_RNDN);
    mpfr_add_d(sum, sum, (sides & 1 ? 1 : -1) * s->width[0], MPFR_RNDN);
    mpfr_set_d(squares, s->q[0], MPFR_RNDN);
    mpfr_add_d(squares, squares, s->q[1], MPFR_RNDN);
    mpfr_add_d(squares, squares, s->q[2], MPFR_RNDN);
    mpfr_add_d(squares, squares, (sides & 2 ? 1 : -1) * s->width[1], MPFR_RNDN);
    mpfr_mul_ui(squares, squares, n, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_sub(sum, squares, sum, MPFR_RNDN);
    mpfr_set_ui(divisor, n, MPFR_RNDN);
    mpfr_sub_si(divisor, divisor, correction, MPFR_RNDN);
    mpfr_mul_ui(divisor, divisor, n, MPFR_RNDN);
    mpfr_div(sum, sum, divisor, MPFR_RNDN);
    if (finish == FINISH_STDDEV && mpfr_sgn(sum) >= 0) mpfr_sqrt(sum, sum, MPFR_RNDN);
    if (finish == FINISH_VARIANCE || mpfr_sgn(sum) >= 0) check_within(sum, ball.high, ball.low, 0, ball.radius, "ball");
    mpfr_clears(sum, squares, divisor, NULL);
}

/* Of counts up to 2^40, and sums of which more or less cancels. */
START_TEST(balls_hold_all) {
    generator g;
    size_t there = 0;
    generator_seed(&g, 4);
    for (size_t turn = 0; turn < scaled(20000); turn++) {
        const uint64_t n = 2 + (generator_next(&g) >> generator_between(&g, 24, 62));
        const int64_t correction = generator_below(&g, 3) ? 1 : generator_between(&g, -100, 1);
        const finish_kind finish = turn % 2 ? FINISH_STDDEV : FINISH_VARIANCE;
        const double mean = ldexp(generator_uniform(&g) - 0.5, generator_between(&g, -20, 20));
        const double spread = ldexp(generator_uniform(&g), generator_between(&g, -20, 20));
        moment_sums s = { { mean * (double)n, 0 }, { (mean * mean + spread * spread) * (double)n, 0, 0 }, { 0, 0 } };
        s.s[1] = s.s[0] * (generator_uniform(&g) - 0.5) * 0x1p-52;
        s.q[1] = s.q[0] * (generator_uniform(&g) - 0.5) * 0x1p-52;
        s.q[2] = s.q[1] * (generator_uniform(&g) - 0.5) * 0x1p-52;
        s.width[0] = fabs(s.s[0]) * ldexp(generator_uniform(&g), -generator_between(&g, 30, 110));
        s.width[1] = s.q[0] * ldexp(generator_uniform(&g), -generator_between(&g, 30, 110));
        if (generator_below(&g, 4) == 0) s.width[0] = s.width[1] = 0;
        const moment_ball ball = moment_in_ball(s.s, s.q, s.width, finish, n, correction);
        if (!(ball.radius > 0)) continue;
        there++;
        for (int sides = 0; sides < 4; sides++) check_ball(ball, &s, finish, n, correction, sides);
    }
    ck_assert_uint_ge(there, scaled(20000) / 2);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- results */

static void check_moments(quire_type type, size_t n, const void *x, const char *about) {
    oracle_moments o;
    oracle_moments_open(&o, type, n, x, x);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (int i = 0; i < 12 && variant; i++) {
            const quire_type to = i / 2 % 3 == 0 ? QUIRE_F64 : i / 2 % 3 == 1 ? QUIRE_F32 : type;
            const quire_rounding rounding = i < 6 ? QUIRE_TO_NEAREST : QUIRE_UPWARD;
            const quire_reduction what = {
                i % 2 ? QUIRE_STDDEV : QUIRE_VARIANCE, type, to, QUIRE_EXACT, rounding, 1, { 0 }
            };
            const uint64_t expected = (i % 2 ? oracle_stddev : oracle_variance)(&o, 1, to, rounding);
            uint64_t result = 0;
            check_ok(place_reduction(&what, n, x, NULL, &result));
            check_bits(to, &result, expected, "moment %d of %zu %s, %s, %s", i, n, type_name(type), about, variant);
        }
    }
    place_use(0);
    oracle_moments_close(&o);
}

/* The greatest correction above one, and below 0, with which the result is that one's: with the next one it is another,
 * so that both are within 2^-24 of the boundary of a rounding. Results grow with corrections. */
static int64_t last_correction(const oracle_moments *o, quire_operation operation, quire_type to, int64_t one) {
    uint64_t (*const result)(const oracle_moments *, int64_t, quire_type, quire_rounding) =
        operation == QUIRE_VARIANCE ? oracle_variance : oracle_stddev;
    const uint64_t bits = result(o, one, to, QUIRE_TO_NEAREST);
    int64_t last = one, other = 0;
    while (other - last > 1) {
        const int64_t middle = last + (other - last) / 2;
        if (result(o, middle, to, QUIRE_TO_NEAREST) == bits)
            last = middle;
        else
            other = middle;
    }
    return last;
}

/* Results of few bits that sums in floats must not tell. */
START_TEST(near_boundaries) {
    const quire_type type = _i % 2 ? QUIRE_BF16 : QUIRE_F16;
    const quire_operation operation = _i / 2 ? QUIRE_STDDEV : QUIRE_VARIANCE;
    generator g;
    generator_seed(&g, 41 + (uint64_t)_i);
    for (size_t turn = scaled(12); turn-- > 0;) {
        const size_t n = 600 + generator_below(&g, 8000);
        void *x = array_new(n * type_size(type), 0);
        oracle_moments o;
        family_fill(turn % 2 ? FAMILY_UNIFORM : FAMILY_POSITIVE, type, generator_next(&g), n, x);
        for (size_t i = 0; i < n; i++) type_set(type, x, i, type_value(type, x, i) * 64);
        oracle_moments_open(&o, type, n, x, x);
        const int64_t last =
            last_correction(&o, operation, type, -(int64_t)(1 << 24) + generator_between(&g, 0, 1 << 20));
        for (size_t v = 0; v < place_variants(); v++) {
            const char *variant = place_use(v);
            for (int64_t c = last; c < last + 2 && variant; c++) {
                const quire_reduction what = { operation, type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, c, { 0 } };
                uint64_t result = 0;
                check_ok(place_reduction(&what, n, x, NULL, &result));
                check_bits(
                    type, &result,
                    (operation == QUIRE_VARIANCE ? oracle_variance : oracle_stddev)(&o, c, type, QUIRE_TO_NEAREST),
                    "%zu of %s, correction %lld, %s", n, type_name(type), (long long)c, variant);
            }
        }
        place_use(0);
        oracle_moments_close(&o);
        array_free(x);
    }
}
END_TEST

/* Several blocks of every tier, each of its own size; some numbers among them that are greater by far; one thread or
 * more.
 */
START_TEST(unlike_blocks) {
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 71 + (uint64_t)_i);
    for (size_t turn = scaled(6); turn-- > 0;) {
        const size_t n = 9000 + generator_below(&g, 20000);
        void *x = array_new(n * type_size(type), 0);
        family_fill(FAMILY_NORMAL, type, generator_next(&g), n, x);
        spread(&g, type, n, x);
        check_moments(type, n, x, "stretches");
        family_fill(FAMILY_POSITIVE, type, generator_next(&g), n, x);
        for (int i = 0; i < 5; i++)
            type_set(type, x, generator_below(&g, n),
                     ldexp(generator_uniform(&g), generator_between(&g, 0, 6 + 40 * i)));
        check_moments(type, n, x, "outliers");
        type_store(type, x, generator_below(&g, n), turn % 2 ? type_nan(type) : type_infinity(type));
        check_moments(type, n, x, "not finite");
        array_free(x);
    }
}
END_TEST

/* Numbers that differ in their last bits alone, more or less of them, and those that do not differ. */
START_TEST(near_a_constant) {
    const quire_type type = TYPES[_i];
    const size_t lengths[] = { 3, 40, 700, 5000, 10000 };
    generator g;
    generator_seed(&g, 5 + (uint64_t)_i);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        void *x = array_new(lengths[i] * type_size(type), 0);
        for (int bits = 0; bits < 8; bits += 2) {
            const uint64_t one = type_encode(type, 1);
            for (size_t k = 0; k < lengths[i]; k++)
                type_store(type, x, k, one + generator_below(&g, 1 + (uint64_t)bits / 2));
            check_moments(type, lengths[i], x, "near 1");
        }
        array_free(x);
    }
}
END_TEST

/* Whatever the caller rounds to, for one vector of each way. */
START_TEST(callers_rounding) {
    static const int directions[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    static const size_t lengths[] = { 10, 1000, 10000, 140000 };
    const quire_type type = TYPES[_i];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        void *x = array_new(lengths[i] * type_size(type), 0);
        oracle_moments o;
        family_fill(FAMILY_POSITIVE, type, 3 + i, lengths[i], x);
        oracle_moments_open(&o, type, lengths[i], x, x);
        for (int k = 0; k < 16; k++) {
            const quire_type to = k / 4 % 2 ? QUIRE_F32 : QUIRE_F64;
            const quire_operation operation = k / 8 ? QUIRE_STDDEV : QUIRE_VARIANCE;
            const quire_reduction what = { operation, type, to, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
            uint64_t result = 0;
            fesetround(directions[k % 4]);
            const quire_status status = place_reduction(&what, lengths[i], x, NULL, &result);
            fesetround(FE_TONEAREST);
            check_ok(status);
            check_bits(to, &result, (k / 8 ? oracle_stddev : oracle_variance)(&o, 0, to, QUIRE_TO_NEAREST),
                       "%zu of %s, direction %d", lengths[i], type_name(type), k % 4);
        }
        oracle_moments_close(&o);
        array_free(x);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, sums_lose_no_more, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, floats_lose_as_much_as_they_may, 0, 4);
    tcase_add_loop_test(cases, lanes_of_floats_lose_as_much_as_they_may, 0, 4);
    tcase_add_test(cases, sums_are_narrow);
    tcase_add_test(cases, balls_hold_all);
    tcase_add_loop_test(cases, near_boundaries, 0, 4);
    tcase_add_loop_test(cases, unlike_blocks, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, near_a_constant, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, callers_rounding, 0, TYPE_COUNT);
}

int main(void) { return run_cases("moment_ball", add_tests); }
