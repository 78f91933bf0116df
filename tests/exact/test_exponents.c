/* test_exponents.c - many vectors of doubles of any exponent: sums that overflow on the way, products that overflow or
 * underflow, terms that cancel, or that decide by their last bit what far greater ones round to. Each result is
 * compared, in bits, with that of the vector alone on a CPU. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

typedef enum kind {
    EVERY_EXPONENT,
    HIGH,       /* near the greatest number */
    LOW,        /* subnormals, and a little above */
    SMALL,      /* whose squares are subnormal */
    APART,      /* hundreds of binades apart, or thousands */
    MIDDLING,   /* whose squares overflow now and then */
    TIE,        /* half way between two results, but for a least subnormal, or not; partial sums overflow */
    CANCELLING, /* pairs, and one least subnormal */
    EQUAL,
    SPECIAL, /* as APART, some of which are infinities or NaN */
    KIND_COUNT
} kind;
static const char *const KIND_NAMES[KIND_COUNT] = { "every exponent", "high", "low",        "small", "apart",
                                                    "middling",       "tie",  "cancelling", "equal", "special" };

static double draw_double(generator *g, int least, int greatest) {
    const double x = ldexp(1 + generator_uniform(g), generator_between(g, least, greatest));
    return generator_below(g, 2) ? x : -x;
}

static size_t index_of(const double *x, double value) {
    size_t i = 0;
    while (x[i] != value) i++;
    return i;
}

/* 2^900 and half its ulp, which is a tie in double; terms that add to nothing; and in two of three vectors the least
 * number or its negative: anywhere, or beside 2^900, so that both are in one part of the vector. */
static void fill_tie(generator *g, size_t turn, size_t n, double *x) {
    const double terms[] = { 0x1p900, 0x1p847, 0x1p1023, 0x1p1023, -0x1p1023, -0x1p1023, 0 };
    const double least[3] = { 0x1p-1074, -0x1p-1074, 0 };
    const size_t count = sizeof terms / sizeof *terms;
    for (size_t i = 0; i < n; i++) x[i] = i < count ? terms[i] : 0;
    x[n > count ? count : n - 1] = least[turn % 3];
    generator_shuffle(g, n, sizeof *x, x);
    if (n <= count || turn % 2) return;
    double *tiny = &x[index_of(x, least[turn % 3])], *beside = &x[index_of(x, 0x1p900) ^ 1], moved = *tiny;
    if (beside < x + n) *tiny = *beside, *beside = moved;
}

static void fill_cancelling(generator *g, size_t n, double *x) {
    for (size_t i = 0; i + 1 < n; i += 2) x[i] = draw_double(g, -1074, 1023), x[i + 1] = -x[i];
    if (n % 2) x[n - 1] = 0x1p-1074;
    generator_shuffle(g, n, sizeof *x, x);
}

