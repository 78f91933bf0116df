/* tally.h - what a run has found: counts, worst and mean errors, failures.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_TALLY_H
#define QUIRE_ACCURACY_TALLY_H

#include "reference.h"
#include "ways.h"

/* Of one method, type, operation and result type; or of several together. */
typedef struct errors {
    uint64_t cases;
    uint64_t unbounded;          /* cases for which no bound is promised */
    uint64_t tame;               /* cases of tame data whose result has ulps */
    double tame_sum, tame_worst; /* ulps */
    double worst;                /* ulps, of any data for which a bound is promised */
    double ratio;                /* the worst error over bound */
    uint64_t violations;
} errors;

typedef enum fault { WRONG_BITS, VIOLATION, BAD_STATUS } fault;

typedef struct failure {
    fault fault;
    test_case of;
    const char *place;
    char way[112];
    quire_method method;
    quire_type result_type;
    uint64_t expected, got;
    quire_status status;
    judgement judgement;
} failure;

#define MAX_FAILURES 6

typedef struct tally {
    errors of[METHOD_COUNT][TYPE_COUNT][OPERATION_COUNT][TYPE_COUNT]; /* the last: of results */
    uint64_t cases, longest;
    uint64_t results[METHOD_COUNT], wrong[METHOD_COUNT]; /* bits compared */
    uint64_t permuted, permuted_wrong, split, split_wrong;
    uint64_t judged, violations, bad_statuses;
    uint64_t starts;                /* bit i: a vector began i bytes after a multiple of 64 */
    failure failures[MAX_FAILURES]; /* the first of each method, place and kind */
    int failure_count;
    double seconds;
} tally;

/* Indices, of METHODS and TYPES. */
int method_index(quire_method method);
int type_index(quire_type type);

void errors_add(errors *to, const judgement *j, bool tame);
void errors_merge(errors *into, const errors *from);

/* Adds up all that another process counted. */
void tally_merge(tally *into, const tally *from);

/* Notes a failure, if there is room and it is the first of its like. */
void tally_fail(tally *t, const failure *f);

bool tally_passed(const tally *t);

/* All that went wrong. */
uint64_t tally_faults(const tally *t);

#endif
