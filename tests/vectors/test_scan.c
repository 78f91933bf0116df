/* test_scan.c - running sums: each has the bits of the call on the elements that it sums up. */
#include <fenv.h>
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

/* Whether the place has the call; if not, that it says so. */
static int is_there(void) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_layout none = quire_strided(0, 1);
    const quire_status status = quire_scan(place_context(), &what, QUIRE_INCLUSIVE, &none, NULL, &none, NULL);
    check_that(status == QUIRE_OK || status == QUIRE_WRONG_CONTEXT, "%s", quire_status_string(status));
    return status == QUIRE_OK;
}

/* ------------------------------------------------------------------------------------------------------ expectation */

/* The bits of the first n elements on a CPU, by the general call. */
static uint64_t sum_of_first(const quire_reduction *what, size_t n, const void *x) {
    const quire_layout one = quire_strided(n, 1);
    uint64_t result = 0;
    check_ok(quire_reduce(NULL, what, &one, x, NULL, NULL, &result));
    return type_load(what->result_type, &result, 0);
}

/* Sums that are expected, one after the other: of few elements by the general call, of more by an accumulator. */
typedef struct expectation {
    const quire_reduction *what;
    const void *x;
    quire_accumulator sum;
    size_t n;
} expectation;

#define FEW 70

static uint64_t expected_sum(expectation *e, size_t n) {
    const char *x = e->x;
    const size_t size = type_size(e->what->type);
    uint64_t result = 0;
    if (e->n < n) {
        const quire_status status =
            e->what->operation == QUIRE_ASUM
                ? quire_accumulate_magnitudes(NULL, &e->sum, e->what->type, n - e->n, x + e->n * size)
                : quire_accumulate(NULL, &e->sum, e->what->type, n - e->n, x + e->n * size);
        check_ok(status);
        e->n = n;
    }
    if (n <= FEW) return sum_of_first(e->what, n, x);
    check_ok(quire_finish(e->what, &e->sum, NULL, &result));
    return type_load(e->what->result_type, &result, 0);
}

/* ----------------------------------------------------------------------------------------------------------- arrays */

/* Elements of a layout, in memory of their own. */
typedef struct array {
    quire_type type;
    quire_layout layout;
    void *memory, *origin;
    size_t elements;
} array;

static array array_of_layout(quire_type type, quire_layout layout) {
    array a = { type, layout, NULL, NULL, 0 };
    size_t origin;
    a.elements = layout_elements(&layout, &origin);
    a.memory = array_new(a.elements * type_size(type), 8);
    a.origin = (char *)a.memory + origin * type_size(type);
    return a;
}

static array array_of_family(quire_type type, quire_layout layout, family which, uint64_t seed) {
    array a = array_of_layout(type, layout);
    family_fill(which, type, seed, a.elements, a.memory);
    return a;
}

static ptrdiff_t place_of(const quire_layout *l, size_t i, size_t k, size_t j) {
    return (ptrdiff_t)i * l->outer_stride + (ptrdiff_t)k * l->stride + (ptrdiff_t)j * l->inner_stride;
}

/* One vector's results against those that are expected of its elements, side by side. */
static void check_vector(const quire_reduction *what, quire_scan_kind kind, const void *x, const array *results,
                         size_t i, size_t j, const char *name) {
    expectation e = { what, x, QUIRE_ACCUMULATOR_ZERO, 0 };
    const size_t size = type_size(what->result_type);
    for (size_t k = 0; k < results->layout.n; k++)
        check_bits(what->result_type, (char *)results->origin + place_of(&results->layout, i, k, j) * (ptrdiff_t)size,
                   expected_sum(&e, kind == QUIRE_EXCLUSIVE ? k : k + 1),
                   "%s, %s%s, result %zu of %zu, vector %zu, %zu", name, reduction_text(what),
                   kind ? ", exclusive" : "", k, results->layout.n, i, j);
}

/* The same of all vectors. */
static void check_results(const quire_reduction *what, quire_scan_kind kind, const array *x, const array *results,
                          const char *name) {
    const quire_layout *l = &x->layout;
    const size_t size = type_size(what->type);
    char *side_by_side = array_new((l->n + 1) * size, 0);
    for (size_t i = 0; i < l->outer; i++)
        for (size_t j = 0; j < l->inner; j++) {
            for (size_t k = 0; k < l->n; k++)
                copy_element(what->type, side_by_side, k, x->origin, place_of(l, i, k, j));
            check_vector(what, kind, side_by_side, results, i, j, name);
        }
    array_free(side_by_side);
}

