/* number.c - the formats, from the tables of IEEE 754 (bfloat16: the upper half of binary32) and of OCP OFP8, bit by
 * bit.
 * Integers only, so that no rounding mode, flush-to-zero bit or compiler can bend what the tests compare with. */
#include "number.h"

#include <string.h>

#include "../../src/cli/vocabulary.h"

const quire_type TYPES[TYPE_COUNT] = { QUIRE_F16, QUIRE_BF16, QUIRE_F32, QUIRE_F64, QUIRE_E5M2, QUIRE_E4M3 };
const quire_method METHODS[METHOD_COUNT] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
const quire_rounding ROUNDINGS[ROUNDING_COUNT] = { QUIRE_TO_NEAREST, QUIRE_DOWNWARD, QUIRE_UPWARD, QUIRE_TOWARD_ZERO };

static const number_format HALF = { 2, 11, 15, 15, -24, 0x7c00 };
static const number_format BFLOAT16 = { 2, 8, 127, 127, -133, 0x7f80 };
static const number_format FLOAT = { 4, 24, 127, 127, -149, 0x7f800000 };
static const number_format DOUBLE = { 8, 53, 1023, 1023, -1074, 0x7ff0000000000000 };
static const number_format E5M2 = { 1, 3, 15, 15, -16, 0x7c };
static const number_format E4M3 = { 1, 4, 7, 8, -9, 0 };

const char *type_name(quire_type type) {
    static const char *const names[] = { TYPE_NAMES(TYPE_NAMED) };
    return type >= QUIRE_F16 && type <= QUIRE_E4M3 ? names[type] : "no type";
}

const char *method_name(quire_method method) {
    static const char *const names[] = { METHOD_NAMES(NAMED) };
    return method >= QUIRE_EXACT && method <= QUIRE_PLAIN ? names[method] : "no method";
}

const char *rounding_name(quire_rounding rounding) {
    static const char *const names[ROUNDING_COUNT] = { "to nearest", "downward", "upward", "toward zero" };
    return names[rounding];
}

const number_format *type_format(quire_type type) {
    switch (type) {
    case QUIRE_F16: return &HALF;
    case QUIRE_BF16: return &BFLOAT16;
    case QUIRE_F32: return &FLOAT;
    case QUIRE_E5M2: return &E5M2;
    case QUIRE_E4M3: return &E4M3;
    default: return &DOUBLE;
    }
}

size_t type_size(quire_type type) { return type_format(type)->size; }

uint64_t type_load(quire_type type, const void *x, size_t i) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    const unsigned char *at = (const unsigned char *)x + i * type_size(type);
    switch (type_size(type)) {
    case 1: return *at;
    case 2: return memcpy(&two, at, 2), two;
    case 4: return memcpy(&four, at, 4), four;
    default: return memcpy(&eight, at, 8), eight;
    }
}

void type_store(quire_type type, void *x, size_t i, uint64_t bits) {
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;
    unsigned char *at = (unsigned char *)x + i * type_size(type);
    switch (type_size(type)) {
    case 1: *at = (unsigned char)bits; break;
    case 2: memcpy(at, &two, 2); break;
    case 4: memcpy(at, &four, 4); break;
    default: memcpy(at, &bits, 8); break;
    }
}

uint64_t type_sign(quire_type type) { return (uint64_t)1 << (8 * type_size(type) - 1); }

int type_has_infinity(quire_type type) { return type_format(type)->infinity != 0; }

uint64_t type_infinity(quire_type type) {
    return type_has_infinity(type) ? type_format(type)->infinity : type_nan(type);
}

/* E4M3 has but one NaN, of all ones. */
uint64_t type_nan(quire_type type) {
    const number_format *f = type_format(type);
    return f->infinity ? f->infinity | (uint64_t)1 << (f->precision - 2) : type_sign(type) - 1;
}

/* What is greater is no finite number. */
static uint64_t greatest_of(const number_format *f) {
    return (f->infinity ? f->infinity : ((uint64_t)1 << (8 * f->size - 1)) - 1) - 1;
}

uint64_t type_greatest(quire_type type) { return greatest_of(type_format(type)); }

int type_is_nan(quire_type type, uint64_t bits) {
    return !type_is_finite(type, bits) &&
           (!type_has_infinity(type) || (bits & ~type_sign(type)) != type_infinity(type));
}

