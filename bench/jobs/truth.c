/* truth.c - exact results, errors and bounds.
 *
 * long double is here for its range: dot products of doubles reach from 2^-2148 to beyond 2^2048. Where it is no wider
 * than double, errors outside double's range read as 0 or infinite.
 *
 * SPDX-License-Identifier: MIT
 */
#include "truth.h"

#include <math.h>
#include <string.h>

#include "accumulators.h"
#include "number.h"

/* -------------------------------------------------------------------------------------------------------- the truth */

#define PART 8192 /* bytes of a vector at a time */

/* Copies bytes, the sign bit of each element cleared. The mask is the same whatever end a word begins with. */
static void copy_magnitudes(quire_type type, const char *from, size_t bytes, uint64_t into[PART / 8]) {
    uint64_t mask = type_sign(type);
    for (size_t width = type_size(type) * 8; width < 64; width *= 2) mask |= mask << width;
    memcpy(into, from, bytes);
    for (size_t i = 0; i < PART / 8; i++) into[i] &= ~mask;
}

/* To count with: any context has the same bits. */
static quire_context *workers;

void truth_open(void) { quire_open_cpu(&workers, 0); }

void truth_close(void) {
    quire_close(workers);
    workers = NULL;
}

/* The sum of |x y|, exactly. */
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

/* What a moment needs are the sum and, for magnitudes, that of the squares. */
static quire_status accumulate_part(quire_accumulator *total, quire_accumulator *magnitudes, const job *j) {
    quire_status status = QUIRE_OK;
    switch (j->operation) {
    case OPERATION_ASUM: status = quire_accumulate_magnitudes(workers, total, j->type, j->n, j->x); break;
    case OPERATION_NRM2:
    case OPERATION_SUMSQ: status = quire_accumulate_products(workers, total, j->type, j->n, j->x, j->x); break;
    case OPERATION_DOT:
        status = quire_accumulate_products(workers, total, j->type, j->n, j->x, j->y);
        return status ? status : accumulate_product_magnitudes(magnitudes, j);
    case OPERATION_VARIANCE:
    case OPERATION_STDDEV:
        status = quire_accumulate(workers, total, j->type, j->n, j->x);
        return status ? status : quire_accumulate_products(workers, magnitudes, j->type, j->n, j->x, j->x);
    default:
        status = quire_accumulate(workers, total, j->type, j->n, j->x);
        return status ? status : quire_accumulate_magnitudes(workers, magnitudes, j->type, j->n, j->x);
    }
    *magnitudes = *total;
    return status;
}

/* One block of the data, as often as it is there, and the tail. */
static quire_status accumulate(quire_accumulator *total, quire_accumulator *magnitudes, const job *j, const data *d) {
    const size_t tail = data_tail(d) * type_size(d->type);
    job part = *j;
    part.n = d->block;
    part.x = data_x(d);
    part.y = data_y(d);
    quire_status status = accumulate_part(total, magnitudes, &part);
    accumulator_multiply(total, d->copies);
    accumulator_multiply(magnitudes, d->copies);
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

static quire_status round_total(const truth *t, const job *j, void *result) {
    const quire_reduction what = { .operation = operation_number(j->operation), .result_type = j->result_type };
    return quire_finish(&what, &t->total, &t->squares, result);
}

/* |n Q - S^2 - n^2 w| / n^2, where w is in an accumulator, negated: how far it is from the variance. Not a number if S
 * is beyond the doubles. */
static long double distance_from_variance(const truth *t, const quire_accumulator *minus, size_t n) {
    quire_accumulator rest = *minus;
    accumulator_multiply(&rest, n);
    quire_merge(&rest, &t->squares);
    accumulator_multiply(&rest, n);
    if (!accumulator_subtract_square(&rest, &t->total)) return NAN;
    return accumulator_magnitude(&rest) / (long double)n / (long double)n;
}

/* The distance from a number of that magnitude to the next larger one. */
static long double ulp_of(quire_type type, long double magnitude) {
    const number_format *f = type_format(type);
    int e = f->least;
    if (magnitude > 0) frexpl(magnitude, &e), e -= f->precision;
    return ldexpl(1, e > f->least ? e : f->least);
}

/* The sum before anything is done with it; of a moment n times the variance. */
static long double find_left(const truth *t, const job *j) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    if (!operation_is_moment(j->operation)) return accumulator_magnitude(&t->total);
    return distance_from_variance(t, &zero, j->n) * (long double)j->n;
}

