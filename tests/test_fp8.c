/* test_fp8.c - the 8-bit formats, as elements and as results: every byte, every pair of bytes, by every method. Numbers
 * so short leave no room for doubt: sums and products of two are exact in double, which the host then rounds once. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "model.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define FP8_COUNT 2
static const quire_type FP8[FP8_COUNT] = { QUIRE_E5M2, QUIRE_E4M3 };

static void check_one(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                      quire_type result_type, uint64_t expected, const char *text) {
    uint64_t result[1];
    check_ok(place_reduce(op, type, n, x, y, method, result_type, result));
    check_bits(result_type, result, expected, "%s %s of %zu %s, %s", method_name(method), operation_name(op), n,
               type_name(type), text);
}

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

/* --------------------------------------------------------------------------------------------------- longer vectors */

/* Every result type by every method, on every variant. many: variants but the first take one result type in turn. */
static void check_vector(operation op, quire_type type, size_t n, const void *x, const void *y, int many,
                         const char *text) {
    uint64_t expected[METHOD_COUNT][TYPE_COUNT];
    oracle o;
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    for (int r = 0; r < TYPE_COUNT; r++) expected[0][r] = oracle_bits(&o, op, TYPES[r]);
    oracle_close(&o);
    for (int m = 1; m < METHOD_COUNT; m++) {
        const model_total total = model_reduce(op, type, n, x, y, METHODS[m]);
        for (int r = 0; r < TYPE_COUNT; r++) expected[m][r] = model_finish(op, total, n, TYPES[r]);
    }
    for (size_t v = 0; v < place_variants(); v++)
        for (int m = 0; place_use(v) && m < METHOD_COUNT; m++)
            for (int r = 0; r < TYPE_COUNT; r++)
                if (!many || ((size_t)m + v + op) % TYPE_COUNT == (size_t)r)
                    check_one(op, type, n, x, y, METHODS[m], TYPES[r], expected[m][r], text);
    place_use(0);
}

/* 256 bytes of any kind, finite, or of all once and in any order. */
START_TEST(subsets) {
    const quire_type type = FP8[_i];
    uint8_t x[256], y[256];
    generator g;
    generator_seed(&g, 110 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(40); turn++) {
        for (unsigned i = 0; i < 256; i++) {
            x[i] = (uint8_t)(turn % 3 ? generator_next(&g) >> 32 : i);
            y[i] = (uint8_t)(turn % 3 ? generator_next(&g) >> 32 : 255 - i);
            if (turn % 3 != 1 && !type_is_finite(type, x[i])) x[i] = 0x80;
            if (turn % 3 != 1 && !type_is_finite(type, y[i])) y[i] = 0;
        }
        generator_shuffle(&g, sizeof x, 1, x);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
            check_vector(op, type, sizeof x - turn % 7, x, y, 0, "any bytes");
    }
}
END_TEST

START_TEST(every_family) {
    static const size_t lengths[] = { 255, 257, 4097, 9001 };
    const quire_type type = FP8[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        uint8_t *x = array_new(lengths[l], 0), *y = array_new(lengths[l], 0);
        family_fill_pair(which, type, 120 + l, lengths[l], x, y);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
            check_vector(op, type, lengths[l], x, y, 1, family_name(which));
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* The sum of finite terms, of each pair of bytes at once: a term times how often it is there is exact in double. */
static void add_counted(oracle *o, operation op, quire_type type, size_t n, const uint8_t *x, const uint8_t *y) {
    static uint32_t counts[256][256];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) counts[x[i]][op == OPERATION_DOT ? y[i] : 0]++;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            const double u = type_decode(type, a), v = op == OPERATION_DOT ? type_decode(type, b) : u;
            const double term = operation_multiplies(op) ? u * v : op == OPERATION_ASUM ? fabs(u) : u;
            if (counts[a][b]) oracle_add_scaled(o, counts[a][b] * term, 0);
        }
    o->count = n;
}

