/* open_vectors.h - vectors at random, many of which two ends leave open. */
#ifndef QUIRE_TESTS_OPEN_VECTORS_H
#define QUIRE_TESTS_OPEN_VECTORS_H

#include "families.h"
#include "many.h"

/* Integers of a few bits, whose sums, means and variances often lie on results, or between two; one number again and
 * again; and zeros. */
static inline void fill_plainly(generator *g, quire_type type, size_t n, void *x) {
    const int kind = (int)generator_below(g, 3);
    const double one = (double)(generator_below(g, 64) + 1) / 16;
    for (size_t k = 0; k < n; k++) {
        const double some = (double)generator_below(g, 17) - 8;
        const uint64_t sign = kind == 2 && generator_below(g, 2) ? type_sign(type) : 0;
        type_store(type, x, k, kind == 2 ? sign : type_encode(type, kind == 1 ? one : some));
    }
}

/* Element k of n that two ends often leave open: numbers that cancel, or nearly, over as many binades as there are, up
 * to 60; integers whose sums, or those of their squares, are in the middle of two results, or on one, but for something
 * far below; numbers that are far from 0 and near to each other. */
static inline uint64_t undecided_element(generator *g, quire_type type, int kind, size_t n, size_t k, const void *x) {
    const number_format *f = type_format(type);
    const int bits = f->precision < 13 ? f->precision : 13;
    int spread = f->greatest - 2 < -f->least ? f->greatest - 2 : -f->least;
    if (spread > 30) spread = 30;
    switch (kind) {
    case 0:
        if (k >= n / 2 && k < n / 2 * 2)
            return type_load(type, x, k - n / 2) ^ type_sign(type) ^ (generator_below(g, 8) == 0);
        return type_encode(type, (1 + generator_uniform(g)) * power_of_two(generator_between(g, -spread, spread)));
    case 1:
        if (k < 3) return type_encode(type, (double)generator_below(g, (uint64_t)1 << bits));
        return (generator_below(g, 2) ? type_sign(type) : 0) | generator_below(g, 3);
    case 2: return type_encode(type, power_of_two(f->precision - 2) + (double)generator_below(g, 4));
    default: return k < 1 ? type_encode(type, 1 + generator_uniform(g)) : k % 2;
    }
}

/* A vector of any family, or of those above; often with NaN, infinities or zeros at random places. */
static inline void fill_open(generator *g, quire_type type, size_t n, void *x) {
    const int way = (int)generator_below(g, 8), kind = (int)generator_below(g, 4);
    if (way < 2) {
        fill_plainly(g, type, n, x);
    } else if (way < 5) {
        for (size_t k = 0; k < n; k++) type_store(type, x, k, undecided_element(g, type, kind, n, k, x));
        generator_shuffle(g, n, type_size(type), x);
    } else
        family_fill((family)generator_below(g, FAMILY_COUNT), type, generator_next(g), n, x);
    if (generator_below(g, 4) == 0)
        for (uint64_t i = 1 + generator_below(g, 3); i; i--)
            type_store(type, x, generator_below(g, n), draw_special(g, type));
}

#endif
