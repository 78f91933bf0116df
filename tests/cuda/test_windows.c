/* test_windows.c - exact sums by windows of bins: blocks and warps whose windows are not alike, and bins that are as
 * full as they can be. The CPU's bits. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <quire/quire.h>

#include "call.h"
#include "device.h"
#include "number.h"
#include "support.h"

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
        check_ok(quire_sum(at->context, b->type, n, at->x, QUIRE_EXACT, QUIRE_F64, at->result));
        check_ok(quire_asum(at->context, b->type, n, at->x, QUIRE_EXACT, QUIRE_F64, at->result + 1));
        if (operations < 4) continue;
        check_ok(
            quire_dot(at->context, b->type, half, at->x, at->x + half * size, QUIRE_EXACT, QUIRE_F64, at->result + 2));
        check_ok(quire_dot(at->context, b->type, n, at->x, at->x, QUIRE_EXACT, QUIRE_F64, at->result + 3));
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

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, uneven, 0, 28);
    tcase_add_loop_test(cases, unlike, 0, 28);
    tcase_add_loop_test(cases, full_bins, 0, 24);
    tcase_add_loop_test(cases, full_second_bins, 0, 3);
    tcase_add_test(cases, full_columns);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("windows", add_tests); }
