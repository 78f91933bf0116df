/* test_names.c - what the headers promise for ever: the numbers of statuses, types and methods, sizes, the texts of
 * statuses, and versions that agree. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

START_TEST(statuses_have_texts) {
    static const struct {
        quire_status status;
        int number;
    } statuses[] = {
        { QUIRE_OK, 0 },
        { QUIRE_INVALID_TYPE, 10 },
        { QUIRE_INVALID_RESULT_TYPE, 11 },
        { QUIRE_INVALID_METHOD, 12 },
        { QUIRE_INVALID_TIER, 13 },
        { QUIRE_INVALID_THREADS, 14 },
        { QUIRE_INVALID_OPERATION, 15 },
        { QUIRE_INVALID_ROUNDING, 16 },
        { QUIRE_INVALID_INDEX, 17 },
        { QUIRE_INVALID_LAYOUT, 18 },
        { QUIRE_INVALID_MOMENTS, 19 },
        { QUIRE_NULL_POINTER, 20 },
        { QUIRE_MISALIGNED, 21 },
        { QUIRE_SIZE_OVERFLOW, 22 },
        { QUIRE_WRONG_CONTEXT, 23 },
        { QUIRE_NO_INTEGER, 24 },
        { QUIRE_OUT_OF_MEMORY, 30 },
        { QUIRE_TIER_UNAVAILABLE, 31 },
        { QUIRE_NO_DEVICE, 40 },
        { QUIRE_INVALID_DEVICE, 41 },
        { QUIRE_NOT_DEVICE_MEMORY, 42 },
        { QUIRE_INVALID_STREAM, 43 },
        { QUIRE_DEVICE_FAULT, 44 },
        { QUIRE_COMMUNICATION_FAULT, 50 },
        { QUIRE_RANKS_DIFFER, 51 },
    };
    enum { COUNT = sizeof statuses / sizeof *statuses };
    const char *texts[COUNT];
    int known = 0;
    for (size_t k = 0; k < COUNT; k++) {
        texts[k] = quire_status_string(statuses[k].status);
        ck_assert_ptr_nonnull(texts[k]);
        ck_assert_int_eq((int)statuses[k].status, statuses[k].number); /* pinned for ever */
        ck_assert_uint_gt(strlen(texts[k]), 1);
        ck_assert_ptr_null(strchr(texts[k], '\n'));
        ck_assert_int_ne(texts[k][strlen(texts[k]) - 1], '.');
        for (size_t j = 0; j < k; j++) ck_assert_str_ne(texts[j], texts[k]);
    }
    for (int number = -3; number < 300; number++)
        known += strcmp(quire_status_string((quire_status)number), "unknown status") != 0;
    ck_assert_int_eq(known, COUNT);
    ck_assert_str_eq(quire_status_string((quire_status)INT_MAX), "unknown status");
    ck_assert_str_eq(quire_status_string((quire_status)INT_MIN), "unknown status");
}
END_TEST

/* A status of several reasons has a text that is true of each. */
START_TEST(texts_of_several_reasons) {
    const int8_t x[2] = { 1, 2 };
    const int32_t keys[1] = { 0 };
    const quire_layout one = quire_strided(1, 1);
    quire_reduction what = { QUIRE_SUM, QUIRE_INT8, QUIRE_F64, QUIRE_PLAIN, QUIRE_TO_NEAREST, 0, { 0 } };
    _Alignas(256) char workspace[256];
    double result;
    quire_status status = quire_sum(NULL, QUIRE_INT8, 2, x, QUIRE_PLAIN, QUIRE_F64, &result);
    ck_assert_ptr_nonnull(strstr(quire_status_string(status), "EXACT alone"));
    status = quire_order_by_key(NULL, 1, QUIRE_I32, (size_t)INT32_MAX + 1, keys, workspace, workspace, workspace, 0);
    ck_assert_ptr_nonnull(strstr(quire_status_string(status), "the index counts"));
    what.method = QUIRE_EXACT;
    status = quire_reduce_by_key(NULL, &what, 1, QUIRE_I32, keys, &one, x, NULL, NULL, &result, NULL, workspace, 0);
    ck_assert_ptr_nonnull(strstr(quire_status_string(status), "workspace is too small"));
    status =
        quire_reduce_by_key(NULL, &what, 1, QUIRE_I32, keys, &one, x, NULL, NULL, &result, NULL, workspace + 64, 64);
    ck_assert_ptr_nonnull(strstr(quire_status_string(status), "a workspace to 256 bytes"));
}
END_TEST

START_TEST(types_and_methods_are_pinned) {
    ck_assert(QUIRE_F16 == 1 && QUIRE_BF16 == 2 && QUIRE_F32 == 3 && QUIRE_F64 == 4);
    ck_assert(QUIRE_INT8 == 16 && QUIRE_INT16 == 17 && QUIRE_INT32 == 18 && QUIRE_INT64 == 19);
    ck_assert(QUIRE_UINT8 == 20 && QUIRE_UINT16 == 21 && QUIRE_UINT32 == 22 && QUIRE_UINT64 == 23);
    ck_assert(QUIRE_INT128 == 24);
    for (int i = 0; i < TYPE_COUNT; i++) ck_assert_uint_eq(quire_type_size(TYPES[i]), type_size(TYPES[i]));
    ck_assert(!quire_type_size((quire_type)0) && !quire_type_size((quire_type)INT_MAX));
    ck_assert(QUIRE_EXACT == 1 && QUIRE_KAHAN == 2 && QUIRE_PAIRWISE == 3 && QUIRE_PLAIN == 4);
    ck_assert(QUIRE_SUM == 1 && QUIRE_ASUM == 2 && QUIRE_DOT == 3 && QUIRE_NRM2 == 4 && QUIRE_MEAN == 5);
    ck_assert(QUIRE_VARIANCE == 6 && QUIRE_STDDEV == 7 && QUIRE_SUMSQ == 8 && QUIRE_AVERAGE == 9);
    ck_assert(QUIRE_COVARIANCE == 10 && QUIRE_CORRELATION == 11);
    ck_assert_uint_eq(sizeof(quire_accumulator), QUIRE_ACCUMULATOR_WORDS * sizeof(int64_t));
    ck_assert_uint_eq(offsetof(quire_accumulator, negative_infinity), (QUIRE_ACCUMULATOR_WORDS - 1) * sizeof(int64_t));
}
END_TEST

START_TEST(versions_agree) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", QUIRE_VERSION_MAJOR, QUIRE_VERSION_MINOR, QUIRE_VERSION_PATCH);
    ck_assert_str_eq(QUIRE_VERSION_STRING, text);
    ck_assert_str_eq(quire_version(), QUIRE_VERSION_STRING);
    ck_assert_int_eq(quire_api_version(), QUIRE_API_VERSION);
    ck_assert(quire_has_openmp() == 0 || quire_has_openmp() == 1);
    ck_assert(quire_has_cuda() == 0 || quire_has_cuda() == 1);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, statuses_have_texts);
    tcase_add_test(cases, texts_of_several_reasons);
    tcase_add_test(cases, types_and_methods_are_pinned);
    tcase_add_test(cases, versions_agree);
}

int main(void) { return run_cases_without_place("names", add); }
