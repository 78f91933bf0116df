/* reference.c - truth, errors and bounds in MPFR.
 *
 * Bounds are rounded up, errors to 64 bits, so a bound that is met is never called violated.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reference.h"

#include <math.h>

#include "model.h"
#include "number.h"

#define BOUND_BITS 320 /* roots of almost equal numbers are subtracted, whose difference is (c u)^2 of them */

void reference_open(reference *r) {
    oracle_open(&r->sum);
    mpfr_init2(r->magnitudes, 128);
    mpfr_init2(r->value, mpfr_get_prec(r->sum.finite));
}

void reference_close(reference *r) {
    mpfr_clears(r->magnitudes, r->value, (mpfr_ptr)0);
    oracle_close(&r->sum);
}

/* ------------------------------------------------------------------------------------------------------------ truth */

static quire_type accumulation_type(const reference *r) { return r->type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32; }

/* What is not finite is told by the oracle; Inf times 0 is none of this sum either. */
static void add_magnitudes(reference *r, size_t n, const void *x, const void *y) {
    mpfr_t product;
    mpfr_init2(product, 106);
    mpfr_set_zero(r->magnitudes, 1);
    for (size_t i = 0; i < n; i++) {
        const double a = fabs(type_value(r->type, x, i)), b = y ? fabs(type_value(r->type, y, i)) : 1;
        if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) continue;
        mpfr_set_d(product, a, MPFR_RNDU);
        if (y) mpfr_mul_d(product, product, b, MPFR_RNDU);
        mpfr_add(r->magnitudes, r->magnitudes, product, MPFR_RNDU);
    }
    mpfr_clear(product);
}

static void find_value(reference *r) {
    switch (r->operation) {
    case OPERATION_NRM2: mpfr_sqrt(r->value, r->sum.finite, MPFR_RNDN); break;
    case OPERATION_MEAN: mpfr_div_ui(r->value, r->sum.finite, (unsigned long)r->sum.count, MPFR_RNDN); break;
    default: mpfr_set(r->value, r->sum.finite, MPFR_RNDN); break;
    }
}

/* At most TAME magnitudes to the sum; and products do not underflow to speak of: less than u of the sum is lost. */
static bool is_tame(const reference *r) {
    const number_format *f = type_format(accumulation_type(r));
    mpfr_t sum, most;
    if (r->special) return false;
    mpfr_inits2(128, sum, most, (mpfr_ptr)0);
    mpfr_abs(sum, r->sum.finite, MPFR_RNDN);
    mpfr_mul_ui(most, sum, TAME, MPFR_RNDN);
    bool tame = mpfr_cmp(r->magnitudes, most) <= 0;
    mpfr_set_ui_2exp(most, 1, f->least - 1 + f->precision, MPFR_RNDN);
    mpfr_mul_ui(most, most, (unsigned long)r->sum.count, MPFR_RNDN);
    tame &= !operation_multiplies(r->operation) || mpfr_cmp(most, sum) <= 0;
    mpfr_clears(sum, most, (mpfr_ptr)0);
    return tame;
}

void reference_find(reference *r, const test_case *c, const void *x, const void *y) {
    r->type = c->type;
    r->operation = c->operation;
    oracle_reset(&r->sum);
    oracle_add(&r->sum, c->operation, c->type, c->n, x, y);
    if (c->operation == OPERATION_ASUM || c->operation == OPERATION_NRM2 || c->operation == OPERATION_SUMSQ)
        mpfr_set(r->magnitudes, r->sum.finite, MPFR_RNDU);
    else
        add_magnitudes(r, c->n, x, c->operation == OPERATION_DOT ? y : NULL);
    r->special = r->sum.nan || r->sum.positive_infinity || r->sum.negative_infinity ||
                 (c->operation == OPERATION_MEAN && c->n == 0);
    if (!r->special) find_value(r);
    r->tame = is_tame(r);
}

uint64_t reference_bits(const reference *r, quire_type result_type) {
    return oracle_bits(&r->sum, r->operation, result_type);
}

/* ------------------------------------------------------------------------------------------------------------ error */

/* The exponent of an ulp of a finite number. */
static int ulp_exponent(quire_type type, uint64_t bits) {
    const number_format *f = type_format(type);
    const double value = type_decode(type, bits);
    int e;
    if (value == 0) return f->least;
    frexp(value, &e);
    return e - f->precision > f->least ? e - f->precision : f->least;
}

