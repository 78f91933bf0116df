/* test_contexts.c - opening, steering and closing contexts with good and bad arguments, the environment variable
 * QUIRE_TIER, tiers, and CUDA where there is none. */
#define _GNU_SOURCE /* REG_RIP */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#endif

#include "support.h"

static const quire_tier TIERS[] = { QUIRE_TIER_BEST, QUIRE_TIER_PORTABLE, QUIRE_TIER_AVX2, QUIRE_TIER_AVX512,
                                    QUIRE_TIER_AVX512VNNI };
static const char *const TIER_NAMES[] = { "best", "portable", "avx2", "avx512", "avx512vnni" };
#define TIER_COUNT (sizeof TIERS / sizeof *TIERS)

static const int BAD_ENUMS[] = { -1, 5, 99, INT_MAX, INT_MIN };
#define BAD_ENUM_COUNT (sizeof BAD_ENUMS / sizeof *BAD_ENUMS)

/* A context, or NULL, must sum right after whatever was done to it. */
static void check_usable(quire_context *context) {
    static const float x[4] = { 0x1p100f, 1, -0x1p100f, 1 };
    float sum = -1;
    check_ok(quire_sum(context, QUIRE_F32, 4, x, QUIRE_EXACT, QUIRE_F32, &sum));
    ck_assert_float_eq(sum, 2);
    check_ok(quire_sum(context, QUIRE_F32, 4, x, QUIRE_PLAIN, QUIRE_F32, &sum));
    ck_assert_float_eq(sum, 2); /* lane 0 takes lane 2, then lane 1 */
}

static quire_context *untouched(void) {
    static int mark;
    return (quire_context *)(void *)&mark;
}

static void check_open_refused(int threads, quire_status expected) {
    quire_context *context = untouched();
    quire_status status = quire_open_cpu(&context, threads);
    ck_assert_msg(status == expected, "%d threads: status %d, not %d", threads, (int)status, (int)expected);
    ck_assert_ptr_eq(context, untouched());
}

START_TEST(open_cpu_checks_its_arguments) {
    static const int bad[] = { -1, INT_MIN, QUIRE_MAX_THREADS + 1, INT_MAX };
    static const int good[] = { 0, 1, 2, 77, QUIRE_MAX_THREADS };
    ck_assert_int_eq(quire_open_cpu(NULL, 1), QUIRE_NULL_POINTER);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) check_open_refused(bad[k], QUIRE_INVALID_THREADS);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        quire_context *context = NULL;
        check_ok(quire_open_cpu(&context, good[k]));
        ck_assert_ptr_nonnull(context);
        check_usable(context);
        quire_close(context);
    }
    quire_close(NULL);
}
END_TEST

START_TEST(setters_check_their_arguments) {
    quire_context *context;
    check_ok(quire_open_cpu(&context, 2));
    ck_assert_int_eq(quire_set_tier(NULL, QUIRE_TIER_PORTABLE), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_set_progress(NULL, NULL, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_set_stream(NULL, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_set_stream(context, NULL), QUIRE_WRONG_CONTEXT);
    check_usable(context);
    for (size_t b = 0; b < BAD_ENUM_COUNT; b++)
        ck_assert_int_eq(quire_set_tier(context, (quire_tier)BAD_ENUMS[b]), QUIRE_INVALID_TIER);
    for (size_t t = 0; t < TIER_COUNT; t++) {
        quire_status expected = quire_tier_available(TIERS[t]) ? QUIRE_OK : QUIRE_TIER_UNAVAILABLE;
        ck_assert_int_eq(quire_set_tier(context, TIERS[t]), expected);
        check_usable(context);
    }
    check_ok(quire_set_progress(context, NULL, NULL));
    check_usable(context);
    quire_close(context);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ tiers */

START_TEST(tiers_have_names) {
    for (size_t t = 0; t < TIER_COUNT; t++) {
        const char *name = quire_tier_name(TIERS[t]);
        ck_assert_ptr_nonnull(name);
        ck_assert_str_eq(name, TIER_NAMES[t]);
    }
    for (size_t b = 0; b < BAD_ENUM_COUNT; b++) {
        ck_assert_ptr_null(quire_tier_name((quire_tier)BAD_ENUMS[b]));
        ck_assert_int_eq(quire_tier_available((quire_tier)BAD_ENUMS[b]), 0);
    }
}
END_TEST

/* A tier that the processor lacks would end in SIGILL. */
START_TEST(tiers_are_what_the_processor_has) {
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_BEST), 1);
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_PORTABLE), 1);
#if defined(__x86_64__)
    __builtin_cpu_init();
    ck_assert(!quire_tier_available(QUIRE_TIER_AVX2) ||
              (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
    ck_assert(!quire_tier_available(QUIRE_TIER_AVX512) ||
              (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")));
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_AVX512VNNI), quire_tier_available(QUIRE_TIER_AVX512));
#else
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_AVX2), 0);
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_AVX512), 0);
    ck_assert_int_eq(quire_tier_available(QUIRE_TIER_AVX512VNNI), 0);
