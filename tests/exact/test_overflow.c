/* test_overflow.c - exact sums, means, dot products and norms of doubles that overflow on the way, or whose products
 * are too small for their errors to be doubles: random signs near the greatest number, every bit pattern, ties, tiny
 * numbers beside huge ones, what comes to 0, infinities and NaN among them; of every result type, in every rounding,
 * alone, as rows, as columns, as one column of a matrix and as segments, by every variant. On a CPU these have ends of
 * their own (src/cpu/block/pairs.h, ends that are scaled). The judge is an accumulator, whose own judge is MPFR in
 * other suites. */
#include <math.h>
#include <string.h>

#include "number.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define VECTORS ((size_t)19) /* of short ones: a whole panel and some */

/* ------------------------------------------------------------------------------------------------------------- data */

typedef enum {
    NEAR_THE_GREATEST,
    FINITE_BITS,
    HUGE_ONES,
    SQUARES_OVERFLOW,
    SQUARES_UNDERFLOW,
    FEW_BITS,
    TIES,
    CANCELLING,
    SPECIALS,
    KINDS
} kind;

static double signed_at_random(generator *g, double x) { return generator_below(g, 2) ? x : -x; }

static double finite_bits(generator *g) {
    const uint64_t bits = generator_next(g);
    return type_is_finite(QUIRE_F64, bits) ? bits_double(bits) : 0;
}

static double near_the_greatest(generator *g) {
    static const double SOME[] = { 0x1.fffffffffffffp1023,
                                   0x1.ffffffffffffep1023,
                                   0x1.8p1023,
                                   0x1p1023,
                                   0x3p970,
                                   0x1p971,
                                   0x1p970,
                                   0x1p969,
                                   1,
                                   0x1p-1074,
                                   0 };
    return signed_at_random(g, SOME[generator_below(g, COUNT_OF(SOME))]);
}

static double number_of(kind which, generator *g) {
    const double uniform = signed_at_random(g, generator_uniform(g));
    switch (which) {
    case NEAR_THE_GREATEST: return near_the_greatest(g);
    case FINITE_BITS: return finite_bits(g);
    case SPECIALS: return generator_below(g, 2) ? finite_bits(g) : near_the_greatest(g);
    case HUGE_ONES: return ldexp(uniform, 1023);
    case SQUARES_OVERFLOW: return ldexp(uniform, generator_between(g, 505, 700));
    case SQUARES_UNDERFLOW: return ldexp(uniform, generator_between(g, -600, -480));
    case FEW_BITS:
        return signed_at_random(g, ldexp((double)generator_below(g, 64), generator_below(g, 2) ? 1017 : -540));
    default: return 0;
    }
}

/* A number, the half of its last place, perhaps something far below, and what cancels beside them, among zeros. */
static void fill_tie(generator *g, size_t n, double *x) {
    const int last = generator_between(g, -1000, 970);
    const double huge = ldexp(1 + generator_uniform(g), 1022), few = (double)generator_below(g, (uint64_t)1 << 52),
                 below = generator_below(g, 3) ? ldexp(1, generator_between(g, -1074, last - 60)) : 0;
    const double terms[] = { huge,  ldexp(0x1p52 + few, last),  huge, signed_at_random(g, ldexp(0.5, last)),
                             -huge, signed_at_random(g, below), -huge };
    for (size_t k = 0; k < n; k++) x[k] = signed_at_random(g, 0);
    for (size_t i = 0; i < COUNT_OF(terms) && i < n; i++) x[i] = terms[i];
    generator_shuffle(g, n, sizeof *x, x);
}

/* Numbers that overflow on the way, their negatives, and a zero if there is one more: exactly 0. */
static void fill_cancelling(generator *g, size_t n, double *x) {
    for (size_t k = 0; k < n; k++)
        x[k] = k % 2 ? -x[k - 1] : number_of(generator_below(g, 2) ? HUGE_ONES : FEW_BITS, g);
    if (n % 2) x[n - 1] = signed_at_random(g, 0);
    generator_shuffle(g, n, sizeof *x, x);
}

