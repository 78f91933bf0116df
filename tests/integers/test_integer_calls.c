/* test_integer_calls.c - integers in accumulators, which meet floats there, against GMP and MPFR; and what is refused.
 */
#include "integer_oracle.h"
#include "place.h"
#include "random_doubles.h"
#include "support.h"

/* ----------------------------------------------------------------------------------------------------- accumulators */

/* What was accumulated in pieces is what one call gives, bit by bit, and finite limbs are carried. */
static void check_accumulators(quire_type type, quire_operation op, size_t n) {
    const size_t size = integer_size(type), half = n / 3;
    char *x = array_new(n * size + 8, 0);
    const integer_family family = (integer_family)(random_bits() % INTEGER_FAMILIES);
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO, squares = QUIRE_ACCUMULATOR_ZERO, other = QUIRE_ACCUMULATOR_ZERO;
    quire_accumulator itself = QUIRE_ACCUMULATOR_ZERO;
    const quire_reduction what = integer_reduction(type, op);
    uint64_t result[2];
    integer_oracle o;
    integer_fill(family, type, x, n);
    integer_oracle_open(&o);
    for (size_t i = 0; i < n; i++) integer_oracle_add(&o, op, type, x + i * size, x + i * size);
    const int is_of_pairs = op == QUIRE_AVERAGE || op == QUIRE_COVARIANCE || op == QUIRE_CORRELATION;
    if (op == QUIRE_ASUM) {
        check_ok(place_accumulate_magnitudes(&sum, type, half, x));
        check_ok(place_accumulate_magnitudes(&other, type, n - half, x + half * size));
    } else if (integer_is_product(op) || op == QUIRE_NRM2 || is_of_pairs) {
        check_ok(place_accumulate_products(&sum, type, half, x, x));
        check_ok(place_accumulate_products(&other, type, n - half, x + half * size, x + half * size));
    } else {
        check_ok(place_accumulate(&sum, type, half, x));
        check_ok(place_accumulate(&other, type, n - half, x + half * size));
    }
    check_ok(quire_merge(&sum, &other));
    check_ok(place_accumulate_products(&squares, type, n, x, x));
    check_ok(place_accumulate(&itself, type, n, x));
    ck_assert_int_eq(sum.count, (int64_t)n);
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) ck_assert(sum.limb[i] >> 32 == 0);
    if (is_of_pairs)
        check_ok(quire_finish_pair(&what, &itself, &itself, &squares, &squares, &sum, result));
    else
        check_ok(quire_finish(&what, &sum, &squares, result));
    integer_check(&o, &what, result, "an accumulator");
    integer_oracle_close(&o);
    array_free(x);
}

START_TEST(accumulators) {
    for (size_t turn = 0; turn < scaled(800); turn++) {
        place_use(0);
        place_use(random_bits() % place_variants());
        check_accumulators(INTEGERS[turn % INTEGER_TYPES],
                           INTEGER_OPERATIONS[turn / INTEGER_TYPES % INTEGER_OPERATION_COUNT],
                           random_bits() % (turn % 10 ? 100 : 30000));
    }
    place_use(0);
}
END_TEST

/* Integers and floats meet in one sum. Whether an accumulator holds an integer of 128 bits is found when it is asked.
 */
