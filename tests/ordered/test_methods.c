/* test_methods.c - plain, pairwise and kahan against the model of docs/order.md, bit for bit. */
#include <stdbool.h>
#include <string.h>

#include "families.h"
#include "model.h"
#include "place.h"
#include "support.h"

static const quire_method ROUNDED[] = { QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN }; /* plain behind pairwise */
#define ROUNDED_COUNT (sizeof ROUNDED / sizeof *ROUNDED)

/* Every variant of the place against what is expected of each result type. Of the first variant all results are looked
 * at. The others round the same total by the same lines: of them it is the result in double, which tells most of a
 * total, and one of the others, another for each variant and length. */
static void check_variants(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                           const uint64_t expected[TYPE_COUNT], const char *what) {
    bool first = true;
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (size_t r = 0; variant && r < TYPE_COUNT; r++) {
            uint64_t result = 0x5a5a5a5a5a5a5a5a;
            if (!first && TYPES[r] != QUIRE_F64 && r != (n + v) % TYPE_COUNT) continue;
            check_ok(place_reduce(op, type, n, x, y, method, TYPES[r], &result));
            check_bits(TYPES[r], &result, expected[r], "%s %s of %s %s, n = %zu, %s", method_name(method),
                       operation_name(op), what, type_name(type), n, variant);
        }
        if (variant) first = false;
    }
}

/* One total of the model, in every result type. */
static void ask_model(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                      uint64_t expected[TYPE_COUNT]) {
    const model_total total = model_reduce(op, type, n, x, y, method);
    for (size_t r = 0; r < TYPE_COUNT; r++) expected[r] = model_finish(op, total, n, TYPES[r]);
}

static void check_against_model(operation op, quire_type type, size_t n, const void *x, const void *y,
                                quire_method method, const char *what) {
    uint64_t expected[TYPE_COUNT];
    ask_model(op, type, n, x, y, method, expected);
    check_variants(op, type, n, x, y, method, expected, what);
}

static void check_family(family which, quire_type type, size_t n, uint64_t seed) {
    void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
    uint64_t expected[TYPE_COUNT];
    family_fill(which, type, seed, n, x);
    for (int op = 0; op < OPERATION_COUNT; op++) {
        if (op == OPERATION_DOT) /* the condition families cancel in a dot only if they were made for one */
            family_fill_pair(which, type, seed, n, x, y);
        for (size_t m = 0; m < ROUNDED_COUNT; m++) {
            /* To the model pairwise and plain are one method, whose tiles grow or do not. */
            const quire_method method = ROUNDED[m];
            const bool asked = method == QUIRE_PLAIN && model_rows(method, n) == model_rows(QUIRE_PAIRWISE, n);
            if (!asked) ask_model((operation)op, type, n, x, y, method, expected);
            check_variants((operation)op, type, n, x, y, method, expected, family_name(which));
        }
    }
    array_free(x);
    array_free(y);
}

/* Around every boundary that the order has: lanes, rows of lanes, tiles, pairs of tiles, an odd number of tiles. At a
 * small scale some of those of tiles, which take the time. */
START_TEST(short_vectors_equal_the_model) {
    static const size_t lengths[] = { 0,   1,   2,    3,    7,    31,   127,  128,  129,  255,  256,   257,   511,
                                      512, 513, 1000, 4095, 4096, 4097, 4500, 8191, 8192, 8193, 12287, 12288, 12289 };
    quire_type type = TYPES[_i % TYPE_COUNT];
    family which = (family)(_i / TYPE_COUNT);
    generator g;
    generator_seed(&g, 10 + (uint64_t)_i);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (lengths[k] < 2000 || drawn(&g)) check_family(which, type, lengths[k], 1000 + k);
}
END_TEST

START_TEST(long_vectors_equal_the_model) {
    static const family families[] = { FAMILY_UNIFORM, FAMILY_EVERY_EXPONENT, FAMILY_CONDITION_SEVERE };
    generator g;
    generator_seed(&g, 20 + (uint64_t)_i);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        if (f == (size_t)_i % 3 || drawn(&g)) check_family(families[f], TYPES[_i], 65537, 30);
    for (size_t k = 0; k < scaled(2); k++)
        check_family(families[k % 2], TYPES[_i], 20000 + generator_below(&g, 280001), k);
}
END_TEST

