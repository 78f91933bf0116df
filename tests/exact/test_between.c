/* test_between.c - sums beside the places where a rounding changes its mind: a number of the result, or the middle of
 * two, and a little more or less, which stands at any depth, among numbers that cancel. Whoever rounds before all terms
 * are told, or takes two ends for one, is wrong here. Of many vectors at once, by the place; as a CPU's single calls
 * have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

#define LONG 70000 /* elements of rows that a GPU cuts */

/* Puts value where the vector is still 0, if it is a number of the type. */
static void put(generator *g, quire_type type, void *x, size_t n, double value) {
    if (type_decode(type, type_encode(type, value)) != value) return;
    for (size_t k = generator_below(g, n), turns = 0; turns < n; k = (k + 1) % n, turns++)
        if (type_value(type, x, k) == 0) {
            type_set(type, x, k, value);
            return;
        }
}

/* An exponent of the type, of 2^e, at random. */
static int draw_exponent(generator *g, quire_type type) {
    return (int)generator_between(g, type_format(type)->least, type_format(type)->greatest - 3);
}

/* n elements whose sum, and whose mean if n is a power of two, is beside such a place. */
static void draw_vector(generator *g, quire_type type, quire_type result, size_t n, void *x) {
    const int bits = type_format(result)->precision + (int)generator_below(g, 2), at = draw_exponent(g, type);
    const int sign = generator_below(g, 2) ? 1 : -1;
    memset(x, 0, n * type_size(type));
    put(g, type, x, n, sign * ldexp(1, at));
    put(g, type, x, n, sign * ldexp(1, at - bits + 1)); /* the last bit, or the half of it */
    for (size_t few = generator_below(g, 3); few; few--) {
        const int below =
            (int)generator_below(g, 3) ? bits + (int)generator_below(g, 100) : (int)generator_below(g, 2100);
        put(g, type, x, n, (generator_below(g, 2) ? 1 : -1) * ldexp(1, at - below));
    }
    for (size_t pairs = generator_below(g, 3); pairs; pairs--) {
        const double other = ldexp(1, draw_exponent(g, type));
        put(g, type, x, n, other);
        put(g, type, x, n, -other);
    }
}

static quire_reduction draw_exact(generator *g) {
    quire_reduction what = draw_reduction(g);
    what.method = QUIRE_EXACT;
    if (generator_below(g, 2)) what.operation = QUIRE_SUM;
    if (generator_below(g, 3) == 0) what.rounding = QUIRE_TO_NEAREST;
    return what;
}

/* Vectors side by side, and all 1 in y, which squares and products then take. */
typedef struct {
    size_t vectors, n;
    void *x, *y;
} many;

static many many_of(generator *g, const quire_reduction *what, size_t vectors, size_t n, size_t few) {
    const size_t size = type_size(what->type);
    many m = { vectors, n, calloc(vectors * n, size), calloc(vectors * n, size) };
    void *one = calloc(few, size);
    for (size_t v = 0; v < vectors; v++) {
        draw_vector(g, what->type, what->result_type, few, one);
        for (size_t k = 0; k < few; k++) copy_element(what->type, m.x, v * n + k * (n / few), one, (ptrdiff_t)k);
    }
    for (size_t i = 0; i < vectors * n; i++) type_set(what->type, m.y, i, 1);
    free(one);
    return m;
}

static void many_close(many *m) { free(m->x), free(m->y); }

static void check_results(const quire_reduction *what, const many *m, const void *results, const char *by) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    const quire_layout one = quire_strided(m->n, 1);
    for (size_t v = 0; v < m->vectors; v++) {
        const void *x = (const char *)m->x + v * m->n * size;
        uint64_t expected = 0;
        check_ok(quire_reduce(NULL, what, &one, x, &one, m->y, &expected));
        check_bits(what->result_type, (const char *)results + v * result_size, expected, "%s as %s, vector %zu of %zu",
                   reduction_text(what), by, v, m->n);
    }
}

static void check_rows(const quire_reduction *what, const many *m, void *results) {
    const quire_layout rows = quire_rows(m->vectors, m->n, m->n);
    check_ok(place_layouts(what, &rows, m->x, &rows, m->y, results));
    check_results(what, m, results, "rows");
}

static void check_columns(const quire_reduction *what, const many *m, void *results) {
    const quire_layout columns = quire_columns(m->n, m->vectors, m->vectors);
    void *x = calloc(m->n * m->vectors, type_size(what->type));
    for (size_t v = 0; v < m->vectors; v++)
        for (size_t k = 0; k < m->n; k++)
            copy_element(what->type, x, k * m->vectors + v, m->x, (ptrdiff_t)(v * m->n + k));
    check_ok(place_layouts(what, &columns, x, &columns, m->y, results));
    check_results(what, m, results, "columns");
    free(x);
}

static void check_segments(const quire_reduction *what, const many *m, void *results) {
    int64_t *offsets = calloc(m->vectors + 1, sizeof *offsets);
    for (size_t v = 0; v <= m->vectors; v++) offsets[v] = (int64_t)(v * m->n);
    check_ok(place_segments(what, m->vectors, QUIRE_I64, offsets, offsets + 1, m->n * m->vectors, m->x, m->y, results));
    check_results(what, m, results, "segments");
    free(offsets);
}

/* Of vectors of so many elements in all ways; few of them are not 0. */
static void check_all(uint64_t seed, size_t vectors, size_t n, size_t few) {
    generator g;
    generator_seed(&g, seed);
    const quire_reduction what = draw_exact(&g);
    many m = many_of(&g, &what, vectors, n, few);
    void *results = calloc(vectors, sizeof(double));
    check_rows(&what, &m, results);
    check_columns(&what, &m, results);
    check_segments(&what, &m, results);
    free(results);
    many_close(&m);
}

START_TEST(short_vectors) {
    static const size_t LENGTHS[] = { 8, 12, 16, 32, 33, 64 };
    for (uint64_t i = 0; i < scaled(120); i++) check_all(1000 * (uint64_t)_i + i, 50, LENGTHS[i % 6], 8 + i % 5);
}
END_TEST

START_TEST(long_vectors) {
    for (uint64_t i = 0; i < 6; i++) check_all(100000 + 10 * (uint64_t)_i + i, 1 + i % 3, LONG + i, 16);
}
END_TEST

static void add_between(TCase *cases) {
    tcase_add_loop_test(cases, short_vectors, 0, 10);
    tcase_add_loop_test(cases, long_vectors, 0, 10);
}

int main(void) { return run_cases("between", add_between); }
