/* condition.c - terms a and -a, with exponents spread as in Ogita, Rump, Oishi 2005, Algorithm 6.1, shuffled; and one term
 * that is left over: the sum, exactly.
 *
 * SPDX-License-Identifier: MIT
 */
#include "condition.h"

#include <math.h>

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

void condition_fill(double wanted, quire_type type, uint64_t seed, size_t n, void *x, void *y) {
    const size_t half = n ? (n - 1) / 2 : 0;
    const int spread = spread_of(wanted, type) / (y ? 2 : 1);
    double magnitudes = 0;
    generator g, again;
    generator_seed(&g, seed);
    for (size_t i = 0; i < half; i++) {
        type_set(type, x, i, term(&g, spread));
        const double a = type_value(type, x, i);
        type_set(type, x, half + i, -a);
        if (y) type_set(type, y, i, term(&g, spread));
        if (y) type_store(type, y, half + i, type_load(type, y, i));
        magnitudes += 2 * fabs(y ? a * type_value(type, y, i) : a);
    }
    for (size_t i = 2 * half; i < n; i++) { /* one, or two */
        type_store(type, x, i, type_sign(type));
        if (y) type_set(type, y, i, 1);
    }
    if (n) set_rest(type, x, n - 1, magnitudes > 0 ? magnitudes / wanted : 1);
    again = g; /* the same shuffle for both */
    generator_shuffle(&g, n, type_size(type), x);
    if (y) generator_shuffle(&again, n, type_size(type), y);
}
