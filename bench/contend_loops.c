/* contend_loops.c - the two loops that every run has: the ceiling and the baseline.
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
    *bits = type_encode(j->result_type, baseline_reduce(j)); /* it is a number of that type already */
    return QUIRE_OK;
}

void contenders_add_loops(contenders *all) {
    all->one[all->count++] =
        (contender){ .role = ROLE_CEILING, .name = "read", .place = "cpu", .threads = 1, .run = run_read };
    all->one[all->count++] =
        (contender){ .role = ROLE_BASELINE, .name = "fast-math", .place = "cpu", .threads = 1, .run = run_baseline };
}
