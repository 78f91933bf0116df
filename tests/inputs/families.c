/* families.c - the named inputs. Everything is made from integers, or from IEEE operations in double that are each
 * rounded once (no libm but fma), so that a golden file can name a family and a seed in place of the data. Compile
 * without contraction and fast-math. */
#include "families.h"

#include <math.h>
#include <string.h>

static const char *const NAMES[FAMILY_COUNT] = {
    "uniform",         "normal",
    "positive",        "every-exponent",
    "finite-bits",     "any-bits",
    "condition",       "condition-2",
    "telescoping",     "tie",
    "tie-above",       "tie-below",
    "subnormal",       "huge",
    "lone-tiny",       "zero",
    "negative-zero",   "one-zero",
    "one-nan",         "one-infinity",
    "same-infinities", "both-infinities",
    "infinity-zero",
};

const char *family_name(family which) { return which < FAMILY_COUNT ? NAMES[which] : "no family"; }

family family_named(const char *name) {
    int i = 0;
    while (i < FAMILY_COUNT && strcmp(name, NAMES[i])) i++;
    return (family)i;
}

/* ------------------------------------------------------------------------------------------------------- one number */

/* The sign bit, or not. */
static uint64_t any_sign(generator *g, quire_type type) { return generator_next(g) & 1 ? type_sign(type) : 0; }

/* A positive number of [2^e, 2^(e+1)), every significand alike (where NaN has a place, the one below it); least <= e <=
 * greatest. */
static uint64_t at_exponent(generator *g, quire_type type, int e) {
    const number_format *f = type_format(type);
    int normal = e >= 1 - f->bias;
    int bits = normal ? f->precision - 1 : e - f->least; /* below the leading one */
    uint64_t fraction = generator_next(g) & (((uint64_t)1 << bits) - 1);
    uint64_t number = (normal ? (uint64_t)(e + f->bias) << bits : (uint64_t)1 << bits) | fraction;
    return type_is_finite(type, number) ? number : type_greatest(type);
}

static uint64_t any_exponent(generator *g, quire_type type) {
    const number_format *f = type_format(type);
    return at_exponent(g, type, generator_between(g, f->least, f->greatest));
}

static uint64_t any_finite(generator *g, quire_type type) {
    uint64_t bits;
    do bits = generator_next(g) & ((type_sign(type) << 1) - 1);
    while (!type_is_finite(type, bits));
    return bits;
}

static uint64_t any_nan(generator *g, quire_type type) {
    uint64_t payload = (uint64_t)1 << (type_format(type)->precision - 1);
    return any_sign(g, type) | type_infinity(type) | (1 + generator_below(g, payload - 1));
}

/* Twelve uniforms of 32 bits less their mean: variance 1 [the Irwin-Hall sum]. */
static double normal(generator *g) {
    int64_t sum = -6 * ((int64_t)1 << 32);
    for (int i = 0; i < 12; i++) sum += (int64_t)(generator_next(g) >> 32);
    return (double)sum * 0x1p-32;
}

/* Each element alone, for the families whose elements know nothing of each other. */
static uint64_t one_of(family which, quire_type type, generator *g) {
    switch (which) {
    case FAMILY_NORMAL: return type_encode(type, normal(g));
    case FAMILY_POSITIVE: return type_encode(type, 1 - generator_uniform(g));
    case FAMILY_FINITE_BITS: return any_finite(g, type);
    case FAMILY_ANY_BITS: return generator_next(g) & ((type_sign(type) << 1) - 1);
    case FAMILY_SUBNORMAL:
        return any_sign(g, type) |
               at_exponent(g, type, generator_between(g, type_format(type)->least, -type_format(type)->bias));
    case FAMILY_LONE_TINY:
    case FAMILY_ZERO: return 0;
    case FAMILY_NEGATIVE_ZERO:
    case FAMILY_ONE_ZERO: return type_sign(type);
    default: return type_encode(type, 2 * generator_uniform(g) - 1);
    }
}

/* ---------------------------------------------------------------------------------- sums that are known beforehand */

/* Fills x with pairs a, -a of any exponent, which leave an exact sum as it is; an odd one out is -0. */
static void fill_pairs(generator *g, quire_type type, size_t n, void *x, size_t from) {
    for (; from + 1 < n; from += 2) {
        uint64_t a = any_exponent(g, type);
        type_store(type, x, from, a);
        type_store(type, x, from + 1, a | type_sign(type));
    }
    if (from < n) type_store(type, x, from, type_sign(type));
}

#define MAX_PIECES 12

/* Pieces of m * 2^q, m < 2^bits, each short enough for the type. Answers how many there are. */
static size_t pieces(quire_type type, uint64_t m, int bits, int q, double piece[MAX_PIECES]) {
    int width = type_format(type)->precision;
    size_t count = 0;
    while (bits > 0) {
        int low = bits > width ? bits - width : 0;
        piece[count++] = (double)(m >> low) * power_of_two(q + low);
        m &= ((uint64_t)1 << low) - 1;
        bits = low;
    }
    return count;
}

/* Where the last bit of a tie of a result type can be, if elements of the type are to hold all its bits: above the
 * least subnormals of both, which leaves room for a nudge. */
