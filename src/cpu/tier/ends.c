/* ends.c - sums by their ends in one tier: instances of block/ends.h for every format that floats hold, and of pairs.h
 * for all, with every term; and the results that they tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/ends.h"
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

/* ---------------------------------------------------------------------------------------------------- results */

/* Results that the ends of sums tell, some at a time, to nearest. Both ends, or their roots, or quotients, are rounded:
 * where they become the same, that is the result. What is not exact is moved away from the other end first, by more
 * than its roundings (ENDS_AWAY). */

typedef float v_f32_of_v_f64 __attribute__((vector_size(SIMD_BYTES / 2)));
typedef int32_t v_i32_of_v_f64 __attribute__((vector_size(SIMD_BYTES / 2)));

/* are_zero: both were, before they were finished: a quotient may underflow to a zero of either sign. */
typedef struct {
    v_f64 low, up;
    v_i64 are_zero;
} ends_lanes_of_results;

/* TwoSum may overflow on its way to a sum that does not. So ends beside a sum tell nothing where they are infinite: NaN
 * in place of the upper one leaves that open. */
QUIRE_INLINE v_f64 ends_if_finite(v_f64 sum, v_f64 up) {
    const v_i64 is_alone = (v_i64)sum == INT64_MIN, is_finite = (v_i64)(up - up == 0);
    return (v_f64)((v_i64)up | ~(is_alone | is_finite));
}

/* Of SIMD_F64 sums from number i on, to be rounded to floats. */
QUIRE_INLINE ends_lanes_of_results ends_finished(const many_ends *e, size_t i, finish_kind finish,
                                                 const double *counts) {
    const v_f64 sum = double_load_v_f64(e->sum + i);
    v_f64 low = sum - double_load_v_f64(e->low + i), up = ends_if_finite(sum, sum + double_load_v_f64(e->up + i));
    const v_i64 alone = (v_i64)sum == INT64_MIN, moved = finish == FINISH_KEEP ? ~alone : ~(v_i64){ 0 };
    const v_i64 are_zero = (v_i64)((low == 0) & (up == 0)), zeros = (v_i64)up & are_zero; /* which keep their signs */
    if (finish == FINISH_ROOT) low = root_v_f64(low), up = root_v_f64(up);
    if (finish == FINISH_DIVIDE) low /= double_load_v_f64(counts + i), up /= double_load_v_f64(counts + i);
    low -= (v_f64)((v_i64)abs_v_f64(low) & moved) * ENDS_AWAY;
    up += (v_f64)((v_i64)abs_v_f64(up) & moved) * ENDS_AWAY;
    up = (v_f64)(((v_i64)up & ~are_zero) | zeros);
    return (ends_lanes_of_results){ low, up, are_zero };
}

/* The same to be doubles: a sum is rounded once, where an end is added to it. A root and a quotient are two doubles,
 * off by less than 2^-101 of them beside what the sum is (operation/moments_ball.h has the proofs), and the sums that
 * are their ends are rounded before. What is near an overflow or an underflow is left open. */
#define ENDS_OFF 0x1p-99
QUIRE_INLINE ends_lanes_of_results ends_as_two(const many_ends *e, size_t i, finish_kind finish, const double *counts) {
    const v_f64 sum = double_load_v_f64(e->sum + i), low = double_load_v_f64(e->low + i),
                up = double_load_v_f64(e->up + i);
    if (finish == FINISH_KEEP) {
        const v_f64 from = sum - low, to = ends_if_finite(sum, sum + up);
        return (ends_lanes_of_results){ from, to, (v_i64)((from == 0) & (to == 0)) };
    }
    const v_f64 n = finish == FINISH_DIVIDE ? double_load_v_f64(counts + i) : sum;
    v_f64 high, first, second, radius = (up + low) * 0.5 + (abs_v_f64(up) + abs_v_f64(low)) * (ENDS_AWAY / 2);
    const v_f64 below = two_sum_v_f64(sum, (up - low) * 0.5, &high);
    radius = (v_f64)((v_i64)radius & ~(v_i64)(low == -up));
    if (finish == FINISH_DIVIDE) {
        first = high / n, second = (fma_v_f64(-first, n, high) + below) / n;
        radius = radius / n * (1 + ENDS_AWAY);
    } else {
        first = root_v_f64(high), second = (fma_v_f64(-first, first, high) + below) / (2 * first);
        radius = radius / first * (1 + ENDS_AWAY);
    }
    radius += abs_v_f64(first) * ENDS_OFF;
    const v_i64 is_there = (v_i64)((abs_v_f64(high) >= 0x1p-400) & (abs_v_f64(high) <= 0x1p400));
    return (ends_lanes_of_results){ first + (second - radius),
                                    (v_f64)((v_i64)(first + (second + radius)) | ~is_there),
                                    { 0 } };
}

/* Lanes that are open, of all sums; mostly none is. */
typedef struct {
    v_i64 lanes[ENDS_TOGETHER / SIMD_F64], any;
} ends_open_lanes;

QUIRE_INLINE void ends_leave_open(ends_open_lanes *o, size_t i, v_i64 lanes) {
    o->lanes[i / SIMD_F64] = lanes;
    o->any |= lanes;
}

