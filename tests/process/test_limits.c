/* test_limits.c - where the system has no room for all the threads of a context, fewer do the same sums, and nothing is
 * said. Each case has a process of its own: this program again, with the name of the case. On the CPU alone. */
#define _GNU_SOURCE /* RLIMIT_NPROC */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#if defined(__linux__) && !defined(SANITIZED) /* these take terabytes of addresses */

enum {
    THREADS = 9,
    N = THREADS << 19,
    COLUMNS = 1024,
    ROWS = N / COLUMNS,
    METHODS_HERE = 4,
    FOUND_WRONG = 3,
    NO_SUCH_LIMIT = 77
};

static const quire_method METHOD[METHODS_HERE] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };

typedef struct answers {
    double sum[METHODS_HERE], rows[ROWS], columns[COLUMNS];
} answers;

static double x[N]; /* 36 MiB: worth nine threads */

static quire_status sum_all(quire_context *context, answers *a) {
    const quire_layout rows = quire_rows(ROWS, COLUMNS, COLUMNS), columns = quire_columns(ROWS, COLUMNS, COLUMNS);
    const quire_reduction what = { .operation = QUIRE_SUM, .type = QUIRE_F64 };
    quire_status failed = QUIRE_OK;
    for (int m = 0; m < METHODS_HERE; m++)
        failed |= quire_sum(context, QUIRE_F64, N, x, METHOD[m], QUIRE_F64, &a->sum[m]);
    failed |= quire_reduce(context, &what, &rows, x, NULL, NULL, a->rows);
    failed |= quire_reduce(context, &what, &columns, x, NULL, NULL, a->columns);
    return failed;
}

/* ------------------------------------------------------------------------------------------- the process of one case
 */

static int limit(int resource, rlim_t most) { return setrlimit(resource, &(struct rlimit){ most, most }) == 0; }

static rlim_t addresses_in_use(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Root has no limit of processes, so another user does the sums; not every container has one. */
static int become_nobody(void) { return geteuid() != 0 || setuid(65534) == 0; }

/* "address N": MiB of addresses; "beyond N": so many KiB more than are in use; "processes N". */
static int set_limit(const char *what, unsigned long number) {
    if (!strcmp(what, "address")) return limit(RLIMIT_AS, (rlim_t)number << 20);
    if (!strcmp(what, "beyond")) return limit(RLIMIT_AS, addresses_in_use() + ((rlim_t)number << 10));
    return become_nobody() && limit(RLIMIT_NPROC, number);
}

/* Memory for the context itself may be what is missing; that has a status. */
static int run_limited(const char *what, unsigned long number) {
    static answers expected, found;
    quire_context *context = NULL;
    for (size_t i = 0; i < N; i++) x[i] = (double)(i % 1001) * (i % 2 ? 0x1p60 : -0x1.8p-60) + 1e-30;
    if (sum_all(NULL, &expected)) return 2;
    if (!set_limit(what, number)) return NO_SUCH_LIMIT;
    const quire_status opened = quire_open_cpu(&context, THREADS);
    if (opened == QUIRE_OUT_OF_MEMORY && !strcmp(what, "beyond")) return 0;
    if (opened || sum_all(context, &found) || memcmp(&found, &expected, sizeof found)) return FOUND_WRONG;
    quire_close(context);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static const char *self;

/* Its exit status, or -1 for a signal; what it says goes to text. */
static int run_self(const char *what, const char *number, char *text, size_t size) {
    int ends[2], status = 0;
    size_t said = 0;
    check_that(!pipe(ends), "no pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1), dup2(ends[1], 2);
        close(ends[0]), close(ends[1]);
        alarm(60);
        execl(self, self, what, number, (char *)NULL);
        _exit(5);
    }
    close(ends[1]);
    for (ssize_t some = 1; said < size - 1 && some > 0; said += some > 0 ? (size_t)some : 0)
        some = read(ends[0], text + said, size - 1 - said);
    text[said] = 0;
    close(ends[0]);
    check_that(child > 0 && waitpid(child, &status, 0) == child, "no child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_limited(const char *what, unsigned long number) {
    char word[32], text[1000];
    snprintf(word, sizeof word, "%lu", number);
    const int status = run_self(what, word, text, sizeof text);
    check_that(status == 0 || status == NO_SUCH_LIMIT, "%s %lu: exit status %d, %s", what, number, status, text);
    check_that(!*text, "%s %lu says: %s", what, number, text);
}

START_TEST(few_addresses) {
    check_limited("address", 80);
    check_limited("address", 64);
}
END_TEST

/* Room for none of the threads, for one, for two, for all. */
START_TEST(hardly_any_more_addresses) {
    static const unsigned long kilobytes[] = { 0, 100, 600, 1100, 1500, 2200, 3300, 4500, 6500, 9000, 20000 };
    for (size_t k = 0; k < sizeof kilobytes / sizeof *kilobytes; k++) check_limited("beyond", kilobytes[k]);
}
END_TEST

START_TEST(few_processes) {
    for (unsigned long most = 1; most <= 12; most += most < 4 ? 1 : 4) check_limited("processes", most);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, few_addresses);
    tcase_add_test(cases, hardly_any_more_addresses);
    tcase_add_test(cases, few_processes);
}

int main(int count, char **words) {
    self = words[0];
    if (count == 3) return run_limited(words[1], strtoul(words[2], NULL, 10));
    return run_cases_without_place("limits", add_tests);
}

#else

int main(void) {
    puts("1..0 # SKIP a sanitizer takes terabytes of addresses, or this is not Linux");
    return 0;
}

#endif