#endif
}
END_TEST

/* Which instruction sets a call runs, seen from outside: the trap flag stops behind each instruction, and its first
 * byte tells legacy code, VEX (AVX2) and EVEX (AVX-512) apart. Only the object that holds the library is looked at:
 * libc has vectors of its own. Without this, a set_tier without effect, or a QUIRE_TIER that is ignored, shows nowhere.
 */
#if defined(__x86_64__) && defined(__linux__) && !defined(__AVX__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_TRACE /* flags of the user's own that allow AVX everywhere would be taken for a tier */
static struct {
    uintptr_t from, to; /* the segment with the library's code */
    volatile long steps, vex, evex;
} traced;

static void look_at_instruction(int signal, siginfo_t *info, void *c) {
    const uintptr_t rip = (uintptr_t)((ucontext_t *)c)->uc_mcontext.gregs[REG_RIP];
    const unsigned char *code = (const unsigned char *)rip;
    (void)signal, (void)info;
    if (rip < traced.from || rip >= traced.to) return;
    traced.steps++;
    traced.vex += *code == 0xc4 || *code == 0xc5;
    traced.evex += *code == 0x62;
}

static int find_segment(struct dl_phdr_info *object, size_t size, void *address) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t from = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr, at = (uintptr_t)address;
        if (object->dlpi_phdr[i].p_type != PT_LOAD || at < from || at >= from + object->dlpi_phdr[i].p_memsz) continue;
        traced.from = from;
        traced.to = from + object->dlpi_phdr[i].p_memsz;
        return 1;
    }
    return 0;
}

static quire_tier tier_seen(quire_context *context, quire_method method) {
    static uint16_t x[600]; /* halves, so many that each tier takes them by its own instructions */
    static const struct sigaction ignore;
    struct sigaction action = ignore, before;
    quire_status status;
    float sum = -1;
    action.sa_sigaction = look_at_instruction;
    action.sa_flags = SA_SIGINFO;
    quire_status (*function)(quire_context *, quire_type, size_t, const void *, quire_method, quire_type, void *) =
        quire_sum;
    void *address;
    memcpy(&address, &function, sizeof address);
    dl_iterate_phdr(find_segment, dlsym(RTLD_DEFAULT, "quire_sum") ? dlsym(RTLD_DEFAULT, "quire_sum") : address);
    traced.steps = traced.vex = traced.evex = 0;
    check_ok(quire_sum(context, QUIRE_F16, 600, x, method, QUIRE_F32, &sum)); /* lazy binding is done with */
    sigaction(SIGTRAP, &action, &before);
    __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::: "memory", "cc");
    status = quire_sum(context, QUIRE_F16, 600, x, method, QUIRE_F32, &sum);
    __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
                         : "memory", "cc");
    sigaction(SIGTRAP, &before, NULL);
    check_ok(status);
    ck_assert_int_gt(traced.steps, 100);
    return traced.evex ? QUIRE_TIER_AVX512 : traced.vex ? QUIRE_TIER_AVX2 : QUIRE_TIER_PORTABLE;
}

/* One of them is another name. */
static quire_tier tier_run(quire_tier tier) { return tier == QUIRE_TIER_AVX512VNNI ? QUIRE_TIER_AVX512 : tier; }

