/* test_periods.c - numbers in turns: a for half a period, -a for the next, of every period there is room for. They
 * cancel somewhere on the way, in a lane, a vector, a tile or a block, and what is left must be neither more nor less
 * than they were: the sign of a zero, and the word "other" of an accumulator, too. Every variant of the place, the
 * tiers of a CPU among them, has the bits of oracles that know integers alone; single calls, rows, columns, strides,
 * segments, accumulators. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "many.h"
#include "model.h"
#include "oracle_words.h"
#include "place.h"
#include "support.h"

#define MOST_PERIOD ((size_t)4096) /* elements until a becomes -a: those of a tile */
#define ROOM (6 * MOST_PERIOD)     /* of an array */
#define LONG ((size_t)3 << 16)     /* elements that threads share: pieces, src/cpu/cpu.c */

/* ------------------------------------------------------------------------------------------------------------ turns */

/* What is constant, or what is at random, in each turn. */
typedef enum { ONE_AND_A_HALF, GREATEST, LEAST, ZEROS, ANY, VARIED, VALUES } value_kind;

/* What stands among the turns, at random places. */
typedef enum {
    NOTHING,
    SOME_ZEROS,
    MOST_ZEROS,
    NEGATIVE_ZEROS,
    ONE_TINY,
    ONE_INFINITY,
    TWO_INFINITIES,
    ONE_NAN,
    MIXES
} mix;

static uint64_t any_finite(generator *g, quire_type type) {
    uint64_t bits;
    do bits = generator_next(g) & ((type_sign(type) << 1) - 1);
    while (!type_is_finite(type, bits));
    return bits;
}

static uint64_t value_of(generator *g, value_kind kind, quire_type type) {
    switch (kind) {
    case ONE_AND_A_HALF: return type_encode(type, 1.5);
    case GREATEST: return type_greatest(type);
    case LEAST: return 1;
    case ZEROS: return 0;
    default: return any_finite(g, type);
    }
}

/* n elements: period of them, then their negatives. */
static void fill_turns(generator *g, value_kind kind, quire_type type, size_t period, size_t n, void *x) {
    const uint64_t sign = type_sign(type), value = value_of(g, kind, type);
    for (size_t i = 0, in_turn = 0, odd = 0; i < n; i++) {
        if (i >= period && kind == VARIED)
            type_store(type, x, i, type_load(type, x, i - period) ^ sign);
        else
            type_store(type, x, i, (kind == VARIED ? any_finite(g, type) : value) ^ (odd ? sign : 0));
        if (++in_turn == period) in_turn = 0, odd = !odd;
    }
}

static void put_one(generator *g, quire_type type, size_t n, void *x, uint64_t bits) {
    type_store(type, x, generator_below(g, n), bits ^ (generator_below(g, 2) ? type_sign(type) : 0));
}

static void mix_in(generator *g, mix what, quire_type type, size_t n, void *x) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = generator_next(g) >> 32;
        if ((what == SOME_ZEROS && draw % 8 == 0) || (what == MOST_ZEROS && draw % 512))
            type_store(type, x, i, draw >> 9 & 1 ? type_sign(type) : 0);
        if (what == NEGATIVE_ZEROS && draw % 512) type_store(type, x, i, type_sign(type));
    }
    if (what == ONE_TINY) put_one(g, type, n, x, 1);
    if (what == ONE_NAN) put_one(g, type, n, x, type_nan(type));
    if (what == ONE_INFINITY || what == TWO_INFINITIES) put_one(g, type, n, x, type_infinity(type));
    if (what == TWO_INFINITIES) put_one(g, type, n, x, type_infinity(type));
}

/* That many or more, most often a whole number of turns, so that all cancels. */
static size_t length_from(generator *g, size_t least, size_t period) {
    const size_t turn = 2 * period;
    size_t n = (least + turn - 1) / turn * turn;
    if (generator_below(g, 8) == 0) n += generator_below(g, turn);
    return n;
}

