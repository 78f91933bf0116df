/* test_segments.c - segments of any length and place: each result has the bits of the single call on that segment. */
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

/* Offsets of 64 bits; a call gets them as they are, or as 32. */
typedef struct segments {
    size_t count, elements; /* elements: of the array */
    int64_t *begin, *end;
} segments;

static segments segments_new(size_t count, size_t elements) {
    segments s = { count, elements, array_new(count * sizeof(int64_t), 0), array_new(count * sizeof(int64_t), 0) };
    return s;
}

static void segments_free(segments *s) {
    array_free(s->begin);
    array_free(s->end);
}

static int32_t *narrowed(const int64_t *offsets, size_t count) {
    int32_t *narrow = array_new(count * sizeof *narrow, 0);
    for (size_t i = 0; i < count; i++) narrow[i] = (int32_t)offsets[i];
    return narrow;
}

static quire_status reduce(const quire_reduction *what, const segments *s, quire_index index, const void *x,
                           const void *y, void *results) {
    if (index == QUIRE_I64) return place_segments(what, s->count, index, s->begin, s->end, s->elements, x, y, results);
    int32_t *begin = narrowed(s->begin, s->count), *end = narrowed(s->end, s->count);
    const quire_status status = place_segments(what, s->count, index, begin, end, s->elements, x, y, results);
    array_free(begin);
    array_free(end);
    return status;
}

static void check_segments(const quire_reduction *what, const segments *s, quire_index index, family which,
                           size_t variant, size_t every) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    void *x = array_new(s->elements * size, 0), *y = array_new(s->elements * size, 0);
    void *results = array_new(s->count * result_size, 0);
    family_fill_pair(which, what->type, s->count, s->elements, x, y);
    const char *name = place_use(variant);
    check_ok(reduce(what, s, index, x, y, results));
    place_use(0);
    for (size_t i = 0; i < s->count; i += every) {
        const size_t n = s->end[i] > s->begin[i] ? (size_t)(s->end[i] - s->begin[i]) : 0,
                     at = n ? (size_t)s->begin[i] : 0;
        const uint64_t expected = single_call(what, n, (char *)x + at * size, (char *)y + at * size);
        check_bits(what->result_type, (char *)results + i * result_size, expected, "%s, %s, segment %zu: %zu from %zu",
                   name, reduction_text(what), i, n, at);
    }
    array_free(x);
    array_free(y);
    array_free(results);
}

/* ---------------------------------------------------------------------------------------------------- kinds of them */

typedef enum kind { UNIFORM, POWER_LAW, MOST_EMPTY, ANYWHERE, KIND_COUNT } kind;

static size_t draw_length(generator *g, kind which, size_t mean) {
    switch (which) {
    case POWER_LAW: return (size_t)(1 / (generator_uniform(g) + 1.0 / (100.0 * (double)mean)));
    case MOST_EMPTY: return generator_below(g, 10) ? 0 : generator_below(g, 20 * mean);
    default: return generator_below(g, 2 * mean + 1);
    }
}

/* One behind the other, with gaps if so; or anywhere: overlapping, in no order, some ending before they begin. */
static segments draw_segments(generator *g, kind which, size_t count, size_t mean) {
    segments s = segments_new(count, 0);
    const int gaps = generator_below(g, 2) != 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = draw_length(g, which, mean);
        s.begin[i] = (int64_t)s.elements;
        s.elements += n;
        s.end[i] = (int64_t)s.elements;
        if (gaps) s.elements += generator_below(g, 4);
    }
    for (size_t i = 0; i < count && which == ANYWHERE; i++) {
        const size_t n = generator_below(g, 4 * mean), at = generator_below(g, s.elements + 1);
        s.begin[i] = (int64_t)at;
        s.end[i] = (int64_t)(at + n < s.elements ? at + n : s.elements);
        if (generator_below(g, 5) == 0) s.end[i] = s.begin[i] - (int64_t)generator_below(g, 9);
    }
    return s;
}

START_TEST(segments_at_random) {
    generator g;
    generator_seed(&g, 127 + (uint64_t)_i);
    if (!place_use((size_t)_i)) return;
    for (size_t turn = scaled(400); turn-- > 0;) {
        const quire_reduction what = draw_reduction(&g);
        const quire_index index = generator_below(&g, 2) ? QUIRE_I32 : QUIRE_I64;
        const size_t mean = (size_t)1 << generator_below(&g, 11), count = 1 + generator_below(&g, 8000 / mean + 2);
        segments s = draw_segments(&g, (kind)generator_below(&g, KIND_COUNT), count, mean);
        check_segments(&what, &s, index, draw_family(&g), (size_t)_i, 1);
        segments_free(&s);
    }
}
END_TEST

/* Enough for threads, with one segment that is worth several, and many empty ones. */
START_TEST(large_segments) {
    generator g;
    generator_seed(&g, 5);
    for (kind k = UNIFORM; k < KIND_COUNT; k++) {
        const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, METHODS[_i], QUIRE_TO_NEAREST, 0, { 0 } };
        segments s = draw_segments(&g, k, 20000, 30);
        s.begin[7] = 3, s.end[7] = (int64_t)s.elements; /* over most of the others */
        for (size_t v = 0; v < place_variants(); v++)
            if (place_use(v)) check_segments(&what, &s, v % 2 ? QUIRE_I32 : QUIRE_I64, FAMILY_NORMAL, v, 101);
        segments_free(&s);
    }
}
END_TEST

/* More segments than a GPU puts aside to cut them, of a length from which on it does, one less and one more; all of
 * them in one small array, and an empty one behind each fifth. */
