/* operation.c - the operations by name. */
#include "operation.h"

#include "../../src/cli/vocabulary.h"

const char *operation_name(operation which) {
    static const char *const names[] = { OPERATION_NAMES(NAMED) };
    return which < OPERATION_EVERY ? names[operation_number(which)] : "no operation";
}

quire_operation operation_number(operation which) {
    static const quire_operation numbers[OPERATION_EVERY] = { QUIRE_SUM,        QUIRE_ASUM,       QUIRE_DOT,
                                                              QUIRE_NRM2,       QUIRE_MEAN,       QUIRE_SUMSQ,
                                                              QUIRE_VARIANCE,   QUIRE_STDDEV,     QUIRE_AVERAGE,
                                                              QUIRE_COVARIANCE, QUIRE_CORRELATION };
    return numbers[which];
}

int operation_multiplies(operation which) {
    return which == OPERATION_DOT || which == OPERATION_NRM2 || which == OPERATION_SUMSQ;
}

int operation_is_moment(operation which) { return which == OPERATION_VARIANCE || which == OPERATION_STDDEV; }

int operation_reads_two(quire_operation number) {
    return number == QUIRE_DOT || number == QUIRE_AVERAGE || number == QUIRE_COVARIANCE || number == QUIRE_CORRELATION;
}

int operation_is_exact(quire_operation number) {
    return number == QUIRE_VARIANCE || number == QUIRE_STDDEV || (operation_reads_two(number) && number != QUIRE_DOT);
}
