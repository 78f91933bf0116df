/* tier.c - which tiers this processor and this build have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/tier/tier.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(QUIRE_X86_TIERS)
#include <cpuid.h>
#endif

#if defined(QUIRE_X86_TIERS)
/* F16C by CPUID: not every compiler's __builtin_cpu_supports knows the name. Asked once, since virtual machines take
 * microseconds for an answer; it is a fact of the processor, so threads that ask together find the same. */
static int have_f16c(void) {
    enum { UNASKED, NO, YES };
    static atomic_int answer = UNASKED;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == UNASKED) {
        unsigned a, b, c = 0, d;
        known = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) ? YES : NO;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == YES;
}

static int have_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && have_f16c(); }

static int have_avx512(void) {
    return have_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#define TIER(name, NUMBER, is_there)                                                                                   \
    static const cpu_tier name = { &lanes_##name,        exact_table_##name, &ends_##name,                             \
                                   moments_table_##name, &scan_##name,       integers_table_##name };
CPU_TIERS(TIER)

static const cpu_tier *best_tier(void) {
    const cpu_tier *best = NULL;
#define IF_THERE(name, NUMBER, is_there)                                                                               \
    if (is_there) best = &name;
    CPU_TIERS(IF_THERE)
    return best;
}

/* AVX512VNNI is another name of AVX512: its instructions gained nothing. */
const cpu_tier *cpu_tier_find(quire_tier tier) {
#define IF_NAMED(name, NUMBER, is_there)                                                                               \
    if (tier == NUMBER) return is_there ? &name : NULL;
    if (tier == QUIRE_TIER_AVX512VNNI) tier = QUIRE_TIER_AVX512;
    CPU_TIERS(IF_NAMED)
    return tier == QUIRE_TIER_BEST ? best_tier() : NULL;
}

static const char *const names[] = { "best", "portable", "avx2", "avx512", "avx512vnni" };
#define NAMES ((int)(sizeof names / sizeof *names))

const char *quire_tier_name(quire_tier tier) { return (int)tier >= 0 && (int)tier < NAMES ? names[tier] : NULL; }

int quire_tier_available(quire_tier tier) { return cpu_tier_find(tier) != NULL; }

quire_status tier_from_environment(quire_tier *tier) {
    const char *name = getenv("QUIRE_TIER");
    if (!name || !*name) return QUIRE_OK;
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            *tier = (quire_tier)i;
            return QUIRE_OK;
        }
    return QUIRE_INVALID_TIER;
}

static const cpu_tier *named_or_best(void) {
    quire_tier tier = QUIRE_TIER_BEST;
    const cpu_tier *named = tier_from_environment(&tier) == QUIRE_OK ? cpu_tier_find(tier) : NULL;
    return named ? named : best_tier();
}

/* Threads that ask together may each find it; all tiers give the same bits. */
const cpu_tier *cpu_tier_default(void) {
    static _Atomic(const cpu_tier *) known = NULL;
    const cpu_tier *found = atomic_load_explicit(&known, memory_order_relaxed);
    if (!found) {
        found = named_or_best();
        atomic_store_explicit(&known, found, memory_order_relaxed);
    }
    return found;
}
