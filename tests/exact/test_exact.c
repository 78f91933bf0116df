/* test_exact.c - QUIRE_EXACT equals the oracle bit for bit: every type, result type, operation and family, at lengths
 * around every block boundary, at every alignment, on every variant of the place. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "families.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

static const size_t LENGTHS[] = { 0,   1,   2,   3,    7,    15,   16,   17,   31,   32,   33,
                                  255, 256, 257, 4095, 4096, 4097, 8191, 8192, 8193, 20011 };
#define LENGTH_COUNT (sizeof LENGTHS / sizeof *LENGTHS)

/* What one result is called in a message. */
static const char *text_of(operation op, quire_type type, const char *input, size_t n) {
    static char text[160];
    snprintf(text, sizeof text, "%s of %zu %s, %s", operation_name(op), n, type_name(type), input);
    return text;
}

/* One reduction on the variant in use. */
static void check_one(operation op, quire_type type, size_t n, const void *x, const void *y, quire_type result_type,
                      uint64_t expected, const char *text, const char *variant) {
    uint64_t result[1];
    check_ok(place_reduce(op, type, n, x, y, QUIRE_EXACT, result_type, result));
    check_bits(result_type, result, expected, "%s, %s", text, variant);
}

/* All result types on all variants. Beyond a few thousand elements each variant but the first takes one result type, in
 * turn: the sums are the same, and rounding has met everything by then. */
static void check_everywhere(operation op, quire_type type, size_t n, const void *x, const void *y, const char *text) {
    oracle o;
    uint64_t expected[TYPE_COUNT];
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    for (int r = 0; r < TYPE_COUNT; r++) expected[r] = oracle_bits(&o, op, TYPES[r]);
    oracle_close(&o);

    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        if (!variant) continue;
        for (int r = 0; r < TYPE_COUNT; r++)
            if (v == 0 || n < 1000 || (n + v) % TYPE_COUNT == (size_t)r)
                check_one(op, type, n, x, y, TYPES[r], expected[r], text, variant);
    }
    place_use(0);
}

/* ------------------------------------------------------------------------------------------------ the whole product */