START_TEST(integers_of_accumulators) {
    static const int64_t x[2] = { INT64_MAX, 1 };
    static const double half[1] = { 0.5 }, great[1] = { 0x1p127 }, nan[1] = { 0x1p1023 };
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, b[2] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    const quire_reduction what = { .result_type = QUIRE_INT128 };
    uint64_t words[4] = { 7, 7, 7, 7 };
    check_ok(quire_accumulate(NULL, &a, QUIRE_INT64, 2, x));
    check_ok(quire_round(&a, QUIRE_INT128, words));
    ck_assert(words[0] == (uint64_t)1 << 63 && words[1] == 0);
    check_ok(quire_accumulate(NULL, &a, QUIRE_F64, 1, half));
    ck_assert_int_eq(quire_round(&a, QUIRE_INT128, words), QUIRE_NO_INTEGER);
    check_ok(quire_accumulate(NULL, &a, QUIRE_F64, 1, half));
    check_ok(quire_round(&a, QUIRE_INT128, words));
    ck_assert(words[0] == ((uint64_t)1 << 63) + 1 && words[1] == 0);
    check_ok(quire_accumulate(NULL, &b[1], QUIRE_F64, 1, great));
    ck_assert_int_eq(quire_round(&b[1], QUIRE_INT128, words), QUIRE_NO_INTEGER);
    words[0] = words[1] = 7;
    ck_assert_int_eq(quire_finish_many(NULL, &what, 2, b, NULL, words), QUIRE_NO_INTEGER);
    ck_assert(words[0] == 7 && words[1] == 7); /* the first would do, and is not written */
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) b[1].limb[i] = -b[1].limb[i];
    check_ok(quire_finish_many(NULL, &what, 2, b, NULL, words));
    ck_assert(words[0] == 0 && words[1] == 0 && words[2] == 0 && words[3] == (uint64_t)1 << 63);
    check_ok(quire_accumulate(NULL, &b[0], QUIRE_F64, 1, nan));
    ck_assert_int_eq(quire_round(&b[0], QUIRE_INT128, words), QUIRE_NO_INTEGER);
    b[0] = (quire_accumulator)QUIRE_ACCUMULATOR_ZERO, b[0].nan = 1;
    ck_assert_int_eq(quire_round(&b[0], QUIRE_INT128, words), QUIRE_NO_INTEGER);
    ck_assert_int_eq(quire_round_root(&a, QUIRE_INT128, words), QUIRE_NO_INTEGER);
    ck_assert_int_eq(quire_round_mean(&a, QUIRE_INT128, words), QUIRE_NO_INTEGER);
    ck_assert_int_eq(quire_covariance(&a, &a, &a, 0, QUIRE_INT128, words), QUIRE_NO_INTEGER);
    ck_assert_int_eq(quire_correlation(&a, &a, &a, &a, &a, QUIRE_INT128, words), QUIRE_NO_INTEGER);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- refused */

START_TEST(refused) {
    static const int64_t x[2] = { 1, 2 };
    const quire_layout one = quire_strided(2, 1);
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    union {
        uint64_t words[4];
        char bytes[32];
    } r = { { 7, 7, 7, 7 } };
    for (int t = 0; t < INTEGER_TYPES; t++) {
        const quire_type type = INTEGERS[t];
        const int has_products = integer_size(type) <= 4;
        ck_assert_uint_eq(quire_type_size(type), integer_size(type));
        for (int method = QUIRE_KAHAN; method <= QUIRE_PLAIN; method++)
            ck_assert_int_eq(quire_sum(NULL, type, 2, x, (quire_method)method, QUIRE_F64, r.words),
                             QUIRE_INVALID_METHOD);
        ck_assert_int_eq(quire_sum(NULL, type, 2, x, QUIRE_EXACT, type, r.words), QUIRE_INVALID_RESULT_TYPE);
        ck_assert_int_eq(quire_sum(NULL, QUIRE_F64, 2, x, QUIRE_EXACT, type, r.words), QUIRE_INVALID_RESULT_TYPE);
        ck_assert_int_eq(quire_round(&a, type, r.words), QUIRE_INVALID_RESULT_TYPE);
        ck_assert_int_eq(quire_mean(NULL, type, 2, x, QUIRE_EXACT, QUIRE_INT128, r.words), QUIRE_NO_INTEGER);
        ck_assert_int_eq(quire_nrm2(NULL, type, 2, x, QUIRE_EXACT, QUIRE_INT128, r.words), QUIRE_NO_INTEGER);
        ck_assert_int_eq(quire_variance(NULL, type, 2, x, 0, QUIRE_INT128, r.words), QUIRE_NO_INTEGER);
        for (int op = QUIRE_AVERAGE; op <= QUIRE_CORRELATION; op++) {
            const quire_reduction of_pairs = { .operation = (quire_operation)op,
                                               .type = type,
                                               .result_type = QUIRE_INT128 };
            ck_assert_int_eq(quire_reduce(NULL, &of_pairs, &one, x, NULL, x, r.words), QUIRE_NO_INTEGER);
            ck_assert_int_eq(quire_finish_pair(&of_pairs, &a, &a, &a, &a, &a, r.words), QUIRE_NO_INTEGER);
        }
        if (!has_products)
            ck_assert_int_eq(quire_dot(NULL, type, 2, x, x, QUIRE_EXACT, QUIRE_INT128, r.words), QUIRE_NO_INTEGER);
        ck_assert_int_eq(quire_sum(NULL, type, 2, x, QUIRE_EXACT, QUIRE_INT128, r.bytes + 4), QUIRE_MISALIGNED);
        ck_assert_int_eq(quire_sum(NULL, type, 2, NULL, QUIRE_EXACT, QUIRE_F64, r.words), QUIRE_NULL_POINTER);
        if (integer_size(type) > 1)
            ck_assert_int_eq(quire_sum(NULL, type, 1, (const char *)x + 1, QUIRE_EXACT, QUIRE_F64, r.words),
                             QUIRE_MISALIGNED);
    }
    ck_assert_int_eq(quire_sum(NULL, QUIRE_F64, 2, x, QUIRE_EXACT, QUIRE_INT128, r.words), QUIRE_NO_INTEGER);
    ck_assert_int_eq(quire_sum(NULL, QUIRE_INT128, 2, x, QUIRE_EXACT, QUIRE_F64, r.words), QUIRE_INVALID_TYPE);
    ck_assert_int_eq(quire_sum(NULL, QUIRE_INT128, 0, x, QUIRE_EXACT, QUIRE_F64, r.words), QUIRE_INVALID_TYPE);
    ck_assert_int_eq(quire_accumulate(NULL, &a, QUIRE_INT128, 2, x), QUIRE_INVALID_TYPE);
    ck_assert_int_eq(quire_sum(NULL, (quire_type)15, 2, x, QUIRE_EXACT, QUIRE_F64, r.words), QUIRE_INVALID_TYPE);
    ck_assert_int_eq(quire_sum(NULL, (quire_type)25, 2, x, QUIRE_EXACT, QUIRE_F64, r.words), QUIRE_INVALID_TYPE);
    ck_assert_uint_eq(quire_type_size(QUIRE_INT128), 16);
    for (int i = 0; i < 4; i++) ck_assert(r.words[i] == 7);
    check_ok(quire_sum(NULL, QUIRE_INT64, 2, x, QUIRE_EXACT, QUIRE_INT128, r.bytes + 8)); /* 8 bytes are enough */
    ck_assert(r.words[1] == 3 && r.words[2] == 0);
}
END_TEST

