/* accumulators.c - limbs of 32 bits, multiplied as words or taken out as doubles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "accumulators.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LEAST (-2148) /* bit 0 of limb 0 is worth 2 to that */
#define TIMES_BITS 31 /* a carried limb can be multiplied by numbers of so many bits */

/* Carried, and without its sign. */
static quire_accumulator without_sign(const quire_accumulator *a) {
    quire_accumulator m = *a;
    quire_carry(&m);
    if (m.limb[QUIRE_ACCUMULATOR_LIMBS - 1] >= 0) return m;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) m.limb[i] = -m.limb[i];
    quire_carry(&m);
    return m;
}

long double accumulator_magnitude(const quire_accumulator *a) {
    const quire_accumulator m = without_sign(a);
    long double value = 0;
    for (int i = QUIRE_ACCUMULATOR_LIMBS - 1; i >= 0; i--) value += ldexpl((long double)m.limb[i], 32 * i + LEAST);
    return value;
}

/* Adding a to itself, times times in all, multiplies its words. The counts may pass 2^63, and wrap. */
static void multiply_words(quire_accumulator *a, uint64_t times) {
    uint64_t words[QUIRE_ACCUMULATOR_WORDS];
    quire_carry(a);
    memcpy(words, a, sizeof words);
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) words[i] *= times;
    memcpy(a, words, sizeof words);
    quire_carry(a);
}

void accumulator_multiply(quire_accumulator *a, size_t times) {
    const uint64_t unit = (uint64_t)1 << TIMES_BITS, high = times / unit;
    quire_accumulator rest = *a;
    multiply_words(a, times % unit);
    if (!high) return;
    multiply_words(&rest, high);
    multiply_words(&rest, unit);
    quire_merge(a, &rest);
}

/* A sum of elements is a multiple of 2^-1074, and so are its limbs: they are doubles, unless they are too large. */
bool accumulator_subtract_square(quire_accumulator *from, const quire_accumulator *sum) {
    const quire_accumulator m = without_sign(sum);
    double parts[QUIRE_ACCUMULATOR_LIMBS], minus[QUIRE_ACCUMULATOR_LIMBS];
    size_t count = 0;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++)
        if (m.limb[i]) parts[count++] = ldexp((double)m.limb[i], 32 * i + LEAST);
    if (count && isinf(parts[count - 1])) return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) minus[k] = -parts[i];
        quire_accumulate_products(NULL, from, QUIRE_F64, count, parts, minus);
    }
    return true;
}
