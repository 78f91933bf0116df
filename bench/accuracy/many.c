/* many.c - workers that take batches from one walk over the cases until time, results or rounds are used up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "many.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/terminal.h"
#include "report.h"
#include "tally.h"

#define MOST_THREADS 1024

/* What all workers share; the lock is for the walk, the count and the progress line. */
typedef struct crew {
    const options *options;
    const ordered_tables *tables;
    plan plan;
    pthread_mutex_t lock;
    double begin, shown;
    uint64_t results;
    bool broken; /* a GPU failed, or memory */
} crew;

typedef struct worker {
    crew *crew;
    pthread_t thread;
    arena arena;
    batch batch;
    truth truth;
    many_tally tally;
} worker;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool many_passed(const many_tally *t) { return t->results > 0 && !t->wrong && !t->bad_statuses && !t->sampled_wrong; }

/* --------------------------------------------------------------------------------------------------------- failures */

static many_failure *room_for(many_tally *t, const question *q) {
    for (int i = 0; i < t->failure_count; i++)
        if (t->failures[i].method == q->method && t->failures[i].gpu == arena_way_is_gpu(q->way)) return NULL;
    if (t->failure_count == MANY_FAILURES) return NULL;
    many_failure *f = &t->failures[t->failure_count++];
    f->method = q->method;
    f->gpu = arena_way_is_gpu(q->way);
    return f;
}

/* What was asked, in words. */
static int say_question(const batch *b, const question *q, char *text, size_t size) {
    return snprintf(text, size,
                    "FAILED: %s %s of %s %s, n = %zu, %zu vectors as %s, to %s %s; %s: ", method_name(q->method),
                    operation_name(b->of.operation), b->of.source->name, type_name(b->of.type), b->of.n, b->vectors,
                    arrangement_name(b->arrangement), type_name(q->result_type), rounding_name(q->rounding),
                    arena_way_name(q->way));
}

static void say_again(const batch *b, const question *q, char *text, size_t size) {
    char name[256];
    snprintf(text, size, "\n        again: quire-accuracy --many --place %s --case %s",
             arena_way_is_gpu(q->way) ? "gpu" : "cpu", case_name(&b->of, name, sizeof name));
}

/* The vector by itself, and whether MPFR and the model agree with the quick oracle about it. */
static void note_wrong(worker *w, const question *q, size_t r, uint64_t expected) {
    const batch *b = &w->batch;
    const test_case vector = batch_vector(b, r);
    const uint64_t got = type_load(q->result_type, b->results, r), slow = batch_slow_answer(b, &w->truth, q, r);
    const int digits = (int)(2 * type_size(q->result_type));
    many_failure *f = room_for(&w->tally, q);
    char name[256];
    if (!f) return;
    int length = say_question(b, q, f->text, sizeof f->text);
    length +=
        snprintf(f->text + length, sizeof f->text - (size_t)length,
                 "vector %zu: 0x%0*" PRIx64 " expected, 0x%0*" PRIx64 " got; MPFR, GMP or the model: 0x%0*" PRIx64, r,
                 digits, expected, digits, got, digits, slow);
    if (!operation_is_moment(b->of.operation)) /* which a run without --many does not have */
        length += snprintf(f->text + length, sizeof f->text - (size_t)length, "\n        the vector: --case %s",
                           case_name(&vector, name, sizeof name));
    say_again(b, q, f->text + length, sizeof f->text - (size_t)length);
}

static void note_status(worker *w, const question *q, quire_status status) {
    w->tally.bad_statuses++;
    many_failure *f = room_for(&w->tally, q);
    if (!f) return;
    int length = say_question(&w->batch, q, f->text, sizeof f->text);
    length += snprintf(f->text + length, sizeof f->text - (size_t)length, "status %d, %s", (int)status,
                       quire_status_string(status));
    say_again(&w->batch, q, f->text + length, sizeof f->text - (size_t)length);
}

/* ---------------------------------------------------------------------------------------------------------- batches */

