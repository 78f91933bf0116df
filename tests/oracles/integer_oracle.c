/* integer_oracle.c - see integer_oracle.h. */
#include "integer_oracle.h"

#include <string.h>

#include "number.h"
#include "oracle_mpfr.h"
#include "random_doubles.h"
#include "support.h"

const quire_type INTEGERS[INTEGER_TYPES] = { QUIRE_INT8,  QUIRE_INT16,  QUIRE_INT32,  QUIRE_INT64,
                                             QUIRE_UINT8, QUIRE_UINT16, QUIRE_UINT32, QUIRE_UINT64 };

size_t integer_size(quire_type type) { return (size_t)1 << (type - QUIRE_INT8) % 4; }
int integer_is_signed(quire_type type) { return type < QUIRE_UINT8; }

static uint64_t ones(int bits) { return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

uint64_t integer_least(quire_type type) {
    return integer_is_signed(type) ? 0 - ((uint64_t)1 << (8 * integer_size(type) - 1)) : 0;
}

uint64_t integer_greatest(quire_type type) { return ones(8 * (int)integer_size(type) - integer_is_signed(type)); }

void integer_put(quire_type type, void *x, size_t i, uint64_t value) {
    switch (integer_size(type)) {
    case 1: ((uint8_t *)x)[i] = (uint8_t)value; break;
    case 2: ((uint16_t *)x)[i] = (uint16_t)value; break;
    case 4: ((uint32_t *)x)[i] = (uint32_t)value; break;
    default: ((uint64_t *)x)[i] = value; break;
    }
}

static uint64_t value_of(integer_family family, quire_type type, size_t i, size_t n) {
    const uint64_t extremes[5] = { integer_least(type), integer_greatest(type), 0, 1,
                                   integer_is_signed(type) ? UINT64_MAX : 2 };
    static uint64_t last;
    switch (family) {
    case INTEGERS_GREATEST: return integer_greatest(type);
    case INTEGERS_LEAST: return integer_least(type);
    case INTEGERS_ZERO: return 0;
    case INTEGERS_EXTREMES: return extremes[random_bits() % 5];
    case INTEGERS_ONE: return i + 1 == n;
    case INTEGERS_CANCEL:
        if (i % 2) return 0 - last;
        last = i + 1 == n ? 0 : random_bits() & integer_greatest(type);
        return last;
    default: return random_bits();
    }
}

void integer_fill(integer_family family, quire_type type, void *x, size_t n) {
    for (size_t i = 0; i < n; i++) integer_put(type, x, i, value_of(family, type, i, n));
}

static void take(mpz_t to, quire_type type, const void *x) {
    const size_t size = integer_size(type);
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t bits = 0;
    switch (size) {
    case 1: memcpy(&u8, x, 1), bits = u8; break;
    case 2: memcpy(&u16, x, 2), bits = u16; break;
    case 4: memcpy(&u32, x, 4), bits = u32; break;
    default: memcpy(&bits, x, 8); break;
    }
    const int is_negative = integer_is_signed(type) && bits >> (8 * size - 1);
    if (is_negative) bits = (0 - bits) & ones(8 * (int)size);
    mpz_import(to, 1, 1, 8, 0, 0, &bits);
    if (is_negative) mpz_neg(to, to);
}

void integer_oracle_open(integer_oracle *o) {
    mpz_inits(o->sum, o->squares, o->a, o->b, o->of_x, o->of_y, o->squares_y, NULL);
    o->n = 0, o->has_terms = 0;
}

void integer_oracle_close(integer_oracle *o) {
    mpz_clears(o->sum, o->squares, o->a, o->b, o->of_x, o->of_y, o->squares_y, NULL);
}

void integer_oracle_reset(integer_oracle *o) {
    mpz_set_ui(o->sum, 0), mpz_set_ui(o->squares, 0);
    mpz_set_ui(o->of_x, 0), mpz_set_ui(o->of_y, 0), mpz_set_ui(o->squares_y, 0);
    o->n = 0, o->has_terms = 0;
}

static int is_of_pairs(quire_operation op) {
    return op == QUIRE_AVERAGE || op == QUIRE_COVARIANCE || op == QUIRE_CORRELATION;
}

void integer_oracle_add(integer_oracle *o, quire_operation operation, quire_type type, const void *x, const void *y) {
    take(o->a, type, x);
    take(o->b, type, operation == QUIRE_DOT || is_of_pairs(operation) ? y : x);
    mpz_addmul(o->squares, o->a, o->a);
    mpz_addmul(o->squares_y, o->b, o->b);
    mpz_add(o->of_x, o->of_x, o->a), mpz_add(o->of_y, o->of_y, o->b);
    if (operation == QUIRE_ASUM) mpz_abs(o->a, o->a);
    if (integer_is_product(operation) || operation == QUIRE_NRM2 || is_of_pairs(operation)) mpz_mul(o->a, o->a, o->b);
    mpz_add(o->sum, o->sum, o->a);
    o->n++;
    o->has_terms |= mpz_sgn(o->a) != 0;
}

/* above / below, or its root with the sign of above, by way of a root of many digits, which is exact or far from a
 * result and from the middle of two. below is positive. */
static uint64_t quotient_bits(const mpz_t above, const mpz_t below, int is_root, const quire_reduction *what) {
    const mpfr_rnd_t direction = oracle_rounding(what->rounding);
    const int sign = mpz_sgn(above);
    mpq_t quotient;
    mpfr_t r, q;
    int ternary;
    if (!sign) return 0;
    mpq_init(quotient);
    mpfr_init2(r, type_format(what->result_type)->precision), mpfr_init2(q, 4000);
    mpq_set_num(quotient, above), mpq_set_den(quotient, below);
    mpq_canonicalize(quotient);
    if (is_root) {
        mpq_abs(quotient, quotient);
        mpfr_set_q(q, quotient, MPFR_RNDZ);
        mpfr_sqrt(q, q, MPFR_RNDZ);
        mpfr_setsign(q, q, sign < 0, MPFR_RNDZ);
        ternary = mpfr_set(r, q, direction);
    } else {
        ternary = mpfr_set_q(r, quotient, direction);
    }
    const uint64_t bits = oracle_fit(r, ternary, what->result_type, what->rounding);
    mpq_clear(quotient);
    mpfr_clears(r, q, (mpfr_ptr)0);
    return bits;
}

/* n * products - a * b */
static void difference(mpz_t d, const integer_oracle *o, const mpz_t products, const mpz_t a, const mpz_t b) {
    mpz_mul_ui(d, products, o->n);
    mpz_submul(d, a, b);
}

/* A variance, a covariance or a standard deviation: (n P - S T) / (n (n - correction)), or the root of that. */
static uint64_t moment_bits(const integer_oracle *o, const quire_reduction *what) {
    mpz_t above, below;
    if (!o->n || (what->correction > 0 && (uint64_t)what->correction >= o->n)) return type_nan(what->result_type);
    mpz_inits(above, below, NULL);
    if (what->operation == QUIRE_COVARIANCE)
        difference(above, o, o->sum, o->of_x, o->of_y);
    else
        difference(above, o, o->squares, o->sum, o->sum);
    mpz_set_ui(below, o->n - (uint64_t)what->correction);
    mpz_mul_ui(below, below, o->n);
    const uint64_t bits = quotient_bits(above, below, what->operation == QUIRE_STDDEV, what);
    mpz_clears(above, below, NULL);
    return bits;
}

/* The root of c^2 / (a b), with the sign of c. */
static uint64_t correlation_bits(const integer_oracle *o, const quire_reduction *what) {
    uint64_t bits = type_nan(what->result_type);
    mpz_t c, a, b;
    mpz_inits(c, a, b, NULL);
    difference(c, o, o->sum, o->of_x, o->of_y);
    difference(a, o, o->squares, o->of_x, o->of_x);
    difference(b, o, o->squares_y, o->of_y, o->of_y);
    const int sign = mpz_sgn(c);
    mpz_mul(c, c, c), mpz_mul(a, a, b);
    if (sign < 0) mpz_neg(c, c);
    if (mpz_sgn(a)) bits = quotient_bits(c, a, 1, what);
    mpz_clears(c, a, b, NULL);
    return bits;
}

/* P / T: no number of zeros over zero, infinite of others over it; of zeros over a negative number -0. */
static uint64_t average_bits(const integer_oracle *o, const quire_reduction *what) {
    const uint64_t sign = type_sign(what->result_type);
    const int of_sum = mpz_sgn(o->sum), of_weights = mpz_sgn(o->of_y);
    mpz_t above, below;
    if (!of_sum && !of_weights) return type_nan(what->result_type);
    if (!of_sum && o->has_terms) return what->rounding == QUIRE_DOWNWARD ? sign : 0;
    if (!of_sum) return of_weights < 0 ? sign : 0;
    if (!of_weights) return type_beyond(what->result_type, of_sum < 0);
    mpz_inits(above, below, NULL);
    mpz_abs(below, o->of_y);
    mpz_set(above, o->sum);
    if (of_weights < 0) mpz_neg(above, above);
    const uint64_t bits = quotient_bits(above, below, 0, what);
    mpz_clears(above, below, NULL);
    return bits;
}

uint64_t integer_oracle_bits(const integer_oracle *o, const quire_reduction *what) {
    const mpfr_rnd_t direction = oracle_rounding(what->rounding);
    mpfr_t exact, r;
    int ternary;
    if (what->operation == QUIRE_AVERAGE) return average_bits(o, what);
    if (what->operation == QUIRE_CORRELATION) return correlation_bits(o, what);
    if (what->operation == QUIRE_VARIANCE || what->operation == QUIRE_STDDEV || what->operation == QUIRE_COVARIANCE)
        return moment_bits(o, what);
    if (what->operation == QUIRE_MEAN && !o->n) return type_nan(what->result_type);
    if (!mpz_sgn(o->sum)) return o->has_terms && what->rounding == QUIRE_DOWNWARD ? type_sign(what->result_type) : 0;
    mpfr_init2(exact, 256), mpfr_init2(r, type_format(what->result_type)->precision);
    mpfr_set_z(exact, o->sum, MPFR_RNDN);
    if (what->operation == QUIRE_NRM2)
        ternary = mpfr_sqrt(r, exact, direction);
    else if (what->operation == QUIRE_MEAN)
        ternary = mpfr_div_ui(r, exact, o->n, direction);
    else
        ternary = mpfr_set(r, exact, direction);
    const uint64_t bits = oracle_fit(r, ternary, what->result_type, what->rounding);
    mpfr_clears(exact, r, (mpfr_ptr)0);
    return bits;
}

int integer_oracle_is(const integer_oracle *o, const void *result) {
    unsigned char bytes[16], right[16];
    const uint16_t one = 1;
    const int is_little = *(const unsigned char *)&one;
    size_t count = 0;
    memcpy(bytes, result, sizeof bytes);
    mpz_t modulus;
    mpz_init_set_ui(modulus, 1);
    mpz_mul_2exp(modulus, modulus, 128);
    if (mpz_sgn(o->sum) >= 0) mpz_set_ui(modulus, 0);
    mpz_add(modulus, modulus, o->sum);
    memset(right, 0, sizeof right);
    if (mpz_sizeinbase(modulus, 2) <= 128) mpz_export(right, &count, -1, 1, 0, 0, modulus);
    mpz_clear(modulus);
    for (int i = 0; i < 16; i++)
        if (bytes[i] != right[is_little ? i : 15 - i]) return 0;
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------- suites */

const quire_operation INTEGER_OPERATIONS[INTEGER_OPERATION_COUNT] = {
    QUIRE_SUM,    QUIRE_ASUM,  QUIRE_DOT,     QUIRE_NRM2,       QUIRE_MEAN,       QUIRE_VARIANCE,
    QUIRE_STDDEV, QUIRE_SUMSQ, QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION
};

int integer_is_product(quire_operation op) { return op == QUIRE_DOT || op == QUIRE_SUMSQ; }

/* Whether there is an integer. */
static int has_integer(quire_operation op, quire_type type) {
    return op == QUIRE_SUM || op == QUIRE_ASUM || (integer_is_product(op) && integer_size(type) <= 4);
}

void integer_check(const integer_oracle *o, const quire_reduction *what, const void *result, const char *where) {
    if (what->result_type == QUIRE_INT128)
        check_that(integer_oracle_is(o, result), "%s: type %d, operation %d: another integer", where, (int)what->type,
                   (int)what->operation);
    else
        check_bits(what->result_type, result, integer_oracle_bits(o, what), "%s: type %d, operation %d, rounding %d",
                   where, (int)what->type, (int)what->operation, (int)what->rounding);
}

size_t integer_result_size(quire_type type) { return type == QUIRE_INT128 ? 16 : type_size(type); }

quire_reduction integer_reduction(quire_type type, quire_operation op) {
    quire_reduction what = { .operation = op, .type = type };
    what.rounding = ROUNDINGS[random_bits() % ROUNDING_COUNT];
    what.correction = (int64_t)(random_bits() % 3) - 1;
    what.result_type = random_bits() % 3 ? QUIRE_F64 : TYPES[random_bits() % TYPE_COUNT];
    if (has_integer(op, type) && random_bits() % 2) what.result_type = QUIRE_INT128;
    return what;
}
