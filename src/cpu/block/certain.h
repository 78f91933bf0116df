/* certain.h - exact sums in doubles, of terms that are so alike that nothing is lost; compiled anew for every format
 * and term. Included by panels.c.
 *
 * Let all of n <= 2^g terms be below 2^high in magnitude and multiples of 2^low. Every partial sum is a multiple of
 * 2^low below 2^(high + g). So if high + g - low <= 53, each of them is a double, and no addition rounds. Where terms
 * themselves have more than 24 bits, that is seldom so, and the error of each addition is summed beside it (TwoSum): it
 * is a multiple of 2^low, too, and at most 2^(high + g - 54), so that the n of them stay below 2^(high + 2 g - 54), and
 * their sums are exact if that is at most 2^(low + 53).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_CERTAIN_H
#define QUIRE_CPU_BLOCK_CERTAIN_H

#include "cpu/block/panel.h"
#include "cpu/simd/scalar.h"
#include "cpu/simd/simd.h"

#define CERTAIN_BITS 53
#define CERTAIN_BITS_OF_TWO 106 /* of high - low + 2 g */

/* The choices of an instance; all constant. */
typedef struct {
    format_description format;
    int is_double, is_product;
    int is_pair;                  /* terms are of two arrays; else y is x, and not read */
    v_f32 (*load)(const void *p); /* unless is_double */
    v_f32 (*value_f32)(v_f32 x, v_f32 y);
    v_f64 (*value)(v_f64 x, v_f64 y);
} certain_terms;

QUIRE_INLINE int certain_precision(certain_terms t) {
    return t.is_product ? 2 * t.format.precision : t.format.precision;
}
QUIRE_INLINE int certain_errors(certain_terms t) { return certain_precision(t) > 24; }
/* Whether ranges are found from terms as floats, or as doubles. */
QUIRE_INLINE int certain_floats(certain_terms t) { return !t.is_double && !t.is_product; }

/* As many columns as a vector of floats has lanes. The least magnitude is biased so that zero, which has no exponent,
 * counts as the greatest. Those of floats are in the first of each pair. */
typedef struct {
    v_f64 sum[2], error[2];
    v_i64 most[2], least[2];
} certain_columns;

QUIRE_INLINE certain_columns certain_nothing(certain_terms t) {
    const v_i64 none = { 0 }, greatest = (v_i64)((v_i32){ 0 } + INT32_MAX);
    certain_columns c;
    for (int i = 0; i < 2; i++) {
        c.sum[i] = c.error[i] = (v_f64){ 0 };
        c.most[i] = none;
        c.least[i] = certain_floats(t) ? greatest : none + INT64_MAX;
    }
    return c;
}

QUIRE_INLINE void certain_look(certain_terms t, certain_columns *c, v_f32 floats, const v_f64 *doubles) {
    if (certain_floats(t)) {
        const v_i32 magnitude = (v_i32)floats & INT32_MAX;
        c->most[0] = (v_i64)max_v_i32((v_i32)c->most[0], magnitude);
        c->least[0] = (v_i64)min_v_i32((v_i32)c->least[0], (v_i32)((v_u32)magnitude + INT32_MAX));
        return;
    }
    for (int i = 0; i < 2; i++) {
        const v_i64 magnitude = (v_i64)doubles[i] & INT64_MAX;
        c->most[i] = max_v_i64(c->most[i], magnitude);
        c->least[i] = min_v_i64(c->least[i], (v_i64)((v_u64)magnitude + INT64_MAX));
    }
}

QUIRE_INLINE void certain_add_sum(certain_terms t, certain_columns *c, int i, v_f64 value) {
    if (certain_errors(t))
        c->error[i] += two_sum_v_f64(c->sum[i], value, &c->sum[i]);
    else
        c->sum[i] += value;
}

/* One element of each column. */
QUIRE_INLINE void certain_add(certain_terms t, certain_columns *c, const char *x, const char *y) {
    v_f32 floats = { 0 };
    v_f64 value[2];
    if (t.is_double) {
        for (int i = 0; i < 2; i++) {
            const v_f64 a = double_load_v_f64(x + i * SIMD_BYTES);
            value[i] = t.value(a, a);
        }
    } else if (t.is_product) {
        const v_f32 a = t.load(x), b = t.is_pair ? t.load(y) : a;
        value[0] = lower_f64(a) * lower_f64(b);
        value[1] = upper_f64(a) * upper_f64(b);
    } else {
        floats = t.load(x);
        floats = t.value_f32(floats, floats);
        value[0] = lower_f64(floats);
        value[1] = upper_f64(floats);
    }
    certain_look(t, c, floats, value);
    for (int i = 0; i < 2; i++) certain_add_sum(t, c, i, value[i]);
}

/* ---------------------------------------------------------------------------------------------------- whether it is */

