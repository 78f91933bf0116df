/* test_scan_prefixes.c - running sums against MPFR: result k is the exact sum of the elements up to it, rounded once,
 * in every type, result type and direction, of every family of data. */
#include <string.h>

#include "families.h"
#include "many.h"
#include "operation.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define ELEMENTS 600 /* at most */

static void check_prefixes(const quire_reduction *what, quire_scan_kind kind, size_t n, const void *x,
                           const void *results) {
    const operation op = what->operation == QUIRE_ASUM ? OPERATION_ASUM : OPERATION_SUM;
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    oracle o;
    oracle_open(&o);
    for (size_t k = 0; k < n; k++) {
        if (kind == QUIRE_INCLUSIVE) oracle_add(&o, op, what->type, 1, (const char *)x + k * size, NULL);
        check_bits(what->result_type, (const char *)results + k * result_size,
                   oracle_directed(&o, op, what->result_type, what->rounding), "%s, %s%s, result %zu of %zu",
                   place_name(), reduction_text(what), kind ? ", exclusive" : "", k, n);
        if (kind == QUIRE_EXCLUSIVE) oracle_add(&o, op, what->type, 1, (const char *)x + k * size, NULL);
    }
    oracle_close(&o);
}

START_TEST(prefixes) {
    generator g;
    generator_seed(&g, 1200 + (uint64_t)_i);
    const quire_layout none = quire_strided(0, 1);
    quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    if (quire_scan(place_context(), &what, QUIRE_INCLUSIVE, &none, NULL, &none, NULL) == QUIRE_WRONG_CONTEXT) return;
    for (size_t turn = 0; turn < scaled(40); turn++) {
        const size_t n = 1 + generator_below(&g, ELEMENTS);
        const quire_layout one = quire_strided(n, 1);
        const quire_scan_kind kind = generator_below(&g, 2) ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE;
        what.type = TYPES[generator_below(&g, TYPE_COUNT)];
        what.result_type = generator_below(&g, 2) ? what.type : TYPES[generator_below(&g, TYPE_COUNT)];
        what.rounding = ROUNDINGS[generator_below(&g, ROUNDING_COUNT)];
        what.operation = generator_below(&g, 4) ? QUIRE_SUM : QUIRE_ASUM;
        void *x = array_new(n * type_size(what.type), 0), *results = array_new(n * type_size(what.result_type), 0);
        family_fill((family)_i, what.type, generator_next(&g), n, x);
        check_ok(place_scan(&what, kind, &one, x, &one, results));
        check_prefixes(&what, kind, n, x, results);
        array_free(x), array_free(results);
    }
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, prefixes, 0, FAMILY_COUNT); }

int main(void) { return run_cases("prefixes of running sums", add_tests); }
