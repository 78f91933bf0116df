/* test_integer_scans.c - running sums of integers against GMP and MPFR: every prefix of vectors of every layout, type
 * and direction, by threads, tiers and launches; and what is refused. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "integer_oracle.h"
#include "many.h"
#include "place.h"
#include "random_doubles.h"
#include "support.h"

static quire_scan_kind any_kind(void) { return random_bits() % 2 ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE; }

static quire_reduction any_scan(quire_type type) {
    return integer_reduction(type, random_bits() % 3 ? QUIRE_SUM : QUIRE_ASUM);
}

static ptrdiff_t place_of(const quire_layout *l, size_t i, size_t k, size_t j) {
    return (ptrdiff_t)i * l->outer_stride + (ptrdiff_t)k * l->stride + (ptrdiff_t)j * l->inner_stride;
}

/* -------------------------------------------------------------------------------------------------------- one call */

/* Arrays of a layout; memory from the element of index 0 on. */
typedef struct {
    quire_layout layout;
    size_t size, elements;
    char *memory, *origin;
} array;

static array array_of(quire_layout layout, size_t size, size_t alignment) {
    array a = { layout, size, 0, NULL, NULL };
    size_t origin;
    a.elements = layout_elements(&layout, &origin);
    a.memory = array_new(a.elements * size + 8, alignment);
    a.origin = a.memory + origin * size;
    return a;
}

/* Every result of the vectors of x, and bytes that no result has, which must be "fill" still. */
static void check_results(const quire_reduction *what, quire_scan_kind kind, const array *x, const array *results,
                          int fill) {
    const quire_layout *l = &x->layout;
    const size_t bytes = results->elements * results->size;
    char *copy = array_copy(results->memory, bytes, 0);
    integer_oracle o;
    integer_oracle_open(&o);
    for (size_t i = 0; i < l->outer; i++)
        for (size_t j = 0; j < l->inner; j++) {
            integer_oracle_reset(&o);
            for (size_t k = 0; k < l->n; k++) {
                const char *element = x->origin + place_of(l, i, k, j) * (ptrdiff_t)x->size;
                const ptrdiff_t at = place_of(&results->layout, i, k, j) * (ptrdiff_t)results->size;
                if (kind == QUIRE_INCLUSIVE) integer_oracle_add(&o, what->operation, what->type, element, element);
                integer_check(&o, what, results->origin + at, kind ? "exclusive" : "inclusive");
                if (kind == QUIRE_EXCLUSIVE) integer_oracle_add(&o, what->operation, what->type, element, element);
                memset(copy + (results->origin - results->memory) + at, fill, results->size);
            }
        }
    integer_oracle_close(&o);
    for (size_t b = 0; fill >= 0 && b < bytes; b++)
        check_that((unsigned char)copy[b] == fill, "byte %zu between results was written", b);
    array_free(copy);
}

static void check_scan(const quire_reduction *what, quire_scan_kind kind, const array *x, quire_layout to) {
    array results = array_of(to, integer_result_size(what->result_type), random_bits() % 2 * 8);
    memset(results.memory, 0xa5, results.elements * results.size);
    check_ok(place_scan(what, kind, &x->layout, x->origin, &to, results.origin));
    check_results(what, kind, x, &results, 0xa5);
    array_free(results.memory);
}

/* The same where results replace elements. */
static void check_in_place(const quire_reduction *what, quire_scan_kind kind, const array *x) {
    array results = *x;
    results.memory = array_copy(x->memory, x->elements * x->size, 0);
    results.origin = results.memory + (x->origin - x->memory);
    check_ok(place_scan(what, kind, &x->layout, results.origin, &x->layout, results.origin));
    check_results(what, kind, x, &results, -1);
    array_free(results.memory);
}

