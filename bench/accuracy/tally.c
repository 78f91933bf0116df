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

void tally_merge(tally *into, const tally *from) {
    errors *to = &into->of[0][0][0][0];
    const errors *e = &from->of[0][0][0][0];
    for (size_t i = 0; i < sizeof into->of / sizeof *to; i++) errors_merge(&to[i], &e[i]);
    for (int m = 0; m < METHOD_COUNT; m++) {
        into->results[m] += from->results[m];
        into->wrong[m] += from->wrong[m];
    }
    into->cases += from->cases;
    if (from->longest > into->longest) into->longest = from->longest;
    into->permuted += from->permuted;
    into->permuted_wrong += from->permuted_wrong;
    into->split += from->split;
    into->split_wrong += from->split_wrong;
    into->judged += from->judged;
    into->violations += from->violations;
    into->bad_statuses += from->bad_statuses;
    into->starts |= from->starts;
    into->seconds = fmax(into->seconds, from->seconds);
    for (int i = 0; i < from->failure_count; i++) tally_fail(into, &from->failures[i]);
}

uint64_t tally_faults(const tally *t) {
    uint64_t faults = t->permuted_wrong + t->split_wrong + t->violations + t->bad_statuses;
    for (int m = 0; m < METHOD_COUNT; m++) faults += t->wrong[m];
    return faults;
}

bool tally_passed(const tally *t) { return t->cases > 0 && tally_faults(t) == 0; }
