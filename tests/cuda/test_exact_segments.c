/* test_exact_segments.c - exact sums of segments (src/cuda/kernels/exact_segments.cuh), of one array and of two: of
 * every length that its groups share differently, that begin and end anywhere, side by side, apart, overlapping,
 * backwards and empty. Each segment is of another family, so that those whose ends meet stand beside those whose do
 * not; some have NaN, infinities and zeros of both signs at random places. By a few warps, so that each has several
 * bundles, of 32 segments where there are 1024 or more, and by all. The judge is the CPU. CK_FORK=no. */
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const operation OPERATIONS[] = { OPERATION_SUM,   OPERATION_ASUM,     OPERATION_NRM2,   OPERATION_MEAN,
                                        OPERATION_SUMSQ, OPERATION_VARIANCE, OPERATION_STDDEV, OPERATION_DOT };

/* Lengths are drawn from 0 to most, and segments of a call are of so many elements in all. */
static const struct shape {
    size_t most, segments;
} SHAPES[] = { { 3, 2000 }, { 17, 2000 }, { 40, 1100 }, { 130, 1100 }, { 515, 1100 }, { 2000, 1100 }, { 40000, 40 } };

static void fill_segment(generator *g, quire_type type, size_t n, void *x) {
    if (n == 0) return;
    family_fill((family)generator_below(g, FAMILY_COUNT), type, generator_next(g), n, x);
    if (generator_below(g, 6) == 0)
        for (size_t k = 0; k < n; k++) type_store(type, x, k, generator_below(g, n + 1) ? type_sign(type) : 0);
    if (generator_below(g, 4) == 0) type_store(type, x, generator_below(g, n), draw_special(g, type));
}

typedef struct {
    size_t segments, elements;
    int64_t *begin, *end;
    char *x, *y;
} segments;

static char *fill_array(generator *g, quire_type type, const segments *all, size_t offset) {
    char *x = array_new(all->elements * type_size(type), offset);
    for (size_t k = 0; k < all->elements; k++) type_store(type, x, k, type_nan(type)); /* nobody's */
    for (size_t i = 0; i < all->segments; i++)
        fill_segment(g, type, (size_t)(all->end[i] - all->begin[i]), x + (size_t)all->begin[i] * type_size(type));
    return x;
}

/* Some side by side, or with gaps here and there, long ones or short ones, of which a few are moved to anywhere. */
static segments segments_new(generator *g, quire_type type, const struct shape *s, size_t offset) {
    segments all = {
        s->segments, 0,   array_new(s->segments * sizeof(int64_t), 0), array_new(s->segments * sizeof(int64_t), 0),
        NULL,        NULL
    };
    const size_t gaps = generator_below(g, 2) ? 0 : generator_below(g, 20); /* of ten segments, about */
    const size_t longest = generator_below(g, 2) ? s->most : 8;             /* of these */
    const size_t least = generator_below(g, 4) ? 0 : s->most - s->most / 8; /* if not 0 all are about as long */
    for (size_t i = 0; i < s->segments; i++) {
        if (generator_below(g, 10) < gaps) all.elements += generator_below(g, longest + 1);
        all.begin[i] = (int64_t)all.elements;
        const size_t most = generator_below(g, 3) || least ? s->most : s->most / 8;
        all.elements += least + generator_below(g, most - least + 1);
        all.end[i] = (int64_t)all.elements;
    }
    all.elements++;
    all.x = fill_array(g, type, &all, offset), all.y = fill_array(g, type, &all, generator_below(g, 2) ? offset : 0);
    for (size_t i = 0; generator_below(g, 2) && i < s->segments / 8; i++) {
        const size_t one = generator_below(g, s->segments), other = generator_below(g, s->segments);
        all.begin[one] = all.begin[other];
        all.end[one] = generator_below(g, 4) ? all.end[other] : all.begin[other] / 2; /* which is an empty one */
    }
    return all;
}

static void segments_free(segments *all) {
    array_free(all->begin), array_free(all->end);
    array_free(all->x), array_free(all->y);
}

static void check_segments(generator *g, const segments *all, quire_type type, operation op) {
    quire_reduction what = { operation_number(op), type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    if (operation_is_moment(op)) what.correction = (int64_t)generator_below(g, 4) - 1;
    const size_t size = type_size(what.result_type);
    char *expected = array_new(all->segments * size, 0), *results = array_new(all->segments * size, 0);
    const char *y = op == OPERATION_DOT ? all->y : NULL;
    check_ok(quire_reduce_segments(NULL, &what, all->segments, QUIRE_I64, all->begin, all->end, all->x, y, expected));
    check_ok(place_segments(&what, all->segments, QUIRE_I64, all->begin, all->end, all->elements, all->x, y, results));
    for (size_t i = 0; i < all->segments; i++)
        check_bits(what.result_type, results + i * size, type_load(what.result_type, expected, i),
                   "%s, correction %d: segment %zu, %lld to %lld", reduction_text(&what), (int)what.correction, i,
                   (long long)all->begin[i], (long long)all->end[i]);
    array_free(expected), array_free(results);
}

START_TEST(exact_segments) {
    const quire_type type = TYPES[_i / (int)COUNT_OF(SHAPES)];
    const struct shape *s = &SHAPES[_i % (int)COUNT_OF(SHAPES)];
    generator g;
    generator_seed(&g, 2900 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(4); turn++) {
        check_that(place_use(turn % 2) != NULL, "no launch %zu", turn % 2); /* 1: of a few warps */
        segments all = segments_new(&g, type, s, generator_below(&g, 16 / type_size(type)) * type_size(type));
        for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++) check_segments(&g, &all, type, OPERATIONS[o]);
        segments_free(&all);
    }
    place_use(0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, exact_segments, 0, TYPE_COUNT * (int)COUNT_OF(SHAPES));
}

int main(void) { return run_cases("exact segments", add_tests); }
