/* ends.c - sums by their ends in one tier: instances of block/ends.h for every format that floats hold, and of pairs.h
 * for all, with every term; and the results that they tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/ends.h"
#include "cpu/block/ends_results.h"
#include "cpu/block/pairs.h"
#include "cpu/tier/tier.h"

/* The first elements of floats, or of doubles, as ends_choice has them. */
#define READ_f32(format)                                                                                               \
    QUIRE_INLINE void format##_first(const void *p, int n, v_f32 others, v_f64 *a, v_f64 *b) {                         \
        const v_f32 x = format##_first_v_f32(p, n, others);                                                            \
        *a = lower_f64(x), *b = upper_f64(x);                                                                          \
    }
#define READ_f64(format)                                                                                               \
    QUIRE_INLINE void format##_first(const void *p, int n, v_f32 others, v_f64 *a, v_f64 *b) {                         \
        const v_f64 zeros = lower_f64(others);                                                                         \
        const char *second = (const char *)p + SIMD_BYTES;                                                             \
        *a = n < SIMD_F64 ? format##_first_v_f64(p, n, zeros) : format##_load_v_f64(p);                                \
        *b = n > SIMD_F64 ? format##_first_v_f64(second, n - SIMD_F64, zeros) : zeros;                                 \
    }
#define READ(format, FORMAT, type, real, unused) READ_##real(format)
QUIRE_FORMATS(READ, )

#define CHOICE(pair, format, FORMAT, real, product, flag, power)                                                       \
    ((const ends_choice){                                                                                              \
        .size = sizeof(format##_element),                                                                              \
        .is_double = QUIRE_IS_DOUBLE_##real,                                                                           \
        .is_product = product,                                                                                         \
        .is_pair = pair,                                                                                               \
        .sign = flag,                                                                                                  \
        .is_sure = !(product) && have_sure_sums((format_description)FORMAT##_DESCRIPTION),                             \
        .scale = power,                                                                                                \
        .widen = format##_widen,                                                                                       \
        .columns = format##_in_order,                                                                                  \
        .first = format##_first,                                                                                       \
    })

/* Whether a vector's y is not its x. */
static int reads_others(const ends_vector *v, size_t count) {
    int others = 0;
    for (size_t i = 0; i < count; i++) others |= v[i].x != v[i].y;
    return others;
}

/* Products of an array with itself are read once. Never inlined: some have another rounding mode inside. */
#define WAY(way, kind, scale, term, product, pair, flag, format, FORMAT, real)                                         \
    static                                                                                                             \
        __attribute__((noinline)) void format##_##term##_##kind(const ends_vector *v, size_t count, many_ends *ends) { \
        if (pair && reads_others(v, count))                                                                            \
            way##_of_vectors(CHOICE(1, format, FORMAT, real, product, flag, scale), v, count, ends);                   \
        else                                                                                                           \
            way##_of_vectors(CHOICE(0, format, FORMAT, real, product, flag, scale), v, count, ends);                   \
    }                                                                                                                  \
    static __attribute__((noinline)) void format##_##term##_##kind##_columns(panel_rows r, size_t columns,             \
                                                                             many_ends *ends) {                        \
        if (pair && !panel_squares(r))                                                                                 \
            way##_of_columns(CHOICE(1, format, FORMAT, real, product, flag, scale), r, columns, ends);                 \
        else                                                                                                           \
            way##_of_columns(CHOICE(0, format, FORMAT, real, product, flag, scale), r, columns, ends);                 \
    }
/* Which ends there are of doubles, and of what floats hold: scaled up of products alone, for no sum is too small. */
#define WAYS_f32(product, ...) WAY(ends, alone, 1, __VA_ARGS__) WAY(pairs, beside, 1, __VA_ARGS__)
#define WAYS_f64(product, ...)                                                                                         \
    WAY(pairs, alone, 1, __VA_ARGS__)                                                                                  \
    WAY(pairs, down, ENDS_SCALE_DOWN, __VA_ARGS__) WAYS_UP_##product(__VA_ARGS__)
#define WAYS_UP_0(...)
#define WAYS_UP_1(...) WAY(pairs, up, ENDS_SCALE_UP, __VA_ARGS__)
#define INSTANCE(term, TERM, product, pair, flag, format, FORMAT, real)                                                \
    WAYS_##real(product, term, product, pair, flag, format, FORMAT, real)
#define OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(INSTANCE, format, FORMAT, real)
QUIRE_FORMATS(OF_FORMAT, )

#define ENTRY(term, TERM, format, type, kind)                                                                          \
    [type][TERM] = { QUIRE_NAME(format##_##term, kind), QUIRE_NAME(QUIRE_NAME(format##_##term, kind), columns) },
#define ALONE_ENTRY(term, TERM, product, pair, flag, format, type, real) ENTRY(term, TERM, format, type, alone)
#define BESIDE_ENTRY(term, TERM, product, pair, flag, format, type, real) ENTRY(term, TERM, format, type, BESIDE_##real)
#define DOWN_ENTRY(term, TERM, product, pair, flag, format, type, real) DOWN_##real(term, TERM, format, type)
#define UP_ENTRY(term, TERM, product, pair, flag, format, type, real) UP_##real(product, term, TERM, format, type)
#define BESIDE_f32 beside
#define BESIDE_f64 alone
#define DOWN_f32(...)
#define DOWN_f64(...) ENTRY(__VA_ARGS__, down)
#define UP_f32(...)
#define UP_f64(product, ...) UP_##product(__VA_ARGS__)
#define UP_0(...)
#define UP_1(...) ENTRY(__VA_ARGS__, up)
#define ENTRIES(format, FORMAT, type, real, OF_KIND) QUIRE_TERMS(OF_KIND, format, type, real)

#define RESULTS(reals)                                                                                                 \
    static uint64_t reals(const many_ends *ends, size_t count, finish_kind finish, const double *counts,               \
                          void *results) {                                                                             \
        if (finish == FINISH_ROOT) return ends_as_##reals(ends, count, FINISH_ROOT, counts, results);                  \
        if (finish == FINISH_DIVIDE) return ends_as_##reals(ends, count, FINISH_DIVIDE, counts, results);              \
        return ends_as_##reals(ends, count, FINISH_KEEP, counts, results);                                             \
    }
RESULTS(floats)
RESULTS(doubles)

static uint64_t variances(const many_ends *s, const many_ends *q, size_t count, double n, double divisor, int is_root,
                          void *results) {
    return is_root ? ends_as_variances(s, q, count, n, divisor, 1, results)
                   : ends_as_variances(s, q, count, n, divisor, 0, results);
}

const tier_ends QUIRE_NAME(ends, SIMD_TIER) = {
    { [ENDS_ALONE] = { QUIRE_FORMATS(ENTRIES, ALONE_ENTRY) },
      [ENDS_BESIDE_SUM] = { QUIRE_FORMATS(ENTRIES, BESIDE_ENTRY) },
      [ENDS_SCALED_DOWN] = { QUIRE_FORMATS(ENTRIES, DOWN_ENTRY) },
      [ENDS_SCALED_UP] = { QUIRE_FORMATS(ENTRIES, UP_ENTRY) } },
    floats,
    doubles,
    variances,
};
