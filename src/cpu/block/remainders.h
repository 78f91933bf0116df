/* remainders.h - kahan's tiles of halves merged by what their sums leave over.
 *
 * Halves are multiples of 2^-24, and so are their sums, the rounding errors of these, and sums of such errors: kahan's
 * compensations. As long as those stay below 1 a float holds them, so no addition to a compensation rounds, and in
 * whatever order it was made, it is all that the sum beside it has lost: total - sum. If that is below 1/32 it is known
 * from the total modulo 1/16. So the sums of a tile merge by one addition each, as plain's do; of every lane the
 * remainder modulo 1/16 is added up beside them, by two to four operations, without rounding; and the compensation is
 * what these remainders and the last sum's differ by. A merge of sums and compensations takes eight operations.
 *
 * A lane that has rounded has its compensation from the remainders of its elements, likewise.
 *
 * Below 1/32 in all: up to sixteen sums of two lanes, each below 2^13, lose at most 2^-12 each, and the sums above them
 * as much again at each of four levels: 5 * 2^-8. Lanes that have rounded, at most BOUNDS_AGAIN of those that merge,
 * lose no more than their ends are apart, for the total lies between these, and so does the sum: 2^-10 each, 2^-7.
 * Where more might be lost, the tile is merged kahan's own way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_REMAINDERS_H
#define QUIRE_CPU_BLOCK_REMAINDERS_H

#include "cpu/block/bounds.h"

#define REMAINDERS_LEAST (-24)       /* the exponent of the unit */
#define REMAINDERS_ROWS ((size_t)16) /* of a tile */
#define REMAINDERS_SUM_BITS 13       /* sums of two lanes are below 2^this, since all their squares add up to less */
#define REMAINDERS_APART_BITS (-10)  /* and so far are the ends of a lane apart, at most */
#define REMAINDERS_SUM ((float)(1 << REMAINDERS_SUM_BITS))
#define REMAINDERS_APART (1.0f / (1 << -REMAINDERS_APART_BITS))

/* What is lost in all, in units of 2^-12: by half an ulp in each of 16 sums, and as much again at each of four levels;
 * by lanes that have rounded. */
#define REMAINDERS_LOST_IN(bits) ((bits) + 12 >= 0 ? 1 << ((bits) + 12) : 1)
#define REMAINDERS_LOST                                                                                                \
    (BOUNDS_VECTORS / 2 * (1 + 4) * REMAINDERS_LOST_IN(REMAINDERS_SUM_BITS - FLT_MANT_DIG - 1) +                       \
     BOUNDS_AGAIN * REMAINDERS_LOST_IN(REMAINDERS_APART_BITS))
_Static_assert(BOUNDS_VECTORS / 2 <= 16, "four levels merge the sums of two lanes");
_Static_assert(REMAINDERS_LOST < 1 << (12 - REMAINDER_BITS - 1), "what is lost is known modulo 2^-REMAINDER_BITS");

/* A remainder is at most 2^-(REMAINDER_BITS + 1). A float adds them without rounding while they stay within 1: those of
 * a lane; and those of all vectors in one chain of four, with the lanes that are done again. */
_Static_assert(REMAINDERS_ROWS <= 1 << (REMAINDER_BITS + 1), "the remainders of a lane add up to no more than 1");
_Static_assert(2 * (BOUNDS_VECTORS / 2) / 4 + BOUNDS_AGAIN <= 1 << (REMAINDER_BITS + 1), "nor do those of a chain");

/* The sums of a vector of lanes, and their compensations. */
QUIRE_INLINE v_f32 remainders_lanes(bounds_terms t, tile_source from, size_t rows, size_t at, v_f32 *lanes) {
    const size_t row_bytes = (size_t)(ORDER_LANES * t.format.size);
    v_f32 sum = -(v_f32){ 0 }, remainder = { 0 };
    for (size_t row = 0; row < rows; row++) {
        const v_f32 x = t.load((row < from.full ? from.x + row * row_bytes : from.last_x) + at), value = t.value(x, x);
        sum += value;
        remainder += remainder_v_f32(value);
    }
    *lanes = sum;
    return remainder_v_f32(remainder - remainder_v_f32(sum));
}

/* A tile whose lanes are summed both ways; those with a bit in again are done again. All merge into one vector, whose
 * state may stand among the ends; or they do not, if they might lose too much: then it answers 0. */
QUIRE_INLINE int remainders_tile(bounds_terms t, bounds_ends *ends, tile_source from, size_t rows, unsigned again,
                                 v_f32 *state) {
    enum { HALF = BOUNDS_VECTORS / 2, CHAINS = 4 }; /* of additions, side by side */
    v_f32 sum[HALF], remainder[CHAINS], squares[CHAINS];
    if (t.format.least_exponent < REMAINDERS_LEAST || rows > REMAINDERS_ROWS) return 0;
    for (int c = 0; c < CHAINS; c++) remainder[c] = squares[c] = (v_f32){ 0 };
    for (; again; again &= again - 1) {
        const int v = __builtin_ctz(again);
        const v_f32 apart = ends_apart(ends[v][END_UP], ends[v][END_LOW]) * (REMAINDERS_SUM / REMAINDERS_APART);
        squares[0] = fma_v_f32(apart, apart, squares[0]);
        remainder[0] += remainders_lanes(t, from, rows, (size_t)(v * SIMD_F32 * t.format.size), &ends[v][END_UP]);
    }
    for (int v = 0; v < HALF; v += CHAINS) {
        SIMD_UNROLL
        for (int c = 0; c < CHAINS; c++) {
            const v_f32 a = ends[v + c][END_UP], b = ends[v + c + HALF][END_UP];
            remainder[c] += remainder_v_f32(a);
            remainder[(c + 2) % CHAINS] += remainder_v_f32(b);
            sum[v + c] = a + b;
            squares[c] = fma_v_f32(sum[v + c], sum[v + c], squares[c]);
        }
    }
    if (!all_below((squares[0] + squares[1]) + (squares[2] + squares[3]), REMAINDERS_SUM * REMAINDERS_SUM / 2))
        return 0;
    SIMD_UNROLL
    for (int w = HALF / 2; w; w /= 2) {
        SIMD_UNROLL
        for (int v = 0; v < w; v++) sum[v] += sum[v + w];
    }
    const v_f32 half = remainder_v_f32(remainder[0] + remainder[1]); /* all of them could add up to more than 1 */
    state[0] = sum[0];
    state[1] = remainder_v_f32(half + (remainder[2] + remainder[3]) - remainder_v_f32(sum[0]));
    return 1;
}

#endif