/* Bytes that no result has must be "fill" still. */
static void check_between(const array *results, int fill) {
    const quire_layout *l = &results->layout;
    const size_t size = type_size(results->type), bytes = results->elements * size;
    unsigned char *copy = array_copy(results->memory, bytes, 0);
    const ptrdiff_t origin = (char *)results->origin - (char *)results->memory;
    for (size_t i = 0; i < l->outer; i++)
        for (size_t k = 0; k < l->n; k++)
            for (size_t j = 0; j < l->inner; j++)
                memset(copy + origin + place_of(l, i, k, j) * (ptrdiff_t)size, fill, size);
    for (size_t b = 0; b < bytes; b++) check_that(copy[b] == fill, "byte %zu between results was written", b);
    array_free(copy);
}

static void check_scan(const quire_reduction *what, quire_scan_kind kind, const array *x, quire_layout to,
                       const char *name) {
    array results = array_of_layout(what->result_type, to);
    memset(results.memory, 0xa5, results.elements * type_size(what->result_type));
    check_ok(place_scan(what, kind, &x->layout, x->origin, &to, results.origin));
    check_results(what, kind, x, &results, name);
    check_between(&results, 0xa5);
    array_free(results.memory);
}

/* The same where results replace elements. */
static void check_in_place(const quire_reduction *what, quire_scan_kind kind, const array *x, const char *name) {
    array results = *x;
    results.type = what->result_type;
    results.memory = array_copy(x->memory, x->elements * type_size(x->type), 8);
    results.origin = (char *)results.memory + ((char *)x->origin - (char *)x->memory);
    check_ok(place_scan(what, kind, &x->layout, results.origin, &x->layout, results.origin));
    check_results(what, kind, x, &results, name);
    array_free(results.memory);
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

static ptrdiff_t either_sign(generator *g, ptrdiff_t stride) { return generator_below(g, 3) ? stride : -stride; }

/* Vectors whose elements are all apart. */
static quire_layout draw_layout(generator *g, size_t outer, size_t n, size_t inner) {
    quire_layout l = { outer, n, inner, 0, 0, 0 };
    const ptrdiff_t gap = 1 + (ptrdiff_t)generator_below(g, 2), rows = (ptrdiff_t)n, columns = (ptrdiff_t)inner;
    if (generator_below(g, 2)) { /* elements side by side, or neighbours */
        l.stride = gap, l.inner_stride = gap * rows + (ptrdiff_t)generator_below(g, 3);
        l.outer_stride = l.inner_stride * columns + (ptrdiff_t)generator_below(g, 3);
    } else {
        l.inner_stride = gap, l.stride = gap * columns + (ptrdiff_t)generator_below(g, 3);
        l.outer_stride = l.stride * rows + (ptrdiff_t)generator_below(g, 3);
    }
    l.stride = either_sign(g, l.stride), l.inner_stride = either_sign(g, l.inner_stride);
    l.outer_stride = either_sign(g, l.outer_stride);
    return l;
}

static quire_reduction draw_scan(generator *g) {
    quire_reduction what = draw_reduction(g);
    what.operation = generator_below(g, 3) ? QUIRE_SUM : QUIRE_ASUM;
    what.method = QUIRE_EXACT, what.correction = 0;
    return what;
}

START_TEST(scans_at_random) {
    generator g;
    generator_seed(&g, 601 + (uint64_t)_i);
    const char *name = place_use((size_t)_i);
    if (!name || !is_there()) return;
    for (size_t turn = scaled(400); turn-- > 0;) {
        const quire_reduction what = draw_scan(&g);
        const quire_scan_kind kind = generator_below(&g, 2) ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE;
        const size_t n = 1 + generator_below(&g, (uint64_t)1 << (1 + generator_below(&g, 10)));
        const size_t outer = 1 + generator_below(&g, 3), inner = 1 + generator_below(&g, n > 100 ? 3 : 40);
        array x = array_of_family(what.type, draw_layout(&g, outer, n, inner), draw_family(&g), turn);
        const int may_replace = type_size(what.type) == type_size(what.result_type);
        if (may_replace && generator_below(&g, 2))
            check_in_place(&what, kind, &x, name);
        else
            check_scan(&what, kind, &x, draw_layout(&g, outer, n, inner), name);
        array_free(x.memory);
    }
}
END_TEST

/* Every family, type, result type and rounding. */
START_TEST(families) {
    enum { N = 200 };
    generator g;
    if (!is_there()) return;
    generator_seed(&g, 620 + (uint64_t)_i);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *name = place_use(v);
        if (!name) continue;
        for (size_t t = 0; t < TYPE_COUNT * TYPE_COUNT * ROUNDING_COUNT; t++) {
            if (!drawn(&g)) continue;
            const quire_type type = TYPES[t % TYPE_COUNT], result = TYPES[t / TYPE_COUNT % TYPE_COUNT];
            const quire_rounding rounding = ROUNDINGS[t / TYPE_COUNT / TYPE_COUNT];
            const quire_operation operation = t % 5 ? QUIRE_SUM : QUIRE_ASUM;
            const quire_reduction what = { operation, type, result, QUIRE_EXACT, rounding, 0, { 0 } };
            array x = array_of_family(type, quire_strided(N, 1), (family)_i, t);
            check_scan(&what, t % 3 ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE, &x, x.layout, name);
            array_free(x.memory);
        }
    }
    place_use(0);
}
END_TEST

