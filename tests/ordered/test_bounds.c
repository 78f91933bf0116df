/* test_bounds.c - the errors of plain, pairwise and kahan are within the bounds that quire.h states. */
#include <gmp.h> /* before mpfr.h, which then has functions of integers */
#include <math.h>

#include "families.h"
#include "model.h"
#include "oracle_mpfr.h"
#include "oracle_words.h"
#include "place.h"
#include "support.h"

/* Each bound of quire.h with its higher orders in gamma = c u / (1 - c u), as in the sources named there, and with what
 * products lose to underflow, a least subnormal each at most. */
static double bound_of(operation op, quire_type type, quire_method method, size_t n, double sum, double magnitudes) {
    int product = operation_multiplies(op);
    double u = type == QUIRE_F64 ? 0x1p-53 : 0x1p-24, least = type == QUIRE_F64 ? 0x1p-1074 : 0x1p-149;
    double c = (double)quire_chain_length(method, n) + (product && method != QUIRE_KAHAN);
    double gamma = c * u / (1 - c * u), underflow = product ? (double)n * least : 0;
    return (method == QUIRE_KAHAN ? u * fabs(sum) + gamma * gamma * magnitudes : gamma * magnitudes) + underflow;
}

/* The exact sum of the terms, and the sum of their magnitudes. */
typedef struct truth {
    mpfr_t sum;
    double magnitudes;
} truth;

static void set_words(mpfr_t to, const uint64_t *word) {
    mpz_t integer;
    mpz_init(integer);
    mpz_import(integer, WORDS, -1, sizeof *word, 0, 0, word);
    mpfr_set_z_2exp(to, integer, WORDS_LEAST, MPFR_RNDN);
    mpz_clear(integer);
}

/* In words, which take a tenth of MPFR's time; MPFR has a sample of them. */
static void truth_open(truth *t, operation op, quire_type type, size_t n, const void *x, const void *y) {
    words_sum words;
    mpfr_t negative;
    words_open(&words);
    words_add_terms(&words, op, type, n, x, y);
    mpfr_init2(t->sum, 4500);
    mpfr_init2(negative, 4500);
    set_words(t->sum, words.positive);
    set_words(negative, words.negative);
    mpfr_add(t->sum, t->sum, negative, MPFR_RNDN);
    t->magnitudes = mpfr_get_d(t->sum, MPFR_RNDU);
    mpfr_mul_2ui(negative, negative, 1, MPFR_RNDN);
    mpfr_sub(t->sum, t->sum, negative, MPFR_RNDN);
    mpfr_clear(negative);
    if (n > 300) return;
    oracle exact;
    oracle_open(&exact);
    oracle_add(&exact, op, type, n, x, y);
    ck_assert_msg(mpfr_equal_p(t->sum, exact.finite), "two oracles differ: %s of %zu %s", operation_name(op), n,
                  type_name(type));
    oracle_close(&exact);
}

/* The total, as the result in double tells it: squared again for nrm2, times n again for mean. Its one rounding to
 * double is allowed for, twice where it was squared; all else is the bound. */
static void check_bound(operation op, quire_type type, size_t n, const truth *exact, quire_method method, double result,
                        const char *what) {
    double bound = bound_of(op, type, method, n, mpfr_get_d(exact->sum, MPFR_RNDA), exact->magnitudes);
    double rounding = op == OPERATION_NRM2 ? 0x1.00001p-52 : 0x1.00001p-53;
    mpfr_t total, error;

    mpfr_init2(total, 200);
    mpfr_init2(error, 4500);
    mpfr_set_d(total, result, MPFR_RNDN);
    if (op == OPERATION_NRM2) mpfr_sqr(total, total, MPFR_RNDN);
    if (op == OPERATION_MEAN) mpfr_mul_ui(total, total, (unsigned long)n, MPFR_RNDN);
    mpfr_sub(error, total, exact->sum, MPFR_RNDN);
    bound = nextafter(bound + rounding * fabs(mpfr_get_d(total, MPFR_RNDA)), INFINITY);
    ck_assert_msg(mpfr_number_p(error) && fabs(mpfr_get_d(error, MPFR_RNDA)) <= bound,
                  "%s %s of %s %s, n = %zu: %a, whose error %a is beyond %a", method_name(method), operation_name(op),
                  what, type_name(type), n, result, mpfr_get_d(error, MPFR_RNDA), bound);
    mpfr_clears(total, error, NULL);
}

