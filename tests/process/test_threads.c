/* test_threads.c - the number of threads never shows, in one context or in many at once, nor does the progress report.
 * Light enough for a thread sanitizer. On the CPU alone: the contexts are opened here. */
#define _POSIX_C_SOURCE 200809L
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define MOST_THREADS 8

static void open_contexts(quire_context **contexts) {
    for (int t = 1; t <= MOST_THREADS; t++) check_ok(quire_open_cpu(&contexts[t - 1], t));
}

static void close_contexts(quire_context **contexts) {
    for (int t = 1; t <= MOST_THREADS; t++) quire_close(contexts[t - 1]);
}

/* Data whose sums change with the order: if a thread's share showed in the order of additions, it would show here. */
static void check_threads(quire_context **contexts, quire_type type, size_t n, family which, int op_first,
                          int op_last) {
    void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
    family_fill_pair(which, type, n, n, x, y);
    for (int op = op_first; op <= op_last; op++)
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            uint64_t expected = 0, result;
            check_ok(call_operation(NULL, (operation)op, type, n, x, y, METHODS[m], QUIRE_F64, &expected));
            for (int t = 1; t <= MOST_THREADS; t++) {
                result = ~expected;
                check_ok(call_operation(contexts[t - 1], (operation)op, type, n, x, y, METHODS[m], QUIRE_F64, &result));
                check_bits(QUIRE_F64, &result, expected, "%s %s of %s %s, n = %zu, %d threads", method_name(METHODS[m]),
                           operation_name((operation)op), family_name(which), type_name(type), n, t);
            }
        }
    array_free(x);
    array_free(y);
}

START_TEST(threads_do_not_show_around_tiles) {
    /* pieces are of 2^16 elements; main() has threads started for few bytes */
    static const size_t lengths[] = { 0, 1, 4097, 65537, 1 << 18, (1 << 18) + 1, (1 << 18) + 4095, (1 << 18) + 4097 };
    quire_context *contexts[MOST_THREADS];
    open_contexts(contexts);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        check_threads(contexts, TYPES[_i], lengths[k], FAMILY_FINITE_BITS, OPERATION_SUM, OPERATION_MEAN);
    check_threads(contexts, TYPES[_i], 20000, FAMILY_ANY_BITS, OPERATION_SUM, OPERATION_MEAN);
    close_contexts(contexts);
}
END_TEST

/* Enough for every thread to have a share, an odd number of tiles, a short last one. */
START_TEST(threads_do_not_show_in_long_vectors) {
    quire_context *contexts[MOST_THREADS];
    open_contexts(contexts);
    check_threads(contexts, TYPES[_i], ((size_t)1 << 20) + 5 * 4096 + 77, FAMILY_NORMAL, OPERATION_SUM, OPERATION_SUM);
    check_threads(contexts, TYPES[_i], ((size_t)1 << 20) + 77, FAMILY_EVERY_EXPONENT, OPERATION_DOT, OPERATION_DOT);
    close_contexts(contexts);
}
END_TEST

/* A tie, and the least bit beside it, in one place of a long vector: whichever thread meets them, its doubts must be
 * heard.
 */
START_TEST(a_near_tie_in_any_part) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const size_t n = (size_t)1 << 19;
    quire_context *contexts[MOST_THREADS];
    void *x = array_new(n * f->size, 0);
    open_contexts(contexts);
    for (size_t i = 0; i < n; i++) type_store(type, x, i, 0);
    for (size_t at = 4096; at + 4096 < n; at += n / 10)
        for (int t = 1; t <= MOST_THREADS; t++) {
            uint64_t result = 0;
            type_set(type, x, at, 1);
            type_set(type, x, at + 1, power_of_two(-f->precision));
            type_set(type, x, at + 2, power_of_two(f->least));
            check_ok(quire_sum(contexts[t - 1], type, n, x, QUIRE_EXACT, type, &result));
            check_bits(type, &result, type_encode(type, 1) + 1, "%s at %zu, %d threads", type_name(type), at, t);
            for (size_t i = 0; i < 3; i++) type_store(type, x, at + i, 0);
        }
    close_contexts(contexts);
    array_free(x);
}
END_TEST

