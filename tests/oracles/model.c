/* model.c - the canonical order with nothing clever in it: one lane at a time, one tile at a time, recursion over
 * tiles. */
#include "model.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "oracle_mpfr.h"

#if defined(__FAST_MATH__) || !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "the model needs IEEE arithmetic in the format of its operands"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#define LANES 256
#define PATTERNS 65536 /* of 16 bits */
#define LONG 1000000   /* elements, beyond which decoding all patterns first pays */

/* What is asked, fixed during a call. single: accumulation is in float; its numbers travel in doubles, which hold them
 * exactly, but every operation on them below is one of float. */
typedef struct question {
    operation op;
    quire_type type;
    const void *x, *y;
    size_t n, tile_size;
    bool single, kahan, product;
    const double *decoded; /* long vectors of 16 bits: what each pattern of bits is; else NULL */
} question;

static double value(const question *q, const void *of, size_t i) {
    return q->decoded ? q->decoded[((const uint16_t *)of)[i]] : type_value(q->type, of, i);
}

static double plus(const question *q, double a, double b) { return q->single ? (double)((float)a + (float)b) : a + b; }

static double minus(const question *q, double a, double b) { return q->single ? (double)((float)a - (float)b) : a - b; }

static double times(const question *q, double a, double b) { return q->single ? (double)((float)a * (float)b) : a * b; }

static double product_error(const question *q, double a, double b, double p) {
    return q->single ? (double)fmaf((float)a, (float)b, (float)-p) : fma(a, b, -p);
}

/* Knuth's, six operations. */
static double two_sum(const question *q, double a, double b, double *error) {
    double t = plus(q, a, b);
    double z = minus(q, t, a);
    *error = plus(q, minus(q, a, minus(q, t, z)), minus(q, b, z));
    return t;
}

static void add(const question *q, model_total *lane, size_t i) {
    double a = value(q, q->x, i), d;
    double p = q->op == OPERATION_ASUM ? fabs(a) : a;
    double b = q->op == OPERATION_DOT ? value(q, q->y, i) : a;

    if (q->product) p = times(q, a, b);
    if (!q->kahan) {
        lane->s = plus(q, lane->s, p);
        return;
    }
    lane->s = two_sum(q, lane->s, p, &d);
    if (q->product) d = plus(q, d, product_error(q, a, b, p));
    lane->c = plus(q, lane->c, d);
}

static void merge(const question *q, model_total *into, const model_total *from) {
    double d;
    if (!q->kahan) {
        into->s = plus(q, into->s, from->s);
        return;
    }
    into->s = two_sum(q, into->s, from->s, &d);
    into->c = plus(q, plus(q, into->c, from->c), d);
}

/* Row by row is each lane from row 0 down. A lane that has no element is never merged into another. */
static model_total tile(const question *q, size_t number) {
    model_total lane[LANES];
    size_t begin = number * q->tile_size;
    size_t length = q->n - begin < q->tile_size ? q->n - begin : q->tile_size;

    for (size_t j = 0; j < LANES; j++) lane[j].s = lane[j].c = -0.0;
    for (size_t i = 0; i < length; i++) add(q, &lane[i % LANES], begin + i);
    for (size_t w = LANES / 2; w > 0; w /= 2)
        for (size_t j = 0; j < w && j + w < length; j++) merge(q, &lane[j], &lane[j + w]);
    return lane[0];
}

static model_total tree(const question *q, size_t first, size_t tiles) {
    model_total left, right;
    size_t p = 1;
    if (tiles == 1) return tile(q, first);
    while (2 * p < tiles) p *= 2;
    left = tree(q, first, p);
    right = tree(q, first + p, tiles - p);
    merge(q, &left, &right);
    return left;
}

size_t model_rows(quire_method method, size_t n) {
    size_t rows = 16;
    if (method != QUIRE_PAIRWISE)
        while (n / LANES / rows + (n % (LANES * rows) != 0) > 32768) rows *= 2;
    return rows;
}

size_t model_tiles(quire_method method, size_t n) {
    size_t size = LANES * model_rows(method, n);
    return n < size ? 1 : n / size + (n % size != 0);
}

size_t model_chain_length(quire_method method, size_t n) {
    size_t tiles = model_tiles(method, n), levels = 0;
    while (levels < 64 && ((size_t)1 << levels) < tiles) levels++;
    return method == QUIRE_EXACT ? 0 : model_rows(method, n) + 8 + levels;
}

model_total model_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method) {
    question q = { op, type, x, y, n, .tile_size = LANES * model_rows(method, n) };
    model_total total = { 0, 0 }; /* the empty sum is +0, though a lane begins at -0 */
    double *decoded = n > LONG && type_size(type) == 2 ? malloc(PATTERNS * sizeof *decoded) : NULL;

    for (size_t bits = 0; decoded && bits < PATTERNS; bits++) decoded[bits] = type_decode(type, bits);
    q.single = type != QUIRE_F64, q.kahan = method == QUIRE_KAHAN, q.product = operation_multiplies(op);
    q.decoded = decoded;
    if (n > 0) total = tree(&q, 0, model_tiles(method, n));
    free(decoded);
    if (!isfinite(total.s) || !isfinite(total.c) || !q.kahan) total.c = 0;
    return total;
}

/* Doubles span 2^1024 to 2^-1074: a sum of two fits 2200 bits. Where s is all there is, a zero has the sign that adding
 * to nearest gave it; where s + c is an exact zero, the direction gives it. */
uint64_t model_directed(operation op, model_total total, size_t n, quire_type type, quire_rounding rounding) {
    const mpfr_rnd_t direction = oracle_rounding(rounding);
    mpfr_t sum, r;
    int ternary;
    uint64_t bits, sign = signbit(total.s) ? type_sign(type) : 0;

    if (isnan(total.s) || (op == OPERATION_MEAN && n == 0)) return type_nan(type);
    if (isinf(total.s)) return op == OPERATION_NRM2 && sign ? type_nan(type) : type_beyond(type, sign != 0);
    if (total.c == 0 && total.s == 0) return sign;

    mpfr_init2(sum, 2200);
    mpfr_init2(r, type_format(type)->precision);
    mpfr_set_d(sum, total.s, MPFR_RNDN);
    mpfr_add_d(sum, sum, total.c, MPFR_RNDN);
    if (op == OPERATION_NRM2)
        ternary = mpfr_sqrt(r, sum, direction);
    else if (op == OPERATION_MEAN)
        ternary = mpfr_div_ui(r, sum, (unsigned long)n, direction);
    else
        ternary = mpfr_set(r, sum, direction);
    if (mpfr_zero_p(sum))
        bits = rounding == QUIRE_DOWNWARD ? type_sign(type) : 0;
    else
        bits = mpfr_nan_p(r) ? type_nan(type) : oracle_fit(r, ternary, type, rounding);
    mpfr_clear(sum);
    mpfr_clear(r);
    return bits;
}

uint64_t model_finish(operation op, model_total total, size_t n, quire_type type) {
    return model_directed(op, total, n, type, QUIRE_TO_NEAREST);
}
