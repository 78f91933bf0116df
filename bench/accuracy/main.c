/* main.c - quire-accuracy: whether quire keeps its promises on this machine, on the public header alone.
 *
 * The way of a run: options.c reads the line; ways.c finds what there is to run on, source.c where elements come from;
 * plan.c walks over the cases, as long as there is time; judge.c tries each every way, and reference.c says in MPFR what is
 * right; tally.c counts; report.c and json.c tell. With --many it is many.c that walks, batch.c makes what arena.c runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../terminal.h"
#include "judge.h"
#include "many.h"
#include "report.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void walk(const options *o, plan *p, sources *s, judge *j) {
    const double begin = now();
    test_case c;
    char name[256];
    interrupt_watch();
    while (!interrupted() && now() - begin < o->seconds && plan_next(p, &c)) {
        progress("%.0f s, %llu cases: %s", now() - begin, (unsigned long long)j->tally->cases,
                 case_name(&c, name, sizeof name));
        const vectors v = sources_fill(s, &c);
        judge_case(j, &c, &v);
    }
    progress_end();
    j->tally->seconds = now() - begin;
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

static int run(const options *o, const head *h, sources *s, ways *w, tally *t) {
    plan p = { .count = 0 };
    judge j = { .ways = w, .tally = t, .methods = o->methods };
    if (!plan_open(&p, o, s)) return plan_close(&p), o->only ? EXIT_USAGE : EXIT_TROUBLE;
    bool fine = !o->json || json_open(o->json);
    if (fine) {
        const report r = { h, o, &p, w, t };
        reference_open(&j.truth);
        walk(o, &p, s, &j);
        reference_close(&j.truth);
        note_rest(&p, t, w);
        fine = report_print(&r);
        fine &= !o->json || json_write(&r);
    }
    plan_close(&p);
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
    if (sources_open(&s, &o)) {
        if (o.many)
            status = many_run(&o, &h, &s);
        else if (ways_open(&w, &o, s.longest))
            status = run(&o, &h, &s, &w, &t);
    }
    ways_close(&w);
    sources_close(&s);
    return status;
}
