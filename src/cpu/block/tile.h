/* tile.h - tiles of the canonical order on vectors of one real type. Included once per real type with VECTOR (v_f32 or
 * v_f64), SCALAR (f32 or f64), SCALAR_TYPE and WIDTH (lanes of a vector) defined, which stay so.
 *
 * The state of a whole row is kept in registers if they can hold it. If not, rows are added in strips: for each group
 * of vectors that fits, the rows of the strip run through it. Then vector merges with vector until one is left. The
 * merges that remain, of the lanes of that vector, are one long chain; they wait until a batch of tiles has come so
 * far, and run side by side, as do those of the tiles themselves.
 *
 * SPDX-License-Identifier: MIT
 */

#include "cpu/block/functions.h"
#include "cpu/block/rows.h"
#include "cpu/simd/simd.h"

#ifndef STRIP_BYTES
#define STRIP_BYTES ((size_t)8192)        /* of a strip */
#define AHEAD_BYTES ((size_t)8192)        /* so far ahead is fetched, where there are no strips */
#define STRIP_AHEAD_BYTES ((size_t)16384) /* where there are */
#endif

/* Everything a tile needs to know, constant in every instance, so that all of it is inlined. */
typedef struct {
    format_description format;
    int words, is_product, is_pair; /* is_pair: terms are of two arrays; else y is x, and not read */
    term_sign sign;
    VECTOR (*load)(const void *p);
    VECTOR (*first)(const void *p, int n, VECTOR others);
    VECTOR (*value)(VECTOR x, VECTOR y);
    VECTOR (*error)(VECTOR x, VECTOR y, VECTOR value);
    void (*add)(VECTOR *state, VECTOR value, VECTOR error, int has_error);
    void (*merge)(VECTOR *state, const VECTOR *other);
} QUIRE_NAME(tile_arithmetic, SCALAR);

typedef struct {
    VECTOR vector[ORDER_LANES / WIDTH][QUIRE_STATE_WORDS];
} QUIRE_NAME(tile_lanes, SCALAR);

/* Rows from begin to end, of the given number of vectors, from first on; before row 0 all lanes are the identity. What
 * lies ahead bytes behind them, unless that is 0, is fetched into the second cache, in the order of memory whatever the
 * order of groups; perhaps past the end, where it does nothing. Whole rows are read in that order, too, and the
 * processor fetches on by itself: it is enough to prefetch every second line. Where memory waits for the arithmetic,
 * every line goes to the first cache. */
QUIRE_INLINE void QUIRE_NAME(tile_columns, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                   QUIRE_NAME(tile_lanes, SCALAR) * lanes, tile_source from,
                                                   size_t begin, size_t end, int first, int count, size_t ahead) {
    enum { VECTORS = ORDER_LANES / WIDTH };
    const size_t bytes = (size_t)(WIDTH * t.format.size), row_bytes = VECTORS * bytes, at = (size_t)first * bytes;
    const int slow = t.words > 1 && t.format.size < (int)sizeof(SCALAR_TYPE); /* kahan of 16 bits */
    const size_t fetch_every = count == VECTORS ? 2 * LINE_BYTES : LINE_BYTES;
    uintptr_t next = (uintptr_t)from.x + ahead + begin * row_bytes + (end - begin) * at;
    VECTOR state[VECTORS][QUIRE_STATE_WORDS];
    SIMD_UNROLL
    for (int v = 0; v < count; v++)
        for (int w = 0; w < t.words; w++) state[v][w] = begin ? lanes->vector[first + v][w] : -(VECTOR){ 0 };
    for (size_t row = begin; row < end; row++, next += (size_t)count * bytes) {
        const char *x = (row < from.full ? from.x + row * row_bytes : from.last_x) + at;
        const char *y = t.is_pair ? (row < from.full ? from.y + row * row_bytes : from.last_y) + at : x;
        SIMD_UNROLL
        for (int v = 0; v < count; v++) {
            const void *fetch = (const void *)(next + (size_t)v * bytes);
            if (ahead && slow)
                __builtin_prefetch(fetch, 0, 3);
            else if (ahead && (size_t)v * bytes % fetch_every == 0)
                __builtin_prefetch(fetch, 0, 2); /* the second cache */
            VECTOR a = t.load(x + (size_t)v * bytes), b = t.is_pair ? t.load(y + (size_t)v * bytes) : a;
            VECTOR value = t.value(a, b);
            t.add(state[v], value, t.error(a, b, value), t.is_product);
        }
    }
    SIMD_UNROLL
    for (int v = 0; v < count; v++)
        for (int w = 0; w < t.words; w++) lanes->vector[first + v][w] = state[v][w];
}

