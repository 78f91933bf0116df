/* test_methods_by_hand.c - plain, pairwise and kahan without the model, which might share a mistake with the library:
 * the order, special values and compensations worked out by hand. */
#include <math.h>

#include "place.h"
#include "support.h"

/* ------------------------------------------------------------------------------------------------------------ order */

START_TEST(order_is_as_drawn) {
    static const quire_method methods[2] = { QUIRE_PAIRWISE, QUIRE_PLAIN };
    static const struct {
        size_t n, at[3];
        double value[3];
        double sum;
    } cases[] = {
        /* lane 0 takes lane 2 before lane 1 */
        { 3, { 0, 1, 2 }, { 1, 0x1p24, 1 }, 0x1p24 + 2 },
        /* and lane 3 goes through lane 1 */
        { 4, { 1, 3, 0 }, { 1, 1, 0x1p24 }, 0x1p24 + 2 },
        /* a lane adds down its column before any merge */
        { 257, { 0, 256, 1 }, { 1, 1, 0x1p24 }, 0x1p24 + 2 },
        { 4096, { 0, 3840, 255 }, { 1, 1, 0x1p24 }, 0x1p24 + 2 },
        /* but not into the next tile, which is whole before it meets this one */
        { 4097, { 0, 4096, 255 }, { 1, 1, 0x1p24 }, 0x1p24 },
        { 4098, { 0, 4096, 4097 }, { 0x1p24, 1, 1 }, 0x1p24 + 2 },
        /* (tile 0, tile 1), then tile 2 */
        { 8193, { 0, 4096, 8192 }, { 0x1p24, 1, 1 }, 0x1p24 },
        { 8193, { 0, 4096, 8192 }, { 1, 1, 0x1p24 }, 0x1p24 + 2 },
        /* (tile 0, tile 1), (tile 2, tile 3): tile 3 joins tile 2 first */
        { 12289, { 0, 8192, 12288 }, { 0x1p24, 1, 1 }, 0x1p24 + 2 },
        /* ((0, 1), (2, 3)), 4: tile 4 comes last */
        { 16385, { 0, 12288, 16384 }, { 0x1p24, 1, 1 }, 0x1p24 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float *x = array_new(cases[k].n * sizeof *x, 0);
        for (size_t i = 0; i < cases[k].n; i++) x[i] = 0;
        for (size_t i = 0; i < 3; i++) x[cases[k].at[i]] = (float)cases[k].value[i];
        for (int m = 0; m < 2; m++) {
            double sum;
            check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, cases[k].n, x, NULL, methods[m], QUIRE_F64, &sum));
            check_bits(QUIRE_F64, &sum, double_bits(cases[k].sum), "%s, case %zu", method_name(methods[m]), k);
        }
        array_free(x);
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------- special values */

/* Three elements of one lane, or of three; the rest -0. */
static void check_three(quire_method method, quire_type result_type, size_t stride, const float *value,
                        uint64_t expected, const char *what) {
    size_t n = 2 * stride + 1;
    float *x = array_new(n * sizeof *x, 0);
    for (size_t i = 0; i < n; i++) x[i] = -0.0f;
    for (size_t i = 0; i < 3; i++) x[i * stride] = value[i];
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        uint64_t result;
        if (!variant) continue;
        check_ok(place_reduce(OPERATION_SUM, QUIRE_F32, n, x, NULL, method, result_type, &result));
        check_bits(result_type, &result, expected, "%s, %s, stride %zu, %s", what, method_name(method), stride,
                   variant);
    }
    array_free(x);
}

