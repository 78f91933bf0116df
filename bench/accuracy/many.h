/* many.h - quire-accuracy --many: batches of many short vectors a call, every result compared, on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_MANY_H
#define QUIRE_ACCURACY_MANY_H

#include "batch.h"
#include "head.h"
#include "plan.h"

#define MANY_FAILURES 6
#define MANY_FAILURE_SIZE 768

typedef struct many_failure {
    quire_method method;
    bool gpu;
    char text[MANY_FAILURE_SIZE];
} many_failure;

/* What one worker, or all together, compared. Each result is counted once in each table. */
typedef struct many_tally {
    uint64_t cells[METHOD_COUNT][TYPE_COUNT][OPERATION_ALL][FAMILY_COUNT][LENGTH_CLASSES];
    uint64_t rounded[TYPE_COUNT][ROUNDING_COUNT]; /* by result type */
    uint64_t arranged[ARRANGEMENTS], backwards;   /* backwards: of rows, columns and middle axes */
    uint64_t ways[ARENA_WAYS], wrong_ways[ARENA_WAYS];
    uint64_t batches, vectors, calls, results, wrong, bad_statuses;
    uint64_t sampled, sampled_wrong; /* the quick oracles beside the slow ones */
    many_failure failures[MANY_FAILURES];
    int failure_count;
    int threads;
    bool has_gpu;
    double seconds;
} many_tally;

bool many_passed(const many_tally *t);

/* Results of a family and a class of lengths. */
uint64_t many_of_family(const many_tally *t, int family, int length);

/* What a report needs to know. */
typedef struct many_report {
    const head *head;
    const options *options;
    const plan *plan;
    const many_tally *tally;
} many_report;

/* The whole run with its report; answers an exit status. */
int many_run(const options *o, const head *h, const sources *s);

/* many_report.c; and json_many.c, or json_stub.c where jansson is missing. */
bool many_print(const many_report *r);
bool json_write_many(const many_report *r);

#endif
