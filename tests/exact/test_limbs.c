/* test_limbs.c - every bit of the exact sum. A rounded result shows the top of a sum and hides what was lost in the
 * small terms under a large one. So this suite compares the accumulator's limbs with the oracle's, and its bytes
 * between all variants of the place. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

/* The three ways to add terms. */
static const operation KINDS[] = { OPERATION_SUM, OPERATION_ASUM, OPERATION_DOT };
#define KIND_COUNT 3

static const quire_accumulator ZERO = QUIRE_ACCUMULATOR_ZERO;

static void check_accumulator(const quire_accumulator *a, const oracle *o, const char *text, const char *variant) {
    int64_t limb[QUIRE_ACCUMULATOR_LIMBS];
    check_that((uint64_t)a->count == o->count, "%s, %s: count is %lld", text, variant, (long long)a->count);
    check_that((a->other != 0) == o->other, "%s, %s: other is %lld", text, variant, (long long)a->other);
    check_that((a->nan != 0) == o->nan, "%s, %s: nan is %lld", text, variant, (long long)a->nan);
    check_that((a->positive_infinity != 0) == o->positive_infinity, "%s, %s: positive_infinity is %lld", text, variant,
               (long long)a->positive_infinity);
    check_that((a->negative_infinity != 0) == o->negative_infinity, "%s, %s: negative_infinity is %lld", text, variant,
               (long long)a->negative_infinity);
    oracle_limbs(o, limb);
    for (int i = QUIRE_ACCUMULATOR_LIMBS - 1; i >= 0; i--)
        check_that(a->limb[i] == limb[i], "%s, %s: limb[%d] is 0x%llx, not 0x%llx", text, variant, i,
                   (unsigned long long)a->limb[i], (unsigned long long)limb[i]);
}

/* Adds the terms on every variant: the oracle's limbs, and the same bytes as variant 0. */
static void check_terms(operation op, quire_type type, size_t n, const void *x, const void *y, const char *text) {
    quire_accumulator first = ZERO;
    oracle o;
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        quire_accumulator a = ZERO;
        if (!variant) continue;
        check_ok(place_accumulate_terms(op, &a, type, n, x, y));
        check_accumulator(&a, &o, text, variant);
        if (v == 0) first = a;
        check_that(!memcmp(&a, &first, sizeof a), "%s, %s: other bytes than by default", text, variant);
    }
    place_use(0);
    oracle_close(&o);
}

