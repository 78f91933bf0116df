/* measure.c - times, errors and equal bits become rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <math.h>
#include <string.h>

#include "command/terminal.h"
#include "judge_rows.h"
#include "number.h"
#include "places/place.h"

/* What is known of the contenders of a place at one job. */
typedef struct field {
    const contenders *all;
    bool in[MAX_CONTENDERS];
    timing of[MAX_CONTENDERS];
    int ceiling, baseline, sum; /* which of them; sum may be none of them: below 0 */
} field;

static bool takes(const contender *c, const job *j) {
    job own = *j;
    return c->reducer ? reducer_takes(c->reducer, &own) : !c->takes || c->takes(c, j);
}

static verdict verdict_of(bool yes) { return yes ? YES : NO; }

/* A failure of one of ours ends the run, that of another the row. */
static bool drop_failed(field *f) {
    for (int i = 0; i < f->all->count; i++) {
        if (!f->in[i] || !f->of[i].trouble) continue;
        const contender *c = &f->all->one[i];
        const bool ours = c->role != ROLE_PEER && c->role != ROLE_RUNG;
        complain("%s: %s%s", c->name, f->of[i].trouble, ours ? "" : "; left out");
        if (ours) return false;
        f->in[i] = false;
    }
    return true;
}

/* Of several ceilings the fastest stays. Without a baseline that takes the job, it is that too. The sum has no row. */
static void find_marks(field *f) {
    f->ceiling = f->baseline = f->sum = -1;
    for (int i = 0; i < f->all->count; i++) {
        if (!f->in[i]) continue;
        const role role = f->all->one[i].role;
        if (role == ROLE_BASELINE && f->baseline < 0) f->baseline = i;
        if (role == ROLE_SUM) f->sum = i, f->in[i] = false;
        if (role != ROLE_CEILING) continue;
        const bool faster = f->ceiling < 0 || f->of[i].figure < f->of[f->ceiling].figure;
        if (f->ceiling >= 0) f->in[faster ? f->ceiling : i] = false;
        if (faster) f->ceiling = i;
    }
    if (f->baseline < 0) f->baseline = f->ceiling;
}

static void judge_speed(const field *f, int i, row *r) {
    const timing *mine = &f->of[i], *baseline = &f->of[f->baseline], *ceiling = &f->of[f->ceiling];
    const double read = (double)job_bytes(r->job);
    const double bytes = r->contender->role == ROLE_CEILING ? read : (double)job_traffic(r->job, mine->result);
    r->rate = bytes / mine->figure;
    r->over_baseline = mine->figure / baseline->figure;
    r->over_sum = f->sum < 0 ? NAN : mine->figure / f->of[f->sum].figure;
    r->over_ceiling = mine->figure / ceiling->figure * (read / bytes);
    r->noise = verdict_of(i != f->baseline && fabs(r->over_baseline - 1) < mine->spread + baseline->spread);
}

static void judge_accuracy(const truth *t, row *r) {
    r->error_ulps = r->error_units = r->bound_ulps = r->bound_units = NAN;
    if (r->contender->role == ROLE_CEILING || !t) return;
    r->error_ulps = truth_error_ulps(t, r->job, r->timing.result, r->timing.bits);
    r->error_units = r->error_ulps * truth_ulp_in_units(t);
    if (r->contender->role != ROLE_METHOD) return;
    r->bound_ulps = truth_bound_ulps(t, r->job, r->contender->method);
    r->bound_units = r->bound_ulps * truth_ulp_in_units(t);
}

static verdict compare(const row *r, const job *j, bool other) {
    uint64_t again = 0;
    const char *trouble = r->contender->place->run(r->contender, j, other, &again);
    if (trouble) complain("%s, %s: %s", r->contender->name, other ? "another launch" : "another alignment", trouble);
    return verdict_of(!trouble && again == r->timing.bits);
}

static bool judge_bits(data *d, const job *j, row *rows, int count) {
    job shifted = *j;
    for (int i = 0; i < count; i++) {
        const contender *c = rows[i].contender;
        if (c->role == ROLE_CEILING) continue; /* no result to compare */
        rows[i].runs = verdict_of(rows[i].timing.same_bits);
        if (c->other || c->other_launch) rows[i].launches = compare(&rows[i], j, true);
    }
    const place *where = rows[0].contender->place;
    if (!where->put(d, &shifted, true)) return false;
    for (int i = 0; i < count; i++)
        if (rows[i].contender->role != ROLE_CEILING) rows[i].alignments = compare(&rows[i], &shifted, false);
    return true;
}

static void fill_rows(const field *f, const options *o, const job *j, const truth *t, const data *d, row *rows,
                      int *count) {
    *count = 0;
    for (int i = 0; i < f->all->count; i++) {
        if (!f->in[i]) continue;
        row *r = &rows[(*count)++];
        *r = (row){ .family = d->source.name,
                    .seed = o->seed,
                    .condition = t ? truth_condition(t) : NAN,
                    .job = j,
                    .contender = &f->all->one[i],
                    .timing = f->of[i] };
        judge_speed(f, i, r);
        judge_accuracy(t, r);
    }
}

bool measure(const contenders *all, const options *o, job *j, const truth *t, data *d, row *rows, int *count) {
    static field f;
    const place *where = all->place;
    progress("%s: %s of %zu %s, %s", j->layout ? layout_name(j->layout) : d->source.name, operation_name(j->operation),
             job_length(j), type_name(j->type), where->name);
    memset(&f, 0, sizeof f);
    f.all = all;
    for (int i = 0; i < all->count; i++) f.in[i] = takes(&all->one[i], j);
    if (!where->put(d, j, false)) return false;
    where->time(all, f.in, j, o, f.of);
    if (!drop_failed(&f)) return false;
    find_marks(&f);
    fill_rows(&f, o, j, t, d, rows, count);
    if (!t) return rows_judge(j, d, rows, *count);
    const bool fine = judge_bits(d, j, rows, *count);
    data_shift(d, 0);
    return fine;
}
