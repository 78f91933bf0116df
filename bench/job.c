/* job.c - operations by name, and the bytes of a job.
 *
 * SPDX-License-Identifier: MIT
 */
#include "job.h"

#include "number.h"

const char *operation_name(operation which) {
    static const char *const names[OPERATION_COUNT] = { "sum", "asum", "dot", "nrm2", "mean" };
    return which < OPERATION_COUNT ? names[which] : "no operation";
}

int operation_multiplies(operation which) { return which == OPERATION_DOT || which == OPERATION_NRM2; }

quire_type accumulation_type(quire_type type) { return type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32; }

size_t job_bytes(const job *j) { return j->n * type_size(j->type) * (j->operation == OPERATION_DOT ? 2 : 1); }
