/* test_pool.c - the threads of a context: how many there are, from when to when, and that signals are not for them. On
 * the CPU alone, and where /proc lists threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <stdio.h>

#include "support.h"

#if defined(__linux__)

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int threads_alive(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = -2; /* . and .. */
    ck_assert_ptr_nonnull(tasks);
    while (readdir(tasks)) count++;
    closedir(tasks);
    return count;
}

static int others; /* that are alive anyway: the thread sanitizer's, which begins with the first one of the program */

static void *nothing(void *unused) { return unused; }

static void count_others(void) {
    pthread_t thread;
    ck_assert(!pthread_create(&thread, NULL, nothing, NULL) && !pthread_join(thread, NULL));
    usleep(100000);
    others = threads_alive() - 1;
}

/* The program's and a context's. A thread that has been joined is listed for a moment still. */
static void check_alive(int expected) {
    for (int wait = 0; wait < 2000 && threads_alive() - others != expected; wait++) usleep(1000);
    ck_assert_int_eq(threads_alive() - others, expected);
}

/* As many as this process may run on, or fewer. */
static int threads_by_default(void) {
    cpu_set_t set[8];
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, set), 0);
    return CPU_COUNT_S(sizeof set, set);
}

/* They come with the context, stay the same from call to call, and go with it. */
START_TEST(threads_are_as_many_as_asked_for) {
    enum { N = 1 << 22 }; /* 16 MiB: enough for four threads that were asked for, but not for one by default */
    static float x[N];
    static const int threads[] = { 0, 1, 2, 3, 4 };
    float sum;
    unsetenv("OMP_NUM_THREADS");
    count_others();
    for (size_t k = 0; k < 5; k++) {
        const int expected = !quire_has_openmp() ? 1 : threads[k] ? threads[k] : threads_by_default();
        quire_context *context;
        check_ok(quire_open_cpu(&context, threads[k]));
        check_alive(expected);
        for (int turn = 0; turn < 3; turn++) {
            check_ok(quire_sum(NULL, QUIRE_F32, N, x, QUIRE_EXACT, QUIRE_F32, &sum));
            check_ok(quire_sum(context, QUIRE_F32, N, x, QUIRE_PLAIN, QUIRE_F32, &sum));
            ck_assert_int_eq(threads_alive() - others, expected);
        }
        quire_close(context);
        check_alive(1);
    }
}
END_TEST

/* The first number of OMP_NUM_THREADS, where it is one and there are so many processors. */
START_TEST(environment_variable_names_the_number_of_threads) {
    static const struct {
        const char *text;
        int number; /* 0: it does not count */
    } cases[] = { { "1", 1 },
                  { " 1 ", 1 },
                  { "1,4", 1 },
                  { "2", 2 },
                  { "2 , 3", 2 },
                  { "", 0 },
                  { "0", 0 },
                  { "-1", 0 },
                  { "many", 0 },
                  { "1x", 0 },
                  { "1.5", 0 },
                  { "99999", 0 },
                  { "99999999999999999999", 0 } };
    const int most = quire_has_openmp() ? threads_by_default() : 1;
    count_others();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        quire_context *context;
        setenv("OMP_NUM_THREADS", cases[k].text, 1);
        check_ok(quire_open_cpu(&context, 0));
        check_alive(cases[k].number && cases[k].number < most ? cases[k].number : most);
        quire_close(context);
        check_alive(1);
    }
    unsetenv("OMP_NUM_THREADS");
}
END_TEST

/* A signal to the process is for a thread of the program's own: where those block it, it waits. */
static volatile sig_atomic_t signals;

static void count_signal(int number) {
    (void)number;
    signals++;
}

START_TEST(signals_are_not_for_the_threads) {
    enum { N = 1 << 21 };
    static float x[N];
    quire_context *context;
    sigset_t set, pending;
    float sum;
    signals = 0;
    signal(SIGUSR1, count_signal);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    check_ok(quire_open_cpu(&context, 2));
    check_ok(quire_sum(context, QUIRE_F32, N, x, QUIRE_PLAIN, QUIRE_F32, &sum));
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
    check_ok(quire_sum(context, QUIRE_F32, N, x, QUIRE_PLAIN, QUIRE_F32, &sum));
    usleep(50000);
    ck_assert_int_eq(signals, 0);
    ck_assert(!sigpending(&pending) && sigismember(&pending, SIGUSR1));
    ck_assert_int_eq(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
    ck_assert_int_eq(signals, 1);
    signal(SIGUSR1, SIG_DFL);
    quire_close(context);
}
END_TEST
static void add_tests(TCase *cases) {
    tcase_add_test(cases, threads_are_as_many_as_asked_for);
    tcase_add_test(cases, environment_variable_names_the_number_of_threads);
    tcase_add_test(cases, signals_are_not_for_the_threads);
}

int main(void) { return run_cases_without_place("pool", add_tests); }

#else

int main(void) {
    puts("1..0 # SKIP not Linux");
    return 0;
}

#endif
