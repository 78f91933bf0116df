/* test_strd.c - mean and standard deviation of NIST's Statistical Reference Datasets, univariate summary statistics
 * (https://www.itl.nist.gov/div898/strd/univ/homepage.html): equal to the certified values to the last digit, and in
 * bits to the oracle. tests/moments/strd/README.md says where the observations were read.
 *
 * The observations are decimals. Times a power of ten they are integers, and these go in without an error: then all 15
 * digits that NIST certifies must come out. As decimals they are rounded to doubles first, each by half an ulp of the
 * greatest at most, h. The mean moves by no more than h. With e the vector of these errors, the centred vector moves by
 * the centred e, which is not longer than e; so the standard deviation moves by |e| / sqrt(n - 1) <= h sqrt(n / (n -
 * 1)). */
#include <gmp.h> /* before mpfr.h, which then offers mpfr_set_z */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_moments.h"
#include "place.h"
#include "support.h"

#define MOST 5000
#define DIGITS 15 /* that are certified */
#define BITS 400  /* of numbers here, which are exact but for their last rounding */

/* n decimals of so many places. rounded: digits to which mean and standard deviation of the nearest doubles still agree
 * with the certified ones. types: how many of TYPES hold all observations as integers. */
typedef struct {
    const char *name;
    size_t n;
    int places;
    const char *mean, *stddev;
    int rounded_mean, rounded_stddev, types;
} dataset;

static const dataset SETS[] = {
    { "PiDigits", 5000, 0, "4.53480000000000", "2.86733906028871", 15, 15, 5 },
    { "Lottery", 218, 0, "518.958715596330", "291.699727470969", 15, 15, 3 },
    { "Lew", 200, 0, "-177.435000000000", "277.332168044316", 15, 15, 3 },
    { "Mavro", 50, 5, "2.00185600000000", "0.000429123454003053", 15, 13, 2 },
    { "Michelso", 100, 2, "299.852400000000", "0.0790105478190518", 15, 13, 2 },
    { "NumAcc1", 3, 0, "10000002", "1", 15, 15, 2 },
    { "NumAcc2", 1001, 1, "1.2", "0.1", 15, 15, 5 },
    { "NumAcc3", 1001, 1, "1000000.2", "0.1", 15, 10, 2 },
    { "NumAcc4", 1001, 1, "10000000.2", "0.1", 15, 8, 1 },
};
#define SET_COUNT ((int)(sizeof SETS / sizeof *SETS))

/* ----------------------------------------------------------------------------------------------------- observations */

/* The first n digits of pi, of 3.32 bits each, and a 3 in place of one 8, as NIST has them: what is certified is of
 * digits whose sum is 5 less than that of pi's, and that of their squares 55 less. Which 8 it is shows in neither. */
static void fill_pi(size_t n, int64_t *x) {
    char digits[MOST + 2];
    mpfr_exp_t exponent;
    mpfr_t pi;
    mpfr_init2(pi, (mpfr_prec_t)(4 * n));
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_get_str(digits, &exponent, 10, n, pi, MPFR_RNDZ);
    *strchr(digits, '8') = '3';
    for (size_t i = 0; i < n; i++) x[i] = digits[i] - '0';
    mpfr_clear(pi);
}

/* The middle one, then pairs of the one below it and the one above. */
static void fill_pairs(size_t n, int64_t middle, int64_t *x) {
    x[0] = middle;
    for (size_t i = 1; i < n; i++) x[i] = middle + (i % 2 ? -1 : 1);
}

/* A decimal of so many places without its point. */
static int64_t integer_of(const char *decimal, int places) {
    char digits[32], *end;
    const char *point = strchr(decimal, '.');
    const size_t before = point ? (size_t)(point - decimal) : strlen(decimal);
    ck_assert_uint_eq(point ? strlen(point + 1) : 0, (size_t)places);
    snprintf(digits, sizeof digits, "%.*s%s", (int)before, decimal, point ? point + 1 : "");
    const int64_t value = strtoll(digits, &end, 10);
    ck_assert(end != digits && !*end);
    return value;
}

static void fill_from_file(const dataset *set, int64_t *x) {
    char path[1024], decimal[24];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s.txt", QUIRE_STRD_DIR, set->name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    while (fscanf(file, "%23s", decimal) == 1 && n < set->n) x[n++] = integer_of(decimal, set->places);
    ck_assert_msg(feof(file) && n == set->n, "%s has not %zu numbers", path, set->n);
    fclose(file);
}

