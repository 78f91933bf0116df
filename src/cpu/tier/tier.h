/* tier.h - what a CPU tier offers: for every format and term, a function for exact and one for each method that follows the
 * canonical order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_TIER_H
#define QUIRE_CPU_TIER_H

#include "backend.h"
#include "method/ball.h"
#include "format/formats.h"
#include "order/order.h"

#define TIER_METHODS (QUIRE_PLAIN + 1)

/* Sums n elements (n > 0), at most TILE_BATCH tiles of the order, by a lane method: a subtree. The words of its total go to
 * total, floats or doubles. fetches: what lies far ahead is asked for, as arrays that
 * are longer than caches need it. */
#define TILE_BATCH 16
typedef void (*tile_function)(const void *x, const void *y, size_t n, size_t tile, int fetches, void *total);

/* So few elements are summed in ways of their own, which cost less to begin and to end. */
#define TILE_FEW 32

/* An exact sum, as two doubles; and if it is zero, what terms there were beside -0, as an accumulator's word "other" says it. */
typedef struct {
    double sum, error;
    int64_t other;
} few_total;

/* The exact sum of n terms, 0 < n <= TILE_FEW, if one window of doubles holds them; answers whether it does. */
typedef int (*few_function)(const void *x, const void *y, size_t n, few_total *total);

/* Adds n terms to an accumulator's limbs and notes: exactly, if radius is NULL; if not, what is dropped for the sake of
 * speed is counted there. count and the last carry are the caller's: the limbs can take LIMB_ADDITIONS / 2 more. fetches: as
 * above. */
typedef void (*exact_function)(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches,
                               ball_radius *radius);

typedef struct {
    const tile_function (*tile)[TERM_COUNT][TIER_METHODS];
    const exact_function (*exact)[TERM_COUNT];
    const few_function (*few)[TERM_COUNT];
    const struct panel_functions *panels; /* panel.h                                                                     */
} cpu_tier;

/* The tier of this name, or NULL if the processor or the build lacks it. BEST is the best there is. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_find(quire_tier tier);

/* The tier of a NULL context: the one that QUIRE_TIER names, or the best if it names none that is there; and the same as it
 * was when this was first asked, since reading the environment takes as long as a sum of a few elements. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_default(void);
QUIRE_PRIVATE const cpu_tier *cpu_tier_known_default(void);

/* The tier that QUIRE_TIER names, if it is set; QUIRE_INVALID_TIER, and *tier untouched, if it names none. */
QUIRE_PRIVATE quire_status tier_from_environment(quire_tier *tier);

#define TIER_LANES(name) extern QUIRE_PRIVATE const tile_function lanes_table_##name[FORMAT_NUMBERS][TERM_COUNT][TIER_METHODS];
#define TIER_EXACT(name)                                                                                                    \
    extern QUIRE_PRIVATE const exact_function exact_table_##name[FORMAT_NUMBERS][TERM_COUNT];                                   \
    extern QUIRE_PRIVATE const few_function few_table_##name[FORMAT_NUMBERS][TERM_COUNT];
TIER_LANES(portable)
TIER_LANES(avx2)
TIER_LANES(avx512)
TIER_EXACT(portable)
TIER_EXACT(avx2)
TIER_EXACT(avx512)
TIER_EXACT(avx512vnni)

#endif