/* test number i is type i / FAMILY_COUNT, family i % FAMILY_COUNT */
START_TEST(every_family) {
    quire_type type = TYPES[_i / FAMILY_COUNT];
    family which = (family)(_i % FAMILY_COUNT);
    size_t size = type_size(type);
    for (size_t l = 0; l < scaled(LENGTH_COUNT) && l < LENGTH_COUNT; l++) {
        size_t n = LENGTHS[l];
        void *x = array_new(n * size, 0), *y = array_new(n * size, 0);
        family_fill(which, type, l, n, x);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            if (op == OPERATION_DOT) family_fill_pair(which, type, l, n, x, y);
            check_everywhere(op, type, n, x, y, text_of(op, type, family_name(which), n));
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* Short vectors of many seeds: where most rounding decisions are made. */
START_TEST(many_seeds) {
    quire_type type = TYPES[_i / FAMILY_COUNT];
    family which = (family)(_i % FAMILY_COUNT);
    size_t size = type_size(type), most = 24;
    void *x = array_new(most * size, 0), *y = array_new(most * size, 0);
    for (size_t seed = 0; seed < scaled(150); seed++) {
        size_t n = 1 + seed % most;
        operation op = (operation)(seed % OPERATION_COUNT);
        quire_type result_type = TYPES[seed / OPERATION_COUNT % TYPE_COUNT];
        family_fill_pair(which, type, 1000 + seed, n, x, y);
        check_one(op, type, n, x, y, result_type, oracle_reduce(op, type, n, x, y, result_type),
                  text_of(op, type, family_name(which), n), "any seed");
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- alignments */

/* Every offset modulo 64, of x and of y apart, with lengths that end anywhere in a register. */
START_TEST(every_alignment) {
    quire_type type = TYPES[_i];
    size_t size = type_size(type), n = 1037;
    void *x = array_new(n * size, 0), *y = array_new(n * size, 0);
    family_fill_pair(FAMILY_EVERY_EXPONENT, type, 5, n, x, y);
    for (size_t offset = 0; offset < 64; offset += size) {
        size_t m = n - offset / size;
        void *u = array_copy(x, m * size, offset), *v = array_copy(y, m * size, 64 - size - offset);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
            check_everywhere(op, type, m, u, v, text_of(op, type, "at an offset", offset));
        array_free(u);
        array_free(v);
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* size bytes of pages, between two pages that nobody may touch; returns the first byte. */
static unsigned char *pages_new(size_t size, size_t page) {
    unsigned char *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_that(p != MAP_FAILED && !mprotect(p + page, size, PROT_READ | PROT_WRITE), "no pages");
    return p + page;
}

/* Arrays right behind, and right before, memory that must not be read: no method touches what is not the array's. */
START_TEST(between_guards) {
    static const size_t lengths[] = { 1, 2, 3, 31, 33, 64, 127, 255, 256, 257, 511, 1037, 4097, 8191 };
    quire_type type = TYPES[_i];
    const size_t size = type_size(type), page = (size_t)sysconf(_SC_PAGESIZE), room = (8191 * size / page + 1) * page;
    unsigned char *first = pages_new(room, page), *second = pages_new(room, page);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int end = 0; end < 2; end++) {
            size_t n = lengths[l], left = room - n * size;
            void *x = first + (end ? left : 0), *y = second + (end ? left : 0);
            family_fill_pair(FAMILY_EVERY_EXPONENT, type, 13 + l, n, x, y);
            check_everywhere(OPERATION_SUM, type, n, x, NULL, text_of(OPERATION_SUM, type, "between guards", n));
            check_everywhere(OPERATION_DOT, type, n, x, y, text_of(OPERATION_DOT, type, "between guards", n));
            for (size_t v = 0; v < place_variants(); v++)
                for (int m = 0; m < METHOD_COUNT && place_use(v); m++) {
                    uint64_t result[1];
                    check_ok(place_reduce(OPERATION_SUM, type, n, x, NULL, METHODS[m], type, result));
                    check_ok(place_reduce(OPERATION_DOT, type, n, x, y, METHODS[m], type, result));
                }
            place_use(0);
        }
    munmap(first - page, room + 2 * page);
    munmap(second - page, room + 2 * page);
}
END_TEST

/* x and y may be the same memory, or overlap. */
START_TEST(overlapping_vectors) {
    quire_type type = TYPES[_i];
    size_t size = type_size(type), n = 700;
    unsigned char *x = array_new((n + 3) * size, 0);
    family_fill(FAMILY_FINITE_BITS, type, 6, n + 3, x);
    for (size_t shift = 0; shift <= 3; shift++)
        check_everywhere(OPERATION_DOT, type, n, x, x + shift * size, text_of(OPERATION_DOT, type, "with itself", n));
    array_free(x);
}
END_TEST

/* ------------------------------------------------------------------------------------------- full bins, wide ranges */

/* Many equal elements with all bits set: whatever is counted in a bin between flushes is counted to its brim. The
 * oracle multiplies one term by n. */
START_TEST(full_headroom) {
    quire_type type = TYPES[_i / 4];
    size_t size = type_size(type), n = scaled(2500003);
    uint64_t fills[4] = { type_greatest(type), type_greatest(type) | type_sign(type), 1, type_encode(type, 2) - 1 };
    void *x = array_new(n * size, 0);
    for (size_t i = 0; i < n; i++) type_store(type, x, i, fills[_i % 4]);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        oracle o;
        oracle_open(&o);
        oracle_add_alike(&o, op, type, n, x);
        for (size_t v = 0; v < place_variants(); v++) {
            quire_type result_type = TYPES[(v + op) % TYPE_COUNT];
            const char *variant = place_use(v);
            if (variant) check_one(op, type, n, x, x, QUIRE_F64, oracle_bits(&o, op, QUIRE_F64), "all alike", variant);
            if (variant && v == 0)
                check_one(op, type, n, x, x, result_type, oracle_bits(&o, op, result_type), "all alike", variant);
        }
        oracle_close(&o);
    }
    array_free(x);
}
END_TEST

/* Elements as large as they can be below 2^e, and a few odd multiples of 2^(e - span) to show what a bin has lost that
 * holds so many bits and no more. The lengths leave steps of every number at the end of a block, whatever a vector's
 * width. */
START_TEST(to_the_brim) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const size_t most = 3 * 4096;
    const int e = f->bias < 30 ? f->bias : 30, bits = f->precision < 20 ? f->precision : 20;
    void *x = array_new(most * f->size, 0);
    for (size_t i = 0; i < most; i++) type_set(type, x, i, power_of_two(e) - power_of_two(e - bits));
    for (int span = 25; span < 46 && e - span >= f->least; span += span < 39 ? 5 : 1) {
        for (size_t i = 0; i < most; i += 251) type_set(type, x, i, power_of_two(e - span));
        for (size_t width = 2; width <= 8; width *= 2)
            for (size_t turn = 0; turn < scaled(12); turn++) {
                const size_t n = 3 * 512 * width - 1 - turn * width;
                check_everywhere(OPERATION_SUM, type, n, x, NULL, text_of(OPERATION_SUM, type, "to the brim", n));
            }
    }
    array_free(x);
}
END_TEST

/* Bfloat16s that hide how far apart they are from sums of 16-bit integers: steps (of 32) which are mended beside one
 * that is as large as all in reach, so that none seems small; strays that want a second bin, in all of a long stretch
 * whose first is full, or late in each. */
START_TEST(hidden_spread) {
    static const size_t lengths[3] = { 9 * 4096, 3 * 32768, 4 * 32768 };
    const size_t n = lengths[_i];
    const double ones = 2 - 0x1p-7; /* all bits set */
    void *x = array_new(n * type_size(QUIRE_BF16), 0);
    for (int d = -3; d <= 3; d++) {
        for (size_t i = 0; i < n; i++) {
            const size_t step = i / 32, in_step = i % 32;
            const int odd = i % 2 && step % 3 == 0, is_stray = _i == 1 ? i % 251 == 0 : i % 32768 == 32000;
            const int mended = step % 32 == 0 || step % 32 == 5 ? (step % 32 && in_step == 3 ? 65 + d : -14) : -27;
            const int e = _i == 0 ? mended : is_stray ? d - 6 : 73;
            type_set(QUIRE_BF16, x, i, (_i == 0 && odd ? -ones : ones) * power_of_two(e));
        }
        for (operation op = OPERATION_SUM; op <= OPERATION_ASUM; op++)
            check_everywhere(op, QUIRE_BF16, n, x, NULL, text_of(op, QUIRE_BF16, "hidden spread", n));
    }
    array_free(x);
}
END_TEST

/* One outlier among elements of one exponent, at every place of a short vector and every distance. */
START_TEST(one_outlier) {
    quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    size_t n = 301;
    void *x = array_new(n * f->size, 0);
    for (int e = f->least; e <= f->bias; e += 1 + (f->bias - f->least) / 64) {
        for (size_t i = 0; i < n; i++) type_set(type, x, i, i % 2 ? -1.5 : 1.25);
        type_set(type, x, (size_t)(e - f->least) * 7 % n, power_of_two(e));
        check_everywhere(OPERATION_SUM, type, n, x, NULL, text_of(OPERATION_SUM, type, "one outlier", n));
        check_everywhere(OPERATION_NRM2, type, n, x, NULL, text_of(OPERATION_NRM2, type, "one outlier", n));
    }
    array_free(x);
}
END_TEST

/* Ordinary elements and one stray of any exponent, zeros, subnormals, NaN and Inf among them, anywhere: what a part of
 * an array is taken for must not be believed of the next. */
START_TEST(one_stray) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const size_t n = 3100;
    const uint64_t one = (uint64_t)1 << (f->precision - 1), fields = 2 * (uint64_t)f->bias + 2;
    const uint64_t fractions[] = { 0, 1, one - 1 };
    void *x = array_new(n * f->size, 0);
    for (size_t i = 0; i < n; i++)
        type_set(type, x, i, (i % 2 ? -1 : 1) * (1 + (double)(i % 7) / 8) * power_of_two(-(int)(i % 3)));
    for (uint64_t k = 0; k < 3 * fields; k += 1 + fields / 300) {
        const uint64_t stray = k / 3 * one + fractions[k % 3] + (k % 2 ? type_sign(type) : 0);
        const size_t place = (size_t)(k * 1234577 % n);
        const uint64_t usual = type_load(type, x, place);
        type_store(type, x, place, stray);
        check_everywhere(OPERATION_SUM, type, n, x, NULL, text_of(OPERATION_SUM, type, "one stray", n));
        check_everywhere(OPERATION_ASUM, type, n, x, NULL, text_of(OPERATION_ASUM, type, "one stray", n));
        type_store(type, x, place, usual);
    }
    array_free(x);
}
END_TEST

/* One product of any size and all its bits, anywhere among others that cancel, or are zeros: so each of its bits shows.
 * It may overflow or underflow what the others are computed in. */
START_TEST(one_product) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const size_t n = 9101;
    const double odd = 1 + power_of_two(1 - f->precision);
    void *x = array_new(n * f->size, 0), *y = array_new(n * f->size, 0);
    for (int zeros = 0; zeros < 2; zeros++)
        for (int e = 2 * f->least, k = zeros; e <= 2 * f->bias; e += 1 + (f->bias - f->least) / 50, k++) {
            const size_t place = (size_t)(k * 3571 % 4550) * 2;
            for (size_t i = 0; i < n; i++) type_set(type, x, i, zeros ? 0 : 1 + (double)(i / 2 % 7) / 8);
            for (size_t i = 0; i < n; i++) type_set(type, y, i, zeros || i == n - 1 ? 0 : i % 2 ? -1.25 : 1.25);
            type_set(type, x, place, odd * power_of_two(e / 2));
            type_set(type, y, place, odd * power_of_two(e - e / 2));
            if (!zeros) type_set(type, y, place + 1, 0);
            check_everywhere(OPERATION_DOT, type, n, x, y, text_of(OPERATION_DOT, type, "one product", n));
            if (zeros)
                check_everywhere(OPERATION_NRM2, type, n, x, NULL, text_of(OPERATION_NRM2, type, "one product", n));
        }
    array_free(x);
    array_free(y);
}
END_TEST

/* Stretches of elements of one size each, with strays among them: none, or few, or many. */
static void fill_stretches(generator *g, quire_type type, size_t n, size_t longest, int any_bits, void *x) {
    static const size_t one_in[] = { 0, 1100, 300, 80, 20 };
    const number_format *f = type_format(type);
    for (size_t i = 0; i < n;) {
        const size_t end = i + 1 + (size_t)generator_below(g, longest), rare = one_in[generator_below(g, 5)];
        const int e = generator_between(g, f->least + f->precision + 3, f->bias);
        for (; i < end && i < n; i++) {
            const double sign = generator_next(g) & 1 ? -1 : 1;
            uint64_t bits = generator_next(g) >> (64 - 8 * f->size);
            if (!any_bits) bits = type_encode(type, bits & 1 ? 0 : sign * power_of_two(f->least + (int)(bits % 11)));
            type_set(type, x, i, sign * (1 + generator_uniform(g) / 2) * power_of_two(e - (int)generator_below(g, 3)));
            if (rare && generator_below(g, rare) == 0) type_store(type, x, i, bits);
        }
    }
}

/* The same with what a stretch is taken for, which must not be believed of the next, either. */
START_TEST(changing_range) {
    const quire_type type = TYPES[_i];
    const size_t n = 80021, longest[] = { 60000, 9000, 1500 };
    void *x = array_new(n * type_size(type), 0);
    generator g;
    generator_seed(&g, 13);
    for (size_t turn = 0; turn < scaled(24); turn++) {
        fill_stretches(&g, type, n, longest[turn % 3], turn % 8 == 7, x);
        for (operation op = OPERATION_SUM; op <= OPERATION_ASUM; op++)
            check_everywhere(op, type, n, x, NULL, text_of(op, type, "changing range", n));
    }
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    const int product = TYPE_COUNT * FAMILY_COUNT;
    tcase_add_loop_test(cases, every_family, 0, product);
    tcase_add_loop_test(cases, many_seeds, 0, product);
    tcase_add_loop_test(cases, every_alignment, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, between_guards, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, overlapping_vectors, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, full_headroom, 0, 4 * TYPE_COUNT);
    tcase_add_loop_test(cases, to_the_brim, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, hidden_spread, 0, 3);
    tcase_add_loop_test(cases, one_outlier, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, one_stray, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, one_product, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, changing_range, 0, TYPE_COUNT);
}

int main(void) { return run_cases("exact", add_tests); }
