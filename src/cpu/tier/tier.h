/* tier.h - what a CPU tier offers: for every format and term, a function for exact and one for each method that follows
 * the canonical order, for one vector and for panels; and which tiers there are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_TIER_TIER_H
#define QUIRE_CPU_TIER_TIER_H

#include "backend.h"
#include "cpu/block/functions.h"
#include "format/formats.h"
#include "method/methods.h"

typedef struct {
    const tile_function (*tile)[TERM_COUNT][METHOD_NUMBERS];
    const exact_function (*exact)[TERM_COUNT];
    const few_function (*few)[TERM_COUNT];
    const ends_function (*ends)[TERM_COUNT];
    const struct panel_functions *panels; /* panel.h */
} cpu_tier;

/* The tier of this name, or NULL if the processor or the build lacks it. BEST is the best there is. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_find(quire_tier tier);

/* The tier of a NULL context: the one that QUIRE_TIER names when this is first asked, or the best if it names none that
 * is there. Asked once: reading the environment takes as long as a sum of a few elements, and must not run beside a
 * setenv of another thread. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_default(void);

/* The tier that QUIRE_TIER names, if it is set; QUIRE_INVALID_TIER, and *tier untouched, if it names none. */
QUIRE_PRIVATE quire_status tier_from_environment(quire_tier *tier);

#define TIER_LANES(name)                                                                                               \
    extern QUIRE_PRIVATE const tile_function lanes_table_##name[FORMAT_NUMBERS][TERM_COUNT][METHOD_NUMBERS];
#define TIER_EXACT(name)                                                                                               \
    extern QUIRE_PRIVATE const exact_function exact_table_##name[FORMAT_NUMBERS][TERM_COUNT];                          \
    extern QUIRE_PRIVATE const few_function few_table_##name[FORMAT_NUMBERS][TERM_COUNT];
#define TIER_ENDS(name) extern QUIRE_PRIVATE const ends_function ends_table_##name[FORMAT_NUMBERS][TERM_COUNT];
#define TIER_PANELS(name) extern QUIRE_PRIVATE const struct panel_functions panels_##name;
TIER_LANES(portable)
TIER_LANES(avx2)
TIER_LANES(avx512)
TIER_EXACT(portable)
TIER_EXACT(avx2)
TIER_EXACT(avx512)
TIER_EXACT(avx512vnni)
TIER_ENDS(portable)
TIER_ENDS(avx2)
TIER_ENDS(avx512)
TIER_PANELS(portable)
TIER_PANELS(avx2)
TIER_PANELS(avx512)

#endif