static void tie_exponents(quire_type type, quire_type result, int *least, int *greatest) {
    const number_format *f = type_format(type), *r = type_format(result);
    *least = f->least + 1 > r->least - 1 ? f->least + 1 : r->least - 1;
    *greatest = (f->greatest < r->greatest ? f->greatest : r->greatest) - (r->precision + 1);
}

/* A result type whose ties the type can hold: halves lack the 54 bits that one of doubles takes, E4M3 has no more
 * than 17.
 */
static quire_type tie_result(generator *g, quire_type type) {
    if (type_size(type) > 1) return TYPES[generator_below(g, type == QUIRE_F16 ? 3 : LARGE_TYPE_COUNT)];
    for (;;) {
        const quire_type result = TYPES[generator_below(g, TYPE_COUNT)];
        int least, greatest;
        tie_exponents(type, result, &least, &greatest);
        if (least <= greatest) return result;
    }
}

/* An odd number of one bit more than a result type holds, in pieces; nudge +1 and -1 move it by the least subnormal. */
static void fill_tie(generator *g, quire_type type, size_t n, void *x, int nudge) {
    const quire_type result = tie_result(g, type);
    int bits = type_format(result)->precision + 1, least, greatest;
    tie_exponents(type, result, &least, &greatest);
    uint64_t m = (uint64_t)1 << (bits - 1) | (generator_next(g) & (((uint64_t)1 << (bits - 1)) - 1)) | 1;
    uint64_t sign = any_sign(g, type);
    double piece[MAX_PIECES];
    size_t count = pieces(type, m, bits, generator_between(g, least, greatest), piece);

    for (size_t i = 0; i < count && i < n; i++) type_store(type, x, i, type_encode(type, piece[i]) ^ sign);
    if (nudge && count < n) type_store(type, x, count++, (nudge > 0 ? 1 : type_sign(type) | 1) ^ sign);
    if (count < n) fill_pairs(g, type, n, x, count);
    generator_shuffle(g, n, type_size(type), x);
}

/* ------------------------------------------------------------------------------------------------ condition numbers */

/* A running sum in two doubles; what it loses is far below the last term that is to cancel. */
static void add_twofold(double sum[2], double term) {
    double t = sum[0] + term, z = t - sum[0];
    double lost = (sum[0] - (t - z)) + (term - z);
    sum[0] = t;
    sum[1] += lost;
}

static double clamped(quire_type type, double value) {
    double greatest = type_decode(type, type_greatest(type)) / 4;
    return value > greatest ? greatest : value < -greatest ? -greatest : value;
}

/* The exponents of element i of n: any of [-spread, spread] in the first half, which sets up large terms; then in even
 * steps down from spread to -spread, where each term cancels the sum so far down to its own exponent. */
static int condition_exponent(generator *g, size_t i, size_t n, int spread) {
    if (i < n / 2 || n < 2) return i == 0 ? spread : generator_between(g, -spread, spread);
    return spread - (int)(2 * (double)spread * (double)(i - n / 2) / (double)(n - n / 2));
}

/* Half the exponents that a condition number of 2^precision, or its square, takes; halves have fewer to give. */
static int condition_spread(quire_type type, family which) {
    int precision = type_format(type)->precision;
    return which == FAMILY_CONDITION_MILD ? precision / 2 : precision;
}

static double around(generator *g, int e) { return (2 * generator_uniform(g) - 1) * power_of_two(e); }

/* Ogita, Rump, Oishi 2005, Algorithm 6.1 (GenDot), with y = 1. */
static void fill_condition(generator *g, quire_type type, family which, size_t n, void *x) {
    double sum[2] = { 0, 0 };
    for (size_t i = 0; i < n; i++) {
        double term = around(g, condition_exponent(g, i, n, condition_spread(type, which)));
        if (i >= n / 2) term = clamped(type, (term - sum[0]) - sum[1]);
        type_set(type, x, i, term);
        add_twofold(sum, type_value(type, x, i));
    }
    generator_shuffle(g, n, type_size(type), x);
}

static void fill_condition_pair(generator *g, quire_type type, family which, size_t n, void *x, void *y) {
    double sum[2] = { 0, 0 };
    generator again;
    for (size_t i = 0; i < n; i++) {
        int e = condition_exponent(g, i, n, condition_spread(type, which)) / 2;
        double a, b = around(g, e);
        type_store(type, x, i, any_sign(g, type) | at_exponent(g, type, e));
        a = type_value(type, x, i);
        if (i >= n / 2) b = clamped(type, ((around(g, 2 * e) - sum[0]) - sum[1]) / a);
        type_set(type, y, i, b);
        b = type_value(type, y, i);
        add_twofold(sum, a * b);
        sum[1] += fma(a, b, -(a * b));
    }
    again = *g; /* the same shuffle for both */
    generator_shuffle(g, n, type_size(type), x);
    generator_shuffle(&again, n, type_size(type), y);
}

/* ------------------------------------------------------------------------------------------- huge, and the specials */

