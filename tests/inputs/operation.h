/* operation.h - the operations, by number and by name: the one list that tests and benchmarks share. Free of Check. */
#ifndef QUIRE_TESTS_OPERATION_H
#define QUIRE_TESTS_OPERATION_H

#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum operation {
    OPERATION_SUM,
    OPERATION_ASUM,
    OPERATION_DOT,
    OPERATION_NRM2,
    OPERATION_MEAN,
    OPERATION_SUMSQ,
    OPERATION_COUNT,                      /* of those that every method does */
    OPERATION_VARIANCE = OPERATION_COUNT, /* these two are by QUIRE_EXACT alone, and have oracles of their own */
    OPERATION_STDDEV,
    OPERATION_ALL,
    OPERATION_AVERAGE = OPERATION_ALL, /* of two arrays, by QUIRE_EXACT alone */
    OPERATION_COVARIANCE,
    OPERATION_CORRELATION,
    OPERATION_EVERY
} operation;

#define CALL_COUNT OPERATION_SUMSQ /* those before it have a public function of their own */

/* "sum", "asum", "dot", "nrm2", "mean", "sumsq", "variance", "stddev", "average", "covariance", "correlation" */
const char *operation_name(operation which);

/* As quire.h numbers it. */
quire_operation operation_number(operation which);

/* 1 where the terms are products. */
int operation_multiplies(operation which);

/* 1 for the variance and its root. */
int operation_is_moment(operation which);

/* 1 where two arrays are read. */
int operation_reads_two(quire_operation number);

/* 1 for those that QUIRE_EXACT alone does. */
int operation_is_exact(quire_operation number);

#ifdef __cplusplus
}
#endif

#endif
