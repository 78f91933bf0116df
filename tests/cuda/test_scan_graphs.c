/* test_scan_graphs.c - captured running sums, replayed while data change: each replay has the bits of the CPU, and so
 * does what other calls find in the workspace afterwards. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "device.h"
#include "families.h"
#include "many.h"
#include "support.h"

enum { N = 60000, ROWS = 300, LENGTH = 200 };

/* What is the same on both sides. */
typedef struct arrays {
    double x[N];
    double vector[N], in_place[N], rows[N];
    float columns[N];
    uint64_t integers[N][2];
    double sum;
} arrays;

static void call_all(quire_context *c, arrays *a) {
    const quire_reduction sum = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_reduction upward = { QUIRE_ASUM, QUIRE_F64, QUIRE_F32, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    const quire_reduction integers = { .type = QUIRE_INT64, .result_type = QUIRE_INT128 };
    const quire_layout vector = quire_strided(N, 1), rows = quire_rows(ROWS, LENGTH, LENGTH);
    const quire_layout columns = quire_columns(LENGTH, ROWS, ROWS);
    check_ok(quire_scan(c, &sum, QUIRE_INCLUSIVE, &vector, a->x, &vector, a->vector));
    check_ok(quire_scan(c, &sum, QUIRE_EXCLUSIVE, &vector, a->in_place, &vector, a->in_place));
    check_ok(quire_scan(c, &sum, QUIRE_INCLUSIVE, &rows, a->x, &rows, a->rows));
    check_ok(quire_scan(c, &upward, QUIRE_EXCLUSIVE, &columns, a->x, &columns, a->columns));
    check_ok(quire_scan(c, &integers, QUIRE_INCLUSIVE, &vector, a->x, &vector, a->integers)); /* the bits of x */
    check_ok(quire_sum(c, QUIRE_F64, N, a->x, QUIRE_EXACT, QUIRE_F64, &a->sum));
}

START_TEST(replays) {
    static arrays expected, found;
    arrays *device;
    quire_context *c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&stream));
    check_ok(quire_open_cuda(&c, 0, stream));
    CUDA(cudaMalloc((void **)&device, sizeof found));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    call_all(c, device);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t turn = 0; turn < scaled(2 * FAMILY_COUNT); turn++) {
        memset(&expected, 0, sizeof expected);
        family_fill((family)(turn % FAMILY_COUNT), QUIRE_F64, turn, N, expected.x);
        memcpy(expected.in_place, expected.x, sizeof expected.x);
        CUDA(cudaMemcpyAsync(device, &expected, sizeof expected, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpyAsync(&found, device, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        call_all(NULL, &expected);
        check_that(!memcmp(found.vector, expected.vector, sizeof found.vector), "replay %zu: vector", turn);
        check_that(!memcmp(found.in_place, expected.in_place, sizeof found.in_place), "replay %zu: in place", turn);
        check_that(!memcmp(found.rows, expected.rows, sizeof found.rows), "replay %zu: rows", turn);
        check_that(!memcmp(found.columns, expected.columns, sizeof found.columns), "replay %zu: columns", turn);
        check_that(!memcmp(found.integers, expected.integers, sizeof found.integers), "replay %zu: integers", turn);
        check_that(!memcmp(&found.sum, &expected.sum, sizeof found.sum), "replay %zu: the sum", turn);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* Memory of the host, in place of the elements, and of the results. */
START_TEST(foreign_memory) {
    const quire_reduction sum = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout three = quire_strided(3, 1);
    double near[3] = { 1, 2, 3 }, *far;
    quire_context *c;
    check_ok(quire_open_cuda(&c, 0, NULL));
    CUDA(cudaMalloc((void **)&far, sizeof near));
    ck_assert_int_eq(quire_scan(c, &sum, QUIRE_INCLUSIVE, &three, near, &three, far), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert_int_eq(quire_scan(c, &sum, QUIRE_INCLUSIVE, &three, far, &three, near), QUIRE_NOT_DEVICE_MEMORY);
    ck_assert(near[0] == 1 && near[1] == 2 && near[2] == 3);
    quire_close(c);
    CUDA(cudaFree(far));
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, replays);
    tcase_add_test(cases, foreign_memory);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("scan graphs", add_tests); }
