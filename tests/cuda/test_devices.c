/* test_devices.c - two GPUs in one process: what belongs to the other device is refused, both give the same bits, and
 * one exact sum is fed by both. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "number.h"
#include "support.h"

#define CUDA(call) ck_assert_msg((call) == cudaSuccess, "%s: %s", #call, cudaGetErrorString(cudaGetLastError()))

static void *device_copy(int device, const void *from, size_t bytes) {
    void *to;
    CUDA(cudaSetDevice(device));
    CUDA(cudaMalloc(&to, bytes));
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static void check_current(int device) {
    int now;
    CUDA(cudaGetDevice(&now));
    ck_assert_int_eq(now, device);
}

START_TEST(what_is_the_others) {
    const float four[4] = { 1, 2, 3, 4 };
    float *mine = device_copy(0, four, sizeof four), *theirs = device_copy(1, four, sizeof four), *room, sum = 0;
    cudaStream_t stream;
    quire_context *c = NULL;
    CUDA(cudaSetDevice(1));
    CUDA(cudaStreamCreate(&stream));
    ck_assert_int_eq(quire_open_cuda(&c, 0, stream), QUIRE_INVALID_STREAM);
    ck_assert_ptr_null(c);
    check_ok(quire_open_cuda(&c, 0, NULL));
    check_current(1);
    room = device_copy(0, four, sizeof four);
    CUDA(cudaSetDevice(1));
    ck_assert_int_eq(quire_set_stream(c, stream), QUIRE_INVALID_STREAM);
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, theirs, QUIRE_EXACT, QUIRE_F32, room), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_dot(c, QUIRE_F32, 4, mine, theirs, QUIRE_PLAIN, QUIRE_F32, room), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, mine, QUIRE_EXACT, QUIRE_F32, theirs), QUIRE_NOT_DEVICE_MEMORY);
    check_ok(quire_sum(c, QUIRE_F32, 4, mine, QUIRE_EXACT, QUIRE_F32, room));
    check_current(1);
    CUDA(cudaGetLastError());
    CUDA(cudaSetDevice(0));
    CUDA(cudaMemcpy(&sum, room, sizeof sum, cudaMemcpyDeviceToHost));
    ck_assert(sum == 10);
    quire_close(c);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(mine));
    CUDA(cudaFree(theirs));
    CUDA(cudaFree(room));
}
END_TEST

/* Contexts of both devices at work at once, the current device being whichever. */
START_TEST(same_bits_on_both) {
    enum { N = 300007 };
    const quire_type type = TYPES[_i];
    const size_t bytes = N * type_size(type);
    void *x = array_new(bytes, 0), *copy[2];
    double *result[2], zeros[METHOD_COUNT] = { 0 }, found[2][METHOD_COUNT], expected;
    quire_context *c[2];
    family_fill(FAMILY_EVERY_EXPONENT, type, 7, N, x);
    for (int d = 0; d < 2; d++) {
        copy[d] = device_copy(d, x, bytes);
        result[d] = device_copy(d, zeros, sizeof zeros);
        check_ok(quire_open_cuda(&c[d], d, NULL));
    }
    for (size_t m = 0; m < METHOD_COUNT; m++)
        for (int d = 0; d < 2; d++) {
            CUDA(cudaSetDevice((int)(m % 2)));
            check_ok(quire_sum(c[d], type, N, copy[d], METHODS[m], QUIRE_F64, result[d] + m));
            check_current((int)(m % 2));
        }
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaMemcpy(found[d], result[d], sizeof found[d], cudaMemcpyDeviceToHost));
    }
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        check_ok(quire_sum(NULL, type, N, x, METHODS[m], QUIRE_F64, &expected));
        for (int d = 0; d < 2; d++)
            check_bits(QUIRE_F64, &found[d][m], double_bits(expected), "device %d, %s", d, method_name(METHODS[m]));
    }
    for (int d = 0; d < 2; d++) {
        quire_close(c[d]);
        CUDA(cudaFree(copy[d]));
        CUDA(cudaFree(result[d]));
    }
    array_free(x);
}
END_TEST

/* The first part of an array on one device, the rest on the other; their accumulators merged by quire_merge, and by
 * adding words. */
START_TEST(one_sum_of_both) {
    enum { N = 1000003, FIRST = 314159 };
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type);
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    char *x = array_new(N * size, 0);
    quire_accumulator part[2], merged, added, whole = QUIRE_ACCUMULATOR_ZERO;
    uint64_t expected = 0, found[2] = { 0, 0 };
    family_fill(FAMILY_EVERY_EXPONENT, type, 8, N, x);
    for (int d = 0; d < 2; d++) {
        const size_t n = d ? N - FIRST : FIRST;
        void *there = device_copy(d, x + (d ? FIRST * size : 0), n * size);
        quire_accumulator *sum = device_copy(d, &zero, sizeof zero);
        quire_context *c;
        check_ok(quire_open_cuda(&c, d, NULL));
        check_ok(quire_accumulate(c, sum, type, n, there));
        CUDA(cudaMemcpy(&part[d], sum, sizeof *sum, cudaMemcpyDeviceToHost));
        quire_close(c);
        CUDA(cudaFree(there));
        CUDA(cudaFree(sum));
    }
    merged = added = part[0];
    check_ok(quire_merge(&merged, &part[1]));
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) ((int64_t *)&added)[i] += ((const int64_t *)&part[1])[i];
    check_ok(quire_accumulate(NULL, &whole, type, N, x));
    check_ok(quire_sum(NULL, type, N, x, QUIRE_EXACT, type, &expected));
    check_ok(quire_round(&merged, type, &found[0]));
    check_ok(quire_round(&added, type, &found[1]));
    ck_assert_uint_eq(found[0], expected);
    ck_assert_uint_eq(found[1], expected);
    ck_assert_msg(!memcmp(merged.limb, whole.limb, sizeof whole.limb), "the limbs differ");
    ck_assert_int_eq(merged.count, N);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, what_is_the_others);
    tcase_add_loop_test(cases, same_bits_on_both, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, one_sum_of_both, 0, TYPE_COUNT);
}

int main(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error || devices < 2) {
        printf("1..0 # SKIP two CUDA devices are needed, %d found\n", error ? 0 : devices);
        return 0;
    }
    return run_cases_without_place("devices", add_tests);
}
