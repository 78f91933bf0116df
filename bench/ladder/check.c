/* check.c - is every rung right? TAP, one line a rung, type and accumulation.
 *
 * Small integers, so few or so small that every partial sum in any order is a number of the accumulation: then every
 * order gives the same bits, and anything else is a mistake in the kernel. Random reals, within the bound of the rung's
 * longest chain of additions. Around the data, and in the workspace and the result before the call, there are NaNs:
 * whatever reads what is not there, or leaves what it should have written, shows. Nothing is timed here.
 *
 *     check [--large]       the latter also takes n beyond 2^32 (halves; 18 GB of device memory)
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "families.h"
#include "ladder.h"

#define MARGIN 64 /* bytes of NaN before and behind the data */
#define MOST_N 1000003
#define STARTS 4
#define RUNS 5

static const size_t sizes[] = { 0,     1,     2,     3,      7,      8,      9,      31,    32,   33,   63,
                                64,    65,    127,   128,    129,    255,    256,    257,   511,  512,  513,
                                1023,  1024,  1025,  4095,   4096,   4097,   8191,   8192,  8193, 9999, 32767,
                                32768, 32769, 65537, 131071, 131073, 524287, 524289, MOST_N };
static const size_t starts[STARTS] = { 0, 1, 3, 7 }; /* elements past an address divisible by 256 */

#define SIZES (sizeof sizes / sizeof *sizes)

