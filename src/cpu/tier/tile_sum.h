/* tile_sum.h - subtrees of the canonical order on vectors of one real type: which way each tile goes, of those that
 * cpu/block has for the same lanes, and the tree over them. Included by lanes.c once per real type, behind tile.h and
 * with the same names defined, and behind tile_narrow_f32 or _f64: a faster way through a tile, which answers whether
 * it led through.
 *
 * SPDX-License-Identifier: MIT
 */

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

#undef VECTOR
#undef SCALAR
#undef SCALAR_TYPE
#undef WIDTH
