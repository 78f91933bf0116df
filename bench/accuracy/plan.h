/* plan.h - which cases, in which order: a walk that is random, but the same for the same seed and options wherever it
 * runs. A cell is a source, a type and an operation. The first round takes each cell once, with few elements (a file:
 * all of them), the second each type and operation with enough elements for threads; every later round takes each cell
 * once more, with any number of elements. Time only says how far along the walk a run comes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_PLAN_H
#define QUIRE_ACCURACY_PLAN_H

#include "source.h"

typedef struct cell {
    const source *source;
    quire_type type;
    operation operation;
} cell;

typedef struct plan {
    cell *cells;
    size_t count, at;
    int round, rounds; /* the one under way, and how many there are to be (0: no end) */
    size_t limit;
    generator g;
    bool many;        /* short vectors, thousands a case: lengths are of another kind */
    const char *only; /* the case that is to be the only one */
    test_case one;
} plan;

/* Complains and answers false if the case named on the command line is none. */
bool plan_open(plan *p, const options *o, const sources *s);
void plan_close(plan *p);

/* Answers false at the end. */
bool plan_next(plan *p, test_case *c);

/* How many cells the walk has been to. */
size_t plan_covered(const plan *p);

/* The name of a case, which --case takes: source:type:operation:n:seed. */
const char *case_name(const test_case *c, char *text, size_t size);

#endif
