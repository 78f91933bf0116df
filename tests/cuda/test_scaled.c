/* test_scaled.c - exact sums of doubles that overflow or underflow on the way, which are done again in a scale
 * (src/cuda/kernels/scaled.cu, and of short vectors src/cuda/kernels/by_element.cuh): of every exponent, near both ends
 * of the range, with NaN and infinities; that cancel to nothing, or to the least number; whose greatest elements none
 * of those show that suggest a scale; and half way between two results but for something far below. Arrays, rows,
 * columns and strided vectors, in all rounding directions. The judge is the CPU. CK_FORK=no. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const operation OPERATIONS[] = { OPERATION_SUM,   OPERATION_ASUM,     OPERATION_NRM2,   OPERATION_MEAN,
                                        OPERATION_SUMSQ, OPERATION_VARIANCE, OPERATION_STDDEV, OPERATION_DOT };

/* Launches, as support/place_cuda.c numbers them: ours, of one block, 7 and 1000. A test's launch makes even short
 * vectors go by the scale; ours does so from 32 MiB on. */
static const size_t LAUNCHES[] = { 0, 1, 3, 5 };
enum { LAUNCH_COUNT = COUNT_OF(LAUNCHES) };

enum {
    EVERY_EXPONENT,
    NEAR_1E200,
    NEAR_2_700,
    SUBNORMAL,
    GREATEST,          /* DBL_MAX, DBL_MAX, -DBL_MAX, ... */
    CANCELS,           /* of every exponent, to nothing */
    CANCELS_BUT_LEAST, /* to the least subnormal */
    INFINITE,
    INFINITE_BOTH,
    ONE_NAN,
    ONE_GREAT,       /* among ones, at any place */
    FEW_GREAT,       /* the first elements alone, among small ones */
    TIE,             /* half way between two doubles, but for something far below or above; and what overflows */
    ZERO,            /* what overflows, and cancels; and zeros of one sign or both */
    CONSTANT,        /* beyond the squares' range, so that the variance is 0 */
    LEAST_ROOT,      /* few units of the least number: the root of their squares is subnormal */
    SCALED_INTEGERS, /* whose sums, squares and roots are exact often */
    BEYOND,          /* half an ulp beyond DBL_MAX twice, in a few words: the mean is finite */
    KINDS
};

static double any_sign(generator *g, double x) { return generator_below(g, 2) ? -x : x; }

