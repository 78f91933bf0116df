/* test_cuda.c - what only the CUDA backend has: device pointers and what is none, streams, graphs, many contexts, more
 * than 2^32 elements, and long arrays of hard data that must have the CPU's bits. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quire/quire.h>

#include "device.h"
#include "number.h"
#include "support.h"

#define OK(call) ck_assert_int_eq(call, QUIRE_OK)

static uint64_t state = 1;
static uint64_t next_random(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 32) ^ (state << 32 >> 7);
}

/* Random finite bits of a type: exponents within spread of the middle, or any if it is 0. */
static void fill(quire_type type, size_t n, void *x, int spread) {
    static const int sizes[] = { 0, 16, 16, 32, 64 }, fractions[] = { 0, 10, 7, 23, 52 };
    const int bits = sizes[type], fraction = fractions[type], all = (1 << (bits - 1 - fraction)) - 1;
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = next_random(), s = next_random();
        const uint64_t exponent = spread ? (uint64_t)(all / 2 - (int)(r % (unsigned)spread)) : r % (unsigned)all;
        const uint64_t element =
            (r >> 40 & 1) << (bits - 1) | exponent << fraction | (s & (((uint64_t)1 << fraction) - 1));
        memcpy((char *)x + i * (size_t)(bits / 8), &element, (size_t)(bits / 8));
    }
}

static quire_status reduce(quire_context *c, int op, quire_type type, size_t n, const void *x, const void *y,
                           quire_method m, quire_type result_type, void *result) {
    switch (op) {
    case 0: return quire_sum(c, type, n, x, m, result_type, result);
    case 1: return quire_asum(c, type, n, x, m, result_type, result);
    case 2: return quire_dot(c, type, n, x, y, m, result_type, result);
    case 3: return quire_nrm2(c, type, n, x, m, result_type, result);
    default: return quire_mean(c, type, n, x, m, result_type, result);
    }
}

START_TEST(opening) {
    quire_context *c = NULL;
    ck_assert_int_eq(quire_open_cuda(NULL, 0, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_open_cuda(&c, -1, NULL), QUIRE_INVALID_DEVICE);
    ck_assert_int_eq(quire_open_cuda(&c, 4096, NULL), QUIRE_INVALID_DEVICE);
    ck_assert_ptr_null(c);
    OK(quire_open_cuda(&c, 0, NULL));
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
    OK(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, 64));
    CUDA(cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice));
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, host, QUIRE_EXACT, QUIRE_F32, device + 8), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_dot(c, QUIRE_F32, 4, device, host, QUIRE_EXACT, QUIRE_F32, device + 8),
                     QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_sum(c, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, &sum), QUIRE_NOT_DEVICE_MEMORY);
    OK(quire_sum(c, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, device + 8));
    CUDA(cudaMemcpy(&sum, device + 8, 4, cudaMemcpyDeviceToHost));
    ck_assert(sum == 10);
    CUDA(cudaMallocHost((void **)&pinned, 64)); /* memory that both can reach */
    memcpy(pinned, host, 16);
    OK(quire_nrm2(c, QUIRE_F32, 4, pinned, QUIRE_KAHAN, QUIRE_F32, pinned + 8));
    CUDA(cudaDeviceSynchronize());
    OK(quire_nrm2(NULL, QUIRE_F32, 4, host, QUIRE_KAHAN, QUIRE_F32, &sum));
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
    OK(quire_open_cuda(&c, 0, NULL)); /* the kernels are loaded now */
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
    OK(quire_open_cuda(&c, 0, NULL));
    quire_close(c);
}
END_TEST

