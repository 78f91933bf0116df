/* integer_terms.h - exact sums of neighbouring integers: plain loops, which compilers make vectors of. Included by
 * tier/loops.c.
 *
 * A loop adds to a word that cannot overflow within a stretch of elements; after each stretch the word goes to the sum.
 * What has 64 bits is split into its halves first, which are added up apart: of 2^30 elements each sum is below 2^62.
 * Signed halves would need a shift that few processors have: so 2^63 is added to each element, as a flip of its sign
 * bit, and taken off again at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_INTEGER_TERMS_H
#define QUIRE_CPU_BLOCK_INTEGER_TERMS_H

#include "cpu/block/functions.h"

/* Elements of a stretch, whose terms have so many bits, in a word of so many, its sign among them. */
#define INTEGER_STRETCH(term_bits, word_bits) ((size_t)1 << ((word_bits)-1 - (term_bits)))

/* name(sum, x, y, n): adds TERM, of x[k] and y[k] of type element, by words of type word. */
#define INTEGER_LOOP(name, element, word, stretch, TERM)                                                               \
    static void name(integer_sum *sum, const void *x, const void *y, size_t n) {                                       \
        const element *a = x, *b = y;                                                                                  \
        (void)b;                                                                                                       \
        for (size_t count; n; n -= count, a += count, b += count) {                                                    \
            word s = 0;                                                                                                \
            count = n < (stretch) ? n : (stretch);                                                                     \
            for (size_t k = 0; k < count; k++) s += TERM(word, a[k], b[k]);                                            \
            integer_add_signed(sum, (int64_t)s, 0);                                                                    \
        }                                                                                                              \
    }

/* The same of terms of 64 bits, from which less, 0 or 2^63, has to be taken off. */
#define INTEGER_HALVES(name, element, less, TERM)                                                                      \
    static void name(integer_sum *sum, const void *x, const void *y, size_t n) {                                       \
        const element *a = x, *b = y;                                                                                  \
        (void)b;                                                                                                       \
        for (size_t count; n; n -= count, a += count, b += count) {                                                    \
            uint64_t lower = 0, upper = 0;                                                                             \
            count = n < INTEGER_STRETCH(LIMB_BITS + 1, 64) ? n : INTEGER_STRETCH(LIMB_BITS + 1, 64);                   \
            for (size_t k = 0; k < count; k++) {                                                                       \
                const uint64_t term = TERM(a[k], b[k]);                                                                \
                lower += term & LIMB_MASK, upper += term >> LIMB_BITS;                                                 \
            }                                                                                                          \
            integer_add_unsigned(sum, lower, 0);                                                                       \
            integer_add_unsigned(sum, upper, LIMB_BITS);                                                               \
            if (less) integer_add_signed(sum, -(int64_t)count, 63);                                                    \
        }                                                                                                              \
    }

#define TERM_OF_ELEMENT(word, a, b) (word)(a)
#define TERM_OF_MAGNITUDE(word, a, b) ((a) < 0 ? -(word)(a) : (word)(a))
#define TERM_OF_PRODUCT(word, a, b) ((word)(a) * (word)(b))
#define TERM_OF_SHORT_PRODUCT(word, a, b) (word)((int32_t)(a) * (int32_t)(b))
#define TERM_OF_UNSIGNED_SHORT_PRODUCT(word, a, b) (word)((uint32_t)(a) * (uint32_t)(b))

#define FLIPPED_64 ((uint64_t)1 << 63)
#define HALVES_OF_SIGNED(a, b) ((uint64_t)(a) ^ FLIPPED_64)
#define HALVES_OF_UNSIGNED(a, b) (a)
#define HALVES_OF_MAGNITUDE(a, b) ((a) < 0 ? 0 - (uint64_t)(a) : (uint64_t)(a))
#define HALVES_OF_SIGNED_PRODUCT(a, b) ((uint64_t)((int64_t)(a) * (b)) ^ FLIPPED_64)
#define HALVES_OF_UNSIGNED_PRODUCT(a, b) ((uint64_t)(a) * (b))

/* Products of 128 bits, one by one. An unsigned one is 2^64 y too much where x < 0, and 2^64 x where y < 0: taken off
 * without a branch, for signs are often random. */
