/* test_fresh.c - the caller's environment at the first reduction of a process that has threads: whatever is done only
 * once, or when threads begin, must not be done in the caller's environment. Later nothing of it shows, so each case
 * has a process of its own: this program again, with the name of the case. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ALL_MASKED 0x1f80u
#define TRAPS_INEXACT (ALL_MASKED & ~0x1000u)
#define TRAPS_ALL 0u

#define LONG ((size_t)3 << 20)     /* doubles that two threads share, where two were asked for */
#define LONGEST ((size_t)17 << 20) /* where the number is the default */

static const struct fresh {
    const char *name;
    unsigned word; /* the caller's MXCSR */
    int threads;   /* as quire_open_cpu has it */
    size_t n;
    quire_method method;
} CASES[] = {
    { "inexact trapped, exact", TRAPS_INEXACT, 2, LONG, QUIRE_EXACT },
    { "inexact trapped, kahan", TRAPS_INEXACT, 2, LONG, QUIRE_KAHAN },
    { "all trapped, pairwise", TRAPS_ALL, 2, LONG, QUIRE_PAIRWISE },
    { "flags clear, exact", ALL_MASKED, 2, LONG, QUIRE_EXACT },
    { "flags clear, plain", ALL_MASKED, 2, LONG, QUIRE_PLAIN },
    { "the default number of threads, inexact trapped", TRAPS_INEXACT, 0, LONGEST, QUIRE_EXACT },
    { "the default number of threads, flags clear", ALL_MASKED, 0, LONGEST, QUIRE_EXACT },
};
#define CASE_COUNT ((int)(sizeof CASES / sizeof *CASES))

/* All that the process of a case does; answers its exit status. */
static int run_fresh(const struct fresh *f) {
    double *x = calloc(f->n, sizeof *x), sum = 0;
    quire_context *context = NULL;
    unsigned after;
    if (!x) return 2;
    x[0] = 0x1p-60, x[f->n - 1] = 1, x[f->n - 2] = 0x1p-1000;
    _mm_setcsr(f->word);
    const quire_status opened = quire_open_cpu(&context, f->threads);
    const quire_status summed = quire_sum(context, QUIRE_F64, f->n, x, f->method, QUIRE_F64, &sum);
    after = _mm_getcsr();
    _mm_setcsr(ALL_MASKED);
    quire_close(context);
    free(x);
    if (opened || summed || sum != 1) return 3;
    if (after == f->word) return 0;
    fprintf(stderr, "%s: MXCSR was %04x, and is left as %04x\n", f->name, f->word, after);
    return 4;
}

static const char *self;

START_TEST(the_first_threaded_reduction) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        execl(self, self, CASES[_i].name, (char *)NULL);
        _exit(errno == ENOENT ? 5 : 6);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFSIGNALED(status), "%s: killed by signal %d", CASES[_i].name, WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == 0, "%s: exit status %d", CASES[_i].name, WEXITSTATUS(status));
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, the_first_threaded_reduction, 0, CASE_COUNT); }

int main(int count, char **words) {
    self = words[0];
    for (int i = 0; i < CASE_COUNT && count > 1; i++)
        if (!strcmp(words[1], CASES[i].name)) return run_fresh(&CASES[i]);
    return run_cases_without_place("fresh", add_tests);
}

#else

static void add_tests(TCase *cases) { (void)cases; }

int main(void) { return run_cases_without_place("fresh", add_tests); }

#endif