static unsigned char *host, *device, *workspace;
static size_t workspace_size;
static float *result;
static int tests, troubles[64]; /* of each reducer */
static bool is_checked[64];

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    printf("Bail out! %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* A mistake, and where; only a rung's first few are told. */
static void trouble(const reducer *r, const job *j, const char *data, const char *what, double got, double wanted) {
    if (troubles[r - ladder_reducers]++ < 3)
        printf("# %s, n %zu, x at %u of 256, %s: %s: %.9g (%a), wanted %.9g\n", r->name, j->n,
               (unsigned)((size_t)j->x % 256), data, what, got, got, wanted);
}

/* A line of TAP for each rung that was looked at since the last time. */
static void tell(quire_type type, const char *what) {
    for (int i = 0; i < ladder_count; i++) {
        if (is_checked[i])
            printf("%sok %d - %s of %s: %s\n", troubles[i] ? "not " : "", ++tests, ladder_reducers[i].name,
                   type_name(type), what);
        is_checked[i] = false;
        troubles[i] = 0;
    }
    fflush(stdout);
}

/* --------------------------------------------------------------------------------------------------------- the data */

typedef enum data { DENSE, SPARSE, SUBNORMAL, NORMAL, POSITIVE, DATA } data;
static const char *const data_names[DATA] = { "integers", "few integers", "few subnormals", "normal", "positive" };

/* SUBNORMAL: as SPARSE, in units of the type's least number. Float atomics flush those, so rungs that use them are not
 * asked. DENSE: |x| <= 8, so that a million of them stay below 2^24. SPARSE: at most 680 elements of |x| <= 3, at both
 * ends and in between, which stay below 2^11. */
static double integer_at(generator *g, data which, size_t i, size_t n) {
    if (which == DENSE) return generator_between(g, -8, 8);
    const bool is_at_the_end = i < 40 || n - i <= 40;
    const int chance = n < 600 ? 1 : (int)(n / 500);
    const int value = generator_between(g, 1, 3) * (generator_below(g, 2) ? 1 : -1);
    return is_at_the_end || !generator_below(g, (uint64_t)chance) ? value : 0;
}

static void make(data which, quire_type type, size_t n, void *x) {
    generator g;
    if (which == NORMAL || which == POSITIVE) {
        family_fill(which == NORMAL ? FAMILY_NORMAL : FAMILY_POSITIVE, type, n + 17, n, x);
        return;
    }
    generator_seed(&g, n + 29);
    int left = 680;
    for (size_t i = 0; i < n; i++) {
        double value = integer_at(&g, which, i, n);
        if (which != DENSE && value && n - i > 40 && left-- <= 40) value = 0;
        type_set(type, x, i, which == SUBNORMAL ? value * power_of_two(type_format(type)->least) : value);
    }
}

/* The data in device memory between NaNs; the job's x. */
static const void *lay_down(data which, quire_type type, size_t n, size_t start) {
    const size_t size = type_size(type), offset = 256 + start * size, total = offset + n * size + MARGIN;
    memset(host, 0xff, total);
    make(which, type, n, host + offset);
    must(cudaMemcpy(device, host, total, cudaMemcpyHostToDevice), "copying");
    return device + offset;
}

static bool is_untouched(quire_type type, size_t n, size_t start) {
    static unsigned char back[256 + MARGIN + (MOST_N + 8) * 4];
    const size_t total = 256 + (start + n) * type_size(type) + MARGIN;
    must(cudaMemcpy(back, device, total, cudaMemcpyDeviceToHost), "copying");
    return !memcmp(back, host, total);
}

/* ----------------------------------------------------------------------------------------------------------- a call */

static void grow_workspace(size_t size) {
    if (size <= workspace_size) return;
    must(cudaFree(workspace), "freeing");
    must(cudaMalloc((void **)&workspace, size), "workspace");
    workspace_size = size;
}

/* The rung's answer; a workspace overrun is a trouble. */
static float answer(const reducer *r, const job *j) {
    unsigned char behind[256];
    const size_t wanted = r->workspace(r, j), poisoned = wanted < (size_t)1 << 24 ? wanted : (size_t)1 << 24;
    float sum;
    is_checked[r - ladder_reducers] = true;
    grow_workspace(wanted + 256);
    must(cudaMemset(workspace, 0xff, poisoned), "poisoning");
    must(cudaMemset(workspace + wanted, 0xa5, 256), "poisoning");
    must(cudaMemset(result, 0xff, 8), "poisoning");
    const int error = r->enqueue(r, j, workspace, result, NULL);
    if (error) trouble(r, j, cudaGetErrorString((cudaError_t)error), "enqueue", error, 0);
    must(cudaMemcpy(&sum, result, 4, cudaMemcpyDeviceToHost), r->name);
    must(cudaMemcpy(behind, workspace + wanted, 256, cudaMemcpyDeviceToHost), r->name);
    for (int i = 0; i < 256; i++)
        if (behind[i] != 0xa5) {
            trouble(r, j, "workspace", "written behind it", behind[i], 0xa5);
            break;
        }
    return sum;
}

static bool same_bits(float a, float b) { return !memcmp(&a, &b, sizeof a); }

/* ------------------------------------------------------------------------------------------------------- the checks */

static void check_integers(const reducer *r, const job *j, data which, double truth) {
    const float sum = answer(r, j), wanted = (float)truth;
    if (!same_bits(sum, wanted)) trouble(r, j, data_names[which], "sum", sum, wanted);
}

static void check_reals(const reducer *r, const job *j, data which, double truth, double magnitudes) {
    const double u = ladder_is_in_half(r) ? 0x1p-11 : 0x1p-24, chain = (double)ladder_chain(r, j) * u;
    const double bound = chain < 1 ? chain / (1 - chain) * magnitudes : INFINITY;
    const double greatest = ladder_is_in_half(r) ? 65504 : INFINITY;
    const float sum = answer(r, j);
    const bool may_overflow = magnitudes + bound > greatest;
    if (!may_overflow && !(fabs(sum - truth) <= bound))
        trouble(r, j, data_names[which], "beyond the bound", sum, truth);
    for (int run = 1; run < RUNS && !ladder_is_by_chance(r); run++) {
        const float again = answer(r, j);
        if (!same_bits(sum, again)) trouble(r, j, data_names[which], "other bits in another run", again, sum);
    }
}

/* Every rung with these data. Whoever is last before x has changed is named. */
static void check_data(quire_type type, size_t n, size_t start, data which) {
    job j = { .operation = OPERATION_SUM, .type = type, .result_type = QUIRE_F32, .n = n };
    const void *x = host + 256 + start * type_size(type);
    double truth = 0, magnitudes = 0;
    j.x = lay_down(which, type, n, start);
    if (quire_sum(NULL, type, n, x, QUIRE_EXACT, QUIRE_F64, &truth) ||
        quire_asum(NULL, type, n, x, QUIRE_EXACT, QUIRE_F64, &magnitudes))
        must(cudaErrorUnknown, "the exact sum");
    for (int i = 0; i < ladder_count; i++) {
        const reducer *r = &ladder_reducers[i];
        if (!r->takes(r, &j) || (which == DENSE && ladder_is_in_half(r) && n > 256)) continue;
        if (which == SUBNORMAL && type == QUIRE_F32 && ladder_is_by_chance(r)) continue; /* flushed to zero */
        if (which < NORMAL)
            check_integers(r, &j, which, truth);
        else
            check_reals(r, &j, which, truth, magnitudes);
        if (n < 10000 && !is_untouched(type, n, start)) trouble(r, &j, data_names[which], "x was written", 1, 0);
    }
}

/* Captured into a graph and replayed; between replays the data change. */
static void check_capture(const reducer *r, quire_type type) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    const size_t n = 100003;
    const job j = { .operation = OPERATION_SUM, .type = type, .result_type = QUIRE_F32, .n = n, .x = device + 256 };
    is_checked[r - ladder_reducers] = true;
    grow_workspace(r->workspace(r, &j));
    must(cudaStreamCreate(&stream), "a stream");
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    if (r->enqueue(r, &j, workspace, result, stream)) trouble(r, &j, "capture", "enqueue", 1, 0);
    must(cudaStreamEndCapture(stream, &graph), "capture");
    must(cudaGraphInstantiateWithFlags(&exec, graph, 0), "capture");
    for (size_t turn = 0; turn < 3; turn++) { /* ever more of the end is zeros */
        const size_t size = type_size(type);
        float sum;
        double truth;
        lay_down(SPARSE, type, n - turn, 0);
        must(cudaMemset(device + 256 + (n - turn) * size, 0, turn * size), "zeros");
        if (quire_sum(NULL, type, n - turn, host + 256, QUIRE_EXACT, QUIRE_F64, &truth)) truth = NAN;
        must(cudaDeviceSynchronize(), "replay");
        must(cudaGraphLaunch(exec, stream), "replay");
        must(cudaStreamSynchronize(stream), "replay");
        must(cudaMemcpy(&sum, result, 4, cudaMemcpyDeviceToHost), "replay");
        if (!same_bits(sum, (float)truth)) trouble(r, &j, "replay", "sum", sum, truth);
    }
    must(cudaGraphExecDestroy(exec), "capture");
    must(cudaGraphDestroy(graph), "capture");
    must(cudaStreamDestroy(stream), "capture");
}

