/* test_again.c - exact sums of one array that two ends, or two doubles, do not tell, and that are done again with all
 * bits: the CPU's bits, whether the first was enough or not. By our launches, and by one block and a few. CK_FORK=no.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quire/quire.h>

#include "call.h"
#include "device.h"
#include "families.h"
#include "number.h"
#include "support.h"

#define OK(call) ck_assert_int_eq(call, QUIRE_OK)

static const char *const LAUNCHES[] = { "0,0", "1,0", "9,0", "1000,0" };
enum { LAUNCH_COUNT = 4, ROOM = 1 << 20 };

static quire_context *on[LAUNCH_COUNT];
static cudaStream_t stream;
static unsigned char *device; /* ROOM bytes for x, and for y; 64 for a result */
static unsigned char x[ROOM], y[ROOM];

static void open_all(void) {
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc((void **)&device, 2 * ROOM + 64));
    for (int i = 0; i < LAUNCH_COUNT; i++) on[i] = open_launched(LAUNCHES[i], stream);
}

static void close_all(void) {
    for (int i = 0; i < LAUNCH_COUNT; i++) quire_close(on[i]);
    CUDA(cudaFree(device));
    CUDA(cudaStreamDestroy(stream));
}

static quire_status reduce(quire_context *c, int op, quire_type type, size_t n, const void *a, const void *b,
                           quire_type result_type, void *result) {
    switch (op) {
    case 0: return quire_sum(c, type, n, a, QUIRE_EXACT, result_type, result);
    case 1: return quire_asum(c, type, n, a, QUIRE_EXACT, result_type, result);
    case 2: return quire_dot(c, type, n, a, b, QUIRE_EXACT, result_type, result);
    case 3: return quire_nrm2(c, type, n, a, QUIRE_EXACT, result_type, result);
    case 4: return quire_mean(c, type, n, a, QUIRE_EXACT, result_type, result);
    default: return quire_dot(c, type, n, a, a, QUIRE_EXACT, result_type, result);
    }
}

