/* test_calls.c - a few calls of every kind, whose bits are the CPU's: every type, operation and method, ordinary data
 * and wide-range, short arrays and longer ones, at two alignments, under every launch, and accumulators. Few enough for
 * compute-sanitizer, whose tools run this suite too where it is installed (meson.build). CK_FORK=no. */
#include "families.h"
#include "place.h"
#include "support.h"

static const family FAMILIES[] = { FAMILY_UNIFORM, FAMILY_EVERY_EXPONENT };
static const size_t LENGTHS[] = { 5003, 70001, 1000, 1 };
enum { FAMILIES_COUNT = 2, LENGTHS_COUNT = 4 };

/* On the CPU, then on the device. */
static void check_call(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method) {
    uint64_t expected[1], result[1];
    place_choose("cpu");
    check_ok(place_reduce(op, type, n, x, y, method, QUIRE_F64, expected));
    place_choose("cuda");
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        check_ok(place_reduce(op, type, n, x, y, method, QUIRE_F64, result));
        check_bits(QUIRE_F64, result, expected[0], "%s %s of %zu %s, %s", method_name(method), operation_name(op), n,
                   type_name(type), variant);
    }
    place_use(0);
}

/* The terms of op, as a double. */
static uint64_t accumulated(operation op, quire_type type, size_t n, const void *x, const void *y) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    uint64_t result[1];
    check_ok(place_accumulate_terms(op, &a, type, n, x, y));
    ck_assert_int_eq(a.count, (int64_t)n);
    check_ok(quire_round(&a, QUIRE_F64, result));
    return result[0];
}

static void check_accumulate(operation op, quire_type type, size_t n, const void *x, const void *y) {
    place_choose("cpu");
    const uint64_t expected = accumulated(op, type, n, x, y);
    place_choose("cuda");
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        const uint64_t found[1] = { accumulated(op, type, n, x, y) };
        check_bits(QUIRE_F64, found, expected, "%s of %zu %s accumulated, %s", operation_name(op), n, type_name(type),
                   variant);
    }
    place_use(0);
}

START_TEST(calls_of_every_kind) {
    const quire_type type = TYPES[_i / FAMILIES_COUNT];
    const family which = FAMILIES[_i % FAMILIES_COUNT];
    for (size_t l = 0; l < scaled(LENGTHS_COUNT) && l < LENGTHS_COUNT; l++) {
        const size_t n = LENGTHS[l], offset = l % 2 * type_size(type);
        void *x = array_new(n * type_size(type), offset), *y = array_new(n * type_size(type), 0);
        family_fill_pair(which, type, 50 + l, n, x, y);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            for (int m = 0; m < METHOD_COUNT; m++) check_call(op, type, n, x, y, METHODS[m]);
            check_accumulate(op, type, n, x, y);
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, calls_of_every_kind, 0, TYPE_COUNT * FAMILIES_COUNT); }

int main(void) { return run_cases("calls", add_tests); }
