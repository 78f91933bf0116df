/* sentence.c - the one sentence that a person wants of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include "places/place.h"
#include "report.h"

/* Of the rows of one job in one place: the least times, and who had the one that is no exact result. family: a copy,
 * for that of a condition number is gone when the run is. */
typedef struct match {
    operation operation;
    quire_type type;
    size_t n, vectors;
    const char *layout, *place, *name;
    char family[64];
    double exact, inexact;
} match;

static match best;

static void add(match *m, const row *r) {
    const double seconds = r->timing.figure;
    if (r->contender->role == ROLE_METHOD && r->contender->method == QUIRE_EXACT) {
        if (!(seconds >= m->exact)) m->exact = seconds;
    } else if (r->contender->role != ROLE_CEILING && !(seconds >= m->inexact)) {
        m->inexact = seconds;
        m->name = r->contender->name;
    }
}

/* A sum tells more than another operation, and a long one more than a short one; of equals the first counts. */
static bool tells_more(const match *a, const match *b) {
    const bool a_sums = a->operation == OPERATION_SUM, b_sums = b->operation == OPERATION_SUM;
    if (!b->name) return true;
    return a_sums != b_sums ? a_sums : a->n > b->n;
}

void sentence_rows(const row *rows, int count) {
    if (!count) return;
    const job *j = rows[0].job;
    match m = { .operation = j->operation,
                .type = j->type,
                .n = job_length(j),
                .vectors = j->vectors,
                .layout = layout_name(j->layout),
                .place = rows[0].contender->place->name,
                .exact = NAN,
                .inexact = NAN };
    snprintf(m.family, sizeof m.family, "%s", rows[0].family);
    for (int i = 0; i < count; i++) add(&m, &rows[i]);
    if (m.name && m.exact > 0 && m.inexact > 0 && tells_more(&m, &best)) best = m;
}

void sentence_end(void) {
    if (!best.name) return;
    printf("\nOn this machine (%s) the exact %s of %zu numbers (%s, %s)", best.place, operation_name(best.operation),
           best.n, type_name(best.type), best.family);
    if (best.vectors) printf(", for %zu such %s,", best.vectors, best.layout);
    printf(" took %.3g times as long as the fastest inexact one, %s.\n", best.exact / best.inexact, best.name);
}
