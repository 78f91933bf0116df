/* tally.c - counting.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tally.h"

#include <math.h>

int method_index(quire_method method) {
    int i = 0;
    while (METHODS[i] != method) i++;
    return i;
}

int type_index(quire_type type) {
    int i = 0;
    while (TYPES[i] != type) i++;
    return i;
}

void errors_add(errors *to, const judgement *j, bool tame) {
    to->cases++;
    to->violations += j->ratio > 1;
    to->unbounded += isnan(j->ratio) != 0;
    if (j->ratio > to->ratio) to->ratio = j->ratio;
    if (!isnan(j->ratio) && j->ulps > to->worst) to->worst = j->ulps;
    if (!tame || isnan(j->ratio) || isnan(j->ulps)) return;
    to->tame++;
    to->tame_sum += j->ulps;
    if (j->ulps > to->tame_worst) to->tame_worst = j->ulps;
}

void errors_merge(errors *into, const errors *from) {
    into->cases += from->cases;
    into->unbounded += from->unbounded;
    into->tame += from->tame;
    into->tame_sum += from->tame_sum;
    into->tame_worst = fmax(into->tame_worst, from->tame_worst);
    into->worst = fmax(into->worst, from->worst);
    into->ratio = fmax(into->ratio, from->ratio);
    into->violations += from->violations;
}

static bool is_alike(const failure *a, const failure *b) {
    return a->fault == b->fault && a->method == b->method && a->place == b->place;
}

void tally_fail(tally *t, const failure *f) {
    for (int i = 0; i < t->failure_count; i++)
        if (is_alike(&t->failures[i], f)) return;
    if (t->failure_count < MAX_FAILURES) t->failures[t->failure_count++] = *f;
}

uint64_t tally_faults(const tally *t) {
    uint64_t faults = t->permuted_wrong + t->split_wrong + t->violations + t->bad_statuses;
    for (int m = 0; m < METHOD_COUNT; m++) faults += t->wrong[m];
    return faults;
}

bool tally_passed(const tally *t) { return t->cases > 0 && tally_faults(t) == 0; }
