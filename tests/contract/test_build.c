/* test_build.c - catches a build that bends IEEE arithmetic: fast-math, contraction, flush-to-zero. From outside:
 * inputs chosen so that each such liberty changes the bits, in every tier. Where a liberty would only act in vector
 * code, the pattern fills whole rows of lanes; where only in the rest that vectors leave, it stands alone at the end.
 */
#include <float.h>
#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "place.h"
#include "support.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the tests were built with fast-math, and the library probably with them"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "the tests compute in another format than they say (x87?): -mfpmath=sse"
#endif
_Static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_HAS_SUBNORM == 1 && DBL_HAS_SUBNORM == 1,
               "not IEEE 754");

#define LANES 256
#define MOST_ROWS 4

/* A column of values, first row first; the other rows of the column are not there. */
typedef struct column {
    size_t rows;
    double x[MOST_ROWS], y[MOST_ROWS]; /* y for dot alone */
} column;

/* The result in double of width equal columns side by side, in the current variant. */
static uint64_t ask(operation op, quire_type type, const column *c, size_t width, quire_method method) {
    uint64_t result = 0x5a5a5a5a5a5a5a5a;
    size_t n = (c->rows - 1) * LANES + width;
    void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
    for (size_t i = 0; i < n; i++) {
        int inside = i % LANES < width;
        type_set(type, x, i, inside ? c->x[i / LANES] : -0.0);
        type_set(type, y, i, inside ? c->y[i / LANES] : 1.0);
    }
    check_ok(place_reduce(op, type, n, x, y, method, QUIRE_F64, &result));
    array_free(x);
    array_free(y);
    return result;
}

/* One column must give value, and a whole row of them 256 times as much: all are small integers times a power of two.
 */
static void check_columns(operation op, quire_type type, const column *c, quire_method method, double value,
                          const char *what) {
    static const size_t widths[] = { 1, LANES };
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (size_t w = 0; variant && w < 2; w++) {
            uint64_t found = ask(op, type, c, widths[w], method);
            check_bits(QUIRE_F64, &found, double_bits(value * (double)widths[w]), "%s: %s %s of %s, %zu columns, %s",
                       what, method_name(method), operation_name(op), type_name(type), widths[w], variant);
        }
    }
}

/* -ffp-contract=fast, which is gcc's default outside -std=c11. With a = 1 + 2^-k and k half the precision, a^2 rounds
 * to 1 + 2^(1-k): a multiply and an add cancel to 0, a fused one leaves what the product lost, 2^-2k. */
START_TEST(products_are_rounded_before_they_are_added) {
    static const struct {
        quire_type type;
        int k;
    } types[] = { { QUIRE_F32, 12 }, { QUIRE_F64, 27 } };
    for (size_t t = 0; t < 2; t++) {
        double a = 1 + power_of_two(-types[t].k), rounded = 1 + power_of_two(1 - types[t].k);
        double lost = power_of_two(-2 * types[t].k);
        const column fused_late = { 2, { -rounded, a }, { 1, a } }, fused_early = { 2, { a, -rounded }, { a, 1 } };
        check_columns(OPERATION_DOT, types[t].type, &fused_late, QUIRE_PLAIN, 0, "contraction");
        check_columns(OPERATION_DOT, types[t].type, &fused_late, QUIRE_PAIRWISE, 0, "contraction");
        /* kahan and exact keep what is lost: the fma of the product's error must be a real one, and its minus be kept
         */
        check_columns(OPERATION_DOT, types[t].type, &fused_late, QUIRE_KAHAN, lost, "the error of a product");
        check_columns(OPERATION_DOT, types[t].type, &fused_early, QUIRE_KAHAN, lost, "the error of a product");
        check_columns(OPERATION_DOT, types[t].type, &fused_late, QUIRE_EXACT, lost, "the error of a product");
    }
}
END_TEST

/* The same in nrm2, where nothing cancels: the running sum makes a tie of the rounded square, and the bits that a fused
 * add would still see break it upward. Roots hide last bits, so the sum is asked for as a dot of x with itself too. */
START_TEST(squares_are_rounded_before_they_are_added) {
    const column f32 = { 2, { 0x1p-12, 1 + 0x1p-12 }, { 0x1p-12, 1 + 0x1p-12 } };
    const column f64 = { 3, { 0x1p-27, 0x1p-27, 1 + 0x1p-27 }, { 0x1p-27, 0x1p-27, 1 + 0x1p-27 } };
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        if (METHODS[m] != QUIRE_PLAIN && METHODS[m] != QUIRE_PAIRWISE) continue;
        check_columns(OPERATION_DOT, QUIRE_F32, &f32, METHODS[m], 1 + 0x1p-11, "contraction");
        check_columns(OPERATION_DOT, QUIRE_F64, &f64, METHODS[m], 1 + 0x1p-26, "contraction");
        for (size_t v = 0; v < place_variants(); v++)
            for (size_t w = 1; w <= LANES && place_use(v); w *= LANES) {
                uint64_t norm = ask(OPERATION_NRM2, QUIRE_F32, &f32, w, METHODS[m]);
                check_bits(QUIRE_F64, &norm, double_bits(sqrt((1 + 0x1p-11) * (double)w)),
                           "contraction: norm, %s, %zu columns", place_use(v), w);
            }
    }
}
END_TEST