/* All rows: through all vectors at once, or strip by strip, and in each group by group. */
QUIRE_INLINE void QUIRE_NAME(tile_rows, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                QUIRE_NAME(tile_lanes, SCALAR) * lanes, tile_source from, size_t rows,
                                                int fetches) {
    enum { VECTORS = ORDER_LANES / WIDTH };
    const int fits = t.words * VECTORS <= SIMD_REGISTERS, group = fits ? VECTORS : SIMD_REGISTERS / (2 * t.words);
    const size_t strip = STRIP_BYTES / (size_t)(ORDER_LANES * t.format.size);
    const size_t ahead = fits ? AHEAD_BYTES : STRIP_AHEAD_BYTES;
    for (size_t row = 0, end; row < rows; row = end) {
        end = fits || rows - row < strip ? rows : row + strip;
        const size_t begin = fits ? 0 : row; /* so a compiler sees that there is one strip only */
        for (int first = 0; first < VECTORS; first += group)
            if (fetches)
                QUIRE_NAME(tile_columns, SCALAR)(t, lanes, from, begin, end, first, group, ahead);
            else
                QUIRE_NAME(tile_columns, SCALAR)(t, lanes, from, begin, end, first, group, 0);
    }
}

/* The vectors merged into the first. */
QUIRE_INLINE void QUIRE_NAME(tile_fold, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                QUIRE_NAME(tile_lanes, SCALAR) * lanes) {
    enum { VECTORS = ORDER_LANES / WIDTH };
    if (t.words * VECTORS <= SIMD_REGISTERS) {
        SIMD_UNROLL
        for (int w = VECTORS / 2; w; w /= 2) {
            SIMD_UNROLL
            for (int v = 0; v < w; v++) t.merge(lanes->vector[v], lanes->vector[v + w]);
        }
    } else { /* from memory to memory: unrolled, it is slower */
        for (int w = VECTORS / 2; w; w /= 2)
            for (int v = 0; v < w; v++) t.merge(lanes->vector[v], lanes->vector[v + w]);
    }
}

/* Vectors whose lanes are groups of 2 w neighbours: in each group, the upper half merges into the lower. What is left
 * comes together in half as many vectors, in the same order. Answers how many. */
QUIRE_INLINE size_t QUIRE_NAME(tile_halve, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                   VECTOR (*state)[QUIRE_STATE_WORDS], size_t count, int w) {
    for (size_t i = 0; i < count; i += 2) {
        VECTOR lower[QUIRE_STATE_WORDS], upper[QUIRE_STATE_WORDS];
        for (int k = 0; k < t.words; k++) {
            lower[k] = state[i][k], upper[k] = i + 1 < count ? state[i + 1][k] : -(VECTOR){ 0 }; /* the identity */
            QUIRE_NAME(part_v, SCALAR)(&lower[k], &upper[k], w);
        }
        t.merge(lower, upper);
        for (int k = 0; k < t.words; k++) state[i / 2][k] = lower[k];
    }
    return (count + 1) / 2;
}

/* A tile of n elements, at most "most" of them, a power of two: no other lanes have any, and those merge as the
 * identity. */
QUIRE_INLINE void QUIRE_NAME(tile_few, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x, const char *y,
                                               int n, int most, SCALAR_TYPE *total) {
    const int vectors = most > WIDTH ? most / WIDTH : 1, full = n / WIDTH, tail = n % WIDTH,
              bytes = WIDTH * t.format.size;
    const VECTOR zero = { 0 }, none = t.sign == SIGN_FLIPPED ? zero : -zero, /* see missing_element */
        last_x = tail ? t.first(x + full * bytes, tail, none) : none,
                 last_y = !t.is_pair ? last_x
                          : tail     ? t.first(y + full * bytes, tail, zero)
                                     : zero;
    VECTOR state[SHORT_ROW / WIDTH][QUIRE_STATE_WORDS];
    _Static_assert(SHORT_ROW <= ORDER_LANES, "no lane has two elements");
    SIMD_UNROLL
    for (int v = 0; v < vectors; v++) {
        const VECTOR a = v < full ? t.load(x + v * bytes) : v == full ? last_x : none;
        const VECTOR b = !t.is_pair  ? a
                         : v < full  ? t.load(y + v * bytes)
                         : v == full ? last_y
                                     : zero,
                     value = t.value(a, b);
        for (int k = 0; k < t.words; k++) state[v][k] = -zero;
        t.add(state[v], value, t.error(a, b, value), t.is_product);
    }
    SIMD_UNROLL
    for (int w = vectors / 2; w; w /= 2) {
        SIMD_UNROLL
        for (int v = 0; v < w; v++) t.merge(state[v], state[v + w]);
    }
    SIMD_UNROLL
    for (int w = WIDTH / 2; w; w /= 2) QUIRE_NAME(tile_halve, SCALAR)(t, state, 1, w);
    for (int k = 0; k < t.words; k++) total[k] = state[0][k][0];
}