static void count(many_tally *t, const batch *b, const question *q) {
    const int m = method_index(q->method), type = type_index(b->of.type);
    for (int i = 0; i < LENGTH_CLASSES; i++)
        t->cells[m][type][b->of.operation][b->of.source->family][i] += b->lengths[i];
    t->rounded[type_index(q->result_type)][q->rounding] += b->vectors;
    t->arranged[b->arrangement] += b->vectors;
    t->backwards += b->backwards ? b->vectors : 0;
    t->ways[q->way] += b->vectors;
    t->results += b->vectors;
    t->calls++;
}

static void compare(worker *w, const question *q, const void *expected) {
    const batch *b = &w->batch;
    count(&w->tally, b, q);
    if (!memcmp(b->results, expected, b->vectors * type_size(q->result_type))) return;
    for (size_t r = 0; r < b->vectors; r++) {
        const uint64_t right = type_load(q->result_type, expected, r);
        if (type_load(q->result_type, b->results, r) == right) continue;
        w->tally.wrong++;
        w->tally.wrong_ways[q->way]++;
        note_wrong(w, q, r, right);
    }
}

/* Answers false if the GPU fails. */
static bool ask(worker *w, const question *q, const void *expected) {
    quire_status status = QUIRE_OK;
    if (!batch_ask(&w->batch, &w->arena, q, &status)) return false;
    if (status)
        note_status(w, q, status);
    else
        compare(w, q, expected);
    return true;
}

/* A question goes its own way; where a failure is to be had again, every way. */
static bool ask_all(worker *w) {
    const batch *b = &w->batch;
    bool fine = true;
    for (int i = 0; i < b->question_count; i++) {
        question q = b->questions[i];
        if (!w->crew->options->only) fine = fine && ask(w, &q, b->expected[i]);
        for (int k = 0; w->crew->options->only && k < w->arena.count; k++) {
            q.way = w->arena.open[k];
            fine = fine && ask(w, &q, b->expected[i]);
        }
    }
    return fine;
}

/* Answers false if the GPU fails. */
static bool judge_batch(worker *w, const test_case *c) {
    batch *b = &w->batch;
    batch_make(b, &w->truth, c, &w->arena, w->crew->options->methods);
    if (!batch_send(b, &w->arena) || !ask_all(w)) return false;
    w->tally.batches++;
    w->tally.vectors += b->vectors;
    w->tally.sampled += b->sampled;
    w->tally.sampled_wrong += b->sampled_wrong;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- workers */

/* Twice a second at the most. */
static void show(crew *c) {
    const double since = now() - c->begin;
    if (since - c->shown < 0.5) return;
    c->shown = since;
    progress("%.0f s, %" PRIu64 " results, %.3g a second", since, c->results, (double)c->results / since);
}

/* The next case of the walk; false at the end. done: the results compared since the last call. */
static bool next_case(crew *c, uint64_t done, test_case *next) {
    pthread_mutex_lock(&c->lock);
    c->results += done;
    show(c);
    const bool more = !c->broken && !interrupted() && now() - c->begin < c->options->seconds &&
                      (!c->options->results || c->results < c->options->results) && plan_next(&c->plan, next);
    pthread_mutex_unlock(&c->lock);
    return more;
}

static void *work(void *user) {
    worker *w = user;
    test_case c;
    uint64_t before = 0;
    while (next_case(w->crew, w->tally.results - before, &c)) {
        before = w->tally.results;
        if (judge_batch(w, &c)) continue;
        pthread_mutex_lock(&w->crew->lock);
        w->crew->broken = true;
        pthread_mutex_unlock(&w->crew->lock);
    }
    mpfr_free_cache();
    return NULL;
}

static bool open_worker(worker *w, crew *c) {
    size_t room[SLOTS];
    batch_room(room);
    w->crew = c;
    w->truth.tables = c->tables;
    words_open(&w->truth.sum);
    words_open(&w->truth.squares);
    oracle_open(&w->truth.mpfr);
    return batch_open(&w->batch) && arena_open(&w->arena, c->options, room);
}

static void close_worker(worker *w) {
    if (!w->crew) return;
    oracle_close(&w->truth.mpfr);
    batch_close(&w->batch);
    arena_close(&w->arena);
}

/* ------------------------------------------------------------------------------------------------------------ a run */

static void add_counts(uint64_t *into, const uint64_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) into[i] += from[i];
}

