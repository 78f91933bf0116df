/* contend_loops.c - the loops that every run on the CPU has: the ceiling, the baselines, and beside moments a sum,
 * which their times are told in, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "baseline.h"
#include "ceiling.h"
#include "contender.h"
#include "number.h"

static quire_status run_read(const contender *c, const job *j, uint64_t *bits) {
    (void)c;
    *bits = ceiling_read(j->x, j->operation == OPERATION_DOT ? j->y : NULL, j->n * type_size(j->type));
    return QUIRE_OK;
}

static quire_status run_formula(const job *j, formula how, uint64_t *bits) {
    if (j->layout) {
        baseline_reduce_many(j, how);
        *bits = type_load(j->result_type, j->results, 0);
    } else {
        *bits = type_encode(j->result_type, baseline_reduce(j, how)); /* most are numbers of that type already */
    }
    return QUIRE_OK;
}

static quire_status run_baseline(const contender *c, const job *j, uint64_t *bits) {
    (void)c;
    return run_formula(j, TWO_PASS, bits);
}

static quire_status run_textbook(const contender *c, const job *j, uint64_t *bits) {
    (void)c;
    return run_formula(j, TEXTBOOK, bits);
}

static quire_status run_sum(const contender *c, const job *j, uint64_t *bits) {
    job sum = *j;
    (void)c;
    sum.operation = OPERATION_SUM;
    return run_formula(&sum, TWO_PASS, bits);
}

static bool takes_moments(const contender *c, const job *j) {
    (void)c;
    return operation_is_moment(j->operation);
}

static bool takes_others(const contender *c, const job *j) { return !takes_moments(c, j); }

static void add(contenders *all, role role, const char *name, bool (*takes)(const contender *c, const job *j),
                quire_status (*run)(const contender *c, const job *j, uint64_t *bits)) {
    contender *c = contenders_add(all, role, name);
    c->threads = 1;
    c->takes = takes;
    c->run = run;
}

void contenders_add_loops(contenders *all) {
    add(all, ROLE_CEILING, "read", NULL, run_read);
    add(all, ROLE_BASELINE, "fast-math", takes_others, run_baseline);
    add(all, ROLE_BASELINE, "fast-math two-pass", takes_moments, run_baseline);
    add(all, ROLE_BASELINE, "fast-math textbook", takes_moments, run_textbook);
    add(all, ROLE_SUM, "fast-math sum", takes_moments, run_sum);
}