/* Beyond 2^27 elements tiles of plain and kahan grow to 32 rows, those of pairwise stay. Halves keep it within 256 MiB,
 * and overlapping vectors; one call of each kind, and fewer at a smaller scale, keep it within seconds. */
START_TEST(tiles_grow_with_the_vector) {
    static const struct {
        quire_method method;
        operation op;
        size_t n;
    } calls[] = {
        { QUIRE_KAHAN, OPERATION_DOT, ((size_t)1 << 27) + 4097 },
        { QUIRE_KAHAN, OPERATION_SUM, ((size_t)1 << 27) + 4097 },
        { QUIRE_PAIRWISE, OPERATION_SUM, ((size_t)1 << 27) + 4097 },
        { QUIRE_PLAIN, OPERATION_SUM, ((size_t)1 << 27) + 4097 },
        { QUIRE_PLAIN, OPERATION_SUM, (size_t)1 << 27 },
    };
    if ((size_t)_i >= scaled(sizeof calls / sizeof *calls)) return;
    operation op = calls[_i].op;
    quire_method method = calls[_i].method;
    size_t n = calls[_i].n, rows = n > (size_t)1 << 27 && method != QUIRE_PAIRWISE ? 32 : 16;
    uint16_t *x = array_new((n + 1) * sizeof *x, 0);
    uint64_t expected;
    generator g;

    ck_assert_uint_eq(model_rows(method, n), rows);
    generator_seed(&g, 5);
    const size_t drawn =
        4999 * 401; /* and again and again: no tile begins as another, nor is the length that of tiles */
    for (size_t i = 0; i < drawn; i++) {
        x[i] = (uint16_t)(generator_next(&g) >> 48 & 0xbfff);     /* |x| < 2: every sign, subnormals too */
        if (_i == 1 && i % 4999) x[i] = (x[i] & 0x83ff) | 0x3c00; /* most sums of lanes are exact */
    }
    for (size_t i = drawn; i <= n; i += drawn) memcpy(x + i, x, (n + 1 - i < drawn ? n + 1 - i : drawn) * sizeof *x);
    expected = model_finish(op, model_reduce(op, QUIRE_F16, n, x, x + 1, method), n, QUIRE_F64);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        double result;
        if (!variant) continue;
        check_ok(place_reduce(op, QUIRE_F16, n, x, x + 1, method, QUIRE_F64, &result));
        check_bits(QUIRE_F64, &result, expected, "%s, n = %zu, %s", method_name(method), n, variant);
    }
    array_free(x);
}
END_TEST

/* Elements of 16 bits whose sums are exact in most lanes: those where one is not must not pass for such, wherever in a
 * tile they stand, and whatever makes them so: an element far below the sum, or above; one that takes back what was
 * lost; the others cancelling; infinities, NaN, zeros, the least subnormal and the greatest number. Few of a tile's
 * vectors are so, or none, or all; tiles follow tiles of another kind. */
static void fill_exact_lanes(generator *g, quire_type type, size_t n, int cancel, int specials, void *x) {
    for (size_t i = 0; i < n; i++) type_set(type, x, i, cancel ? (i / 256 % 2 ? -1.5 : 1.5) : (double)(i * 7 % 13) - 6);
    const double tiny = power_of_two(type == QUIRE_F16 ? -24 : -30), huge = power_of_two(type == QUIRE_F16 ? 15 : 40);
    const uint64_t sign = type_sign(type), infinity = type_infinity(type), greatest = type_greatest(type);
    const uint64_t special[] = { infinity, infinity | sign, type_nan(type), 0, sign, 1, greatest, greatest | sign };
    for (size_t tile = 0; tile < n; tile += 4096) {
        const size_t end = n - tile < 4096 ? n : tile + 4096,
                     some = (size_t)generator_below(g, 2 + generator_below(g, 30));
        for (size_t k = 0; k < some; k++) {
            const size_t i = tile + (size_t)generator_below(g, end - tile);
            const size_t next = i + 256 * (1 + (size_t)generator_below(g, 3));
            const double what = (generator_next(g) & 1 ? tiny : huge) * (generator_next(g) & 1 ? 1 : -1);
            type_set(type, x, i, what);
            if (next < end && generator_next(g) & 1) type_set(type, x, next, -what);
        }
    }
    for (size_t k = (size_t)generator_below(g, 4); specials && k; k--) {
        const size_t i = (size_t)generator_below(g, n), which = (size_t)generator_below(g, 8);
        type_store(type, x, i, special[which]);
        if (which < 6 || i + 512 >= n) continue;
        type_store(type, x, i + 256, special[which]); /* MAX + MAX - Inf */
        type_store(type, x, i + 512, special[7 - which]);
    }
}

