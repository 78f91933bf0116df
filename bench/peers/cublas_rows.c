/* cublas_rows.c - sums of rows and of columns as cuBLAS has them: the matrix times a vector of ones (gemv).
 *
 * A row-major matrix of n columns is for cuBLAS a matrix of n rows, transposed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cublas_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/device.h"
#include "gpu_peers.h"
#include "number.h"

#define FAILURE 719     /* cudaErrorLaunchFailure: cuBLAS has errors of its own, which are not the runtime's */
#define OUT_OF_MEMORY 2 /* cudaErrorMemoryAllocation */

static __typeof__(cublasSgemv_v2_64) *sgemv;
static __typeof__(cublasDgemv_v2_64) *dgemv;

/* Zero and then as many ones as the longest vector had, on the device. */
static struct ones {
    char *memory;
    quire_type type;
    size_t count;
} ones;

void cublas_rows_close(void) {
    device_release(ones.memory);
    ones = (struct ones){ NULL };
}

static int make_ones(quire_type type, size_t count) {
    if (ones.memory && ones.type == type && ones.count >= count) return 0;
    const size_t bytes = (count + 1) * type_size(type);
    char *host = malloc(bytes);
    cublas_rows_close();
    ones.memory = device_allocate(bytes);
    int error = host && ones.memory ? 0 : OUT_OF_MEMORY;
    for (size_t i = 0; !error && i <= count; i++) type_set(type, host, i, i ? 1 : 0);
    if (!error) error = device_upload(ones.memory, host, bytes);
    free(host);
    ones.type = type;
    ones.count = error ? 0 : count;
    return error;
}

static bool takes(const reducer *r, const job *j) {
    (void)r;
    return j->operation == OPERATION_SUM && (j->layout == LAYOUT_ROWS || j->layout == LAYOUT_COLUMNS) &&
           (j->type == QUIRE_F32 || j->type == QUIRE_F64) && j->result_type == j->type &&
           ((sgemv && dgemv) || (cublas_find("cublasSgemv_v2_64", &sgemv) && cublas_find("cublasDgemv_v2_64", &dgemv)));
}

static size_t workspace(const reducer *r, const job *j) {
    (void)r, (void)j;
    return 0; /* the handle has its own */
}

static int enqueue(const reducer *r, const job *j, void *memory, void *results, void *stream) {
    (void)r, (void)memory, (void)stream; /* the handle's stream is that of the device */
    const int error = make_ones(j->type, j->length);
    if (error) return error;
    const bool rows = j->layout == LAYOUT_ROWS;
    const cublasOperation_t how = rows ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int64_t m = (int64_t)(rows ? j->length : j->vectors), n = (int64_t)(rows ? j->vectors : j->length);
    const void *zero = ones.memory, *one = ones.memory + type_size(j->type);
    cublasHandle_t handle = cublas_handle();
    const cublasStatus_t status = j->type == QUIRE_F32
                                      ? sgemv(handle, how, m, n, one, j->x, m, one, 1, zero, results, 1)
                                      : dgemv(handle, how, m, n, one, j->x, m, one, 1, zero, results, 1);
    return status ? FAILURE : 0;
}

const reducer cublas_rows_reducers[] = {
    { "cublas gemv", "cublasSgemv, cublasDgemv with ones", takes, workspace, enqueue, false, NULL },
};
const int cublas_rows_count = 1;