START_TEST(hundred_contexts) {
    size_t before, after, all;
    quire_context *c[100];
    for (int turn = 0; turn < 2; turn++) {
        CUDA(cudaMemGetInfo(&before, &all)); /* of the second turn: the first may load kernels */
        for (int i = 0; i < 100; i++) OK(quire_open_cuda(&c[i], 0, NULL));
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
    OK(quire_open_cuda(&c, 0, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(quire_sum(c, QUIRE_F32, N, device, QUIRE_EXACT, QUIRE_F32, device + N));
    OK(quire_dot(c, QUIRE_F32, N - 1, device, device + 1, QUIRE_KAHAN, QUIRE_F32, device + N + 1));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    fill(QUIRE_F32, N, x, 40);
    for (int turn = 0; turn < 1000; turn++) {
        fill(QUIRE_F32, 100, x + turn * 100 % (N - 100), turn % 7 ? 40 : 0);
        CUDA(cudaMemcpyAsync(device, x, sizeof x, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(found, device + N, 8, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        OK(quire_sum(NULL, QUIRE_F32, N, x, QUIRE_EXACT, QUIRE_F32, &expected[0]));
        OK(quire_dot(NULL, QUIRE_F32, N - 1, x, x + 1, QUIRE_KAHAN, QUIRE_F32, &expected[1]));
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
    OK(quire_open_cuda(&c, 0, stream));
    if (_i)
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    else
        CUDA(cudaMemcpyAsync(device, x, sizeof x, cudaMemcpyHostToDevice, stream));
    for (size_t i = 0; i < CALLS; i++) {
        const size_t from = (N + i - lengths[i % 5]) & ~(size_t)3, n = N + i - from;
        const quire_method method = i % 7 == 6 ? QUIRE_EXACT : (quire_method)(QUIRE_EXACT + 1 + (int)(i % 3));
        OK(quire_mean(c, QUIRE_F32, n, device + from, method, QUIRE_F32, device + N + i));
        OK(quire_mean(NULL, QUIRE_F32, n, x + from, method, QUIRE_F32, x + N + i));
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
        OK(quire_open_cuda(&c[i], 0, stream[i]));
    }
    OK(quire_open_cuda(&c[2], 0, stream[0]));
    for (int t = 0; t < TURNS; t++) {
        OK(quire_sum(c[0], QUIRE_F64, N, device, QUIRE_EXACT, QUIRE_F64, results + 3 * t));
        OK(quire_sum(c[1], QUIRE_F64, N, device, QUIRE_PAIRWISE, QUIRE_F64, results + 3 * t + 1));
        OK(quire_set_stream(c[2], stream[t % 2]));
        OK(quire_sum(c[2], QUIRE_F64, N, device, QUIRE_EXACT, QUIRE_F64, results + 3 * t + 2));
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(found, results, sizeof found, cudaMemcpyDeviceToHost));
    OK(quire_sum(NULL, QUIRE_F64, N, x, QUIRE_EXACT, QUIRE_F64, &expected[0]));
    OK(quire_sum(NULL, QUIRE_F64, N, x, QUIRE_PAIRWISE, QUIRE_F64, &expected[1]));
    for (int t = 0; t < 3 * TURNS; t++) ck_assert_msg(!memcmp(&found[t], &expected[t % 3 == 1], 8), "turn %d", t);
    for (int i = 0; i < 3; i++) quire_close(c[i]);
    for (int i = 0; i < 2; i++) CUDA(cudaStreamDestroy(stream[i]));
    CUDA(cudaFree(device));
    CUDA(cudaFree(results));
    free(x);
}
END_TEST

/* Long arrays, at odd places, of data that fit a window, nearly do, and do not: the CPU's bits, in every method; as
 * they are launched, and in pieces as if they were longer. */
START_TEST(equals_the_cpu) {
    static const int spreads[] = { 3, 24, 90, 0 };
    static const char *const launches[] = { "0,0", "0,0,1", "32,0,1" };
    const quire_type type = (quire_type)(1 + _i / 4);
    const int spread = spreads[_i % 4];
    const size_t size = (size_t)(type == QUIRE_F64   ? 8
                                 : type == QUIRE_F32 ? 4
                                                     : 2),
                 n = 3000017, room = (n + 64) * size;
    char *x = malloc(2 * room), *device;
    uint64_t found[2], expected[2], *result;
    quire_context *c[3], *cpu;
    for (int i = 0; i < 3; i++) c[i] = open_launched(launches[i], NULL);
    OK(quire_open_cpu(&cpu, 0));
    CUDA(cudaMalloc((void **)&device, 2 * room));
    CUDA(cudaMalloc((void **)&result, 64));
    fill(type, 2 * (n + 64), x, type == QUIRE_F16 && spread > 15 ? 14 : spread);
    CUDA(cudaMemcpy(device, x, 2 * room, cudaMemcpyHostToDevice));
    for (int op = 0; op < 5; op++)
        for (int m = QUIRE_EXACT; m <= QUIRE_PLAIN; m++)
            for (size_t shift = 0; shift < 4; shift++) {
                const size_t a = (shift & 1) * 3 * size, b = room + (shift & 2) * size, length = shift == 3 ? n / 7 : n;
                const quire_type to = (quire_type)(1 + (op + m + (int)shift) % 4);
                expected[0] = 0;
                OK(reduce(cpu, op, type, length, x + a, x + b, (quire_method)m, to, expected));
                for (int i = 0; i < 3; i++) {
                    found[0] = 0;
                    CUDA(cudaMemset(result, 0, 8));
                    OK(reduce(c[i], op, type, length, device + a, device + b, (quire_method)m, to, result));
                    CUDA(cudaMemcpy(found, result, 8, cudaMemcpyDeviceToHost));
                    ck_assert_msg(found[0] == expected[0],
                                  "type %d op %d method %d shift %d launch %s: %llx, expected %llx", (int)type, op, m,
                                  (int)shift, launches[i], (unsigned long long)found[0],
                                  (unsigned long long)expected[0]);
                }
            }
    for (int i = 0; i < 3; i++) quire_close(c[i]);
    quire_close(cpu);
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    free(x);
}
END_TEST

/* Arrays of some hundred MB, of which blocks have the same share, but the last in short.cuh, which only gathers;
 * exact.cuh has sums of what is longer: what is added twice, or not at all, shows. Twice, as hard data is done in
 * another way the second time; to an accumulator; and by all methods. */
START_TEST(one_only_gathers) {
    enum { CHUNK = 1000003 };
    const size_t bytes = (size_t)(_i < 2 ? 290 : 120) << 20;
    const quire_type type = (quire_type)(1 + _i / 2);
    const size_t size = type_size(type), n = bytes / size - 54321;
    char *x = malloc(bytes), *device;
    quire_accumulator *a, expected_sum = QUIRE_ACCUMULATOR_ZERO, sum;
    uint64_t *result;
    quire_context *c;
    OK(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, bytes));
    CUDA(cudaMalloc((void **)&result, 64));
    CUDA(cudaMalloc((void **)&a, sizeof *a));
    fill(type, CHUNK, x, _i % 2 == 0 ? 9 : type == QUIRE_F64 ? 400 : 0); /* sums of squares are finite doubles */
    for (size_t at = CHUNK * size; at < bytes; at++) x[at] = x[at - CHUNK * size];
    CUDA(cudaMemcpy(device, x, bytes, cudaMemcpyHostToDevice));
    for (int op = 0; op < 8; op++) { /* all of them twice, the second time from the second element on */
        const size_t shift = op < 4 ? 0 : size, y = shift + (op % 4 == 2) * 4096; /* a product of two arrays */
        uint64_t found = 0, expected = 0;
        OK(reduce(NULL, op % 4, type, n, x + shift, x + y, QUIRE_EXACT, QUIRE_F64, &expected));
        for (int turn = 0; turn < 2; turn++) {
            CUDA(cudaMemset(result, 0, 8));
            OK(reduce(c, op % 4, type, n, device + shift, device + y, QUIRE_EXACT, QUIRE_F64, result));
            CUDA(cudaMemcpy(&found, result, 8, cudaMemcpyDeviceToHost));
            ck_assert_msg(found == expected, "type %d kind %d op %d turn %d: %llx, expected %llx", (int)type, _i % 2,
                          op, turn, (unsigned long long)found, (unsigned long long)expected);
        }
    }
    for (int m = QUIRE_KAHAN; m <= QUIRE_PLAIN; m++) {
        uint64_t found = 0, expected = 0;
        CUDA(cudaMemset(result, 0, 8));
        OK(quire_sum(NULL, type, n, x, (quire_method)m, QUIRE_F64, &expected));
        OK(quire_sum(c, type, n, device, (quire_method)m, QUIRE_F64, result));
        CUDA(cudaMemcpy(&found, result, 8, cudaMemcpyDeviceToHost));
        ck_assert_msg(found == expected, "type %d kind %d method %d: %llx, expected %llx", (int)type, _i % 2, m,
                      (unsigned long long)found, (unsigned long long)expected);
    }
    CUDA(cudaMemset(a, 0, sizeof *a));
    OK(quire_accumulate(c, a, type, n, device));
    CUDA(cudaMemcpy(&sum, a, sizeof sum, cudaMemcpyDeviceToHost));
    OK(quire_accumulate(NULL, &expected_sum, type, n, x));
    ck_assert(sum.other && expected_sum.other);
    sum.other = expected_sum.other;
    ck_assert_mem_eq(&sum, &expected_sum, sizeof sum);
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    CUDA(cudaFree(a));
    free(x);
}
END_TEST

/* Kahan of 16 bits where blocks take tiles in turn, of 16 rows and of 64, with stretches whose lanes add up without
 * rounding, seldom do, and never do: how a block adds a tile depends on those before it. */
START_TEST(long_kahan) {
    enum { CHUNK = 1 << 21, STRETCH = 7001 };
    static const int spreads[] = { 3, 11, 0 };
    const quire_type type = _i % 2 ? QUIRE_F16 : QUIRE_BF16;
    const size_t n = _i / 2 ? ((size_t)1 << 28) + 12347 : ((size_t)1 << 27) - 4711, size = type_size(type);
    char *x = malloc(n * size), *pool = malloc(3 * CHUNK * size), *device;
    double found, expected, *result;
    quire_context *c;
    OK(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, n * size));
    CUDA(cudaMalloc((void **)&result, sizeof *result));
    for (int kind = 0; kind < 3; kind++) fill(type, CHUNK, pool + (size_t)kind * CHUNK * size, spreads[kind]);
    for (size_t at = 0, some; at < n; at += some) {
        const size_t length = STRETCH * (1 + next_random() % 40), kind = next_random() % 3;
        const size_t from = kind * CHUNK + next_random() % (CHUNK - length);
        some = n - at < length ? n - at : length;
        memcpy(x + at * size, pool + from * size, some * size);
    }
    CUDA(cudaMemcpy(device, x, n * size, cudaMemcpyHostToDevice));
    for (int op = 0; op < 2; op++)
        for (size_t first = 0; first < 2; first++) { /* aligned, and not */
            OK(reduce(NULL, op, type, n - first, x + first * size, x, QUIRE_KAHAN, QUIRE_F64, &expected));
            OK(reduce(c, op, type, n - first, device + first * size, device, QUIRE_KAHAN, QUIRE_F64, result));
            CUDA(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
            ck_assert_msg(!memcmp(&found, &expected, sizeof found), "type %d op %d from %zu: %a, expected %a",
                          (int)type, op, first, found, expected);
        }
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    free(x);
    free(pool);
}
END_TEST

/* Arrays of many lengths, at odd places, on a device that is taken for a lesser one, of a laptop or of 2018: how many
 * blocks there are, and what they load, follows from its multiprocessors and their shared memory. */
START_TEST(lesser_devices) {
    static const char *const devices[] = { "1,64,7",  "8,163,8",  "14,64,7",   "24,99,12",
                                           "46,99,8", "70,99,12", "132,227,9", "0,0,0,64" };
    enum {
        DEVICES = sizeof devices / sizeof *devices,
        LEAST = 9,
        MOST = 22,
        LENGTHS = 3 * (MOST - LEAST),
        ROOM = 1 << MOST
    };
    const quire_type type = (quire_type)(1 + _i / 2);
    const size_t size = type_size(type);
    char *x = malloc(2 * ROOM * size), *device;
    uint64_t found[5], expected[5], *result;
    quire_context *c[DEVICES];
    for (int d = 0; d < DEVICES; d++) {
        setenv("QUIRE_CUDA_DEVICE", devices[d], 1);
        OK(quire_open_cuda(&c[d], 0, NULL));
        unsetenv("QUIRE_CUDA_DEVICE");
    }
    CUDA(cudaMalloc((void **)&device, 2 * ROOM * size));
    CUDA(cudaMalloc((void **)&result, sizeof found));
    fill(type, 2 * ROOM, x, _i % 2 == 0 ? 9 : type == QUIRE_F64 ? 400 : 0);
    CUDA(cudaMemcpy(device, x, 2 * ROOM * size, cudaMemcpyHostToDevice));
    for (size_t i = 0; i < LENGTHS; i++) {
        const size_t n = ((size_t)1 << (LEAST + i / 3)) * (16 + i % 3 * 6) / 16 - 101 * (i % 3) % 64;
        const size_t a = i % 2 * 3 * size, b = (ROOM + i % 5 / 4) * size; /* at times not aligned alike */
        memset(expected, 0, sizeof expected);
        for (int op = 0; op < 5; op++)
            OK(reduce(NULL, op == 4 ? 0 : op, type, n, x + a, x + b, op == 4 ? QUIRE_KAHAN : QUIRE_EXACT, QUIRE_F64,
                      expected + op));
        for (int d = 0; d < DEVICES; d++) {
            CUDA(cudaMemset(result, 0, sizeof found));
            for (int op = 0; op < 5; op++)
                OK(reduce(c[d], op == 4 ? 0 : op, type, n, device + a, device + b, op == 4 ? QUIRE_KAHAN : QUIRE_EXACT,
                          QUIRE_F64, result + op));
            CUDA(cudaMemcpy(found, result, sizeof found, cudaMemcpyDeviceToHost));
            for (int op = 0; op < 5; op++)
                ck_assert_msg(found[op] == expected[op], "type %d kind %d n %zu device %s case %d: %llx, expected %llx",
                              (int)type, _i % 2, n, devices[d], op, (unsigned long long)found[op],
                              (unsigned long long)expected[op]);
        }
    }
    for (int d = 0; d < DEVICES; d++) quire_close(c[d]);
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    free(x);
}
END_TEST

/* Blocks whose sums are far apart, or nothing: one element, or some, among zeros or tiny ones, and stairs, up or down.
 */
START_TEST(uneven) {
    static const char *const launches[] = { "0,0", "0,0,1", "1000,0,1" };
    const quire_type type = (quire_type)(1 + _i / 7);
    const int is_half = type == QUIRE_F16, kind = _i % 7, tiny = type == QUIRE_F64 ? -200 : is_half ? -13 : -60;
    const size_t size = type_size(type), n = ((size_t)1 << 22) + 4096 * 7 + 5;
    char *x = calloc(n, size), *device;
    uint64_t found[3] = { 0 }, expected = 0, *result;
    const size_t from = kind == 1 ? n - 1 : kind == 2 ? n / 2 : 0, to = kind < 3 ? from + 1 : n / 16;
    for (size_t i = 0; i < n; i++) {
        const int stair = (int)(is_half ? i * 20 / n : i * 40 / n * 4);
        double value = i >= from && i < to ? 3 : kind == 4 ? power_of_two(tiny) : 0;
        if (kind == 5) value = power_of_two(-stair);
        if (kind == 6) value = power_of_two(stair - (is_half ? 14 : 100));
        type_set(type, x, i, value);
    }
    CUDA(cudaMalloc((void **)&device, n * size));
    CUDA(cudaMalloc((void **)&result, 64));
    CUDA(cudaMemcpy(device, x, n * size, cudaMemcpyHostToDevice));
    OK(quire_sum(NULL, type, n, x, QUIRE_EXACT, QUIRE_F64, &expected));
    for (int i = 0; i < 3; i++) {
        quire_context *c = open_launched(launches[i], NULL);
        OK(quire_sum(c, type, n, device, QUIRE_EXACT, QUIRE_F64, result));
        CUDA(cudaMemcpy(&found[i], result, 8, cudaMemcpyDeviceToHost));
        ck_assert_msg(found[i] == expected, "type %d kind %d launch %s: %llx, expected %llx", (int)type, kind,
                      launches[i], (unsigned long long)found[i], (unsigned long long)expected);
        quire_close(c);
    }
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    free(x);
}
END_TEST

/* Warps of a short sum whose windows are not alike: stretches of 256 elements of other sizes, of zeros, with an Inf, or
 * that cancel, in one block, in a cluster, and in many blocks. */
START_TEST(unlike) {
    enum { KINDS = 7, NEGATIVE_ZEROS = 4, CANCELS = 5, INFINITE = 6, MOST = 1500007 };
    static const int exponent[KINDS][4] = { { 0, 9, 0, -9 },       { 60, 60, 60, 60 },         { 60, 61, 90, 0 },
                                            { 0, 200, -200, 100 }, { -999, -999, -999, -999 }, { 0, 13, 55, -30 },
                                            { 0, 0, 40, 0 } };
    static const size_t sizes[] = { 700, 5003, 20000, 70001, 300001, MOST };
    const quire_type type = (quire_type)(1 + _i / KINDS);
    const int kind = _i % KINDS, most = type == QUIRE_F64 ? 900 : type == QUIRE_F16 ? 9 : 90;
    const size_t size = type_size(type);
    char *x = calloc(MOST, size), *device;
    uint64_t found[4], expected[4], *result;
    quire_context *c;
    OK(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, MOST * size));
    CUDA(cudaMalloc((void **)&result, 64));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        for (size_t i = 0; i < n; i++) {
            const size_t from =
                kind == CANCELS && i >= n / 2 ? i - n / 2 : i; /* the second half is the first, with - */
            const int wished = exponent[kind][from / 256 % 4], e = wished > most    ? most
                                                                   : wished < -most ? -most
                                                                                    : wished;
            const double value = (1 + (double)(from * 37 % 128) / 128) * power_of_two(e) * (from % 3 ? 1 : -1);
            if (kind == NEGATIVE_ZEROS)
                type_set(type, x, i, -0.0);
            else
                type_set(type, x, i, from / 256 % 5 == 4 ? 0.0 : from == i ? value : -value);
        }
        if (kind == INFINITE) type_set(type, x, n / 3, HUGE_VAL);
        CUDA(cudaMemcpy(device, x, n * size, cudaMemcpyHostToDevice));
        for (int to = QUIRE_F16; to <= QUIRE_F64; to++) {
            CUDA(cudaMemset(result, 0, 32));
            memset(expected, 0, sizeof expected);
            for (int op = 0; op < 4; op++) {
                OK(reduce(c, op, type, n, device, device, QUIRE_EXACT, (quire_type)to, result + op));
                OK(reduce(NULL, op, type, n, x, x, QUIRE_EXACT, (quire_type)to, expected + op));
            }
            CUDA(cudaMemcpy(found, result, sizeof found, cudaMemcpyDeviceToHost));
            for (int op = 0; op < 4; op++)
                ck_assert_msg(found[op] == expected[op],
                              "type %d kind %d n %zu to %d operation %d: %llx, expected %llx", (int)type, kind, n, to,
                              op, (unsigned long long)found[op], (unsigned long long)expected[op]);
        }
    }
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaFree(result));
    free(x);
}
END_TEST

/* As many elements as a warp of a short sum takes, in one block of one warp: bins and columns have most additions then.
 */
#define BRIM_BYTES (64 * 4 * 32 * 16)
typedef struct brim {
    quire_type type;
    quire_context *context;
    double x[BRIM_BYTES / sizeof(double)];
    char *device;
    uint64_t *result;
} brim;

static brim *brim_open(quire_type type) {
    static brim b;
    b.type = type;
    b.context = open_launched("1,1", NULL);
    CUDA(cudaMalloc((void **)&b.device, BRIM_BYTES));
    CUDA(cudaMalloc((void **)&b.result, 4 * sizeof *b.result));
    return &b;
}

static void brim_close(brim *b) {
    quire_close(b->context);
    CUDA(cudaFree(b->device));
    CUDA(cudaFree(b->result));
}

/* Of every eight elements the first is one, with either sign in turn, the second another, all others the third. */
static void check_brim(brim *b, double first, double second, double others, int operations) {
    uint64_t found[4] = { 0 }, expected[4] = { 0 };
    const size_t size = type_size(b->type), n = BRIM_BYTES / size, half = n / 2; /* of pairs, half as many */
    for (size_t k = 0; k < n; k++)
        type_set(b->type, b->x, k, k % 8 == 0 ? k % 16 ? -first : first : k % 8 == 1 ? second : others);
    CUDA(cudaMemcpy(b->device, b->x, BRIM_BYTES, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(b->result, 0, sizeof found));
    const struct place {
        quire_context *context;
        const char *x;
        uint64_t *result;
    } places[] = { { b->context, b->device, b->result }, { NULL, (char *)b->x, expected } };
    for (int p = 0; p < 2; p++) {
        const struct place *at = &places[p];
        OK(quire_sum(at->context, b->type, n, at->x, QUIRE_EXACT, QUIRE_F64, at->result));
        OK(quire_asum(at->context, b->type, n, at->x, QUIRE_EXACT, QUIRE_F64, at->result + 1));
        if (operations < 4) continue;
        OK(quire_dot(at->context, b->type, half, at->x, at->x + half * size, QUIRE_EXACT, QUIRE_F64, at->result + 2));
        OK(quire_dot(at->context, b->type, n, at->x, at->x, QUIRE_EXACT, QUIRE_F64, at->result + 3));
    }
    CUDA(cudaMemcpy(found, b->result, sizeof found, cudaMemcpyDeviceToHost));
    for (int k = 0; k < operations; k++)
        ck_assert_msg(found[k] == expected[k], "type %d, %a, %a, %a, operation %d: %llx, expected %llx", (int)b->type,
                      first, second, others, k, (unsigned long long)found[k], (unsigned long long)expected[k]);
}

/* Powers of two, one of which is half a unit of the first bin, wherever that is, and is left to the second each time;
 * and elements with all bits set. Those beside them make that no sum of a load is a double. */
START_TEST(full_bins) {
    static const int beside[] = { INT_MAX, 2, 12, 31, -120, -1000 }, most[] = { 0, 15, 127, 127, 1023 },
                     least[] = { 0, -24, -133, -149, -1074 }, precision[] = { 0, 11, 8, 24, 53 };
    const quire_type type = (quire_type)(1 + _i / 6);
    const int other = beside[_i % 6];
    const double significand = other < 0 ? 2 - power_of_two(1 - precision[type]) : 1;
    brim *b = brim_open(type);
    for (int e = least[type] < -75 ? -75 : least[type]; e <= 40 && e <= most[type]; e++) {
        const double x = significand * power_of_two(e);
        check_brim(b, other > most[type] ? x : power_of_two(other < least[type] ? least[type] : other), x, x, 4);
    }
    brim_close(b);
}
END_TEST

/* The same where a window is as high as it must be, and its second bin's unit as low as it can be: there is an element
 * that no higher one would hold. */
START_TEST(full_second_bins) {
    brim *b = brim_open((quire_type)(QUIRE_BF16 + _i));
    for (int top = 0; top < 12; top++)
        for (int low = top - 84; low <= top - 64; low += 2)
            for (int half = top - 43; half <= top - 36; half++)
                check_brim(b, power_of_two(top), power_of_two(low), power_of_two(half), 2);
    brim_close(b);
}
END_TEST

/* Columns of bfloat16 take 512 terms: sums of large ones have no room then for the last bit of a small one of the same
 * cell. No window holds them and what is beside them. */
START_TEST(full_columns) {
    brim *b = brim_open(QUIRE_BF16);
    for (int e = 20; e < 36; e++)
        check_brim(b, power_of_two(-120), (1 + 0x1p-7) * power_of_two(e - 7), (2 - 0x1p-7) * power_of_two(e), 4);
    brim_close(b);
}
END_TEST

/* More elements than 32 bits count: all bytes 0x3c make halves of 1 + 15/256. */
START_TEST(beyond_32_bits) {
    const size_t n = ((size_t)1 << 32) + 12345;
    size_t available, all;
    uint16_t *x;
    double sum, *result;
    quire_context *c;
    CUDA(cudaMemGetInfo(&available, &all));
    if (available < 2 * n + (1 << 26)) return;
    CUDA(cudaMalloc((void **)&x, 2 * n));
    CUDA(cudaMalloc((void **)&result, 8));
    CUDA(cudaMemset(x, 0x3c, 2 * n));
    OK(quire_open_cuda(&c, 0, NULL));
    OK(quire_sum(c, QUIRE_F16, n, x, QUIRE_EXACT, QUIRE_F64, result));
    CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
    ck_assert(sum == (double)n * (1 + 15 / 256.0));
    for (int m = QUIRE_EXACT; m <= QUIRE_PLAIN; m++) {
        OK(quire_mean(c, QUIRE_F16, n, x, (quire_method)m, QUIRE_F64, result));
        CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
        ck_assert_msg(m == QUIRE_EXACT ? sum == 1 + 15 / 256.0 : sum > 1.058 && sum < 1.059, "method %d: %a", m, sum);
    }
    OK(quire_nrm2(c, QUIRE_F16, n, x, QUIRE_EXACT, QUIRE_F64, result));
    CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
    ck_assert(sum > 69376.0 && sum < 69377.5);
    quire_close(c);
    CUDA(cudaFree(x));
    CUDA(cudaFree(result));
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, opening);
    tcase_add_test(cases, host_pointers);
    tcase_add_test(cases, hundred_contexts);
    tcase_add_test(cases, graph_replay);
    tcase_add_loop_test(cases, behind_each_other, 0, 2);
    tcase_add_test(cases, two_streams);
    tcase_add_loop_test(cases, equals_the_cpu, 0, 16);
    tcase_add_loop_test(cases, one_only_gathers, 0, 8);
    tcase_add_loop_test(cases, long_kahan, 0, 4);
    tcase_add_loop_test(cases, lesser_devices, 0, 8);
    tcase_add_loop_test(cases, uneven, 0, 28);
    tcase_add_loop_test(cases, unlike, 0, 28);
    tcase_add_loop_test(cases, full_bins, 0, 24);
    tcase_add_loop_test(cases, full_second_bins, 0, 3);
    tcase_add_test(cases, full_columns);
    tcase_add_test(cases, beyond_32_bits);
    tcase_add_test(cases, out_of_memory);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("cuda", add_tests); }