/* A tile or two, or somewhat more. */
static size_t length_of(generator *g, size_t period) {
    return length_from(g, (1 + generator_below(g, 3) / 2) * MOST_PERIOD, period);
}

/* ----------------------------------------------------------------------------------------------------- expectations */

/* The words of an accumulator, carried, of n terms: the limbs are the halves of the oracle's words. */
static quire_accumulator expected_accumulator(const words_sum *s, size_t n) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    uint64_t borrow = 0;
    for (int w = 0; w < WORDS; w++) {
        const uint64_t less = s->negative[w] + borrow, word = s->positive[w] - less;
        borrow = (borrow && !less) || s->positive[w] < less;
        a.limb[2 * w] = (int64_t)(word & 0xffffffff), a.limb[2 * w + 1] = (int64_t)(word >> 32);
    }
    a.limb[QUIRE_ACCUMULATOR_LIMBS - 1] = -(int64_t)borrow;
    a.count = (int64_t)n;
    a.other = s->nonzero ? 0xffffffff : s->other;
    a.nan = s->nan, a.positive_infinity = s->positive_infinity, a.negative_infinity = s->negative_infinity;
    return a;
}

static void check_accumulator_words(const quire_accumulator *found, const quire_accumulator *expected,
                                    const char *text) {
    int64_t f[QUIRE_ACCUMULATOR_WORDS], e[QUIRE_ACCUMULATOR_WORDS];
    memcpy(f, found, sizeof f), memcpy(e, expected, sizeof e);
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++)
        check_that(f[i] == e[i], "%s: word %d is %llx, not %llx", text, i, (unsigned long long)f[i],
                   (unsigned long long)e[i]);
}

/* What is exact of n elements, before it is rounded. */
static unrounded expected_total(operation op, quire_type type, size_t n, const void *x, const void *y,
                                int64_t correction) {
    static words_sum sum, squares;
    words_open(&sum), words_open(&squares);
    return operation_is_moment(op) ? words_moment(&sum, &squares, op, type, n, x, correction)
                                   : words_reduce(&sum, op, type, n, x, y);
}

/* --------------------------------------------------------------------------------------------------- every period */

/* The terms of a whole array of turns that have but one value, by their numbers: no element is looked at. */
static void add_counted(words_sum *s, quire_type type, uint64_t value, size_t n, size_t period) {
    const size_t turns = n / (2 * period), tail = n % (2 * period);
    const size_t positive = turns * period + (tail < period ? tail : period), negative = n - positive;
    int exponent;
    const double a = type_decode(type, value & ~type_sign(type));
    const uint128 m = (uint128)ldexp(frexp(a, &exponent), 53);
    const bool flipped = (value & type_sign(type)) != 0;
    s->nonzero = m != 0;
    s->other = m != 0 || (flipped ? negative : positive) != 0;
    if (!m) return;
    words_add(s, flipped, m * positive, exponent - 53);
    words_add(s, !flipped, m * negative, exponent - 53);
}

static void check_sums(quire_type type, size_t n, const void *x, const unrounded totals[2],
                       const quire_accumulator *words, const char *text) {
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
        char where[160];
        if (!variant) continue;
        snprintf(where, sizeof where, "%s, %s", variant, text);
        for (int k = 0; k < ROUNDING_COUNT + 1; k++) { /* the last is the mean, downward as a zero is -0 there */
            const int mean = k == ROUNDING_COUNT, rounding = mean ? QUIRE_DOWNWARD : k;
            if (rounding != QUIRE_DOWNWARD && (n / 2 + v + (size_t)k / 2) % 2) continue; /* each has its turn */
            const quire_reduction what = { mean ? QUIRE_MEAN : QUIRE_SUM, type, type, QUIRE_EXACT,
                                           (quire_rounding)rounding,      0,    { 0 } };
            uint64_t result[1];
            check_ok(place_reduction(&what, n, x, NULL, result));
            check_bits(type, result, unrounded_bits(&totals[mean], type, (quire_rounding)rounding), "%s, %s, %s",
                       mean ? "mean" : "sum", rounding_name((quire_rounding)rounding), where);
        }
        check_ok(place_accumulate(&a, type, n, x));
        check_accumulator_words(&a, words, where);
    }
    place_use(0);
}