static void put(quire_type type, char *x, size_t i, int v) {
    const float of_float = (float)v;
    const double of_double = v;
    const int64_t of_integer = v;
    const size_t size = quire_type_size(type);
    memcpy(x + i * size,
           type == QUIRE_F32   ? (const void *)&of_float
           : type == QUIRE_F64 ? (const void *)&of_double
                               : (const void *)&of_integer,
           size);
}

/* Two layouts of one memory that begin at the same element are two vectors. */
START_TEST(of_one_memory) {
    enum { N = 300 };
    static const quire_operation operations[] = { QUIRE_DOT, QUIRE_AVERAGE, QUIRE_COVARIANCE };
    for (int t = 0; t < INTEGER_TYPES + 2; t++) {
        const quire_type type = t < INTEGER_TYPES ? INTEGERS[t] : t == INTEGER_TYPES ? QUIRE_F32 : QUIRE_F64;
        const size_t size = quire_type_size(type);
        char *all = array_new(2 * N * size, 0), *y = array_new(N * size, 0), *x = array_new(N * size, 0);
        for (size_t i = 0; i < 2 * N; i++) put(type, all, i, (int)(random_bits() % 100));
        for (ptrdiff_t step = 0; step < 2; step++)
            for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
                const quire_reduction what = { .operation = operations[o], .type = type, .result_type = QUIRE_F64 };
                const quire_layout apart = quire_strided(N, 2), near = quire_strided(N, step);
                double together = -1, alone = -2;
                for (size_t i = 0; i < N; i++) {
                    memcpy(x + i * size, all + 2 * i * size, size);
                    memcpy(y + i * size, all + i * (size_t)step * size, size);
                }
                check_ok(place_layouts(&what, &apart, all, &near, all, &together));
                check_ok(place_reduction(&what, N, x, y, &alone));
                check_bits(QUIRE_F64, &together, double_bits(alone), "type %d, operation %d, step %d", (int)type,
                           (int)what.operation, (int)step);
            }
        array_free(all), array_free(x), array_free(y);
    }
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, accumulators);
    tcase_add_test(cases, integers_of_accumulators);
    tcase_add_test(cases, refused);
    tcase_add_test(cases, of_one_memory);
}

int main(void) { return run_cases("integer_calls", add); }
