/* test_specials.c - NaN and infinities among many vectors: rows, columns, strides, segments, short and long, a few of
 * them special or most; and terms that overflow on the way and are not special. Every result has the bits of the
 * single call on the CPU. */
#include <math.h>

#include "many.h"
#include "place.h"
#include "support.h"

typedef enum { ROWS, COLUMNS, STRIDED, SEGMENTS } placing;

typedef struct shape {
    placing placing;
    size_t vectors, n;
} shape;

/* More short vectors than a list of special results has room for on a GPU, few long ones, and such as are cut. */
static const shape SHAPES[] = {
    { ROWS, 5000, 8 },     { ROWS, 4500, 5 },      { ROWS, 4200, 33 },     { ROWS, 40, 3000 },     { ROWS, 2, 100000 },
    { COLUMNS, 5000, 9 },  { COLUMNS, 4352, 40 },  { COLUMNS, 40, 3000 },  { COLUMNS, 3, 50000 },  { STRIDED, 5000, 7 },
    { STRIDED, 20, 3000 }, { SEGMENTS, 5000, 10 }, { SEGMENTS, 60, 1500 }, { SEGMENTS, 3, 70000 },
};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

/* Elements of both arrays: element k of vector v. */
typedef struct arrays {
    shape shape;
    quire_type type;
    size_t size, elements;
    char *x, *y;
} arrays;

static size_t place_of(const shape *s, size_t v, size_t k) {
    switch (s->placing) {
    case COLUMNS: return k * s->vectors + v;
    case STRIDED: return 2 * (v * s->n + k);
    default: return v * s->n + k;
    }
}

/* What is special of a vector. MUCH: sums and products of finite doubles that overflow on the way. */
enum {
    NOTHING,
    ONE_NAN,
    ONE_INFINITY,
    INFINITIES,
    BOTH_INFINITIES,
    INFINITY_ZERO,
    ZERO_INFINITY,
    ALL_INFINITE,
    MUCH,
    KINDS
};

static void fill_vector(generator *g, const arrays *a, size_t v, int kind) {
    const shape *s = &a->shape;
    const double infinity = generator_below(g, 2) ? INFINITY : -INFINITY;
    for (size_t k = 0; k < s->n; k++) {
        const size_t at = place_of(s, v, k);
        double x = ldexp(generator_uniform(g), kind == NOTHING ? generator_between(g, -6, 6) : 0),
               y = generator_uniform(g);
        if (kind == INFINITIES && generator_below(g, 2)) x = infinity;
        if (kind == INFINITY_ZERO && generator_below(g, 2)) x = infinity, y = 0;
        if (kind == ZERO_INFINITY && generator_below(g, 2)) x = 0, y = infinity;
        if (kind == ALL_INFINITE) x = infinity;
        if (kind == MUCH && a->type == QUIRE_F64) x = k % 3 ? -0x1.8p1023 : 0x1.fp1023, y = 2;
        type_set(a->type, a->x, at, x);
        type_set(a->type, a->y, at, y);
    }
    const size_t one = place_of(s, v, generator_below(g, s->n)), other = place_of(s, v, generator_below(g, s->n));
    if (kind == ONE_NAN) type_set(a->type, a->x, one, NAN);
    if (kind == ONE_INFINITY || kind == BOTH_INFINITIES) type_set(a->type, a->x, one, infinity);
    if (kind == BOTH_INFINITIES) type_set(a->type, a->x, other, -infinity);
}

/* Every second vector is special, or all are. */
static arrays arrays_of(generator *g, shape s, quire_type type, int all) {
    arrays a = { s, type, type_size(type), (s.placing == STRIDED ? 2 : 1) * s.vectors * s.n, NULL, NULL };
    a.x = array_new(a.elements * a.size, 0), a.y = array_new(a.elements * a.size, 0);
    for (size_t v = 0; v < s.vectors; v++)
        fill_vector(g, &a, v, all || v % 2 ? generator_between(g, 1, KINDS - 1) : NOTHING);
    return a;
}

static void call(const quire_reduction *what, const arrays *a, void *results) {
    const shape *s = &a->shape;
    const ptrdiff_t n = (ptrdiff_t)s->n, vectors = (ptrdiff_t)s->vectors;
    quire_layout layout = { s->vectors, s->n, 1, 2 * n, 2, 0 }; /* STRIDED */
    if (s->placing == ROWS) layout = quire_rows(s->vectors, s->n, n);
    if (s->placing == COLUMNS) layout = quire_columns(s->n, s->vectors, vectors);
    if (s->placing == SEGMENTS) {
        int64_t *offset = array_new((s->vectors + 1) * sizeof *offset, 0);
        for (size_t v = 0; v <= s->vectors; v++) offset[v] = (int64_t)(v * s->n);
        check_ok(place_segments(what, s->vectors, QUIRE_I64, offset, offset + 1, a->elements, a->x, a->y, results));
        array_free(offset);
    } else {
        check_ok(place_layouts(what, &layout, a->x, &layout, a->y, results));
    }
}

static void check(const quire_reduction *what, const arrays *a, const char *variant) {
    const shape *s = &a->shape;
    const size_t result_size = type_size(what->result_type);
    char *results = array_new(s->vectors * result_size, 0), *u = array_new(s->n * a->size, 0),
         *v = array_new(s->n * a->size, 0);
    const quire_layout one = quire_strided(s->n, 1);
    call(what, a, results);
    for (size_t r = 0; r < s->vectors; r++) {
        uint64_t expected = 0;
        for (size_t k = 0; k < s->n; k++) {
            copy_element(a->type, u, k, a->x, (ptrdiff_t)place_of(s, r, k));
            copy_element(a->type, v, k, a->y, (ptrdiff_t)place_of(s, r, k));
        }
        check_ok(quire_reduce(NULL, what, &one, u, NULL, v, &expected));
        check_bits(what->result_type, results + r * result_size, type_load(what->result_type, &expected, 0),
                   "%s, %s, placing %d, %zu of %zu, vector %zu", variant, reduction_text(what), (int)s->placing,
                   s->vectors, s->n, r);
    }
    array_free(results), array_free(u), array_free(v);
}

START_TEST(vectors) {
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const shape s = SHAPES[_i / TYPE_COUNT];
    generator g;
    generator_seed(&g, 3100 + (uint64_t)_i);
    for (int all = 0; all < 2; all++) {
        const arrays a = arrays_of(&g, s, type, all);
        for (int op = 0; op < OPERATION_ALL; op++) {
            const size_t variant = generator_below(&g, place_variants());
            const char *name = place_use(variant);
            quire_reduction what = { operation_number((operation)op), type, type, QUIRE_EXACT, 0, 0, { 0 } };
            if (generator_below(&g, 2)) what.result_type = TYPES[generator_below(&g, TYPE_COUNT)];
            what.rounding = (quire_rounding)generator_below(&g, 4);
            if (name) check(&what, &a, name);
            place_use(0);
        }
        array_free(a.x), array_free(a.y);
    }
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, vectors, 0, SHAPE_COUNT * TYPE_COUNT); }

int main(void) { return run_cases("specials", add_tests); }