static void to_device(size_t bytes) {
    CUDA(cudaMemcpyAsync(device, x, bytes, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(device + ROOM, y, bytes, cudaMemcpyHostToDevice, stream));
}

/* x and y are on the device: every launch's bits are the CPU's. */
static void check_reduce(int op, quire_type type, size_t n, quire_type to, const char *what) {
    uint64_t expected = 0, found;
    OK(reduce(NULL, op, type, n, x, y, to, &expected));
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        found = 0;
        CUDA(cudaMemsetAsync(device + 2 * ROOM, 0, 8, stream));
        OK(reduce(on[i], op, type, n, device, device + ROOM, to, device + 2 * ROOM));
        CUDA(cudaMemcpyAsync(&found, device + 2 * ROOM, 8, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        ck_assert_msg(found == expected, "%s, %s, op %d, n %zu, to %s, launch %s: %llx, expected %llx", what,
                      type_name(type), op, n, type_name(to), LAUNCHES[i], (unsigned long long)found,
                      (unsigned long long)expected);
    }
}

/* Every family, among them all exponents, ties and near ties below which there are all exponents, and sums of zero. */
START_TEST(families) {
    static const size_t lengths[] = { 33, 1000, 9216, 60001 };
    const quire_type type = TYPES[_i];
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const size_t n = lengths[l];
            family_fill_pair((family)f, type, (uint64_t)(f + 1) * l, n, x, y);
            to_device(n * type_size(type));
            for (int op = 0; op < 6; op++)
                for (int to = 0; to < 4; to++)
                    if (l < 2 || to == f % 4 || to == _i) check_reduce(op, type, n, TYPES[to], family_name((family)f));
        }
}
END_TEST

static void set(quire_type type, void *array, size_t i, double value) { type_set(type, array, i, value); }

/* 9071 terms that together bring a sum a little more than half an ulp of a float up, or down, beside some that cancel.
 */
START_TEST(small_terms) {
    const size_t n = 9 * 1024;
    for (size_t i = 0; i < n; i++)
        set(QUIRE_F32, x, i, i % 128 == 5 ? 0x1p98 : i % 128 == 69 ? -0x1p98 : _i ? -0x1.fffffep11 : 0x1.fffffep11);
    set(QUIRE_F32, x, 777, _i ? -0x1.000004p49 : 0x1.000004p49);
    memcpy(y, x, n * 4);
    to_device(n * 4);
    for (int to = 0; to < 4; to++) {
        check_reduce(0, QUIRE_F32, n, TYPES[to], "small terms");
        check_reduce(4, QUIRE_F32, n, TYPES[to], "small terms");
    }
}
END_TEST

/* 16 units less than half way from 1 to the next float, in bytes of ones; and 47 terms just below half a unit, which
 * together bring it beyond. */
START_TEST(beyond_half) {
    const int unit = -90 + _i, bytes = (-24 - 5 - unit) / 8, left = -24 - 8 * bytes - unit;
    const size_t n = 8192;
    memset(x, 0, n * 2);
    for (int k = 0; k < 56; k++) {
        const double value = k == 0           ? 1
                             : k <= bytes     ? ldexp(255, -24 - 8 * k)
                             : k == bytes + 1 ? ldexp((1 << left) - 16, unit)
                                              : ldexp(255, unit - 9);
        set(QUIRE_BF16, x, (size_t)(k / 8 * 256 + k % 8), value);
    }
    memcpy(y, x, n * 2);
    to_device(n * 2);
    check_reduce(1, QUIRE_BF16, n, QUIRE_F32, "beyond half");
}
END_TEST

/* (2^24 + 1)^2 in squares: their root is half way between two floats. Less 2^-22, and 2^-20 more, which a double that
 * has the squares of its neighbours loses. */
START_TEST(relative) {
    enum { BATCH = 2048, LARGE = 1 << 18 };
    const quire_type type = _i / 2 ? QUIRE_BF16 : QUIRE_F16;
    size_t n = BATCH;
    for (size_t i = 0; i < BATCH; i++) set(type, x, i, i < 33 ? power_of_two(-1 - (int)(i % 11)) : 0);
    for (int larger = 0; larger < LARGE; n++) {
        const int is_small = _i % 2 && n == 3 * BATCH + 7 * 256 + 5;
        set(type, x, n, is_small ? 0x1p-10 : 0x1p15);
        larger += !is_small;
    }
    for (int i = 0; i < 2; i++) set(type, x, n++, 0x1p12);
    to_device(n * 2);
    for (int to = 0; to < 4; to++) check_reduce(3, type, n, TYPES[to], "relative");
}
END_TEST

/* Doubles at both ends of their range: products that overflow, are scaled, or are lost but for fma. */
START_TEST(ranges) {
    const size_t n = 3000;
    for (int e = -1074; e <= 1023; e += 61) {
        for (size_t i = 0; i < n; i++) {
            const double small = (double)(i * i % 9973 + 1) * 0x1p-20;
            set(QUIRE_F64, x, i, i % 100 == 50 ? (i & 4 ? -0x1p1023 : 0x1p1023) : i % 7 ? small : small * 0x1p-500);
            set(QUIRE_F64, y, i, i % 100 == 50 ? 0x1p-1000 : i % 11 ? 0x1p-30 : 0x1p600);
        }
        set(QUIRE_F64, x, (size_t)(e + 1074), e < -1022 ? 0x1p-1022 * power_of_two(e + 1022) : power_of_two(e));
        to_device(n * 8);
        for (int op = 0; op < 6; op++) check_reduce(op, QUIRE_F64, n, TYPES[(e & 3)], "ranges");
    }
}
END_TEST

/* The result may take the place of a term, so nothing may read the array again once it is there: not even behind a sum
 * that had to be done again. Pairs that cancel, over many exponents; and one term more, or none. Doubles at times near
 * the end of their range, so that their magnitudes overflow. */
START_TEST(in_place) {
    const quire_type type = TYPES[1 + _i];
    const size_t n = 100001, size = type_size(type);
    generator g;
    generator_seed(&g, (uint64_t)_i);
    for (int turn = 0; turn < 20; turn++) {
        uint64_t expected = 0, found = 0;
        for (size_t i = 0; i + 1 < n; i += 2) {
            const int least = type == QUIRE_F64 && turn % 4 > 1 ? 900 : -60;
            set(type, x, i, (1 + generator_uniform(&g)) * power_of_two(generator_between(&g, least, least + 120)));
            type_store(type, x, i + 1, type_load(type, x, i) ^ type_sign(type));
        }
        set(type, x, n - 1, turn % 2 ? 0x1.8p40 : 0);
        to_device(n * size);
        for (int op = 0; op < 2; op++) {
            OK(reduce(NULL, op, type, n, x, x, type, &expected));
            memcpy(x + (n - 1) * size, &expected, size);
            OK(reduce(on[turn / 2 % LAUNCH_COUNT], op, type, n, device, device, type, device + (n - 1) * size));
        }
        CUDA(cudaMemcpyAsync(&found, device + (n - 1) * size, size, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        ck_assert_msg(found == expected, "turn %d: %llx, expected %llx", turn, (unsigned long long)found,
                      (unsigned long long)expected);
    }
}
END_TEST

/* A graph of sums, over data that change between what ends tell and what they do not. */
START_TEST(replay) {
    const quire_type type = TYPES[_i];
    const size_t n = 30000;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int op = 0; op < 6; op++)
        OK(reduce(on[op % 2 * 3], op, type, n, device, device + ROOM, QUIRE_F32, device + 2 * ROOM + 4 * op));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int turn = 0; turn < 60; turn++) {
        static const family all[] = { FAMILY_EVERY_EXPONENT, FAMILY_TELESCOPING, FAMILY_UNIFORM, FAMILY_TIE_ABOVE,
                                      FAMILY_FINITE_BITS,    FAMILY_ZERO,        FAMILY_HUGE };
        uint32_t found[6], expected[6];
        family_fill_pair(all[turn % 7], type, (uint64_t)turn, n, x, y);
        to_device(n * type_size(type));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(found, device + 2 * ROOM, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int op = 0; op < 6; op++) {
            OK(reduce(NULL, op, type, n, x, y, QUIRE_F32, &expected[op]));
            ck_assert_msg(found[op] == expected[op], "turn %d op %d: %x, expected %x", turn, op, found[op],
                          expected[op]);
        }
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}
END_TEST

/* What is accumulated has all its bits: x and then its negative leave the one term that is not there twice. */
START_TEST(accumulating) {
    const quire_type type = TYPES[_i];
    const size_t n = 20000;
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, *there = (quire_accumulator *)(void *)(device + ROOM);
    uint64_t found = 0;
    family_fill(FAMILY_EVERY_EXPONENT, type, 3, n, x);
    type_store(type, x, 4000, 1);
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        CUDA(cudaMemcpyAsync(there, &a, sizeof a, cudaMemcpyHostToDevice, stream));
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; side && k < n; k++) type_store(type, x, k, type_load(type, x, k) ^ type_sign(type));
            if (side) type_store(type, x, 4000, 0);
            CUDA(cudaMemcpyAsync(device, x, n * type_size(type), cudaMemcpyHostToDevice, stream));
            OK(quire_accumulate(on[i], there, type, n, device));
        }
        quire_accumulator sum;
        CUDA(cudaMemcpyAsync(&sum, there, sizeof sum, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        OK(quire_round(&sum, type, &found));
        ck_assert_msg(found == 1, "launch %s: %llx", LAUNCHES[i], (unsigned long long)found);
        for (size_t k = 0; k < n; k++) type_store(type, x, k, type_load(type, x, k) ^ type_sign(type));
        type_store(type, x, 4000, 1);
    }
}
END_TEST

/* What a sum is not told by leaves nothing behind for the next. At real lengths, with our own launches. */
START_TEST(one_after_another) {
    static const family all[] = { FAMILY_EVERY_EXPONENT, FAMILY_UNIFORM, FAMILY_TELESCOPING };
    enum { KINDS = 3, TURNS = 36, BYTES = 17 << 20 };
    const quire_type type = TYPES[_i];
    const size_t n = BYTES / type_size(type) - 5;
    unsigned char *host = malloc(BYTES), *there;
    uint64_t expected[KINDS], found[TURNS];
    quire_context *c;
    ck_assert_ptr_nonnull(host);
    CUDA(cudaMalloc((void **)&there, (size_t)KINDS * BYTES + sizeof found));
    CUDA(cudaMemsetAsync(there + (size_t)KINDS * BYTES, 0, sizeof found, stream));
    OK(quire_open_cuda(&c, 0, stream));
    for (int k = 0; k < KINDS; k++) {
        family_fill(all[k], type, (uint64_t)k + 7, n, host);
        expected[k] = 0;
        OK(quire_sum(NULL, type, n, host, QUIRE_EXACT, type, &expected[k]));
        CUDA(cudaMemcpy(there + (size_t)k * BYTES, host, BYTES, cudaMemcpyHostToDevice));
    }
    for (int turn = 0; turn < TURNS; turn++) { /* every kind behind every other, waited for and not */
        const int k = turn % 2 ? turn / 2 % KINDS : turn / 6 % KINDS;
        OK(quire_sum(c, type, n, there + (size_t)k * BYTES, QUIRE_EXACT, type,
                     there + (size_t)KINDS * BYTES + turn * sizeof *found));
        if (turn < TURNS / 2) CUDA(cudaStreamSynchronize(stream));
    }
    CUDA(cudaMemcpyAsync(found, there + (size_t)KINDS * BYTES, sizeof found, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int turn = 0; turn < TURNS; turn++) {
        const int k = turn % 2 ? turn / 2 % KINDS : turn / 6 % KINDS;
        ck_assert_msg(found[turn] == expected[k], "%s, turn %d, kind %d: %llx, expected %llx", type_name(type), turn, k,
                      (unsigned long long)found[turn], (unsigned long long)expected[k]);
    }
    quire_close(c);
    CUDA(cudaFree(there));
    free(host);
}
END_TEST

/* Blocks whose sums are far apart, or nothing: one element, or some, among zeros or tiny ones, and stairs, up or down.
 */
START_TEST(uneven) {
    static const char *const launches[] = { "0,0", "3,0", "1000,0" };
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
    check_ok(quire_sum(NULL, type, n, x, QUIRE_EXACT, QUIRE_F64, &expected));
    for (int i = 0; i < 3; i++) {
        quire_context *c = open_launched(launches[i], NULL);
        check_ok(quire_sum(c, type, n, device, QUIRE_EXACT, QUIRE_F64, result));
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

/* Warps whose sums are not alike: stretches of 256 elements of other sizes, of zeros, with an Inf, or
 * that cancel, in one block and in many. */
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
    check_ok(quire_open_cuda(&c, 0, NULL));
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
                check_ok(call_operation(c, (operation)op, type, n, device, device, QUIRE_EXACT, (quire_type)to,
                                        result + op));
                check_ok(
                    call_operation(NULL, (operation)op, type, n, x, x, QUIRE_EXACT, (quire_type)to, expected + op));
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

static void add_tests(TCase *cases) {
    tcase_add_unchecked_fixture(cases, open_all, close_all);
    tcase_add_loop_test(cases, families, 0, 4);
    tcase_add_loop_test(cases, small_terms, 0, 2);
    tcase_add_loop_test(cases, beyond_half, 0, 9);
    tcase_add_loop_test(cases, relative, 0, 4);
    tcase_add_test(cases, ranges);
    tcase_add_loop_test(cases, in_place, 0, 3);
    tcase_add_loop_test(cases, replay, 0, 4);
    tcase_add_loop_test(cases, accumulating, 0, 4);
    tcase_add_loop_test(cases, one_after_another, 0, 4);
    tcase_add_loop_test(cases, uneven, 0, 28);
    tcase_add_loop_test(cases, unlike, 0, 28);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("again", add_tests); }