static void fill_vector(generator *g, kind which, size_t turn, size_t n, double *x) {
    static const int least[KIND_COUNT] = { 0, 980, -1074, -545, -900, 440 },
                     greatest[KIND_COUNT] = { 0, 1023, -1000, -515, 900, 520 };
    const double special[3] = { INFINITY, -INFINITY, NAN }, one = draw_double(g, -1074, 1023);
    switch (which) {
    case EVERY_EXPONENT: family_fill(FAMILY_EVERY_EXPONENT, QUIRE_F64, generator_next(g), n, x); return;
    case TIE: fill_tie(g, turn, n, x); return;
    case CANCELLING: fill_cancelling(g, n, x); return;
    default: break;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = which == EQUAL ? one : draw_double(g, least[which % SPECIAL], greatest[which % SPECIAL]);
    if (which != SPECIAL) return;
    for (size_t i = 0; i < n; i++) x[i] = draw_double(g, -900, 900);
    for (size_t left = generator_below(g, 3); left; left--) x[generator_below(g, n)] = special[generator_below(g, 3)];
}

/* Vectors of a kind that stand one after the other. */
static double *vectors_of(generator *g, kind which, size_t vectors, size_t n) {
    double *x = array_new(vectors * n * sizeof *x, 0);
    for (size_t v = 0; v < vectors; v++) fill_vector(g, which, v, n, x + v * n);
    return x;
}

/* The results of each vector alone. */
static char *results_alone(const quire_reduction *what, size_t vectors, size_t n, const double *x, const double *y) {
    const quire_layout one = { 1, n, 1, 0, 1, 0 };
    const size_t size = type_size(what->result_type);
    char *expected = array_new(vectors * size, 0);
    for (size_t v = 0; v < vectors; v++)
        check_ok(quire_reduce(NULL, what, &one, x + v * n, &one, y + v * n, expected + v * size));
    return expected;
}

static void check_results(const quire_reduction *what, kind which, size_t vectors, size_t n, const char *expected,
                          const void *results, const char *layout) {
    for (size_t v = 0; v < vectors; v++)
        check_bits(what->result_type, (const char *)results + v * type_size(what->result_type),
                   type_load(what->result_type, expected, v), "%s, %s: vector %zu of %zu elements, %s",
                   KIND_NAMES[which], reduction_text(what), v, n, layout);
}

/* Rows, the columns of their transpose, and segments. */
static void check_vectors(const quire_reduction *what, kind which, size_t vectors, size_t n, const double *x,
                          const double *y) {
    const quire_layout rows = quire_rows(vectors, n, (ptrdiff_t)n),
                       columns = quire_columns(n, vectors, (ptrdiff_t)vectors);
    double *x_columns = array_new(vectors * n * sizeof *x, 0), *y_columns = array_new(vectors * n * sizeof *x, 0);
    int64_t *offsets = array_new((vectors + 1) * sizeof *offsets, 0);
    char *results = array_new(vectors * type_size(what->result_type), 0);
    char *expected = results_alone(what, vectors, n, x, y);
    for (size_t v = 0; v <= vectors; v++) offsets[v] = (int64_t)(v * n);
    for (size_t i = 0; i < vectors * n; i++) {
        x_columns[i % n * vectors + i / n] = x[i];
        y_columns[i % n * vectors + i / n] = y[i];
    }
    check_ok(place_layouts(what, &rows, x, &rows, y, results));
    check_results(what, which, vectors, n, expected, results, "a row");
    check_ok(place_layouts(what, &columns, x_columns, &columns, y_columns, results));
    check_results(what, which, vectors, n, expected, results, "a column");
    check_ok(place_segments(what, vectors, QUIRE_I64, offsets, offsets + 1, vectors * n, x, y, results));
    check_results(what, which, vectors, n, expected, results, "a segment");
    array_free(x_columns), array_free(y_columns), array_free(offsets), array_free(results);
    array_free(expected);
}

static void check_length(generator *g, kind which, size_t vectors, size_t n) {
    static const quire_operation operations[] = { QUIRE_SUM,  QUIRE_ASUM,     QUIRE_DOT,    QUIRE_NRM2,
                                                  QUIRE_MEAN, QUIRE_VARIANCE, QUIRE_STDDEV, QUIRE_SUMSQ };
    double *x = vectors_of(g, which, vectors, n), *y = vectors_of(g, which, vectors, n);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (int turn = 0; turn < 3; turn++) {
            const quire_type result = turn ? TYPES[generator_below(g, TYPE_COUNT)] : QUIRE_F64;
            const quire_rounding rounding = turn > 1 ? (quire_rounding)generator_below(g, 4) : QUIRE_TO_NEAREST;
            const int is_moment = operations[i] == QUIRE_VARIANCE || operations[i] == QUIRE_STDDEV;
            const quire_reduction what = { operations[i], QUIRE_F64, result,
                                           QUIRE_EXACT,   rounding,  is_moment ? turn % 2 : 0,
                                           { 0 } };
            check_vectors(&what, which, vectors, n, x, y);
        }
    array_free(x), array_free(y);
}

/* The last are few and long, and so are cut into parts. */
START_TEST(vectors_of_a_kind) {
    static const size_t lengths[][2] = { { 100, 1 },  { 100, 2 },  { 70, 8 },    { 40, 9 },    { 40, 33 },
                                         { 30, 100 }, { 20, 257 }, { 10, 1000 }, { 10, 5000 }, { 3, 20000 } };
    const kind which = (kind)_i;
    generator g;
    generator_seed(&g, 60 + (uint64_t)_i);
    for (size_t v = 0; v < place_variants(); v++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            if (lengths[l][0] * lengths[l][1] > scaled(60000)) continue;
            if (place_use(v)) check_length(&g, which, lengths[l][0], lengths[l][1]);
        }
    place_use(0);
}
END_TEST

/* Of very many parts some are joined first. */
START_TEST(vectors_of_many_parts) {
    static const quire_operation operations[] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_STDDEV };
    generator g;
    generator_seed(&g, 80 + (uint64_t)_i);
    for (size_t vectors = 1; vectors <= 6; vectors += 5) {
        const size_t n = scaled((size_t)1 << 22) / vectors;
        double *x = vectors_of(&g, (kind)_i, vectors, n);
        for (int i = 0; i < 3; i++) {
            const quire_reduction what = {
                operations[i], QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 }
            };
            const quire_layout rows = quire_rows(vectors, n, (ptrdiff_t)n);
            double results[6];
            check_ok(place_layouts(&what, &rows, x, &rows, x, results));
            char *expected = results_alone(&what, vectors, n, x, x);
            check_results(&what, (kind)_i, vectors, n, expected, results, "a row");
            array_free(expected);
        }
        array_free(x);
    }
}
END_TEST

