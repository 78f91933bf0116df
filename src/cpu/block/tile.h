/* tile.h - tiles of the canonical order on vectors of one real type. Included once per real type with VECTOR (v_f32 or
 * v_f64), SCALAR (f32 or f64), SCALAR_TYPE and WIDTH (lanes of a vector) defined, by tier/lanes.c, which defines
 * tile_narrow_f32 and _f64, a faster way through a tile that answers whether it led through.
 *
 * The state of a whole row is kept in registers if they can hold it. If not, rows are added in strips: for each group
 * of vectors that fits, the rows of the strip run through it. Then vector merges with vector until one is left. The
 * merges that remain, of the lanes of that vector, are one long chain; they wait until a batch of tiles has come so
 * far, and run side by side, as do those of the tiles themselves.
 *
 * SPDX-License-Identifier: MIT
 */

#include "cpu/block/functions.h"
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
 * every line goes to the first cache. Whole rows are one stretch and the last row another, for of a loop that asked in
 * each row which it is a compiler makes two. */
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
    for (size_t row = begin, stretch; row < end; row = stretch) {
        const int is_full = row < from.full;
        const char *x = (is_full ? from.x + row * row_bytes : from.last_x) + at;
        const char *y = t.is_pair ? (is_full ? from.y + row * row_bytes : from.last_y) + at : x;
        stretch = is_full && from.full < end ? from.full : end;
        for (size_t step = 0; row < stretch; row++, step += row_bytes, next += (size_t)count * bytes) {
            SIMD_UNROLL
            for (int v = 0; v < count; v++) {
                const void *fetch = (const void *)(next + (size_t)v * bytes);
                if (ahead && slow)
                    __builtin_prefetch(fetch, 0, 3);
                else if (ahead && (size_t)v * bytes % fetch_every == 0)
                    __builtin_prefetch(fetch, 0, 2); /* the second cache */
                const size_t place = step + (size_t)v * bytes;
                VECTOR a = t.load(x + place), b = t.is_pair ? t.load(y + place) : a;
                VECTOR value = t.value(a, b);
                t.add(state[v], value, t.error(a, b, value), t.is_product);
            }
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

/* -------------------------------------------------------------------------------------------------------- a subtree */

QUIRE_INLINE int QUIRE_NAME(tile_narrow, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                 QUIRE_NAME(tile_lanes, SCALAR) * lanes, tile_source from, size_t rows,
                                                 int fetches);

/* The lanes of a tile of n elements, the vectors merged into the first. *narrow: whether tile_narrow is to be tried;
 * then, whether it led through. */
QUIRE_INLINE void QUIRE_NAME(tile_add, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                               QUIRE_NAME(tile_lanes, SCALAR) * lanes, const char *x, const char *y,
                                               size_t n, int fetches, int *narrow) {
    const size_t size = (size_t)t.format.size, row_bytes = ORDER_LANES * size, tail = n % ORDER_LANES;
    _Alignas(8) char last_x[ORDER_LANES * sizeof(SCALAR_TYPE)], last_y[ORDER_LANES * sizeof(SCALAR_TYPE)];
    const tile_source from = { x, y, last_x, last_y, n / ORDER_LANES };
    const size_t rows = from.full + (tail != 0);
    if (tail) tile_fill(t.format, last_x, x + from.full * row_bytes, tail, missing_element(size, t.sign));
    if (tail && t.is_pair) tile_fill(t.format, last_y, y + from.full * row_bytes, tail, 0);
    if (*narrow)
        *narrow = fetches ? QUIRE_NAME(tile_narrow, SCALAR)(t, lanes, from, rows, 1)
                          : QUIRE_NAME(tile_narrow, SCALAR)(t, lanes, from, rows, 0);
    if (*narrow) return;
    QUIRE_NAME(tile_rows, SCALAR)(t, lanes, from, rows, fetches);
    QUIRE_NAME(tile_fold, SCALAR)(t, lanes);
}

/* Up to TILE_BATCH tiles and the tree over them. Merges are of whole vectors even where less of one is asked for. */
QUIRE_INLINE void QUIRE_NAME(tile_tree, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x, const char *y,
                                                size_t n, size_t tile, int fetches, SCALAR_TYPE *total) {
    VECTOR state[TILE_BATCH][QUIRE_STATE_WORDS]; /* of each tile; then of several each */
    size_t tiles = 0;
    int narrow = 1;
    for (size_t done = 0; done < n; done += tile, tiles++) {
        QUIRE_NAME(tile_lanes, SCALAR) lanes;
        const size_t at = done * (size_t)t.format.size;
        QUIRE_NAME(tile_add, SCALAR)(t, &lanes, x + at, y + at, n - done < tile ? n - done : tile, fetches, &narrow);
        for (int k = 0; k < t.words; k++) state[tiles][k] = lanes.vector[0][k];
    }
    size_t count = tiles;
    SIMD_UNROLL
    for (int w = WIDTH / 2; w; w /= 2)
        if ((size_t)w < n)
            count = QUIRE_NAME(tile_halve, SCALAR)(t, state, count, w); /* else lanes from w on are missing */
    for (; tiles > 1; tiles = (tiles + 1) / 2) count = QUIRE_NAME(tile_halve, SCALAR)(t, state, count, 1);
    for (int k = 0; k < t.words; k++) total[k] = state[0][k][0];
}

/* The same. Products of an array with itself read it once. */
QUIRE_INLINE void QUIRE_NAME(tile_sum, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x, const char *y,
                                               size_t n, size_t tile, int fetches, SCALAR_TYPE *total) {
    QUIRE_NAME(tile_arithmetic, SCALAR) square = t;
    square.is_pair = 0;
    if (t.is_pair && x == y)
        QUIRE_NAME(tile_tree, SCALAR)(square, x, x, n, tile, fetches, total);
    else
        QUIRE_NAME(tile_tree, SCALAR)(t, x, y, n, tile, fetches, total);
}

/* A subtree: up to TILE_BATCH tiles, of which a short one has a way of its own, whose longest length is a constant. */
QUIRE_INLINE void QUIRE_NAME(subtree_sum, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x, const char *y,
                                                  size_t n, size_t tile, int fetches, SCALAR_TYPE *total) {
    if (n <= TILE_FEW / 4)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, TILE_FEW / 4, total);
    else if (n <= TILE_FEW / 2)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, TILE_FEW / 2, total);
    else if (n <= TILE_FEW)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, TILE_FEW, total);
    else if (t.words == 1 && n <= SHORT_ROW / 4)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, SHORT_ROW / 4, total);
    else if (t.words == 1 && n <= SHORT_ROW / 2)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, SHORT_ROW / 2, total);
    else if (t.words == 1 && n <= SHORT_ROW)
        QUIRE_NAME(tile_few, SCALAR)(t, x, y, (int)n, SHORT_ROW, total);
    else
        QUIRE_NAME(tile_sum, SCALAR)(t, x, y, n, tile, fetches, total);
}

