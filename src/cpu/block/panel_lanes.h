/* panel_lanes.h - the lanes of the canonical order on panels, for one real type. Included behind tile.h, with the same
 * names defined; there a vector holds lanes of one sum, here the same lane of many sums.
 *
 * SPDX-License-Identifier: MIT
 */

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
