/* test_fp8.c - the 8-bit formats, as elements and as results: every byte, every pair of bytes, by every method. Numbers
 * so short leave no room for doubt: sums and products of two are exact in double, which the host then rounds once. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "fp8.h"
#include "model.h"
#include "oracle_mpfr.h"

/* ------------------------------------------------------------------------------------------------------- every byte */

/* By hand, from the tables of the OCP specification. */
START_TEST(bytes_by_hand) {
    static const struct {
        quire_type type;
        uint8_t byte;
        double value;
    } known[] = {
        { QUIRE_E5M2, 0x01, 0x1p-16 },  { QUIRE_E5M2, 0x03, 0x1.8p-15 }, { QUIRE_E5M2, 0x04, 0x1p-14 },
        { QUIRE_E5M2, 0x3c, 1 },        { QUIRE_E5M2, 0xc1, -2.5 },      { QUIRE_E5M2, 0x7b, 57344 },
        { QUIRE_E5M2, 0x7c, INFINITY }, { QUIRE_E5M2, 0xfc, -INFINITY }, { QUIRE_E4M3, 0x01, 0x1p-9 },
        { QUIRE_E4M3, 0x07, 0x1.cp-7 }, { QUIRE_E4M3, 0x08, 0x1p-6 },    { QUIRE_E4M3, 0x38, 1 },
        { QUIRE_E4M3, 0xc3, -2.75 },    { QUIRE_E4M3, 0x78, 256 },       { QUIRE_E4M3, 0x7e, 448 },
        { QUIRE_E4M3, 0xfe, -448 },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int m = 0; m < METHOD_COUNT; m++) {
            check_one(OPERATION_SUM, known[k].type, 1, &known[k].byte, NULL, METHODS[m], QUIRE_F64,
                      double_bits(known[k].value), "by hand");
            check_one(OPERATION_SUM, QUIRE_F64, 1, &known[k].value, NULL, METHODS[m], known[k].type, known[k].byte,
                      "by hand");
        }
}
END_TEST