/* Some infinities, of one sign or of both, perhaps a NaN, in their own places of x and y. */
static void put_specials(generator *g, size_t n, double *x, double *y) {
    const double infinity = signed_at_random(g, INFINITY);
    const int both = generator_below(g, 3) == 0, nan = generator_below(g, 3) == 0;
    for (size_t i = 0, count = 1 + generator_below(g, 3); i < count; i++) {
        double *at = (generator_below(g, 3) ? x : y) + generator_below(g, n);
        *at = both ? signed_at_random(g, INFINITY) : infinity;
    }
    if (nan) x[generator_below(g, n)] = NAN;
}

static void fill(generator *g, kind which, size_t n, double *x, double *y) {
    const int scale = generator_below(g, 2) ? 0 : generator_between(g, -60, 60);
    if (which == TIES)
        fill_tie(g, n, x);
    else if (which == CANCELLING)
        fill_cancelling(g, n, x);
    else
        for (size_t k = 0; k < n; k++) x[k] = number_of(which, g);
    for (size_t k = 0; k < n; k++)
        y[k] = which == TIES || which == CANCELLING ? 1 : generator_below(g, 3) ? ldexp(1, scale) : number_of(which, g);
    if (which == SPECIALS) put_specials(g, n, x, y);
}

/* ------------------------------------------------------------------------------------------------------------ calls */

typedef struct {
    quire_reduction what;
    size_t n, vectors;
    const double *x, *y;   /* vectors side by side in memory */
    const double *xt, *yt; /* the same as columns */
    uint64_t expected[VECTORS];
} call;

static const double *y_of(const call *c, const double *y) { return c->what.operation == QUIRE_DOT ? y : NULL; }

static void expect(call *c, operation of) {
    for (size_t v = 0; v < c->vectors; v++) {
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
        double result = 0;
        check_ok(place_accumulate_terms(of, &a, QUIRE_F64, c->n, c->x + v * c->n, c->y + v * c->n));
        check_ok(quire_finish(&c->what, &a, NULL, &result));
        c->expected[v] = type_load(c->what.result_type, &result, 0);
    }
}

static void check_results(const call *c, size_t first, size_t count, const void *results, const char *as) {
    for (size_t v = 0; v < count; v++)
        check_bits(c->what.result_type, (const char *)results + v * type_size(c->what.result_type),
                   c->expected[first + v], "operation %d of %zu elements, %s, %s number %zu, %s",
                   (int)c->what.operation, c->n, rounding_name(c->what.rounding), as, first + v, place_name());
}

static void check_call(const call *c) {
    const size_t n = c->n, v = c->vectors;
    const quire_layout rows = quire_rows(v, n, (ptrdiff_t)n), columns = quire_columns(n, v, (ptrdiff_t)v),
                       column = quire_strided(n, (ptrdiff_t)v);
    int64_t begin[VECTORS], end[VECTORS];
    double results[VECTORS];
    for (size_t i = 0; i < v; i++) begin[i] = (int64_t)(i * n), end[i] = (int64_t)(i * n + n);
    check_ok(place_reduction(&c->what, n, c->x, y_of(c, c->y), results));
    check_results(c, 0, 1, results, "vector");
    check_ok(place_layouts(&c->what, &rows, c->x, &rows, y_of(c, c->y), results));
    check_results(c, 0, v, results, "row");
    check_ok(place_layouts(&c->what, &columns, c->xt, &columns, y_of(c, c->yt), results));
    check_results(c, 0, v, results, "column");
    check_ok(place_layouts(&c->what, &column, c->xt + v - 1, &column, y_of(c, c->yt + v - 1), results));
    check_results(c, v - 1, 1, results, "one column");
    check_ok(place_segments(&c->what, v, QUIRE_I64, begin, end, n * v, c->x, y_of(c, c->y), results));
    check_results(c, 0, v, results, "segment");
}

