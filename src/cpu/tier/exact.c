/* exact.c - exact accumulation in one tier: an instance of exact_sum.h and of the other ways for every format and term
 * of the lists, and the tables of them.
 *
 * Integer counts and limbs commute, so nothing here can show in an exact result: neither which way a block went, nor
 * how the input was cut.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/indexed.h"
#if defined(SIMD_HAS_BOUNDS) && !defined(SIMD_HAS_PAIRS)
#define HAS_NARROW_SUMS /* there is nothing quicker for 16 bits */
#include "cpu/block/bounds.h"
#endif
#include "cpu/tier/exact_sum.h"
#include "cpu/tier/tier.h"

/* The code begins at a page, so that its speed does not depend on what else is linked: halves' sums were 1.3 times as
 * slow at other places (AVX2, Zen 5). */
static __attribute__((aligned(4096), used)) void code_begins_at_a_page(void) {}

#define VECTOR_LOAD_f32(format) format##_load_v_f32
#define VECTOR_LOAD_f64(format) NULL

#define LOAD(format, FORMAT, type, real, unused)                                                                       \
    QUIRE_INLINE double format##_load_one(const void *p) { return format##_load_##real(p); }
QUIRE_FORMATS(LOAD, )

#define CHOICE(as_floats, name, NAME, real, term)                                                                      \
    ((const exact_choice){                                                                                             \
        .format = NAME##_DESCRIPTION,                                                                                  \
        .is_double = QUIRE_IS_DOUBLE_##real,                                                                           \
        .is_product = term##_is_product,                                                                               \
        .is_pair = term##_is_pair,                                                                                     \
        .sign = (term_sign)term##_sign_is,                                                                             \
        .floats = as_floats,                                                                                           \
        .load = VECTOR_LOAD_##real(name),                                                                              \
        .value = term##_value_v_f64,                                                                                   \
        .error = term##_error_v_f64,                                                                                   \
        .load_one = name##_load_one,                                                                                   \
        .value_one = term##_value_f64,                                                                                 \
    })

#define BLOCK(bins, way, floats, format, FORMAT, real, term)                                                           \
    static term_range format##_##term##_##way##_##bins(const char *x, const char *y, size_t steps, int top,            \
                                                       int fetches, block_counts *counts) {                            \
        return block_sum(CHOICE(floats, format, FORMAT, real, term), bins, x, y, steps, top, fetches, counts);         \
    }
#define BLOCK_ENTRY(bins, way, format, term) [bins] = format##_##term##_##way##_##bins,

/* An engine and its sum: with products as floats or as doubles. */
#define WAY(way, floats, format, FORMAT, real, term)                                                                   \
    WINDOWS(BLOCK, way, floats, format, FORMAT, real, term)                                                            \
    static size_t format##_##term##_##way##_sum(quire_accumulator *a, const char *x, const char *y, size_t n,          \
                                                int fetches) {                                                         \
        const exact_engine engine = engine_of(CHOICE(floats, format, FORMAT, real, term), fetches,                     \
                                              (exact_functions){                                                       \
                                                  .block = { WINDOWS(BLOCK_ENTRY, way, format, term) },                \
                                                  .copy_finite = format##_##term##_copy,                               \
                                                  .slow = format##_##term##_slow,                                      \
                                                  .other_terms = format##_##term##_other,                              \
                                              });                                                                      \
        return exact_sum(&engine, a, x, y, n);                                                                         \
    }

/* By floats, as far as these hold the products, and the others by doubles. */
typedef size_t engine_function(quire_accumulator *a, const char *x, const char *y, size_t n, int fetches);
QUIRE_INLINE void sum_by_both(exact_choice c, engine_function *by_floats, engine_function *by_doubles,
                              quire_accumulator *a, const char *x, const char *y, size_t n, int fetches) {
    const size_t done = float_products(c) ? by_floats(a, x, y, n, fetches) : 0;
    const size_t at = done * (size_t)c.format.size;
    if (!float_products(c) || (leaves_floats(c) && done < n)) by_doubles(a, x + at, y + at, n - done, fetches);
}

/* Sums of 16-bit elements by lanes that no addition rounds: the sixteen elements of such a lane become one float, which
 * is added as floats are. Where a lane has rounded, the elements of its vector become floats one by one. Two ends that
 * are the same infinity count as different, since what is finite beside it is added up, too. */
#if defined(HAS_NARROW_SUMS)
#define NARROW_VECTORS (2 * BLOCK_ELEMENTS / SIMD_F32) /* of floats that are added together; a tile may bring more */
#define NARROW_TRIED 16                                /* tiles go another way after one that bounds do not pay for */

