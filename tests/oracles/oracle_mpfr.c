/* oracle_mpfr.c - exact sums in MPFR. Speed matters a little: a suite calls it some ten million times. */
#include <gmp.h> /* before mpfr.h, which then offers mpfr_get_z */

#include "oracle_mpfr.h"

#include <math.h>

/* Terms are multiples of 2^-2148 and below 2^2048; 2^64 of them need 64 bits more: 4260 bits hold any sum, and the
 * products of an accumulator's top limbs beyond that (2^(32 * 134 - 2148) * 2^63) end at 2^2203: 4352 bits hold those
 * too. */
#define EXACT_BITS 4416

void oracle_open(oracle *o) {
    mpfr_init2(o->finite, EXACT_BITS);
    mpfr_init2(o->product, 106);
    oracle_reset(o);
}

void oracle_close(oracle *o) {
    mpfr_clear(o->finite);
    mpfr_clear(o->product);
    mpfr_free_cache();
}

void oracle_reset(oracle *o) {
    mpfr_set_zero(o->finite, 1);
    o->count = 0;
    o->other = o->nonzero = o->nan = o->positive_infinity = o->negative_infinity = 0;
}

static void add_term(oracle *o, double a) {
    o->count++;
    if (a == 0) {
        o->other |= !signbit(a);
        return;
    }
    o->other = o->nonzero = 1;
    if (isnan(a))
        o->nan = 1;
    else if (isinf(a))
        *(a > 0 ? &o->positive_infinity : &o->negative_infinity) = 1;
    else
        mpfr_add_d(o->finite, o->finite, a, MPFR_RNDN);
}

static void add_product(oracle *o, double a, double b) {
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) {
        add_term(o, a * b); /* NaN, Inf or a zero: no rounding in any of them */
        return;
    }
    o->count++;
    o->other = o->nonzero = 1;
    mpfr_set_d(o->product, a, MPFR_RNDN);
    mpfr_mul_d(o->product, o->product, b, MPFR_RNDN);
    mpfr_add(o->finite, o->finite, o->product, MPFR_RNDN);
}

void oracle_add(oracle *o, operation op, quire_type type, size_t n, const void *x, const void *y) {
    for (size_t i = 0; i < n; i++) {
        double a = type_value(type, x, i);
        switch (op) {
        case OPERATION_ASUM: add_term(o, fabs(a)); break;
        case OPERATION_DOT: add_product(o, a, type_value(type, y, i)); break;
        case OPERATION_NRM2:
        case OPERATION_SUMSQ: add_product(o, a, a); break;
        default: add_term(o, a); break;
        }
    }
}

void oracle_add_alike(oracle *o, operation op, quire_type type, size_t n, const void *x) {
    oracle_add(o, op, type, 1, x, x);
    mpfr_mul_ui(o->finite, o->finite, n, MPFR_RNDN);
    o->count = n;
}

void oracle_add_scaled(oracle *o, double m, long e) {
    o->count++;
    o->other = 1;
    o->nonzero |= m != 0;
    mpfr_set_d(o->product, m, MPFR_RNDN);
    mpfr_mul_2si(o->product, o->product, e, MPFR_RNDN);
    mpfr_add(o->finite, o->finite, o->product, MPFR_RNDN);
}

mpfr_rnd_t oracle_rounding(quire_rounding rounding) {
    switch (rounding) {
    case QUIRE_DOWNWARD: return MPFR_RNDD;
    case QUIRE_UPWARD: return MPFR_RNDU;
    case QUIRE_TOWARD_ZERO: return MPFR_RNDZ;
    default: return MPFR_RNDN;
    }
}

/* Whether a direction leads from numbers of this sign to numbers of greater magnitude. */
static int leads_away(quire_rounding rounding, int negative) {
    return rounding == (negative ? QUIRE_DOWNWARD : QUIRE_UPWARD);
}

/* MPFR's exponents are of significands in [1/2, 1), so one more than IEEE's. Narrowing the range, checking and then
 * subnormalizing with the ternary value is the way its manual gives for emulating a format without rounding twice. MPFR
 * takes for a number what E4M3 has its NaN for, and may stop there on the way back to the greatest. */
