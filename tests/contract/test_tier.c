/* test_tier.c - which tier src/cpu/tier/tier.c chooses, on processors of every combination of the features it looks at,
 * and from QUIRE_TIER. The processor is made up here, so that no test needs the instructions; test_contexts.c sees
 * which of them run on this one. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* ----------------------------------------------------------------------------------------------- made-up processors */

enum { AVX2 = 1, FMA = 2, F16C = 4, AVX512F = 8, AVX512BW = 16, AVX512DQ = 32, AVX512VL = 64, ALL = 127 };

static int processor; /* its features */

#if defined(__x86_64__)
#include <cpuid.h>

static int supports(const char *feature) {
    static const char *const names[] = { "avx2", "fma", NULL, "avx512f", "avx512bw", "avx512dq", "avx512vl" };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (names[i] && !strcmp(names[i], feature)) return processor >> i & 1;
    ck_abort_msg("a feature that this test does not know: %s", feature);
    return 0;
}

static int get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
    ck_assert_uint_eq(leaf, 1);
    *a = *b = *d = ~(unsigned)bit_F16C;
    *c = processor & F16C ? bit_F16C : ~(unsigned)bit_F16C;
    return 1;
}

#undef QUIRE_X86_TIERS
#define QUIRE_X86_TIERS /* which a build may lack */
#define __builtin_cpu_supports(feature) supports(feature)
#define __get_cpuid get_cpuid
#endif

/* The library has functions of these names, too. */
#define cpu_tier_find tested_find
#define cpu_tier_default tested_default
#define tier_from_environment tested_from_environment
#define quire_tier_name tested_name
#define quire_tier_available tested_available
#include "cpu/block/functions.h"
#include "cpu/tier/tier.c"

/* Of the functions that a tier offers none is called. */
#define WEAK __attribute__((weak))
#define TABLES(name, NUMBER, is_there)                                                                                 \
    WEAK const tier_lanes lanes_##name = { 0 };                                                                        \
    WEAK const exact_function exact_table_##name[FORMAT_NUMBERS][TERM_COUNT] = { { 0 } };                              \
    WEAK const tier_ends ends_##name = { 0 };                                                                          \
    WEAK const moments_function moments_table_##name[FORMAT_NUMBERS] = { 0 };                                          \
    WEAK const tier_scan scan_##name = { 0 };                                                                          \
    WEAK const integer_function integers_table_##name[INTEGER_NUMBERS][INTEGER_WAYS] = { { 0 } };
CPU_TIERS(TABLES)

/* --------------------------------------------------------------------------------------------------- what is right */

static const quire_tier TIERS[] = { QUIRE_TIER_PORTABLE, QUIRE_TIER_AVX2, QUIRE_TIER_AVX512, QUIRE_TIER_AVX512VNNI };
#define TIER_COUNT ((int)(sizeof TIERS / sizeof *TIERS))

/* That of index i in TIERS. */
static const cpu_tier *tier_at(int i) {
#if defined(QUIRE_X86_TIERS)
    static const cpu_tier *const tiers[] = { &portable, &avx2, &avx512, &avx512 };
    return tiers[i];
#else
    return i ? NULL : &portable;
#endif
}

/* Every tier needs the features of those below it. */
static int has_tier(int i) {
    static const int needs[] = { 0, AVX2 | FMA | F16C, AVX512F | AVX512BW | AVX512DQ | AVX512VL, 0 };
    int all = 0;
    for (int k = 0; k <= i; k++) all |= needs[k];
    return tier_at(i) && (processor & all) == all;
}

static int best(void) {
    int i = TIER_COUNT - 1;
    while (!has_tier(i)) i--;
    return i;
}

static void check_processor(void) {
    static const char *const none[] = { "sse9", "avx", "AVX2", "avx2 ", "portabl", "4" };
    ck_assert_ptr_eq(tested_find(QUIRE_TIER_BEST), tier_at(best()));
    ck_assert_ptr_null(tested_find((quire_tier)5));
    ck_assert_ptr_null(tested_find((quire_tier)-1));
    for (int i = 0; i < TIER_COUNT; i++) {
        quire_tier tier = QUIRE_TIER_BEST;
        ck_assert_msg(tested_find(TIERS[i]) == (has_tier(i) ? tier_at(i) : NULL), "tier %d, features 0x%x", i,
                      processor);
        ck_assert_int_eq(tested_available(TIERS[i]), has_tier(i));
        setenv("QUIRE_TIER", tested_name(TIERS[i]), 1);
        ck_assert_int_eq(tested_from_environment(&tier), QUIRE_OK);
        ck_assert_int_eq(tier, TIERS[i]);
        ck_assert_msg(named_or_best() == tier_at(has_tier(i) ? i : best()), "QUIRE_TIER=%s, features 0x%x",
                      tested_name(TIERS[i]), processor);
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        quire_tier tier = QUIRE_TIER_AVX2;
        setenv("QUIRE_TIER", none[k], 1);
        ck_assert_int_eq(tested_from_environment(&tier), QUIRE_INVALID_TIER);
        ck_assert_int_eq(tier, QUIRE_TIER_AVX2);
        ck_assert_ptr_eq(named_or_best(), tier_at(best()));
    }
    for (int k = 0; k < 3; k++) { /* all of these mean the best */
        quire_tier tier = QUIRE_TIER_BEST;
        if (k)
            setenv("QUIRE_TIER", k == 1 ? "" : "best", 1);
        else
            unsetenv("QUIRE_TIER");
        ck_assert_int_eq(tested_from_environment(&tier), QUIRE_OK);
        ck_assert_int_eq(tier, QUIRE_TIER_BEST);
        ck_assert_ptr_eq(named_or_best(), tier_at(best()));
    }
}

/* What a process has asked once it keeps: another is to ask again. */
static void in_a_process(void (*check)(void)) {
    int status = -1;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        check();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "see above: features 0x%x", processor);
}

/* -------------------------------------------------------------------------------------------------------------- tests
 */

START_TEST(every_processor) {
    for (processor = 0; processor <= ALL; processor++) in_a_process(check_processor);
}
END_TEST

static void check_known(void) {
    setenv("QUIRE_TIER", "portable", 1);
    ck_assert_ptr_eq(tested_default(), &portable);
    unsetenv("QUIRE_TIER");
    ck_assert_ptr_eq(tested_default(), &portable);
    ck_assert_ptr_eq(named_or_best(), tier_at(best()));
}

START_TEST(the_default_is_found_once) {
    processor = ALL;
    in_a_process(check_known);
}
END_TEST

START_TEST(names_of_tiers) {
    static const char *const expected[] = { "best", "portable", "avx2", "avx512", "avx512vnni" };
    for (int i = 0; i < 5; i++) ck_assert_str_eq(tested_name((quire_tier)i), expected[i]);
    ck_assert_ptr_null(tested_name((quire_tier)5));
    ck_assert_ptr_null(tested_name((quire_tier)-1));
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, every_processor);
    tcase_add_test(cases, the_default_is_found_once);
    tcase_add_test(cases, names_of_tiers);
}

int main(void) { return run_cases_without_place("tier", add); }