/* 3 k^2 is odd and has 54 bits, and 3 k^2 / 16 is the variance of k, 0, 0, 0: a tie in double, if the last is not the
 * least number. */
START_TEST(variances_that_are_ties) {
    const quire_reduction what = { QUIRE_VARIANCE, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const double least[3] = { 0, 0x1p-1074, -0x1p-1074 };
    double x[60 * 4];
    generator g;
    generator_seed(&g, 100);
    for (size_t v = 0; v < 60; v++) {
        double *to = x + 4 * v;
        to[0] = ldexp(60000001, 100 + 6 * (int)v), to[1] = to[2] = 0, to[3] = least[v % 3];
        generator_shuffle(&g, 4, sizeof *to, to);
    }
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_vectors(&what, TIE, 60, 4, x, x);
    place_use(0);
}
END_TEST

/* Norms that are subnormal and next to the middle of two numbers: the sum of the squares of k, a, b, c, d is k^2 + k if
 * k is that of a, b, c and d, just below the square of k + 1/2; with another 1 it is just above. */
START_TEST(norms_that_are_subnormal) {
    const quire_reduction what = { QUIRE_NRM2, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    double x[60 * 6];
    generator g;
    generator_seed(&g, 101);
    for (size_t v = 0; v < 60; v++) {
        double *to = x + 6 * v, k = 0;
        for (int i = 0; i < 4; i++) {
            const double root = floor(ldexp(0.5 + generator_uniform(&g) / 2, 24 + (int)(v % 2)));
            k += root * root;
            to[i] = ldexp(root, -1074);
        }
        to[4] = ldexp(k, -1074), to[5] = v % 3 ? 0 : 0x1p-1074;
        generator_shuffle(&g, 6, sizeof *to, to);
    }
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_vectors(&what, LOW, 60, 6, x, x);
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, vectors_of_a_kind, 0, KIND_COUNT);
    tcase_add_loop_test(cases, vectors_of_many_parts, 0, KIND_COUNT);
    tcase_add_test(cases, variances_that_are_ties);
    tcase_add_test(cases, norms_that_are_subnormal);
}

int main(void) { return run_cases("exponents", add_tests); }