static void check_any(quire_type type, quire_layout from, quire_layout to) {
    quire_reduction what = any_scan(type);
    array x = array_of(from, integer_size(type), random_bits() % 8 * integer_size(type));
    integer_fill((integer_family)(random_bits() % INTEGER_FAMILIES), type, x.memory, x.elements);
    if (x.size == integer_result_size(what.result_type) && random_bits() % 2)
        check_in_place(&what, any_kind(), &x);
    else
        check_scan(&what, any_kind(), &x, to);
    array_free(x.memory);
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

static ptrdiff_t either_sign(ptrdiff_t stride) { return random_bits() % 3 ? stride : -stride; }

/* Vectors whose elements are all apart: those of a vector side by side, or those of neighbours. */
static quire_layout any_layout(size_t outer, size_t n, size_t inner) {
    const ptrdiff_t gap = 1 + (ptrdiff_t)(random_bits() % 2), more = (ptrdiff_t)(random_bits() % 3);
    quire_layout l = { outer, n, inner, 0, gap, gap * (ptrdiff_t)n + more };
    if (random_bits() % 2) l.stride = gap * (ptrdiff_t)inner + more, l.inner_stride = gap;
    l.outer_stride = gap * (ptrdiff_t)(n + 2) * (ptrdiff_t)(inner + 2) + more;
    l.stride = either_sign(l.stride), l.inner_stride = either_sign(l.inner_stride);
    l.outer_stride = either_sign(l.outer_stride);
    return l;
}

START_TEST(scans_at_random) {
    if (!place_use((size_t)_i)) return;
    for (size_t turn = scaled(400); turn-- > 0;) {
        const size_t n = 1 + random_bits() % ((uint64_t)1 << (1 + random_bits() % 10));
        const size_t outer = 1 + random_bits() % 3, inner = 1 + random_bits() % (n > 100 ? 3 : 40);
        check_any(INTEGERS[turn % INTEGER_TYPES], any_layout(outer, n, inner), any_layout(outer, n, inner));
    }
    place_use(0);
}
END_TEST

/* Every type, family, result type and direction, of lengths around those that are taken together. */
START_TEST(every_result) {
    static const quire_type results[] = { QUIRE_F16,  QUIRE_BF16, QUIRE_F32,   QUIRE_F64,
                                          QUIRE_E5M2, QUIRE_E4M3, QUIRE_INT128 };
    static const size_t lengths[] = { 1, 31, 64, 65, 129, 700 };
    for (size_t t = 0; t < INTEGER_TYPES * INTEGER_FAMILIES; t++)
        for (size_t r = 0; r < sizeof results / sizeof *results * 4; r++) {
            const quire_type type = INTEGERS[t % INTEGER_TYPES];
            const size_t n = lengths[random_bits() % 6];
            quire_reduction what = any_scan(type);
            what.result_type = results[r / 4], what.rounding = (quire_rounding)(r % 4);
            array x = array_of(quire_strided(n, 1), integer_size(type), 0);
            integer_fill((integer_family)(t / INTEGER_TYPES), type, x.memory, n);
            place_use(0);
            place_use(random_bits() % place_variants());
            check_scan(&what, any_kind(), &x, x.layout);
            array_free(x.memory);
        }
    place_use(0);
}
END_TEST

/* Long vectors, few and many: shared by threads, if the place has them, and cut for blocks. */
static void check_long(quire_type type) {
    static const size_t lengths[] = { 2048, 4097, 100000, 200001 };
    const size_t n = lengths[random_bits() % 4], few = 1 + random_bits() % 3;
    const quire_layout l =
        random_bits() % 2 ? quire_columns(n, few, (ptrdiff_t)few + 1) : quire_strided(n, random_bits() % 2 ? 1 : -2);
    check_any(type, l, l);
}

/* A context whose threads share whatever there is, where there are threads; else NULL. */
static quire_context *open_eager(void) {
    quire_context *eager = NULL;
    if (strcmp(place_name(), "cpu")) return NULL;
    setenv("QUIRE_CPU_THREAD", "1", 1);
    check_ok(quire_open_cpu(&eager, 3));
    unsetenv("QUIRE_CPU_THREAD");
    place_set_context(eager);
    return eager;
}

START_TEST(long_vectors) {
    if (!place_use((size_t)_i)) return;
    for (size_t turn = 0; turn < scaled(4) * INTEGER_TYPES; turn++) check_long(INTEGERS[turn % INTEGER_TYPES]);
    place_use(0);
}
END_TEST

/* And every split of short ones. */
START_TEST(shared_vectors) {
    quire_context *eager = open_eager();
    for (size_t turn = 0; turn < scaled(4) * INTEGER_TYPES && eager; turn++) check_long(INTEGERS[turn % INTEGER_TYPES]);
    for (size_t turn = 0; turn < scaled(400) && eager; turn++) {
        const quire_layout l = quire_strided(1 + turn * 7, 1);
        check_any(INTEGERS[turn % INTEGER_TYPES], l, l);
    }
    place_use(0);
    quire_close(eager);
}
END_TEST

/* Enough rows, or columns, for many warps. */
START_TEST(many_vectors) {
    static const size_t lengths[] = { 1, 2, 3, 7, 31, 32, 33, 64, 65, 129, 1000 };
    const size_t n = lengths[(size_t)_i % 11], vectors = 1 + 60000 / n;
    const quire_layout l =
        _i < 11 ? quire_rows(vectors, n, (ptrdiff_t)n) : quire_columns(n, vectors, (ptrdiff_t)vectors);
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_any(INTEGERS[(size_t)(_i + (int)v) % INTEGER_TYPES], l, l);
    place_use(0);
}
END_TEST

/* Zeros, by what came before them: zeros, or numbers that cancel, which downward are -0. */
static void check_zeros(void) {
    enum { N = 5000 };
    int32_t x[N] = { 0 };
    double results[N];
    const quire_layout l = quire_strided(N, 1);
    x[70] = 1, x[140] = -1;
    for (int kind = 0; kind < 2; kind++)
        for (int rounding = 0; rounding < 4; rounding++) {
            const quire_reduction what = { .type = QUIRE_INT32, .rounding = (quire_rounding)rounding };
            check_ok(place_scan(&what, (quire_scan_kind)kind, &l, x, &l, results));
            for (int k = 0; k < N; k++) {
                const int last = k - kind, is_negative = last >= 140 && rounding == QUIRE_DOWNWARD;
                const uint64_t expected = last >= 70 && last < 140 ? 0x3ff0000000000000 : (uint64_t)is_negative << 63;
                check_bits(QUIRE_F64, &results[k], expected, "result %d, kind %d, rounding %d", k, kind, rounding);
            }
        }
}

START_TEST(zeros) {
    check_zeros();
    quire_context *eager = open_eager();
    check_zeros();
    place_use(0);
    quire_close(eager);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- arguments */

START_TEST(arguments) {
    int64_t x[4] = { INT64_MIN, -1, INT64_MAX, 5 };
    union {
        uint64_t words[10];
        char bytes[80];
    } r;
    const quire_layout four = quire_strided(4, 1), none = quire_strided(0, 1);
    const quire_layout far = quire_strided(4, PTRDIFF_MAX / 40);
    quire_context *const c = place_context();
    memset(&r, 7, sizeof r);
    for (int t = 0; t < INTEGER_TYPES; t++) {
        quire_reduction what = { .type = INTEGERS[t], .result_type = QUIRE_INT128 };
        check_ok(quire_scan(c, &what, QUIRE_INCLUSIVE, &none, NULL, &none, NULL));
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &four, r.bytes + 4), QUIRE_MISALIGNED);
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, NULL, &four, r.bytes), QUIRE_NULL_POINTER);
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &four, NULL), QUIRE_NULL_POINTER);
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &far, r.bytes), QUIRE_INVALID_LAYOUT);
        if (integer_size(INTEGERS[t]) > 1)
            ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, (char *)x + 1, &four, r.bytes),
                             QUIRE_MISALIGNED);
        what.method = QUIRE_KAHAN;
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &four, r.bytes), QUIRE_INVALID_METHOD);
        what.method = QUIRE_EXACT, what.operation = QUIRE_SUMSQ;
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &four, r.bytes), QUIRE_INVALID_OPERATION);
        what.operation = QUIRE_SUM, what.result_type = INTEGERS[t];
        ck_assert_int_eq(quire_scan(c, &what, QUIRE_INCLUSIVE, &four, x, &four, r.bytes), QUIRE_INVALID_RESULT_TYPE);
    }
    const quire_reduction of_floats = { .type = QUIRE_F64, .result_type = QUIRE_INT128 };
    ck_assert_int_eq(quire_scan(c, &of_floats, QUIRE_INCLUSIVE, &four, x, &four, r.bytes), QUIRE_NO_INTEGER);
    for (int i = 0; i < 10; i++) ck_assert(r.words[i] == 0x0707070707070707);
    const quire_reduction what = { .type = QUIRE_INT64, .result_type = QUIRE_INT128 };
    check_ok(place_scan(&what, QUIRE_INCLUSIVE, &four, x, &four, r.bytes + 8)); /* 8 bytes are enough */
    ck_assert(r.words[0] == 0x0707070707070707 && r.words[9] == 0x0707070707070707);
    ck_assert(r.words[1] == (uint64_t)1 << 63 && r.words[2] == UINT64_MAX);       /* -2^63, */
    ck_assert(r.words[3] == ((uint64_t)1 << 63) - 1 && r.words[4] == UINT64_MAX); /* which int64_t cannot go below */
    ck_assert(r.words[5] == UINT64_MAX - 1 && r.words[6] == UINT64_MAX && r.words[7] == 3 && r.words[8] == 0);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, scans_at_random, 0, (int)place_variants());
    tcase_add_test(cases, every_result);
    tcase_add_loop_test(cases, long_vectors, 0, (int)place_variants());
    tcase_add_test(cases, shared_vectors);
    tcase_add_loop_test(cases, many_vectors, 0, 22);
    tcase_add_test(cases, zeros);
    tcase_add_test(cases, arguments);
}

int main(void) { return run_cases("integer_scans", add); }
