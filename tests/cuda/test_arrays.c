/* test_arrays.c - exact sums of one array (src/cuda/kernels/exact_array.cuh), and into accumulators
 * (src/cuda/kernels/exact_limbs.cuh): of every length that threads, blocks and parts share differently, at any place,
 * by one block and by many. Most have data that two ends, or two doubles, do not tell: sums in the middle of two
 * results, or so but for something far below, terms that cancel, all exponents; NaN, infinities and zeros of both signs
 * stand at random places. The judge is the CPU. CK_FORK=no. */
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const operation OPERATIONS[] = { OPERATION_SUM,   OPERATION_ASUM,     OPERATION_NRM2,   OPERATION_MEAN,
                                        OPERATION_SUMSQ, OPERATION_VARIANCE, OPERATION_STDDEV, OPERATION_DOT };

/* Bytes of an array, and some elements more. */
static const size_t BYTES[] = { 0, 16, 112, 512, 4080, 16368, 16400, 70000, 300000, 1100000 };
enum { LENGTHS = COUNT_OF(BYTES), KINDS = 8 };

/* Element k of n. Kinds: numbers that cancel, or nearly; integers whose sums, or those of their squares, are in the
 * middle of two results, or on one, but for something far below; numbers that are far from 0 and near to each other;
 * all bits at random, but no NaN or infinity; zeros, of one sign or of both. */
static uint64_t draw_element(generator *g, quire_type type, int kind, size_t n, size_t k, const void *x) {
    const number_format *f = type_format(type);
    const int bits = f->precision < 13 ? f->precision : 13;
    uint64_t any;
    switch (kind) {
    case 0:
        if (k >= n / 2 && k < n / 2 * 2)
            return type_load(type, x, k - n / 2) ^ type_sign(type) ^ (generator_below(g, 4 * n) == 0);
        return type_encode(type, (1 + generator_uniform(g)) * power_of_two((int)generator_between(g, -6, 6)));
    case 1:
        if (k < 3) return type_encode(type, (double)generator_below(g, (uint64_t)1 << bits));
        return (generator_below(g, 2) ? type_sign(type) : 0) | generator_below(g, 3);
    case 2: return type_encode(type, power_of_two(f->precision - 2) + (double)generator_below(g, 4));
    case 3:
        do any = generator_next(g) >> (64 - 8 * type_size(type));
        while (!type_is_finite(type, any));
        return any;
    case 4: return generator_below(g, 2) ? type_sign(type) : 0;
    case 5: return type_sign(type);
    default: return k < 1 ? type_encode(type, 1 + generator_uniform(g)) : k % 2;
    }
}

static char *array_of(generator *g, quire_type type, size_t n, int kind, size_t offset) {
    char *x = array_new(n * type_size(type), offset * type_size(type));
    if (kind < KINDS - 1)
        for (size_t k = 0; k < n; k++) type_store(type, x, k, draw_element(g, type, kind, n, k, x));
    else if (n)
        family_fill((family)generator_below(g, FAMILY_COUNT), type, generator_next(g), n, x);
    if (n && generator_below(g, 6) == 0)
        for (uint64_t i = 1 + generator_below(g, 3); i; i--)
            type_store(type, x, generator_below(g, n), draw_special(g, type));
    return x;
}

