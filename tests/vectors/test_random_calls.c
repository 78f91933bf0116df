/* test_random_calls.c - calls drawn at random: layouts, segments and accumulators of any shape, strides and offsets,
 * with NaN, infinities and zeros of both signs at random places. The judge is the CPU's call on the vector alone, by
 * its default context, whose own judge is MPFR in other suites. QUIRE_TEST_SEED (a number) draws other calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

static int is_on_cpu(void) { return !strcmp(place_name(), "cpu"); }

/* Elements of a call are at most 2 to this. */
static int most_bits(void) { return is_on_cpu() ? 13 : 19; }

static void seed(generator *g, int test, int i) {
    const char *text = getenv("QUIRE_TEST_SEED");
    generator_seed(g, (text ? strtoull(text, NULL, 10) : 0) * 1000 + (uint64_t)(100 * test + i));
}

/* A number from 0 to most, of which all lengths in bits are alike. */
static size_t draw_length(generator *g, size_t most) {
    int bits = 0;
    while (most >> bits) bits++;
    const size_t length = (size_t)generator_below(g, (uint64_t)2 << generator_below(g, (uint64_t)bits + 1)) / 2;
    return length <= most ? length : most;
}

/* As many.h draws them, but half of the time exact, to the type or to double, to nearest: what has the most ways. */
static quire_reduction draw_call(generator *g, quire_type type) {
    quire_reduction what = draw_reduction(g);
    what.type = type;
    if (generator_below(g, 2)) what.method = QUIRE_EXACT;
    if (generator_below(g, 2)) what.result_type = generator_below(g, 2) ? type : QUIRE_F64;
    if (generator_below(g, 2)) what.rounding = QUIRE_TO_NEAREST;
    return what;
}

/* ------------------------------------------------------------------------------------------------------------- data */

/* What the finite elements are. */
typedef enum { ORDINARY, EVERY_EXPONENT, HUGE_ONES, TINY_ONES, ZEROS, TURNS, FEW_BITS, DATA_KINDS } data_kind;

typedef struct {
    quire_type type;
    data_kind kind;
    uint64_t turn;    /* of TURNS: so many elements are a number, as many its negative */
    uint64_t a;       /* that number */
    uint64_t special; /* one of so many elements is special; 0: none */
    int infinities;   /* which: 1 +Inf, 2 -Inf, 3 both, 0 none */
    int nans, zeros;  /* whether there are these */
} data;

/* A finite number whose exponent field is "field", or the greatest there is. */
static uint64_t number_of(quire_type type, uint64_t field, uint64_t random) {
    const int bits = type_format(type)->precision - 1;
    const uint64_t number = field << bits | (random & (((uint64_t)1 << bits) - 1));
    return type_is_finite(type, number) ? number : type_greatest(type);
}

static data draw_data(generator *g, quire_type type) {
    static const uint64_t densities[] = { 0, 0, 3001, 97, 7 };
    data d = { type, ORDINARY, 0, 0, 0, 0, 0, 0 };
    if (generator_below(g, 3)) d.kind = (data_kind)generator_below(g, DATA_KINDS);
    d.turn = generator_below(g, 2) ? (uint64_t)1 << generator_below(g, 13) : 1 + draw_length(g, 4096);
    d.a = number_of(type, generator_below(g, 2 * (uint64_t)type_format(type)->bias), generator_next(g));
    d.special = densities[generator_below(g, sizeof densities / sizeof *densities)];
    d.infinities = generator_between(g, 0, 3);
    d.nans = generator_below(g, 4) == 0;
    d.zeros = generator_below(g, 2) == 0;
    return d;
}

static uint64_t finite_element(const data *d, generator *g, size_t k) {
    const uint64_t r = generator_next(g), bias = (uint64_t)type_format(d->type)->bias, most = 2 * bias + 1;
    const uint64_t sign = r >> 63 ? type_sign(d->type) : 0;
    switch (d->kind) {
    case EVERY_EXPONENT: return sign | number_of(d->type, (r >> 52 & 0x7ff) % most, r);
    case HUGE_ONES: return sign | number_of(d->type, most - 1 - (r >> 61 & 1), r);
    case TINY_ONES: return sign | number_of(d->type, r >> 61 & 1, r);
    case ZEROS: return sign;
    case TURNS: return k / d->turn % 2 ? d->a | type_sign(d->type) : d->a;
    case FEW_BITS: return sign | number_of(d->type, bias - (r >> 61 & 1), 0);
    default: return sign | number_of(d->type, bias - (bias < 4 ? 0 : (r >> 61 & 3)), r);
    }
}

