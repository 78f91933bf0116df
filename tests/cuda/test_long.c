/* test_long.c - arrays so long that many blocks share them, of ordinary and wide-range data, at odd places, on devices
 * of any size, and of more than 2^32 elements: the CPU's bits. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <quire/quire.h>

#include "call.h"
#include "device.h"
#include "random_elements.h"
#include "support.h"

/* Long arrays, at odd places, of data over few binades, over more, and over all: the CPU's bits, in every method; as
 * they are launched, and by other numbers of blocks. */
START_TEST(equals_the_cpu) {
    static const int spreads[] = { 3, 24, 90, 0 };
    static const char *const launches[] = { "0,0", "1000,0", "32,0" };
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
    check_ok(quire_open_cpu(&cpu, 0));
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
                check_ok(call_operation(cpu, (operation)op, type, length, x + a, x + b, (quire_method)m, to, expected));
                for (int i = 0; i < 3; i++) {
                    found[0] = 0;
                    CUDA(cudaMemset(result, 0, 8));
                    check_ok(call_operation(c[i], (operation)op, type, length, device + a, device + b, (quire_method)m,
                                            to, result));
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

/* Arrays of some hundred MB: what is added twice, or not at all, shows. To results, to an accumulator, and by all
 * methods. */
START_TEST(each_element_once) {
    enum { CHUNK = 1000003 };
    const size_t bytes = (size_t)(_i < 2 ? 290 : 120) << 20;
    const quire_type type = (quire_type)(1 + _i / 2);
    const size_t size = type_size(type), n = bytes / size - 54321;
    char *x = malloc(bytes), *device;
    quire_accumulator *a, expected_sum = QUIRE_ACCUMULATOR_ZERO, sum;
    uint64_t *result;
    quire_context *c;
    check_ok(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&device, bytes));
    CUDA(cudaMalloc((void **)&result, 64));
    CUDA(cudaMalloc((void **)&a, sizeof *a));
    fill(type, CHUNK, x, _i % 2 == 0 ? 9 : type == QUIRE_F64 ? 400 : 0); /* sums of squares are finite doubles */
    for (size_t at = CHUNK * size; at < bytes; at++) x[at] = x[at - CHUNK * size];
    CUDA(cudaMemcpy(device, x, bytes, cudaMemcpyHostToDevice));
    for (int op = 0; op < 8; op++) { /* all of them twice, the second time from the second element on */
        const size_t shift = op < 4 ? 0 : size, y = shift + (op % 4 == 2) * 4096; /* a product of two arrays */
        uint64_t found = 0, expected = 0;
        check_ok(
            call_operation(NULL, (operation)(op % 4), type, n, x + shift, x + y, QUIRE_EXACT, QUIRE_F64, &expected));
        for (int turn = 0; turn < 2; turn++) {
            CUDA(cudaMemset(result, 0, 8));
            check_ok(call_operation(c, (operation)(op % 4), type, n, device + shift, device + y, QUIRE_EXACT, QUIRE_F64,
                                    result));
            CUDA(cudaMemcpy(&found, result, 8, cudaMemcpyDeviceToHost));
            ck_assert_msg(found == expected, "type %d kind %d op %d turn %d: %llx, expected %llx", (int)type, _i % 2,
                          op, turn, (unsigned long long)found, (unsigned long long)expected);
        }
    }
    for (int m = QUIRE_KAHAN; m <= QUIRE_PLAIN; m++) {
        uint64_t found = 0, expected = 0;
        CUDA(cudaMemset(result, 0, 8));
        check_ok(quire_sum(NULL, type, n, x, (quire_method)m, QUIRE_F64, &expected));
        check_ok(quire_sum(c, type, n, device, (quire_method)m, QUIRE_F64, result));
        CUDA(cudaMemcpy(&found, result, 8, cudaMemcpyDeviceToHost));
        ck_assert_msg(found == expected, "type %d kind %d method %d: %llx, expected %llx", (int)type, _i % 2, m,
                      (unsigned long long)found, (unsigned long long)expected);
    }
    CUDA(cudaMemset(a, 0, sizeof *a));
    check_ok(quire_accumulate(c, a, type, n, device));
    CUDA(cudaMemcpy(&sum, a, sizeof sum, cudaMemcpyDeviceToHost));
    check_ok(quire_accumulate(NULL, &expected_sum, type, n, x));
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
    check_ok(quire_open_cuda(&c, 0, NULL));
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
            check_ok(call_operation(NULL, (operation)op, type, n - first, x + first * size, x, QUIRE_KAHAN, QUIRE_F64,
                                    &expected));
            check_ok(call_operation(c, (operation)op, type, n - first, device + first * size, device, QUIRE_KAHAN,
                                    QUIRE_F64, result));
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
 * blocks there are follows from its multiprocessors. */
START_TEST(lesser_devices) {
    static const char *const devices[] = { "1,7,32", "8,8,2", "14,7,32", "24,12,64", "46,8,64", "70,12,64", "132,9,2" };
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
        check_ok(quire_open_cuda(&c[d], 0, NULL));
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
            check_ok(call_operation(NULL, op == 4 ? OPERATION_SUM : (operation)op, type, n, x + a, x + b,
                                    op == 4 ? QUIRE_KAHAN : QUIRE_EXACT, QUIRE_F64, expected + op));
        for (int d = 0; d < DEVICES; d++) {
            CUDA(cudaMemset(result, 0, sizeof found));
            for (int op = 0; op < 5; op++)
                check_ok(call_operation(c[d], op == 4 ? OPERATION_SUM : (operation)op, type, n, device + a, device + b,
                                        op == 4 ? QUIRE_KAHAN : QUIRE_EXACT, QUIRE_F64, result + op));
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
    check_ok(quire_open_cuda(&c, 0, NULL));
    check_ok(quire_sum(c, QUIRE_F16, n, x, QUIRE_EXACT, QUIRE_F64, result));
    CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
    ck_assert(sum == (double)n * (1 + 15 / 256.0));
    for (int m = QUIRE_EXACT; m <= QUIRE_PLAIN; m++) {
        check_ok(quire_mean(c, QUIRE_F16, n, x, (quire_method)m, QUIRE_F64, result));
        CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
        ck_assert_msg(m == QUIRE_EXACT ? sum == 1 + 15 / 256.0 : sum > 1.058 && sum < 1.059, "method %d: %a", m, sum);
    }
    check_ok(quire_nrm2(c, QUIRE_F16, n, x, QUIRE_EXACT, QUIRE_F64, result));
    CUDA(cudaMemcpy(&sum, result, 8, cudaMemcpyDeviceToHost));
    ck_assert(sum > 69376.0 && sum < 69377.5);
    quire_close(c);
    CUDA(cudaFree(x));
    CUDA(cudaFree(result));
}
END_TEST

/* A segment of 2^31 elements and more among short and empty ones: the bits of the single call, in every method. With
 * offsets of 32 bits one element fewer. */
START_TEST(segment_beyond_31_bits) {
    enum { COUNT = 6 };
    const int64_t most = ((int64_t)1 << 31) + 12345, least = INT32_MAX - 9;
    const int64_t wide[COUNT + 1] = { 0, 7, 7, 7 + most, 40 + most, 40 + most, 3000 + most };
    const int32_t narrow[COUNT + 1] = {
        0, 7, 7, 7 + (int32_t)least, 8 + (int32_t)least, 8 + (int32_t)least, INT32_MAX
    };
    const void *const offsets[] = { narrow, wide };
    const size_t sizes[] = { sizeof *narrow, sizeof *wide }, elements = (size_t)wide[COUNT];
    size_t available, all;
    uint16_t *x;
    double found[COUNT], expected, *result;
    char *begin;
    quire_context *c;
    CUDA(cudaMemGetInfo(&available, &all));
    if (available < 2 * elements + (1 << 26)) return;
    CUDA(cudaMalloc((void **)&x, 2 * elements));
    CUDA(cudaMalloc((void **)&result, sizeof found));
    CUDA(cudaMalloc((void **)&begin, sizeof wide));
    CUDA(cudaMemset(x, 0x3c, 2 * elements)); /* halves of 1 + 15/256 */
    check_ok(quire_open_cuda(&c, 0, NULL));
    for (int op = QUIRE_SUM; op <= QUIRE_SUMSQ; op++)
        for (int m = QUIRE_EXACT; m <= (op < QUIRE_VARIANCE || op == QUIRE_SUMSQ ? QUIRE_PLAIN : QUIRE_EXACT); m++)
            for (int i = 0; i < 2; i++) {
                const quire_reduction what = { (quire_operation)op, QUIRE_F16, QUIRE_F64, (quire_method)m,
                                               QUIRE_TO_NEAREST,    0,         { 0 } };
                CUDA(cudaMemcpy(begin, offsets[i], sizes[i] * (COUNT + 1), cudaMemcpyHostToDevice));
                check_ok(quire_reduce_segments(c, &what, COUNT, i ? QUIRE_I64 : QUIRE_I32, begin, begin + sizes[i], x,
                                               x, result));
                CUDA(cudaMemcpy(found, result, sizeof found, cudaMemcpyDeviceToHost));
                for (int s = 0; s < COUNT; s++) {
                    const int64_t from = i ? wide[s] : narrow[s], n = (i ? wide[s + 1] : narrow[s + 1]) - from;
                    const quire_layout layout = quire_strided((size_t)n, 1);
                    check_ok(quire_reduce(c, &what, &layout, x + from, &layout, x + from, result));
                    CUDA(cudaMemcpy(&expected, result, sizeof expected, cudaMemcpyDeviceToHost));
                    ck_assert_msg(!memcmp(&found[s], &expected, sizeof expected),
                                  "operation %d method %d offsets %d segment %d: %a, expected %a", op, m, i, s,
                                  found[s], expected);
                    if (op == QUIRE_SUM && m == QUIRE_EXACT) ck_assert(found[s] == (double)n * (1 + 15 / 256.0));
                }
            }
    quire_close(c);
    CUDA(cudaFree(x));
    CUDA(cudaFree(result));
    CUDA(cudaFree(begin));
}
END_TEST

/* Segments that stand one over the other, and more long ones than can be put aside: the last, of more than 2^32
 * doubles, is summed by one warp. All overflow on the way, and so are read in a scale. */
START_TEST(segment_beyond_the_list) {
    enum { COUNT = 1 << 18, SHORT = 1 << 15 };
    const size_t n = ((size_t)1 << 32) + 100;
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const double first[] = { DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, 1 }, middle = 1000, last = 41;
    size_t available, all;
    double *x, *result, *found;
    int64_t *begin, *end, *ends;
    quire_context *c;
    CUDA(cudaMemGetInfo(&available, &all));
    if (available < n * sizeof *x + ((size_t)1 << 28)) return;
    found = malloc(COUNT * sizeof *found), ends = malloc(COUNT * sizeof *ends);
    for (size_t i = 0; i < COUNT; i++) ends[i] = i < COUNT - 1 ? SHORT : (int64_t)n;
    CUDA(cudaMalloc((void **)&x, n * sizeof *x));
    CUDA(cudaMalloc((void **)&result, COUNT * sizeof *result));
    CUDA(cudaMalloc((void **)&begin, COUNT * sizeof *begin));
    CUDA(cudaMalloc((void **)&end, COUNT * sizeof *end));
    CUDA(cudaMemset(x, 0, n * sizeof *x));
    CUDA(cudaMemset(begin, 0, COUNT * sizeof *begin));
    CUDA(cudaMemcpy(end, ends, COUNT * sizeof *end, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x, first, sizeof first, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x + 1000000, &middle, sizeof middle, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x + n - 1, &last, sizeof last, cudaMemcpyHostToDevice));
    check_ok(quire_open_cuda(&c, 0, NULL));
    check_ok(quire_reduce_segments(c, &what, COUNT, QUIRE_I64, begin, end, x, x, result));
    CUDA(cudaMemcpy(found, result, COUNT * sizeof *found, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < COUNT; i++) ck_assert_msg(found[i] == (i < COUNT - 1 ? 1 : 1042), "%zu: %a", i, found[i]);
    quire_close(c);
    CUDA(cudaFree(x));
    CUDA(cudaFree(result));
    CUDA(cudaFree(begin));
    CUDA(cudaFree(end));
    free(found), free(ends);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, equals_the_cpu, 0, 16);
    tcase_add_loop_test(cases, each_element_once, 0, 8);
    tcase_add_loop_test(cases, long_kahan, 0, 4);
    tcase_add_loop_test(cases, lesser_devices, 0, 8);
    tcase_add_test(cases, beyond_32_bits);
    tcase_add_test(cases, segment_beyond_31_bits);
    tcase_add_test(cases, segment_beyond_the_list);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("long", add_tests); }