START_TEST(errors_keep_their_bounds) {
    static const family families[] = { FAMILY_UNIFORM, FAMILY_NORMAL, FAMILY_POSITIVE, FAMILY_CONDITION_MILD,
                                       FAMILY_CONDITION_SEVERE };
    static const size_t lengths[] = { 1, 2, 100, 256, 257, 4096, 4097, 12289, 100000 };
    quire_type type = TYPES[_i / OPERATION_COUNT];
    operation op = (operation)(_i % OPERATION_COUNT);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            size_t n = lengths[k];
            void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
            truth exact;
            if (op == OPERATION_DOT)
                family_fill_pair(families[f], type, k, n, x, y);
            else
                family_fill(families[f], type, k, n, x);
            truth_open(&exact, op, type, n, x, y);
            for (int m = 1; m < METHOD_COUNT; m++) {
                double result;
                check_ok(place_reduce(op, type, n, x, y, METHODS[m], QUIRE_F64, &result));
                check_bound(op, type, n, &exact, METHODS[m], result, family_name(families[f]));
            }
            mpfr_clear(exact.sum);
            array_free(x);
            array_free(y);
        }
}
END_TEST

START_TEST(chain_length_is_that_of_the_order) {
    static const struct {
        quire_method method;
        size_t n, length;
    } cases[] = {
        { QUIRE_PLAIN, 0, 24 },
        { QUIRE_KAHAN, 1, 24 },
        { QUIRE_PAIRWISE, 4096, 24 },
        { QUIRE_PAIRWISE, 4097, 25 },
        { QUIRE_PLAIN, 12288, 26 },
        { QUIRE_KAHAN, (size_t)1 << 27, 39 },
        { QUIRE_KAHAN, ((size_t)1 << 27) + 1, 55 },
        { QUIRE_PAIRWISE, ((size_t)1 << 27) + 1, 40 },
        { QUIRE_PLAIN, (size_t)1 << 28, 55 },
#if SIZE_MAX > 0xffffffff
        { QUIRE_PAIRWISE, SIZE_MAX, 76 },
        { QUIRE_PLAIN, SIZE_MAX, ((size_t)1 << 41) + 23 },
#endif
        { QUIRE_EXACT, 12345, 0 },
        { (quire_method)0, 12345, 0 },
        { (quire_method)5, 12345, 0 },
        { (quire_method)-1, 12345, 0 },
    };
    generator g;
    generator_seed(&g, 9);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        ck_assert_msg(quire_chain_length(cases[k].method, cases[k].n) == cases[k].length, "case %zu: %zu", k,
                      quire_chain_length(cases[k].method, cases[k].n));
    for (size_t k = 0; k < 20000; k++) {
        size_t n = (size_t)(generator_next(&g) >> generator_below(&g, 64));
        for (size_t m = 0; m < METHOD_COUNT; m++)
            ck_assert_msg(quire_chain_length(METHODS[m], n) == model_chain_length(METHODS[m], n),
                          "%s, n = %zu: %zu, not %zu", method_name(METHODS[m]), n, quire_chain_length(METHODS[m], n),
                          model_chain_length(METHODS[m], n));
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, errors_keep_their_bounds, 0, TYPE_COUNT * OPERATION_COUNT);
    tcase_add_test(cases, chain_length_is_that_of_the_order);
}

int main(void) { return run_cases("bounds", add_tests); }
