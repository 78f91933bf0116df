/* test_directed_neighbours.c - the one rounding in every direction, where numbers of a format, taken as integers, tell
 * the answer without any arithmetic: between b and b + 1, downward is b and upward is b + 1. */
#include <math.h>

#include "place.h"
#include "support.h"

/* ------------------------------------------------------------------------------------------- between two neighbours */

/* Where between b and the number above it: at b, the least bit above it, just short of the midpoint, at it, just above
 * it, just short of the number above. */
enum { AT, ABOVE, SHORT_OF_HALF, HALF, ABOVE_HALF, SHORT_OF_NEXT, WHERE_COUNT };

/* Positive bits b, and what is beyond the greatest: the bits of that are none for E4M3, whose NaN has no sign. */
static uint64_t with_sign(quire_type type, uint64_t bits, int negative) {
    if (!type_is_finite(type, bits)) return type_beyond(type, negative);
    return bits | (negative ? type_sign(type) : 0);
}

static uint64_t rounded(quire_type type, uint64_t b, int where, int negative, quire_rounding rounding) {
    const int away = rounding == (negative ? QUIRE_DOWNWARD : QUIRE_UPWARD);
    uint64_t up = where != AT && away;
    if (rounding == QUIRE_TO_NEAREST) up = where > HALF || (where == HALF && b & 1);
    return with_sign(type, b + up, negative);
}

/* The exponent of the distance between b and b + 1. */
static int unit_of(quire_type type, uint64_t b) {
    const number_format *f = type_format(type);
    const int field = (int)(b >> (f->precision - 1));
    return (field ? field : 1) - f->bias - f->precision + 1;
}

typedef struct products {
    size_t n;
    double x[4], y[4];
} products;

static void put(products *p, double x, double y) {
    p->x[p->n] = x;
    p->y[p->n++] = y;
}

static void put_power(products *p, double sign, int e) { put(p, sign * power_of_two(e / 2), power_of_two(e - e / 2)); }

static products between(quire_type type, uint64_t b, int where, double sign) {
    const int unit = unit_of(type, b);
    products p = { 0, { 0 }, { 0 } };
    put(&p, sign * type_decode(type, b), 1);
    if (where == SHORT_OF_HALF || where == HALF || where == ABOVE_HALF) put_power(&p, sign, unit - 1);
    if (where == SHORT_OF_NEXT) put_power(&p, sign, unit);
    if (where == ABOVE || where == ABOVE_HALF) put_power(&p, sign, -2148);
    if (where == SHORT_OF_HALF || where == SHORT_OF_NEXT) put_power(&p, -sign, -2148);
    return p;
}

static quire_reduction product_of_doubles(quire_type result_type, quire_rounding rounding) {
    const quire_reduction what = { .operation = QUIRE_DOT,
                                   .type = QUIRE_F64,
                                   .result_type = result_type,
                                   .method = QUIRE_EXACT,
                                   .rounding = rounding };
    return what;
}

typedef void visitor(quire_type type, uint64_t b);

/* All of an 8-bit format; of others both ends and the edges of binades, of subnormals, and some between. */
static void visit_some(quire_type type, visitor *visit) {
    const int stored = type_format(type)->precision - 1;
    const uint64_t mask = ((uint64_t)1 << stored) - 1, fields = (type_greatest(type) >> stored) + 1;
    generator g;
    generator_seed(&g, 95);
    if (type_size(type) == 1) {
        for (uint64_t b = 0; b <= type_greatest(type); b++) visit(type, b);
        return;
    }
    for (uint64_t turn = 0; turn < 120; turn++) {
        const uint64_t at[6] = { 0, 1, fields - 1, fields - 2, turn % fields, generator_below(&g, fields) };
        const uint64_t low[6] = { 0, 1, mask, mask - 1, generator_next(&g) & mask, generator_next(&g) & mask };
        visit(type, at[turn % 6] << stored | low[turn / 6 % 6]);
    }
}

static void visit_sum(quire_type type, uint64_t b) {
    for (int where = 0; where < WHERE_COUNT; where++)
        for (int negative = 0; negative < 2; negative++) {
            const products p = between(type, b, where, negative ? -1 : 1);
            for (int k = 0; k < ROUNDING_COUNT; k++) {
                const quire_reduction what = product_of_doubles(type, ROUNDINGS[k]);
                uint64_t result[1];
                /* -0 at b = 0: the product -0 * 1 is alone */
                check_ok(place_reduction(&what, p.n, p.x, p.y, result));
                check_bits(type, result, rounded(type, b, where, negative, ROUNDINGS[k]), "%a, where %d, %s",
                           type_decode(type, b), where, rounding_name(ROUNDINGS[k]));
            }
        }
}

START_TEST(between_neighbours) { visit_some(TYPES[_i], visit_sum); }
END_TEST

/* Where a little is added: the least there is, or at the last bits of the 128 that lead the sum, or the first behind
 * them.
 */
static int little_place(int leading, uint64_t b) {
    const int places[4] = { -2148, leading - 126, leading - 127, leading - 128 };
    const int place = places[b / 7 % 4];
    return place < -2148 ? -2148 : place;
}