/* An odd middle stays small, and is the sum when the halves cancel by chance or design. */
static void fill_huge(generator *g, quire_type type, size_t n, void *x) {
    for (size_t i = 0; i < n / 2; i++) {
        uint64_t bits = at_exponent(g, type, type_format(type)->greatest);
        uint64_t other = generator_next(g) % 4 ? bits : at_exponent(g, type, type_format(type)->greatest);
        type_store(type, x, i, bits);
        type_store(type, x, n - 1 - i, type_sign(type) | other);
    }
    if (n % 2) type_set(type, x, n / 2, 2 * generator_uniform(g) - 1);
}

static void put_anywhere(generator *g, quire_type type, size_t n, void *x, uint64_t bits) {
    if (n > 0) type_store(type, x, (size_t)generator_below(g, n), bits);
}

static void fill_specials(generator *g, quire_type type, family which, size_t n, void *x) {
    uint64_t infinity = type_infinity(type), sign = any_sign(g, type);
    size_t at;
    switch (which) {
    case FAMILY_LONE_TINY: put_anywhere(g, type, n, x, sign | 1); break;
    case FAMILY_ONE_ZERO: put_anywhere(g, type, n, x, 0); break;
    case FAMILY_ONE_NAN: put_anywhere(g, type, n, x, any_nan(g, type)); break;
    case FAMILY_ONE_INFINITY: put_anywhere(g, type, n, x, sign | infinity); break;
    case FAMILY_SAME_INFINITIES:
        for (size_t i = 0; i <= n / 16; i++) put_anywhere(g, type, n, x, sign | infinity);
        break;
    case FAMILY_BOTH_INFINITIES: /* at two places, if there are two */
        at = n ? (size_t)generator_below(g, n) : 0;
        if (n > 0) type_store(type, x, at, infinity);
        if (n > 1) type_store(type, x, (at + 1 + (size_t)generator_below(g, n - 1)) % n, type_sign(type) | infinity);
        break;
    case FAMILY_INFINITY_ZERO:
        for (size_t i = 0; i < n; i++)
            type_store(type, x, i, generator_next(g) % 8 ? any_sign(g, type) : sign | infinity);
        break;
    default: break;
    }
}

/* Each exponent in turn, from a random one on. */
static void fill_exponents(generator *g, quire_type type, size_t n, void *x) {
    const number_format *f = type_format(type);
    uint64_t count = (uint64_t)(f->greatest - f->least + 1), first = generator_below(g, count);
    for (size_t i = 0; i < n; i++)
        type_store(type, x, i, any_sign(g, type) | at_exponent(g, type, f->least + (int)((first + i) % count)));
    generator_shuffle(g, n, type_size(type), x);
}

/* --------------------------------------------------------------------------------------------------------- the face */

void family_fill(family which, quire_type type, uint64_t seed, size_t n, void *x) {
    generator g;
    generator_seed(&g, seed * FAMILY_COUNT + which);
    switch (which) {
    case FAMILY_EVERY_EXPONENT: fill_exponents(&g, type, n, x); return;
    case FAMILY_CONDITION_MILD:
    case FAMILY_CONDITION_SEVERE: fill_condition(&g, type, which, n, x); return;
    case FAMILY_TELESCOPING:
        if (n > 0) type_store(type, x, 0, any_sign(&g, type) | 1);
        fill_pairs(&g, type, n, x, 1);
        generator_shuffle(&g, n, type_size(type), x);
        return;
    case FAMILY_TIE: fill_tie(&g, type, n, x, 0); return;
    case FAMILY_TIE_ABOVE: fill_tie(&g, type, n, x, 1); return;
    case FAMILY_TIE_BELOW: fill_tie(&g, type, n, x, -1); return;
    case FAMILY_HUGE: fill_huge(&g, type, n, x); return;
    default: break;
    }
    for (size_t i = 0; i < n; i++) type_store(type, x, i, one_of(which, type, &g));
    fill_specials(&g, type, which, n, x);
}

static void fill_constant(quire_type type, size_t n, void *x, uint64_t bits) {
    for (size_t i = 0; i < n; i++) type_store(type, x, i, bits);
}

void family_fill_pair(family which, quire_type type, uint64_t seed, size_t n, void *x, void *y) {
    generator g;
    generator_seed(&g, ~seed * FAMILY_COUNT + which);
    if (which == FAMILY_CONDITION_MILD || which == FAMILY_CONDITION_SEVERE) {
        fill_condition_pair(&g, type, which, n, x, y);
        return;
    }
    family_fill(which, type, seed, n, x);
    switch (which) {
    case FAMILY_TIE:
    case FAMILY_TIE_ABOVE:
    case FAMILY_TIE_BELOW: fill_constant(type, n, y, type_encode(type, 1)); break;
    case FAMILY_LONE_TINY:
    case FAMILY_TELESCOPING: /* one factor for all keeps the pairs paired */
        fill_constant(type, n, y, any_exponent(&g, type));
        break;
    case FAMILY_HUGE: /* positive, or the halves would not cancel */
        for (size_t i = 0; i < n; i++) type_store(type, y, i, at_exponent(&g, type, type_format(type)->greatest));
        break;
    default: family_fill(which, type, ~seed, n, y); break;
    }
}
