/* main.c - quire-accuracy: whether quire keeps its promises on this machine, on the public header alone.
 *
 * The way of a run: options.c reads the line; ways.c finds what there is to run on, source.c where elements come from;
 * plan.c walks over the cases, as long as there is time; judge.c tries each every way, and reference.c says in MPFR
 * what is right; tally.c counts; report.c and json.c tell; processes.c has several walk at a time. With --many it is
 * many.c that walks, batch.c makes what arena.c runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command/terminal.h"
#include "judge.h"
#include "many.h"
#include "processes.h"
#include "report.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What a run works with. */
typedef struct run {
    const options *options;
    head *head;
    sources *sources;
    ways *ways;
    tally *tally;
    plan plan;
} run;

/* The next case that is process number's: every count-th of the walk. */
static bool next_case(plan *p, int number, int count, uint64_t *taken, test_case *c) {
    do
        if (!plan_next(p, c)) return false;
    while ((int)((*taken)++ % (uint64_t)count) != number);
    return true;
}

static void walk(run *r, int number, int count) {
    const double begin = now();
    judge j = { .ways = r->ways, .tally = r->tally, .methods = r->options->methods };
    test_case c;
    char name[256];
    uint64_t taken = 0;
    interrupt_watch();
    reference_open(&j.truth);
    while (!interrupted() && now() - begin < r->options->seconds && next_case(&r->plan, number, count, &taken, &c)) {
        if (!number)
            progress("%.0f s, %llu cases: %s", now() - begin, (unsigned long long)j.tally->cases,
                     case_name(&c, name, sizeof name));
        const vectors v = sources_fill(r->sources, &c);
        judge_case(&j, &c, &v);
    }
    progress_end();
    reference_close(&j.truth);
    j.tally->seconds = now() - begin;
}

/* In a process of its own. */
static bool walk_share(void *user, int number, share *s) {
    run mine = *(run *)user;
    mine.ways = &s->ways;
    mine.tally = &s->tally;
    if (!ways_open(mine.ways, mine.options, mine.sources->longest)) return false;
    walk(&mine, number, mine.options->threads);
    s->at = mine.plan.at;
    s->round = mine.plan.round;
    return true;
}

static void find_gpu(void *user) { head_find_gpu(((run *)user)->head); }

static bool walk_all(run *r) {
    if (r->options->threads > 1 && !r->options->only)
        return processes_run(r->options->threads, walk_share, find_gpu, r, r->tally, r->ways, &r->plan);
    find_gpu(r);
    if (!ways_open(r->ways, r->options, r->sources->longest)) return false;
    walk(r, 0, 1);
    return true;
}

/* What was not reached, or cannot be judged here. */
static void note_rest(const plan *p, const tally *t, ways *w) {
    if (!p->only && plan_covered(p) < p->count)
        ways_leave_out(w, "%zu kinds of cases: %s", p->count - plan_covered(p),
                       interrupted() ? "interrupted" : "the time was over");
    else if (interrupted())
        ways_leave_out(w, "the rest: interrupted");
    for (int i = 0; i < w->count; i++)
        if (w->one[i].least > t->longest) {
            ways_leave_out(w, "more than one thread: fewer than %zu elements are left to one", w->one[i].least);
            break;
        }
}

static int judge_all(run *r) {
    const tally *t = r->tally;
    if (!plan_open(&r->plan, r->options, r->sources)) return r->options->only ? EXIT_USAGE : EXIT_TROUBLE;
    if (r->options->json && !json_open(r->options->json)) return EXIT_TROUBLE;
    if (!walk_all(r)) return EXIT_TROUBLE;
    const report is = { r->head, r->options, &r->plan, r->ways, t };
    note_rest(&r->plan, t, r->ways);
    bool fine = report_print(&is);
    fine &= !r->options->json || json_write(&is);
    if (!fine || tally_faults(t)) return EXIT_TROUBLE;
    return interrupted() ? EXIT_INTERRUPTED : tally_passed(t) ? EXIT_FINE : EXIT_TROUBLE;
}

int main(int argc, char **argv) {
    static tally t;
    static ways w;
    options o;
    head h;
    sources s = { .count = 0 };
    head_find(&h, argc, argv);
    int status = options_read(&o, argc, argv);
    if (status) return status;
    if (o.help) options_help();
    if (o.version && !o.help) printf("quire-accuracy %s\n", quire_version());
    if (o.help || o.version) return report_flush() ? EXIT_FINE : EXIT_TROUBLE;
    status = EXIT_TROUBLE;
    run r = { &o, &h, &s, &w, &t, { .count = 0 } };
    if (sources_open(&s, &o)) {
        if (o.many) head_find_gpu(&h);
        status = o.many ? many_run(&o, &h, &s) : judge_all(&r);
    }
    plan_close(&r.plan);
    ways_close(&w);
    sources_close(&s);
    return status;
}
