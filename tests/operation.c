/* operation.c - the operations by name. */
#include "operation.h"

const char *operation_name(operation which) {
    static const char *const names[OPERATION_COUNT] = { "sum", "asum", "dot", "nrm2", "mean", "sumsq" };
    return which < OPERATION_COUNT ? names[which] : "no operation";
}

int operation_multiplies(operation which) {
    return which == OPERATION_DOT || which == OPERATION_NRM2 || which == OPERATION_SUMSQ;
}
