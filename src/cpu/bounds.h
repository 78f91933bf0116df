/* bounds.h - kahan where no addition rounds: then its compensation stays 0, and the sums alone are its state. Included by
 * tile.h, for the real type that 16-bit elements are added in.
 *
 * Each lane is summed twice, rounded up and rounded down. What is rounded up is never below the exact sum, and stays above
 * it once an addition has rounded; so if both come to the same, none has, and rounding to nearest comes to that, too. (Down
 * to the sign of a zero: rounding up gives it the one that rounding to nearest gives.) It takes two additions, where kahan
 * takes seven. Halves and bfloat16s have 11 and 8 of a float's 24 bits, so most lanes of a tile are such: of 30 vectors of
 * uniform halves, all lanes of 29, and of 270 of bfloat16s, of all but one. The others are done again, kahan's own way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BOUNDS_H
#define QUIRE_CPU_BOUNDS_H

#define BOUNDS_GROUP 8             /* vectors whose sums stay in registers, both of them                               */
#define BOUNDS_AGAIN 4             /* the most of a group to be done again; beyond, the tile is not worth the while    */
#define BOUNDS_NEXT ((size_t)8192) /* so far ahead is fetched into the first cache: a tile of 16 rows                  */
#define BOUNDS_FAR ((size_t)16384) /* and beyond that into the second, of arrays that are longer than caches           */

typedef struct {
    v_f32 up[BOUNDS_GROUP], down[BOUNDS_GROUP];
} lane_bounds;

/* One row of a group. What is fetched follows the order of memory, as group follows group, at an even pace. */
QUIRE_INLINE void bounds_add(tile_arithmetic_f32 t, const char *x, int is_first, uintptr_t next, int fetches,
                             lane_bounds *b) {
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) {
        const size_t at = (size_t)(v * SIMD_F32 * t.format.size);
        if (at % LINE_BYTES == 0) __builtin_prefetch((const void *)(next + at));
        if (at % LINE_BYTES == 0 && fetches) __builtin_prefetch((const void *)(next + at + BOUNDS_FAR), 0, 2);
        const v_f32 a = t.load(x + at), value = t.value(a, a);
        b->up[v] = is_first ? value : add_up(b->up[v], value);
        b->down[v] = is_first ? value : add_down(b->down[v], value);
    }
}

/* The lanes of a group, whether they are right or not; a bit for each vector in which they are not. */
QUIRE_INLINE unsigned bounds_group(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows, int first,
                                   int fetches) {
    const size_t bytes = (size_t)(SIMD_F32 * t.format.size), row_bytes = (size_t)(ORDER_LANES * t.format.size);
    const char *x = from.x + (size_t)first * bytes, *last = from.last_x + (size_t)first * bytes;
    uintptr_t next = (uintptr_t)from.x + BOUNDS_NEXT + rows * (size_t)first * bytes;
    lane_bounds b;
    bounds_add(t, from.full ? x : last, 1, next, fetches, &b);
    for (size_t row = 1; row < from.full; row++) {
        x += row_bytes, next += BOUNDS_GROUP * bytes;
        bounds_add(t, x, 0, next, fetches, &b);
    }
    if (from.full && rows > from.full) bounds_add(t, last, 0, next, fetches, &b);
    unsigned equal = SIMD_ALL_LANES, differ = 0;
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) {
        equal = equal_lanes(b.up[v], b.down[v], equal);
        lanes->vector[first + v][0] = b.up[v];
        lanes->vector[first + v][1] = (v_f32){ 0 };
    }
    if (equal == SIMD_ALL_LANES) return 0;
    for (int v = 0; v < BOUNDS_GROUP; v++)
        differ |= (unsigned)(equal_lanes(b.up[v], b.down[v], SIMD_ALL_LANES) != SIMD_ALL_LANES) << (first + v);
    return differ;
}

/* The lanes of a tile; or not, if too many of its additions round: then it answers 0. */
QUIRE_INLINE int bounds_rows(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows, int fetches) {
    unsigned again = 0;
    for (int first = 0; first < ORDER_LANES / SIMD_F32; first += BOUNDS_GROUP) {
        const unsigned differ = bounds_group(t, lanes, from, rows, first, fetches);
        if (__builtin_popcount(differ) > BOUNDS_AGAIN) return 0;
        again |= differ;
    }
    for (; again; again &= again - 1) tile_columns_f32(t, lanes, from, 0, rows, __builtin_ctz(again), 1, 0);
    return 1;
}

#endif