int type_is_finite(quire_type type, uint64_t bits) { return (bits & ~type_sign(type)) <= type_greatest(type); }

uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double power_of_two(int e) {
    if (e > 1023) return bits_double(type_infinity(QUIRE_F64));
    if (e < -1074) return 0;
    return bits_double(e < -1022 ? (uint64_t)1 << (e + 1074) : (uint64_t)(e + 1023) << 52);
}

double type_decode(quire_type type, uint64_t bits) {
    if (type == QUIRE_F64) return bits_double(bits); /* first: it is asked for most often */
    const number_format *f = type_format(type);
    uint64_t sign = bits & type_sign(type) ? type_sign(QUIRE_F64) : 0;
    uint64_t fraction = bits & (((uint64_t)1 << (f->precision - 1)) - 1);
    int exponent = (int)(bits >> (f->precision - 1)) & (2 * f->bias + 1);

    if ((bits & ~type_sign(type)) > greatest_of(f))
        return bits_double(sign | (type_is_nan(type, bits) ? type_nan(QUIRE_F64) : type_infinity(QUIRE_F64)));
    if (exponent == 0 && fraction == 0) return bits_double(sign);
    if (exponent == 0) { /* subnormal: shift the first one up to the hidden bit */
        exponent = 1;
        while (!(fraction >> (f->precision - 1))) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= ((uint64_t)1 << (f->precision - 1)) - 1;
    }
    return bits_double(sign | (uint64_t)(exponent - f->bias + 1023) << 52 | fraction << (53 - f->precision));
}

double type_value(quire_type type, const void *x, size_t i) { return type_decode(type, type_load(type, x, i)); }

uint64_t type_beyond(quire_type type, int negative) {
    return type_has_infinity(type) ? type_infinity(type) | (negative ? type_sign(type) : 0) : type_nan(type);
}

uint64_t type_encode(quire_type type, double value) {
    const number_format *f = type_format(type);
    uint64_t bits = double_bits(value);
    uint64_t sign = bits >> 63 ? type_sign(type) : 0;
    uint64_t magnitude = bits & (type_sign(QUIRE_F64) - 1);
    int exponent = (int)(magnitude >> 52) - 1023;

    if (magnitude > type_infinity(QUIRE_F64)) return type_nan(type);
    if (type == QUIRE_F64) return bits;
    if (exponent > f->greatest) return type_beyond(type, sign != 0);
    if (exponent < f->least - 1) /* below half the least; subnormal doubles too */
        return sign;

    /* the significand with its hidden bit, and how many of its 53 bits the format cannot hold */
    uint64_t m = (magnitude & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int normal = exponent >= 1 - f->bias;
    int drop = normal ? 53 - f->precision : f->least - (exponent - 52);
    uint64_t kept = m >> drop, rest = m & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && kept & 1)) kept++;
    /* kept holds the hidden bit of a normal number, which adds one to the exponent field; so does a carry */
    kept += normal ? (uint64_t)(exponent - 1 + f->bias) << (f->precision - 1) : 0;
    return kept > type_greatest(type) ? type_beyond(type, sign != 0) : sign | kept;
}

void type_set(quire_type type, void *x, size_t i, double value) { type_store(type, x, i, type_encode(type, value)); }

/* ---------------------------------------------------------------------------------------------------- the generator */

static uint64_t rotate(uint64_t word, int by) { return word << by | word >> (64 - by); }

void generator_seed(generator *g, uint64_t seed) {
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        g->word[i] = z ^ z >> 31;
    }
}

uint64_t generator_next(generator *g) {
    uint64_t *s = g->word, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* The remainder of 64 random bits: uneven by bound / 2^64, which no test can see. */
uint64_t generator_below(generator *g, uint64_t bound) { return generator_next(g) % bound; }

int generator_between(generator *g, int least, int greatest) {
    return least + (int)generator_below(g, (uint64_t)(greatest - least) + 1);
}

double generator_uniform(generator *g) { return (double)(generator_next(g) >> 11) * 0x1p-53; }

void generator_shuffle(generator *g, size_t n, size_t size, void *x) {
    unsigned char *at = x, hold[64];
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)generator_below(g, i);
        if (j == i - 1) continue;
        memcpy(hold, at + j * size, size);
        memcpy(at + j * size, at + (i - 1) * size, size);
        memcpy(at + (i - 1) * size, hold, size);
    }
}
