/* test_floats.c - exact sums by bins of floats (src/cuda/thread/float_bins.cuh), filled to the brim: the CPU's bits. A
 * lane's batch is 32 floats or 64 elements of 16 bits, the bins' range 53 bits or 33, their units 17 or 16 bits below
 * the top and then 18 or 17 bits apart; of products of floats 16, with a range of 79, or 32 squares, of 76; of squares
 * of 16 bits 64, of 50, or 67 with the spare bin: one more would fail here. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <quire/quire.h>

#include "device.h"
#include "support.h"

#define OK(call) ck_assert_int_eq(call, QUIRE_OK)

static const char *const LAUNCHES[] = { "0,0,1", "1,1,1", "3,0,1" };
enum { LAUNCH_COUNT = 3, N = 1 << 20 }; /* one warp alone reads its counts as late as it may */

/* The window that a batch of such elements gets: its top, where there are no bits to spare. */
static const struct window {
    quire_type type;
    int precision, top, first, step, bins, batch;
} WINDOWS[] = {
    { QUIRE_F32, 24, 0, 17, 18, 3, 1024 },
    { QUIRE_F16, 11, 9, 16, 17, 2, 2048 },
    { QUIRE_BF16, 8, 3, 16, 17, 2, 2048 },
};
enum { WINDOW_COUNT = 3, KINDS = 3 };

static quire_context *on[2 * LAUNCH_COUNT]; /* as the device is, and as one of few double units (policy.h) */
static char *device, *device_y;
static uint64_t *result;
static char x[N * sizeof(float)], y[N * sizeof(float)];

static void open_all(void) {
    CUDA(cudaMalloc((void **)&device, sizeof x));
    CUDA(cudaMalloc((void **)&device_y, sizeof y));
    CUDA(cudaMalloc((void **)&result, sizeof *result));
    for (int i = 0; i < 2 * LAUNCH_COUNT; i++) {
        if (i % 2) setenv("QUIRE_CUDA_DEVICE", "0,0,0,64", 1);
        on[i] = open_launched(LAUNCHES[i / 2], NULL);
        unsetenv("QUIRE_CUDA_DEVICE");
    }
}

static void close_all(void) {
    for (int i = 0; i < 2 * LAUNCH_COUNT; i++) quire_close(on[i]);
    CUDA(cudaFree(device));
    CUDA(cudaFree(device_y));
    CUDA(cudaFree(result));
}

