/* oracle_moments.c - see oracle_moments.h. */
#include <gmp.h> /* before mpfr.h, which then offers mpfr_get_z */

#include "oracle_moments.h"

#define UNIT 2148   /* sums are integers times 2^-2148 */
#define MARGIN 2300 /* bits of a quotient below those of its terms, more than any result has */

void oracle_moments_open(oracle_moments *o, quire_type type, size_t n, const void *x, const void *y) {
    oracle *all[] = { &o->x, &o->y, &o->xy, &o->xx, &o->yy };
    for (int i = 0; i < 5; i++) oracle_open(all[i]);
    oracle_add(&o->x, OPERATION_SUM, type, n, x, NULL);
    oracle_add(&o->y, OPERATION_SUM, type, n, y, NULL);
    oracle_add(&o->xy, OPERATION_DOT, type, n, x, y);
    oracle_add(&o->xx, OPERATION_SUMSQ, type, n, x, NULL);
    oracle_add(&o->yy, OPERATION_SUMSQ, type, n, y, NULL);
}

void oracle_moments_close(oracle_moments *o) {
    oracle *all[] = { &o->x, &o->y, &o->xy, &o->xx, &o->yy };
    for (int i = 0; i < 5; i++) oracle_close(all[i]);
}

static int special(const oracle *o) { return o->nan || o->positive_infinity || o->negative_infinity; }

static void integer_of(mpz_t z, const oracle *o) {
    mpfr_t scaled;
    mpfr_init2(scaled, mpfr_get_prec(o->finite));
    mpfr_mul_2ui(scaled, o->finite, UNIT, MPFR_RNDN);
    mpfr_get_z(z, scaled, MPFR_RNDN);
    mpfr_clear(scaled);
}

/* n * products - sum_x * sum_y, in units of 2^(-2 UNIT). */
static void difference(mpz_t d, const oracle *products, const oracle *sum_x, const oracle *sum_y) {
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    integer_of(d, products);
    mpz_mul_2exp(d, d, UNIT);
    mpz_mul_ui(d, d, products->count);
    integer_of(x, sum_x);
    integer_of(y, sum_y);
    mpz_submul(d, x, y);
    mpz_clears(x, y, NULL);
}

/* n * (n - correction) */
static void divisor(mpz_t d, uint64_t n, int64_t correction) {
    mpz_set_ui(d, n);
    if (correction < 0)
        mpz_add_ui(d, d, (uint64_t)0 - (uint64_t)correction);
    else
        mpz_sub_ui(d, d, (uint64_t)correction);
    mpz_mul_ui(d, d, n);
}

/* sign * above / below * 2^exponent, or with the root of what follows the sign: many bits, the last of which is set if
 * there is anything below it, so that rounding them rounds the number itself. exponent is even. */
static uint64_t rounded(int sign, mpz_t above, mpz_t below, long exponent, int root, quire_type type,
                        quire_rounding rounding) {
    mpz_t q, left;
    mpfr_t many, r;
    mpz_inits(q, left, NULL);
    const long shift = 2 * (MARGIN + (long)mpz_sizeinbase(below, 2));
    mpz_mul_2exp(q, above, (mp_bitcnt_t)shift);
    mpz_fdiv_qr(q, left, q, below);
    int more = mpz_sgn(left) != 0;
    long unit = exponent - shift;
    if (root) {
        mpz_sqrtrem(q, left, q);
        more |= mpz_sgn(left) != 0;
        unit /= 2;
    }
    if (more) mpz_setbit(q, 0);
    if (sign < 0) mpz_neg(q, q);
    mpfr_init2(many, (mpfr_prec_t)mpz_sizeinbase(q, 2) + 1);
    mpfr_set_z_2exp(many, q, unit, MPFR_RNDN);
    mpfr_init2(r, type_format(type)->precision);
    const int ternary = mpfr_set(r, many, oracle_rounding(rounding));
    const uint64_t bits = mpz_sgn(q) ? oracle_fit(r, ternary, type, rounding) : 0;
    mpfr_clears(many, r, NULL);
    mpz_clears(q, left, NULL);
    return bits;
}

