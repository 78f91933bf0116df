/* test_key_graphs.c - captured sums by key, replayed while keys and data change: each replay has the bits of the CPU.
 * CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "families.h"
#include "many.h"
#include "support.h"

enum { ROWS = 60000, WIDTH = 3, GROUPS = 700 };

/* What is the same on both sides. */
typedef struct arrays {
    double x[ROWS * WIDTH];
    int64_t keys[ROWS];
} arrays;
typedef struct results {
    double vector[GROUPS], matrix[GROUPS][WIDTH], variance[GROUPS];
    int64_t counts[GROUPS], order[ROWS], offsets[GROUPS + 1];
} results;

static const quire_reduction SUM = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
static const quire_reduction PLAIN = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_PLAIN, QUIRE_TO_NEAREST, 0, { 0 } };
static const quire_reduction VARIANCE = {
    QUIRE_VARIANCE, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 }
};

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

/* For all of the calls below. */
static size_t workspace_size(quire_context *c) {
    const quire_layout vector = quire_strided(ROWS, 1), matrix = quire_columns(ROWS, WIDTH, WIDTH);
    const size_t sums = quire_by_key_workspace(c, &SUM, GROUPS, QUIRE_I64, &vector);
    const size_t plain = quire_by_key_workspace(c, &PLAIN, GROUPS, QUIRE_I64, &matrix);
    const size_t variance = quire_by_key_workspace(c, &VARIANCE, GROUPS, QUIRE_I64, &vector);
    const size_t order = quire_order_workspace(c, GROUPS, QUIRE_I64, ROWS);
    ck_assert(sums && plain && variance && order);
    return greater(greater(sums, plain), greater(variance, order));
}

static void call_all(quire_context *c, const arrays *a, results *r, void *workspace, size_t size) {
    const quire_layout vector = quire_strided(ROWS, 1), matrix = quire_columns(ROWS, WIDTH, WIDTH);
    check_ok(quire_order_by_key(c, GROUPS, QUIRE_I64, ROWS, a->keys, r->order, r->offsets, workspace, size));
    check_ok(quire_reduce_by_key(c, &SUM, GROUPS, QUIRE_I64, a->keys, &vector, a->x, NULL, NULL, r->vector, r->counts,
                                 workspace, size));
    check_ok(quire_reduce_by_key(c, &PLAIN, GROUPS, QUIRE_I64, a->keys, &matrix, a->x, NULL, NULL, r->matrix, NULL,
                                 workspace, size));
    check_ok(quire_reduce_by_key(c, &VARIANCE, GROUPS, QUIRE_I64, a->keys, &vector, a->x, NULL, NULL, r->variance, NULL,
                                 workspace, size));
}

static void draw_keys(int64_t *keys, size_t turn) {
    generator g;
    generator_seed(&g, turn);
    for (size_t i = 0; i < ROWS; i++)
        keys[i] = turn % 2 ? (int64_t)generator_below(&g, GROUPS + 20) - 10 : (int64_t)generator_below(&g, 5);
}

START_TEST(replays) {
    static arrays a;
    static results expected, found;
    arrays *device_a;
    results *device_r;
    void *near = NULL, *far;
    quire_context *c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&stream));
    check_ok(quire_open_cuda(&c, 0, stream));
    const size_t near_size = workspace_size(NULL), far_size = workspace_size(c);
    ck_assert(!posix_memalign(&near, 256, near_size));
    CUDA(cudaMalloc(&far, far_size));
    CUDA(cudaMalloc((void **)&device_a, sizeof a));
    CUDA(cudaMalloc((void **)&device_r, sizeof found));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    call_all(c, device_a, device_r, far, far_size);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t turn = 0; turn < scaled(20); turn++) {
        family_fill(turn % 3 ? FAMILY_NORMAL : FAMILY_EVERY_EXPONENT, QUIRE_F64, turn, ROWS * WIDTH, a.x);
        draw_keys(a.keys, turn);
        call_all(NULL, &a, &expected, near, near_size);
        CUDA(cudaMemcpyAsync(device_a, &a, sizeof a, cudaMemcpyHostToDevice, stream));
        CUDA(cudaMemsetAsync(device_r, 0xff, sizeof found, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(&found, device_r, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        check_that(!memcmp(found.order, expected.order, sizeof found.order), "replay %zu: order", turn);
        check_that(!memcmp(found.offsets, expected.offsets, sizeof found.offsets), "replay %zu: offsets", turn);
        check_that(!memcmp(found.counts, expected.counts, sizeof found.counts), "replay %zu: counts", turn);
        check_that(!memcmp(found.vector, expected.vector, sizeof found.vector), "replay %zu: vector", turn);
        check_that(!memcmp(found.matrix, expected.matrix, sizeof found.matrix), "replay %zu: matrix", turn);
        check_that(!memcmp(found.variance, expected.variance, sizeof found.variance), "replay %zu: variance", turn);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    quire_close(c);
    free(near);
    CUDA(cudaFree(far));
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_r));
    CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* Memory of the host, and pointers that a CPU context would take. */
START_TEST(foreign_memory) {
    const quire_layout three = quire_strided(3, 1);
    double x[3] = { 1, 2, 3 }, results[2] = { -1, -1 };
    int64_t keys[3] = { 0, 1, 0 }, order[3] = { -1, -1, -1 }, offsets[3] = { -1, -1, -1 };
    void *workspace = NULL;
    quire_context *c;
    check_ok(quire_open_cuda(&c, 0, NULL));
    const size_t size = workspace_size(c);
    ck_assert(!posix_memalign(&workspace, 256, size));
    ck_assert_int_eq(quire_order_by_key(c, 2, QUIRE_I64, 3, keys, order, offsets, workspace, size),
                     QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(
        quire_reduce_by_key(c, &SUM, 2, QUIRE_I64, keys, &three, x, NULL, NULL, results, NULL, workspace, size),
        QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(
        quire_reduce_gathered(c, &SUM, 1, QUIRE_I64, offsets, offsets, order, &three, x, NULL, NULL, NULL, results),
        QUIRE_NOT_DEVICE_MEMORY);
    ck_assert(results[0] == -1 && order[0] == -1 && offsets[0] == -1);
    quire_close(c);
    free(workspace);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, replays);
    tcase_add_test(cases, foreign_memory);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("key graphs", add_tests); }