/* Each byte alone, into every type; into its own it is itself, but for a NaN, of which there is one. */
START_TEST(every_byte) {
    const quire_type type = FP8[_i];
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t x[1] = { (uint8_t)byte };
        const double value = type_decode(type, byte);
        check_one(OPERATION_SUM, type, 1, x, NULL, QUIRE_EXACT, type, isnan(value) ? type_nan(type) : byte, "itself");
        for (int m = 0; m < METHOD_COUNT; m++)
            for (int r = 0; r < TYPE_COUNT; r++) {
                check_one(OPERATION_SUM, type, 1, x, NULL, METHODS[m], TYPES[r], type_encode(TYPES[r], value),
                          "a byte");
                check_one(OPERATION_ASUM, type, 1, x, NULL, METHODS[m], TYPES[r], type_encode(TYPES[r], fabs(value)),
                          "a byte");
            }
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- every pair */

/* The roots and the sums of two squares, of magnitudes: made by MPFR when first needed. */
static uint64_t squares[2][128][128][TYPE_COUNT];
static uint8_t squares_known[128][128];

static uint64_t of_squares(operation op, quire_type type, uint8_t a, uint8_t b, int r) {
    a &= 0x7f, b &= 0x7f;
    if (!squares_known[a][b]) {
        const uint8_t x[2] = { a, b };
        oracle o;
        oracle_open(&o);
        oracle_add(&o, OPERATION_SUMSQ, type, 2, x, NULL);
        for (int k = 0; k < TYPE_COUNT; k++) {
            squares[0][a][b][k] = squares[0][b][a][k] = oracle_bits(&o, OPERATION_SUMSQ, TYPES[k]);
            squares[1][a][b][k] = squares[1][b][a][k] = oracle_bits(&o, OPERATION_NRM2, TYPES[k]);
        }
        oracle_close(&o);
        squares_known[a][b] = squares_known[b][a] = 1;
    }
    return squares[op == OPERATION_NRM2][a][b][r];
}

/* The true result: in double nothing of two numbers rounds but a sum of squares. kahan has all bits of two terms, too.
 */
static uint64_t true_pair(operation op, quire_type type, uint8_t a, uint8_t b, int r) {
    const double x = type_decode(type, a), y = type_decode(type, b);
    switch (op) {
    case OPERATION_SUM: return type_encode(TYPES[r], x + y);
    case OPERATION_ASUM: return type_encode(TYPES[r], fabs(x) + fabs(y));
    case OPERATION_DOT: return type_encode(TYPES[r], x * y);
    case OPERATION_MEAN: return type_encode(TYPES[r], (x + y) / 2);
    default: return of_squares(op, type, a, b, r);
    }
}

/* And what is left after one addition in float; the root of a float in double is right for every type after that. */
static uint64_t float_pair(operation op, quire_type type, uint8_t a, uint8_t b, int r) {
    const float x = (float)type_decode(type, a), y = (float)type_decode(type, b);
    switch (op) {
    case OPERATION_SUM: return type_encode(TYPES[r], (double)(x + y));
    case OPERATION_ASUM: return type_encode(TYPES[r], (double)(fabsf(x) + fabsf(y)));
    case OPERATION_DOT: return type_encode(TYPES[r], (double)(x * y));
    case OPERATION_MEAN: return type_encode(TYPES[r], (double)(x + y) / 2);
    case OPERATION_NRM2: return type_encode(TYPES[r], sqrt((double)(x * x + y * y)));
    default: return type_encode(TYPES[r], (double)(x * x + y * y));
    }
}

static void check_pair(quire_type type, uint8_t a, uint8_t b, size_t turn) {
    const uint8_t x[2] = { a, b };
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        const size_t n = op == OPERATION_DOT ? 1 : 2;
        for (int r = 0; r < TYPE_COUNT; r++)
            check_one(op, type, n, x, x + 1, QUIRE_EXACT, TYPES[r], true_pair(op, type, a, b, r), "a pair");
        for (int m = 1; m < METHOD_COUNT; m++) {
            const int r = (int)((turn + (size_t)m + op) % TYPE_COUNT);
            const uint64_t expected =
                METHODS[m] == QUIRE_KAHAN ? true_pair(op, type, a, b, r) : float_pair(op, type, a, b, r);
            check_one(op, type, n, x, x + 1, METHODS[m], TYPES[r], expected, "a pair");
        }
        if (turn % 61) continue; /* the arithmetic above is itself checked now and then */
        for (int r = 0; r < TYPE_COUNT; r++) {
            check_that(true_pair(op, type, a, b, r) == oracle_reduce(op, type, n, x, x + 1, TYPES[r]),
                       "%s of %02x, %02x", operation_name(op), a, b);
            check_that(float_pair(op, type, a, b, r) ==
                           model_finish(op, model_reduce(op, type, n, x, x + 1, QUIRE_PLAIN), n, TYPES[r]),
                       "%s of %02x, %02x in float", operation_name(op), a, b);
        }
    }
}

