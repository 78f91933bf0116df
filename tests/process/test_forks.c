/* test_forks.c - a forked child goes on with the contexts it inherits: the same bits, whatever the parent's threads
 * were at. On the CPU alone. A child that waits for threads it does not have is ended by its alarm. */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "families.h"
#include "place.h"
#include "support.h"

/* The thread sanitizer ends a child that starts threads, unless told not to. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }

#define SECONDS 60 /* the longest a child may live */

enum { N = 300000, ROWS = 300, COLUMNS = 1000, METHODS_HERE = 4 };

static const quire_method METHOD[METHODS_HERE] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };

/* What is summed, alike in parent and child: a vector, a matrix by rows and by columns, and as segments. */
typedef struct answers {
    uint64_t sum[METHODS_HERE], variance;
    double rows[METHODS_HERE][ROWS], columns[METHODS_HERE][COLUMNS], segments[ROWS];
    quire_accumulator accumulator;
} answers;

static double *x;
static answers expected;

static quire_status sum_all(quire_context *context, answers *a) {
    const quire_layout rows = quire_rows(ROWS, COLUMNS, COLUMNS), columns = quire_columns(ROWS, COLUMNS, COLUMNS);
    quire_reduction what = { .operation = QUIRE_SUM, .type = QUIRE_F64 };
    int64_t offsets[ROWS + 1];
    quire_status failed = QUIRE_OK;
    memset(a, 0, sizeof *a);
    for (int i = 0; i <= ROWS; i++) offsets[i] = i * COLUMNS;
    for (int m = 0; m < METHODS_HERE; m++) {
        what.method = METHOD[m];
        failed |= quire_sum(context, QUIRE_F64, N, x, METHOD[m], QUIRE_F64, &a->sum[m]);
        failed |= quire_reduce(context, &what, &rows, x, NULL, NULL, a->rows[m]);
        failed |= quire_reduce(context, &what, &columns, x, NULL, NULL, a->columns[m]);
    }
    failed |= quire_variance(context, QUIRE_F64, N, x, 1, QUIRE_F64, &a->variance);
    failed |= quire_reduce_segments(context, &what, ROWS, QUIRE_I64, offsets, offsets + 1, x, NULL, a->segments);
    failed |= quire_accumulate(context, &a->accumulator, QUIRE_F64, N, x);
    return failed;
}

/* Whether a context gives what NULL gave; of a child, who must not end by Check's own assertions. */
static int sums_right(quire_context *context) {
    static answers a;
    return sum_all(context, &a) == QUIRE_OK && !memcmp(&a, &expected, sizeof a);
}

static void prepare(void) {
    x = array_new(N * sizeof *x, 0);
    family_fill(FAMILY_FINITE_BITS, QUIRE_F64, 5, N, x);
    check_ok(sum_all(NULL, &expected));
}

/* The exit status of a child that does this; -1 if a signal ended it, SIGALRM where it hung. */
static int in_a_child(int (*work)(quire_context *), quire_context *context) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* Check's own ends all of the test */
        alarm(SECONDS);
        _exit(work(context));
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ------------------------------------------------------------------------------------------------------------ works */

static int sum_with(quire_context *context) { return sums_right(context) ? 0 : 1; }

static int sum_and_close(quire_context *context) {
    const int wrong = !sums_right(context) || !sums_right(NULL);
    quire_close(context);
    return wrong;
}

static int close_at_once(quire_context *context) {
    quire_close(context);
    return sums_right(NULL) ? 0 : 1;
}

/* A context of the child's own has threads of its own, and those of a child of the child are another matter again. */
static int open_another(quire_context *context) {
    quire_context *own = NULL;
    if (quire_open_cpu(&own, 2) || !sums_right(own) || !sums_right(context)) return 1;
    if (in_a_child(sum_and_close, own) || in_a_child(close_at_once, context)) return 2;
    if (!sums_right(own)) return 3;
    quire_close(own);
    return sums_right(context) ? 0 : 4;
}

static int fork_again(quire_context *context) {
    if (in_a_child(sum_and_close, context)) return 1; /* before this child has summed */
    if (!sums_right(context)) return 2;
    return in_a_child(open_another, context) ? 3 : 0;
}

static const struct {
    const char *name;
    int (*work)(quire_context *);
} WORKS[] = {
    { "sums", sum_with },
    { "sums and closes", sum_and_close },
    { "closes, and sums with NULL", close_at_once },
    { "opens another", open_another },
    { "forks again", fork_again },
};
enum { WORK_COUNT = sizeof WORKS / sizeof *WORKS };

/* ------------------------------------------------------------------------------------------------------------ tests */

/* Before the parent has summed, and after. _i: threads - 1. */
START_TEST(a_child_of_a_parent_at_rest) {
    quire_context *context;
    prepare();
    check_ok(quire_open_cpu(&context, 1 + _i));
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < WORK_COUNT; k++) {
            const int status = in_a_child(WORKS[k].work, context);
            check_that(status == 0, "%d threads, the parent has summed %d times, the child %s: %d", 1 + _i, turn,
                       WORKS[k].name, status);
        }
        check_that(sums_right(context), "%d threads, turn %d: the parent's sums", 1 + _i, turn);
    }
    quire_close(context);
    array_free(x);
}
END_TEST

/* A thread that never rests: it is in a call with its own context whenever another thread forks. */
typedef struct busy {
    pthread_t thread;
    quire_context *context;
    int stops, calls, wrong; /* atomic */
} busy;

static void *be_busy(void *argument) {
    busy *b = argument;
    while (!__atomic_load_n(&b->stops, __ATOMIC_RELAXED)) {
        uint64_t sum = 0;
        const int m = b->calls % METHODS_HERE;
        const quire_status status = quire_sum(b->context, QUIRE_F64, N, x, METHOD[m], QUIRE_F64, &sum);
        if (status || sum != expected.sum[m]) __atomic_fetch_add(&b->wrong, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&b->calls, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* The child works with the context of the busy thread, too, whatever that was at: it is the child's now. */
START_TEST(a_child_of_a_parent_at_work) {
    quire_context *context;
    busy b = { .calls = 0 };
    prepare();
    check_ok(quire_open_cpu(&context, 2));
    check_ok(quire_open_cpu(&b.context, 3));
    check_that(sums_right(context), "the parent's sums");
    check_that(!pthread_create(&b.thread, NULL, be_busy, &b), "no thread");
    while (!__atomic_load_n(&b.calls, __ATOMIC_RELAXED)) usleep(100);
    for (size_t turn = 0; turn < scaled(4); turn++)
        for (int k = 0; k < WORK_COUNT; k++) {
            const int rested = in_a_child(WORKS[k].work, context), busied = in_a_child(WORKS[k].work, b.context);
            check_that(rested == 0, "turn %zu, the child %s: %d", turn, WORKS[k].name, rested);
            check_that(busied == 0, "turn %zu, the child %s with the busy context: %d", turn, WORKS[k].name, busied);
        }
    __atomic_store_n(&b.stops, 1, __ATOMIC_RELAXED);
    check_that(!pthread_join(b.thread, NULL) && !b.wrong, "%d wrong sums of %d", b.wrong, b.calls);
    check_that(sums_right(context), "the parent's sums at the end");
    quire_close(b.context);
    quire_close(context);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, a_child_of_a_parent_at_rest, 0, 4);
    tcase_add_test(cases, a_child_of_a_parent_at_work);
}

int main(void) {
    setenv("QUIRE_CPU_THREAD", "65536", 1); /* bytes, as src/cpu/context.c reads it: threads for short arrays, too */
    return run_cases("forks", add_tests);
}