/* The g of n terms. */
QUIRE_INLINE int certain_doublings(size_t n) { return n > 1 ? 64 - leading_zeros(n - 1) : 0; }

/* most and least are bit patterns of terms as floats or as doubles, least as it was found. All zero: no. */
QUIRE_INLINE int certain_range(certain_terms t, int64_t most, int64_t least, int g) {
    const int stored = certain_floats(t) ? 23 : 52, bias = certain_floats(t) ? 127 : 1023;
    const int64_t smallest =
        certain_floats(t) ? (least - INT32_MAX) & INT32_MAX : (int64_t)(((uint64_t)least - INT64_MAX) & INT64_MAX);
    const int most_field = (int)(most >> stored), least_field = (int)(smallest >> stored);
    const int high = (most_field ? most_field : 1) - bias + 1;
    const int low = (least_field ? least_field : 1) - bias - (certain_precision(t) - 1);
    const int fits = certain_errors(t) ? high - low + 2 * g <= CERTAIN_BITS_OF_TWO && high + g < 1024
                                       : high - low + g <= CERTAIN_BITS;
    return most && most_field < 2 * bias + 1 && fits;
}

/* --------------------------------------------------------------------------------------------------- a panel's sums */

#define CERTAIN_GROUPS (PANEL / SIMD_F32)
#define CERTAIN_TOGETHER (CERTAIN_GROUPS < 2 ? CERTAIN_GROUPS : 2) /* as registers allow */

/* Adds rows from first to last to groups of columns side by side. fetches: NULL, or of x and of y. */
QUIRE_INLINE void certain_rows(certain_terms t, certain_columns *c, panel_rows r, size_t first, size_t last, int groups,
                               const panel_fetcher *fetches) {
    for (size_t row = first; row < last; row++) {
        const char *x = r.x + (ptrdiff_t)row * r.x_row, *y = r.y + (ptrdiff_t)row * r.y_row;
        if (fetches) panel_fetch(fetches[0], x, row);
        if (fetches && t.is_pair) panel_fetch(fetches[1], y, row);
        SIMD_UNROLL
        for (int i = 0; i < groups; i++) {
            const int at = i * SIMD_F32 * t.format.size;
            certain_add(t, &c[i], x + at, y + at);
        }
    }
}

/* Stores what a group of columns came to; a bit for each that is certain. */
QUIRE_INLINE unsigned certain_judge(certain_terms t, const certain_columns *c, int g, double *sum, double *error) {
    unsigned certain = 0;
    memcpy(sum, c->sum, sizeof c->sum);
    memcpy(error, c->error, sizeof c->error);
    for (int i = 0; i < SIMD_F32; i++) {
        int32_t most32, least32;
        int64_t most, least;
        if (certain_floats(t)) {
            memcpy(&most32, (const char *)c->most + 4 * i, 4), most = most32;
            memcpy(&least32, (const char *)c->least + 4 * i, 4), least = least32;
        } else {
            memcpy(&most, (const char *)c->most + 8 * i, 8);
            memcpy(&least, (const char *)c->least + 8 * i, 8);
        }
        certain |= (unsigned)(certain_range(t, most, least, g) && sum[i] + error[i] != 0) << i;
    }
    return certain;
}

/* Where not all groups go together, each has some rows before the next rows: these stay in the first cache. */
#define CERTAIN_STRETCH ((size_t)32)
QUIRE_INLINE void certain_stretches(certain_terms t, certain_columns *c, panel_rows r, int together,
                                    const panel_fetcher *fetches) {
    for (size_t row = 0; row < r.rows; row += CERTAIN_STRETCH)
        for (int first = 0; first < CERTAIN_GROUPS; first += together) {
            const size_t last = r.rows - row < CERTAIN_STRETCH ? r.rows : row + CERTAIN_STRETCH;
            certain_columns some[CERTAIN_TOGETHER];
            panel_rows columns = r;
            columns.x += first * SIMD_F32 * t.format.size, columns.y += first * SIMD_F32 * t.format.size;
            SIMD_UNROLL
            for (int i = 0; i < together; i++) some[i] = c[first + i];
            certain_rows(t, some, columns, row, last, together, fetches);
            SIMD_UNROLL
            for (int i = 0; i < together; i++) c[first + i] = some[i];
        }
}

