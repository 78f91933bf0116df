/* number.h - the formats seen from outside: widths, bits, exact decoding and encoding, all written from IEEE 754 and
 * from nothing of the library's. Also the seeded generator that every random input comes from. Free of Check, so that
 * bench/ and fuzzers may use it. */
#ifndef QUIRE_TESTS_NUMBER_H
#define QUIRE_TESTS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include <quire/quire.h>

#define TYPE_COUNT 6
#define LARGE_TYPE_COUNT 4 /* the first of TYPES: those of more than 8 bits */
#define METHOD_COUNT 4
#define ROUNDING_COUNT 4

/* All of them, for loops. */
extern const quire_type TYPES[TYPE_COUNT];
extern const quire_method METHODS[METHOD_COUNT];
extern const quire_rounding ROUNDINGS[ROUNDING_COUNT]; /* each stands at its own number */

const char *type_name(quire_type type);             /* "f16", "bf16", "f32", "f64", "e5m2", "e4m3" */
const char *method_name(quire_method method);       /* "exact", "kahan", "pairwise", "plain" */
const char *rounding_name(quire_rounding rounding); /* "to nearest", "downward", "upward", "toward zero" */

/* What IEEE 754 table 3.5 says of a format. Finite numbers are m * 2^e with |m| < 2^precision and e >= least; the least
 * positive one is 2^least. The greatest is (2^precision - 1) * 2^(greatest + 1 - precision), or of E4M3 one unit less,
 * whose place NaN has. */
typedef struct number_format {
    size_t size;       /* bytes */
    int precision;     /* bits of the significand, the hidden one among them */
    int bias;          /* of the exponent */
    int greatest;      /* exponent */
    int least;         /* exponent of the least subnormal: 2 - bias - precision */
    uint64_t infinity; /* its bits, 0 if there is none */
} number_format;

const number_format *type_format(quire_type type);
size_t type_size(quire_type type);

/* One element as its bits, in the low end of a word, and back. */
uint64_t type_load(quire_type type, const void *x, size_t i);
void type_store(quire_type type, void *x, size_t i, uint64_t bits);

/* Bits to be compared with. */
uint64_t type_nan(quire_type type);                  /* the canonical quiet NaN */
uint64_t type_infinity(quire_type type);             /* +Inf, with type_sign -Inf; type_nan if there is none */
uint64_t type_beyond(quire_type type, int negative); /* an infinite result: NaN, sign clear, if there is none */
int type_has_infinity(quire_type type);
uint64_t type_sign(quire_type type);     /* the sign bit alone, that is -0 */
uint64_t type_greatest(quire_type type); /* the greatest finite number */
int type_is_nan(quire_type type, uint64_t bits);
int type_is_finite(quire_type type, uint64_t bits);

/* The value, exactly: every format fits double. A NaN decodes to some NaN. */
double type_decode(quire_type type, uint64_t bits);
double type_value(quire_type type, const void *x, size_t i);

/* The nearest number of the format, ties to even, Inf from beyond; a NaN encodes to the canonical one. */
uint64_t type_encode(quire_type type, double value);
void type_set(quire_type type, void *x, size_t i, double value);

/* Double and its bits. */
uint64_t double_bits(double value);
double bits_double(uint64_t bits);

/* 2^e, exactly, 0 below 2^-1074 and Inf above 2^1023. */
double power_of_two(int e);

/* xoshiro256** seeded by splitmix64 [Blackman, Vigna 2018]: the same stream on every machine. */
typedef struct generator {
    uint64_t word[4];
} generator;

void generator_seed(generator *g, uint64_t seed);
uint64_t generator_next(generator *g);
uint64_t generator_below(generator *g, uint64_t bound);               /* 0 .. bound - 1, bound > 0 */
int generator_between(generator *g, int least, int greatest);         /* both ends included */
double generator_uniform(generator *g);                               /* [0, 1), 53 bits */
void generator_shuffle(generator *g, size_t n, size_t size, void *x); /* n elements of size bytes */

#endif