static double finite_bits(generator *g) {
    uint64_t bits;
    double value;
    do bits = generator_next(g);
    while (!type_is_finite(QUIRE_F64, bits));
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One element of those that all are alike. */
static double draw_alike(generator *g, int kind, double one) {
    switch (kind) {
    case NEAR_1E200: return any_sign(g, (1 + generator_uniform(g)) * 1e200);
    case NEAR_2_700: return any_sign(g, (1 + generator_uniform(g)) * 0x1p-700);
    case SUBNORMAL: return any_sign(g, (double)generator_below(g, (uint64_t)1 << 52) * 0x1p-1074);
    case CONSTANT: return one;
    case LEAST_ROOT: return any_sign(g, (double)generator_below(g, 4) * 0x1p-1074);
    case SCALED_INTEGERS: return any_sign(g, (double)generator_below(g, 5)) * one;
    case ONE_GREAT: return 1 + generator_uniform(g);
    case FEW_GREAT: return any_sign(g, (1 + generator_uniform(g)) * 0x1p-900);
    default: return finite_bits(g);
    }
}

/* The elements 0, 1, ... that make a tie, or zeros. */
static void set_first(generator *g, int kind, double *x) {
    const double great = any_sign(g, DBL_MAX);
    x[0] = x[1] = great, x[2] = x[3] = -great;
    if (kind != TIE) return;
    const int exponent = (int)generator_between(g, -900, 960);
    x[4] = any_sign(g, ldexp(1 + (double)generator_below(g, 2) * 0x1p-52, exponent));
    x[5] = any_sign(g, ldexp(1, exponent - 53));
    x[6] = any_sign(g, (double)generator_below(g, 2) * ldexp(1, exponent - 54 - (int)generator_below(g, 110)));
}

/* The guesses at a scale see the first two, and none of those behind. */
static void set_beyond(size_t n, double *x) {
    static const size_t places[] = { 0, 1, 64, 65, 66, 128 + 64 };
    static const double values[] = { 0x1p800, -0x1p800, DBL_MAX, DBL_MAX, 0x1p970, 0x1p970 };
    for (size_t k = 0; k < COUNT_OF(places) && places[k] < n; k++) x[places[k]] = values[k];
}

static void fill_kind(generator *g, int kind, size_t n, double *x) {
    const double one = ldexp(1 + generator_uniform(g), 400 + (int)generator_below(g, 600));
    const int is_bare = kind == TIE || kind == ZERO || kind == BEYOND;
    for (size_t k = 0; k < n; k++)
        x[k] = is_bare            ? (generator_below(g, 2) || kind != ZERO ? -0.0 : 0.0)
               : kind != GREATEST ? draw_alike(g, kind, one)
                                  : (k % 3 < 2 ? DBL_MAX : -DBL_MAX);
    if (kind == CANCELS || kind == CANCELS_BUT_LEAST)
        for (size_t k = 0; k < n; k++) x[k] = k < n / 2 ? x[k] : k < n / 2 * 2 ? -x[k - n / 2] : 0;
    if (kind == CANCELS_BUT_LEAST) {
        if (n % 2 == 0) x[n / 2 - 1] = 0; /* the last one's negative */
        x[n - 1] = 0x1p-1074;
    }
    if (is_bare && n > 7 && kind != BEYOND) set_first(g, kind, x);
    if (kind == FEW_GREAT)
        for (size_t k = 0; k < n && k < 20; k++) x[k] = any_sign(g, 0x1.8p1010);
    if (kind == ONE_GREAT) x[generator_below(g, n)] = 0x1.8p1000;
    if (kind != FEW_GREAT && kind != GREATEST) generator_shuffle(g, n, sizeof *x, x);
    if (kind == BEYOND) set_beyond(n, x);
    if (kind == INFINITE || kind == INFINITE_BOTH) {
        const double infinite = any_sign(g, HUGE_VAL);
        for (size_t k = generator_below(g, n); k < n; k += 100) x[k] = infinite;
        if (kind == INFINITE_BOTH) x[generator_below(g, n)] = -infinite;
    }
    if (kind == ONE_NAN) x[generator_below(g, n)] = NAN;
}

/* Vectors of a layout, of which one element stands at least one behind another: each of another kind, from one on.
 * offset: bytes from a multiple of 16. */
static double *matrix_new(generator *g, const quire_layout *l, int kind, size_t offset) {
    size_t origin;
    const size_t elements = layout_elements(l, &origin);
    double *x = array_new(elements * sizeof *x, offset), *vector = array_new(l->n * sizeof *x, 0);
    for (size_t k = 0; k < elements; k++) x[k] = NAN; /* nobody's */
    for (size_t v = 0; v < l->outer * l->inner; v++) {
        double *at = x + (ptrdiff_t)(v / l->inner) * l->outer_stride + (ptrdiff_t)(v % l->inner) * l->inner_stride;
        fill_kind(g, (kind + (int)(v % KINDS)) % KINDS, l->n, vector);
        for (size_t k = 0; k < l->n; k++) at[(ptrdiff_t)k * l->stride] = vector[k];
    }
    array_free(vector);
    return x;
}

static void check_vectors(generator *g, const quire_layout *l, const double *x, const double *y, operation op,
                          quire_rounding rounding, int kind) {
    quire_reduction what = { operation_number(op), QUIRE_F64, QUIRE_F64, QUIRE_EXACT, rounding, 0, { 0 } };
    const int is_dot = op == OPERATION_DOT;
    const size_t vectors = l->outer * l->inner;
    if (generator_below(g, 4) == 0) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (operation_is_moment(op)) what.correction = (int64_t)generator_below(g, 3);
    const size_t size = type_size(what.result_type);
    char *expected = array_new(vectors * size, 0), *results = array_new(vectors * size, 0);
    check_ok(quire_reduce(NULL, &what, l, x, is_dot ? l : NULL, is_dot ? y : NULL, expected));
    check_ok(place_layouts(&what, l, x, is_dot ? l : NULL, is_dot ? y : NULL, results));
    for (size_t v = 0; v < vectors; v++)
        check_bits(what.result_type, results + v * size, type_load(what.result_type, expected, v),
                   "%s, correction %d, %zu vectors of %zu, %s: vector %zu, of kind %d", reduction_text(&what),
                   (int)what.correction, vectors, l->n, place_name(), v, (kind + (int)(v % KINDS)) % KINDS);
    array_free(expected), array_free(results);
}

/* Every operation in every direction, or in one of them. */
static void check_layout(generator *g, const quire_layout *l, int kind, int all_roundings) {
    double *x = matrix_new(g, l, kind, sizeof *x);
    double *y = matrix_new(g, l, kind + (int)generator_below(g, KINDS), generator_below(g, 2) * sizeof *y);
    for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++)
        for (size_t r = 0; r < (all_roundings ? ROUNDING_COUNT : 1); r++) {
            const size_t rounding = all_roundings ? r : generator_below(g, 2) * generator_below(g, ROUNDING_COUNT);
            check_vectors(g, l, x, y, OPERATIONS[o], ROUNDINGS[rounding], kind);
        }
    array_free(x), array_free(y);
}