uint64_t oracle_fit(mpfr_t r, int ternary, quire_type type, quire_rounding rounding) {
    const number_format *f = type_format(type);
    const mpfr_rnd_t direction = oracle_rounding(rounding);
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    double value;

    mpfr_set_emin(f->least + 1);
    mpfr_set_emax(f->greatest + 1);
    ternary = mpfr_check_range(r, ternary, direction);
    mpfr_subnormalize(r, ternary, direction);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    value = mpfr_get_d(r, MPFR_RNDN); /* exact: every format fits double */
    if (fabs(value) > type_decode(type, type_greatest(type)) && rounding != QUIRE_TO_NEAREST &&
        !leads_away(rounding, value < 0))
        return type_greatest(type) | (value < 0 ? type_sign(type) : 0);
    return type_encode(type, value);
}

/* An exact zero: of -0 alone it is -0, of zeros alone else +0, of numbers that cancel what the direction says. */
static uint64_t zero_bits(const oracle *o, quire_type type, quire_rounding rounding) {
    const int negative = o->nonzero ? rounding == QUIRE_DOWNWARD : o->count > 0 && !o->other;
    return negative ? type_sign(type) : 0; /* IEEE 754: the root of -0 is -0 */
}

uint64_t oracle_end_directed(const oracle *o, oracle_end end, quire_type type, quire_rounding rounding) {
    const mpfr_rnd_t direction = oracle_rounding(rounding);
    mpfr_t r;
    int ternary = 0;
    uint64_t bits;

    if (o->nan || (o->positive_infinity && o->negative_infinity) || (end == ORACLE_MEAN && o->count == 0))
        return type_nan(type);
    if (end == ORACLE_ROOT && (o->negative_infinity || (!o->positive_infinity && mpfr_sgn(o->finite) < 0)))
        return type_nan(type);
    if (o->positive_infinity || o->negative_infinity) return type_beyond(type, o->negative_infinity);
    if (mpfr_zero_p(o->finite)) return zero_bits(o, type, rounding);

    mpfr_init2(r, type_format(type)->precision);
    switch (end) {
    case ORACLE_ROUND: ternary = mpfr_set(r, o->finite, direction); break;
    case ORACLE_ROOT: ternary = mpfr_sqrt(r, o->finite, direction); break;
    case ORACLE_MEAN: ternary = mpfr_div_ui(r, o->finite, (unsigned long)o->count, direction); break;
    }
    bits = oracle_fit(r, ternary, type, rounding);
    mpfr_clear(r);
    return bits;
}

uint64_t oracle_end_bits(const oracle *o, oracle_end end, quire_type type) {
    return oracle_end_directed(o, end, type, QUIRE_TO_NEAREST);
}

void oracle_limbs(const oracle *o, int64_t limb[QUIRE_ACCUMULATOR_LIMBS]) {
    mpz_t rest, low;
    mpfr_t scaled;
    mpz_inits(rest, low, NULL);
    mpfr_init2(scaled, EXACT_BITS);
    mpfr_mul_2ui(scaled, o->finite, 2148, MPFR_RNDN);
    mpfr_get_z(rest, scaled, MPFR_RNDN);
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS - 1; i++) {
        mpz_fdiv_r_2exp(low, rest, 32); /* floors: the sign ends up in the last limb */
        mpz_fdiv_q_2exp(rest, rest, 32);
        limb[i] = (int64_t)mpz_get_ui(low);
    }
    limb[QUIRE_ACCUMULATOR_LIMBS - 1] = mpz_get_si(rest);
    mpz_clears(rest, low, NULL);
    mpfr_clear(scaled);
}

uint64_t oracle_directed(const oracle *o, operation op, quire_type result_type, quire_rounding rounding) {
    oracle_end end = op == OPERATION_NRM2 ? ORACLE_ROOT : op == OPERATION_MEAN ? ORACLE_MEAN : ORACLE_ROUND;
    return oracle_end_directed(o, end, result_type, rounding);
}

uint64_t oracle_bits(const oracle *o, operation op, quire_type result_type) {
    return oracle_directed(o, op, result_type, QUIRE_TO_NEAREST);
}

uint64_t oracle_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_type result_type) {
    oracle o;
    uint64_t bits;
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    bits = oracle_bits(&o, op, result_type);
    oracle_close(&o);
    return bits;
}