#define ADD(field)                                                                                                     \
    add_counts((uint64_t *)into->field, (const uint64_t *)from->field, sizeof into->field / sizeof(uint64_t))

static void merge(many_tally *into, const many_tally *from) {
    ADD(cells);
    ADD(rounded);
    ADD(arranged);
    ADD(ways);
    ADD(wrong_ways);
    into->backwards += from->backwards;
    into->batches += from->batches;
    into->vectors += from->vectors;
    into->calls += from->calls;
    into->results += from->results;
    into->wrong += from->wrong;
    into->bad_statuses += from->bad_statuses;
    into->sampled += from->sampled;
    into->sampled_wrong += from->sampled_wrong;
    for (int i = 0; i < from->failure_count; i++) {
        const question like = { .method = from->failures[i].method, .way = from->failures[i].gpu ? ARENA_WAYS - 1 : 0 };
        many_failure *f = room_for(into, &like);
        if (f) *f = from->failures[i];
    }
}

/* As many as asked for; one if this MPFR has state that threads share. */
static int count_threads(const options *o) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = o->threads ? o->threads : processors > 0 ? (int)processors : 1;
    if (!mpfr_buildopt_tls_p() || o->only) threads = 1;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

/* Runs all workers to the end; false if one could not be had. */
static bool work_all(crew *c, worker *all, int threads) {
    int started = 0;
    bool fine = true;
    for (int i = 0; i < threads && fine; i++) fine = open_worker(&all[i], c);
    if (fine && !all[0].arena.count) fine = complain("there is nothing to run on");
    if (!fine) return false;
    c->begin = now();
    while (started < threads && !pthread_create(&all[started].thread, NULL, work, &all[started])) started++;
    for (int i = 0; i < started; i++) pthread_join(all[i].thread, NULL);
    progress_end();
    return started == threads || complain("too few threads: %d of %d", started, threads);
}

static int report_run(const crew *c, const head *h, const worker *all, int threads, many_tally *t) {
    const many_report r = { h, c->options, &c->plan, t };
    for (int i = 0; i < threads; i++) merge(t, &all[i].tally);
    t->threads = threads;
    t->has_gpu = arena_has_gpu(&all[0].arena);
    t->seconds = now() - c->begin;
    bool fine = many_print(&r);
    fine &= !c->options->json || json_write_many(&r);
    if (!fine || c->broken || (t->results && !many_passed(t))) return EXIT_TROUBLE;
    return interrupted() ? EXIT_INTERRUPTED : many_passed(t) ? EXIT_FINE : EXIT_TROUBLE;
}

int many_run(const options *o, const head *h, const sources *s) {
    static ordered_tables tables;
    static many_tally total;
    crew c = { .options = o, .tables = &tables };
    const int threads = count_threads(o);
    int status = EXIT_TROUBLE;
    worker *all = calloc((size_t)threads, sizeof *all);
    const bool planned = plan_open(&c.plan, o, s);
    if (!planned && o->only) status = EXIT_USAGE;
    if (planned && (all || complain("too little memory")) && (!o->json || json_open(o->json))) {
        ordered_open(&tables);
        pthread_mutex_init(&c.lock, NULL);
        interrupt_watch();
        if (work_all(&c, all, threads)) status = report_run(&c, h, all, threads, &total);
        pthread_mutex_destroy(&c.lock);
    }
    for (int i = 0; all && i < threads; i++) close_worker(&all[i]);
    free(all);
    plan_close(&c.plan);
    return status;
}
