/* test_many_graphs.c - captured calls of many vectors, replayed while the data in the same memory changes: each replay
 * has the bits of the CPU. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "device.h"
#include "families.h"
#include "many.h"
#include "support.h"

/* The calls read memory of so many doubles, as elements of their types. */
#define DOUBLES ((size_t)84000)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define NEAREST(operation, type, method)                                                                               \
    {                                                                                                                  \
        operation, type, type, method, QUIRE_TO_NEAREST, 0, { 0 }                                                      \
    }

static const struct call {
    quire_reduction what;
    quire_layout layout;
} CALLS[] = {
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_EXACT), { 120, 700, 1, 700, 1, 0 } },
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_EXACT), { 3, 28000, 1, 28000, 1, 0 } }, /* cut into parts */
    { NEAREST(QUIRE_NRM2, QUIRE_F64, QUIRE_EXACT), { 2, 41999, 1, 42000, 1, 0 } },
    { NEAREST(QUIRE_VARIANCE, QUIRE_F64, QUIRE_EXACT), { 2, 42000, 1, 42000, 1, 0 } },
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_EXACT), { 1, 600, 140, 0, 140, 1 } },
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_EXACT), { 1, 28000, 3, 0, 3, 1 } },
    { NEAREST(QUIRE_MEAN, QUIRE_F64, QUIRE_EXACT), { 7, 900, 1, -900, 13, 0 } }, /* begins at the last row */
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_KAHAN), { 3, 28000, 1, 28000, 1, 0 } },
    { NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_PAIRWISE), { 1, 600, 140, 0, 140, 1 } },
    { NEAREST(QUIRE_SUM, QUIRE_F32, QUIRE_EXACT), { 2, 84000, 1, 84000, 1, 0 } },
    { NEAREST(QUIRE_SUM, QUIRE_F32, QUIRE_EXACT), { 400, 33, 1, 40, 1, 0 } },
    { NEAREST(QUIRE_ASUM, QUIRE_F32, QUIRE_PLAIN), { 300, 500, 1, 500, 1, 0 } },
    { NEAREST(QUIRE_SUM, QUIRE_BF16, QUIRE_EXACT), { 1, 1200, 280, 0, 280, 1 } },
    { NEAREST(QUIRE_NRM2, QUIRE_F16, QUIRE_EXACT), { 3, 100001, 1, 100003, 1, 0 } },
    { NEAREST(QUIRE_VARIANCE, QUIRE_E5M2, QUIRE_EXACT), { 1, 300000, 1, 0, 2, 0 } }, /* by all of the device, twice */
    { NEAREST(QUIRE_COVARIANCE, QUIRE_F64, QUIRE_EXACT), { 3, 28000, 1, 28000, 1, 0 } },
    { NEAREST(QUIRE_COVARIANCE, QUIRE_F32, QUIRE_EXACT), { 400, 33, 1, 40, 1, 0 } },
    { NEAREST(QUIRE_AVERAGE, QUIRE_F64, QUIRE_EXACT), { 1, 600, 140, 0, 140, 1 } },
    { { QUIRE_SUM, QUIRE_INT64, QUIRE_INT128, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } }, { 120, 700, 1, 700, 1, 0 } },
    { { QUIRE_STDDEV, QUIRE_INT16, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } },
      { 3, 100001, 1, 100003, 1, 0 } },
};
enum { LAYOUT_CALLS = COUNT_OF(CALLS), MOST_VECTORS = 400, SEGMENTS = 200, SEGMENT_CALLS = 5 };

static const quire_reduction SEGMENT_SUMS[SEGMENT_CALLS] = {
    NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_EXACT),
    NEAREST(QUIRE_VARIANCE, QUIRE_F64, QUIRE_EXACT),
    NEAREST(QUIRE_SUM, QUIRE_F64, QUIRE_PAIRWISE),
    NEAREST(QUIRE_COVARIANCE, QUIRE_F64, QUIRE_EXACT),
    { QUIRE_CORRELATION, QUIRE_UINT8, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } },
};

/* Results of a call each. */
typedef struct results {
    double of[LAYOUT_CALLS + SEGMENT_CALLS][MOST_VECTORS];
} results;

/* Where the element of index 0 is. */
static const double *origin_of(const quire_layout *l, const double *x) {
    return l->outer_stride < 0 ? x - (ptrdiff_t)(l->outer - 1) * l->outer_stride : x;
}

/* Segments one behind the other, some of them empty, one of them longer than what a kernel takes without cutting it. */
static void fill_offsets(int32_t *offsets) {
    offsets[0] = 0;
    for (int i = 0; i < SEGMENTS; i++) offsets[i + 1] = offsets[i] + (i == 77 ? 40001 : i % 7 * i % 440);
    check_that((size_t)offsets[SEGMENTS] <= DOUBLES, "%d offsets", (int)offsets[SEGMENTS]);
}

static void call_all(quire_context *c, const double *x, const int32_t *offsets, results *r) {
    for (size_t i = 0; i < LAYOUT_CALLS; i++) {
        const quire_layout *l = &CALLS[i].layout;
        check_ok(quire_reduce(c, &CALLS[i].what, l, origin_of(l, x), NULL, origin_of(l, x), r->of[i]));
    }
    for (size_t i = 0; i < SEGMENT_CALLS; i++)
        check_ok(quire_reduce_segments(c, &SEGMENT_SUMS[i], SEGMENTS, QUIRE_I32, offsets, offsets + 1, x, x,
                                       r->of[LAYOUT_CALLS + i]));
}

START_TEST(replays) {
    static const family families[] = { FAMILY_EVERY_EXPONENT, FAMILY_NORMAL, FAMILY_HUGE, FAMILY_TELESCOPING,
                                       FAMILY_ANY_BITS };
    static double x[DOUBLES];
    static results expected, found;
    static int32_t offsets[SEGMENTS + 1];
    double *device_x;
    int32_t *device_offsets;
    results *device_results;
    quire_context *c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    fill_offsets(offsets);
    memset(&expected, 0xff, sizeof expected); /* what no result goes to stays so */
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc((void **)&device_x, sizeof x));
    CUDA(cudaMalloc((void **)&device_offsets, sizeof offsets));
    CUDA(cudaMalloc((void **)&device_results, sizeof found));
    CUDA(cudaMemcpy(device_offsets, offsets, sizeof offsets, cudaMemcpyHostToDevice));
    check_ok(quire_open_cuda(&c, 0, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    call_all(c, device_x, device_offsets, device_results);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t turn = 0; turn < scaled(100); turn++) {
        if (turn % 3 == 0) {
            family_fill(families[turn / 3 % COUNT_OF(families)], QUIRE_F64, turn, DOUBLES, x);
            CUDA(cudaMemcpyAsync(device_x, x, sizeof x, cudaMemcpyHostToDevice, stream));
            call_all(NULL, x, offsets, &expected);
        }
        CUDA(cudaMemsetAsync(device_results, 0xff, sizeof found, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(&found, device_results, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (size_t i = 0; i < LAYOUT_CALLS + SEGMENT_CALLS; i++)
            check_that(!memcmp(found.of[i], expected.of[i], sizeof found.of[i]), "replay %zu, call %zu: %s", turn, i,
                       reduction_text(i < LAYOUT_CALLS ? &CALLS[i].what : &SEGMENT_SUMS[i - LAYOUT_CALLS]));
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    quire_close(c);
    CUDA(cudaFree(device_x));
    CUDA(cudaFree(device_offsets));
    CUDA(cudaFree(device_results));
    CUDA(cudaStreamDestroy(stream));
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_test(cases, replays); }

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("many graphs", add_tests); }
