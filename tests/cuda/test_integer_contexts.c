/* test_integer_contexts.c - integers on a CUDA context: every call answers QUIRE_WRONG_CONTEXT, writes nothing, and the
 * context is still good. */
#include <cuda_runtime_api.h>

#include "support.h"

START_TEST(refused) {
    static const quire_type types[] = { QUIRE_INT8,  QUIRE_INT16,  QUIRE_INT32,  QUIRE_INT64,
                                        QUIRE_UINT8, QUIRE_UINT16, QUIRE_UINT32, QUIRE_UINT64 };
    const quire_layout one = quire_strided(2, 1), rows = quire_rows(2, 2, 2);
    quire_context *context = NULL;
    void *x, *result, *offsets;
    check_ok(quire_open_cuda(&context, 0, NULL));
    ck_assert(!cudaMalloc(&x, 4096) && !cudaMalloc(&result, 4096) && !cudaMalloc(&offsets, 4096));
    ck_assert(!cudaMemset(x, 0, 4096) && !cudaMemset(offsets, 0, 4096));
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const quire_reduction what = { .type = types[t] };
        ck_assert_int_eq(quire_sum(context, types[t], 2, x, QUIRE_EXACT, QUIRE_F64, result), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(quire_variance(context, types[t], 2, x, 0, QUIRE_F64, result), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(quire_reduce(context, &what, &rows, x, NULL, NULL, result), QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(quire_reduce_segments(context, &what, 1, QUIRE_I64, offsets, offsets, x, NULL, result),
                         QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(quire_accumulate(context, result, types[t], 2, x), QUIRE_WRONG_CONTEXT);
        ck_assert_uint_eq(quire_by_key_workspace(context, &what, 2, QUIRE_I64, &one), 0);
        ck_assert_int_eq(
            quire_reduce_by_key(context, &what, 2, QUIRE_I64, offsets, &one, x, NULL, NULL, result, NULL, x, 4096),
            QUIRE_WRONG_CONTEXT);
        ck_assert_int_eq(quire_scan(context, &what, QUIRE_INCLUSIVE, &one, x, &one, result), QUIRE_INVALID_TYPE);
    }
    const quire_reduction integer = { .result_type = QUIRE_INT128 };
    ck_assert_int_eq(quire_finish_many(context, &integer, 1, x, NULL, result), QUIRE_WRONG_CONTEXT);
    float sum = -1;
    check_ok(quire_sum(context, QUIRE_F32, 2, x, QUIRE_EXACT, QUIRE_F32, result));
    ck_assert(!cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
    ck_assert(sum == 0);
    ck_assert(!cudaFree(x) && !cudaFree(result) && !cudaFree(offsets));
    quire_close(context);
}
END_TEST

static void add(TCase *cases) { tcase_add_test(cases, refused); }

int main(void) { return run_cases("integer_contexts", add); }
