/* operation.c - the operations by name. */
#include "operation.h"

#include "../src/cli/vocabulary.h"

const char *operation_name(operation which) {
    static const char *const names[] = { OPERATION_NAMES(NAMED) };
    return which < OPERATION_ALL ? names[operation_number(which)] : "no operation";
}

quire_operation operation_number(operation which) {
    static const quire_operation numbers[OPERATION_ALL] = { QUIRE_SUM,  QUIRE_ASUM,  QUIRE_DOT,      QUIRE_NRM2,
                                                            QUIRE_MEAN, QUIRE_SUMSQ, QUIRE_VARIANCE, QUIRE_STDDEV };
    return numbers[which];
}

int operation_multiplies(operation which) {
    return which == OPERATION_DOT || which == OPERATION_NRM2 || which == OPERATION_SUMSQ;
}

int operation_is_moment(operation which) { return which == OPERATION_VARIANCE || which == OPERATION_STDDEV; }