static uint64_t moment(const oracle *products, const oracle *x, const oracle *y, int64_t correction, int root,
                       quire_type type, quire_rounding rounding) {
    mpz_t above, below;
    uint64_t bits = type_nan(type);
    mpz_inits(above, below, NULL);
    difference(above, products, x, y);
    divisor(below, products->count, correction);
    const int sign = mpz_sgn(above);
    mpz_abs(above, above);
    if (!special(products) && !special(x) && !special(y) && mpz_sgn(below) > 0)
        bits = rounded(sign, above, below, -2L * UNIT, root, type, rounding);
    mpz_clears(above, below, NULL);
    return bits;
}

uint64_t oracle_covariance(const oracle_moments *o, int64_t correction, quire_type type, quire_rounding rounding) {
    return moment(&o->xy, &o->x, &o->y, correction, 0, type, rounding);
}

uint64_t oracle_variance(const oracle_moments *o, int64_t correction, quire_type type, quire_rounding rounding) {
    return moment(&o->xx, &o->x, &o->x, correction, 0, type, rounding);
}

uint64_t oracle_stddev(const oracle_moments *o, int64_t correction, quire_type type, quire_rounding rounding) {
    return moment(&o->xx, &o->x, &o->x, correction, 1, type, rounding);
}

uint64_t oracle_correlation(const oracle_moments *o, quire_type type, quire_rounding rounding) {
    mpz_t c, a, b;
    uint64_t bits = type_nan(type);
    mpz_inits(c, a, b, NULL);
    difference(c, &o->xy, &o->x, &o->y);
    difference(a, &o->xx, &o->x, &o->x);
    difference(b, &o->yy, &o->y, &o->y);
    const int sign = mpz_sgn(c);
    mpz_mul(c, c, c);
    mpz_mul(a, a, b);
    if (!special(&o->xx) && !special(&o->yy) && !special(&o->xy) && mpz_sgn(a) > 0)
        bits = rounded(sign, c, a, 0, 1, type, rounding);
    mpz_clears(c, a, b, NULL);
    return bits;
}

static int is_infinite(const oracle *o) { return o->positive_infinity || o->negative_infinity; }

/* The sign of a sum in a quotient: a zero is negative if all terms are. */
static int is_negative(const oracle *o) {
    if (is_infinite(o)) return o->negative_infinity;
    return mpfr_zero_p(o->finite) ? o->count && !o->other : mpfr_sgn(o->finite) < 0;
}

static uint64_t quotient(const oracle *above, const oracle *below, quire_type type, quire_rounding rounding) {
    mpfr_t r;
    mpfr_init2(r, type_format(type)->precision);
    const int ternary = mpfr_div(r, above->finite, below->finite, oracle_rounding(rounding));
    const uint64_t bits = oracle_fit(r, ternary, type, rounding);
    mpfr_clear(r);
    return bits;
}

uint64_t oracle_average(const oracle_moments *o, quire_type type, quire_rounding rounding) {
    const oracle *above = &o->xy, *below = &o->y;
    const int negative = is_negative(above) != is_negative(below);
    const uint64_t zero = negative ? type_sign(type) : 0;
    const int both = is_infinite(above) && is_infinite(below);
    if (above->nan || below->nan || both) return type_nan(type);
    if ((above->positive_infinity && above->negative_infinity) ||
        (below->positive_infinity && below->negative_infinity))
        return type_nan(type);
    if (is_infinite(above)) return type_beyond(type, negative);
    const int below_is_zero = !is_infinite(below) && mpfr_zero_p(below->finite);
    if (mpfr_zero_p(above->finite) && below_is_zero) return type_nan(type);
    if (mpfr_zero_p(above->finite) && above->nonzero) return rounding == QUIRE_DOWNWARD ? type_sign(type) : 0;
    if (mpfr_zero_p(above->finite)) return zero;
    if (below_is_zero) return type_beyond(type, negative);
    return is_infinite(below) ? zero : quotient(above, below, type, rounding);
}

uint64_t oracle_moment(const oracle_moments *o, const quire_reduction *what) {
    switch ((int)what->operation) {
    case QUIRE_AVERAGE: return oracle_average(o, what->result_type, what->rounding);
    case QUIRE_COVARIANCE: return oracle_covariance(o, what->correction, what->result_type, what->rounding);
    case QUIRE_CORRELATION: return oracle_correlation(o, what->result_type, what->rounding);
    case QUIRE_VARIANCE: return oracle_variance(o, what->correction, what->result_type, what->rounding);
    default: return oracle_stddev(o, what->correction, what->result_type, what->rounding);
    }
}
