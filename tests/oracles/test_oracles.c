/* test_oracles.c - the quick oracles against the slow ones: exact sums in words against MPFR, the order of one tile
 * against the model, to every type in every direction. Asks nothing of the library. */
#include "families.h"
#include "model.h"
#include "oracle_moments.h"
#include "oracle_ordered.h"
#include "support.h"

static ordered_tables tables;
static words_sum sum, squares;
static oracle slow;

static uint64_t slow_bits(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                          quire_type result_type, quire_rounding rounding) {
    if (method == QUIRE_EXACT) return oracle_directed(&slow, op, result_type, rounding);
    return model_directed(op, model_reduce(op, type, n, x, y, method), n, result_type, rounding);
}

static void compare(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                    const char *what) {
    const unrounded u = method == QUIRE_EXACT ? words_reduce(&sum, op, type, n, x, y)
                                              : ordered_reduce(&tables, &sum, op, type, n, x, y, method);
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const uint64_t bits = unrounded_bits(&u, TYPES[r], (quire_rounding)k);
            const uint64_t right = slow_bits(op, type, n, x, y, method, TYPES[r], (quire_rounding)k);
            check_that(bits == right, "%s %s of %zu %s, %s, to %s, rounding %d: %#llx expected, %#llx found",
                       method_name(method), operation_name(op), n, type_name(type), what, type_name(TYPES[r]), k,
                       (unsigned long long)right, (unsigned long long)bits);
        }
}

static void compare_all(operation op, quire_type type, size_t n, const void *x, const void *y, const char *what) {
    oracle_reset(&slow);
    oracle_add(&slow, op, type, n, x, y);
    for (int m = 0; m < METHOD_COUNT; m++) compare(op, type, n, x, y, METHODS[m], what);
}

/* Short vectors of every family, now and then one of several rows of lanes. */
START_TEST(families) {
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const operation op = (operation)(_i / TYPE_COUNT);
    static const size_t lengths[] = { 0, 1, 2, 3, 5, 8, 13, 31, 64, 127, 255, 257, 700, ORDERED_MOST };
    void *x = array_new(ORDERED_MOST * type_size(type), 0), *y = array_new(ORDERED_MOST * type_size(type), 0);
    const size_t turns = scaled(6);
    for (size_t turn = 0; turn < turns; turn++)
        for (int f = 0; f < FAMILY_COUNT; f++)
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
                if (lengths[k] > 100 && turn) continue;
                family_fill_pair((family)f, type, 1000 * turn + k, lengths[k], x, y);
                compare_all(op, type, lengths[k], x, y, family_name((family)f));
            }
    array_free(x);
    array_free(y);
}
END_TEST

/* The variance and its root, to every type in every direction. */
static void compare_moments(quire_type type, size_t n, const void *x, int64_t correction, const char *what) {
    oracle_moments o;
    oracle_moments_open(&o, type, n, x, x);
    for (int root = 0; root < 2; root++) {
        const operation op = root ? OPERATION_STDDEV : OPERATION_VARIANCE;
        const unrounded u = words_moment(&sum, &squares, op, type, n, x, correction);
        for (int i = 0; i < TYPE_COUNT * ROUNDING_COUNT; i++) {
            const quire_type result_type = TYPES[i % TYPE_COUNT];
            const quire_rounding rounding = (quire_rounding)(i / TYPE_COUNT);
            const uint64_t bits = unrounded_bits(&u, result_type, rounding);
            const uint64_t right = (root ? oracle_stddev : oracle_variance)(&o, correction, result_type, rounding);
            check_that(bits == right,
                       "%s of %zu %s, correction %lld, %s, to %s, rounding %d: %#llx expected, %#llx found",
                       operation_name(op), n, type_name(type), (long long)correction, what, type_name(result_type),
                       (int)rounding, (unsigned long long)right, (unsigned long long)bits);
        }
    }
    oracle_moments_close(&o);
}

START_TEST(moments) {
    const quire_type type = TYPES[_i];
    static const size_t lengths[] = { 0, 1, 2, 3, 5, 8, 13, 31, 64, 127, 255, 700, 5000 };
    static const int64_t corrections[] = { 0, 1, -1, 2, 64, INT64_MIN, INT64_MAX, -(INT64_C(1) << 40) };
    void *x = array_new(5000 * type_size(type), 0);
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (size_t c = 0; c < 8; c++) {
                if (lengths[k] > 100 && c > 1) continue;
                family_fill((family)f, type, 10 * k + c, lengths[k], x);
                compare_moments(type, lengths[k], x, corrections[c], family_name((family)f));
            }
    const double ends[3] = { 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p-1074 };
    for (size_t n = 1; n <= 3; n++)
        compare_moments(QUIRE_F64, n, ends, 0, "ends"), compare_moments(QUIRE_F64, n, ends + 3 - n, 1, "ends");
    array_free(x);
}
END_TEST

/* Carries through many words, and the ends of the range: the greatest squares with the least one. */
START_TEST(ends) {
    const quire_type type = TYPES[_i];
    const uint64_t greatest = type_greatest(type), sign = type_sign(type), least = 1;
    for (int k = 0; k < 64; k++) {
        _Alignas(8) unsigned char u[64], v[64];
        for (size_t i = 0; i < 6; i++) {
            const uint64_t magnitude = i < 4 ? greatest : least, signed_one = magnitude | (k >> i & 1 ? sign : 0);
            type_store(type, u, i, signed_one);
            type_store(type, v, i, signed_one);
        }
        for (int op = 0; op < OPERATION_COUNT; op++) compare_all((operation)op, type, 6, u, v, "ends");
        for (size_t i = 0; i < 6; i++) type_store(type, u, i, i < 4 ? greatest : least);
        for (int op = 0; op < OPERATION_COUNT; op++) compare_all((operation)op, type, 6, u, v, "ends");
    }
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, families, 0, TYPE_COUNT * OPERATION_COUNT);
    tcase_add_loop_test(cases, moments, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, ends, 0, TYPE_COUNT);
}

int main(void) {
    ordered_open(&tables);
    words_open(&sum);
    words_open(&squares);
    oracle_open(&slow);
    const int status = run_cases_without_place("oracles", add);
    oracle_close(&slow);
    return status;
}
