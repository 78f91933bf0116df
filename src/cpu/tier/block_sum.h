/* block_sum.h - one block of an exact sum: which way it goes, of those that cpu/block has for the same counts. Compiled
 * anew for every format, term and window; included by exact_sum.h.
 *
 * If the window did not hold the block, which its range shows, the counts are dropped, and exact_sum.h has it done
 * again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_TIER_BLOCK_SUM_H
#define QUIRE_CPU_TIER_BLOCK_SUM_H

#include "cpu/block/window.h"
#ifdef SIMD_HAS_PAIRS
#include "cpu/block/integers.h"
#endif

/* Whether blocks in a window of these bins go one of those ways, which keep signs or clear them; how many bits a window
 * then holds, perhaps fewer than there is room for. */
#ifdef SIMD_HAS_PAIRS
QUIRE_INLINE int have_pairs(exact_choice c) { return c.format.size == 2 && !c.is_product && !flips_sign(c); }
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return have_pairs(c) && bins == 1; }
QUIRE_INLINE int window_reach(exact_choice c, int bins) {
    return as_integers(c, bins) ? integers_reach(c) : window_range(bins);
}
#else
QUIRE_INLINE int window_reach(exact_choice c, int bins) { return (void)c, window_range(bins); }
QUIRE_INLINE int as_integers(exact_choice c, int bins) { return (void)c, (void)bins, 0; }
#endif

QUIRE_INLINE term_range block_sum_as(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                     block_counts *counts) {
    magnitudes m = look_at_nothing(term_size(c));
#ifdef SIMD_HAS_PAIRS
    if (as_integers(c, bins)) {
        counts->count[0][0] = integers_count(c, x, steps, top, window_unit(top, 0), &m);
        return range_of(&m, c);
    }
#endif
    bins_count(c, bins, x, y, steps, top, counts, &m);
    return range_of(&m, c);
}

/* Whether it fetches far ahead is asked once: in the loops it would cost a tenth. Short vectors compute for so long
 * that memory does not matter. */
QUIRE_INLINE term_range block_sum_fetching(exact_choice c, int bins, const char *x, const char *y, size_t steps,
                                           int top, int fetches, block_counts *counts) {
    c.fetches = 1;
    if (fetches && SIMD_BYTES > 16) return block_sum_as(c, bins, x, y, steps, top, counts);
    c.fetches = 0;
    return block_sum_as(c, bins, x, y, steps, top, counts);
}

/* Whether products of an array with itself are worth an instance that reads it once: not where additions take longer
 * than loads. */
QUIRE_INLINE int worth_squares(exact_choice c, int bins) {
    return c.is_pair && bins < WINDOW_BINS && exact_streams(c) == 1;
}

/* One block of steps * STEP_TERMS * SIMD_F64 elements, at most BLOCK_ELEMENTS. */
QUIRE_INLINE term_range block_sum(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                                  int fetches, block_counts *counts) {
    exact_choice square = c;
    square.is_pair = 0;
    if (worth_squares(c, bins) && x == y) return block_sum_fetching(square, bins, x, x, steps, top, fetches, counts);
    return block_sum_fetching(c, bins, x, y, steps, top, fetches, counts);
}

#endif
