/* measure.c - times, errors and equal bits become rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <math.h>

#include "number.h"
#include "pin.h"
#include "terminal.h"
#include "timing.h"
#include "truth.h"

/* Those on one thread come first in the list, and are timed on one processor. */
static void time_all(const contenders *all, const options *o, const job *j, timing *of) {
    int single = 0;
    while (single < all->count && all->one[single].threads == 1) single++;
    const bool pinned = pin();
    timing_take(all, 0, single, j, o->seconds, of);
    if (pinned) unpin();
    if (single < all->count) timing_take(all, single, all->count, j, o->seconds, of);
}

static int find_role(const contenders *all, role wanted) {
    int i = 0;
    while (all->one[i].role != wanted) i++;
    return i;
}

static verdict verdict_of(bool yes) { return yes ? YES : NO; }

static double spread_of(const timing *t) { return t->median / t->best - 1; }

static void judge_speed(const contenders *all, const timing *of, int i, row *r) {
    const timing *baseline = &of[find_role(all, ROLE_BASELINE)], *ceiling = &of[find_role(all, ROLE_CEILING)];
    r->best = of[i].best;
    r->median = of[i].median;
    r->samples = of[i].samples;
    r->rate = (double)job_bytes(r->job) / r->best;
    r->spread = spread_of(&of[i]);
    r->ratio = baseline->best / r->best;
    r->share = ceiling->best / r->best;
    r->noise = verdict_of(&of[i] != baseline && fabs(r->ratio - 1) < r->spread + spread_of(baseline));
}

static void judge_accuracy(const truth *t, uint64_t bits, row *r) {
    r->error_ulps = r->error_units = r->bound_ulps = r->bound_units = NAN;
    if (r->contender->role == ROLE_CEILING) return;
    r->error_ulps = truth_error_ulps(t, r->job, bits);
    r->error_units = r->error_ulps * truth_ulp_in_units(t);
    if (r->contender->role != ROLE_METHOD) return;
    r->bound_ulps = truth_bound_ulps(t, r->job, r->contender->method);
    r->bound_units = r->bound_ulps * truth_ulp_in_units(t);
}

/* Runs a contender once more, with another number of threads if it has one. */
static verdict compare_threads(const contender *c, const job *j, uint64_t bits) {
    contender changed = *c;
    uint64_t again = 0;
    if (!c->other) return NOT_ASKED;
    changed.context = c->other;
    return verdict_of(!c->run(&changed, j, &again) && again == bits);
}

static verdict compare_alignment(const contender *c, const job *shifted, uint64_t bits) {
    uint64_t again = 0;
    return verdict_of(!c->run(c, shifted, &again) && again == bits);
}

static void judge_bits(const contenders *all, const timing *of, data *d, row *rows) {
    for (int i = 0; i < all->count; i++) {
        rows[i].runs = verdict_of(of[i].same_bits);
        rows[i].threads = compare_threads(&all->one[i], rows[i].job, of[i].bits);
    }
    data_shift(d, 1);
    job shifted = *rows[0].job;
    shifted.x = data_x(d);
    shifted.y = data_y(d);
    for (int i = 0; i < all->count; i++) rows[i].alignments = compare_alignment(&all->one[i], &shifted, of[i].bits);
    data_shift(d, 0);
    for (int i = 0; i < all->count; i++)
        if (all->one[i].role == ROLE_CEILING) rows[i].runs = rows[i].alignments = NOT_ASKED; /* no result to compare */
}

bool measure(const contenders *all, const options *o, const job *j, data *d, row *rows) {
    timing of[MAX_CONTENDERS];
    truth t;
    progress("%s: %s of %zu %s", d->source.name, operation_name(j->operation), j->n, type_name(j->type));
    const quire_status status = truth_find(&t, j);
    if (status) return complain("exact: %s", quire_status_string(status));
    time_all(all, o, j, of);
    for (int i = 0; i < all->count; i++) {
        if (of[i].status) return complain("%s: %s", all->one[i].name, quire_status_string(of[i].status));
        rows[i] = (row){ .family = d->source.name, .seed = o->seed, .job = j, .contender = &all->one[i] };
        judge_speed(all, of, i, &rows[i]);
        judge_accuracy(&t, of[i].bits, &rows[i]);
    }
    judge_bits(all, of, d, rows);
    return true;
}
