/* oracle_ordered.c - one tile, lanes side by side, in the arithmetic of C's floats and doubles: no contraction, no
 * fast-math, rounding to nearest, and subnormals that count. */
#include "oracle_ordered.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FAST_MATH__) || !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "the order needs IEEE arithmetic in the format of its operands"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#define LANES 256

void ordered_open(ordered_tables *t) {
    for (unsigned i = 0; i < 65536; i++) t->half[i] = (float)type_decode(QUIRE_F16, i);
    for (unsigned i = 0; i < 256; i++) t->e5m2[i] = (float)type_decode(QUIRE_E5M2, i);
    for (unsigned i = 0; i < 256; i++) t->e4m3[i] = (float)type_decode(QUIRE_E4M3, i);
}

static double value_of_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void load_values(const ordered_tables *t, quire_type type, size_t n, const void *x, double *to) {
    const uint32_t *four = x;
    const uint16_t *two = x;
    const uint8_t *one = x;
    for (size_t i = 0; i < n; i++) switch (type) {
        case QUIRE_F16: to[i] = (double)t->half[two[i]]; break;
        case QUIRE_BF16: to[i] = value_of_float((uint32_t)two[i] << 16); break;
        case QUIRE_E5M2: to[i] = (double)t->e5m2[one[i]]; break;
        case QUIRE_E4M3: to[i] = (double)t->e4m3[one[i]]; break;
        default: to[i] = value_of_float(four[i]); break;
        }
}

/* Numbers travel in doubles, which hold floats exactly; where single is set every operation on them is one of float. It
 * is a constant in each caller, so that the loops are compiled once for either. */
static inline double plus(bool single, double a, double b) { return single ? (double)((float)a + (float)b) : a + b; }

static inline double minus(bool single, double a, double b) { return single ? (double)((float)a - (float)b) : a - b; }

static inline double times(bool single, double a, double b) { return single ? (double)((float)a * (float)b) : a * b; }

/* The rounding error of p, the product of a and b. Of floats it fits a double: one subtraction finds it. */
static inline double product_error(bool single, double a, double b, double p) {
    return single ? (double)(float)(a * b - p) : fma(a, b, -p);
}

/* Knuth's, six operations. */
static inline double two_sum(bool single, double a, double b, double *error) {
    const double t = plus(single, a, b), z = minus(single, t, a);
    *error = plus(single, minus(single, a, minus(single, t, z)), minus(single, b, z));
    return t;
}

/* Terms, and the errors of those that are products. */
typedef struct terms {
    double p[ORDERED_MOST], e[ORDERED_MOST];
    size_t n;
    bool products;
} terms;

static inline void make_terms(bool single, bool kahan, operation op, const double *x, const double *y, terms *to) {
    to->products = operation_multiplies(op);
    for (size_t i = 0; i < to->n; i++)
        to->p[i] = op == OPERATION_ASUM ? fabs(x[i]) : to->products ? times(single, x[i], y[i]) : x[i];
    for (size_t i = 0; i < to->n && kahan && to->products; i++) to->e[i] = product_error(single, x[i], y[i], to->p[i]);
}

static inline double add(bool single, const terms *t) {
    const size_t lanes = t->n < LANES ? t->n : LANES;
    double s[LANES];
    for (size_t j = 0; j < lanes; j++) s[j] = -0.0;
    for (size_t row = 0; row < t->n; row += LANES)
        for (size_t j = 0; j < LANES && row + j < t->n; j++) s[j] = plus(single, s[j], t->p[row + j]);
    for (size_t w = LANES / 2; w; w /= 2)
        for (size_t j = 0; j < w && j + w < lanes; j++) s[j] = plus(single, s[j], s[j + w]);
    return s[0];
}

static inline double add_compensated(bool single, const terms *t, double *compensation) {
    const size_t lanes = t->n < LANES ? t->n : LANES;
    double s[LANES], c[LANES], d;
    for (size_t j = 0; j < lanes; j++) s[j] = c[j] = -0.0;
    for (size_t row = 0; row < t->n; row += LANES)
        for (size_t j = 0; j < LANES && row + j < t->n; j++) {
            s[j] = two_sum(single, s[j], t->p[row + j], &d);
            c[j] = plus(single, c[j], t->products ? plus(single, d, t->e[row + j]) : d);
        }
    for (size_t w = LANES / 2; w; w /= 2)
        for (size_t j = 0; j < w && j + w < lanes; j++) {
            s[j] = two_sum(single, s[j], s[j + w], &d);
            c[j] = plus(single, plus(single, c[j], c[j + w]), d);
        }
    *compensation = c[0];
    return s[0];
}

static inline double total_of(bool single, bool kahan, operation op, size_t n, const double *x, const double *y,
                              double *c) {
    terms t;
    t.n = n;
    make_terms(single, kahan, op, x, y, &t);
    return kahan ? add_compensated(single, &t, c) : add(single, &t);
}

static double total_in_floats(const ordered_tables *t, operation op, quire_type type, size_t n, const void *x,
                              const void *y, bool kahan, double *c) {
    double u[ORDERED_MOST], v[ORDERED_MOST];
    load_values(t, type, n, x, u);
    if (op == OPERATION_DOT) load_values(t, type, n, y, v);
    return total_of(true, kahan, op, n, u, op == OPERATION_DOT ? v : u, c);
}

/* A zero that is s alone has the sign that the additions gave it; one that is s + c is for the direction to sign. */
static unrounded finish(words_sum *sum, operation op, size_t n, double s, double c) {
    if (isnan(s) || (op == OPERATION_MEAN && n == 0)) return (unrounded){ .kind = UNROUNDED_NAN };
    const bool negative = signbit(s) != 0;
    if (isinf(s) && op == OPERATION_NRM2 && negative) return (unrounded){ .kind = UNROUNDED_NAN };
    if (isinf(s)) return (unrounded){ .kind = UNROUNDED_INFINITY, .negative = negative };
    if (c == 0 && s == 0) return (unrounded){ .kind = UNROUNDED_ZERO, .negative = negative };
    words_add_double(sum, s);
    words_add_double(sum, c);
    return words_finish(sum, op, n);
}

unrounded ordered_reduce(const ordered_tables *t, words_sum *sum, operation op, quire_type type, size_t n,
                         const void *x, const void *y, quire_method method) {
    const bool kahan = method == QUIRE_KAHAN;
    double s = 0, c = 0;
    if (n && type == QUIRE_F64) s = total_of(false, kahan, op, n, x, op == OPERATION_DOT ? y : x, &c);
    if (n && type != QUIRE_F64) s = total_in_floats(t, op, type, n, x, y, kahan, &c);
    return finish(sum, op, n, s, isfinite(s) && isfinite(c) ? c : 0);
}
