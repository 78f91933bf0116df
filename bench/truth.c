/* truth.c - exact results, errors and bounds.
 *
 * long double is here for its range: dot products of doubles reach from 2^-2148 to beyond 2^2048. Where it is no wider than
 * double, errors outside double's range read as 0 or infinite.
 *
 * SPDX-License-Identifier: MIT
 */
#include "truth.h"

#include <math.h>
#include <string.h>

#include "number.h"

/* The magnitude of the finite part, to the precision of long double. */
static long double magnitude_of(const quire_accumulator *accumulator) {
    quire_accumulator a = *accumulator;
    long double value = 0;
    if (a.limb[QUIRE_ACCUMULATOR_LIMBS - 1] < 0) {
        for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) a.limb[i] = -a.limb[i];
        quire_carry(&a);
    }
    for (int i = QUIRE_ACCUMULATOR_LIMBS - 1; i >= 0; i--) value += ldexpl((long double)a.limb[i], 32 * i - 2148);
    return value;
}

/* ---------------------------------------------------------------------------------------------------------- the truth */

#define PART 8192 /* bytes of a vector at a time */

/* Copies bytes, the sign bit of each element cleared. The mask is the same whatever end a word begins with. */
static void copy_magnitudes(quire_type type, const char *from, size_t bytes, uint64_t into[PART / 8]) {
    uint64_t mask = type_sign(type);
    for (size_t width = type_size(type) * 8; width < 64; width *= 2) mask |= mask << width;
    memcpy(into, from, bytes);
    for (size_t i = 0; i < PART / 8; i++) into[i] &= ~mask;
}

/* The sum of |x y|, exactly. */
/* To count with: any context has the same bits. */
static quire_context *workers;

void truth_open(void) { quire_open_cpu(&workers, 0); }

void truth_close(void) {
    quire_close(workers);
    workers = NULL;
}

static quire_status accumulate_product_magnitudes(quire_accumulator *sum, const job *j) {
    static uint64_t x[PART / 8], y[PART / 8];
    const size_t all = j->n * type_size(j->type);
    quire_status status = QUIRE_OK;
    for (size_t at = 0; at < all && !status; at += PART) {
        const size_t bytes = all - at < PART ? all - at : PART;
        copy_magnitudes(j->type, (const char *)j->x + at, bytes, x);
        copy_magnitudes(j->type, (const char *)j->y + at, bytes, y);
        status = quire_accumulate_products(NULL, sum, j->type, bytes / type_size(j->type), x, y);
    }
    return status;
}

static quire_status accumulate_part(quire_accumulator *total, quire_accumulator *magnitudes, const job *j) {
    quire_status status = QUIRE_OK;
    switch (j->operation) {
    case OPERATION_ASUM: status = quire_accumulate_magnitudes(workers, total, j->type, j->n, j->x); break;
    case OPERATION_NRM2:
    case OPERATION_SUMSQ: status = quire_accumulate_products(workers, total, j->type, j->n, j->x, j->x); break;
    case OPERATION_DOT:
        status = quire_accumulate_products(workers, total, j->type, j->n, j->x, j->y);
        return status ? status : accumulate_product_magnitudes(magnitudes, j);
    default:
        status = quire_accumulate(workers, total, j->type, j->n, j->x);
        return status ? status : quire_accumulate_magnitudes(workers, magnitudes, j->type, j->n, j->x);
    }
    *magnitudes = *total;
    return status;
}

/* Adding a to itself, times times in all, multiplies its words. */
static void repeat(quire_accumulator *a, size_t times) {
    int64_t words[QUIRE_ACCUMULATOR_WORDS];
    quire_carry(a);
    memcpy(words, a, sizeof words);
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) words[i] *= (int64_t)times;
    memcpy(a, words, sizeof words);
    quire_carry(a);
}

/* One block of the data, as often as it is there, and the tail. */
static quire_status accumulate(quire_accumulator *total, quire_accumulator *magnitudes, const job *j, const data *d) {
    const size_t tail = data_tail(d) * type_size(d->type);
    job part = *j;
    part.n = d->block;
    part.x = data_x(d);
    part.y = data_y(d);
    quire_status status = accumulate_part(total, magnitudes, &part);
    repeat(total, d->copies);
    repeat(magnitudes, d->copies);
    if (status || !d->tail) return status;
    quire_accumulator rest = QUIRE_ACCUMULATOR_ZERO, rests = QUIRE_ACCUMULATOR_ZERO;
    part.n = d->tail;
    part.x = (const char *)part.x + tail;
    part.y = part.y ? (const char *)part.y + tail : NULL;
    status = accumulate_part(&rest, &rests, &part);
    quire_merge(total, &rest);
    quire_merge(magnitudes, &rests);
    return status;
}

static quire_status round_total(const quire_accumulator *total, const job *j, void *result) {
    if (j->operation == OPERATION_NRM2) return quire_round_root(total, j->result_type, result);
    if (j->operation == OPERATION_MEAN) return quire_round_mean(total, j->result_type, result);
    return quire_round(total, j->result_type, result);
}