/* Between carries: lanes of tiles, and where these round their elements too, then what goes another way. */
_Static_assert(CARRIES_IN_TIME(CARRY_ELEMENTS / ORDER_ROWS + NARROW_TRIED * ORDER_TILE), "a stretch is those tiles");

/* What terms there are beside -0, see indexed.h. */
typedef int64_t (*other_function)(const char *x, const char *y, size_t n);

typedef struct {
    v_f32 of[NARROW_VECTORS + BOUNDS_VECTORS + BOUNDS_AGAIN * ORDER_ROWS];
    size_t count;
} narrow_floats;

/* The lanes of a tile go to the end of floats, -0 for those of vectors with a bit in again, and the elements of these.
 */
QUIRE_INLINE void narrow_put(bounds_terms t, bounds_ends *ends, const char *x, unsigned again, narrow_floats *floats) {
    v_f32 *to = floats->of + floats->count;
    for (int v = 0; v < BOUNDS_VECTORS; v++) to[v] = ends[v][END_UP];
    floats->count += BOUNDS_VECTORS;
    for (; again; again &= again - 1) {
        const int v = __builtin_ctz(again);
        to[v] = -(v_f32){ 0 };
        for (int row = 0; row < ORDER_ROWS; row++) {
            const v_f32 element = t.load(x + (row * ORDER_LANES + v * SIMD_F32) * t.format.size);
            floats->of[floats->count++] = t.value(element, element);
        }
    }
}

/* Tiles, until one has too many lanes that round, or too few elements are left. Answers how many elements it has added.
 */
QUIRE_INLINE size_t narrow_tiles(bounds_terms t, exact_function add_floats, quire_accumulator *a, const char *x,
                                 size_t n, int fetches) {
    const size_t tile_bytes = ORDER_TILE * (size_t)t.format.size;
    narrow_floats floats;
    size_t done = 0;
    for (int is_worth_it = 1; is_worth_it && n - done >= ORDER_TILE;) {
        bounds_ends ends[BOUNDS_VECTORS];
        floats.count = 0;
        while (n - done >= ORDER_TILE && floats.count < NARROW_VECTORS) {
            const tile_source from = { x, x, x, x, ORDER_ROWS };
            const unsigned again = bounds_sum(t, ends, from, ORDER_ROWS, fetches);
            is_worth_it = __builtin_popcount(again) <= BOUNDS_AGAIN;
            if (!is_worth_it) break;
            narrow_put(t, ends, x, again, &floats);
            x += tile_bytes, done += ORDER_TILE;
        }
        if (floats.count) add_floats(a, floats.of, floats.of, floats.count * SIMD_F32, 0);
    }
    return done;
}

/* All elements, where tiles are not worth it by add_elements. A lane that is not 0 has a term that is not. Where all
 * are zeros, the elements themselves show whether these were zeros, too, or have cancelled. */
QUIRE_INLINE void narrow_sum(bounds_terms t, exact_function add_floats, exact_function add_elements,
                             other_function other_terms, quire_accumulator *a, const char *x, size_t n, int fetches) {
    const size_t size = (size_t)t.format.size, all = n;
    const char *first = x;
    while (n >= ORDER_TILE) {
        const size_t most = n < CARRY_ELEMENTS ? n : CARRY_ELEMENTS;
        const size_t done = narrow_tiles(t, add_floats, a, x, most, fetches);
        x += done * size, n -= done;
        if (n >= ORDER_TILE) limbs_carry(a->limb);
        if (most - done < ORDER_TILE) continue;
        const size_t others = n < NARROW_TRIED * ORDER_TILE ? n : NARROW_TRIED * ORDER_TILE;
        add_elements(a, x, x, others, fetches);
        x += others * size, n -= others;
    }
    if (n) add_elements(a, x, x, n, fetches);
    if (a->other < OTHER_NONZERO) a->other |= other_terms(first, first, all);
}

