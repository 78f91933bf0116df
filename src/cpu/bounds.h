/* bounds.h - kahan where no addition rounds: then its compensation is 0, and the sums alone are its state. Included by
 * tile.h, for the real type that 16-bit elements are added in.
 *
 * Each lane is summed twice, rounded up and rounded down. While all is finite, what is rounded up is never below the exact
 * sum, and stays above it once an addition has rounded; so if both come to the same, none has, and rounding to nearest comes
 * to that, too. (Down to the sign of a zero: rounding up gives it the one that rounding to nearest gives.) Both are the same
 * infinity only if an element was infinite; then so is kahan's sum, which stands for itself whatever its compensation is.
 *
 * It takes two additions, where kahan takes seven. Halves and bfloat16s have 11 and 8 of a float's 24 bits: of uniform ones
 * in tiles of 16 rows, 1 lane in 500, and 1 in 4000, has sums that differ. Its vector is done again, kahan's own way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BOUNDS_H
#define QUIRE_CPU_BOUNDS_H

#include "cpu/rests.h"

#define BOUNDS_GROUP (SIMD_REGISTERS / 4) /* vectors whose sums stay in registers, both of them                         */
#define BOUNDS_AGAIN 8                    /* the most to be done again; beyond, a batch of tiles is not worth it        */
#define BOUNDS_STRIP ((size_t)16)  /* rows that a group goes through at a time: more are in taller tiles only          */
#define BOUNDS_NEXT ((size_t)8192) /* so far ahead is fetched into the first cache: a strip                            */
#define BOUNDS_FAR ((size_t)16384) /* and beyond that into the second, of arrays that are longer than caches           */

typedef struct {
    v_f32 up[BOUNDS_GROUP], low[BOUNDS_GROUP];
} lane_bounds;

/* One row of a group. What is fetched follows the order of memory, as group follows group, at an even pace. */
QUIRE_INLINE void bounds_add(tile_arithmetic_f32 t, const char *x, int is_first, uintptr_t next, int fetches,
                             lane_bounds *b) {
    const int normal = t.format.least_exponent >= FLT_MIN_EXP - 1; /* as floats                                         */
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) {
        const size_t at = (size_t)(v * SIMD_F32 * t.format.size);
        if (at % LINE_BYTES == 0) __builtin_prefetch((const void *)(next + at));
        if (at % LINE_BYTES == 0 && fetches) __builtin_prefetch((const void *)(next + at + BOUNDS_FAR), 0, 2);
        const v_f32 a = t.load(x + at), value = t.value(a, a);
        b->up[v] = is_first ? value : up_add(b->up[v], value);
        b->low[v] = is_first ? low_first(value) : low_add(b->low[v], value, normal);
    }
}

/* Rows from begin to end through a group, whose sums stand in its lanes from strip to strip. */
QUIRE_INLINE void bounds_strip(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t begin, size_t end,
                               int first, int fetches, lane_bounds *b) {
    const size_t bytes = (size_t)(SIMD_F32 * t.format.size), row_bytes = (size_t)(ORDER_LANES * t.format.size);
    const size_t at = (size_t)first * bytes, full = end < from.full ? end : from.full;
    uintptr_t next = (uintptr_t)from.x + BOUNDS_NEXT + begin * row_bytes + (end - begin) * at;
    size_t row = begin;
    if (!begin) {
        bounds_add(t, (from.full ? from.x : from.last_x) + at, 1, next, fetches, b);
        row++, next += BOUNDS_GROUP * bytes;
    }
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP && begin; v++)
        b->up[v] = lanes->vector[first + v][0], b->low[v] = lanes->vector[first + v][1];
    for (; row < full; row++, next += BOUNDS_GROUP * bytes)
        bounds_add(t, from.x + row * row_bytes + at, 0, next, fetches, b);
    if (row < end) bounds_add(t, from.last_x + at, 0, next, fetches, b);
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) lanes->vector[first + v][0] = b->up[v], lanes->vector[first + v][1] = b->low[v];
}

/* All rows of a tile. Answers with a bit for each vector whose sums differ. */
QUIRE_INLINE unsigned bounds_rows(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows, int fetches) {
    v_i32 bits = { 0 };
    for (size_t begin = 0, end; begin < rows; begin = end) {
        end = rows - begin < BOUNDS_STRIP ? rows : begin + BOUNDS_STRIP;
        for (int first = 0; first < ORDER_LANES / SIMD_F32; first += BOUNDS_GROUP) {
            lane_bounds b;
            bounds_strip(t, lanes, from, begin, end, first, fetches, &b);
            SIMD_UNROLL
            for (int v = 0; v < BOUNDS_GROUP; v++) bits = differing_bits(b.up[v], b.low[v], bits);
        }
    }
    if (!any_bit(bits)) return 0;
    unsigned differ = 0;
    for (int v = 0; v < ORDER_LANES / SIMD_F32; v++)
        if (!all_equal(lanes->vector[v][0], lanes->vector[v][1])) differ |= 1u << v; /* zeros of either sign are equal   */
    return differ;
}

/* The lanes of a tile merged into the first vector; or not, if too many of its additions round: then it answers 0. */
QUIRE_INLINE int bounds_tile(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows, int fetches) {
    rounding_up(lanes);
    unsigned again = bounds_rows(t, lanes, from, rows, fetches); /* sums that differ after one strip keep doing so      */
    rounding_to_nearest(lanes);
    if (__builtin_popcount(again) > BOUNDS_AGAIN) return 0;
    if (rests_tile(t, lanes, from, rows, again)) return 1;
    SIMD_UNROLL
    for (int v = 0; v < ORDER_LANES / SIMD_F32; v++) lanes->vector[v][1] = (v_f32){ 0 };
    for (; again; again &= again - 1) tile_columns_f32(t, lanes, from, 0, rows, __builtin_ctz(again), 1, 0);
    tile_fold_f32(t, lanes);
    return 1;
}

#endif