/* ----------------------------------------------------------------------------------------------------------- panels */

/* In tiles a vector holds lanes of one sum, here the same lane of many sums. */

/* The element at x, or the product of those at x and y, added to a state. */
QUIRE_INLINE void QUIRE_NAME(panel_add_element, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x,
                                                        const char *y, VECTOR *state) {
    const VECTOR a = t.load(x), b = t.is_pair ? t.load(y) : a, value = t.value(a, b);
    t.add(state, value, t.error(a, b, value), t.is_product);
}

/* One lane. */
QUIRE_INLINE void QUIRE_NAME(panel_add_lane, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, panel_rows rows,
                                                     int continues, VECTOR *state) {
    VECTOR s[PANEL / WIDTH][QUIRE_STATE_WORDS];
    SIMD_UNROLL
    for (int v = 0; v < PANEL / WIDTH; v++)
        for (int w = 0; w < t.words; w++) s[v][w] = continues ? state[w * (PANEL / WIDTH) + v] : -(VECTOR){ 0 };
    for (size_t row = 0; row < rows.rows; row++) {
        const char *x = rows.x + (ptrdiff_t)row * rows.x_row, *y = rows.y + (ptrdiff_t)row * rows.y_row;
        SIMD_UNROLL
        for (int v = 0; v < PANEL / WIDTH; v++) QUIRE_NAME(panel_add_element, SCALAR)
        (t, x + v * WIDTH * t.format.size, y + v * WIDTH * t.format.size, s[v]);
    }
    SIMD_UNROLL
    for (int v = 0; v < PANEL / WIDTH; v++)
        for (int w = 0; w < t.words; w++) state[w * (PANEL / WIDTH) + v] = s[v][w];
}

