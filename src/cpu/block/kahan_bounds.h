/* kahan_bounds.h - kahan of 16-bit elements where no addition rounds: then its compensation is 0, and the sums alone
 * are its state. Included behind tile.h for floats, in which such elements are added.
 *
 * It takes the two additions of bounds.h, where kahan takes seven. Vectors with a lane that has rounded are done again:
 * halves as remainders.h does it, others kahan's own way. (Where a sum is infinite so is kahan's, which stands for
 * itself whatever its compensation is.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_KAHAN_BOUNDS_H
#define QUIRE_CPU_BLOCK_KAHAN_BOUNDS_H

#include "cpu/block/bounds.h"
#include "cpu/block/remainders.h"

/* The lanes of a tile merged into the first vector; or not, if too many of its additions round: then it answers 0. */
QUIRE_INLINE int kahan_by_bounds(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows,
                                 int fetches) {
    const bounds_terms terms = { t.format, t.load, t.value };
    unsigned again = bounds_sum(terms, lanes->vector, from, rows, fetches); /* ends for states, for the time being */
    if (__builtin_popcount(again) > BOUNDS_AGAIN) return 0;
    if (remainders_tile(terms, lanes->vector, from, rows, again, lanes->vector[0])) return 1;
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_VECTORS; v++) lanes->vector[v][1] = (v_f32){ 0 };
    for (; again; again &= again - 1) tile_columns_f32(t, lanes, from, 0, rows, __builtin_ctz(again), 1, 0);
    tile_fold_f32(t, lanes);
    return 1;
}

#endif