/* One value in turns: what is right follows from how often there is either sign. */
static void check_period(generator *g, value_kind kind, quire_type type, size_t n, size_t period, void *x) {
    char text[100];
    unrounded totals[2];
    quire_accumulator words;
    fill_turns(g, kind, type, period, n, x);
    for (int mean = 0; mean < 2; mean++) {
        words_sum s;
        words_open(&s);
        add_counted(&s, type, type_load(type, x, 0), n, period);
        if (!mean) words = expected_accumulator(&s, n);
        totals[mean] = s.nonzero ? words_finish(&s, mean ? OPERATION_MEAN : OPERATION_SUM, n)
                                 : (unrounded){ .kind = UNROUNDED_ZERO, .negative = !s.other };
    }
    snprintf(text, sizeof text, "%zu %s, value %d, period %zu", n, type_name(type), (int)kind, period);
    check_sums(type, n, x, totals, &words, text);
}

/* The next one, which is the next number unless the suite is scaled down; but multiples of 64 are never left out. */
static size_t next_period(size_t period) {
    const size_t count = scaled(MOST_PERIOD), step = count < MOST_PERIOD ? MOST_PERIOD / count : 1;
    const size_t next = (period / step + 1) * step, multiple = (period / 64 + 1) * 64;
    return next < multiple ? next : multiple;
}

/* All periods have one of the values, and those that fit vectors and tiles all of them. */
START_TEST(every_period) {
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type);
    char *room = array_new(ROOM * size, 0);
    generator g;
    generator_seed(&g, 7100 + (uint64_t)_i);
    for (size_t period = 1; period <= MOST_PERIOD; period = next_period(period)) {
        const int all = period % 64 == 0, first = all ? 0 : (int)generator_below(&g, VARIED);
        for (int kind = first; kind < (all ? VARIED : first + 1); kind++) {
            const size_t n = length_of(&g, period);
            check_period(&g, (value_kind)kind, type, n, period, room + (ROOM - n) * size);
        }
    }
    array_free(room);
}
END_TEST

/* Of threads' pieces each cancels, or all together. */
START_TEST(long_vectors) {
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type), room = 2 * LONG;
    char *x = array_new(room * size, 0);
    generator g;
    generator_seed(&g, 7150 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(24); turn++) {
        const size_t period = (size_t)1 << turn % 17, n = length_from(&g, LONG, period);
        check_period(&g, (value_kind)generator_below(&g, VARIED), type, n, period, x + (room - n) * size);
    }
    array_free(x);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- every operation */

/* Powers of two and their neighbours, multiples of the lanes of a tile, and others at random. */
static size_t some_period(generator *g) {
    const size_t power = (size_t)1 << generator_below(g, 12);
    switch (generator_below(g, 4)) {
    case 0: return 1 + generator_below(g, 64);
    case 1: return 256 * (1 + generator_below(g, 16));
    case 2: return power + generator_below(g, 3) - (power > 1);
    default: return 1 + generator_below(g, MOST_PERIOD);
    }
}

