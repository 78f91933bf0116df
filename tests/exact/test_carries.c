/* test_carries.c - that exact sums carry their limbs in time. No array in memory is long enough to overflow a limb, so
 * the suite has a CPU library of its own, with limbs that take fewer additions (counted_carries.h). It starts from
 * limbs that have room for no more than it is promised, or counts how often each way carries. */
#include "counted_carries.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/tier/tier.h"
#include "support.h"

static long carries;

void count_carry(void) { __atomic_fetch_add(&carries, 1, __ATOMIC_RELAXED); }

#define ELEMENTS (2 * LIMB_ADDITIONS)
#define ROOM (LIMB_ADDITIONS / 2 << 33) /* of a limb: so many additions, below 2^33 each */

/* Terms of which no window holds a block, so that they go to limbs one by one: most as large as fits 106 bits, each
 * eighth so much larger that there is no exponent in common. */
static void fill(double *x, double *y) {
    for (size_t i = 0; i < ELEMENTS; i++) {
        x[i] = y[i] = bits_double(0x3fffffffffffffff);
        if (i % 8 == 7) x[i] = power_of_two(1000), y[i] = power_of_two(-200);
        if (i % 8 == 3) x[i] = power_of_two(-500), y[i] = power_of_two(-400);
    }
}

START_TEST(limbs_are_carried_before_they_overflow) {
    double *x = malloc(ELEMENTS * sizeof *x), *y = malloc(ELEMENTS * sizeof *y);
    quire_accumulator expected = QUIRE_ACCUMULATOR_ZERO, full = QUIRE_ACCUMULATOR_ZERO;
    check_that(x && y, "out of memory");
    fill(x, y);
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) full.limb[i] = INT64_MAX - (int64_t)ROOM;

    check_ok(quire_accumulate_products(NULL, &expected, QUIRE_F64, ELEMENTS, x, y));
    quire_accumulator found = full;
    check_ok(quire_carry(&full));
    check_ok(quire_merge(&expected, &full));

    exact_table_portable[QUIRE_F64][TERM_PRODUCT](&found, x, y, ELEMENTS, 0);
    found.count = (int64_t)ELEMENTS;
    check_ok(quire_carry(&found));
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++)
        check_that(found.limb[i] == expected.limb[i], "limb %d is %llx, not %llx", i, (unsigned long long)found.limb[i],
                   (unsigned long long)expected.limb[i]);
    free(x);
    free(y);
}
END_TEST

/* --------------------------------------------------------------------------------------------- how often it carries */

/* So many sums of n elements must have carried at least so often: each stretch is what the ways below assert. */
static void check_carries(const char *way, size_t sums, size_t n, size_t stretch) {
    const long least = (long)(sums * (n / (CARRY_ELEMENTS + stretch)));
    check_that(least >= 2 * (long)sums, "%s: nothing is tested", way);
    check_that(carries >= least, "%s carried %ld times, not %ld", way, carries, least);
    carries = 0;
}

static void nothing(void *user, size_t done, size_t total) { (void)user, (void)done, (void)total; }

#define BLOCK ((size_t)4096) /* src/cpu/strided.c, src/cpu/tier/exact.c */

START_TEST(every_way_carries) {
    const size_t n = ELEMENTS / 2;
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    quire_context *context;
    double *x = malloc(2 * n * sizeof *x), result;
    check_that(x != NULL, "out of memory");
    for (size_t i = 0; i < 2 * n; i++) x[i] = i % 2 ? 0x1p-70 : -3;
    carries = 0;

    check_ok(quire_accumulate(NULL, &a, QUIRE_F64, n, x));
    check_carries("one vector", 1, n, 0x10000);
    check_ok(quire_accumulate(NULL, &a, QUIRE_E5M2, n, x));
    check_carries("8-bit elements", 1, n, BLOCK);

    check_ok(quire_open_cpu(&context, 1)); /* what reports is not summed by ends */
    check_ok(quire_set_progress(context, nothing, NULL));
    check_ok(quire_variance(context, QUIRE_F64, n, x, 0, QUIRE_F64, &result));
    check_carries("both sums of a variance", 2, n, 0);
    const quire_reduction correlation = { .operation = QUIRE_CORRELATION, .type = QUIRE_F64 };
    const quire_layout vector = quire_strided(n, 1);
    check_ok(quire_reduce(context, &correlation, &vector, x, NULL, x + n, &result));
    check_carries("all sums of a correlation", 5, n, 0);
    quire_close(context);

    quire_reduction what = { .type = QUIRE_F64 };
    const quire_layout apart = quire_strided(n, 2);
    memset(x, 0, 2 * n * sizeof *x);
    x[0] = 1, x[2] = 0x1p-53, x[4] = 0x1p-300; /* which ends do not tell */
    check_ok(quire_reduce(NULL, &what, &apart, x, NULL, NULL, &result));
    check_carries("elements apart", 1, n, BLOCK);
    free(x);
}
END_TEST

/* The greatest double again and again, by strides of 0: one vector, or several that are alike. */
START_TEST(repeated_elements) {
    const size_t n = ELEMENTS;
    const double x = bits_double(type_greatest(QUIRE_F64));
    const quire_layout alike = { 3, n, 1, 0, 0, 0 }, one = { 1, n, 1, 0, 0, 0 };
    for (int mean = 0; mean < 2; mean++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const quire_rounding rounding = ROUNDINGS[k];
            const quire_reduction what = { .operation = mean ? QUIRE_MEAN : QUIRE_SUM,
                                           .type = QUIRE_F64,
                                           .rounding = rounding };
            const int up = !mean && (rounding == QUIRE_TO_NEAREST || rounding == QUIRE_UPWARD);
            const uint64_t expected = up ? type_infinity(QUIRE_F64) : type_greatest(QUIRE_F64);
            double results[4];
            check_ok(quire_reduce(NULL, &what, &alike, &x, NULL, NULL, results));
            check_ok(quire_reduce(NULL, &what, &one, &x, NULL, NULL, results + 3));
            for (int i = 0; i < 4; i++)
                check_bits(QUIRE_F64, results + i, expected, "%s, vector %d", rounding_name(rounding), i);
        }
}
END_TEST

