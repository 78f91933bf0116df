/* test_range.c - the limits that the windows of the CPU rely on, each computed here from what it is defined as: the
 * range of terms and products, the errors that a double holds, what an approximate window loses. A limit that is too
 * wide only costs time, and one that is too narrow may cost bits in sums that nobody has met: so no result tells, and
 * the limits themselves are asked. The driver is compiled here once more, in the portable tier. */
#define SIMD_TIER_portable
#include "cpu/tier/exact.c"

#include <check.h>
#include <math.h>

#include "support.h"

/* ---------------------------------------------------------------------------------------------- all terms there are */

/* The least e with |x| < 2^e. x is not 0. */
static int exponent_above(double x) {
    int e = -1074;
    while (power_of_two(e) <= fabs(x) && e < 1024) e++;
    return e;
}

/* Of elements, and of their products: below 2^highest, and no less would do; multiples of 2^lowest. */
static void check_extremes(exact_choice c, quire_type type) {
    const int high = exponent_above(type_decode(type, type_greatest(type))), low = type_format(type)->least;
    ck_assert_int_eq(term_highest(c), c.is_product ? 2 * high : high);
    ck_assert_int_eq(term_lowest(c), c.is_product ? 2 * low : low);
}

/* Products as floats: below 2^128, and of all that are normal floats, of two significands each, the least bit there is.
 */
static void check_float_extremes(exact_choice c, quire_type type) {
    const int high = 2 * exponent_above(type_decode(type, type_greatest(type))), low = 2 * type_format(type)->least;
    const int least_bit = -126 - (2 * type_format(type)->precision - 1);
    ck_assert_int_eq(float_products(c), 1);
    ck_assert_int_eq(term_highest(c), high < 128 ? high : 128);
    ck_assert_int_eq(term_lowest(c), low > least_bit ? low : least_bit);
    ck_assert_int_eq(leaves_floats(c), high >= 128);
}