/* The observations times 10^places. */
static void fill(const dataset *set, int64_t *x) {
    const int64_t three[3] = { 10000001, 10000003, 10000002 };
    const char *last = set->name + strlen(set->name) - 1;
    if (!strcmp(set->name, "PiDigits"))
        fill_pi(set->n, x);
    else if (strncmp(set->name, "NumAcc", 6))
        fill_from_file(set, x);
    else if (*last == '1')
        memcpy(x, three, sizeof three);
    else
        fill_pairs(set->n, *last == '2' ? 12 : *last == '3' ? 10000002 : 100000002, x);
}

/* ------------------------------------------------------------------------------------------------- certified values */

static const char *certified(const dataset *set, quire_operation operation) {
    return operation == QUIRE_MEAN ? set->mean : set->stddev;
}

/* value * 10^-places and the certified value are one number once they are rounded to so many digits. */
static void check_digits(const dataset *set, quire_operation operation, const mpfr_t value, int places, int digits,
                         const char *about) {
    char found[DIGITS + 3], expected[DIGITS + 3];
    mpfr_exp_t exponent, exponent_expected;
    mpfr_t v;
    mpfr_init2(v, BITS);
    mpfr_set_str(v, certified(set, operation), 10, MPFR_RNDN);
    mpfr_get_str(expected, &exponent_expected, 10, (size_t)digits, v, MPFR_RNDN);
    mpfr_ui_pow_ui(v, 10, (unsigned long)places, MPFR_RNDN);
    mpfr_div(v, value, v, MPFR_RNDN);
    mpfr_get_str(found, &exponent, 10, (size_t)digits, v, MPFR_RNDN);
    ck_assert_msg(exponent == exponent_expected && !strcmp(found, expected), "%s of %s, %s: digits %s, certified %s",
                  operation == QUIRE_MEAN ? "mean" : "stddev", set->name, about, found, expected);
    mpfr_clear(v);
}