static uint64_t special_element(const data *d, generator *g) {
    const uint64_t sign = type_sign(d->type);
    const int has_infinity = type_has_infinity(d->type);
    switch (generator_below(g, 4)) {
    case 0: return d->nans ? type_nan(d->type) | (generator_next(g) & sign) : sign;
    case 1: return d->infinities & 1 && has_infinity ? type_infinity(d->type) : d->zeros ? 0 : sign;
    case 2: return d->infinities & 2 && has_infinity ? type_infinity(d->type) | sign : sign;
    default: return d->zeros ? generator_next(g) & sign : sign;
    }
}

static void fill(const data *d, generator *g, size_t n, void *x) {
    for (size_t k = 0; k < n; k++)
        type_store(d->type, x, k,
                   d->special && !generator_below(g, d->special) ? special_element(d, g) : finite_element(d, g, k));
}

/* An array of n elements at any offset from a line of memory. */
static void *draw_array(generator *g, quire_type type, size_t n) {
    const size_t size = type_size(type);
    const data d = draw_data(g, type);
    void *x = array_new(n * size, generator_below(g, 2) ? 0 : generator_below(g, 64 / size) * size);
    fill(&d, g, n, x);
    return x;
}

/* The bits of a vector's result. */
static uint64_t judged(const quire_reduction *what, size_t n, const void *x, const void *y) {
    const quire_layout one = quire_strided(n, 1);
    uint64_t result = 0;
    check_ok(quire_reduce(NULL, what, &one, x, NULL, y, &result));
    return type_load(what->result_type, &result, 0);
}

