/* test_hard_groups.c - sums by key of elements that are hard for sums which go to their groups as they come: they end a
 * window, leave results open, or have zeros whose sign counts. */
#include <math.h>

#include "keyed.h"
#include "place.h"
#include "support.h"

/* Element i of some thousands that go to groups in turn: zeros of one sign, for some groups; integers whose sums are 0,
 * or are not; ties, which what is tiny decides; terms that grow, or shrink, by many binades; sums beyond 2^1024; more
 * of the greatest terms than a window holds; and what is not finite. */
static double hard_element(generator *g, int which, size_t i) {
    const int stretch = (int)(i / 512);
    switch (which) {
    case 0: return i % 7 < 3 ? -0.0 : i % 2 ? 1 : -1;
    case 1: return (double)(i / 7 % 2 ? 1 : -1) * (double)(1 + i / 14 % 1000);
    case 2: return (double)generator_between(g, -100000, 100000);
    case 3: return i < 7 ? 1 : i < 14 ? 0x1p-53 : i >= 400 && i < 407 ? (i % 2 ? 0x1p-200 : -0x1p-200) : 0;
    case 4: return (generator_uniform(g) - 0.5) * ldexp(1, stretch * 150 - 1000);
    case 5: return (generator_uniform(g) - 0.5) * ldexp(1, 900 - stretch * 150);
    case 6: return i % 2000 < 1000 ? 0x1.fp1022 : -0x1.fp1022;
    case 7: return 1.5 + 0.49 * generator_uniform(g);
    case 8: return i > 4000 && i % 11 == 0 ? HUGE_VAL : generator_uniform(g);
    default: return i % 2 ? ldexp(generator_uniform(g), -1060) : ldexp(generator_uniform(g), -840);
    }
}

START_TEST(hard_elements) {
    const quire_rounding rounding = ROUNDINGS[_i % ROUNDING_COUNT];
    const quire_reduction what = {
        _i % 3 ? QUIRE_SUM : QUIRE_MEAN, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, rounding, 0, { 0 }
    };
    const size_t n = _i / ROUNDING_COUNT == 7 ? 60000 : 12000, groups = n == 60000 ? 2 : 7;
    generator g;
    generator_seed(&g, 12 + (uint64_t)_i);
    for (ptrdiff_t apart = 1; apart < 3; apart++) {
        row_array x = row_array_new(QUIRE_F64, quire_strided(n, apart), FAMILY_NORMAL, 3);
        int64_t *keys = array_new((n + 1) * sizeof *keys, 0);
        for (size_t i = 0; i < n; i++) {
            keys[i] = (int64_t)(i % groups) - (i % 97 == 0);
            ((double *)x.memory)[i * (size_t)apart] = hard_element(&g, _i / ROUNDING_COUNT, i);
        }
        grouped d = grouped_of(keys, n, groups);
        for (size_t v = 0; v < place_variants(); v++)
            if (place_use(v)) check_by_key(&what, &d, apart == 1 ? QUIRE_I64 : QUIRE_I32, &x, &x, v, 1);
        grouped_free(&d);
        row_array_free(&x);
    }
}
END_TEST

static void add_hard_groups(TCase *cases) {
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, hard_elements, 0, 10 * ROUNDING_COUNT);
}

int main(void) { return run_cases("hard_groups", add_hard_groups); }