/* A function of its own, since it needs much more of the stack. */
static void float_identity_elements(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches);
#define NARROW_LEAST ORDER_TILE
#define NARROW(format, FORMAT, real, term)                                                                             \
    static __attribute__((noinline)) void format##_##term##_narrow(quire_accumulator *a, const void *x, size_t n,      \
                                                                   int fetches) {                                      \
        narrow_sum((bounds_terms){ FORMAT##_DESCRIPTION, VECTOR_LOAD_##real(format), term##_value_v_f32 },             \
                   float_identity_elements, format##_##term##_elements, format##_##term##_other, a, x, n, fetches);    \
    }
#else
#define NARROW_LEAST SIZE_MAX
#define NARROW(format, FORMAT, real, term)                                                                             \
    QUIRE_INLINE void format##_##term##_narrow(quire_accumulator *a, const void *x, size_t n, int fetches) {           \
        format##_##term##_elements(a, x, x, n, fetches);                                                               \
    }
#endif

#define INSTANCE(term, TERM, product, pair, sign, format, FORMAT, real)                                                \
    static void format##_##term##_copy(quire_accumulator *a, const char *x, const char *y, size_t steps, char *copy_x, \
                                       char *copy_y) {                                                                 \
        copy_finite(CHOICE(0, format, FORMAT, real, term), a, x, y, steps, copy_x, copy_y);                            \
    }                                                                                                                  \
    static void format##_##term##_slow(quire_accumulator *a, const char *x, const char *y, size_t n) {                 \
        slow_terms(CHOICE(0, format, FORMAT, real, term), a, x, y, n);                                                 \
    }                                                                                                                  \
    static int64_t format##_##term##_other(const char *x, const char *y, size_t n) {                                   \
        return other_terms(CHOICE(0, format, FORMAT, real, term), x, y, n);                                            \
    }                                                                                                                  \
    WAY(floats, 1, format, FORMAT, real, term)                                                                         \
    WAY(doubles, 0, format, FORMAT, real, term)                                                                        \
    static void format##_##term##_elements(quire_accumulator *a, const void *x, const void *y, size_t n,               \
                                           int fetches) {                                                              \
        sum_by_both(CHOICE(1, format, FORMAT, real, term), format##_##term##_floats_sum,                               \
                    format##_##term##_doubles_sum, a, x, y, n, fetches);                                               \
    }                                                                                                                  \
    NARROW(format, FORMAT, real, term)                                                                                 \
    static void format##_##term##_exact(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches) {   \
        if (sizeof(format##_element) == 2 && !term##_is_product && n >= NARROW_LEAST)                                  \
            format##_##term##_narrow(a, x, n, fetches);                                                                \
        else                                                                                                           \
            format##_##term##_elements(a, x, y, n, fetches);                                                           \
    }
#define OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(INSTANCE, format, FORMAT, real)
QUIRE_WINDOWED_FORMATS(OF_FORMAT, )

/* -------------------------------------------------------------------------------------------- decoded first */

#define DECODED_ELEMENTS ((size_t)4096) /* of a block */
_Static_assert(CARRIES_IN_TIME(DECODED_ELEMENTS), "a stretch is a block");

/* Of a format: bytes of an element, and its decoding. */
typedef struct {
    size_t size;
    decode_function decode;
} decoded_format;

/* An exact sum. y is x, unless terms are products of two arrays. */
static void decoded_sum(decoded_format format, exact_function add_floats, quire_accumulator *a, const char *x,
                        const char *y, size_t n) {
    _Alignas(64) float x_floats[DECODED_ELEMENTS], y_floats[DECODED_ELEMENTS]; /* whole lines of a cache */
    size_t since_carry = 0;
    for (size_t count; n; n -= count) {
        count = n < DECODED_ELEMENTS ? n : DECODED_ELEMENTS;
        format.decode(x, count, 0, x_floats);
        if (y != x) format.decode(y, count, 0, y_floats);
        add_floats(a, x_floats, y != x ? y_floats : x_floats, count, 0);
        y += count * format.size, x += count * format.size;
        since_carry += count;
        if (since_carry > CARRY_ELEMENTS) limbs_carry(a->limb), since_carry = 0;
    }
}

#define DECODED(term, TERM, product, pair, sign, format)                                                               \
    static void format##_##term##_exact(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches) {   \
        (void)fetches;                                                                                                 \
        decoded_sum((decoded_format){ sizeof(format##_element), format##_decode }, float_##term##_exact, a, x, y, n);  \
    }
#define OF_DECODED_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(DECODED, format)
QUIRE_DECODED_FORMATS(OF_DECODED_FORMAT, )

#define ENTRY(term, TERM, product, pair, sign, format, type) [type][TERM] = format##_##term##_exact,
#define ENTRIES_OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(ENTRY, format, type)

const exact_function QUIRE_NAME(exact_table,
                                SIMD_TIER)[FORMAT_NUMBERS][TERM_COUNT] = { QUIRE_FORMATS(ENTRIES_OF_FORMAT, ) };