/* With a NULL context, for which a process reads QUIRE_TIER once. */
static int tier_of_no_context(quire_method method) {
    int status = -1;
    const pid_t child = fork();
    if (!child) _exit((int)tier_seen(NULL, method));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(tiers_run_their_instructions) {
    static const quire_method methods[] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
    quire_tier best = QUIRE_TIER_PORTABLE;
    quire_context *context;
    for (size_t t = 1; t < TIER_COUNT; t++) best = quire_tier_available(TIERS[t]) ? TIERS[t] : best;
    for (size_t m = 0; m < 8; m++) { /* QUIRE_TIER is empty first, which is as unset */
        m < 4 ? setenv("QUIRE_TIER", "", 1) : unsetenv("QUIRE_TIER");
        check_ok(quire_open_cpu(&context, 1));
        ck_assert_int_eq(tier_seen(context, methods[m % 4]), tier_run(best));
        ck_assert_int_eq(tier_of_no_context(methods[m % 4]), tier_run(best));
        quire_close(context);
    }
    for (size_t m = 0; m < 4; m++) {
        check_ok(quire_open_cpu(&context, 1));
        for (size_t t = 0; t < TIER_COUNT; t++) {
            const quire_tier expected = tier_run(t ? TIERS[t] : best);
            quire_context *named;
            if (!quire_tier_available(TIERS[t])) continue;
            check_ok(quire_set_tier(context, TIERS[t]));
            ck_assert_int_eq(tier_seen(context, methods[m]), expected);
            setenv("QUIRE_TIER", TIER_NAMES[t], 1);
            check_ok(quire_open_cpu(&named, 1));
            ck_assert_int_eq(tier_seen(named, methods[m]), expected);
            ck_assert_int_eq(tier_of_no_context(methods[m]), expected);
            quire_close(named);
            unsetenv("QUIRE_TIER");
        }
        quire_close(context);
    }
}
END_TEST
#endif

START_TEST(environment_variable_names_the_tier) {
    static const char *const bad[] = { "sse9", "avx", "avx5120", "portable,avx2", "1" };
    quire_context *context;
    for (size_t t = 0; t < TIER_COUNT; t++) {
        setenv("QUIRE_TIER", TIER_NAMES[t], 1);
        if (!quire_tier_available(TIERS[t])) {
            check_open_refused(1, QUIRE_TIER_UNAVAILABLE);
            continue;
        }
        check_ok(quire_open_cpu(&context, 1));
        check_usable(context);
        quire_close(context);
        check_usable(NULL);
    }
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        setenv("QUIRE_TIER", bad[b], 1);
        check_open_refused(1, QUIRE_INVALID_TIER);
        ck_assert_int_eq(quire_open_cpu(NULL, 1), QUIRE_NULL_POINTER);
        check_usable(NULL); /* a reduction has no status for a bad name: it must work, in some tier */
    }
    unsetenv("QUIRE_TIER");
    check_ok(quire_open_cpu(&context, 1));
    check_usable(context);
    quire_close(context);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------- CUDA */

START_TEST(cuda_without_cuda) {
    static const int devices[] = { 0, 1, -1, 99 };
    quire_context *context = untouched();
    ck_assert_int_eq(quire_open_cuda(NULL, 0, NULL), QUIRE_NULL_POINTER);
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        quire_status status = quire_open_cuda(&context, devices[k], NULL);
        if (status == QUIRE_OK) { /* then it is a CUDA context, and tiers and progress are not for it */
            ck_assert_int_eq(quire_has_cuda(), 1);
            ck_assert_int_eq(quire_set_tier(context, QUIRE_TIER_PORTABLE), QUIRE_WRONG_CONTEXT);
            ck_assert_int_eq(quire_set_progress(context, NULL, NULL), QUIRE_WRONG_CONTEXT);
            quire_close(context);
            context = untouched();
        } else {
            ck_assert_ptr_eq(context, untouched());
            ck_assert(status == QUIRE_NO_DEVICE || quire_has_cuda());
        }
        if (quire_has_cuda() && status != QUIRE_NO_DEVICE)
            fprintf(stderr, "# a CUDA device is there: that QUIRE_NO_DEVICE is answered without one was not checked\n");
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("contexts");
    TCase *cases = tcase_create("contexts");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, open_cpu_checks_its_arguments);
    tcase_add_test(cases, setters_check_their_arguments);
    tcase_add_test(cases, tiers_have_names);
    tcase_add_test(cases, tiers_are_what_the_processor_has);
    tcase_add_test(cases, environment_variable_names_the_tier);
#ifdef CAN_TRACE
    tcase_add_test(cases, tiers_run_their_instructions);
#endif
    tcase_add_test(cases, cuda_without_cuda);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
