/* test_fp8_vectors.c - vectors of the 8-bit formats, short and long, by every method: exact results equal the oracle's,
 * the other methods' the model's. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "fp8.h"
#include "model.h"
#include "oracle_mpfr.h"

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
            oracle_add_alike(&o, op, type, n, x);
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

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, subsets, 0, FP8_COUNT);
    tcase_add_loop_test(cases, every_family, 0, FP8_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, long_vectors, 0, FP8_COUNT * 3);
    tcase_add_loop_test(cases, full_headroom, 0, FP8_COUNT);
    tcase_add_loop_test(cases, every_alignment, 0, FP8_COUNT);
}

int main(void) { return run_cases("fp8_vectors", add_tests); }