/* -fassociative-math: (a + b) - a is simplified to b, and with it every compensation and every window of the exact
 * method; sums down a lane are split over more lanes, or turned round. */
START_TEST(additions_are_not_rearranged) {
    static const quire_type types[] = { QUIRE_BF16, QUIRE_F32, QUIRE_F64 };
    const column swallowed = { 3, { 0x1p60, 1, -0x1p60 }, { 1, 1, 1 } },
                 big_last = { 4, { 1, -0x1p60, 1, 0x1p60 }, { 0 } };
    const column in_order = { 4, { 0x1p60, -0x1p60, 1, 1 }, { 0 } };
    for (size_t t = 0; t < 3; t++) {
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            int keeps = METHODS[m] == QUIRE_EXACT || METHODS[m] == QUIRE_KAHAN;
            check_columns(OPERATION_SUM, types[t], &swallowed, METHODS[m], keeps, "reassociation");
            check_columns(OPERATION_DOT, types[t], &swallowed, METHODS[m], keeps, "reassociation");
            check_columns(OPERATION_SUM, types[t], &big_last, METHODS[m], keeps ? 2 : 0, "reassociation");
            check_columns(OPERATION_SUM, types[t], &in_order, METHODS[m], 2, "reassociation");
        }
    }
}
END_TEST

/* -freciprocal-math: a mean that multiplies by 1 / n is off by a bit for many n. */
START_TEST(means_divide) {
    for (size_t n = 1; n <= 100; n++) {
        double *x = array_new(n * sizeof *x, 0);
        for (size_t i = 0; i < n; i++) x[i] = (double)(i + 3);
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            double mean, sum = (double)(n * (n + 5) / 2);
            check_ok(place_reduce(OPERATION_MEAN, QUIRE_F64, n, x, NULL, METHODS[m], QUIRE_F64, &mean));
            check_bits(QUIRE_F64, &mean, double_bits(sum / (double)n), "%s mean, n = %zu", method_name(METHODS[m]), n);
        }
        array_free(x);
    }
}
END_TEST

/* FTZ, DAZ, -fdenormal-fp-math, -mdaz-ftz: least subnormals added up, a subnormal difference of normals, a subnormal
 * from a product, and a subnormal compensation. */
START_TEST(subnormals_are_not_flushed) {
    for (size_t t = 0; t < TYPE_COUNT; t++) {
        quire_type type = TYPES[t];
        const number_format *f = type_format(type);
        double least = power_of_two(f->least), smallest = power_of_two(1 - f->bias);
        const column leasts = { 4, { least, least, -4 * least, least }, { 0 } };
        const column products = { 2, { least, 3 * least }, { 1, -1 } };
        const column difference = { 2, { smallest + least, -smallest }, { 0 } };
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            check_columns(OPERATION_SUM, type, &leasts, METHODS[m], -least, "flush to zero");
            check_columns(OPERATION_DOT, type, &products, METHODS[m], -2 * least, "flush to zero");
            check_columns(OPERATION_SUM, type, &difference, METHODS[m], least, "flush to zero");
            check_columns(OPERATION_ASUM, type, &leasts, METHODS[m], 7 * least, "flush to zero");
        }
    }
}
END_TEST

START_TEST(subnormal_products_and_errors_are_not_flushed) {
    const column product_f32 = { 2, { 0x1p-75, 0x1p-70 }, { 0x1p-74, 0x1p-79 } };
    const column product_f64 = { 2, { 0x1p-540, 0x1p-530 }, { 0x1p-534, 0x1p-544 } };
    const column error_f32 = { 2, { 0x1p-60 + 0x1p-72, -0x1p-60 - 0x1p-71 }, { 0x1p-60 + 0x1p-72, 0x1p-60 } };
    const column error_f64 = { 2, { 0x1p-510 + 0x1p-537, -0x1p-510 - 0x1p-536 }, { 0x1p-510 + 0x1p-537, 0x1p-510 } };
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        int keeps = METHODS[m] == QUIRE_EXACT || METHODS[m] == QUIRE_KAHAN;
        check_columns(OPERATION_DOT, QUIRE_F32, &product_f32, METHODS[m], 0x1p-148, "a subnormal product");
        check_columns(OPERATION_DOT, QUIRE_F64, &product_f64, METHODS[m], 0x1p-1073, "a subnormal product");
        check_columns(OPERATION_DOT, QUIRE_F32, &error_f32, METHODS[m], keeps ? 0x1p-144 : 0, "a subnormal error");
        check_columns(OPERATION_DOT, QUIRE_F64, &error_f64, METHODS[m], keeps ? 0x1p-1074 : 0, "a subnormal error");
    }
}
END_TEST

