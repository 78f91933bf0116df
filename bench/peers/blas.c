/* blas.c - asum, nrm2 and dot of a BLAS, by the names that Fortran gives them: every BLAS has those, CBLAS or not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>

#include "cpu_peers.h"
#include "number.h"

float sasum_(const int *n, const float *x, const int *step);
float snrm2_(const int *n, const float *x, const int *step);
float sdot_(const int *n, const float *x, const int *step_x, const float *y, const int *step_y);
double dasum_(const int *n, const double *x, const int *step);
double dnrm2_(const int *n, const double *x, const int *step);
double ddot_(const int *n, const double *x, const int *step_x, const double *y, const int *step_y);

/* OpenBLAS alone has threads of its own; rows say one thread. */
void openblas_set_num_threads(int threads) __attribute__((weak));

static bool takes(const contender *c, const job *j) {
    (void)c;
    const bool has = j->operation == OPERATION_ASUM || j->operation == OPERATION_NRM2 || j->operation == OPERATION_DOT;
    return has && (j->type == QUIRE_F32 || j->type == QUIRE_F64) && j->n <= INT_MAX;
}

static double run_float(const job *j, int n, int step) {
    if (j->operation == OPERATION_ASUM) return (double)sasum_(&n, j->x, &step);
    if (j->operation == OPERATION_NRM2) return (double)snrm2_(&n, j->x, &step);
    return (double)sdot_(&n, j->x, &step, j->y, &step);
}

static double run_double(const job *j, int n, int step) {
    if (j->operation == OPERATION_ASUM) return dasum_(&n, j->x, &step);
    if (j->operation == OPERATION_NRM2) return dnrm2_(&n, j->x, &step);
    return ddot_(&n, j->x, &step, j->y, &step);
}

static quire_status run(const contender *c, const job *j, uint64_t *bits) {
    const int n = (int)j->n;
    (void)c;
    *bits = type_encode(j->result_type, j->type == QUIRE_F32 ? run_float(j, n, 1) : run_double(j, n, 1));
    return QUIRE_OK;
}

void blas_add(contenders *all) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    contender *c = contenders_add(all, ROLE_PEER, "blas");
    c->threads = 1;
    c->takes = takes;
    c->run = run;
}