START_TEST(exact_lanes_and_others) {
    static const size_t lengths[] = { 1, 16, 17, 200, 256, 257, 511, 512, 700, 3841, 4095, 4096, 4097, 20000, 70001 };
    const quire_type type = _i % 2 ? QUIRE_F16 : QUIRE_BF16;
    const int cancel = _i / 2 % 2, specials = _i / 4;
    generator g;
    generator_seed(&g, 40 + (uint64_t)_i);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t turn = 0; turn < scaled(lengths[k] < 5000 ? 12 : 3); turn++) {
            void *x = array_new(lengths[k] * type_size(type), 0);
            fill_exact_lanes(&g, type, lengths[k], cancel, specials, x);
            check_against_model(OPERATION_SUM, type, lengths[k], x, NULL, QUIRE_KAHAN, "exact lanes");
            check_against_model(OPERATION_ASUM, type, lengths[k], x, NULL, QUIRE_KAHAN, "exact lanes");
            array_free(x);
        }
}
END_TEST

/* A lane whose sum has all the 24 bits that a float has, in so many elements as that takes, exact each time: what its
 * merges lose is as much as can be. */
static void fill_full_lane(generator *g, quire_type type, int least, size_t end, size_t lane, void *x) {
    const int bits = type == QUIRE_F16 ? 11 : 8;
    uint32_t sum = (uint32_t)(generator_next(g) >> 40) | 1u << 23;
    for (int at = 24 - bits; lane < end; lane += 256, at -= bits) {
        const uint32_t part = at > -bits ? at >= 0 ? sum >> at << at : sum : 0;
        type_set(type, x, lane, (double)part * power_of_two(least));
        sum -= part;
    }
}

/* One that goes up, loses much of small elements there, and comes down again. */
static void fill_lossy_lane(generator *g, quire_type type, size_t tile, size_t end, size_t lane, void *x) {
    const int up = generator_between(g, 1, 6), alike = generator_between(g, 0, 1);
    const double top = 1.875 * power_of_two(generator_between(g, 0, 15)), one = generator_uniform(g);
    for (size_t i = lane; i < end; i += 256) {
        const int row = (int)((i - tile) / 256);
        type_set(type, x, i, row < up ? top : row >= 16 - up ? -top : one / 16 * (alike ? 1 : generator_uniform(g)));
    }
}

/* Compensations of every size, in lanes and in merges: most lanes of a tile are sums of a few bits of one size and some
 * are not; or all have all their bits. */
static void fill_compensations(generator *g, quire_type type, size_t n, void *x) {
    for (size_t tile = 0; tile < n; tile += 4096) {
        const size_t end = n - tile < 4096 ? n : tile + 4096, some = (size_t)generator_below(g, 12);
        const double unit = power_of_two(generator_between(g, -10, 12));
        const int cancel = generator_between(g, 0, 1), least = -8 - (int)generator_below(g, 1 + generator_below(g, 17)),
                  full = generator_between(g, 0, 1);
        for (size_t i = tile; i < end; i++)
            type_set(type, x, i, unit * (cancel && i / 256 % 2 ? -1 : 1) * (double)(1 + i * 5 % 7));
        for (size_t lane = tile; full && lane < tile + 256; lane++)
            fill_full_lane(g, type, type == QUIRE_F16 ? least : least - (int)generator_below(g, 20), end, lane, x);
        for (size_t k = 0; k < some; k++)
            fill_lossy_lane(g, type, tile, end, tile + (size_t)generator_below(g, 256), x);
    }
}

