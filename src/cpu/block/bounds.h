/* bounds.h - the lanes of a tile of 16-bit elements, summed in floats rounded up and rounded down: where both come to
 * the same, no addition has rounded.
 *
 * While all is finite, what is rounded up is never below the exact sum, and stays above it once an addition has
 * rounded; so if both ends are equal, none has, and rounding to nearest comes to that, too. (Down to the sign of a
 * zero: rounding up gives it the one that rounding to nearest gives.) An infinity counts as rounded.
 *
 * That takes two additions an element. Halves and bfloat16s have 11 and 8 of a float's 24 bits: of uniform ones between
 * -1 and 1, in tiles of 16 rows, 1 lane in 500, and 1 in 4000, has sums that differ; of positive ones 1 in 150, and 1
 * in 1100.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_BOUNDS_H
#define QUIRE_CPU_BLOCK_BOUNDS_H

#include "cpu/block/functions.h"
#include "cpu/simd/simd.h"

#define BOUNDS_VECTORS (ORDER_LANES / SIMD_F32)
#define BOUNDS_GROUP (SIMD_REGISTERS / 4) /* vectors whose sums stay in registers, both of them */
#define BOUNDS_AGAIN 8                    /* the most of a tile to be done again; beyond, bounds are not worth it */
#define BOUNDS_STRIP ((size_t)16)         /* rows that a group goes through at a time: more are in taller tiles only */
#define BOUNDS_NEXT ((size_t)8192)        /* so far ahead is fetched into the first cache: a strip */
#define BOUNDS_FAR ((size_t)16384)        /* and beyond that into the second, of arrays that are longer than caches */

/* What is summed, all constant. */
typedef struct {
    format_description format;
    v_f32 (*load)(const void *p);
    v_f32 (*value)(v_f32 x, v_f32 y);
} bounds_terms;

/* The ends of a vector of lanes, the lower one's negative, by these indices; of all vectors of a tile,
 * bounds_ends[BOUNDS_VECTORS]. */
enum { END_UP, END_LOW };
typedef v_f32 bounds_ends[2];

/* Bits of those that are apart; an infinity is, from itself. */
QUIRE_INLINE v_i32 ends_apart(v_f32 up, v_f32 low) { return (v_i32)(up + low); }

/* Those of a group. */
typedef struct {
    v_f32 up[BOUNDS_GROUP], low[BOUNDS_GROUP];
} bounds_group;

/* One row of a group. What is fetched follows the order of memory, as group follows group, at an even pace. */
QUIRE_INLINE void bounds_add(bounds_terms t, const char *x, int is_first, uintptr_t next, int fetches,
                             bounds_group *b) {
    const int normal = t.format.least_exponent >= FLT_MIN_EXP - 1; /* as floats */
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) {
        const size_t at = (size_t)(v * SIMD_F32 * t.format.size);
        if (at % LINE_BYTES == 0) __builtin_prefetch((const void *)(next + at));
        if (at % LINE_BYTES == 0 && fetches) __builtin_prefetch((const void *)(next + at + BOUNDS_FAR), 0, 2);
        const v_f32 a = t.load(x + at), value = t.value(a, a);
        b->up[v] = is_first ? value : up_add_v_f32(b->up[v], value);
        b->low[v] = is_first ? -value : up_subtract_v_f32(b->low[v], value, normal);
    }
}

/* Rows from begin to end through a group, whose sums stand in ends from strip to strip. */
QUIRE_INLINE void bounds_strip(bounds_terms t, bounds_ends *ends, tile_source from, size_t begin, size_t end, int first,
                               int fetches, bounds_group *b) {
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
        b->up[v] = ends[first + v][END_UP], b->low[v] = ends[first + v][END_LOW];
    for (; row < full; row++, next += BOUNDS_GROUP * bytes)
        bounds_add(t, from.x + row * row_bytes + at, 0, next, fetches, b);
    if (row < end) bounds_add(t, from.last_x + at, 0, next, fetches, b);
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_GROUP; v++) ends[first + v][END_UP] = b->up[v], ends[first + v][END_LOW] = b->low[v];
}

/* All rows of a tile; and for each group, the bits in which ends differ. */
QUIRE_INLINE void bounds_rows(bounds_terms t, bounds_ends *ends, tile_source from, size_t rows, int fetches,
                              v_i32 *bits) {
    for (size_t begin = 0, end; begin < rows; begin = end) {
        end = rows - begin < BOUNDS_STRIP ? rows : begin + BOUNDS_STRIP;
        for (int first = 0; first < BOUNDS_VECTORS; first += BOUNDS_GROUP) {
            bounds_group b;
            v_i32 differing = { 0 };
            bounds_strip(t, ends, from, begin, end, first, fetches, &b);
            SIMD_UNROLL
            for (int v = 0; v < BOUNDS_GROUP; v++) differing |= ends_apart(b.up[v], b.low[v]);
            bits[first / BOUNDS_GROUP] = differing; /* sums that differ after one strip keep doing so */
        }
    }
}

/* All lanes of a tile. Answers with a bit for each vector whose ends differ. */
QUIRE_INLINE unsigned bounds_sum(bounds_terms t, bounds_ends *ends, tile_source from, size_t rows, int fetches) {
    v_i32 bits[BOUNDS_VECTORS / BOUNDS_GROUP];
    unsigned differ = 0;
    v_f64 none[2][UPWARD_SUMS] = { { { 0 } } }; /* sums begin with what is read */
    const rounding_mode callers = enter_upward(none[0], none[1]);
    bounds_rows(t, ends, from, rows, fetches, bits);
    leave_upward(callers, ends);
    for (int first = 0; first < BOUNDS_VECTORS; first += BOUNDS_GROUP) {
        if (!any_bit(bits[first / BOUNDS_GROUP])) continue;
        for (int v = first; v < first + BOUNDS_GROUP; v++) /* they may be zeros of either sign, which are equal */
            if (any_bit(ends_apart(ends[v][END_UP], ends[v][END_LOW]))) differ |= 1u << v;
    }
    return differ;
}

#endif