#define INTEGER_LONG_PRODUCTS(name, element, is_signed)                                                                \
    static void name(integer_sum *sum, const void *x, const void *y, size_t n) {                                       \
        const element *a = x, *b = y;                                                                                  \
        integer_sum s = INTEGER_ZERO;                                                                                  \
        for (size_t k = 0; k < n; k++) {                                                                               \
            const uint64_t p = (uint64_t)a[k], q = (uint64_t)b[k];                                                     \
            uint64_t high, low;                                                                                        \
            multiply_64(p, q, &high, &low);                                                                            \
            if (is_signed) high -= ((0 - (p >> 63)) & q) + ((0 - (q >> 63)) & p);                                      \
            s.word[0] += low;                                                                                          \
            const uint64_t carry = s.word[0] < low;                                                                    \
            s.word[1] += high;                                                                                         \
            s.word[2] += (s.word[1] < high) - (is_signed ? high >> 63 : 0);                                            \
            s.word[1] += carry;                                                                                        \
            s.word[2] += s.word[1] < carry;                                                                            \
        }                                                                                                              \
        integer_add(sum, &s);                                                                                          \
    }

/* Elements of 8 and 16 bits add up in words of 32 bits, as products of 8 bits do. */
INTEGER_LOOP(int8_elements, int8_t, int32_t, INTEGER_STRETCH(8, 32), TERM_OF_ELEMENT)
INTEGER_LOOP(int8_magnitudes, int8_t, int32_t, INTEGER_STRETCH(8, 32), TERM_OF_MAGNITUDE)
INTEGER_LOOP(int8_products, int8_t, int32_t, INTEGER_STRETCH(16, 32), TERM_OF_PRODUCT)
INTEGER_LOOP(uint8_elements, uint8_t, uint32_t, INTEGER_STRETCH(8, 32), TERM_OF_ELEMENT)
INTEGER_LOOP(uint8_products, uint8_t, uint32_t, INTEGER_STRETCH(16, 32), TERM_OF_PRODUCT)
INTEGER_LOOP(int16_elements, int16_t, int32_t, INTEGER_STRETCH(16, 32), TERM_OF_ELEMENT)
INTEGER_LOOP(int16_magnitudes, int16_t, int32_t, INTEGER_STRETCH(16, 32), TERM_OF_MAGNITUDE)
INTEGER_LOOP(int16_products, int16_t, int64_t, INTEGER_STRETCH(32, 64), TERM_OF_SHORT_PRODUCT)
INTEGER_LOOP(uint16_elements, uint16_t, uint32_t, INTEGER_STRETCH(16, 32), TERM_OF_ELEMENT)
INTEGER_LOOP(uint16_products, uint16_t, uint64_t, INTEGER_STRETCH(32, 64), TERM_OF_UNSIGNED_SHORT_PRODUCT)
INTEGER_LOOP(int32_elements, int32_t, int64_t, INTEGER_STRETCH(32, 64), TERM_OF_ELEMENT)
INTEGER_LOOP(int32_magnitudes, int32_t, int64_t, INTEGER_STRETCH(32, 64), TERM_OF_MAGNITUDE)
INTEGER_HALVES(int32_products, int32_t, 1, HALVES_OF_SIGNED_PRODUCT)
INTEGER_LOOP(uint32_elements, uint32_t, uint64_t, INTEGER_STRETCH(32, 64), TERM_OF_ELEMENT)
INTEGER_HALVES(uint32_products, uint32_t, 0, HALVES_OF_UNSIGNED_PRODUCT)
INTEGER_HALVES(int64_elements, int64_t, 1, HALVES_OF_SIGNED)
INTEGER_HALVES(int64_magnitudes, int64_t, 0, HALVES_OF_MAGNITUDE)
INTEGER_LONG_PRODUCTS(int64_products, int64_t, 1)
INTEGER_HALVES(uint64_elements, uint64_t, 0, HALVES_OF_UNSIGNED)
INTEGER_LONG_PRODUCTS(uint64_products, uint64_t, 0)

/* What has no sign is its own magnitude. */
#define uint8_magnitudes uint8_elements
#define uint16_magnitudes uint16_elements
#define uint32_magnitudes uint32_elements
#define uint64_magnitudes uint64_elements

#endif
