/* contend_loops.c - the two loops that every run on the CPU has: the ceiling and the baseline.
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

static quire_status run_baseline(const contender *c, const job *j, uint64_t *bits) {
    (void)c;
    if (j->layout) {
        baseline_reduce_many(j);
        *bits = type_load(j->result_type, j->results, 0);
    } else {
        *bits = type_encode(j->result_type, baseline_reduce(j)); /* it is a number of that type already */
    }
    return QUIRE_OK;
}

static void add(contenders *all, role role, const char *name,
                quire_status (*run)(const contender *c, const job *j, uint64_t *bits)) {
    contender *c = contenders_add(all, role, name);
    c->threads = 1;
    c->run = run;
}

void contenders_add_loops(contenders *all) {
    add(all, ROLE_CEILING, "read", run_read);
    add(all, ROLE_BASELINE, "fast-math", run_baseline);
}