static void check_some(const quire_reduction *what, size_t n, int kind, int signs) {
    const quire_layout layout = quire_rows(1, n, n);
    const int has_y = what->operation == QUIRE_DOT;
    uint64_t expected = 0;
    OK(quire_reduce(NULL, what, &layout, x, NULL, has_y ? y : NULL, &expected));
    for (int i = 0; i < 2 * LAUNCH_COUNT; i++) {
        uint64_t found = 0;
        CUDA(cudaMemset(result, 0, sizeof *result));
        OK(quire_reduce(on[i], what, &layout, device, NULL, has_y ? device_y : NULL, result));
        CUDA(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
        ck_assert_msg(found == expected, "operation %d, %s to %s, bin %d, signs %d, launch %s: %llx, expected %llx",
                      (int)what->operation, type_name(what->type), type_name(what->result_type), kind, signs,
                      LAUNCHES[i / 2], (unsigned long long)found, (unsigned long long)expected);
    }
}

static void check(const quire_reduction *what, int kind, int signs) { check_some(what, N, kind, signs); }

static void check_sum(quire_operation operation, quire_type type, quire_type to, int kind, int signs) {
    const quire_reduction what = { operation, type, to, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    check(&what, kind, signs);
}

/* Terms as great as the window allows, or which leave nearly half a unit of the bins before: all that a bin has to
 * count, of one sign, of the other, and of both in turn. Beside them, in each batch, one that makes the window's top
 * and one that has its last bit. */
START_TEST(full_bins) {
    const struct window *w = &WINDOWS[_i / KINDS];
    const int bin = _i % KINDS, below = bin ? w->first + (bin - 1) * w->step + 1 : 0; /* half a unit: 2^(top - below) */
    const int range = w->first + (w->bins - 1) * w->step;
    const int bits = range - below < w->precision ? range - below : w->precision;
    if (bin >= w->bins) return;
    for (int signs = 0; signs < 3; signs++) {
        const double term = ldexp(1, w->top - below) - ldexp(1, w->top - below - bits);
        for (int i = 0; i < N; i++) {
            const int negative = signs == 2 ? i % 2 : signs, at = i % w->batch;
            const double magnitude = at == 5    ? ldexp(1, w->top) - ldexp(1, w->top - w->precision)
                                     : at == 77 ? ldexp(1, w->top - range + w->precision - 1)
                                                : term;
            type_set(w->type, x, (size_t)i, negative ? -magnitude : magnitude);
        }
        CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
        check_sum(QUIRE_SUM, w->type, QUIRE_F64, bin, signs);
        check_sum(QUIRE_SUM, w->type, w->type, bin, signs);
        check_sum(QUIRE_ASUM, w->type, QUIRE_F64, bin, signs);
    }
}
END_TEST

/* Products whose top and last bit are as far apart as three bins of 32 terms allow, 53 bits, and which cancel; now and
 * then one with the bit below, which is taken out of its batch. Or all of it behind zeros, of which a warp's first
 * batches tell nothing. */
START_TEST(small_products) {
    enum { RANGE = 53, TOP = 6, BATCH = 1024, LEAST = TOP - RANGE }; /* of a product: of its factors half of that */
    const quire_type type = WINDOWS[1 + _i / 2].type;
    const int stored = WINDOWS[1 + _i / 2].precision - 1, behind_zeros = _i % 2;
    const double odd = 1 + ldexp(1, -stored), most = ldexp(2 - ldexp(1, -stored), TOP / 2 - 1);
    const double low = ldexp(odd, LEAST / 2 + stored), lower = ldexp(odd, LEAST / 2 - 1 + stored);
    for (int i = 0; i < N; i++) {
        const int b = i / BATCH, at = i % BATCH;
        double u = 0, v = 0;
        if (at == 5) u = v = most;
        if (at == 77) u = low, v = lower;
        if (at == 1000 && (b * b + b) % 7 == 2) u = v = lower;
        if (at != 1000 && b % 2) u = -u;
        if (behind_zeros && i < N / 2) u = v = 0;
        type_set(type, x, (size_t)i, u);
        type_set(type, y, (size_t)i, v);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice));
    check_sum(QUIRE_DOT, type, QUIRE_F64, 0, behind_zeros);
    check_sum(QUIRE_DOT, type, type, 0, behind_zeros);
}
END_TEST

/* Squares of halves, of which the least bit decides: upward, the others being a double. It is within the usual bins, or
 * only with the spare one, or below all. */
START_TEST(small_squares) {
    enum { BATCH = 2048, LEAST = -48 };
    static const int ranges[] = { 48, 50, 52, 66, 68 }; /* from the top of all squares down to that bit */
    const quire_reduction what = { QUIRE_SUMSQ, QUIRE_F16, QUIRE_F64, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    const int top = LEAST + ranges[_i];
    for (int i = 0; i < N; i++) {
        const int at = i % BATCH;
        double u = at == 5 ? ldexp(1, top / 2 - 1) : at == 77 && ranges[_i] <= 52 ? 0x1p-24 : 0; /* all one double */
        if (i == BATCH * 300 + 1000) u = 0x1p-24;
        type_set(QUIRE_F16, x, (size_t)i, u);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    check(&what, ranges[_i], 0);
}
END_TEST

/* A square within the floats' bins, as far as these alone are asked, but below a window that great ones have placed: it
 * decides, upward. */
START_TEST(squares_below_the_window) {
    enum { BATCH = 2048 };
    const quire_reduction what = { QUIRE_SUMSQ, QUIRE_BF16, QUIRE_F64, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    for (int i = 0; i < N; i++) {
        const int b = i / BATCH, at = i % BATCH;
        type_set(QUIRE_BF16, x, (size_t)i, b == 300 ? (at == 77 ? 0x1p-24 : 0) : at == 5 ? 0x1p19 : 0);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    check(&what, 0, 0);
}
END_TEST

/* The same of a sum: two batches whose least bit is one below the window, where others cancel. */
START_TEST(sums_below_the_window) {
    enum { BATCH = 1024, TOP = 24, RANGE = 53, WINDOW = 87, LEAST = TOP - WINDOW - 1 }; /* TOP: of 2^20 and less */
    for (int i = 0; i < N; i++) {
        const int b = i / BATCH, at = i % BATCH;
        double u = at == 5 ? (b % 2 ? -0x1p19 : 0x1p19) : 0;
        if (b == 300 || b == 301) u = at == 5 ? ldexp(1, LEAST + RANGE - 1) : 0;
        if ((b == 300 || b == 301) && at == 77) u = ldexp(1 + 0x1p-23, LEAST + 23);
        type_set(QUIRE_F32, x, (size_t)i, u);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    check_sum(QUIRE_SUM, QUIRE_F32, QUIRE_F64, 0, 0);
}
END_TEST

/* Products of floats as great as they may be, or which leave half a unit of the first bin; those of the next batch
 * cancel them. What is left is of two products a batch, one of which has its least bit where the last bin of the errors
 * ends, the other its own where the last of the products does, or both one lower. */
START_TEST(float_products) {
    enum { BATCH = 512, TOP = 2, RANGE = 79, FIRST = 18, STEP = 19 };
    const int bin = _i / 2, below = _i % 2, half = bin ? FIRST + (bin - 1) * STEP + 1 : 0;
    const double most = 2 - 0x1p-23, least = ldexp(1 + 0x1p-23, TOP - RANGE + 46 - below);
    for (int i = 0; i < N; i++) {
        const int at = i % BATCH, sign = i / BATCH % 2 ? -1 : 1;
        double u = sign * ldexp(most, at == 5 ? 0 : -half), v = most;
        if (at == 77) u = least, v = 1 + 0x1p-23;
        if (at == 300) u = least, v = 1 + 0x1p-22;
        type_set(QUIRE_F32, x, (size_t)i, u);
        type_set(QUIRE_F32, y, (size_t)i, v);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice));
    check_sum(QUIRE_DOT, QUIRE_F32, QUIRE_F64, bin, below);
}
END_TEST

/* Squares likewise, of one batch or a few: upward the error of one decides. */
START_TEST(float_squares) {
    enum { BATCH = 1024 };
    const quire_reduction what = { QUIRE_SUMSQ, QUIRE_F32, QUIRE_F64, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    const double least = ldexp(1 + 0x1p-12, -14 - _i % 2);
    const size_t n = (size_t)BATCH << _i / 2;
    for (size_t i = 0; i < n; i++) type_set(QUIRE_F32, x, i, i == 77 ? least : 2 - 0x1p-11);
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    check_some(&what, n, _i, 0);
}
END_TEST

/* A subnormal factor: its product has bits where those of normal ones have none. */
START_TEST(subnormal_products) {
    for (int i = 0; i < N; i++) {
        const int negative = i / 512 % 2;
        double u = 0x1p-126, v = negative ? -0x1p99 : 0x1p99;
        if (i % 512 == 77) u = 0x1p-149, v = (1 + 0x1p-23) * 0x1p68;
        type_set(QUIRE_F32, x, (size_t)i, u);
        type_set(QUIRE_F32, y, (size_t)i, v);
    }
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice));
    check_sum(QUIRE_DOT, QUIRE_F32, QUIRE_F64, 0, 0);
}
END_TEST

/* All but one of 256 batches as great as halves are, and that one as small: the floats move before the window is read,
 * so often that its counts would run over if that were forgotten. One warp has them all. */
START_TEST(moving_bins) {
    enum { BATCH = 2048, BATCHES = 17000 };
    const size_t n = (size_t)BATCH * BATCHES;
    const quire_reduction what = { QUIRE_SUM, QUIRE_F16, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout layout = quire_rows(1, n, n);
    uint16_t *host = malloc(n * sizeof *host), *there;
    uint64_t expected = 0, found = 0;
    for (size_t i = 0; i < n; i++) host[i] = i / BATCH % 256 == 255 ? 0x0001 : 0x7bff;
    quire_context *one = open_launched("1,1,0", NULL);
    CUDA(cudaMalloc((void **)&there, n * sizeof *there));
    CUDA(cudaMemcpy(there, host, n * sizeof *there, cudaMemcpyHostToDevice));
    OK(quire_reduce(NULL, &what, &layout, host, NULL, NULL, &expected));
    OK(quire_reduce(one, &what, &layout, there, NULL, NULL, result));
    CUDA(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
    ck_assert_msg(found == expected, "%llx, expected %llx", (unsigned long long)found, (unsigned long long)expected);
    quire_close(one);
    CUDA(cudaFree(there));
    free(host);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_unchecked_fixture(cases, open_all, close_all);
    tcase_add_test(cases, moving_bins);
    tcase_add_loop_test(cases, small_squares, 0, 5);
    tcase_add_test(cases, squares_below_the_window);
    tcase_add_test(cases, sums_below_the_window);
    tcase_add_loop_test(cases, float_products, 0, 4);
    tcase_add_loop_test(cases, float_squares, 0, 4);
    tcase_add_test(cases, subnormal_products);
    tcase_add_loop_test(cases, small_products, 0, 4);
    tcase_add_loop_test(cases, full_bins, 0, WINDOW_COUNT * KINDS);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("floats", add_tests); }
