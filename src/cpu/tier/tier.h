/* tier.h - what a CPU tier offers: for every format and term, a function for exact and one for each method that follows
 * the canonical order, for one vector and for panels; for integers, their sums; and which tiers there are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_TIER_TIER_H
#define QUIRE_CPU_TIER_TIER_H

#include "backend.h"
#include "cpu/block/functions.h"
#include "format/formats.h"
#include "method/methods.h"

/* Of the elements so far: sum + lost, off by so much at most, exact if off is 0. magnitudes: bits of all of them, the
 * signs shifted out; signs: bits that all of them have. */
typedef struct {
    double sum, lost, off;
    uint64_t magnitudes, signs;
} scan_state;

/* n elements as doubles, 0 < n <= ENDS_TOGETHER, from where they stand, stride bytes apart; and their running sums'
 * ends, behind a state, which becomes that after them. */
typedef void (*scan_values_function)(double *to, const char *from, ptrdiff_t stride, size_t n);
typedef struct {
    const scan_values_function *values; /* of each format */
    void (*ends)(scan_state *s, const double *value, size_t n, many_ends *ends);
} tier_scan;

typedef struct {
    const tier_lanes *lanes;
    const exact_function (*exact)[TERM_COUNT];
    const tier_ends *ends;
    const moments_function *moments; /* of each format */
    const tier_scan *scan;
    const integer_function (*integers)[INTEGER_WAYS];
} cpu_tier;

/* The tier of this name, or NULL if the processor or the build lacks it. BEST is the best there is. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_find(quire_tier tier);

/* The tier of a NULL context: the one that QUIRE_TIER names when this is first asked, or the best if it names none that
 * is there. Asked once: reading the environment takes as long as a sum of a few elements, and must not run beside a
 * setenv of another thread. */
QUIRE_PRIVATE const cpu_tier *cpu_tier_default(void);

/* The tier that QUIRE_TIER names, if it is set; QUIRE_INVALID_TIER, and *tier untouched, if it names none. */
QUIRE_PRIVATE quire_status tier_from_environment(quire_tier *tier);

/* X(name, NUMBER, is_there): the tiers, the best one last. is_there: whether the processor has what it needs. A new one
 * is a line here, a number in quire.h, flags in src/cpu/meson.build, the size of its vectors in simd/types.h, and a
 * file like simd/avx2.h. */
#if defined(QUIRE_X86_TIERS)
#define CPU_TIERS(X)                                                                                                   \
    X(portable, QUIRE_TIER_PORTABLE, 1)                                                                                \
    X(avx2, QUIRE_TIER_AVX2, have_avx2())                                                                              \
    X(avx512, QUIRE_TIER_AVX512, have_avx512())
#else
#define CPU_TIERS(X) X(portable, QUIRE_TIER_PORTABLE, 1)
#endif

#define CPU_TIER_TABLES(name, NUMBER, is_there)                                                                        \
    extern QUIRE_PRIVATE const tier_lanes lanes_##name;                                                                \
    extern QUIRE_PRIVATE const exact_function exact_table_##name[FORMAT_NUMBERS][TERM_COUNT];                          \
    extern QUIRE_PRIVATE const tier_ends ends_##name;                                                                  \
    extern QUIRE_PRIVATE const moments_function moments_table_##name[FORMAT_NUMBERS];                                  \
    extern QUIRE_PRIVATE const tier_scan scan_##name;                                                                  \
    extern QUIRE_PRIVATE const integer_function integers_table_##name[INTEGER_NUMBERS][INTEGER_WAYS];
CPU_TIERS(CPU_TIER_TABLES)
#undef CPU_TIER_TABLES

#endif