/* Long vectors of every family, in place and not, and columns. */
START_TEST(long_vectors) {
    static const size_t sizes[] = { 3000, 40000 };
    generator g;
    if (!is_there()) return;
    generator_seed(&g, 640 + (uint64_t)_i);
    for (size_t t = 0; t < 4; t++) {
        if (!drawn(&g)) continue;
        const quire_type type = t % 2 ? QUIRE_F64 : QUIRE_F32;
        const quire_reduction what = { QUIRE_SUM, type, type, QUIRE_EXACT, ROUNDINGS[_i % ROUNDING_COUNT], 0, { 0 } };
        const quire_layout l = t / 2 ? quire_strided(sizes[1], 1) : quire_columns(sizes[0], 5, 7);
        array x = array_of_family(type, l, (family)_i, t);
        for (size_t v = 0; v < place_variants(); v++) {
            const char *name = place_use(v);
            if (name && (t / 2 == 0 || v == 0)) check_in_place(&what, QUIRE_EXCLUSIVE, &x, name);
            if (name && v == 0) check_scan(&what, QUIRE_INCLUSIVE, &x, l, name);
        }
        place_use(0);
        array_free(x.memory);
    }
}
END_TEST

/* Worth several threads, or many blocks; in place and not. */
START_TEST(vectors_for_threads) {
    enum { N = 150001 };
    generator g;
    if (!is_there()) return;
    generator_seed(&g, 660 + (uint64_t)_i);
    for (size_t t = 0; t < 4; t++) {
        if (!drawn(&g)) continue;
        const quire_type type = t % 2 ? QUIRE_F64 : QUIRE_F32;
        const quire_rounding rounding = ROUNDINGS[(t / 2 + (size_t)_i) % ROUNDING_COUNT];
        const quire_reduction what = { t == 3 ? QUIRE_ASUM : QUIRE_SUM, type, type, QUIRE_EXACT, rounding, 0, { 0 } };
        array x = array_of_family(type, t / 2 ? quire_columns(N, 2, 2) : quire_strided(N, -1), (family)_i, t);
        const char *name = place_use(place_variants() - 1);
        if (name && t % 2) check_in_place(&what, t / 2 ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE, &x, name);
        if (name && !(t % 2)) check_scan(&what, t / 2 ? QUIRE_EXCLUSIVE : QUIRE_INCLUSIVE, &x, x.layout, name);
        place_use(0);
        array_free(x.memory);
    }
}
END_TEST

/* Pieces of nothing but zeros, behind others, or behind numbers that cancel. */
START_TEST(zeros_for_threads) {
    enum { N = 150001 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, ROUNDINGS[_i % 4], 0, { 0 } };
    float *x = array_new(N * sizeof *x, 8);
    if (!is_there()) return;
    for (size_t k = 0; k < N; k++) x[k] = -0.0f;
    if (_i / 4 == 1) x[1] = 0.0f;
    if (_i / 4 == 2) x[1] = 1, x[2] = -1;
    const array a = { QUIRE_F32, quire_strided(N, 1), x, x, N };
    const char *name = place_use(place_variants() - 1);
    if (name) check_scan(&what, QUIRE_INCLUSIVE, &a, a.layout, name);
    place_use(0);
    array_free(x);
}
END_TEST