/* The distance from a number of that magnitude to the next larger one. */
static long double ulp_of(quire_type type, long double magnitude) {
    const number_format *f = type_format(type);
    int e = f->least;
    if (magnitude > 0) frexpl(magnitude, &e), e -= f->precision;
    return ldexpl(1, e > f->least ? e : f->least);
}

quire_status truth_find(truth *t, const job *j, const data *d) {
    quire_accumulator magnitudes = QUIRE_ACCUMULATOR_ZERO, zero = QUIRE_ACCUMULATOR_ZERO;
    double result = 0; /* room for any type */
    t->total = zero;
    quire_status status = accumulate(&t->total, &magnitudes, j, d);
    if (!status) status = round_total(&t->total, j, &result);
    if (status) return status;
    t->bits = type_load(j->result_type, &result, 0);
    t->value = type_decode(j->result_type, t->bits);
    t->finite = type_is_finite(j->result_type, t->bits);
    t->ulp = t->finite ? ulp_of(j->result_type, fabs(t->value)) : NAN;
    t->magnitudes = magnitude_of(&magnitudes);
    long double unit = t->magnitudes;
    if (j->operation == OPERATION_MEAN) unit /= (long double)j->n;
    if (j->operation == OPERATION_NRM2) unit = sqrtl(unit);
    t->unit = ldexpl(unit, -type_format(j->result_type)->precision);
    return QUIRE_OK;
}

double truth_condition(const truth *t) { return t->finite ? (double)(t->magnitudes / magnitude_of(&t->total)) : NAN; }

double truth_ulp_in_units(const truth *t) { return t->finite && t->unit > 0 ? (double)(t->ulp / t->unit) : NAN; }

/* ---------------------------------------------------------------------------------------------------------- the error */

/* Takes n r off the total: n in two parts that are doubles. */
static void subtract_times(quire_accumulator *total, size_t n, double r) {
    const size_t low = n & 0xffffffff;
    const double factors[2] = { (double)(n - low), (double)low }, values[2] = { -r, -r };
    quire_accumulate_products(NULL, total, QUIRE_F64, 2, factors, values);
}

double truth_error_ulps(const truth *t, const job *j, quire_type type, uint64_t bits) {
    const double r = type_decode(type, bits), minus = -r;
    if (!t->finite && (isnan(t->value) ? isnan(r) : isinf(r) && signbit(r) == signbit(t->value))) return 0;
    if (!t->finite || !isfinite(r)) return INFINITY;
    quire_accumulator rest = t->total;
    long double error;
    if (j->operation == OPERATION_NRM2) {
        quire_accumulate_products(NULL, &rest, QUIRE_F64, 1, &r, &minus);
        const long double sum = r + sqrtl(magnitude_of(&t->total));
        error = sum > 0 ? magnitude_of(&rest) / sum : 0;
    } else {
        subtract_times(&rest, j->operation == OPERATION_MEAN ? j->n : 1, r);
        error = magnitude_of(&rest) / (j->operation == OPERATION_MEAN ? (long double)j->n : 1);
    }
    return (double)(error / t->ulp);
}

/* ---------------------------------------------------------------------------------------------------------- the bound */

/* On the error of the total before anything is done with it, of the magnitude sum. As in quire.h, with c u / (1 - c u) for
 * c u, which holds the higher orders; a product that underflows costs at most the least subnormal number. */
static long double bound_of_total(const truth *t, const job *j, quire_method method, long double sum) {
    const number_format *f = type_format(accumulation_type(j->type));
    const long double u = ldexpl(1, -f->precision);
    const long double cu = u * (long double)(quire_chain_length(method, j->n) + (size_t)operation_multiplies(j->operation));
    const long double g = cu / (1 - cu);
    long double bound = method == QUIRE_KAHAN ? u * sum + g * g * t->magnitudes : g * t->magnitudes;
    if (operation_multiplies(j->operation)) bound += (long double)j->n * ldexpl(1, f->least);
    if (cu >= 0.5L || t->magnitudes + bound >= ldexpl(1 - u, f->bias + 1)) return INFINITY;
    return bound;
}

double truth_bound_ulps(const truth *t, const job *j, quire_method method) {
    if (method == QUIRE_EXACT) return 0.5;
    if (!t->finite) return INFINITY;
    long double value = magnitude_of(&t->total), bound = bound_of_total(t, j, method, value);
    if (isinf(bound)) return INFINITY;
    if (j->operation == OPERATION_NRM2) {
        const long double roots = sqrtl(value) + sqrtl(value > bound ? value - bound : 0);
        bound = roots > 0 && value > bound ? bound / roots : sqrtl(bound);
        value = sqrtl(value);
    } else if (j->operation == OPERATION_MEAN) {
        bound /= (long double)j->n;
        value /= (long double)j->n;
    }
    return (double)((bound + ulp_of(j->result_type, value + bound) / 2) / t->ulp);
}
