/* test_range.c - the limits that the windows of the CPU rely on, each computed here from what it is defined as: the
 * range of terms and products, the errors that a double holds. A limit that is too
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
    check_extremes(CHOICE(0, format, FORMAT, real, identity), type);                                                   \
    check_extremes(CHOICE(0, format, FORMAT, real, product), type);
    QUIRE_WINDOWED_FORMATS(EXTREMES, )
    check_float_extremes(CHOICE(1, half, HALF, f32, product), QUIRE_F16);
    check_float_extremes(CHOICE(1, bfloat16, BFLOAT16, f32, product), QUIRE_BF16);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- ranges of blocks */

/* The range of a vector of elements that all have these bits. */
static term_range range_of_all(exact_choice c, quire_type type, uint64_t bits) {
    char x[SIMD_BYTES];
    v_f64 value[GROUP];
    magnitudes m = look_at_nothing(term_size(c));
    for (size_t i = 0; i < SIMD_BYTES / type_size(type); i++) type_store(type, x, i, bits);
    element_terms(c, (element_step){ x, x }, value, &m);
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
    check_elements(CHOICE(0, format, FORMAT, real, identity), type);                                                   \
    check_elements(CHOICE(0, format, FORMAT, real, magnitude), type);
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
    const exact_choice c = CHOICE(0, double, DOUBLE, f64, product);
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

static void add(TCase *cases) {
    tcase_add_test(cases, all_terms);
    tcase_add_test(cases, elements);
    tcase_add_test(cases, errors_of_products);
}

int main(void) { return run_cases_without_place("range", add); }