/* The root of b^2 and a little, or less a little; the sum of c times b and a little over c. */
static void check_finish(operation op, quire_type type, uint64_t b, int c, int little, double sign) {
    const double value = type_decode(type, b);
    const int negative = sign < 0;
    int leading, more = 0;
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    products p = { 0, { 0 }, { 0 } };
    put(&p, sign * value, op == OPERATION_NRM2 ? value : c);
    const double most = frexp(value, &leading) * (op == OPERATION_NRM2 ? frexp(value, &more) : c);
    if (little) put_power(&p, sign * little, little_place(leading + more + ilogb(most), b));
    check_ok(place_accumulate_products(&a, QUIRE_F64, p.n, p.x, p.y));
    if (op == OPERATION_MEAN) a.count = c;
    for (int k = 0; k < ROUNDING_COUNT; k++) {
        const quire_reduction what = { .operation = operation_number(op),
                                       .type = type,
                                       .result_type = type,
                                       .method = QUIRE_EXACT,
                                       .rounding = ROUNDINGS[k] };
        uint64_t result[1], expected = rounded(type, b, little > 0 ? ABOVE : AT, negative, ROUNDINGS[k]);
        if (little < 0) expected = rounded(type, b - 1, SHORT_OF_NEXT, negative, ROUNDINGS[k]);
        check_ok(quire_finish(&what, &a, NULL, result));
        check_bits(type, result, expected, "%s near %a, %d, %s", operation_name(op), value, little,
                   rounding_name(ROUNDINGS[k]));
    }
}

static void visit_ends(quire_type type, uint64_t b) {
    static const int counts[] = { 1, 2, 3, 5, 7, 10, 31 };
    if (!b) return;
    for (int little = -1; little <= 1; little++) {
        for (int negative = 0; negative < 2; negative++)
            check_finish(OPERATION_MEAN, type, b, counts[b % 7], little, negative ? -1 : 1);
        if (type != QUIRE_F64 || b > 1 || little >= 0) check_finish(OPERATION_NRM2, type, b, 1, little, 1);
    }
}

START_TEST(roots_and_quotients) { visit_some(TYPES[_i], visit_ends); }
END_TEST

/* -------------------------------------------------------------------------------------------------------- the edges */

/* Far beyond the greatest, and far below the least. */
START_TEST(far_beyond) {
    for (int e = -2148; e <= 2046; e += e < -1100 || e > 1100 ? 31 : 1)
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int k = 0; k < 2 * ROUNDING_COUNT; k++) {
                const int negative = k / ROUNDING_COUNT;
                const quire_type type = TYPES[r];
                const number_format *f = type_format(type);
                const quire_rounding rounding = ROUNDINGS[k % ROUNDING_COUNT];
                const quire_reduction what = product_of_doubles(type, rounding);
                products p = { 0, { 0 }, { 0 } };
                uint64_t result[1], expected;
                put_power(&p, negative ? -1 : 1, e);
                if (e > f->greatest)
                    expected = rounded(type, type_greatest(type), SHORT_OF_NEXT, negative, rounding);
                else if (e < f->least)
                    expected = rounded(type, 0, e == f->least - 1 ? HALF : ABOVE, negative, rounding);
                else
                    expected = type_encode(type, (negative ? -1 : 1) * power_of_two(e));
                check_ok(place_reduction(&what, 1, p.x, p.y, result));
                check_bits(type, result, expected, "%c2^%d, %s", negative ? '-' : '+', e, rounding_name(rounding));
            }
}
END_TEST

/* Infinities are no overflow: they stay, in every direction. NaN is NaN. */
START_TEST(infinities_stay) {
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int r = 0; r < TYPE_COUNT; r++)
            for (int k = 0; k < 3 * ROUNDING_COUNT; k++) {
                const quire_type type = TYPES[t];
                const int kind = k / ROUNDING_COUNT, has = type_has_infinity(type) && kind < 2;
                uint64_t x[2], result[1];
                type_store(type, x, 0, kind == 2 ? type_nan(type) : type_infinity(type) | (kind ? type_sign(type) : 0));
                type_store(type, x, 1, 1);
                for (int m = 0; m < METHOD_COUNT; m++) {
                    const quire_reduction what = { .operation = QUIRE_SUM,
                                                   .type = type,
                                                   .result_type = TYPES[r],
                                                   .method = METHODS[m],
                                                   .rounding = ROUNDINGS[k % ROUNDING_COUNT] };
                    check_ok(place_reduction(&what, 2, x, NULL, result));
                    check_bits(TYPES[r], result, has ? type_beyond(TYPES[r], kind == 1) : type_nan(TYPES[r]),
                               "kind %d, %s", kind, rounding_name(ROUNDINGS[k % ROUNDING_COUNT]));
                }
            }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, between_neighbours, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, roots_and_quotients, 0, TYPE_COUNT);
    tcase_add_test(cases, far_beyond);
    tcase_add_test(cases, infinities_stay);
}

int main(void) { return run_cases("directed_neighbours", add_tests); }
