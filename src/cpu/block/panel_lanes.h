/* panel_lanes.h - the lanes of the canonical order on panels, for one real type. Included once per type with VECTOR
 * (v_f32 or v_f64), SCALAR (f32 or f64) and WIDTH defined, like tile.h; there a vector holds lanes of one sum, here the
 * same lane of many sums.
 *
 * SPDX-License-Identifier: MIT
 */

/* Constant in every instance, so that all of it is inlined. */
typedef struct {
    int size, words, inexact, is_pair; /* is_pair: terms are of two arrays; else y is x, and not read */
    VECTOR (*load)(const void *p);
    VECTOR (*value)(VECTOR x, VECTOR y);
    VECTOR (*error)(VECTOR x, VECTOR y, VECTOR value);
    void (*add)(VECTOR *state, VECTOR value, VECTOR error, int inexact);
} QUIRE_NAME(panel_arithmetic, SCALAR);

/* One lane. */
QUIRE_INLINE void QUIRE_NAME(panel_add_lane, SCALAR)(QUIRE_NAME(panel_arithmetic, SCALAR) t, panel_rows rows,
                                                     int continues, VECTOR *state) {
    VECTOR s[PANEL / WIDTH][QUIRE_STATE_WORDS];
    SIMD_UNROLL
    for (int v = 0; v < PANEL / WIDTH; v++)
        for (int w = 0; w < t.words; w++) s[v][w] = continues ? state[w * (PANEL / WIDTH) + v] : -(VECTOR){ 0 };
    for (size_t row = 0; row < rows.rows; row++) {
        const char *x = rows.x + (ptrdiff_t)row * rows.x_row, *y = rows.y + (ptrdiff_t)row * rows.y_row;
        SIMD_UNROLL
        for (int v = 0; v < PANEL / WIDTH; v++) {
            const VECTOR a = t.load(x + v * WIDTH * t.size), b = t.is_pair ? t.load(y + v * WIDTH * t.size) : a;
            const VECTOR value = t.value(a, b);
            t.add(s[v], value, t.error(a, b, value), t.inexact);
        }
    }
    SIMD_UNROLL
    for (int v = 0; v < PANEL / WIDTH; v++)
        for (int w = 0; w < t.words; w++) state[w * (PANEL / WIDTH) + v] = s[v][w];
}

/* states are aligned as vectors are. */
QUIRE_INLINE void QUIRE_NAME(panel_add_lanes, SCALAR)(QUIRE_NAME(panel_arithmetic, SCALAR) t, panel_rows rows,
                                                      size_t lanes, ptrdiff_t x_lane, ptrdiff_t y_lane, int continues,
                                                      VECTOR *states) {
    const panel_rows all = rows;
    const panel_fetcher x_fetches = panel_fetches(lanes, ORDER_LANES, x_lane, t.size),
                        y_fetches = panel_fetches(lanes, ORDER_LANES, y_lane, t.size);
    for (size_t lane = 0; lane < lanes; lane++) {
        rows.x = all.x + (ptrdiff_t)lane * x_lane, rows.y = all.y + (ptrdiff_t)lane * y_lane;
        panel_fetch(x_fetches, rows.x, lane);
        if (t.is_pair) panel_fetch(y_fetches, rows.y, lane);
        QUIRE_NAME(panel_add_lane, SCALAR)(t, rows, continues, states + lane * (size_t)(t.words * (PANEL / WIDTH)));
    }
}

/* The same. Products of an array with itself read it once. */
QUIRE_INLINE void QUIRE_NAME(panel_add, SCALAR)(QUIRE_NAME(panel_arithmetic, SCALAR) t, panel_rows rows, size_t lanes,
                                                ptrdiff_t x_lane, ptrdiff_t y_lane, int continues, VECTOR *states) {
    QUIRE_NAME(panel_arithmetic, SCALAR) square = t;
    square.is_pair = 0;
    if (t.is_pair && panel_squares(rows) && x_lane == y_lane)
        QUIRE_NAME(panel_add_lanes, SCALAR)(square, rows, lanes, x_lane, x_lane, continues, states);
    else
        QUIRE_NAME(panel_add_lanes, SCALAR)(t, rows, lanes, x_lane, y_lane, continues, states);
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
#undef WIDTH
