/* condition.c - terms a and -a, with exponents spread as in Ogita, Rump, Oishi 2005, Algorithm 6.1, shuffled; of each
 * so many pairs as the condition number asks for, one does not cancel but is positive; and one term that sets right
 * what is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "condition.h"

#include <math.h>
#include <stdbool.h>

#include "number.h"

/* How far exponents go down from 0: half the condition number's, as far as products stay normal. */
static int spread_of(double wanted, quire_type type) {
    const int room = type_format(type)->bias / 2 - 1, half = (int)(log2(wanted) / 2);
    return half < room ? half : room;
}

/* [1/2, 1) times a power of two, of either sign. */
static double term(generator *g, int spread) {
    const double size = (1 + generator_uniform(g)) / 2 * power_of_two(-generator_between(g, 0, spread));
    return generator_next(g) & 1 ? -size : size;
}

/* Rounded to the type, but not to 0. */
static void set_rest(quire_type type, void *x, size_t i, double rest) {
    uint64_t bits = type_encode(type, rest);
    type_store(type, x, i, bits ? bits : 1);
}

/* Pair number i: terms whose products cancel, or are both positive. */
static void set_pair(generator *g, quire_type type, size_t i, size_t half, bool cancels, int spread, void *x, void *y) {
    const double a = term(g, spread), b = y ? term(g, spread) : 1, sign = !cancels && a * b < 0 ? -1 : 1;
    type_set(type, x, i, sign * a);
    type_set(type, x, half + i, cancels ? -a : sign * a);
    if (y) type_set(type, y, i, b);
    if (y) type_set(type, y, half + i, b);
}

void condition_fill(double wanted, quire_type type, uint64_t seed, size_t n, void *x, void *y) {
    const size_t half = n ? (n - 1) / 2 : 0, positive = (size_t)((double)half / wanted);
    const int spread = spread_of(wanted, type) / (y ? 2 : 1);
    double magnitudes = 0, sum = 0;
    generator g, again;
    generator_seed(&g, seed);
    for (size_t i = 0; i < half; i++) {
        set_pair(&g, type, i, half, i >= positive, spread, x, y);
        const double product = type_value(type, x, i) * (y ? type_value(type, y, i) : 1);
        magnitudes += 2 * fabs(product);
        if (i < positive) sum += 2 * product;
    }
    for (size_t i = 2 * half; i < n; i++) { /* one, or two */
        type_store(type, x, i, type_sign(type));
        if (y) type_set(type, y, i, 1);
    }
    if (n) set_rest(type, x, n - 1, half ? magnitudes / wanted - sum : 1);
    again = g; /* the same shuffle for both */
    generator_shuffle(&g, n, type_size(type), x);
    if (y) generator_shuffle(&again, n, type_size(type), y);
}