quire_status truth_find(truth *t, const job *j, const data *d) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    double result = 0; /* room for any type */
    t->total = t->squares = zero;
    quire_status status = accumulate(&t->total, &t->squares, j, d);
    if (!status) status = round_total(t, j, &result);
    if (status) return status;
    t->bits = type_load(j->result_type, &result, 0);
    t->value = type_decode(j->result_type, t->bits);
    t->finite = type_is_finite(j->result_type, t->bits);
    t->ulp = t->finite ? ulp_of(j->result_type, fabs(t->value)) : NAN;
    t->magnitudes = accumulator_magnitude(&t->squares);
    t->left = t->finite ? find_left(t, j) : NAN;
    long double unit = t->magnitudes;
    if (j->operation == OPERATION_MEAN || operation_is_moment(j->operation)) unit /= (long double)j->n;
    if (j->operation == OPERATION_NRM2 || j->operation == OPERATION_STDDEV) unit = sqrtl(unit);
    t->unit = ldexpl(unit, -type_format(j->result_type)->precision);
    return QUIRE_OK;
}

double truth_condition(const truth *t) { return t->finite ? (double)(t->magnitudes / t->left) : NAN; }

double truth_ulp_in_units(const truth *t) { return t->finite && t->unit > 0 ? (double)(t->ulp / t->unit) : NAN; }

/* -------------------------------------------------------------------------------------------------------- the error */

/* Takes n r off the total: n in two parts that are doubles. */
static void subtract_times(quire_accumulator *total, size_t n, double r) {
    const size_t low = n & 0xffffffff;
    const double factors[2] = { (double)(n - low), (double)low }, values[2] = { -r, -r };
    quire_accumulate_products(NULL, total, QUIRE_F64, 2, factors, values);
}

static long double error_of_sum(const truth *t, const job *j, double r) {
    quire_accumulator rest = t->total;
    const size_t parts = j->operation == OPERATION_MEAN ? j->n : 1;
    subtract_times(&rest, parts, r);
    return accumulator_magnitude(&rest) / (long double)parts;
}

static long double error_of_root(const truth *t, double r) {
    quire_accumulator rest = t->total;
    const double minus = -r;
    quire_accumulate_products(NULL, &rest, QUIRE_F64, 1, &r, &minus);
    const long double sum = r + sqrtl(t->left);
    return sum > 0 ? accumulator_magnitude(&rest) / sum : 0;
}

static long double error_of_moment(const truth *t, const job *j, double r) {
    quire_accumulator taken = QUIRE_ACCUMULATOR_ZERO;
    const bool root = j->operation == OPERATION_STDDEV;
    const double minus = -r, factor = root ? r : 1;
    quire_accumulate_products(NULL, &taken, QUIRE_F64, 1, &factor, &minus);
    const long double distance = distance_from_variance(t, &taken, j->n);
    const long double sum = root ? r + sqrtl(t->left / (long double)j->n) : 1;
    return sum > 0 || isnan(distance) ? distance / sum : 0;
}

double truth_error_ulps(const truth *t, const job *j, quire_type type, uint64_t bits) {
    const double r = type_decode(type, bits);
    if (!t->finite && (isnan(t->value) ? isnan(r) : isinf(r) && signbit(r) == signbit(t->value))) return 0;
    if (!t->finite || !isfinite(r)) return INFINITY;
    if (operation_is_moment(j->operation)) return (double)(error_of_moment(t, j, r) / t->ulp);
    return (double)((j->operation == OPERATION_NRM2 ? error_of_root(t, r) : error_of_sum(t, j, r)) / t->ulp);
}

/* -------------------------------------------------------------------------------------------------------- the bound */

/* On the error of the total before anything is done with it, of the magnitude sum. As in quire.h, with c u / (1 - c u)
 * for c u, which holds the higher orders; a product that underflows costs at most the least subnormal number. */
static long double bound_of_total(const truth *t, const job *j, quire_method method, long double sum) {
    const number_format *f = type_format(accumulation_type(j->type));
    const long double u = ldexpl(1, -f->precision);
    const long double cu =
        u * (long double)(quire_chain_length(method, j->n) + (size_t)operation_multiplies(j->operation));
    const long double g = cu / (1 - cu);
    long double bound = method == QUIRE_KAHAN ? u * sum + g * g * t->magnitudes : g * t->magnitudes;
    if (operation_multiplies(j->operation)) bound += (long double)j->n * ldexpl(1, f->least);
    if (cu >= 0.5L || t->magnitudes + bound >= ldexpl(1 - u, f->bias + 1)) return INFINITY;
    return bound;
}

double truth_bound_ulps(const truth *t, const job *j, quire_method method) {
    if (method == QUIRE_EXACT) return 0.5;
    if (!t->finite) return INFINITY;
    long double value = t->left, bound = bound_of_total(t, j, method, value);
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
