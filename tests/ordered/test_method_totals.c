/* test_method_totals.c - a method of two words is rounded by the total of its own, which the list of methods names:
 * here one is made up, whose second word weighs a half of kahan's. */
#include <check.h>

#include "cpu/results.h"
#include "support.h"

#define MADE_UP ((quire_method)7)

static quire_total made_up_total(const double *state) { return total_of_two(state[0], state[1] / 2); }
static quire_total first_word(const double *state) { return total_of_double(state[0]); }
static quire_total both_words(const double *state) { return kahan_total(state); }

/* The library's own is hidden. */
const lane_method lane_methods[METHOD_NUMBERS] = {
    [QUIRE_PLAIN] = { { NULL, NULL }, first_word, 1 },
    [QUIRE_KAHAN] = { { NULL, NULL }, both_words, 2 },
    [7] = { { NULL, NULL }, made_up_total, 2 },
};

static double rounded(quire_method method, double first, double second, quire_rounding rounding) {
    const double words[2] = { first, second };
    const quire_job job = {
        .type = QUIRE_F64, .n = 4, .method = method, .result_type = QUIRE_F64, .rounding = rounding
    };
    const format_description format = describe_format(QUIRE_F64);
    return double_of_bits(words_round(words, lane_methods[method].words, &job, format));
}

START_TEST(each_has_its_own) {
    static const double words[][2] = { { 1, 0x1p-52 }, { 1, 0x1p-60 }, { -3, 3 }, { 1, -2 }, { 5, 0 }, { 0, 1 } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const double a = words[i][0], b = words[i][1];
            const uint64_t half = bits_of_double(rounded(QUIRE_KAHAN, a, b / 2, ROUNDINGS[k]));
            const uint64_t found = bits_of_double(rounded(MADE_UP, a, b, ROUNDINGS[k]));
            const uint64_t alone = bits_of_double(rounded(QUIRE_PLAIN, a, b, ROUNDINGS[k]));
            check_bits_at(__FILE__, __LINE__, QUIRE_F64, found, half, "%a and half of %a", a, b);
            check_bits_at(__FILE__, __LINE__, QUIRE_F64, alone, bits_of_double(a), "%a alone", a);
        }
}
END_TEST

static void add(TCase *cases) { tcase_add_test(cases, each_has_its_own); }

int main(void) { return run_cases_without_place("method_totals", add); }
