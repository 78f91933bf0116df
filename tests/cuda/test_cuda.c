/* test_cuda.c - what only the CUDA backend has: device pointers and what is none, streams, graphs, many contexts, and
 * no memory. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quire/quire.h>

#include "device.h"
#include "random_elements.h"
#include "support.h"

START_TEST(opening) {
    quire_context *c = NULL;
    ck_assert_int_eq(quire_open_cuda(NULL, 0, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_open_cuda(&c, -1, NULL), QUIRE_INVALID_DEVICE);
    ck_assert_int_eq(quire_open_cuda(&c, 4096, NULL), QUIRE_INVALID_DEVICE);
    ck_assert_ptr_null(c);
    check_ok(quire_open_cuda(&c, 0, NULL));
    ck_assert_int_eq(quire_set_tier(c, QUIRE_TIER_PORTABLE), QUIRE_WRONG_CONTEXT);
    ck_assert_int_eq(quire_set_tier(c, (quire_tier)77), QUIRE_INVALID_TIER);
    ck_assert_int_eq(quire_set_progress(c, NULL, NULL), QUIRE_WRONG_CONTEXT);
    ck_assert_int_eq(quire_has_cuda(), 1);
    quire_close(c);
}
END_TEST

/* A host pointer is found out, nothing is written, and the context goes on. */
START_TEST(host_pointers) {
    quire_context *c;
    float host[4] = { 1, 2, 3, 4 }, *device, *pinned, sum = 0;
    check_ok(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, 64));
    CUDA(cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice));
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, host, QUIRE_EXACT, QUIRE_F32, device + 8), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_dot(c, QUIRE_F32, 4, device, host, QUIRE_EXACT, QUIRE_F32, device + 8),
                     QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, &sum), QUIRE_NOT_DEVICE_MEMORY);
    check_ok(quire_sum(c, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, device + 8));
    CUDA(cudaMemcpy(&sum, device + 8, 4, cudaMemcpyDeviceToHost));
    ck_assert(sum == 10);
    CUDA(cudaMallocHost((void **)&pinned, 64)); /* memory that both can reach */
    memcpy(pinned, host, 16);
    check_ok(quire_nrm2(c, QUIRE_F32, 4, pinned, QUIRE_KAHAN, QUIRE_F32, pinned + 8));
    CUDA(cudaDeviceSynchronize());
    check_ok(quire_nrm2(NULL, QUIRE_F32, 4, host, QUIRE_KAHAN, QUIRE_F32, &sum));
    ck_assert(sum == pinned[8]);
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFree(device));
    quire_close(c);
}
END_TEST

/* A context without room for its workspace is not opened, nothing leaks, and later it is. */
START_TEST(out_of_memory) {
    static void *block[4096];
    size_t blocks = 0;
    quire_context *c = NULL;
    check_ok(quire_open_cuda(&c, 0, NULL)); /* the kernels are loaded now */
    quire_close(c);
    c = NULL;
    for (size_t size = (size_t)1 << 36; size >= 65536 && blocks < 4096;)
        if (cudaMalloc(&block[blocks], size))
            size /= 2;
        else
            blocks++;
    cudaGetLastError();
    ck_assert_int_eq(quire_open_cuda(&c, 0, NULL), QUIRE_OUT_OF_MEMORY);
    ck_assert_ptr_null(c);
    while (blocks) CUDA(cudaFree(block[--blocks]));
    check_ok(quire_open_cuda(&c, 0, NULL));
    quire_close(c);
}
END_TEST

START_TEST(hundred_contexts) {
    size_t before, after, all;
    quire_context *c[100];
    for (int turn = 0; turn < 2; turn++) {
        CUDA(cudaMemGetInfo(&before, &all)); /* of the second turn: the first may load kernels */
        for (int i = 0; i < 100; i++) check_ok(quire_open_cuda(&c[i], 0, NULL));
        for (int i = 0; i < 100; i++) quire_close(c[i]);
    }
    CUDA(cudaMemGetInfo(&after, &all));
    ck_assert_uint_ge(after + (1 << 21), before);
}
END_TEST