START_TEST(all_terms) {
#define EXTREMES(format, FORMAT, type, real, unused)                                                                   \
    check_extremes(CHOICE(0, 0, format, FORMAT, real, identity), type);                                                \
    check_extremes(CHOICE(0, 0, format, FORMAT, real, product), type);
    QUIRE_WINDOWED_FORMATS(EXTREMES, )
    check_float_extremes(CHOICE(0, 1, half, HALF, f32, product), QUIRE_F16);
    check_float_extremes(CHOICE(0, 1, bfloat16, BFLOAT16, f32, product), QUIRE_BF16);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- ranges of blocks */

/* The range of a vector of elements that all have these bits. */
static term_range range_of_all(exact_choice c, quire_type type, uint64_t bits) {
    char x[SIMD_BYTES], copy[SIMD_BYTES];
    v_f64 value[GROUP];
    magnitudes m = look_at_nothing(term_size(c));
    for (size_t i = 0; i < SIMD_BYTES / type_size(type); i++) type_store(type, x, i, bits);
    element_terms(c, first_step(x, x, 1, copy), value, &m);
    return range_of(&m, c);
}

/* Every exponent, as elements: the least power of two above, and the unit of the last place. */
static void check_elements(exact_choice c, quire_type type) {
    const number_format *f = type_format(type);
    for (int e = 1 - f->bias; e <= f->greatest; e++)
        for (int full = 0; full < 2; full++) {
            const double x =
                full ? power_of_two(e) + (power_of_two(e) - power_of_two(e - f->precision + 1)) : power_of_two(e);
            const term_range r = range_of_all(c, type, type_encode(type, x));
            check_that(r.high == e + 1, "%s of 2^%d is below 2^%d", type_name(type), e, r.high);
            if (!always_fits(c, 1)) check_that(r.low == e - f->precision + 1, "2^%d is of units 2^%d", e, r.low);
        }
    if (f->infinity) ck_assert_int_eq(range_of_all(c, type, f->infinity).high, RANGE_UNKNOWN);
}

START_TEST(elements) {
#define ELEMENTS_OF(format, FORMAT, type, real, unused)                                                                \
    check_elements(CHOICE(0, 0, format, FORMAT, real, identity), type);                                                \
    check_elements(CHOICE(1, 0, format, FORMAT, real, magnitude), type);
    QUIRE_WINDOWED_FORMATS(ELEMENTS_OF, )
}
END_TEST

/* ----------------------------------------------------------------------------------------------- errors of products */

/* Of products of two full significands, in [2^e, 2^(e+1)): the last of their 106 bits is 2^(e - 105), and 1. Whether it
 * is found, as it is of the same product times 2^-e. */
static int error_is_found(exact_choice c, int e, term_range *r) {
    const double full = 2 - 0x1p-52, square = full * full; /* 4 - 2^-50 + 2^-104 */
    const v_f64 none = { 0 }, x = none + full * power_of_two(e / 2), y = none + full * power_of_two(e - 1 - e / 2);
    v_f64 value[1], error[1];
    magnitudes m = look_at_nothing(term_size(c));
    product_terms(c, (const char *)&x, (const char *)&y, value, error, &m);
    *r = range_of(&m, c);
    return value[0][0] == square * power_of_two(e - 1) &&
           error[0][0] == fma(full, full, -square) * power_of_two(e - 1) && error[0][0] != 0;
}

/* The limit is where the last bit is that of the least double: one more and every product loses it, one less and none
 * does.
 */
START_TEST(errors_of_products) {
    const exact_choice c = CHOICE(0, 0, double, DOUBLE, f64, product);
    for (int e = -1074 + 105 - 40; e < -1074 + 105 + 40; e++) {
        term_range r;
        const int found = error_is_found(c, e, &r);
        check_that(found == (e - 105 >= -1074), "the error of a product in 2^%d is %sfound", e, found ? "" : "not ");
        check_that((r.high == RANGE_UNKNOWN) == !found, "the error of a product in 2^%d is %sfound, and its range 2^%d",
                   e, found ? "" : "not ", r.high);
        if (found) check_that(r.high == e + 1 && r.low == e - 52, "2^%d has the range 2^%d to 2^%d", e, r.low, r.high);
    }
}
END_TEST

/* ------------------------------------------------------------------------------- products for an approximate window */

/* The range of a product, by its factors. */
static term_range range_of_factors(exact_choice c, double p, double q) {
    const v_f64 none = { 0 }, x = none + p, y = none + q;
    v_f64 value, error;
    magnitudes m = look_at_nothing(term_size(c));
    approximate_product_terms(c, (const char *)&x, (const char *)&y, 0, &value, &error, &m);
    return range_of(&m, c);
}

/* The factors (1 + i / 64) 2^d and (1 + j / 64) 2^(e - d). Where the fractions do not carry, i + j < 64, the product is
 * below 9/4 2^e; from 2 * 2^e on it needs the limit, 2^(e + 2). So less would be too little, if by no more than an
 * eighth.
 */
static void check_factors(int d, int e) {
    const exact_choice c = CHOICE(1, 0, double, DOUBLE, f64, product);
    int needed = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            const double p = 1 + i / 64.0, q = 1 + j / 64.0;
            const term_range r = range_of_factors(c, p * power_of_two(d), q * power_of_two(e - d));
            const int above = p * q < 2 ? e + 1 : e + 2, unlimited = i + j < 64 ? e + 2 : e + 3;
            check_that(r.high == (unlimited < 2048 ? unlimited : 2048), "%g times %g in 2^%d is below 2^%d", p, q, e,
                       r.high);
            check_that(r.high >= above && r.low == 2 * -1074, "%g times %g in 2^%d is below 2^%d", p, q, e, r.high);
            needed |= i + j < 64 && r.high == above;
        }
    check_that(needed, "no product in 2^%d needs the limit", e);
}

START_TEST(products_by_factors) {
    const exact_choice c = CHOICE(1, 0, double, DOUBLE, f64, product);
    static const int exponents[] = { -1022, -600, -1, 0, 1, 600, 1023 };
    const double greatest = type_decode(QUIRE_F64, type_greatest(QUIRE_F64));
    for (size_t k = 0; k < 49; k++) check_factors(exponents[k / 7], exponents[k / 7] + exponents[k % 7]);
    ck_assert_int_eq(range_of_factors(c, greatest, greatest).high, 2 * 1024);
    ck_assert_int_eq(range_of_factors(c, greatest, INFINITY).high, RANGE_UNKNOWN);
}
END_TEST

/* What is above its limit by that eighth still goes into the bins: a block takes half of what they have room for. */
_Static_assert(BLOCK_ELEMENTS == ((size_t)(SETS * SIMD_F64) << WINDOW_HEADROOM) / 2, "half of the headroom is left");

/* --------------------------------------------------------------------------------- what an approximate window loses */