static void check_array(generator *g, quire_type type, size_t n, const void *x, const void *y, operation op) {
    quire_reduction what = { operation_number(op), type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    if (operation_is_moment(op)) what.correction = (int64_t)generator_below(g, 4) - 1;
    const quire_layout l = quire_rows(1, n, (ptrdiff_t)n);
    uint64_t expected = 0, found = 0;
    check_ok(quire_reduce(NULL, &what, &l, x, NULL, op == OPERATION_DOT ? y : NULL, &expected));
    check_ok(place_reduction(&what, n, x, op == OPERATION_DOT ? y : NULL, &found));
    check_bits(what.result_type, &found, type_load(what.result_type, &expected, 0), "%s, correction %d, of %zu, %s",
               reduction_text(&what), (int)what.correction, n, place_name());
}

/* Two sums into one accumulator, the second of an array that may have undone the first; rounded in every direction. */
static void check_accumulators(generator *g, quire_type type, size_t n, const void *x, const void *y, operation op) {
    quire_accumulator expected = QUIRE_ACCUMULATOR_ZERO, found = QUIRE_ACCUMULATOR_ZERO;
    const size_t some = generator_below(g, n + 1);
    const size_t sizes[2] = { some, n };
    for (int i = 0; i < 2; i++) {
        check_ok(op == OPERATION_SUM ? quire_accumulate(NULL, &expected, type, sizes[i], x)
                                     : quire_accumulate_products(NULL, &expected, type, sizes[i], x, y));
        check_ok(place_accumulate_terms(op, &found, type, sizes[i], x, y));
    }
    check_that(expected.count == found.count, "%lld terms, and not %lld", (long long)found.count,
               (long long)expected.count);
    for (size_t r = 0; r < ROUNDING_COUNT; r++) {
        quire_reduction what = { operation_number(op), type, QUIRE_F64, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } };
        uint64_t a = 0, b = 0;
        check_ok(quire_finish(&what, &expected, NULL, &a));
        check_ok(quire_finish(&what, &found, NULL, &b));
        check_bits(QUIRE_F64, &b, a, "accumulated: %s, of %zu and %zu", reduction_text(&what), some, n);
    }
}

START_TEST(arrays) {
    const quire_type type = TYPES[_i / (int)LENGTHS];
    const size_t bytes = BYTES[_i % (int)LENGTHS], turns = bytes > 100000 ? 8 : 40;
    generator g;
    generator_seed(&g, 5100 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(turns); turn++) {
        const size_t n = bytes / type_size(type) + generator_below(&g, 16 / type_size(type) + 2), variant = turn % 6;
        const size_t offset = generator_below(&g, 16 / type_size(type));
        const int kind = (int)generator_below(&g, KINDS);
        char *x = array_of(&g, type, n, kind, offset),
             *y = array_of(&g, type, n, (int)generator_below(&g, KINDS), generator_below(&g, 3) ? offset : 0);
        check_that(place_use(variant) != NULL, "no variant %zu", variant);
        for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++) check_array(&g, type, n, x, y, OPERATIONS[o]);
        check_accumulators(&g, type, n, x, y, OPERATION_SUM);
        check_accumulators(&g, type, n, x, y, OPERATION_DOT);
        check_accumulators(&g, type, n, x, x, OPERATION_SUMSQ);
        array_free(x), array_free(y);
    }
    place_use(0);
}
END_TEST

/* Limbs that take as many terms of the greatest significand as they can before they are eased, in one thread, at each
 * place of a limb's bits: the least element has the sum be no two doubles. */
START_TEST(full_limbs) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const size_t n = 60000;
    generator g;
    generator_seed(&g, 5300 + (uint64_t)_i);
    char *x = array_new(n * type_size(type), 0);
    check_that(place_use(1) != NULL, "no launch of one block");
    for (int exponent = f->least + 40; exponent < f->greatest - 20; exponent += 5) {
        for (size_t k = 0; k < n; k++) {
            const uint64_t great = type_encode(type, power_of_two(exponent)) - 1;
            type_store(type, x, k, k % 512 == 0 ? 1 : k / 512 % 4 == 3 ? great ^ type_sign(type) : great);
        }
        check_accumulators(&g, type, n, x, x, OPERATION_SUM);
        if (2 * exponent < f->greatest && 2 * exponent > f->least)
            check_accumulators(&g, type, n, x, x, OPERATION_SUMSQ);
    }
    array_free(x);
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, arrays, 0, TYPE_COUNT * (int)LENGTHS);
    tcase_add_loop_test(cases, full_limbs, 0, TYPE_COUNT);
}

int main(void) { return run_cases("exact arrays", add_tests); }
