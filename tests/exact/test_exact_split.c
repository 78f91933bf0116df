/* test_exact_split.c - QUIRE_EXACT equals the oracle bit for bit, whatever the order of the elements, and however they
 * are split over accumulators that are merged. */
#include <string.h>

#include "families.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

/* Shuffled again and again. */
START_TEST(every_order) {
    static const family hard[] = { FAMILY_CONDITION_SEVERE, FAMILY_TELESCOPING, FAMILY_TIE_BELOW, FAMILY_HUGE,
                                   FAMILY_EVERY_EXPONENT };
    quire_type type = TYPES[_i];
    size_t size = type_size(type), n = 5003;
    void *x = array_new(n * size, 0);
    generator g;
    generator_seed(&g, 7);
    for (size_t f = 0; f < sizeof hard / sizeof *hard; f++) {
        uint64_t expected;
        family_fill(hard[f], type, 8, n, x);
        expected = oracle_reduce(OPERATION_SUM, type, n, x, NULL, type);
        for (size_t turn = 0; turn < scaled(20); turn++) {
            generator_shuffle(&g, n, size, x);
            uint64_t result[1];
            check_ok(place_reduce(OPERATION_SUM, type, n, x, NULL, QUIRE_EXACT, type, result));
            check_bits(type, result, expected, "%s of %s, shuffled", type_name(type), family_name(hard[f]));
        }
    }
    array_free(x);
}
END_TEST

/* Cuts n elements into parts, each an accumulator, and merges those in a random tree. */
static void split_and_merge(generator *g, operation op, quire_type type, size_t n, const unsigned char *x,
                            const unsigned char *y, quire_accumulator *total) {
    quire_accumulator part[24];
    size_t size = type_size(type), parts = 1 + (size_t)generator_below(g, 24), from = 0;
    for (size_t p = 0; p < parts; p++) {
        size_t to = p + 1 == parts ? n : from + (size_t)generator_below(g, n - from + 1);
        memset(&part[p], 0, sizeof part[p]);
        check_ok(place_accumulate_terms(op, &part[p], type, to - from, x + from * size, y + from * size));
        from = to;
    }
    while (parts > 1) { /* any two, into the place of the first; the last fills the gap */
        size_t a = (size_t)generator_below(g, parts), b = (a + 1 + (size_t)generator_below(g, parts - 1)) % parts;
        check_ok(quire_merge(&part[a], &part[b]));
        part[b] = part[--parts];
    }
    *total = part[0];
}

START_TEST(every_split) {
    quire_type type = TYPES[_i / FAMILY_COUNT];
    family which = (family)(_i % FAMILY_COUNT);
    size_t size = type_size(type), n = 3001;
    void *x = array_new(n * size, 0), *y = array_new(n * size, 0);
    generator g;
    generator_seed(&g, 9);
    family_fill_pair(which, type, 10, n, x, y);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        for (size_t turn = 0; turn < scaled(4); turn++) {
            quire_type result_type = TYPES[(turn + op) % TYPE_COUNT];
            quire_accumulator total;
            uint64_t result[1];
            split_and_merge(&g, op, type, n, x, y, &total);
            ck_assert_int_eq(total.count, (int64_t)n);
            check_ok(op == OPERATION_NRM2   ? quire_round_root(&total, result_type, result)
                     : op == OPERATION_MEAN ? quire_round_mean(&total, result_type, result)
                                            : quire_round(&total, result_type, result));
            check_bits(result_type, result, oracle_reduce(op, type, n, x, y, result_type), "%s of %s %s, in parts",
                       operation_name(op), family_name(which), type_name(type));
        }
    }
    array_free(x);
    array_free(y);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, every_order, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, every_split, 0, TYPE_COUNT * FAMILY_COUNT);
}

int main(void) { return run_cases("exact_split", add_tests); }