/* One vector by one operation: exact, its words, and by the other methods. */
static void check_vector(generator *g, operation op, quire_type type, size_t n, const void *x, const void *y,
                         const char *text) {
    const int64_t correction = generator_between(g, 0, 1);
    const int methods = operation_is_moment(op) ? 1 : METHOD_COUNT;
    const int method = generator_below(g, 3) ? 0 : (int)generator_below(g, (uint64_t)methods);
    const quire_type to = generator_below(g, 2) ? type : TYPES[generator_below(g, TYPE_COUNT)];
    const unrounded u = method ? (unrounded){ .kind = UNROUNDED_NAN } : expected_total(op, type, n, x, y, correction);
    const model_total total = method ? model_reduce(op, type, n, x, y, METHODS[method]) : (model_total){ 0, 0 };
    words_sum s;
    words_open(&s);
    if (!operation_is_moment(op)) words_add_terms(&s, op, type, n, x, y);
    const quire_accumulator words = expected_accumulator(&s, n);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
        char where[160];
        if (!variant) continue;
        snprintf(where, sizeof where, "%s %s, %s", operation_name(op), variant, text);
        for (int k = 0; k < ROUNDING_COUNT; k++) {
            const quire_rounding rounding = ROUNDINGS[k];
            const quire_reduction what = {
                operation_number(op), type, to, METHODS[method], rounding, correction, { 0 }
            };
            const uint64_t bits =
                method ? model_directed(op, total, n, to, rounding) : unrounded_bits(&u, to, rounding);
            uint64_t result[1];
            check_ok(place_reduction(&what, n, x, y, result));
            check_bits(to, result, bits, "%s, %s, %s", method_name(METHODS[method]), rounding_name(rounding), where);
        }
        if (operation_is_moment(op)) continue;
        check_ok(place_accumulate_terms(op, &a, type, n, x, y));
        check_accumulator_words(&a, &words, where);
    }
    place_use(0);
}