/* By all operations and roundings, each with a result type at random, mostly double; of long data by as many as the
 * scale says. */
static void check_data(generator *g, kind which, size_t n, size_t vectors) {
    const size_t all = n * vectors;
    double *x = array_new(all * sizeof *x, 0), *y = array_new(all * sizeof *y, 0), *xt = array_new(all * sizeof *xt, 0),
           *yt = array_new(all * sizeof *yt, 0);
    for (size_t v = 0; v < vectors; v++) fill(g, which, n, x + v * n, y + v * n);
    for (size_t i = 0; i < all; i++) xt[i % n * vectors + i / n] = x[i], yt[i % n * vectors + i / n] = y[i];
    for (int o = 0; o < OPERATION_COUNT; o++)
        for (size_t r = 0; r < ROUNDING_COUNT; r++) {
            if (n > 400 && !drawn(g)) continue;
            const quire_type to = generator_below(g, 2) ? QUIRE_F64 : TYPES[generator_below(g, TYPE_COUNT)];
            call c = { { operation_number((operation)o), QUIRE_F64, to, QUIRE_EXACT, ROUNDINGS[r], 0, { 0 } },
                       n,
                       vectors,
                       x,
                       y,
                       xt,
                       yt,
                       { 0 } };
            expect(&c, (operation)o);
            check_call(&c);
        }
    array_free(x), array_free(y), array_free(xt), array_free(yt);
}

START_TEST(sums_on_the_way) {
    generator g;
    generator_seed(&g, 4800 + (uint64_t)_i);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        for (size_t turn = 0; turn < scaled(60); turn++)
            check_data(&g, (kind)_i, 1 + generator_below(&g, turn % 8 ? 40 : 400), VECTORS);
        check_data(&g, (kind)_i, 1 + generator_below(&g, 6000), 5);
        check_data(&g, (kind)_i, 17000 + generator_below(&g, 1000), 5);
        check_data(&g, (kind)_i, 66000 + generator_below(&g, 1000), 2);
    }
    place_use(0);
}
END_TEST

/* Sums of floats for doubles, which a CPU adds in blocks, each in its own way: infinities and NaN in any block. */
START_TEST(specials_in_blocks) {
    static const float SPECIAL[] = { INFINITY, -INFINITY, INFINITY, -INFINITY, NAN };
    const size_t most = 30000, first = 4096; /* a block */
    float *x = array_new(most * sizeof *x, 0);
    generator g;
    generator_seed(&g, 4820);
    for (size_t variant = 0; variant < place_variants(); variant++) {
        if (!place_use(variant)) continue;
        for (size_t turn = 0; turn < scaled(60); turn++) {
            const size_t n = first + 1 + generator_below(&g, most - first);
            const int range = generator_below(&g, 4) ? 100 : 0;
            const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
            quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
            double expected, result;
            for (size_t k = 0; k < n; k++)
                x[k] = (float)ldexp(signed_at_random(&g, generator_uniform(&g)), generator_between(&g, -range, range));
            for (size_t i = 0, count = 1 + generator_below(&g, 3); i < count; i++)
                x[generator_below(&g, i % 2 ? n : first)] = SPECIAL[generator_below(&g, COUNT_OF(SPECIAL))];
            check_ok(place_accumulate_terms(OPERATION_SUM, &a, QUIRE_F32, n, x, x));
            check_ok(quire_finish(&what, &a, NULL, &expected));
            check_ok(place_reduction(&what, n, x, NULL, &result));
            check_bits(QUIRE_F64, &result, double_bits(expected), "%zu floats, %s", n, place_name());
        }
    }
    place_use(0);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, sums_on_the_way, 0, KINDS);
    tcase_add_test(cases, specials_in_blocks);
}

int main(void) { return run_cases("sums that overflow on the way", add_tests); }