/* The integers' sums, and what they come to, say that the observations are those that NIST means. */
START_TEST(observations) {
    const dataset *set = &SETS[_i];
    int64_t x[MOST];
    mpz_t sum, squares, term;
    mpfr_t value;
    mpz_inits(sum, squares, term, NULL);
    mpfr_init2(value, BITS);
    fill(set, x);
    for (size_t i = 0; i < set->n; i++) {
        mpz_set_si(term, x[i]);
        mpz_add(sum, sum, term);
        mpz_addmul(squares, term, term);
    }
    mpfr_set_z(value, sum, MPFR_RNDN);
    mpfr_div_ui(value, value, set->n, MPFR_RNDN);
    check_digits(set, QUIRE_MEAN, value, set->places, DIGITS, "in integers");
    mpz_mul_ui(squares, squares, set->n);
    mpz_submul(squares, sum, sum);
    mpfr_set_z(value, squares, MPFR_RNDN);
    mpfr_div_ui(value, value, set->n, MPFR_RNDN);
    mpfr_div_ui(value, value, set->n - 1, MPFR_RNDN);
    mpfr_sqrt(value, value, MPFR_RNDN);
    check_digits(set, QUIRE_STDDEV, value, set->places, DIGITS, "in integers");
    mpz_clears(sum, squares, term, NULL);
    mpfr_clear(value);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- results */

static uint64_t expected_of(quire_operation operation, quire_type type, size_t n, const void *x) {
    if (operation == QUIRE_MEAN) return oracle_reduce(OPERATION_MEAN, type, n, x, NULL, QUIRE_F64);
    oracle_moments o;
    oracle_moments_open(&o, type, n, x, x);
    const uint64_t bits = operation == QUIRE_VARIANCE ? oracle_variance(&o, 1, QUIRE_F64, QUIRE_TO_NEAREST)
                                                      : oracle_stddev(&o, 1, QUIRE_F64, QUIRE_TO_NEAREST);
    oracle_moments_close(&o);
    return bits;
}

/* As a double, which all variants of the place give. */
static double reduced(const dataset *set, quire_operation operation, quire_type type, const void *x) {
    const quire_reduction what = { operation, type, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
    const uint64_t expected = expected_of(operation, type, set->n, x);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        uint64_t result = 0;
        if (!variant) continue;
        check_ok(place_reduction(&what, set->n, x, NULL, &result));
        check_bits(QUIRE_F64, &result, expected, "operation %d of %s as %s, %s", (int)operation, set->name,
                   type_name(type), variant);
    }
    place_use(0);
    return bits_double(expected);
}

/* Answers whether the type holds all numbers. */
static int stored(const dataset *set, const int64_t *from, quire_type type, void *x) {
    for (size_t i = 0; i < set->n; i++) {
        type_set(type, x, i, (double)from[i]);
        if (type_value(type, x, i) != (double)from[i]) return 0;
    }
    return 1;
}

START_TEST(integers) {
    const quire_operation operations[] = { QUIRE_MEAN, QUIRE_STDDEV, QUIRE_VARIANCE };
    const dataset *set = &SETS[_i];
    int64_t x[MOST];
    double as[MOST];
    int types = 0;
    mpfr_t value;
    mpfr_init2(value, 53);
    fill(set, x);
    for (int t = 0; t < TYPE_COUNT; t++) {
        if (!stored(set, x, TYPES[t], as)) continue;
        types++;
        for (int k = 0; k < 3; k++) {
            mpfr_set_d(value, reduced(set, operations[k], TYPES[t], as), MPFR_RNDN);
            if (operations[k] != QUIRE_VARIANCE)
                check_digits(set, operations[k], value, set->places, DIGITS, type_name(TYPES[t]));
        }
    }
    ck_assert_int_eq(types, set->types);
    mpfr_clear(value);
}
END_TEST

/* |result - certified|, less half a unit of the last certified digit, is no more than so much. */
static void check_near(const dataset *set, quire_operation operation, double result, double bound) {
    mpfr_t off, unit;
    mpfr_inits2(BITS, off, unit, NULL);
    mpfr_set_str(off, certified(set, operation), 10, MPFR_RNDN);
    mpfr_set_d(unit, 1e-14, MPFR_RNDU); /* of DIGITS digits, relative to a number that begins with 1 */
    mpfr_mul(unit, unit, off, MPFR_RNDU);
    mpfr_abs(unit, unit, MPFR_RNDU);
    mpfr_div_ui(unit, unit, 2, MPFR_RNDU);
    mpfr_sub_d(off, off, result, MPFR_RNDU);
    mpfr_abs(off, off, MPFR_RNDU);
    mpfr_sub(off, off, unit, MPFR_RNDU);
    ck_assert_msg(mpfr_cmp_d(off, bound) <= 0, "%s: %.17g, certified %s", set->name, result, certified(set, operation));
    mpfr_clears(off, unit, NULL);
}

START_TEST(decimals) {
    const dataset *set = &SETS[_i];
    const double ten = pow(10, set->places), n = (double)set->n;
    int64_t x[MOST];
    double y[MOST], most = 0;
    mpfr_t value;
    mpfr_init2(value, 53);
    fill(set, x);
    for (size_t i = 0; i < set->n; i++) {
        y[i] = (double)x[i] / ten; /* the double that is nearest to the decimal: both terms are exact */
        if (fabs(y[i]) > most) most = fabs(y[i]);
    }
    const double half_ulp = set->places ? ldexp(1, ilogb(most) - 53) : 0;
    const double mean = reduced(set, QUIRE_MEAN, QUIRE_F64, y), s = reduced(set, QUIRE_STDDEV, QUIRE_F64, y);
    reduced(set, QUIRE_VARIANCE, QUIRE_F64, y);
    check_near(set, QUIRE_MEAN, mean, half_ulp + fabs(mean) * 0x1p-53);
    check_near(set, QUIRE_STDDEV, s, half_ulp * sqrt(n / (n - 1)) * (1 + 0x1p-50) + s * 0x1p-53);
    mpfr_set_d(value, mean, MPFR_RNDN);
    check_digits(set, QUIRE_MEAN, value, 0, set->rounded_mean, "decimals");
    mpfr_set_d(value, s, MPFR_RNDN);
    check_digits(set, QUIRE_STDDEV, value, 0, set->rounded_stddev, "decimals");
    mpfr_clear(value);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, observations, 0, SET_COUNT);
    tcase_add_loop_test(cases, integers, 0, SET_COUNT);
    tcase_add_loop_test(cases, decimals, 0, SET_COUNT);
}

int main(void) { return run_cases("strd", add_tests); }
