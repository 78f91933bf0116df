/* test_special_layouts.c - NaN, infinities and zeros of both signs in every layout: rows and columns that a warp has,
 * that blocks share and that are cut, strides, and segments. Some vectors of a call have them at random places, beside
 * vectors that have none. The judge is the CPU's call on the vector alone. */
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* What is put among ordinary numbers, or among numbers that are zeros themselves. */
typedef enum { NANS, POSITIVE, NEGATIVE, BOTH, ONLY_ZEROS, ZEROS_AND_INFINITIES, KINDS } special_kind;

static const quire_layout LAYOUTS[] = {
    { 700, 60, 1, 60, 1, 0 },     { 40, 1001, 1, 1001, 1, 0 }, { 33, 1000, 1, 1013, 1, 0 },
    { 2, 70001, 1, 70001, 1, 0 }, { 1, 300, 64, 0, 64, 1 },    { 1, 2540, 41, 0, 41, 1 },
    { 1, 5000, 32, 0, 32, 1 },    { 1, 1812, 10, 0, 13, 1 },   { 1, 20000, 2, 0, 2, 1 },
    { 3, 2000, 8, 16000, 8, 1 },  { 1, 30000, 1, 0, 3, 0 },    { 5, 3000, 1, -3000, -1, 0 },
    { 2, 1500, 9, 13500, -9, 1 },
};

/* On a CPU, whose call of many vectors and single one are of one kind, a tenth of the rows. */
static quire_layout layout_here(const quire_layout *l) {
    quire_layout here = *l;
    if (!strcmp(place_name(), "cpu")) here.n = l->n / 10 + 1;
    return here;
}

static uint64_t special_element(generator *g, quire_type type, special_kind kind) {
    const uint64_t any_sign = generator_below(g, 2) ? type_sign(type) : 0;
    const uint64_t infinity = type_has_infinity(type) ? type_infinity(type) : type_greatest(type);
    switch (kind) {
    case NANS: return type_nan(type) | any_sign;
    case POSITIVE: return infinity;
    case NEGATIVE: return infinity | type_sign(type);
    case ONLY_ZEROS: return any_sign;
    default: return infinity | any_sign;
    }
}

/* Ordinary numbers, or zeros; among them special ones, "each" elements apart on the average. */
static void fill(generator *g, quire_type type, special_kind kind, size_t each, size_t n, void *x) {
    for (size_t k = 0; k < n; k++) {
        const double value = generator_uniform(g) - 0.5;
        const int is_zero = kind == ONLY_ZEROS || (kind == ZEROS_AND_INFINITIES && generator_below(g, 2));
        type_store(type, x, k, is_zero ? generator_below(g, 2) * type_sign(type) : type_encode(type, value));
    }
    for (size_t k = 0; k < n; k += 1 + 2 * generator_below(g, each + 1))
        type_store(type, x, k, special_element(g, type, kind));
}

static void check_call(const quire_reduction *what, const quire_layout *l, const char *x, const char *y,
                       special_kind kind) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type),
                 vectors = l->outer * l->inner;
    char *results = array_new(vectors * result_size, 0), *u = array_new(l->n * size, 0), *w = array_new(l->n * size, 0);
    const quire_layout one = quire_strided(l->n, 1);
    check_ok(place_layouts(what, l, x, NULL, y, results));
    for (size_t v = 0; v < vectors; v++) {
        const ptrdiff_t i = (ptrdiff_t)(v / l->inner), j = (ptrdiff_t)(v % l->inner),
                        first = i * l->outer_stride + j * l->inner_stride;
        uint64_t right = 0;
        for (size_t k = 0; k < l->n; k++) {
            copy_element(what->type, u, k, x, first + (ptrdiff_t)k * l->stride);
            copy_element(what->type, w, k, y, first + (ptrdiff_t)k * l->stride);
        }
        check_ok(quire_reduce(NULL, what, &one, u, NULL, w, &right));
        check_bits(what->result_type, results + v * result_size, type_load(what->result_type, &right, 0),
                   "%s, { %zu, %zu, %zu,  %td, %td, %td } vector %zu, kind %d", reduction_text(what), l->outer, l->n,
                   l->inner, l->outer_stride, l->stride, l->inner_stride, v, (int)kind);
    }
    array_free(results), array_free(u), array_free(w);
}

/* Every operation, exact: to double, as most have it, to the type, and to any; and by another method. */
static void check_operations(generator *g, quire_type type, const quire_layout *l, const char *x, const char *y,
                             special_kind kind) {
    for (int op = 0; op < OPERATION_ALL; op++) {
        quire_reduction what = {
            operation_number((operation)op), type, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 }
        };
        check_call(&what, l, x, y, kind);
        what.result_type = generator_below(g, 2) ? type : TYPES[generator_below(g, TYPE_COUNT)];
        what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
        if (!operation_is_moment((operation)op)) what.method = METHODS[generator_below(g, METHOD_COUNT)];
        check_call(&what, l, x, y, kind);
    }
}

START_TEST(specials_in_layouts) {
    const quire_type type = TYPES[_i / KINDS];
    const special_kind kind = (special_kind)(_i % KINDS);
    generator g;
    generator_seed(&g, 800 + (uint64_t)_i);
    for (size_t k = 0; k < COUNT_OF(LAYOUTS); k++) {
        const quire_layout l = layout_here(&LAYOUTS[k]);
        size_t origin;
        const size_t n = layout_elements(&l, &origin), size = type_size(type), each = k % 2 ? l.n : 97;
        char *x = array_new(n * size, k % 2 * size), *y = array_new(n * size, 0);
        fill(&g, type, kind, each, n, x);
        fill(&g, type, (special_kind)generator_below(&g, KINDS), each, n, y);
        check_operations(&g, type, &l, x + origin * size, y + origin * size, kind);
        array_free(x), array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, specials_in_layouts, 0, TYPE_COUNT * KINDS); }

int main(void) { return run_cases("special layouts", add_tests); }