QUIRE_INLINE uint64_t ends_open_bits(const ends_open_lanes *o, size_t count) {
    int64_t any = 0;
    uint64_t open = 0;
    for (int k = 0; k < SIMD_F64; k++) any |= o->any[k];
    for (size_t i = 0; i < count && any; i++) open |= (uint64_t)(o->lanes[i / SIMD_F64][i % SIMD_F64] & 1) << i;
    return open;
}

/* Lanes whose ends are no two zeros, nor numbers that became the same bits. */
QUIRE_INLINE v_i64 ends_open(ends_lanes_of_results e, v_i64 are_same) {
    return ~((are_same | e.are_zero) & (e.up == e.up));
}

/* Rounded to floats, from number i on. */
QUIRE_INLINE void ends_put_floats(ends_lanes_of_results e, float *rounded, size_t i, ends_open_lanes *open) {
    const v_f32_of_v_f64 low = __builtin_convertvector(e.low, v_f32_of_v_f64),
                         up = __builtin_convertvector(e.up, v_f32_of_v_f64);
    const v_i32_of_v_f64 same = (v_i32_of_v_f64)low == (v_i32_of_v_f64)up;
    memcpy(rounded + i, &up, sizeof up);
    ends_leave_open(open, i, ends_open(e, __builtin_convertvector(same, v_i64)));
}

/* finish is a constant. counts as many as ENDS_TOGETHER, if they are read. */
QUIRE_INLINE uint64_t ends_as_floats(const many_ends *ends, size_t count, finish_kind finish, const double *counts,
                                     void *results) {
    float rounded[ENDS_TOGETHER];
    ends_open_lanes open;
    open.any = (v_i64){ 0 };
    for (size_t i = 0; i < count; i += SIMD_F64)
        ends_put_floats(ends_finished(ends, i, finish, counts), rounded, i, &open);
    memcpy(results, rounded, count * sizeof *rounded);
    return ends_open_bits(&open, count);
}

QUIRE_INLINE uint64_t ends_as_doubles(const many_ends *ends, size_t count, finish_kind finish, const double *counts,
                                      void *results) {
    double rounded[ENDS_TOGETHER];
    ends_open_lanes open;
    open.any = (v_i64){ 0 };
    for (size_t i = 0; i < count; i += SIMD_F64) {
        const ends_lanes_of_results e = ends_as_two(ends, i, finish, counts);
        memcpy(rounded + i, &e.up, sizeof e.up);
        ends_leave_open(&open, i, ends_open(e, (v_i64)e.low == (v_i64)e.up));
    }
    memcpy(results, rounded, count * sizeof *rounded);
    return ends_open_bits(&open, count);
}

/* A sum as a double that is off by a width at most. The middle is rounded twice, by 2^-53 of what is added at most: the
 * width has room for 4 roundings. */
typedef struct {
    v_f64 middle, width;
} ends_ball;

QUIRE_INLINE ends_ball ends_in_ball(const many_ends *e, size_t i) {
    const v_f64 sum = double_load_v_f64(e->sum + i), low = double_load_v_f64(e->low + i),
                up = double_load_v_f64(e->up + i), middle = sum + (up - low) * 0.5;
    return (ends_ball){ middle, (up + low) * 0.5 + (abs_v_f64(middle) + abs_v_f64(up) + abs_v_f64(low)) * ENDS_AWAY };
}

/* (n Q - S^2) / divisor, or its root. n Q, S^2 and their difference are rounded, by 2^-53 of them each, which is 2 n Q
 * together: for that the width of Q has room. What is not above 0 is left open. */
QUIRE_INLINE ends_lanes_of_results ends_variance(const many_ends *s, const many_ends *q, size_t i, double n,
                                                 double divisor, int is_root) {
    const ends_ball a = ends_in_ball(s, i), b = ends_in_ball(q, i);
    const v_f64 squared = a.middle * a.middle, times = b.middle * n, difference = times - squared;
    const v_f64 off = b.width * n + (2 * abs_v_f64(a.middle) + a.width) * a.width;
    v_f64 low = (difference - off) / divisor, up = (difference + off) / divisor;
    const v_i64 is_there = (v_i64)(low > 0x1p-1000);
    if (is_root) low = root_v_f64(low), up = root_v_f64(up);
    return (ends_lanes_of_results){ low * (1 - ENDS_AWAY), (v_f64)((v_i64)(up * (1 + ENDS_AWAY)) | ~is_there), { 0 } };
}

QUIRE_INLINE uint64_t ends_as_variances(const many_ends *s, const many_ends *q, size_t count, double n, double divisor,
                                        int is_root, void *results) {
    float rounded[ENDS_TOGETHER];
    ends_open_lanes open;
    open.any = (v_i64){ 0 };
    for (size_t i = 0; i < count; i += SIMD_F64)
        ends_put_floats(ends_variance(s, q, i, n, divisor, is_root), rounded, i, &open);
    memcpy(results, rounded, count * sizeof *rounded);
    return ends_open_bits(&open, count);
}

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