static void check_type(quire_type type) {
    const job j = { .operation = OPERATION_SUM, .type = type, .result_type = QUIRE_F32 };
    for (size_t s = 0; s < SIZES; s++)
        for (int k = 0; k < (sizes[s] < 100000 ? STARTS : 2); k++)
            for (int which = 0; which < DATA; which++) check_data(type, sizes[s], starts[k], (data)which);
    tell(type, "every size, start and family of data");
    for (int i = 0; i < ladder_count; i++)
        if (ladder_reducers[i].takes(&ladder_reducers[i], &j)) check_capture(&ladder_reducers[i], type);
    tell(type, "captured and replayed");
}

/* Zeros, and a few numbers where an index of 32 bits would wrap. */
static void check_large(void) {
    const size_t n = ((size_t)1 << 32) + 12345;
    const size_t places[] = { 0,
                              1,
                              77777,
                              ((size_t)1 << 31) - 1,
                              (size_t)1 << 31,
                              ((size_t)1 << 32) - 1,
                              (size_t)1 << 32,
                              ((size_t)1 << 32) + 77,
                              n - 1 };
    uint16_t *x;
    double truth = 0;
    must(cudaMalloc((void **)&x, n * sizeof *x), "eight gigabytes");
    must(cudaMemset(x, 0, n * sizeof *x), "zeros");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint16_t h;
        type_set(QUIRE_F16, &h, 0, (double)(1 << i));
        truth += 1 << i;
        must(cudaMemcpy(x + places[i], &h, sizeof h, cudaMemcpyHostToDevice), "a number");
    }
    const job j = { .operation = OPERATION_SUM, .type = QUIRE_F16, .result_type = QUIRE_F32, .n = n, .x = x };
    for (int i = 0; i < ladder_count; i++) check_integers(&ladder_reducers[i], &j, SPARSE, truth);
    tell(QUIRE_F16, "n beyond 2^32");
    must(cudaFree(x), "freeing");
}

int main(int argc, char **argv) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error || !devices)
        return printf("1..0 # SKIP no CUDA device (%s)\n", error ? cudaGetErrorString(error) : "none"), 0;
    const size_t bytes = 256 + MARGIN + (MOST_N + 8) * sizeof(float);
    host = malloc(bytes);
    if (!host) return puts("Bail out! no memory"), 1;
    must(cudaMalloc((void **)&device, bytes), "memory");
    must(cudaMalloc((void **)&result, 256), "memory");
    check_type(QUIRE_F32);
    check_type(QUIRE_F16);
    if (argc > 1 && !strcmp(argv[1], "--large")) check_large();
    printf("1..%d\n", tests);
    free(host);
    return 0;
}