/* An accumulator that was filled by many threads holds the same words as by one. */
START_TEST(accumulators_do_not_show_threads) {
    size_t n = ((size_t)1 << 20) + 12345;
    quire_context *contexts[MOST_THREADS];
    void *x = array_new(n * type_size(TYPES[_i]), 0);
    quire_accumulator one = QUIRE_ACCUMULATOR_ZERO;

    open_contexts(contexts);
    family_fill(FAMILY_FINITE_BITS, TYPES[_i], 3, n, x);
    check_ok(quire_accumulate(NULL, &one, TYPES[_i], n, x));
    for (int t = 1; t <= MOST_THREADS; t++) {
        quire_accumulator many = QUIRE_ACCUMULATOR_ZERO;
        check_ok(quire_accumulate(contexts[t - 1], &many, TYPES[_i], n, x));
        ck_assert_msg(!memcmp(many.limb, one.limb, sizeof one.limb) && many.count == one.count, "%d threads", t);
        ck_assert(!many.other == !one.other && many.nan == 0 && many.positive_infinity == 0 &&
                  many.negative_infinity == 0);
    }
    close_contexts(contexts);
    array_free(x);
}
END_TEST

/* -------------------------------------------------------------------------------------------- many contexts at once */

#define JOBS 24
#define CALLERS 8

static struct job {
    operation op;
    quire_type type;
    quire_method method;
    size_t n;
    void *x, *y;
    uint64_t expected;
} jobs[JOBS];

typedef struct caller {
    pthread_t thread;
    int number, wrong; /* wrong: how many answers differed; Check's own assertions belong to the main thread */
} caller;

/* Odd callers have a context of their own with some threads, even ones use NULL. Each begins at another job. */
static void *call_all(void *argument) {
    caller *self = argument;
    quire_context *context = NULL;
    if (self->number % 2 && quire_open_cpu(&context, 1 + self->number / 2) != QUIRE_OK) self->wrong++;
    for (size_t k = 0; k < JOBS; k++) {
        const struct job *job = &jobs[(k + 3 * (size_t)self->number) % JOBS];
        uint64_t result = ~job->expected;
        if (call_operation(context, job->op, job->type, job->n, job->x, job->y, job->method, QUIRE_F64, &result) !=
                QUIRE_OK ||
            result != job->expected)
            self->wrong++;
    }
    quire_close(context);
    return NULL;
}