/* The same times ones of both signs: a zero, which no ends tell of what overflows on the way. */
START_TEST(repeated_elements_carry) {
    const size_t n = ELEMENTS;
    const double x = bits_double(type_greatest(QUIRE_F64));
    const quire_layout alike = { 3, n, 1, 0, 0, 0 }, signs = { 3, n, 1, 0, 1, 0 };
    double *y = malloc(n * sizeof *y), results[3];
    check_that(y != NULL, "out of memory");
    for (size_t i = 0; i < n; i++) y[i] = i < n / 2 ? 1 : -1;
    carries = 0;
    for (int k = 0; k < ROUNDING_COUNT; k++) {
        const quire_reduction what = { .operation = QUIRE_DOT, .type = QUIRE_F64, .rounding = ROUNDINGS[k] };
        const uint64_t expected = ROUNDINGS[k] == QUIRE_DOWNWARD ? type_sign(QUIRE_F64) : 0;
        check_ok(quire_reduce(NULL, &what, &alike, &x, &signs, y, results));
        for (int i = 0; i < 3; i++)
            check_bits(QUIRE_F64, results + i, expected, "%s, vector %d", rounding_name(ROUNDINGS[k]), i);
    }
    check_carries("elements repeated", ROUNDING_COUNT * 3, n, BLOCK);
    free(y);
}
END_TEST

#define PANEL_COLUMNS ((size_t)16)

/* Of a tie and something far below it, which ends do not tell apart. */
START_TEST(columns_carry) {
    const size_t n = ELEMENTS / 2;
    const quire_layout columns = quire_columns(n, PANEL_COLUMNS, (ptrdiff_t)PANEL_COLUMNS);
    const quire_reduction what = { .type = QUIRE_F32, .result_type = QUIRE_F64 };
    float *x = calloc(n * PANEL_COLUMNS, sizeof *x);
    double results[PANEL_COLUMNS];
    check_that(x != NULL, "out of memory");
    for (size_t c = 0; c < PANEL_COLUMNS; c++)
        x[c] = 1, x[PANEL_COLUMNS + c] = 0x1p-53f, x[2 * PANEL_COLUMNS + c] = 0x1p-120f;
    carries = 0;
    check_ok(quire_reduce(NULL, &what, &columns, x, NULL, NULL, results));
    check_carries("columns", PANEL_COLUMNS, n, 0);
    free(x);
}
END_TEST

#if defined(__x86_64__)
extern const exact_function exact_table_avx2[FORMAT_NUMBERS][TERM_COUNT]; /* of a tier that this library has not */
#define NARROW_STRETCH ((size_t)16 * 4096 + CARRY_ELEMENTS / 16)          /* src/cpu/tier/exact.c */

/* 16-bit elements by sums of lanes, of which AVX2 alone has a way: where bounds are worth it, and where not. */
START_TEST(narrow_elements_carry) {
    const size_t n = ELEMENTS;
    uint16_t *x = malloc(n * sizeof *x);
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    check_that(x != NULL, "out of memory");
    for (size_t i = 0; i < n; i++) x[i] = _i ? (uint16_t)(i * 40503 % 31744) : 0x3c00;
    carries = 0;
    if (quire_tier_available(QUIRE_TIER_AVX2)) {
        exact_table_avx2[QUIRE_F16][TERM_IDENTITY](&a, x, x, n, 0);
        check_carries("halves by lanes", 1, n, NARROW_STRETCH);
    }
    free(x);
}
END_TEST
#endif

/* Pieces follow each other in one accumulator, or have their own and are added up; each is too short to carry on its
 * way. _i: threads - 1. */
START_TEST(pieces_are_carried) {
    const size_t n = ELEMENTS / 2, pieces = n >> 16; /* src/cpu/cpu.c: PIECE_ELEMENTS */
    double *x = malloc(n * sizeof *x);
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO;
    quire_context *context;
    check_that(x != NULL, "out of memory");
    for (size_t i = 0; i < n; i++) x[i] = -1.0 / (double)(i + 3);
    check_ok(quire_open_cpu(&context, 1 + _i));
    check_ok(quire_set_progress(context, nothing, NULL));
    carries = 0;
    check_ok(quire_accumulate(context, &sum, QUIRE_F64, n, x));
    check_that(carries >= (long)pieces, "%zu pieces by %d threads carried %ld times", pieces, 1 + _i, carries);
    quire_close(context);
    free(x);
}
END_TEST

static void add(TCase *cases) {
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, limbs_are_carried_before_they_overflow);
    tcase_add_test(cases, every_way_carries);
    tcase_add_test(cases, repeated_elements);
    tcase_add_test(cases, repeated_elements_carry);
    tcase_add_test(cases, columns_carry);
#if defined(__x86_64__)
    tcase_add_loop_test(cases, narrow_elements_carry, 0, 2);
#endif
    tcase_add_loop_test(cases, pieces_are_carried, 0, 4);
}

int main(void) {
    setenv("QUIRE_CPU_THREAD", "65536", 1); /* threads for short arrays, too */
    return run_cases_without_place("carries", add);
}
