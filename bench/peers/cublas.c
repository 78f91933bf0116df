/* cublas.c - cuBLAS, loaded when the bench runs: a bench built with it starts without it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cublas_api.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu_peers.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define LIBRARY "libcublas.so." TEXT(CUBLAS_VER_MAJOR)
#define LAUNCH_FAILURE 719 /* cudaErrorLaunchFailure: cuBLAS has errors of its own, which are not the runtime's */
#define UNSUPPORTED 801    /* cudaErrorNotSupported */

typedef int64_t count64;

/* The functions by the types that the header gives them; the 64-bit ones take any n. */
static void *library;
static cublasHandle_t handle;
static __typeof__(cublasCreate_v2) *create;
static __typeof__(cublasDestroy_v2) *destroy;
static __typeof__(cublasGetVersion_v2) *get_version;
static __typeof__(cublasSetStream_v2) *set_stream;
static __typeof__(cublasSetPointerMode_v2) *set_pointer_mode;
static __typeof__(cublasSasum_v2_64) *sasum;
static __typeof__(cublasDasum_v2_64) *dasum;
static __typeof__(cublasSnrm2_v2_64) *snrm2;
static __typeof__(cublasDnrm2_v2_64) *dnrm2;
static __typeof__(cublasSdot_v2_64) *sdot;
static __typeof__(cublasDdot_v2_64) *ddot;
static __typeof__(cublasDotEx_64) *dot_ex;
static __typeof__(cublasNrm2Ex_64) *nrm2_ex;

void *cublas_handle(void) { return handle; }

/* A function's address, as POSIX has dlsym's readers take it: through the object's bytes. */
bool cublas_find(const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool find_all(void) {
    return cublas_find("cublasCreate_v2", &create) && cublas_find("cublasDestroy_v2", &destroy) &&
           cublas_find("cublasGetVersion_v2", &get_version) && cublas_find("cublasSetStream_v2", &set_stream) &&
           cublas_find("cublasSetPointerMode_v2", &set_pointer_mode) && cublas_find("cublasSasum_v2_64", &sasum) &&
           cublas_find("cublasDasum_v2_64", &dasum) && cublas_find("cublasSnrm2_v2_64", &snrm2) &&
           cublas_find("cublasDnrm2_v2_64", &dnrm2) && cublas_find("cublasSdot_v2_64", &sdot) &&
           cublas_find("cublasDdot_v2_64", &ddot) && cublas_find("cublasDotEx_64", &dot_ex) &&
           cublas_find("cublasNrm2Ex_64", &nrm2_ex);
}

const char *cublas_open(int *version) {
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return LIBRARY " is not found by the loader (see LD_LIBRARY_PATH)";
    if (!find_all()) return LIBRARY " lacks a function";
    if (create(&handle)) return "cublasCreate fails";
    if (set_stream(handle, device_stream()) || set_pointer_mode(handle, CUBLAS_POINTER_MODE_DEVICE))
        return "cublasSetStream fails";
    get_version(handle, version);
    return NULL;
}

void cublas_close(void) {
    if (handle) destroy(handle);
    if (library) dlclose(library);
    handle = NULL;
    library = NULL;
}

/* Of half and bfloat16 results are half and bfloat16, and there is no asum. */
static bool takes(const reducer *r, const job *j) {
    (void)r;
    const bool is_short = j->type == QUIRE_F16 || j->type == QUIRE_BF16;
    const bool multiplies = j->operation == OPERATION_DOT || j->operation == OPERATION_NRM2;
    return j->result_type == j->type && (multiplies || (j->operation == OPERATION_ASUM && !is_short));
}

static size_t workspace(const reducer *r, const job *j) {
    (void)r, (void)j;
    return 0; /* the handle has its own */
}

static cublasStatus_t run_float(const job *j, count64 n, float *result) {
    if (j->operation == OPERATION_ASUM) return sasum(handle, n, j->x, 1, result);
    if (j->operation == OPERATION_NRM2) return snrm2(handle, n, j->x, 1, result);
    return sdot(handle, n, j->x, 1, j->y, 1, result);
}

static cublasStatus_t run_double(const job *j, count64 n, double *result) {
    if (j->operation == OPERATION_ASUM) return dasum(handle, n, j->x, 1, result);
    if (j->operation == OPERATION_NRM2) return dnrm2(handle, n, j->x, 1, result);
    return ddot(handle, n, j->x, 1, j->y, 1, result);
}

static cublasStatus_t run_short(const job *j, count64 n, void *result) {
    const cudaDataType type = j->type == QUIRE_F16 ? CUDA_R_16F : CUDA_R_16BF;
    if (j->operation == OPERATION_NRM2) return nrm2_ex(handle, n, j->x, type, 1, result, type, CUDA_R_32F);
    return dot_ex(handle, n, j->x, type, 1, j->y, type, 1, result, type, CUDA_R_32F);
}

static int enqueue(const reducer *r, const job *j, void *memory, void *result, void *stream) {
    (void)r, (void)memory, (void)stream; /* the handle's stream is that of the device */
    const count64 n = (count64)j->n;
    cublasStatus_t status;
    if (j->type == QUIRE_F32)
        status = run_float(j, n, result);
    else if (j->type == QUIRE_F64)
        status = run_double(j, n, result);
    else
        status = run_short(j, n, result);
    return !status ? 0 : status == CUBLAS_STATUS_NOT_SUPPORTED ? UNSUPPORTED : LAUNCH_FAILURE;
}

const reducer cublas_reducers[] = {
    { "cublas", "cublasSasum, cublasDotEx and the like", takes, workspace, enqueue, false, NULL },
};
const int cublas_count = 1;