START_TEST(many_contexts_at_once) {
    caller callers[CALLERS];
    generator g;
    generator_seed(&g, 1);
    for (size_t k = 0; k < JOBS; k++) {
        struct job *job = &jobs[k];
        job->op = (operation)(k % OPERATION_COUNT);
        job->type = TYPES[k / 2 % TYPE_COUNT];
        job->method = METHODS[k % METHOD_COUNT];
        job->n = k < 3 ? 300000 + 4096 * k : generator_below(&g, 20000);
        job->x = array_new(job->n * type_size(job->type), 0);
        job->y = array_new(job->n * type_size(job->type), 0);
        family_fill_pair(FAMILY_FINITE_BITS, job->type, k, job->n, job->x, job->y);
        check_ok(
            call_operation(NULL, job->op, job->type, job->n, job->x, job->y, job->method, QUIRE_F64, &job->expected));
    }
    for (int c = 0; c < CALLERS; c++) {
        callers[c].number = c;
        callers[c].wrong = 0;
        ck_assert_int_eq(pthread_create(&callers[c].thread, NULL, call_all, &callers[c]), 0);
    }
    for (int c = 0; c < CALLERS; c++) {
        ck_assert_int_eq(pthread_join(callers[c].thread, NULL), 0);
        ck_assert_msg(callers[c].wrong == 0, "caller %d: %d wrong answers", c, callers[c].wrong);
    }
    for (size_t k = 0; k < JOBS; k++) {
        array_free(jobs[k].x);
        array_free(jobs[k].y);
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- progress */

typedef struct progress {
    pthread_t caller;
    size_t calls, done, total;
    int wrong_thread, backwards, total_changed, sum_wrong;
} progress;

/* Also sums something itself: a report may use the library, if not this context. */
static void report(void *user, size_t done, size_t total) {
    static const float three[3] = { 0x1p100f, 1, -0x1p100f };
    progress *p = user;
    p->wrong_thread |= !pthread_equal(p->caller, pthread_self());
    p->backwards |= done < p->done || done > total;
    p->total_changed |= total != p->total;
    p->sum_wrong |= quire_sumf(three, 3) != 1;
    p->done = done;
    p->calls++;
}

/* Of many vectors: what "total" counts is not told; it stays the same. */
static void report_many(void *user, size_t done, size_t total) {
    progress *p = user;
    if (!p->calls) p->total = total;
    report(user, done, total);
}

static void check_progress(quire_context *context, operation op, quire_type type, size_t n, const void *x,
                           const void *y, quire_method method) {
    progress p = { 0 };
    uint64_t expected = 0, result = 1;
    p.caller = pthread_self();
    p.total = n;
    check_ok(call_operation(NULL, op, type, n, x, y, method, QUIRE_F64, &expected));

    check_ok(quire_set_progress(context, report, &p));
    check_ok(call_operation(context, op, type, n, x, y, method, QUIRE_F64, &result));
    check_bits(QUIRE_F64, &result, expected, "%s %s, n = %zu", method_name(method), operation_name(op), n);
    ck_assert_msg(p.calls > 0 || n < (size_t)1 << 20, "%s, n = %zu: no report", method_name(method), n);
    ck_assert_msg(p.calls == 0 || p.done == n, "%s, n = %zu: the last report has %zu", method_name(method), n, p.done);
    ck_assert_msg(!p.wrong_thread, "a report from another thread");
    ck_assert_msg(!p.backwards, "%s, n = %zu: reports that go backwards or too far", method_name(method), n);
    ck_assert_msg(!p.total_changed, "%s, n = %zu: a total that is not n", method_name(method), n);
    ck_assert_msg(!p.sum_wrong, "a sum inside a report went wrong");

    p.calls = 0; /* a refused call reports nothing, nor does any once reports are off */
    ck_assert_int_eq(call_operation(context, op, type, n, x, y, (quire_method)99, QUIRE_F64, &result),
                     QUIRE_INVALID_METHOD);
    check_ok(quire_set_progress(context, NULL, NULL));
    check_ok(call_operation(context, op, type, n, x, y, method, QUIRE_F64, &result));
    ck_assert_uint_eq(p.calls, 0);
}

START_TEST(progress_is_told_in_order) {
    static const size_t lengths[] = { 0, 1, 5000, (size_t)1 << 20, ((size_t)1 << 21) + 4097 };
    size_t longest = ((size_t)1 << 21) + 4097;
    quire_type type = _i % 2 ? QUIRE_F64 : QUIRE_F16;
    void *x = array_new(longest * type_size(type), 0), *y = array_new(longest * type_size(type), 0);
    quire_context *context;

    check_ok(quire_open_cpu(&context, 1 + _i));
    family_fill_pair(FAMILY_UNIFORM, type, 8, longest, x, y);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            check_progress(context, OPERATION_SUM, type, lengths[k], x, y, METHODS[m]);
            check_progress(context, OPERATION_DOT, type, lengths[k], x, y, METHODS[m]);
        }
    quire_close(context);
    array_free(x);
    array_free(y);
}
END_TEST

/* What is reported as done has been read: it can be spoilt, and the sum does not see it. (One thread: the order is
 * known.)
 */
typedef struct spoiler {
    float *x;
    size_t calls;
} spoiler;

static void spoil(void *user, size_t done, size_t total) {
    spoiler *s = user;
    s->calls++;
    if (done == total) return;
    for (size_t i = 0; i < done; i++) s->x[i] = 0x1p100f;
}

START_TEST(what_is_done_is_done) {
    const size_t n = ((size_t)1 << 21) + 4097;
    float *x = array_new(n * sizeof *x, 0);
    quire_context *context;
    check_ok(quire_open_cpu(&context, 1));
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        spoiler s = { x, 0 };
        double sum = 0;
        for (size_t i = 0; i < n; i++) x[i] = 1;
        x[0] = 0x1p-32f; /* beside a tie by the least bit: nothing to look at twice */
        x[1] = 0x1p-149f;
        check_ok(quire_set_progress(context, spoil, &s));
        check_ok(quire_sum(context, QUIRE_F32, n, x, METHODS[m], QUIRE_F64, &sum));
        ck_assert_msg(round(sum) == (double)(n - 2), "%s: reported before it was done", method_name(METHODS[m]));
        ck_assert_uint_gt(s.calls, 1);
    }
    quire_close(context);
    array_free(x);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- many vectors */

/* Of up to MANY elements: rows, few and long ones, panels of columns, few columns, strides; and segments, one of which
 * is worth all threads. */
enum { MANY = (1 << 20) + 30000, MOST_RESULTS = 3000 };
static const quire_layout LAYOUTS[] = {
    { 2999, 350, 1, 351, 1, 0 },     { 3, 350000, 1, 350000, 1, 0 }, { 1, 3500, 300, 0, 300, 1 },
    { 1, 60000, 17, 0, 17, 1 },      { 1, 350000, 3, 0, 3, 1 },      { 1, 524288, 1, 0, 2, 0 },
    { 30, 50, 100, -100, 3000, -1 }, { 100, 0, 1, 0, 1, 0 },
};
#define LAYOUT_COUNT (sizeof LAYOUTS / sizeof *LAYOUTS)

static quire_status call_many(quire_context *context, size_t k, quire_method method, const float *x, float *results) {
    quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    static int32_t offsets[MOST_RESULTS + 1];
    what.method = method;
    if (k < LAYOUT_COUNT) {
        const quire_layout *l = &LAYOUTS[k];
        const size_t back = l->outer_stride < 0 ? 29 * 100 + 99 : 0;
        return quire_reduce(context, &what, l, x + back, NULL, NULL, results);
    }
    for (int i = 0; i < MOST_RESULTS; i++) offsets[i + 1] = offsets[i] + (i == 1234 ? 400000 : i % 400);
    return quire_reduce_segments(context, &what, MOST_RESULTS, QUIRE_I32, offsets, offsets + 1, x, NULL, results);
}

/* The number of threads does not show in the bits, and reports are what quire_set_progress promises. */
START_TEST(many_vectors_and_their_progress) {
    static const int threads[] = { 1, 2, 3, 8 };
    static float expected[MOST_RESULTS], results[MOST_RESULTS];
    float *x = array_new(MANY * sizeof *x, 0);
    quire_context *context;
    check_ok(quire_open_cpu(&context, threads[_i]));
    family_fill(FAMILY_NORMAL, QUIRE_F32, 8, MANY, x);
    for (size_t k = 0; k <= LAYOUT_COUNT; k++)
        for (size_t m = 0; m < METHOD_COUNT; m++) {
            progress p = { 0 };
            p.caller = pthread_self();
            memset(expected, 0, sizeof expected);
            memset(results, 0, sizeof results);
            check_ok(quire_set_progress(context, report_many, &p));
            check_ok(call_many(NULL, k, METHODS[m], x, expected));
            check_ok(call_many(context, k, METHODS[m], x, results));
            check_that(!memcmp(results, expected, sizeof results), "%s, layout %zu: other bits",
                       method_name(METHODS[m]), k);
            check_that(p.calls || (k < LAYOUT_COUNT && !LAYOUTS[k].n), "layout %zu: no report", k);
            check_that(p.done == p.total, "layout %zu: the last report has %zu of %zu", k, p.done, p.total);
            check_that(!p.wrong_thread && !p.backwards && !p.total_changed, "layout %zu: %d, %d, %d", k, p.wrong_thread,
                       p.backwards, p.total_changed);
        }
    quire_close(context);
    array_free(x);
}
END_TEST

/* By an addition: fegetround need not look at what additions follow. */
static void see_rounding(void *user, size_t done, size_t total) {
    volatile double one = 1, little = 0x1p-60;
    (void)done, (void)total;
    *(int *)user = one + little > 1 ? FE_UPWARD : FE_TONEAREST;
}

/* A report of one thread finds the caller's environment. */
START_TEST(reports_find_the_caller) {
    static const quire_operation operations[] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_VARIANCE, QUIRE_STDDEV,
                                                  QUIRE_COVARIANCE };
    static const quire_type types[] = { QUIRE_F32, QUIRE_F64, QUIRE_INT32 };
    const size_t n = 3000000;
    quire_context *context;
    char *x = array_new(n * sizeof(double), 0);
    int found = -1;
    memset(x, 0, n * sizeof(double));
    check_ok(quire_open_cpu(&context, 1));
    check_ok(quire_set_progress(context, see_rounding, &found));
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            const quire_reduction what = { .operation = operations[o], .type = types[t], .result_type = QUIRE_F64 };
            const quire_layout one = quire_strided(n, 1);
            double result;
            found = -1;
            fesetround(FE_UPWARD);
            const quire_status status = quire_reduce(context, &what, &one, x, &one, x, &result);
            const int after = fegetround();
            fesetround(FE_TONEAREST);
            check_ok(status);
            ck_assert_msg(found == FE_UPWARD && after == FE_UPWARD, "operation %d, type %d: a report finds rounding %d",
                          (int)operations[o], (int)types[t], found);
        }
    quire_close(context);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, threads_do_not_show_around_tiles, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, threads_do_not_show_in_long_vectors, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, a_near_tie_in_any_part, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, accumulators_do_not_show_threads, 0, TYPE_COUNT);
    tcase_add_test(cases, many_contexts_at_once);
    tcase_add_loop_test(cases, progress_is_told_in_order, 0, 4);
    tcase_add_loop_test(cases, many_vectors_and_their_progress, 0, 4);
    tcase_add_test(cases, what_is_done_is_done);
    tcase_add_test(cases, reports_find_the_caller);
}

int main(void) {
    setenv("QUIRE_CPU_THREAD", "65536", 1); /* bytes, as src/cpu/cpu.c reads it: threads for short arrays, too */
    return run_cases("threads", add_tests);
}