static void check_long(operation op, quire_type type, size_t n, const uint8_t *x, const uint8_t *y) {
    uint64_t expected[TYPE_COUNT];
    oracle o;
    oracle_open(&o);
    add_counted(&o, op, type, n, x, y);
    for (int r = 0; r < TYPE_COUNT; r++) expected[r] = oracle_bits(&o, op, TYPES[r]);
    oracle_close(&o);
    for (size_t v = 0; v < place_variants(); v++)
        for (int r = 0; place_use(v) && r < TYPE_COUNT; r++)
            if (TYPES[r] == QUIRE_F64 || (v + op) % TYPE_COUNT == (size_t)r)
                check_one(op, type, n, x, y, QUIRE_EXACT, TYPES[r], expected[r], "long");
    for (int threads = 2; threads < 8 && !strcmp(place_name(), "cpu"); threads += 3) {
        quire_context *context;
        check_ok(quire_open_cpu(&context, threads));
        place_set_context(context);
        check_one(op, type, n, x, y, QUIRE_EXACT, QUIRE_F64, expected[3], "threads");
        place_use(0);
        quire_close(context);
    }
    place_use(0);
}

/* Many tiles; and on a CPU numbers of threads that do not divide them. The other methods take fewer elements: their
 * model takes its time. */
START_TEST(long_vectors) {
    static const family families[] = { FAMILY_FINITE_BITS, FAMILY_UNIFORM, FAMILY_HUGE };
    const quire_type type = FP8[_i / 3];
    const size_t n = scaled(1000037), fewer = n < 100003 ? n : 100003;
    uint8_t *x = array_new(n, 1), *y = array_new(n, 7);
    family_fill_pair(families[_i % 3], type, 130, n, x, y);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        check_long(op, type, n, x, y);
        if (op == OPERATION_SUM || operation_multiplies(op)) check_vector(op, type, fewer, x, y, 1, "long");
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Equal elements, all bits set, as many as bins can be filled with. */
START_TEST(full_headroom) {
    const quire_type type = FP8[_i];
    const size_t n = scaled(3000001);
    uint8_t *x = array_new(n, 0);
    const uint64_t fills[2] = { type_greatest(type) | type_sign(type), type_encode(type, 2) - 1 };
    for (int f = 0; f < 2; f++) {
        memset(x, (int)fills[f], n);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            oracle o;
            oracle_open(&o);
            oracle_add(&o, op, type, 1, x, x);
            mpfr_mul_ui(o.finite, o.finite, n, MPFR_RNDN);
            o.count = n;
            for (size_t v = 0; v < place_variants(); v++)
                if (place_use(v))
                    check_one(op, type, n, x, x, QUIRE_EXACT, QUIRE_F64, oracle_bits(&o, op, QUIRE_F64), "all alike");
            place_use(0);
            oracle_close(&o);
        }
    }
    array_free(x);
}
END_TEST

/* Bytes begin anywhere. */
START_TEST(every_alignment) {
    const quire_type type = FP8[_i];
    const size_t n = 1037;
    uint8_t *x = array_new(n, 0), *y = array_new(n, 0);
    family_fill_pair(FAMILY_EVERY_EXPONENT, type, 140, n, x, y);
    for (size_t offset = 0; offset < 64; offset++) {
        uint8_t *u = array_copy(x, n, offset), *v = array_copy(y, n, offset * 37 % 64);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
            check_vector(op, type, n, u, v, 1, "at an offset");
        array_free(u);
        array_free(v);
    }
    array_free(x);
    array_free(y);
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
    tcase_add_loop_test(cases, subsets, 0, FP8_COUNT);
    tcase_add_loop_test(cases, every_family, 0, FP8_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, long_vectors, 0, FP8_COUNT * 3);
    tcase_add_loop_test(cases, full_headroom, 0, FP8_COUNT);
    tcase_add_loop_test(cases, every_alignment, 0, FP8_COUNT);
    tcase_add_test(cases, overflows);
    tcase_add_test(cases, specials);
    tcase_add_loop_test(cases, cancelled_into_fp8, 0, 4 * TYPE_COUNT);
}

int main(void) { return run_cases("fp8", add_tests); }