QUIRE_INLINE unsigned certain_panel(certain_terms t, panel_rows r, panel_sums *sums) {
    const int together = certain_errors(t) ? 1 : CERTAIN_TOGETHER, g = certain_doublings(r.rows);
    const panel_fetcher fetches[2] = { panel_fetches(r.rows, PANEL_EXACT_ROWS, r.x_row, t.format.size),
                                       panel_fetches(r.rows, PANEL_EXACT_ROWS, r.y_row, t.format.size) };
    certain_columns c[CERTAIN_GROUPS];
    unsigned certain = 0;
    SIMD_UNROLL
    for (int i = 0; i < CERTAIN_GROUPS; i++) c[i] = certain_nothing(t);
    if (together == CERTAIN_GROUPS)
        certain_rows(t, c, r, 0, r.rows, CERTAIN_GROUPS, fetches);
    else
        certain_stretches(t, c, r, together, fetches);
    for (int i = 0; i < CERTAIN_GROUPS; i++)
        certain |= certain_judge(t, &c[i], g, sums->sum + i * SIMD_F32, sums->error + i * SIMD_F32) << i * SIMD_F32;
    return certain;
}

/* ------------------------------------------------------------------------------------------------- one vector's sum */

/* The columns of b added to those of a. */
QUIRE_INLINE void certain_merge(certain_terms t, certain_columns *a, const certain_columns *b) {
    const int pairs = certain_floats(t) ? 1 : 2;
    for (int i = 0; i < 2; i++) {
        certain_add_sum(t, a, i, b->sum[i]);
        if (certain_errors(t)) a->error[i] += b->error[i];
    }
    for (int i = 0; i < pairs; i++) {
        const v_i32 most = (v_i32)b->most[i], least = (v_i32)b->least[i];
        a->most[i] = certain_floats(t) ? (v_i64)max_v_i32((v_i32)a->most[i], most) : max_v_i64(a->most[i], b->most[i]);
        a->least[i] =
            certain_floats(t) ? (v_i64)min_v_i32((v_i32)a->least[i], least) : min_v_i64(a->least[i], b->least[i]);
    }
}

/* All columns of one group added up. */
QUIRE_INLINE int certain_fold(certain_terms t, certain_columns *c, int g, double *sum, double *error) {
    int64_t most = 0, least = certain_floats(t) ? INT32_MAX : INT64_MAX;
    double s = 0, e = 0;
    certain_add_sum(t, c, 0, c->sum[1]);
    if (certain_errors(t)) c->error[0] += c->error[1];
    for (int i = 0; i < SIMD_F64; i++) {
        if (certain_errors(t))
            e += two_sum_f64(s, c->sum[0][i], &s) + c->error[0][i];
        else
            s += c->sum[0][i];
    }
    if (certain_floats(t)) {
        const v_i32 mosts = (v_i32)c->most[0], leasts = (v_i32)c->least[0];
        for (int i = 0; i < SIMD_F32; i++) {
            most = mosts[i] > most ? mosts[i] : most;
            least = leasts[i] < least ? leasts[i] : least;
        }
    } else {
        for (int i = 0; i < 2 * SIMD_F64; i++) {
            const int64_t m = c->most[i / SIMD_F64][i % SIMD_F64], l = c->least[i / SIMD_F64][i % SIMD_F64];
            most = m > most ? m : most;
            least = l < least ? l : least;
        }
    }
    *sum = s, *error = e;
    return certain_range(t, most, least, g) && s + e != 0;
}

/* Elements of a row as they stand, and at its end a copy filled up with elements that add nothing. */
QUIRE_INLINE int certain_vector(certain_terms t, const char *x, const char *y, size_t n, double *sum, double *error) {
    const int together = certain_errors(t) ? 1 : CERTAIN_TOGETHER, size = t.format.size;
    const size_t width = (size_t)(together * SIMD_F32), bytes = width * (size_t)size, tail = n % SIMD_F32;
    certain_columns c[CERTAIN_TOGETHER];
    SIMD_UNROLL
    for (int i = 0; i < together; i++) c[i] = certain_nothing(t);
    certain_rows(t, c, (panel_rows){ x, y, (ptrdiff_t)bytes, (ptrdiff_t)bytes, n / width }, 0, n / width, together,
                 NULL);
    size_t done = n / width * width;
    if (n - done >= SIMD_F32) {
        certain_add(t, &c[0], x + done * (size_t)size, y + done * (size_t)size);
        done += SIMD_F32;
    }
    if (tail) {
        _Alignas(8) char row_x[SIMD_F32 * 8], row_y[SIMD_F32 * 8];
        for (size_t i = 0; i < SIMD_F32; i++) {
            format_store(0, size, row_x + i * (size_t)size);
            format_store(0, size, row_y + i * (size_t)size);
        }
        memcpy(row_x, x + done * (size_t)size, tail * (size_t)size);
        if (t.is_pair) memcpy(row_y, y + done * (size_t)size, tail * (size_t)size);
        certain_add(t, &c[together - 1], row_x, row_y);
    }
    for (int i = 1; i < together; i++) certain_merge(t, &c[0], &c[i]);
    return certain_fold(t, &c[0], certain_doublings(n), sum, error);
}

#endif