static void use(size_t launch) { check_that(place_use(launch) != NULL, "no variant %zu", launch); }

/* One array, which quire_reduce takes as such: of a million elements by a test's launches, of some more by ours. */
START_TEST(arrays) {
    const int kind = _i / LAUNCH_COUNT;
    const size_t launch = LAUNCHES[_i % LAUNCH_COUNT], n = launch ? ((size_t)1 << 20) + 3 : ((size_t)1 << 22) + 3;
    const quire_layout l = quire_rows(1, n, (ptrdiff_t)n);
    generator g;
    generator_seed(&g, 8100 + (uint64_t)_i);
    if (!drawn(&g)) return;
    use(launch);
    check_layout(&g, &l, kind, launch != 0);
    use(0);
}
END_TEST

/* Rows and other vectors, from another kind on each time. By our launches there are so many that they go by the scale,
 * too; as many of the short ones that some warps have none. */
static const struct shape {
    size_t n, rows, more; /* more: rows by our launches */
    ptrdiff_t gap, stride;
} SHAPES[] = {
    { 4096, 2 * KINDS, 1030, 0, 1 }, { 70001, KINDS, 61, 0, 1 },     { 2048, 2 * KINDS, 2100, 3, 1 },
    { 5001, KINDS, 900, 1, 2 },      { 9000, KINDS, 500, 2, 3 },     { 8, 40 * KINDS, 5000, 0, 1 },
    { 100, 20 * KINDS, 1000, 0, 1 }, { 33, 20 * KINDS, 1000, 0, 1 }, { 1500, 2 * KINDS, 100, 5, 1 },
    { 300001, 3, 16, 0, 1 },         { 2, 60 * KINDS, 9000, 0, 1 },  { 3, 60 * KINDS, 9000, 1, 1 },
    { 17, 20 * KINDS, 3000, 0, 1 },  { 64, 10 * KINDS, 1000, 0, 2 }, { 257, 4 * KINDS, 400, 1, 1 },
    { 512, 2 * KINDS, 300, 0, 1 },
};

START_TEST(rows) {
    const struct shape *s = &SHAPES[_i / LAUNCH_COUNT];
    const size_t launch = LAUNCHES[_i % LAUNCH_COUNT];
    const size_t many = launch ? s->rows : s->more;
    generator g;
    generator_seed(&g, 8300 + (uint64_t)_i);
    use(launch);
    for (size_t turn = 0; turn < scaled(launch ? 4 : 1); turn++) {
        quire_layout l = quire_rows(many, s->n, (ptrdiff_t)s->n * s->stride + s->gap);
        l.stride = s->stride;
        check_layout(&g, &l, (int)generator_below(&g, KINDS), launch != 0);
    }
    use(0);
}
END_TEST

/* Columns, whose elements are far from each other. */
START_TEST(columns) {
    static const size_t lengths[] = { 2048, 4099, 20001, 8, 100, 777 };
    const size_t n = lengths[_i / LAUNCH_COUNT], launch = LAUNCHES[_i % LAUNCH_COUNT];
    const size_t width = launch ? KINDS : n < 2048 ? 2001 : ((size_t)1 << 22) / n + 3;
    const quire_layout l = quire_columns(n, width, (ptrdiff_t)width);
    generator g;
    generator_seed(&g, 8500 + (uint64_t)_i);
    use(launch);
    check_layout(&g, &l, (int)generator_below(&g, KINDS), launch != 0);
    use(0);
}
END_TEST

/* All marked, and so many that no list holds them. */
START_TEST(beyond_the_list) {
    const quire_layout l = quire_rows(5000, 2048 + (size_t)_i, (ptrdiff_t)2048 + _i);
    generator g;
    generator_seed(&g, 8700 + (uint64_t)_i);
    double *x = matrix_new(&g, &l, 0, 0);
    for (size_t v = 0; v < l.outer; v++) fill_kind(&g, NEAR_1E200, l.n, x + v * l.n);
    use(LAUNCHES[_i]);
    for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++)
        check_vectors(&g, &l, x, x, OPERATIONS[o], QUIRE_TO_NEAREST, NEAR_1E200);
    use(0);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, arrays, 0, (int)KINDS * LAUNCH_COUNT);
    tcase_add_loop_test(cases, rows, 0, (int)COUNT_OF(SHAPES) * LAUNCH_COUNT);
    tcase_add_loop_test(cases, columns, 0, 6 * LAUNCH_COUNT);
    tcase_add_loop_test(cases, beyond_the_list, 0, LAUNCH_COUNT);
}

int main(void) { return run_cases("scaled sums", add_tests); }