/* Half of the time as the device or the processor is by itself. */
static const char *use_a_variant(generator *g) {
    const size_t drawn = generator_below(g, 2 * place_variants());
    const char *name = place_use(drawn < place_variants() ? drawn : 0);
    return name ? name : place_use(0);
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

static ptrdiff_t draw_stride(generator *g, size_t natural) {
    const ptrdiff_t stride = (ptrdiff_t)natural + (generator_below(g, 3) ? 0 : generator_between(g, 0, 17));
    switch (generator_below(g, 12)) {
    case 0: return 0;
    case 1: return -stride;
    default: return stride;
    }
}

/* Rows, columns, the middle axis of three, and vectors that stand apart; of sizes that are there. */
static void draw_strides(generator *g, quire_layout *l, int is_rows) {
    l->stride = is_rows ? 1 : draw_stride(g, l->inner);
    l->inner_stride = is_rows ? draw_stride(g, l->n) : l->inner > 1 && generator_below(g, 8) ? 1 : draw_stride(g, 1);
    l->outer_stride = draw_stride(g, (size_t)labs((long)l->stride) * (l->n ? l->n : 1));
}

static size_t extent_of(const quire_layout *l) {
    size_t origin;
    return layout_elements(l, &origin);
}

/* Both layouts have the sizes of x's. */
static void draw_layouts(generator *g, quire_layout *x, quire_layout *y) {
    const size_t most = (size_t)1 << most_bits(), elements = generator_below(g, 3) ? draw_length(g, most) : most;
    do {
        x->n = draw_length(g, elements);
        x->inner = 1 + draw_length(g, elements / (x->n + 1));
        x->outer = generator_below(g, 3) ? 1 : 1 + draw_length(g, elements / ((x->n + 1) * x->inner));
        const int is_rows = generator_below(g, 2) == 0;
        draw_strides(g, x, is_rows);
        *y = *x;
        if (generator_below(g, 2)) draw_strides(g, y, is_rows);
    } while (extent_of(x) > 2 * most || extent_of(y) > 2 * most);
}

static void gather(quire_type type, const quire_layout *l, size_t v, const void *from, void *to) {
    const ptrdiff_t first = (ptrdiff_t)(v / l->inner) * l->outer_stride + (ptrdiff_t)(v % l->inner) * l->inner_stride;
    for (size_t k = 0; k < l->n; k++) copy_element(type, to, k, from, first + (ptrdiff_t)k * l->stride);
}

static void check_layout(generator *g, const quire_reduction *what) {
    quire_layout l, l_y;
    size_t origin, origin_y;
    draw_layouts(g, &l, &l_y);
    const size_t n = layout_elements(&l, &origin), n_y = layout_elements(&l_y, &origin_y), vectors = l.outer * l.inner,
                 size = type_size(what->type), result_size = type_size(what->result_type);
    char *x = draw_array(g, what->type, n), *y = draw_array(g, what->type, n_y);
    char *results = array_new(vectors * result_size, 0), *u = array_new(l.n * size, 0), *w = array_new(l.n * size, 0);
    const char *origin_of_x = x + origin * size, *origin_of_y = y + origin_y * size, *name = use_a_variant(g);
    check_ok(place_layouts(what, &l, origin_of_x, &l_y, origin_of_y, results));
    for (size_t v = 0; v < vectors; v++) {
        gather(what->type, &l, v, origin_of_x, u);
        if (operation_reads_two(what->operation)) gather(what->type, &l_y, v, origin_of_y, w);
        check_bits(what->result_type, results + v * result_size, judged(what, l.n, u, w),
                   "%s, %s, { %zu, %zu, %zu,  %td, %td, %td } vector %zu", name, reduction_text(what), l.outer, l.n,
                   l.inner, l.outer_stride, l.stride, l.inner_stride, v);
    }
    array_free(results), array_free(x), array_free(y), array_free(u), array_free(w);
    place_use(0);
}

START_TEST(layouts) {
    generator g;
    seed(&g, 1, _i);
    for (size_t turn = scaled(is_on_cpu() ? 1000 : 500); turn > 0; turn--) {
        const quire_reduction what = draw_call(&g, TYPES[_i]);
        check_layout(&g, &what);
    }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- segments */

typedef struct {
    size_t count, elements;
    int64_t *begin, *end;
    void *begin_as_given, *end_as_given; /* the same as indices of that type */
    quire_index index;
} segments;

static void *indices_of(const int64_t *from, size_t count, quire_index index) {
    if (index == QUIRE_I64) return array_copy(from, count * sizeof *from, 0);
    int32_t *to = array_new(count * sizeof *to, 0);
    for (size_t i = 0; i < count; i++) to[i] = (int32_t)from[i];
    return to;
}

/* One behind the other, or anywhere; some end before they begin. */
static segments draw_segments(generator *g) {
    segments s = { 1 + draw_length(g, is_on_cpu() ? 300 : 20000), 0, NULL, NULL, NULL, NULL, QUIRE_I32 };
    const size_t most = (size_t)1 << most_bits(), longest = draw_length(g, 2 * most / s.count);
    const int is_anywhere = generator_below(g, 3) == 0, is_even = generator_below(g, 3) == 0;
    s.begin = array_new(s.count * sizeof *s.begin, 0), s.end = array_new(s.count * sizeof *s.end, 0);
    const size_t long_one = generator_below(g, 4) ? s.count : generator_below(g, s.count);
    for (size_t i = 0; i < s.count; i++) {
        const size_t n = i == long_one ? most / 2 : is_even ? longest : draw_length(g, longest);
        s.begin[i] = (int64_t)s.elements;
        s.elements += n;
        s.end[i] = (int64_t)s.elements;
    }
    for (size_t i = 0; i < s.count && is_anywhere; i++) {
        const uint64_t n = (uint64_t)(s.end[i] - s.begin[i]);
        s.begin[i] = (int64_t)generator_below(g, s.elements - n + 1);
        s.end[i] = s.begin[i] + (generator_below(g, 9) ? (int64_t)n : -generator_between(g, 0, 5));
    }
    if (generator_below(g, 2)) s.index = QUIRE_I64;
    s.begin_as_given = indices_of(s.begin, s.count, s.index);
    s.end_as_given = indices_of(s.end, s.count, s.index);
    return s;
}

static void check_segments(generator *g, const quire_reduction *what) {
    const segments s = draw_segments(g);
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    char *x = draw_array(g, what->type, s.elements), *y = draw_array(g, what->type, s.elements);
    char *results = array_new(s.count * result_size, 0);
    const char *name = use_a_variant(g);
    check_ok(place_segments(what, s.count, s.index, s.begin_as_given, s.end_as_given, s.elements, x, y, results));
    for (size_t i = 0; i < s.count; i++) {
        const size_t n = s.end[i] > s.begin[i] ? (size_t)(s.end[i] - s.begin[i]) : 0, at = (size_t)s.begin[i] * size;
        check_bits(what->result_type, results + i * result_size, judged(what, n, x + at, y + at),
                   "%s, %s, segment %zu of %zu, of %zu elements from %zu on", name, reduction_text(what), i, s.count, n,
                   (size_t)s.begin[i]);
    }
    array_free(s.begin), array_free(s.end), array_free(s.begin_as_given), array_free(s.end_as_given);
    array_free(results), array_free(x), array_free(y);
    place_use(0);
}

START_TEST(segments_of_arrays) {
    generator g;
    seed(&g, 2, _i);
    for (size_t turn = scaled(is_on_cpu() ? 300 : 250); turn > 0; turn--) {
        const quire_reduction what = draw_call(&g, TYPES[_i]);
        check_segments(&g, &what);
    }
}
END_TEST

/* ----------------------------------------------------------------------------------- single arrays and accumulators */

/* All words of an accumulator to which arrays are added, one after the other. */
static void check_words(const quire_accumulator *found, const quire_accumulator *right, const char *text) {
    int64_t words[2][QUIRE_ACCUMULATOR_WORDS];
    memcpy(words[0], found, sizeof *found), memcpy(words[1], right, sizeof *right);
    for (int w = 0; w < QUIRE_ACCUMULATOR_WORDS; w++)
        check_that(words[0][w] == words[1][w], "%s: word %d is %lld, not %lld", text, w, (long long)words[0][w],
                   (long long)words[1][w]);
}

static void accumulate(operation op, quire_accumulator *a, quire_type type, size_t n, const void *x, const void *y) {
    switch (op) {
    case OPERATION_ASUM: check_ok(quire_accumulate_magnitudes(NULL, a, type, n, x)); break;
    case OPERATION_DOT: check_ok(quire_accumulate_products(NULL, a, type, n, x, y)); break;
    case OPERATION_SUMSQ: check_ok(quire_accumulate_products(NULL, a, type, n, x, x)); break;
    default: check_ok(quire_accumulate(NULL, a, type, n, x)); break;
    }
}

static void check_accumulators(generator *g, quire_type type) {
    static const operation operations[] = { OPERATION_SUM, OPERATION_ASUM, OPERATION_DOT, OPERATION_SUMSQ };
    const operation op = operations[generator_below(g, 4)];
    const char *name = use_a_variant(g);
    quire_accumulator found = QUIRE_ACCUMULATOR_ZERO, right = QUIRE_ACCUMULATOR_ZERO;
    char text[100];
    for (int times = generator_between(g, 1, 3); times > 0; times--) {
        const size_t n = draw_length(g, (size_t)1 << most_bits());
        char *x = draw_array(g, type, n), *y = draw_array(g, type, n);
        check_ok(place_accumulate_terms(op, &found, type, n, x, y));
        accumulate(op, &right, type, n, x, y);
        snprintf(text, sizeof text, "%s, terms of %s of %zu %s", name, operation_name(op), n, type_name(type));
        check_words(&found, &right, text);
        array_free(x), array_free(y);
    }
    place_use(0);
}

static void check_array(generator *g, const quire_reduction *what) {
    const size_t n = draw_length(g, (size_t)1 << most_bits());
    char *x = draw_array(g, what->type, n), *y = draw_array(g, what->type, n), *result = array_new(8, 0);
    const char *name = use_a_variant(g);
    check_ok(place_reduction(what, n, x, y, result));
    check_bits(what->result_type, result, judged(what, n, x, y), "%s, %s of %zu", name, reduction_text(what), n);
    array_free(x), array_free(y), array_free(result);
    place_use(0);
}

START_TEST(arrays) {
    generator g;
    seed(&g, 3, _i);
    for (size_t turn = scaled(1000); turn > 0; turn--) {
        const quire_reduction what = draw_call(&g, TYPES[_i]);
        check_array(&g, &what);
    }
}
END_TEST

START_TEST(accumulators) {
    generator g;
    seed(&g, 4, _i);
    for (size_t turn = scaled(300); turn > 0; turn--) check_accumulators(&g, TYPES[_i]);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, layouts, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, segments_of_arrays, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, arrays, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, accumulators, 0, TYPE_COUNT);
}

int main(void) { return run_cases("random calls", add_tests); }