/* _i: an eighth of the pairs of a type. At a lesser scale every so many-th. */
START_TEST(every_pair) {
    const size_t pairs = 65536 / 8, step = pairs / (scaled(pairs) < pairs ? scaled(pairs) : pairs);
    memset(squares_known, 0, sizeof squares_known); /* of another type, where tests share their memory */
    for (size_t k = 0; k < pairs; k += step) {
        const size_t pair = (k * 8 + (size_t)_i % 8) & 0xffff;
        check_pair(FP8[_i / 8], (uint8_t)(pair >> 8), (uint8_t)pair, k);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------------- results of 8 bits */

/* Three terms, in any type that holds them; the result as bytes of E5M2 and E4M3. */
START_TEST(overflows) {
    static const struct {
        double x[3];
        uint8_t e5m2, e4m3;
    } cases[] = {
        { { 448, 0, 0 }, 0x5f, 0x7e },
        { { 448, 16, 0 }, 0x5f, 0x7e }, /* 464, a tie with what would be 480 */
        { { 448, 16, -0x1p-9 }, 0x5f, 0x7e },
        { { 448, 16, 0x1p-9 }, 0x5f, 0x7f },
        { { -448, -16, 0 }, 0xdf, 0xfe },
        { { -448, -16, -0x1p-9 }, 0xdf, 0x7f },
        { { 448, 32, 0 }, 0x60, 0x7f },
        { { -448, -448, 0 }, 0xe3, 0x7f },
        { { 57344, 0, 0 }, 0x7b, 0x7f },
        { { 57344, 4096, 0 }, 0x7c, 0x7f }, /* 61440, a tie with 65536 */
        { { 57344, 4096, -0x1p-9 }, 0x7b, 0x7f },
        { { 57344, 3584, 0 }, 0x7b, 0x7f },
        { { -57344, -4096, 0 }, 0xfc, 0x7f },
        { { -57344, -4096, 0x1p-9 }, 0xfb, 0x7f },
        { { 0x1p-10, 0, 0 }, 0x14, 0x00 },
        { { 0x1p-10, 0x1p-14, 0 }, 0x14, 0x01 },
        { { 0x1p-9, 0x1p-10, 0 }, 0x1a, 0x02 },
        { { -0x1p-10, 0, 0 }, 0x94, 0x80 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int t = 0; t < TYPE_COUNT; t++)
            for (int m = 0; m < 2; m++) { /* exact and kahan have all bits of them */
                uint64_t x[3];
                int holds = 1;
                for (size_t i = 0; i < 3; i++) {
                    type_set(TYPES[t], x, i, cases[k].x[i]);
                    holds &= type_value(TYPES[t], x, i) == cases[k].x[i];
                }
                if (!holds) continue;
                check_one(OPERATION_SUM, TYPES[t], 3, x, NULL, METHODS[m], QUIRE_E5M2, cases[k].e5m2, "by hand");
                check_one(OPERATION_SUM, TYPES[t], 3, x, NULL, METHODS[m], QUIRE_E4M3, cases[k].e4m3, "by hand");
            }
}
END_TEST

/* Infinities and NaN of each type into each: of E4M3 there is NaN alone. A product with zero is none, either. */
START_TEST(specials) {
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int m = 0; m < METHOD_COUNT; m++) {
                const quire_type type = TYPES[t], to = TYPES[r];
                const uint64_t sign = type_sign(type), infinity = type_infinity(type), nan = type_nan(to);
                const int has = type_has_infinity(type);
                uint64_t x[2], y[2];
                for (int k = 0; k < 4; k++) {
                    type_store(type, x, 0, k < 2 ? infinity : infinity | sign);
                    type_store(type, x, 1, k == 1 ? infinity | sign : k == 3 ? infinity : 0);
                    type_set(type, y, 0, k % 2 ? 0 : -1);
                    type_set(type, y, 1, 1);
                    check_one(OPERATION_SUM, type, 2, x, y, METHODS[m], to,
                              has && k % 2 == 0 ? type_beyond(to, k == 2) : nan, "specials");
                    check_one(OPERATION_DOT, type, 2, x, y, METHODS[m], to,
                              has && k % 2 == 0 ? type_beyond(to, k == 0) : nan, "specials");
                    check_one(OPERATION_NRM2, type, 2, x, y, METHODS[m], to, has ? type_beyond(to, 0) : nan,
                              "specials");
                    check_one(OPERATION_SUMSQ, type, 2, x, y, METHODS[m], to, has ? type_beyond(to, 0) : nan,
                              "specials");
                }
            }
}
END_TEST

/* What is known but for a little, of a far greater magnitude than the sum, overflows a short format at both ends; where
 * both are one NaN, that is no result. */
START_TEST(cancelled_into_fp8) {
    static const family families[] = { FAMILY_TELESCOPING, FAMILY_HUGE, FAMILY_CONDITION_SEVERE,
                                       FAMILY_EVERY_EXPONENT };
    const quire_type type = TYPES[_i / 4];
    for (size_t n = 100; n < 9000; n = 3 * n + 1) {
        void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
        family_fill_pair(families[_i % 4], type, n, n, x, y);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
            for (int k = 0; k < FP8_COUNT; k++) {
                const uint64_t expected = oracle_reduce(op, type, n, x, y, FP8[k]);
                for (size_t v = 0; v < place_variants(); v++)
                    if (place_use(v))
                        check_one(op, type, n, x, y, QUIRE_EXACT, FP8[k], expected, family_name(families[_i % 4]));
            }
        place_use(0);
        array_free(x);
        array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, bytes_by_hand);
    tcase_add_loop_test(cases, every_byte, 0, FP8_COUNT);
    tcase_add_loop_test(cases, every_pair, 0, 8 * FP8_COUNT);
    tcase_add_test(cases, overflows);
    tcase_add_test(cases, specials);
    tcase_add_loop_test(cases, cancelled_into_fp8, 0, 4 * TYPE_COUNT);
}

int main(void) { return run_cases("fp8", add_tests); }