/* Doubles are scaled so that the greatest is below the highest top there is; more than that is slack. */
_Static_assert(DBL_MAX_EXP - APPROXIMATE_SCALE <= WINDOW_GREATEST_TOP, "the greatest double goes into the first bin");

/* Half a unit is the least normal double, so that what is no multiple of the least double is 2^-53 of that at most. */
START_TEST(loose_tops) {
    ck_assert_int_eq(window_unit(APPROXIMATE_LEAST_TOP, APPROXIMATE_BINS - 1) - 1, DBL_MIN_EXP - 1);
}
END_TEST

#define BLOCKS ((size_t)4)
#define PRODUCTS (BLOCKS * BLOCK_ELEMENTS)

/* The sum of what the bins kept subtracted from the exact one, and the radius that was counted. */
static double loss_of(quire_type type, quire_term term, const double *x, const double *y, ball_radius *radius) {
    quire_accumulator exact = QUIRE_ACCUMULATOR_ZERO, kept = QUIRE_ACCUMULATOR_ZERO;
    double lost = 0;
    *radius = (ball_radius)BALL_EXACT;
    QUIRE_NAME(exact_table, SIMD_TIER)[type][term](&exact, x, y, PRODUCTS, 0, NULL);
    QUIRE_NAME(exact_table, SIMD_TIER)[type][term](&kept, x, y, PRODUCTS, 0, radius);
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) exact.limb[i] -= kept.limb[i];
    exact.count = (int64_t)PRODUCTS;
    check_ok(quire_round(&exact, QUIRE_F64, &lost));
    return lost;
}

/* Each of these products is 2^52 + c + d + c d 2^-52, with an odd c + d, and c d 2^-52 is just below 1/2. A window
 * whose unit is 2 loses 1 and that half of each: three quarters of a unit, which is the most there can be. (Where a
 * product loses half a unit, its last place is at most that, and its error at most half of its last place.) The first
 * product sets the top. */
START_TEST(loose_products) {
    static double x[PRODUCTS], y[PRODUCTS];
    const double c = 47453132, d = c + 1;
    ball_radius radius;
    for (size_t i = 0; i < PRODUCTS; i++) x[i] = 0x1p26 + c * 0x1p-26, y[i] = 0x1p26 + d * 0x1p-26;
    x[0] = power_of_two(window_range(APPROXIMATE_BINS) + 1 - WINDOW_STEP / 4 - 2), y[0] = 1;
    x[1] = y[1] = 0x1p-1000; /* underflows */
    const double lost = loss_of(QUIRE_F64, TERM_PRODUCT, x, y, &radius), unit = 2;
    ck_assert_int_eq(power_of_two(radius.unit) == unit / 2, 1);
    ck_assert_int_eq(radius.count, 2 * (int64_t)PRODUCTS);
    check_that(lost > 0.74 * unit * PRODUCTS && lost <= 0.75 * unit * PRODUCTS, "%g of a unit are lost a product",
               lost / PRODUCTS / unit);
}
END_TEST

/* An element loses half a unit, and no more. In each block there is one so small that a window which loses nothing
 * would be too wide. */
START_TEST(loose_elements) {
    static double x[PRODUCTS];
    ball_radius radius;
    for (size_t i = 0; i < PRODUCTS; i++) x[i] = i % BLOCK_ELEMENTS == 1 ? 0x1p-1000 : 0x1p52 + 1;
    x[0] = power_of_two(window_range(APPROXIMATE_BINS) + 1 - WINDOW_STEP / 4 - 1);
    const double lost = loss_of(QUIRE_F64, TERM_IDENTITY, x, x, &radius), unit = 2;
    ck_assert_int_eq(power_of_two(radius.unit) == unit / 2, 1);
    ck_assert_int_eq(radius.count, (int64_t)PRODUCTS);
    check_that(lost > 0.49 * unit * PRODUCTS && lost <= 0.5 * unit * PRODUCTS, "%g of a unit are lost an element",
               lost / PRODUCTS / unit);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, all_terms);
    tcase_add_test(cases, elements);
    tcase_add_test(cases, errors_of_products);
    tcase_add_test(cases, products_by_factors);
    tcase_add_test(cases, loose_tops);
    tcase_add_test(cases, loose_products);
    tcase_add_test(cases, loose_elements);
}

int main(void) { return run_cases_without_place("range", add); }