static void find_error(mpfr_t error, const reference *r, double result) {
    mpfr_t exact;
    mpfr_init2(exact, 53);
    mpfr_set_d(exact, result, MPFR_RNDN);
    mpfr_sub(error, exact, r->value, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    mpfr_clear(exact);
}

/* ------------------------------------------------------------------------------------------------------------ bound */

/* c u, and g = c u / (1 - c u). */
static void find_factors(mpfr_t cu, mpfr_t g, const reference *r, quire_method method) {
    mpfr_set_ui(cu, (unsigned long)model_chain_length(method, (size_t)r->sum.count), MPFR_RNDU);
    mpfr_div_2ui(cu, cu, (unsigned long)type_format(accumulation_type(r))->precision, MPFR_RNDU);
    mpfr_ui_sub(g, 1, cu, MPFR_RNDD);
    mpfr_div(g, cu, g, MPFR_RNDU);
}

/* Whether partial sums stay finite: none is beyond (1 + 2 g) magnitudes. */
static bool stays_finite(const reference *r, const mpfr_t g) {
    const double greatest = type_decode(accumulation_type(r), type_greatest(accumulation_type(r)));
    mpfr_t most;
    mpfr_init2(most, BOUND_BITS);
    mpfr_mul_2ui(most, g, 1, MPFR_RNDU);
    mpfr_add_ui(most, most, 1, MPFR_RNDU);
    mpfr_mul(most, most, r->magnitudes, MPFR_RNDU);
    const bool finite = mpfr_cmp_d(most, greatest) < 0 && mpfr_cmp_d(g, 0.5) < 0 && mpfr_sgn(g) >= 0;
    mpfr_clear(most);
    return finite;
}

/* The bound on the error of the sum before anything is done with it; false if partial sums may overflow, and there is
 * none. Products that underflow are off by half the least subnormal each, which then takes part in the sum. */
static bool find_sum_bound(mpfr_t bound, const reference *r, quire_method method) {
    mpfr_t cu, g;
    mpfr_set_zero(bound, 1);
    if (method == QUIRE_EXACT) return true;
    mpfr_inits2(BOUND_BITS, cu, g, (mpfr_ptr)0);
    find_factors(cu, g, r, method);
    const bool finite = stays_finite(r, g);
    if (method == QUIRE_KAHAN)
        mpfr_sqr(bound, cu, MPFR_RNDU);
    else
        mpfr_set(bound, g, MPFR_RNDU);
    mpfr_mul(bound, bound, r->magnitudes, MPFR_RNDU);
    if (operation_multiplies(r->operation)) {
        mpfr_add_ui(g, g, 1, MPFR_RNDU);
        mpfr_mul_ui(g, g, (unsigned long)r->sum.count, MPFR_RNDU);
        mpfr_mul_2si(g, g, type_format(accumulation_type(r))->least - 1, MPFR_RNDU);
        mpfr_add(bound, bound, g, MPFR_RNDU);
    }
    mpfr_clears(cu, g, (mpfr_ptr)0);
    return finite;
}

/* How far the root of the sum can be off: both ways from the true one. */
static void take_root(mpfr_t bound, const reference *r) {
    mpfr_t end, down;
    mpfr_inits2(BOUND_BITS, end, down, (mpfr_ptr)0);
    mpfr_sub(end, r->sum.finite, bound, MPFR_RNDD);
    if (mpfr_sgn(end) < 0) mpfr_set_zero(end, 1);
    mpfr_sqrt(end, end, MPFR_RNDD);
    mpfr_sub(down, r->value, end, MPFR_RNDU);
    mpfr_add(end, r->sum.finite, bound, MPFR_RNDU);
    mpfr_sqrt(end, end, MPFR_RNDU);
    mpfr_sub(bound, end, r->value, MPFR_RNDU);
    mpfr_max(bound, bound, down, MPFR_RNDU);
    mpfr_clears(end, down, (mpfr_ptr)0);
}

/* The bound on the error of a result: false if there is none. */
static bool find_bound(mpfr_t bound, const reference *r, quire_method method, quire_type result_type) {
    const number_format *f = type_format(result_type);
    mpfr_t most;
    bool holds = find_sum_bound(bound, r, method);
    if (r->operation == OPERATION_NRM2) take_root(bound, r);
    if (r->operation == OPERATION_MEAN) mpfr_div_ui(bound, bound, (unsigned long)r->sum.count, MPFR_RNDU);

    mpfr_init2(most, BOUND_BITS); /* what is rounded is at most this */
    mpfr_abs(most, r->value, MPFR_RNDU);
    mpfr_add(most, most, bound, MPFR_RNDU);
    holds = holds && mpfr_cmp_d(most, type_decode(result_type, type_greatest(result_type))) <= 0;
    mpfr_div_2ui(most, most, (unsigned long)f->precision, MPFR_RNDU);
    if (mpfr_cmp_ui_2exp(most, 1, f->least - 1) < 0) mpfr_set_ui_2exp(most, 1, f->least - 1, MPFR_RNDU);
    mpfr_add(bound, bound, most, MPFR_RNDU);
    mpfr_clear(most);
    return holds;
}

/* Where NaN or Inf is promised: unless finite partial sums may overflow beside it, for they count as infinities then.
 */
static judgement judge_special(const reference *r, quire_method method, quire_type result_type, uint64_t bits) {
    mpfr_t unused;
    mpfr_init2(unused, BOUND_BITS);
    const bool promised = find_sum_bound(unused, r, method);
    mpfr_clear(unused);
    return (judgement){ NAN, !promised ? NAN : bits == reference_bits(r, result_type) ? 0 : INFINITY };
}

judgement reference_judge(const reference *r, quire_method method, quire_type result_type, uint64_t bits) {
    const uint64_t right = reference_bits(r, result_type);
    judgement j = { NAN, NAN };
    mpfr_t error, bound;

    if (r->special) return judge_special(r, method, result_type, bits);
    mpfr_init2(error, 64);
    mpfr_init2(bound, BOUND_BITS);
    const bool holds = find_bound(bound, r, method, result_type);
    if (!type_is_finite(result_type, bits)) {
        j.ulps = right == bits ? NAN : INFINITY;
        j.ratio = holds ? INFINITY : NAN;
    } else {
        find_error(error, r, type_decode(result_type, bits));
        if (holds) {
            mpfr_div(bound, error, bound, MPFR_RNDN);
            j.ratio = mpfr_get_d(bound, MPFR_RNDN);
        }
        mpfr_mul_2si(error, error, -ulp_exponent(result_type, right), MPFR_RNDN);
        j.ulps = type_is_finite(result_type, right) ? mpfr_get_d(error, MPFR_RNDN) : NAN;
    }
    mpfr_clears(error, bound, (mpfr_ptr)0);
    return j;
}
