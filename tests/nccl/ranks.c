/* ranks.c - see ranks.h. SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "missing_cuda.h"
#include "random_doubles.h"

void *x, *y, *zeros;
const quire_type types[TYPES] = { QUIRE_F64, QUIRE_F32, QUIRE_BF16, QUIRE_F16, QUIRE_E5M2, QUIRE_E4M3 };
const quire_operation operations[OPERATIONS] = { QUIRE_SUM,  QUIRE_ASUM,  QUIRE_DOT,      QUIRE_NRM2,
                                                 QUIRE_MEAN, QUIRE_SUMSQ, QUIRE_VARIANCE, QUIRE_STDDEV };

/* -------------------------------------------------------------------------------------------------------------- TAP */

static int cases, failures, bad;

void expect(int condition, const char *format, ...) {
    if (condition || bad++ > 3) return;
    va_list list;
    va_start(list, format);
    printf("# ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

void expect_status(quire_status status, quire_status right, const char *what) {
    expect(status == right, "%s: status %d (%s), not %d", what, (int)status, quire_status_string(status), (int)right);
}

void done(const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("%sok %d - ", bad ? "not " : "", ++cases);
    vprintf(format, list);
    printf("\n");
    fflush(stdout);
    va_end(list);
    failures += bad != 0;
    bad = 0;
}

static void bail_out(const char *what, const char *why) {
    printf("Bail out! %s: %s\n", what, why);
    fflush(stdout);
    _Exit(1);
}

void must(cudaError_t error, const char *what) {
    if (error) bail_out(what, cudaGetErrorString(error));
}

void must_start(int error) {
    if (error) bail_out("pthread_create", "no thread");
}

static void must_communicate(ncclResult_t code, const char *what) {
    if (code != ncclSuccess) bail_out(what, ncclGetErrorString(code));
}

static void must_quire(quire_status status, const char *what) {
    if (status) bail_out(what, quire_status_string(status));
}

/* ------------------------------------------------------------------------------------------------------------- data */

/* Element i as a double; PAIRS: x[i - 1] with the other sign. */
static double element(family f, size_t i, double last, int exponents) {
    switch (f) {
    case WIDE: return random_double(exponents);
    case PAIRS: return i == 1 ? 0x1p-120 - last : i % 2 ? -last : random_double(20);
    case ZEROS: return i % 3 ? -0.0 : 0.0;
    case NEGATIVE_ZEROS: return -0.0;
    case SUBNORMAL: return (double)(random_bits() % 1000) * (exponents > 500 ? 0x1p-1074 : 0x1p-149);
    case HUGE_ONES: return (exponents > 500 ? DBL_MAX : FLT_MAX) * (i % 5 ? 1 : -0.75);
    default: return random_double(20);
    }
}

/* Of 16 bits or 8: bits of chance without the exponent's top one, so all finite; zeros and pairs as above. */
static uint16_t element_16(family f, size_t i, uint16_t last) {
    if (f == ZEROS || f == NEGATIVE_ZEROS) return f == ZEROS && i % 3 == 0 ? 0 : 0x8000;
    if (f == PAIRS && i % 2) return last ^ 0x8000;
    if (f == SUBNORMAL) return (uint16_t)(random_bits() & 0x807f);
    return (uint16_t)(random_bits() & 0xbfff);
}

static void fill_array(family f, quire_type type, size_t n, void *array) {
    double last = 0;
    uint16_t last_16 = 0;
    for (size_t i = 0; i < n; i++) {
        if (quire_type_size(type) < 4) { /* of 8 bits: the high ones */
            last_16 = element_16(f, i, last_16);
            if (type == QUIRE_E5M2 || type == QUIRE_E4M3)
                ((uint8_t *)array)[i] = (uint8_t)(last_16 >> 8);
            else
                ((uint16_t *)array)[i] = last_16;
            continue;
        }
        last = element(f, i, last, type == QUIRE_F64 ? 1000 : 120);
        if (type == QUIRE_F64)
            ((double *)array)[i] = last;
        else
            ((float *)array)[i] = (float)last;
    }
}

void fill(family f, quire_type type, size_t n) {
    if (n * quire_type_size(type) > ROOM) bail_out("fill", "too many elements");
    fill_array(f, type, n, x);
    fill_array(f == WIDE ? WIDE : ORDINARY, type, n, y);
}

/* ------------------------------------------------------------------------------------------------------------ ranks */

#define SECONDS 540 /* a rank that waits for another would do so for ever */

int open_test(void) {
    const char *missing = quire_has_cuda() ? missing_cuda() : "a library without CUDA";
    int devices = 0, version = 0;
    if (missing) {
        printf("1..0 # SKIP %s\n", missing);
        return 0;
    }
    alarm(SECONDS);
    must(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    must_communicate(ncclGetVersion(&version), "ncclGetVersion");
    printf("# NCCL %d, %d devices\n", version, devices);
    x = malloc(ROOM), y = malloc(ROOM), zeros = calloc(ROOM, 1);
    if (!x || !y || !zeros) bail_out("malloc", "out of memory");
    return devices < MOST_RANKS ? devices : MOST_RANKS;
}

int close_test(void) {
    printf("1..%d\n", cases);
    free(x), free(y), free(zeros);
    return failures != 0;
}

void open_ranks(rank_state *all, int ranks) {
    ncclComm_t comms[MOST_RANKS] = { 0 };
    int devices[MOST_RANKS] = { 0 };
    for (int r = 0; r < ranks; r++) devices[r] = r;
    must_communicate(ncclCommInitAll(comms, ranks, devices), "ncclCommInitAll");
    for (int r = 0; r < ranks; r++) {
        void **const buffers[4] = { &all[r].x, &all[r].y, &all[r].results, &all[r].workspace };
        all[r].rank = r, all[r].ranks = ranks, all[r].device = r, all[r].comm = comms[r];
        must(cudaSetDevice(r), "cudaSetDevice");
        must(cudaStreamCreateWithFlags(&all[r].stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        for (int b = 0; b < 4; b++) must(cudaMalloc(buffers[b], ROOM), "cudaMalloc");
        must_quire(quire_open_cuda(&all[r].context, r, all[r].stream), "quire_open_cuda");
    }
    must(cudaSetDevice(0), "cudaSetDevice");
}

void close_ranks(rank_state *all, int ranks) {
    for (int r = 0; r < ranks; r++) {
        void *const buffers[4] = { all[r].x, all[r].y, all[r].results, all[r].workspace };
        must(cudaSetDevice(r), "cudaSetDevice");
        must(cudaStreamSynchronize(all[r].stream), "the end");
        quire_close(all[r].context);
        for (int b = 0; b < 4; b++) must(cudaFree(buffers[b]), "cudaFree");
        must(cudaStreamDestroy(all[r].stream), "cudaStreamDestroy");
        must_communicate(ncclCommDestroy(all[r].comm), "ncclCommDestroy");
    }
    must(cudaSetDevice(0), "cudaSetDevice");
}

static void copy(rank_state *r, void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, r->stream), "copying");
    must(cudaStreamSynchronize(r->stream), "waiting");
}

void put(rank_state *r, void *device, const void *host, size_t bytes) { copy(r, device, host, bytes); }
void get(rank_state *r, void *host, const void *device, size_t bytes) { copy(r, host, device, bytes); }

void run_jobs(const quire_nccl_job *jobs, int ranks) {
    for (int step = 0; step < QUIRE_NCCL_STEPS; step++) {
        must_communicate(ncclGroupStart(), "ncclGroupStart");
        for (int r = 0; r < ranks; r++) expect_status(quire_nccl_step(&jobs[r], step), QUIRE_OK, "a step");
        must_communicate(ncclGroupEnd(), "ncclGroupEnd");
    }
}

/* ---------------------------------------------------------------------------------------------------------- results */

uint64_t expected_of(const quire_reduction *what, size_t n) {
    const quire_layout all = quire_strided(n, 1);
    uint64_t right = UNTOUCHED;
    expect_status(quire_reduce(NULL, what, &all, x, NULL, y, &right), QUIRE_OK, "the CPU");
    return right;
}

void expect_scalar(rank_state *r, const quire_reduction *what, size_t n, int split, uint64_t right, const char *name) {
    uint64_t result = UNTOUCHED;
    get(r, &result, r->results, quire_type_size(what->result_type ? what->result_type : what->type));
    expect(result == right, "%s: rank %d of %d, operation %d type %d n %zu split %d: %llx, not %llx", name, r->rank,
           r->ranks, (int)what->operation, (int)what->type, n, split, (unsigned long long)result,
           (unsigned long long)right);
}

void expect_columns(rank_state *r, const quire_reduction *what, size_t n, int ranks, const char *name) {
    const quire_layout columns = quire_columns((size_t)ranks, n, (ptrdiff_t)n);
    const size_t bytes = n * quire_type_size(what->result_type ? what->result_type : what->type);
    char *right = calloc(bytes + 8, 1), *found = calloc(bytes + 8, 1);
    expect_status(quire_reduce(NULL, what, &columns, x, NULL, NULL, right), QUIRE_OK, "the CPU");
    get(r, found, r->results, bytes);
    expect(!memcmp(found, right, bytes), "%s: rank %d of %d, n %zu type %d operation %d", name, r->rank, ranks, n,
           (int)what->type, (int)what->operation);
    free(right), free(found);
}
