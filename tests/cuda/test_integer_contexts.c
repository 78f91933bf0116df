/* test_integer_contexts.c - what a CUDA context refuses of integers and of pairs, writing nothing: integers
 * of accumulators, and host memory. The context is still good then. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "support.h"

START_TEST(refused) {
    static const quire_type types[] = { QUIRE_INT8,  QUIRE_INT16,  QUIRE_INT32,  QUIRE_INT64,
                                        QUIRE_UINT8, QUIRE_UINT16, QUIRE_UINT32, QUIRE_UINT64 };
    const quire_layout two = quire_strided(2, 1), rows = quire_rows(2, 2, 2);
    quire_context *context = NULL;
    int64_t *host = calloc(512, sizeof *host), after[4], sum[2];
    void *x, *result;
    check_ok(quire_open_cuda(&context, 0, NULL));
    ck_assert(host && !cudaMalloc(&x, 4096) && !cudaMalloc(&result, 4096));
    ck_assert(!cudaMemset(x, 1, 4096) && !cudaMemset(result, 7, 4096));
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const quire_reduction what = { .type = types[t] }, average = { .operation = QUIRE_AVERAGE, .type = types[t] };
        ck_assert_int_eq(quire_sum(context, types[t], 2, host, QUIRE_EXACT, QUIRE_F64, result),
                         QUIRE_NOT_DEVICE_MEMORY);
        ck_assert_int_eq(quire_sum(context, types[t], 2, x, QUIRE_EXACT, QUIRE_F64, host), QUIRE_NOT_DEVICE_MEMORY);
        ck_assert_int_eq(quire_sum(context, types[t], 2, x, QUIRE_KAHAN, QUIRE_F64, result), QUIRE_INVALID_METHOD);
        ck_assert_int_eq(quire_reduce(context, &average, &rows, x, NULL, host, result), QUIRE_NOT_DEVICE_MEMORY);
        ck_assert_int_eq(quire_accumulate(context, result, types[t], 2, host), QUIRE_NOT_DEVICE_MEMORY);
        ck_assert_int_eq(quire_scan(context, &what, QUIRE_INCLUSIVE, &two, host, &two, result),
                         QUIRE_NOT_DEVICE_MEMORY);
        ck_assert_int_eq(quire_scan(context, &what, QUIRE_INCLUSIVE, &two, x, &two, host), QUIRE_NOT_DEVICE_MEMORY);
    }
    const quire_reduction integer = { .result_type = QUIRE_INT128 };
    ck_assert_int_eq(quire_finish_many(context, &integer, 1, x, NULL, result), QUIRE_WRONG_CONTEXT);
    ck_assert(!cudaMemcpy(after, result, sizeof after, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) ck_assert(after[i] == 0x0707070707070707);
    check_ok(quire_sum(context, QUIRE_INT64, 2, x, QUIRE_EXACT, QUIRE_INT128, result));
    ck_assert(!cudaMemcpy(sum, result, sizeof sum, cudaMemcpyDeviceToHost));
    ck_assert(sum[0] == 0x0202020202020202 && sum[1] == 0);
    ck_assert(!cudaFree(x) && !cudaFree(result));
    free(host);
    quire_close(context);
}
END_TEST

static void add(TCase *cases) { tcase_add_test(cases, refused); }

int main(void) { return run_cases("integer_contexts", add); }