START_TEST(compensations_of_every_size) {
    static const size_t lengths[] = { 300, 3000, 4096, 5000, 9000, 40000 };
    const quire_type type = _i ? QUIRE_F16 : QUIRE_BF16;
    generator g;
    generator_seed(&g, 60 + (uint64_t)_i);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t turn = 0; turn < scaled(lengths[k] < 10000 ? 40 : 10); turn++) {
            void *x = array_new(lengths[k] * type_size(type), 0);
            fill_compensations(&g, type, lengths[k], x);
            check_against_model(OPERATION_SUM, type, lengths[k], x, NULL, QUIRE_KAHAN, "compensations of every size");
            check_against_model(OPERATION_ASUM, type, lengths[k], x, NULL, QUIRE_KAHAN, "compensations of every size");
            array_free(x);
        }
}
END_TEST

/* Every lane is 1/32, the most that a sum can be beyond a multiple of 1/16, and some, which are larger, have
 * compensations too: what is beyond adds up to as much as it can. */
START_TEST(rests_of_one_sign) {
    static const size_t lengths[] = { 512, 4096, 5000, 70000 };
    generator g;
    generator_seed(&g, 62);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t turn = 0; turn < scaled(40); turn++) {
            const size_t n = lengths[k], some = 1 + (size_t)generator_below(&g, 8);
            const double sign = generator_below(&g, 2) ? -1 : 1;
            void *x = array_new(n * type_size(QUIRE_F16), 0);
            for (size_t i = 0; i < n; i++) type_set(QUIRE_F16, x, i, i % 4096 < 256 ? sign / 32 : 0);
            for (size_t tile = 0; tile + 512 <= n; tile += 4096)
                for (size_t i = 0; i < some; i++) {
                    const size_t lane = tile + (turn % 2 ? i : (size_t)generator_below(&g, 256));
                    type_set(QUIRE_F16, x, lane, sign * 65 / 32);
                    type_set(QUIRE_F16, x, lane + 256, sign * generator_between(&g, 1, 3) * 0x1p-24);
                }
            check_against_model(OPERATION_SUM, QUIRE_F16, n, x, NULL, QUIRE_KAHAN, "rests of one sign");
            array_free(x);
        }
}
END_TEST

/* Every start within 64 bytes, x and y each; the result does not see it, and the inputs are left as they were. */
START_TEST(alignment_does_not_show) {
    static const size_t lengths[] = { 5, 300, 4500, 9001 };
    quire_type type = TYPES[_i];
    size_t size = type_size(type);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t bytes = lengths[k] * size;
        void *x = array_new(bytes, 0), *y = array_new(bytes, 0);
        uint64_t sums[ROUNDED_COUNT][TYPE_COUNT], dots[ROUNDED_COUNT][TYPE_COUNT];
        family_fill_pair(FAMILY_EVERY_EXPONENT, type, k, lengths[k], x, y);
        for (size_t m = 0; m < ROUNDED_COUNT; m++) {
            ask_model(OPERATION_SUM, type, lengths[k], x, NULL, ROUNDED[m], sums[m]);
            ask_model(OPERATION_DOT, type, lengths[k], x, y, ROUNDED[m], dots[m]);
        }
        for (size_t step = 0; step < 64 / size; step++) {
            void *u = array_copy(x, bytes, step * size), *w = array_copy(y, bytes, (5 * step + 3) % (64 / size) * size);
            for (size_t m = 0; m < ROUNDED_COUNT; m++) {
                check_variants(OPERATION_SUM, type, lengths[k], u, NULL, ROUNDED[m], sums[m], "shifted");
                check_variants(OPERATION_DOT, type, lengths[k], u, w, ROUNDED[m], dots[m], "shifted");
            }
            ck_assert_msg(!memcmp(u, x, bytes) && !memcmp(w, y, bytes), "an input was written to");
            array_free(u);
            array_free(w);
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, short_vectors_equal_the_model, 0, FAMILY_COUNT * TYPE_COUNT);
    tcase_add_loop_test(cases, long_vectors_equal_the_model, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, tiles_grow_with_the_vector, 0, 5);
    tcase_add_loop_test(cases, exact_lanes_and_others, 0, 8);
    tcase_add_loop_test(cases, compensations_of_every_size, 0, 2);
    tcase_add_test(cases, rests_of_one_sign);
    tcase_add_loop_test(cases, alignment_does_not_show, 0, TYPE_COUNT);
}

int main(void) { return run_cases("methods", add_tests); }