START_TEST(long_segments) {
    enum { COUNT = 2200, LENGTH = 1 << 15 };
    const quire_method method = _i % 2 ? QUIRE_PLAIN : QUIRE_EXACT;
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, method, QUIRE_TO_NEAREST, 0, { 0 } };
    segments s = segments_new(COUNT, 2 * LENGTH);
    for (size_t i = 0; i < COUNT; i++) {
        s.begin[i] = (int64_t)(i * 13 % LENGTH);
        s.end[i] = s.begin[i] + (i % 5 ? LENGTH - 1 + (int64_t)(i % 3) : 0);
    }
    s.begin[1] = 0, s.end[1] = 2 * LENGTH;
    check_segments(&what, &s, QUIRE_I32, _i < 2 ? FAMILY_NORMAL : FAMILY_EVERY_EXPONENT, 0, 7);
    segments_free(&s);
}
END_TEST

/* More than 2^32 elements in all: one segment, again and again. Behind each, 16 that are empty. */
START_TEST(beyond_32_bits) {
    enum { LENGTH = 65536, EMPTY = 16 };
    const quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    segments s = segments_new(scaled(65537) * (EMPTY + 1), LENGTH);
    for (size_t i = 0; i < s.count; i++) {
        s.begin[i] = i % (EMPTY + 1) ? LENGTH : 0;
        s.end[i] = LENGTH;
    }
    check_segments(&what, &s, QUIRE_I32, FAMILY_NORMAL, 0, 1001);
    segments_free(&s);
}
END_TEST

/* Halves that are large, and a tiny one: more bits than a double has, though each thread of a GPU has fewer. */
START_TEST(large_and_tiny) {
    enum { N = 8198 };
    static const double expected[2] = { 536936256.0, 536936288.0 - 0x1p-23 };
    static const quire_type types[2] = { QUIRE_F32, QUIRE_F64 };
    const int64_t offsets[2] = { 0, N };
    uint16_t *x = array_new(N * sizeof *x, 0);
    for (size_t i = 0; i < N; i++) x[i] = 0x7bff;
    x[N - 1] = 0x8001;
    for (int i = 0; i < 2; i++) {
        const quire_rounding rounding = i ? QUIRE_DOWNWARD : QUIRE_TO_NEAREST;
        const quire_reduction what = { QUIRE_SUM, QUIRE_F16, types[i], QUIRE_EXACT, rounding, 0, { 0 } };
        double result = 0;
        check_ok(place_segments(&what, 1, QUIRE_I64, offsets, offsets + 1, N, x, NULL, &result));
        check_bits(types[i], &result, type_encode(types[i], expected[i]), "result %d", i);
    }
    array_free(x);
}
END_TEST

/* CSR: offsets and offsets + 1. */
START_TEST(offsets_in_one_array) {
    const int32_t offsets[5] = { 0, 2, 2, 5, 6 };
    const float x[6] = { 1, 2, 4, 8, 16, 32 }, expected[4] = { 3, 0, 28, 32 };
    quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    float results[4];
    for (int i = 0; i < METHOD_COUNT; i++) {
        what.method = METHODS[i];
        check_ok(place_segments(&what, 4, QUIRE_I32, offsets, offsets + 1, 6, x, NULL, results));
        ck_assert(!memcmp(results, expected, sizeof results));
    }
    what.operation = QUIRE_MEAN;
    check_ok(place_segments(&what, 4, QUIRE_I32, offsets, offsets + 1, 6, x, NULL, results));
    check_bits(QUIRE_F32, &results[1], type_nan(QUIRE_F32), "the mean of nothing");
}
END_TEST

START_TEST(arguments) {
    const int64_t offsets[3] = { 0, 0, 2 };
    const float x[2] = { 1, 2 };
    float results[2] = { -1, -1 };
    quire_reduction what = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    quire_context *c = place_context();
    const void *odd = (const char *)offsets + 4;
    ck_assert_int_eq(quire_reduce_segments(c, NULL, 2, QUIRE_I64, offsets, offsets + 1, x, x, results),
                     QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, (quire_index)0, offsets, offsets, x, x, results),
                     QUIRE_INVALID_INDEX);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, (quire_index)3, offsets, offsets, x, x, results),
                     QUIRE_INVALID_INDEX);
    ck_assert_int_eq(quire_reduce_segments(c, &what, SIZE_MAX, QUIRE_I64, offsets, offsets, x, x, results),
                     QUIRE_SIZE_OVERFLOW);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, QUIRE_I64, NULL, offsets, x, x, results), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, QUIRE_I64, odd, offsets, x, x, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, QUIRE_I64, odd, offsets, x, x, results), QUIRE_MISALIGNED);
    ck_assert_int_eq(
        quire_reduce_segments(c, &what, 2, QUIRE_I64, offsets, offsets + 1, (const char *)x + 1, x, results),
        QUIRE_MISALIGNED);
    check_ok(quire_reduce_segments(c, &what, 0, QUIRE_I64, NULL, NULL, NULL, NULL, NULL));
    ck_assert(results[0] == -1 && results[1] == -1);
    check_ok(place_segments(&what, 2, QUIRE_I64, offsets, offsets, 0, NULL, NULL, results)); /* all are empty */
    ck_assert(results[0] == 0 && results[1] == 0);
}
END_TEST

static void add_segments(TCase *cases) {
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, segments_at_random, 0, (int)place_variants());
    tcase_add_loop_test(cases, large_segments, 0, METHOD_COUNT);
    tcase_add_loop_test(cases, long_segments, 0, 4);
    tcase_add_test(cases, beyond_32_bits);
    tcase_add_test(cases, large_and_tiny);
    tcase_add_test(cases, offsets_in_one_array);
    tcase_add_test(cases, arguments);
}

int main(void) { return run_cases("segments", add_segments); }