/* states are aligned as vectors are. */
QUIRE_INLINE void QUIRE_NAME(panel_add_lanes, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, panel_rows rows,
                                                      size_t lanes, ptrdiff_t x_lane, ptrdiff_t y_lane, int continues,
                                                      VECTOR *states) {
    const panel_rows all = rows;
    const size_t width = (size_t)(PANEL * t.format.size);
    const panel_fetcher x_fetches = panel_fetches(lanes, ORDER_LANES, x_lane, width, width),
                        y_fetches = panel_fetches(lanes, ORDER_LANES, y_lane, width, width);
    for (size_t lane = 0; lane < lanes; lane++) {
        rows.x = all.x + (ptrdiff_t)lane * x_lane, rows.y = all.y + (ptrdiff_t)lane * y_lane;
        panel_fetch(x_fetches, rows.x, lane);
        if (t.is_pair) panel_fetch(y_fetches, rows.y, lane);
        VECTOR *state = states + lane * (size_t)(t.words * (PANEL / WIDTH));
        if (all.rows == 1) /* as mostly: no loop */
            QUIRE_NAME(panel_add_lane, SCALAR)(t, (panel_rows){ rows.x, rows.y, 0, 0, 1 }, continues, state);
        else
            QUIRE_NAME(panel_add_lane, SCALAR)(t, rows, continues, state);
    }
}

/* The same. Products of an array with itself read it once. */
QUIRE_INLINE void QUIRE_NAME(panel_add, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, panel_rows rows, size_t lanes,
                                                ptrdiff_t x_lane, ptrdiff_t y_lane, int continues, VECTOR *states) {
    QUIRE_NAME(tile_arithmetic, SCALAR) square = t;
    square.is_pair = 0;
    if (t.is_pair && panel_squares(rows) && x_lane == y_lane)
        QUIRE_NAME(panel_add_lanes, SCALAR)(square, rows, lanes, x_lane, x_lane, continues, states);
    else
        QUIRE_NAME(panel_add_lanes, SCALAR)(t, rows, lanes, x_lane, y_lane, continues, states);
}

/* A subtree of so many rows, for one vector of columns. The number is a constant. */
QUIRE_INLINE void QUIRE_NAME(panel_subtree_of, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, panel_rows r, int rows,
                                                       VECTOR *state) {
    VECTOR s[SUBTREE_ROWS][QUIRE_STATE_WORDS];
    SIMD_UNROLL
    for (int i = 0; i < rows; i++) {
        for (int w = 0; w < t.words; w++) s[i][w] = -(VECTOR){ 0 };
        QUIRE_NAME(panel_add_element, SCALAR)(t, r.x + i * r.x_row, r.y + i * r.y_row, s[i]);
    }
    SIMD_UNROLL
    for (int half = SUBTREE_ROWS / 2; half; half /= 2) {
        SIMD_UNROLL
        for (int i = 0; i < half; i++)
            if (i + half < rows) t.merge(s[i], s[i + half]);
    }
    for (int w = 0; w < t.words; w++) state[w * (PANEL / WIDTH)] = s[0][w];
}

QUIRE_INLINE void QUIRE_NAME(panel_subtree, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, panel_rows r, size_t panels,
                                                    VECTOR *states) {
    for (size_t p = 0; p < panels; p++, states += t.words * (PANEL / WIDTH))
        for (int v = 0; v < PANEL / WIDTH; v++, r.x += WIDTH * t.format.size, r.y += WIDTH * t.format.size) {
            switch (r.rows) {
#define SUBTREE_CASE(count)                                                                                            \
    case count:                                                                                                        \
        if (count <= subtree_rows(t.words)) QUIRE_NAME(panel_subtree_of, SCALAR)(t, r, count, states + v);             \
        break;
                SUBTREE_CASE(1)
                SUBTREE_CASE(2)
                SUBTREE_CASE(3)
                SUBTREE_CASE(4)
                SUBTREE_CASE(5)
                SUBTREE_CASE(6)
                SUBTREE_CASE(7)
                SUBTREE_CASE(8)
#undef SUBTREE_CASE
            }
        }
}

QUIRE_INLINE void QUIRE_NAME(panel_merge, SCALAR)(int words, void (*merge)(VECTOR *state, const VECTOR *other),
                                                  VECTOR *into, const VECTOR *from, size_t count) {
    enum { VECTORS = PANEL / WIDTH };
    for (size_t i = 0; i < count; i++, into += words * VECTORS, from += words * VECTORS)
        for (int v = 0; v < VECTORS; v++) {
            VECTOR a[QUIRE_STATE_WORDS], b[QUIRE_STATE_WORDS];
            for (int w = 0; w < words; w++) a[w] = into[w * VECTORS + v], b[w] = from[w * VECTORS + v];
            merge(a, b);
            for (int w = 0; w < words; w++) into[w * VECTORS + v] = a[w];
        }
}

#undef VECTOR
#undef SCALAR
#undef SCALAR_TYPE
#undef WIDTH
