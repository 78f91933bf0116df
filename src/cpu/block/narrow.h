/* narrow.h - exact sums of 16-bit elements by lanes that no addition rounds: the sixteen elements of such a lane become
 * one float, which is added as floats are. Where a lane has rounded, the elements of its vector become floats one by
 * one.
 *
 * For tiers that have nothing quicker for 16 bits (SIMD_HAS_PAIRS); in them two ends that are the same infinity must
 * count as different, since what is finite beside it is added up, too. Included by exact.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_NARROW_H
#define QUIRE_CPU_BLOCK_NARROW_H

#include "accumulator/limbs.h"
#include "cpu/block/bounds.h"
#include "cpu/block/functions.h"
#include "cpu/block/terms.h"

#define NARROW_VECTORS (2 * BLOCK_ELEMENTS / SIMD_F32) /* of floats that are added together; a tile may bring more */
#define NARROW_TRIED 16                                /* tiles go another way after one that bounds do not pay for */

/* Between carries: lanes of tiles, and where these round their elements too, then what goes another way. */
_Static_assert(CARRIES_IN_TIME(CARRY_ELEMENTS / ORDER_ROWS + NARROW_TRIED * ORDER_TILE), "a stretch is those tiles");

/* What terms there are beside -0, see indexed.h. */
typedef int64_t (*other_function)(const char *x, const char *y, size_t n);

typedef struct {
    v_f32 of[NARROW_VECTORS + BOUNDS_VECTORS + BOUNDS_AGAIN * ORDER_ROWS];
    size_t count;
} narrow_floats;

/* The lanes of a tile go to the end of floats, -0 for those of vectors with a bit in again, and the elements of these.
 */
QUIRE_INLINE void narrow_put(bounds_terms t, bounds_ends *ends, const char *x, unsigned again, narrow_floats *floats) {
    v_f32 *to = floats->of + floats->count;
    for (int v = 0; v < BOUNDS_VECTORS; v++) to[v] = ends[v][END_UP];
    floats->count += BOUNDS_VECTORS;
    for (; again; again &= again - 1) {
        const int v = __builtin_ctz(again);
        to[v] = -(v_f32){ 0 };
        for (int row = 0; row < ORDER_ROWS; row++) {
            const v_f32 element = t.load(x + (row * ORDER_LANES + v * SIMD_F32) * t.format.size);
            floats->of[floats->count++] = t.value(element, element);
        }
    }
}

/* Tiles, until one has too many lanes that round, or too few elements are left. Answers how many elements it has added.
 */
QUIRE_INLINE size_t narrow_tiles(bounds_terms t, exact_function add_floats, quire_accumulator *a, const char *x,
                                 size_t n, int fetches) {
    const size_t tile_bytes = ORDER_TILE * (size_t)t.format.size;
    narrow_floats floats;
    size_t done = 0;
    for (int is_worth_it = 1; is_worth_it && n - done >= ORDER_TILE;) {
        bounds_ends ends[BOUNDS_VECTORS];
        floats.count = 0;
        while (n - done >= ORDER_TILE && floats.count < NARROW_VECTORS) {
            const tile_source from = { x, x, x, x, ORDER_ROWS };
            const unsigned again = bounds_sum(t, ends, from, ORDER_ROWS, fetches);
            is_worth_it = __builtin_popcount(again) <= BOUNDS_AGAIN;
            if (!is_worth_it) break;
            narrow_put(t, ends, x, again, &floats);
            x += tile_bytes, done += ORDER_TILE;
        }
        if (floats.count) add_floats(a, floats.of, floats.of, floats.count * SIMD_F32, 0);
    }
    return done;
}

/* All elements, where tiles are not worth it by add_elements. A lane that is not 0 has a term that is not. Where all
 * are zeros, the elements themselves show whether these were zeros, too, or have cancelled. */
QUIRE_INLINE void narrow_sum(bounds_terms t, exact_function add_floats, exact_function add_elements,
                             other_function other_terms, quire_accumulator *a, const char *x, size_t n, int fetches) {
    const size_t size = (size_t)t.format.size, all = n;
    const char *first = x;
    while (n >= ORDER_TILE) {
        const size_t most = n < CARRY_ELEMENTS ? n : CARRY_ELEMENTS;
        const size_t done = narrow_tiles(t, add_floats, a, x, most, fetches);
        x += done * size, n -= done;
        if (n >= ORDER_TILE) limbs_carry(a->limb);
        if (most - done < ORDER_TILE) continue;
        const size_t others = n < NARROW_TRIED * ORDER_TILE ? n : NARROW_TRIED * ORDER_TILE;
        add_elements(a, x, x, others, fetches);
        x += others * size, n -= others;
    }
    if (n) add_elements(a, x, x, n, fetches);
    if (a->other < OTHER_NONZERO) a->other |= other_terms(first, first, all);
}

#endif
