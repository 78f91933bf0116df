/* test_carries.c - that exact sums carry their limbs in time. No array in memory is long enough to overflow a limb, so the
 * driver is compiled here once more, in the portable tier, with limbs that take fewer additions (LIMB_ADDITIONS), and starts
 * from limbs that have room for no more than it is promised. Without a carry these overflow. */
#define SIMD_TIER_portable
#define LIMB_ADDITIONS ((size_t)1 << 19) /* about the fewest that exact.c's own assertion allows */
#include "cpu/tier/exact.c"

#include <check.h>
#include <stdlib.h>

#include "support.h"

#define ELEMENTS ((size_t)1 << 20)
#define ROOM (LIMB_ADDITIONS / 2 << 33) /* of a limb: so many additions, below 2^33 each */

/* Terms of which no window holds a block, so that they go to limbs one by one: most as large as fits 106 bits, each eighth
 * so much larger that there is no exponent in common. */
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

    QUIRE_NAME(exact_table, SIMD_TIER)[QUIRE_F64][TERM_PRODUCT](&found, x, y, ELEMENTS, 0, NULL);
    found.count = (int64_t)ELEMENTS;
    check_ok(quire_carry(&found));
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++)
        check_that(found.limb[i] == expected.limb[i], "limb %d is %llx, not %llx", i, (unsigned long long)found.limb[i],
                   (unsigned long long)expected.limb[i]);
    free(x);
    free(y);
}
END_TEST

static void add(TCase *cases) {
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, limbs_are_carried_before_they_overflow);
}

int main(void) { return run_cases_without_place("carries", add); }