/* Enough vectors for threads and for many blocks. */
START_TEST(many_vectors) {
    static const size_t lengths[] = { 1, 2, 3, 7, 31, 32, 33, 64, 65, 129, 1000 };
    generator g;
    if (!is_there()) return;
    generator_seed(&g, 680 + (uint64_t)_i);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *name = place_use(v);
        const size_t n = lengths[(size_t)_i % 11], vectors = 1 + 60000 / n;
        const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
        const quire_layout l =
            _i < 11 ? quire_rows(vectors, n, (ptrdiff_t)n) : quire_columns(n, vectors, (ptrdiff_t)vectors);
        if (!name || !drawn(&g)) continue;
        array x = array_of_family(QUIRE_F32, l, v % 2 ? FAMILY_NORMAL : FAMILY_EVERY_EXPONENT, 3);
        check_scan(&what, v % 2 ? QUIRE_INCLUSIVE : QUIRE_EXCLUSIVE, &x, l, name);
        array_free(x.memory);
    }
    place_use(0);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- what is lost */

/* What additions lose decides: a tie, and a little more or less, somewhere; later it all goes away again. */
START_TEST(ties) {
    enum { N = 1000 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const size_t first = (size_t)_i * 37, tiny = first + 1 + (size_t)_i % 3 * 150, back = tiny + 100;
    double x[N] = { 0 };
    if (!is_there()) return;
    x[first] = 1, x[first + 1] += 0x1p-53, x[tiny] += _i % 2 ? 0x1p-200 : -0x1p-300, x[back] = -x[tiny];
    x[back + 9] = 0x1p1000, x[back + 70] = -0x1p1000, x[back + 71] = -x[first], x[back + 300] = -0x1p-1074;
    array a = { QUIRE_F64, quire_strided(N, 1), x, x, N };
    for (size_t v = 0; v < place_variants(); v++) {
        const char *name = place_use(v);
        if (!name) continue;
        check_scan(&what, QUIRE_INCLUSIVE, &a, a.layout, name);
        check_in_place(&what, QUIRE_INCLUSIVE, &a, name);
    }
    place_use(0);
}
END_TEST

/* Zeros, by what came before them: only -0, some +0, or numbers that cancel. */
START_TEST(zeros) {
    enum { N = 400 };
    float x[N];
    if (!is_there()) return;
    for (size_t k = 0; k < N; k++) x[k] = -0.0f;
    if (_i & 1) x[70] = 0.0f;
    if (_i & 2) x[140] = 1, x[200] = -1;
    array a = { QUIRE_F32, quire_strided(N, 1), x, x, N };
    for (size_t r = 0; r < ROUNDING_COUNT; r++)
        for (size_t t = 0; t < TYPE_COUNT; t++) {
            const quire_reduction what = {
                _i & 4 ? QUIRE_ASUM : QUIRE_SUM, QUIRE_F32, TYPES[t], QUIRE_EXACT, ROUNDINGS[r], 0, { 0 }
            };
            check_scan(&what, QUIRE_INCLUSIVE, &a, a.layout, "zeros");
            check_scan(&what, QUIRE_EXCLUSIVE, &a, a.layout, "zeros");
        }
}
END_TEST

/* In a caller's environment that rounds otherwise, which is the caller's again afterwards. */
START_TEST(other_environment) {
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    if (!is_there()) return;
    for (size_t t = 0; t < 4; t++) {
        const quire_type type = t % 2 ? QUIRE_F64 : QUIRE_F32, result = t / 2 ? QUIRE_F64 : QUIRE_F32;
        const quire_reduction what = { QUIRE_SUM, type, result, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
        array x = array_of_family(type, quire_strided(500, 1), _i ? FAMILY_NORMAL : FAMILY_EVERY_EXPONENT, 4);
        array results = array_of_layout(result, x.layout);
        for (size_t m = 0; m < 3; m++) {
            fesetround(modes[m]);
            check_ok(place_scan(&what, QUIRE_INCLUSIVE, &x.layout, x.origin, &x.layout, results.origin));
            const int mode = fegetround();
            fesetround(FE_TONEAREST);
            ck_assert_int_eq(mode, modes[m]);
            check_results(&what, QUIRE_INCLUSIVE, &x, &results, "another environment");
        }
        array_free(x.memory);
        array_free(results.memory);
    }
}
END_TEST

static void add_cases(TCase *cases) {
    tcase_add_loop_test(cases, scans_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, families, 0, FAMILY_COUNT);
    tcase_add_loop_test(cases, long_vectors, 0, FAMILY_COUNT);
    tcase_add_loop_test(cases, vectors_for_threads, 0, FAMILY_COUNT);
    tcase_add_loop_test(cases, zeros_for_threads, 0, 12);
    tcase_add_loop_test(cases, many_vectors, 0, 22);
    tcase_add_loop_test(cases, ties, 0, 9);
    tcase_add_loop_test(cases, zeros, 0, 8);
    tcase_add_loop_test(cases, other_environment, 0, 2);
}

int main(void) { return run_cases("scan", add_cases); }