START_TEST(special_values_by_hand) {
    static const size_t strides[] = { 1, 256, 4096 };
    const float top = 0x1.fffffep127f, inf = INFINITY, z = -0.0f;
    const struct {
        const char *what;
        float value[3];
        quire_type type;
        uint64_t expected;
    } cases[] = {
        { "only -0", { z, z, z }, QUIRE_F32, type_sign(QUIRE_F32) },
        { "one +0", { z, 0, z }, QUIRE_F32, 0 },
        { "a - a", { 1, -1, z }, QUIRE_F32, 0 },
        { "NaN with its sign and a payload", { 1, -NAN, inf }, QUIRE_F64, type_nan(QUIRE_F64) },
        { "NaN alone", { z, -NAN, z }, QUIRE_BF16, type_nan(QUIRE_BF16) },
        { "Inf", { 1, inf, -top }, QUIRE_F32, type_infinity(QUIRE_F32) },
        { "-Inf", { -inf, 1, -inf }, QUIRE_F16, type_infinity(QUIRE_F16) | type_sign(QUIRE_F16) },
        { "Inf - Inf", { inf, 1, -inf }, QUIRE_F32, type_nan(QUIRE_F32) },
        { "overflow of the accumulation", { top, z, top }, QUIRE_F64, type_infinity(QUIRE_F64) },
        { "overflow of the result", { 65504, 16, z }, QUIRE_F16, type_infinity(QUIRE_F16) },
        { "the last before it", { 65504, 0x1.ffep3f, z }, QUIRE_F16, type_greatest(QUIRE_F16) },
        { "subnormals", { 0x1p-149f, 0x1p-149f, 0x1p-149f }, QUIRE_F32, 3 },
        { "subnormals out", { 0x1p-24f, 0x1p-25f, z }, QUIRE_F16, 2 }, /* 1.5 of the least: a tie, to even */
        { "half of the least subnormal", { 0x1p-25f, z, z }, QUIRE_F16, 0 },
        { "just more than half of it", { -0x1p-25f, -0x1p-48f, z }, QUIRE_F16, type_sign(QUIRE_F16) | 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int m = 1; m < METHOD_COUNT; m++)
            for (size_t s = 0; s < 3; s++)
                check_three(METHODS[m], cases[k].type, strides[s], cases[k].value, cases[k].expected, cases[k].what);
}
END_TEST

/* What sets kahan apart: the compensation, unrounded when the total is, through lanes, merges and tiles. */
START_TEST(compensation_by_hand) {
    static const size_t strides[] = { 1, 256, 4096 };
    const float lost[3] = { 0x1p60f, 1, -0x1p60f }, kept[3] = { 1, 0x1p-30f, -0.0f };
    const float spoilt[3] = { 0x1.8p104f, -0x1.fffffep127f, -0.0f },
                turned[3] = { -0x1.fffffep127f, 0x1.8p104f, -0.0f };
    for (size_t s = 0; s < 3; s++) {
        check_three(QUIRE_KAHAN, QUIRE_F64, strides[s], lost, double_bits(1), "1 beside 2^60 - 2^60");
        check_three(QUIRE_KAHAN, QUIRE_F64, strides[s], kept, double_bits(1 + 0x1p-30), "beyond float, into double");
        check_three(QUIRE_PLAIN, QUIRE_F64, strides[s], kept, double_bits(1), "rounded to float");
        check_three(QUIRE_PAIRWISE, QUIRE_F64, strides[s], kept, double_bits(1), "rounded to float");
        /* TwoSum's z overflows, the compensation is NaN, and the total is s alone [Boldo, Graillat, Muller 2017]; taken
         * the other way round it is not, so this tells left from right in every step */
        check_three(QUIRE_KAHAN, QUIRE_F64, strides[s], spoilt, double_bits(-0x1.fffffcp127), "no compensation left");
        check_three(QUIRE_KAHAN, QUIRE_F64, strides[s], turned, double_bits(-0x1.fffffep127 + 0x1.8p104),
                    "one that is");
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, order_is_as_drawn);
    tcase_add_test(cases, special_values_by_hand);
    tcase_add_test(cases, compensation_by_hand);
}

int main(void) { return run_cases("methods_by_hand", add_tests); }