/* A library linked with -ffast-math or -Ofast brings crtfastmath.o, whose constructor switches FTZ and DAZ on for the
 * whole process when the library is loaded. Nothing has been called yet that could have. */
START_TEST(loading_the_library_switches_nothing_on) {
#if defined(__x86_64__)
    ck_assert_uint_eq(_mm_getcsr() & 0xffc0u, 0x1f80u);
#endif
    volatile double smallest = DBL_MIN, half = smallest / 2;
    ck_assert(double_bits(half) == (uint64_t)1 << 51);
}
END_TEST

/* -fno-signed-zeros and -ffinite-math-only: x + 0 simplified to x, tests for NaN and Inf taken to be false. */
START_TEST(signed_zeros_and_special_values_are_seen) {
    const double inf = INFINITY, z = -0.0;
    const struct {
        const char *what;
        operation op;
        column c;
        uint64_t expected;
    } cases[] = {
        { "-0 alone", OPERATION_SUM, { 3, { z, z, z }, { 0 } }, type_sign(QUIRE_F64) },
        { "-0 and +0", OPERATION_SUM, { 3, { z, 0, z }, { 0 } }, 0 },
        { "-0 times 1", OPERATION_DOT, { 2, { z, z }, { 1, 1 } }, type_sign(QUIRE_F64) },
        { "-0 times -0", OPERATION_DOT, { 2, { z, z }, { 1, z } }, 0 },
        { "the mean of -0", OPERATION_MEAN, { 2, { z, z }, { 0 } }, type_sign(QUIRE_F64) },
        { "|-0|", OPERATION_ASUM, { 1, { z }, { 0 } }, 0 },
        { "1 - 1", OPERATION_SUM, { 2, { 1, -1 }, { 0 } }, 0 },
        { "NaN", OPERATION_SUM, { 3, { 1, NAN, 1 }, { 0 } }, type_nan(QUIRE_F64) },
        { "|NaN|", OPERATION_ASUM, { 2, { 1, NAN }, { 0 } }, type_nan(QUIRE_F64) },
        { "Inf", OPERATION_SUM, { 3, { 1, inf, 1 }, { 0 } }, type_infinity(QUIRE_F64) },
        { "|-Inf|", OPERATION_ASUM, { 2, { -inf, 1 }, { 0 } }, type_infinity(QUIRE_F64) },
        { "Inf - Inf", OPERATION_SUM, { 3, { inf, 1, -inf }, { 0 } }, type_nan(QUIRE_F64) },
        { "Inf times 0", OPERATION_DOT, { 2, { inf, 1 }, { 0, 1 } }, type_nan(QUIRE_F64) },
        { "0 times -Inf", OPERATION_DOT, { 2, { 0, 1 }, { -inf, 1 } }, type_nan(QUIRE_F64) },
        { "-Inf times 2",
          OPERATION_DOT,
          { 2, { -inf, 1 }, { 2, 1 } },
          type_infinity(QUIRE_F64) | type_sign(QUIRE_F64) },
        { "the norm of -Inf", OPERATION_NRM2, { 2, { 1, -inf }, { 0 } }, type_infinity(QUIRE_F64) },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t t = 0; t < TYPE_COUNT; t++)
            for (size_t m = 0; m < METHOD_COUNT; m++)
                for (size_t v = 0; v < place_variants(); v++)
                    for (size_t w = 1; w <= LANES && place_use(v); w += LANES - 1) {
                        const int none = isinf(bits_double(cases[k].expected)) && !type_has_infinity(TYPES[t]);
                        uint64_t found = ask(cases[k].op, TYPES[t], &cases[k].c, w, METHODS[m]);
                        check_bits(QUIRE_F64, &found, none ? type_nan(QUIRE_F64) : cases[k].expected,
                                   "%s, %s of %s, %s", cases[k].what, method_name(METHODS[m]), type_name(TYPES[t]),
                                   place_use(v));
                    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("build");
    TCase *cases = tcase_create("build");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, loading_the_library_switches_nothing_on);
    tcase_add_test(cases, products_are_rounded_before_they_are_added);
    tcase_add_test(cases, squares_are_rounded_before_they_are_added);
    tcase_add_test(cases, additions_are_not_rearranged);
    tcase_add_test(cases, means_divide);
    tcase_add_test(cases, subnormals_are_not_flushed);
    tcase_add_test(cases, subnormal_products_and_errors_are_not_flushed);
    tcase_add_test(cases, signed_zeros_and_special_values_are_seen);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
