/* loops.c - plain loops that compilers make vectors of, in one tier: running sums, of elements of every format as
 * doubles, by their ends; and exact sums of neighbouring integers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"

/* ----------------------------------------------------------------------------------------------------- running sums */

/* The ends of running sums, a block of elements at a time. A sum goes along the elements by one addition each; what
 * each addition loses (Knuth, TAOCP 2, 4.2.2, Theorem B) is found afterwards, of many together. What is lost is added
 * up in the same way, and so are the magnitudes of what that loses, as in pairs.h; mostly nothing is lost, and that is
 * known soon. */

/* Running sums in doubles, from where they start to where the next ones do, and what each addition loses; answers
 * whether any loses something. A NaN is something. */
QUIRE_INLINE int scan_add(double *start, const double *value, size_t n, double *sum, double *error) {
    double before[ENDS_TOGETHER + 1];
    uint64_t any = 0;
    double now = before[0] = *start;
    for (size_t k = 0; k < n; k++) sum[k] = before[k + 1] = now = now + value[k];
    *start = now;
    for (size_t k = 0; k < n; k++) {
        const double z = sum[k] - before[k], e = (before[k] - (sum[k] - z)) + (value[k] - z);
        error[k] = e;
        any |= bits_of_double(e) << 1;
    }
    return any != 0;
}

/* Each sum's ends, from what is lost, and what that has lost. */
QUIRE_INLINE void scan_widen(scan_state *s, const double *lost, const double *error, size_t n, many_ends *ends) {
    double off[ENDS_TOGETHER];
    for (size_t k = 0; k < n; k++) off[k] = s->off = s->off + abs_f64(error[k]);
    for (size_t k = 0; k < n; k++) {
        const double radius = lost_radius(lost[k], off[k]);
        ends->low[k] = radius - lost[k], ends->up[k] = radius + lost[k];
    }
}

/* Where nothing is lost the ends are 0 and -0, so that a zero keeps its sign. */
QUIRE_INLINE void scan_keep_zeros(size_t n, many_ends *ends) {
    for (size_t k = 0; k < n; k++) {
        const int nothing = ends->low[k] == 0 && ends->up[k] == 0;
        ends->low[k] = nothing ? 0.0 : ends->low[k], ends->up[k] = nothing ? -0.0 : ends->up[k];
    }
}

QUIRE_INLINE void scan_block_ends(scan_state *s, const double *value, size_t n, many_ends *ends) {
    double error[ENDS_TOGETHER], lost[ENDS_TOGETHER], again[ENDS_TOGETHER];
    uint64_t magnitudes = s->magnitudes, signs = s->signs;
    for (size_t k = 0; k < n; k++) magnitudes |= bits_of_double(value[k]) << 1, signs &= bits_of_double(value[k]);
    s->magnitudes = magnitudes, s->signs = signs;
    const int loses = scan_add(&s->sum, value, n, ends->sum, error);
    if (!loses && s->lost == 0 && s->off == 0) {
        for (size_t k = 0; k < n; k++) ends->low[k] = 0.0, ends->up[k] = -0.0;
        return;
    }
    const int widens = scan_add(&s->lost, error, n, lost, again);
    if (widens || s->off != 0)
        scan_widen(s, lost, again, n, ends);
    else
        for (size_t k = 0; k < n; k++) ends->low[k] = -lost[k], ends->up[k] = lost[k];
    scan_keep_zeros(n, ends);
}

/* Neighbours by whole vectors, as far as there are such. */
#define VALUES(name, NAME, number, real, unused)                                                                       \
    static void name##_values(double *to, const char *from, ptrdiff_t stride, size_t n) {                              \
        size_t k = 0;                                                                                                  \
        for (v_f64 x[2]; stride == (ptrdiff_t)sizeof(name##_element) && n - k >= 2 * SIMD_F64; k += 2 * SIMD_F64) {    \
            name##_in_order(from + k * sizeof(name##_element), &x[0], &x[1]);                                          \
            memcpy(to + k, x, sizeof x);                                                                               \
        }                                                                                                              \
        for (; k < n; k++) to[k] = (double)name##_load_##real(from + (ptrdiff_t)k * stride);                           \
    }
QUIRE_FORMATS(VALUES, )

#define VALUES_ENTRY(name, NAME, number, real, unused) [number] = name##_values,
static const scan_values_function values[FORMAT_NUMBERS] = { QUIRE_FORMATS(VALUES_ENTRY, ) };

static void ends(scan_state *s, const double *value, size_t n, many_ends *of) { scan_block_ends(s, value, n, of); }

const tier_scan QUIRE_NAME(scan, SIMD_TIER) = { values, ends };

/* --------------------------------------------------------------------------------------------------------- integers */

/* A loop adds to a word that cannot overflow within a stretch of elements; after each stretch the word goes to the sum.
 * What has 64 bits is split into its halves first, which are added up apart: of 2^30 elements each sum is below 2^62.
 * Signed halves would need a shift that few processors have: so 2^63 is added to each element, as a flip of its sign
 * bit, and taken off again at the end.
 */

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

#define INTEGERS_ENTRY(name, number, element, is_signed, unused)                                                       \
    [INTEGER_PLACE(number)] = { name##_elements, name##_magnitudes, name##_products },

const integer_function QUIRE_NAME(integers_table,
                                  SIMD_TIER)[INTEGER_NUMBERS][INTEGER_WAYS] = { QUIRE_INTEGERS(INTEGERS_ENTRY, ) };