START_TEST(every_family) {
    static const size_t lengths[] = { 1, 2, 5, 15, 16, 17, 63, 64, 65, 300, 4099, 20000 };
    quire_type type = TYPES[_i / FAMILY_COUNT];
    family which = (family)(_i % FAMILY_COUNT);
    generator g;
    generator_seed(&g, 500 + (uint64_t)_i);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        if (!drawn(&g)) continue;
        size_t n = lengths[l], size = n * type_size(type);
        void *x = array_new(size, 0), *y = array_new(size, 0);
        for (int k = 0; k < KIND_COUNT; k++) {
            char text[100];
            family_fill_pair(which, type, 50 + n, n, x, y);
            snprintf(text, sizeof text, "%s of %zu %s, %s", operation_name(KINDS[k]), n, type_name(type),
                     family_name(which));
            check_terms(KINDS[k], type, n, x, y, text);
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------ windows of exponents, sliding */

/* m * 2^(e - precision + 1) with a random significand, clamped into the format. */
static void set_near(generator *g, quire_type type, void *x, size_t i, int e) {
    const number_format *f = type_format(type);
    uint64_t m = (uint64_t)1 << (f->precision - 1) | generator_next(g) >> (65 - f->precision);
    double sign = generator_next(g) & 1 ? -1 : 1;
    e = e < f->least ? f->least : e > f->bias ? f->bias : e;
    type_set(type, x, i,
             sign * (double)(m >> (e < 1 - f->bias ? 1 - f->bias - e : 0)) *
                 power_of_two((e < 1 - f->bias ? 1 - f->bias : e) - f->precision + 1));
}

/* All terms within a window of exponents, wherever it lies and however wide it is: each way of a fast path must take or
 * refuse it rightly. A lone element far below or above comes with every third. */
START_TEST(sliding_windows) {
    static const int widths[] = { 0, 1, 4, 12, 13, 14, 15, 16, 29, 40, 60, 100, 200 };
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = 90, turn = 0;
    int step = type == QUIRE_F64 ? 7 : 1;
    void *x = array_new(n * f->size, 0);
    generator g;
    generator_seed(&g, 51);
    for (int top = f->bias; top >= f->least; top -= step)
        for (size_t w = turn % 3; w < sizeof widths / sizeof *widths; w += 3, turn++) {
            if (!drawn(&g)) continue;
            char text[100];
            for (size_t i = 0; i < n; i++) set_near(&g, type, x, i, generator_between(&g, top - widths[w], top));
            if (turn % 3 == 0)
                set_near(&g, type, x, (size_t)generator_below(&g, n), generator_between(&g, f->least, f->bias));
            snprintf(text, sizeof text, "%s, %zu exponents of [%d, %d]", type_name(type), n, top - widths[w], top);
            check_terms(OPERATION_SUM, type, n, x, NULL, text);
        }
    array_free(x);
}
END_TEST

/* Products of every size, from 2^-2148 up: where they or their rounding errors leave the format's own range. */
START_TEST(products_of_every_size) {
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = 50, turn = 0;
    int step = type == QUIRE_F64 ? 3 : 1;
    void *x = array_new(n * f->size, 0), *y = array_new(n * f->size, 0);
    generator g;
    generator_seed(&g, 52);
    for (int top = 2 * f->bias; top >= 2 * f->least; top -= step, turn++) {
        if (!drawn(&g)) continue;
        static const int widths[] = { 0, 3, 20, 70 };
        int width = widths[turn % 4], least = top - f->bias > f->least ? top - f->bias : f->least;
        int greatest = top - f->least < f->bias ? top - f->least : f->bias;
        char text[100];
        for (size_t i = 0; i < n; i++) { /* exponents that add up to [top - width, top] */
            int e = turn % 2 ? generator_between(&g, least, greatest) : top / 2;
            set_near(&g, type, x, i, e);
            set_near(&g, type, y, i, generator_between(&g, top - width, top) - e);
        }
        snprintf(text, sizeof text, "%s, %zu products near 2^%d, %d wide", type_name(type), n, top, width);
        check_terms(OPERATION_DOT, type, n, x, y, text);
        check_terms(OPERATION_DOT, type, n, x, x, text);
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Zeros, of one operand or both, between products of every size. */
START_TEST(products_with_zeros) {
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = 64;
    void *x = array_new(n * f->size, 0), *y = array_new(n * f->size, 0);
    generator g;
    generator_seed(&g, 53);
    for (size_t turn = 0; turn < scaled(500); turn++) {
        int e = generator_between(&g, f->least, f->bias), d = generator_between(&g, f->least, f->bias);
        for (size_t i = 0; i < n; i++) {
            set_near(&g, type, x, i, e);
            set_near(&g, type, y, i, d);
            if (generator_next(&g) % 8)
                type_store(type, generator_next(&g) & 1 ? x : y, i, generator_next(&g) & 1 ? type_sign(type) : 0);
        }
        check_terms(OPERATION_DOT, type, n, x, y, "zeros between");
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Into an accumulator that holds something already: carries run through all limbs, up and down. */
START_TEST(long_carries) {
    double x[1], y = 1, one = 0x1p-1074;
    for (int e = -1074; e < 1024; e += 13) {
        quire_accumulator a = ZERO;
        oracle o;
        oracle_open(&o);
        for (int turn = 0; turn < 4; turn++) { /* 2^e - 2^-2148, and back; then its opposite */
            double sign = turn < 2 ? 1 : -1, tiny[1] = { turn % 2 ? sign * one : -sign * one };
            x[0] = turn % 2 ? -sign * power_of_two(e) : sign * power_of_two(e);
            check_ok(place_accumulate_products(&a, QUIRE_F64, 1, x, &y));
            oracle_add(&o, OPERATION_DOT, QUIRE_F64, 1, x, &y);
            check_ok(place_accumulate_products(&a, QUIRE_F64, 1, tiny, &one));
            oracle_add(&o, OPERATION_DOT, QUIRE_F64, 1, tiny, &one);
            check_accumulator(&a, &o, "carries", "by default");
        }
        oracle_close(&o);
    }
}
END_TEST

/* Windows filled to the brim: long runs of one sign with all bits set, and now and then an element so far below that
 * the window which holds both has no room to spare, at one distance or another. The second half is one binade higher:
 * what was just wide enough is no longer. */
START_TEST(full_windows) {
    quire_type type = TYPES[_i / 2];
    const number_format *f = type_format(type);
    size_t n = 2 * 8192, size = n * f->size;
    int top = _i % 2 ? f->bias : 1, most = top - f->least < 320 ? top - f->least : 320;
    uint64_t ones = ((uint64_t)1 << (f->precision - 1)) - 1;
    void *x = array_new(size, 0), *y = array_new(size, 0);
    for (int distance = 0; distance <= most; distance += 3)
        for (int half = 0; half < 2; half++) { /* both halves at the top, or one binade apart */
            char text[100];
            uint64_t sign = distance % 2 ? type_sign(type) : 0;
            for (size_t i = 0; i < n; i++) {
                uint64_t big = type_encode(type, power_of_two(top - (half && i < n / 2))) | ones;
                uint64_t small = type_encode(type, power_of_two(top - distance));
                type_store(type, x, i, (i % 1000 == 500 ? small : big) | sign);
                type_store(type, y, i, i % 1000 == 500 ? type_encode(type, 1) : big);
            }
            snprintf(text, sizeof text, "%s, 2^%d and %d below", type_name(type), top, distance);
            check_terms(OPERATION_SUM, type, n, x, NULL, text);
            check_terms(OPERATION_DOT, type, n, x, y, text);
        }
    array_free(x);
    array_free(y);
}
END_TEST

/* The same for the way of what no window holds: 2^18 doubles of one sign with all bits set, and a tiny one in every
 * block.
 */
START_TEST(full_pairs) {
    size_t n = ((size_t)1 << 18) + 8192;
    double *x = array_new(n * sizeof *x, 0);
    for (int k = 0; k < 9; k++) {
        int e = k < 8 ? k : 1008; /* of 1008: 2^15 such overflow a double */
        for (size_t i = 0; i < n; i++)
            x[i] = i % 500 == 250 ? 0x1p-500 : (2 - 0x1p-52) * power_of_two(i / 8 % 4 ? e : e - 7);
        check_terms(e % 2 ? OPERATION_SUM : OPERATION_ASUM, QUIRE_F64, n, x, NULL, "2^18 elements beside tiny ones");
    }
    array_free(x);
}
END_TEST

/* Sums of counts to the brim: 2^21 elements of all bits set, behind one so far below that a window of that many bits
 * has no room to spare. */
START_TEST(full_counts) {
    static const int reaches[] = { 37, 43, 87 };
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = ((size_t)1 << 21) + 4099;
    uint64_t big = type_encode(type, 2) - 1;
    void *x = array_new(n * f->size, 0);
    for (size_t i = 1; i < n; i++) type_store(type, x, i, big);
    for (size_t r = 0; r < sizeof reaches / sizeof *reaches; r++) {
        oracle o;
        oracle_open(&o);
        oracle_add_alike(&o, OPERATION_SUM, type, n - 1, (const char *)x + f->size);
        type_set(type, x, 0, power_of_two(f->precision - reaches[r]));
        oracle_add(&o, OPERATION_SUM, type, 1, x, NULL);
        for (size_t v = 0; v < place_variants(); v++) {
            const char *variant = place_use(v);
            quire_accumulator a = ZERO;
            if (!variant) continue;
            check_ok(place_accumulate_terms(OPERATION_SUM, &a, type, n, x, NULL));
            check_accumulator(&a, &o, type_name(type), variant);
        }
        place_use(0);
        oracle_close(&o);
    }
    array_free(x);
}
END_TEST

/* Products whose last bit lies as far below as it can, once with a greater one among them at every distance, so that
 * some window just holds both, and once where that bit passes below the least double. */
START_TEST(last_bits_of_products) {
    enum { N = 99 };
    const double ones = 2 - 0x1p-52;
    double *x = array_new(N * sizeof *x, 0), *y = array_new(N * sizeof *y, 0);
    for (int distance = 0; distance <= 320; distance++) {
        char text[100];
        for (size_t i = 0; i < N; i++) x[i] = y[i] = i % 3 ? -ones : ones;
        x[40] *= power_of_two(distance);
        snprintf(text, sizeof text, "the greatest 2^%d above", distance);
        check_terms(OPERATION_DOT, QUIRE_F64, N, x, y, text);
    }
    for (int e = -990; e <= -950; e++) {
        char text[100];
        for (size_t i = 0; i < N; i++) x[i] = ones, y[i] = ones * power_of_two(e);
        snprintf(text, sizeof text, "products near 2^%d", e);
        check_terms(OPERATION_DOT, QUIRE_F64, N, x, y, text);
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Leaves ones, which are NaN, where the stack of the next call will be. */
static void fill_stack(void) {
    volatile unsigned char below[1 << 17];
    for (size_t i = 0; i < sizeof below; i++) below[i] = 0xff;
}

/* What is finite beside an infinity is added from a copy, whatever else is in memory. */
START_TEST(finite_beside_infinity) {
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = 203;
    void *x = array_new(n * f->size, 0);
    for (size_t i = 0; i < n; i++) type_set(type, x, i, power_of_two(i < 64 ? 0 : i % 2 ? f->bias : f->least));
    type_store(type, x, 100, type_infinity(type));
    for (int k = 0; k < 2; k++) {
        oracle o;
        oracle_open(&o);
        oracle_add(&o, KINDS[k], type, n, x, NULL);
        for (size_t v = 0; v < place_variants(); v++) {
            const char *variant = place_use(v);
            quire_accumulator a = ZERO;
            if (!variant) continue;
            fill_stack();
            check_ok(place_accumulate_terms(KINDS[k], &a, type, n, x, NULL));
            check_accumulator(&a, &o, type_name(type), variant);
        }
        place_use(0);
        oracle_close(&o);
    }
    array_free(x);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("limbs");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 600);
    tcase_add_loop_test(all, every_family, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(all, sliding_windows, 0, TYPE_COUNT);
    tcase_add_loop_test(all, products_of_every_size, 0, TYPE_COUNT);
    tcase_add_loop_test(all, products_with_zeros, 0, TYPE_COUNT);
    tcase_add_test(all, long_carries);
    tcase_add_loop_test(all, full_windows, 0, 2 * TYPE_COUNT);
    tcase_add_test(all, full_pairs);
    tcase_add_loop_test(all, full_counts, 0, TYPE_COUNT);
    tcase_add_test(all, last_bits_of_products);
    tcase_add_loop_test(all, finite_beside_infinity, 0, TYPE_COUNT);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