/* A thousand replays of a graph, the data changing. */
START_TEST(graph_replay) {
    enum { N = 100003 };
    static float x[N];
    float found[2], expected[2], *device;
    quire_context *c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc((void **)&device, sizeof x + 64));
    check_ok(quire_open_cuda(&c, 0, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check_ok(quire_sum(c, QUIRE_F32, N, device, QUIRE_EXACT, QUIRE_F32, device + N));
    check_ok(quire_dot(c, QUIRE_F32, N - 1, device, device + 1, QUIRE_KAHAN, QUIRE_F32, device + N + 1));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    fill(QUIRE_F32, N, x, 40);
    for (int turn = 0; turn < 1000; turn++) {
        fill(QUIRE_F32, 100, x + turn * 100 % (N - 100), turn % 7 ? 40 : 0);
        CUDA(cudaMemcpyAsync(device, x, sizeof x, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(found, device + N, 8, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        check_ok(quire_sum(NULL, QUIRE_F32, N, x, QUIRE_EXACT, QUIRE_F32, &expected[0]));
        check_ok(quire_dot(NULL, QUIRE_F32, N - 1, x, x + 1, QUIRE_KAHAN, QUIRE_F32, &expected[1]));
        ck_assert_msg(!memcmp(found, expected, 8), "replay %d: %a %a, expected %a %a", turn, found[0], found[1],
                      expected[0], expected[1]);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* Calls of one context behind each other, with nobody waiting in between: each adds up results of those before it, and
 * finds the workspace as they leave it, however early it was started. By calls, and by two replays of a graph. */
START_TEST(behind_each_other) {
    enum { N = 1 << 18, CALLS = 500 };
    static const size_t lengths[] = { 8, 70000, 100, N, 5000 };
    static float x[N + CALLS], found[N + CALLS];
    float *device;
    quire_context *c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    fill(QUIRE_F32, N, x, 6);
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc((void **)&device, sizeof x));
    check_ok(quire_open_cuda(&c, 0, stream));
    if (_i)
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    else
        CUDA(cudaMemcpyAsync(device, x, sizeof x, cudaMemcpyHostToDevice, stream));
    for (size_t i = 0; i < CALLS; i++) {
        const size_t from = (N + i - lengths[i % 5]) & ~(size_t)3, n = N + i - from;
        const quire_method method = i % 7 == 6 ? QUIRE_EXACT : (quire_method)(QUIRE_EXACT + 1 + (int)(i % 3));
        check_ok(quire_mean(c, QUIRE_F32, n, device + from, method, QUIRE_F32, device + N + i));
        check_ok(quire_mean(NULL, QUIRE_F32, n, x + from, method, QUIRE_F32, x + N + i));
    }
    if (_i) {
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&exec, graph, 0));
        CUDA(cudaMemcpyAsync(device, x, N * sizeof *x, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemsetAsync(device + N, 0xff, CALLS * sizeof *x, stream));
        CUDA(cudaGraphLaunch(exec, stream));
    }
    CUDA(cudaMemcpyAsync(found, device, sizeof found, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (size_t i = 0; i < CALLS; i++)
        ck_assert_msg(!memcmp(&found[N + i], &x[N + i], 4), "call %zu: %a, expected %a", i, found[N + i], x[N + i]);
    if (_i) CUDA(cudaGraphExecDestroy(exec));
    if (_i) CUDA(cudaGraphDestroy(graph));
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* A graph of one long sum and one of many shorter ones, of one context, replayed on two streams at once, which is not
 * allowed: all of them end, none has bits that are neither right nor NaN, calls fail then, and another context does not
 * know of it. */
START_TEST(replays_at_once) {
    enum { LONG = 30000001, SHORT = 300007, SUMS = 40, TURNS = 40 };
    static const quire_method methods[] = { QUIRE_EXACT, QUIRE_KAHAN };
    static const size_t lengths[2] = { LONG, SHORT };
    float *x = malloc(LONG * sizeof *x), *device, *results, found[2], expected[2];
    quire_context *c = open_launched("7,0", NULL), *other = NULL;
    cudaStream_t stream[2];
    cudaGraph_t graph[2];
    cudaGraphExec_t exec[2];
    fill(QUIRE_F32, LONG, x, 6);
    CUDA(cudaMalloc((void **)&device, LONG * sizeof *x));
    CUDA(cudaMalloc((void **)&results, sizeof found));
    CUDA(cudaMemcpy(device, x, LONG * sizeof *x, cudaMemcpyHostToDevice));
    for (int i = 0; i < 2; i++) {
        check_ok(quire_sum(NULL, QUIRE_F32, lengths[i], x, methods[_i], QUIRE_F32, &expected[i]));
        CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        check_ok(quire_set_stream(c, stream[i]));
        CUDA(cudaStreamBeginCapture(stream[i], cudaStreamCaptureModeGlobal));
        for (int k = 0; k < (i ? SUMS : 1); k++)
            check_ok(quire_sum(c, QUIRE_F32, lengths[i], device, methods[_i], QUIRE_F32, results + i));
        CUDA(cudaStreamEndCapture(stream[i], &graph[i]));
        CUDA(cudaGraphInstantiate(&exec[i], graph[i], 0));
    }
    alarm(100); /* or it would never end */
    for (int turn = 0; turn < 2 * TURNS; turn++) CUDA(cudaGraphLaunch(exec[turn % 2], stream[turn % 2]));
    CUDA(cudaDeviceSynchronize());
    alarm(0);
    CUDA(cudaMemcpy(found, results, sizeof found, cudaMemcpyDeviceToHost));
    const quire_status status = quire_sum(c, QUIRE_F32, SHORT, device, methods[_i], QUIRE_F32, results);
    ck_assert_msg(status == QUIRE_DEVICE_FAULT, "%s: they were not at work at once, or it was not noticed",
                  quire_status_string(status));
    for (int i = 0; i < 2; i++)
        ck_assert_msg(found[i] == expected[i] || isnan(found[i]), "%a, expected %a", found[i], expected[i]);
    check_ok(quire_open_cuda(&other, 0, NULL));
    check_ok(quire_sum(other, QUIRE_F32, SHORT, device, methods[_i], QUIRE_F32, results));
    CUDA(cudaMemcpy(found, results, sizeof *found, cudaMemcpyDeviceToHost));
    ck_assert_msg(found[0] == expected[1], "another context: %a, expected %a", found[0], expected[1]);
    for (int i = 0; i < 2; i++) {
        CUDA(cudaGraphExecDestroy(exec[i]));
        CUDA(cudaGraphDestroy(graph[i]));
    }
    quire_close(c), quire_close(other);
    for (int i = 0; i < 2; i++) CUDA(cudaStreamDestroy(stream[i]));
    CUDA(cudaFree(device)), CUDA(cudaFree(results));
    free(x);
}
END_TEST

/* Two contexts on two streams at once, and one context that moves between them. */
START_TEST(two_streams) {
    enum { N = 1 << 20, TURNS = 200 };
    double *x = malloc(N * 8), *device, *results, expected[2], found[3 * TURNS];
    quire_context *c[3];
    cudaStream_t stream[2];
    CUDA(cudaMalloc((void **)&device, N * 8));
    CUDA(cudaMalloc((void **)&results, sizeof found));
    fill(QUIRE_F64, N, x, 0);
    CUDA(cudaMemcpy(device, x, N * 8, cudaMemcpyHostToDevice));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        check_ok(quire_open_cuda(&c[i], 0, stream[i]));
    }
    check_ok(quire_open_cuda(&c[2], 0, stream[0]));
    for (int t = 0; t < TURNS; t++) {
        check_ok(quire_sum(c[0], QUIRE_F64, N, device, QUIRE_EXACT, QUIRE_F64, results + 3 * t));
        check_ok(quire_sum(c[1], QUIRE_F64, N, device, QUIRE_PAIRWISE, QUIRE_F64, results + 3 * t + 1));
        check_ok(quire_set_stream(c[2], stream[t % 2]));
        check_ok(quire_sum(c[2], QUIRE_F64, N, device, QUIRE_EXACT, QUIRE_F64, results + 3 * t + 2));
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(found, results, sizeof found, cudaMemcpyDeviceToHost));
    check_ok(quire_sum(NULL, QUIRE_F64, N, x, QUIRE_EXACT, QUIRE_F64, &expected[0]));
    check_ok(quire_sum(NULL, QUIRE_F64, N, x, QUIRE_PAIRWISE, QUIRE_F64, &expected[1]));
    for (int t = 0; t < 3 * TURNS; t++) ck_assert_msg(!memcmp(&found[t], &expected[t % 3 == 1], 8), "turn %d", t);
    for (int i = 0; i < 3; i++) quire_close(c[i]);
    for (int i = 0; i < 2; i++) CUDA(cudaStreamDestroy(stream[i]));
    CUDA(cudaFree(device));
    CUDA(cudaFree(results));
    free(x);
}
END_TEST

/* A context cannot move to a stream that is being captured, which goes on, and so does the context where it was. */
START_TEST(into_a_capture) {
    float *x, found;
    quire_context *c;
    cudaStream_t stream[2];
    cudaGraph_t graph;
    CUDA(cudaMalloc((void **)&x, 2 * sizeof *x));
    CUDA(cudaMemset(x, 0, 2 * sizeof *x));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    check_ok(quire_open_cuda(&c, 0, stream[0]));
    CUDA(cudaStreamBeginCapture(stream[1], cudaStreamCaptureModeGlobal));
    ck_assert_int_eq(quire_set_stream(c, stream[1]), QUIRE_INVALID_STREAM);
    CUDA(cudaStreamEndCapture(stream[1], &graph));
    check_ok(quire_sum(c, QUIRE_F32, 1, x, QUIRE_EXACT, QUIRE_F32, x + 1));
    check_ok(quire_set_stream(c, stream[1]));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&found, x + 1, sizeof found, cudaMemcpyDeviceToHost));
    ck_assert_msg(found == 0, "%a", found);
    quire_close(c);
    CUDA(cudaGraphDestroy(graph));
    for (int i = 0; i < 2; i++) CUDA(cudaStreamDestroy(stream[i]));
    CUDA(cudaFree(x));
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, opening);
    tcase_add_test(cases, host_pointers);
    tcase_add_test(cases, hundred_contexts);
    tcase_add_test(cases, graph_replay);
    tcase_add_loop_test(cases, replays_at_once, 0, 2);
    tcase_add_loop_test(cases, behind_each_other, 0, 2);
    tcase_add_test(cases, two_streams);
    tcase_add_test(cases, into_a_capture);
    tcase_add_test(cases, out_of_memory);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("cuda", add_tests); }