/* Test number i is operation i / TYPE_COUNT, type i % TYPE_COUNT. */
START_TEST(every_operation) {
    const operation op = (operation)(_i / TYPE_COUNT);
    const quire_type type = TYPES[_i % TYPE_COUNT];
    const size_t size = type_size(type);
    char *room_x = array_new(ROOM * size, 0), *room_y = array_new(ROOM * size, 0);
    generator g;
    generator_seed(&g, 7200 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(48); turn++) {
        const size_t period = some_period(&g), n = length_of(&g, period);
        const value_kind kind = (value_kind)generator_below(&g, VALUES);
        const mix what = generator_below(&g, 2) ? NOTHING : (mix)generator_below(&g, MIXES);
        char *x = room_x + (ROOM - n) * size, *y = room_y + (ROOM - n) * size, text[100];
        fill_turns(&g, kind, type, period, n, x);
        fill_turns(&g, (value_kind)generator_below(&g, VALUES), type, generator_below(&g, 2) ? period : some_period(&g),
                   n, y);
        mix_in(&g, what, type, n, x);
        if (generator_below(&g, 4) == 0) mix_in(&g, (mix)generator_below(&g, MIXES), type, n, y);
        if (generator_below(&g, 4) == 0) y = x;
        snprintf(text, sizeof text, "%zu %s, value %d, mix %d, period %zu", n, type_name(type), (int)kind, (int)what,
                 period);
        check_vector(&g, op, type, n, x, y, text);
    }
    array_free(room_x), array_free(room_y);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- many vectors */

typedef enum { ROWS, COLUMNS, STRIDED, BACKWARD, SEGMENTS, PLACINGS } placing;

#define VECTORS ((size_t)19) /* a panel and some */

/* Elements k of vector v stands at place k * stride + v * between, from the first on. */
typedef struct {
    placing placing;
    size_t n, elements;
    ptrdiff_t stride, between, origin;
} shape;

static shape shape_of(placing p, size_t n) {
    const ptrdiff_t length = (ptrdiff_t)n, vectors = (ptrdiff_t)VECTORS;
    shape s = { p, n, VECTORS * n, 1, length, 0 };
    if (p == COLUMNS) s.stride = vectors, s.between = 1;
    if (p == STRIDED) s.stride = 2, s.between = 2 * length, s.elements = 2 * VECTORS * n;
    if (p == BACKWARD) s.stride = -vectors, s.between = 1, s.origin = (length - 1) * vectors;
    return s;
}

static void call_many(const quire_reduction *what, const shape *s, const char *x, const char *y, void *results) {
    const size_t size = type_size(what->type);
    const quire_layout layout = { 1, s->n, VECTORS, 0, s->stride, s->between };
    int64_t begin[VECTORS + 1];
    if (s->placing != SEGMENTS) {
        const ptrdiff_t at = s->origin * (ptrdiff_t)size;
        check_ok(place_layouts(what, &layout, x + at, &layout, y + at, results));
        return;
    }
    for (size_t v = 0; v <= VECTORS; v++) begin[v] = (int64_t)(v * s->n);
    check_ok(place_segments(what, VECTORS, QUIRE_I64, begin, begin + 1, s->elements, x, y, results));
}

/* A vector in turns that most often cancel; n is most often a multiple of 256. */
static void fill_vector(generator *g, quire_type type, size_t n, void *x) {
    const size_t turns = (size_t)2 << generator_below(g, 8);
    const size_t period = n % turns || generator_below(g, 4) == 0 ? some_period(g) : n / turns;
    fill_turns(g, (value_kind)generator_below(g, VALUES), type, period, n, x);
}

/* Each vector of an own period. Test number i is type i % TYPE_COUNT, placing i / TYPE_COUNT. */
static void check_many(generator *g, quire_type type, placing p) {
    const size_t n = generator_below(g, 8) ? 256 * (1 + generator_below(g, 18)) : 1 + generator_below(g, 3000);
    const shape s = shape_of(p, n);
    const size_t size = type_size(type);
    const operation op = (operation)generator_below(g, OPERATION_ALL);
    const quire_type to = generator_below(g, 2) ? type : TYPES[generator_below(g, TYPE_COUNT)];
    const quire_rounding rounding = generator_below(g, 2) ? QUIRE_DOWNWARD : ROUNDINGS[generator_below(g, 4)];
    const quire_reduction what = { operation_number(op), type, to, QUIRE_EXACT, rounding, 0, { 0 } };
    char *x = array_new(s.elements * size, 0), *y = array_new(s.elements * size, 0);
    char *one_x = array_new(n * size, 0), *one_y = array_new(n * size, 0);
    uint64_t expected[VECTORS], results[VECTORS];
    for (size_t v = 0; v < VECTORS; v++) {
        fill_vector(g, type, n, one_x), fill_vector(g, type, n, one_y);
        mix_in(g, generator_below(g, 2) ? NOTHING : (mix)generator_below(g, MIXES), type, n, one_x);
        for (size_t k = 0; k < n; k++) {
            const ptrdiff_t at = s.origin + (ptrdiff_t)k * s.stride + (ptrdiff_t)v * s.between;
            type_store(type, x, (size_t)at, type_load(type, one_x, k));
            type_store(type, y, (size_t)at, type_load(type, one_y, k));
        }
        const unrounded u = expected_total(op, type, n, one_x, one_y, 0);
        expected[v] = unrounded_bits(&u, to, rounding);
    }
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        if (!variant) continue;
        call_many(&what, &s, x, y, results);
        for (size_t i = 0; i < VECTORS; i++)
            check_bits(to, (char *)results + i * type_size(to), expected[i], "%s, %s, placing %d, vector %zu of %zu",
                       variant, reduction_text(&what), (int)p, i, n);
    }
    place_use(0);
    array_free(x), array_free(y), array_free(one_x), array_free(one_y);
}

START_TEST(many_vectors) {
    generator g;
    generator_seed(&g, 7300 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(16); turn++) check_many(&g, TYPES[_i % TYPE_COUNT], (placing)(_i / TYPE_COUNT));
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, every_period, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, long_vectors, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, every_operation, 0, OPERATION_ALL * TYPE_COUNT);
    tcase_add_loop_test(cases, many_vectors, 0, PLACINGS * TYPE_COUNT);
}

int main(void) { return run_cases("periods", add_tests); }
