/* place_cpu.c - the CPU as a place: nothing is copied; the variants are NULL, each tier, threads, and what is done for
 * arrays beyond the caches. */
#define _POSIX_C_SOURCE 200809L
#include "place.h"

#include <stdlib.h>

static const struct variant {
    const char *name;
    quire_tier tier;
    int threads;
    const char *cache; /* as src/cpu/cpu.c reads QUIRE_CPU_CACHE */
} VARIANTS[] = {
    { "NULL", QUIRE_TIER_BEST, 0, "" },
    { "portable", QUIRE_TIER_PORTABLE, 1, "" },
    { "avx2", QUIRE_TIER_AVX2, 1, "" },
    { "avx2, no caches", QUIRE_TIER_AVX2, 1, "0" },
    { "avx512", QUIRE_TIER_AVX512, 1, "" },
    { "avx512, no caches", QUIRE_TIER_AVX512, 1, "0" },
    { "best, 3 threads, no caches", QUIRE_TIER_BEST, 3, "0" },
};

static const char *cpu_unavailable(void) { return NULL; }

static quire_status cpu_open(size_t variant, quire_context **context) {
    quire_status status;
    *context = NULL;
    if (variant == 0) return QUIRE_OK;
    setenv("QUIRE_CPU_CACHE", VARIANTS[variant].cache, 1);
    setenv("QUIRE_CPU_THREAD", "100000", 1); /* threads for short arrays, too */
    status = quire_open_cpu(context, VARIANTS[variant].threads);
    unsetenv("QUIRE_CPU_CACHE");
    unsetenv("QUIRE_CPU_THREAD");
    if (status) return status;
    status = quire_set_tier(*context, VARIANTS[variant].tier);
    if (status) {
        quire_close(*context);
        *context = NULL;
    }
    return status;
}

static const char *cpu_variant_name(size_t variant) { return VARIANTS[variant].name; }

static const char *cpu_reserve(size_t bytes) {
    (void)bytes;
    return NULL;
}

static void *cpu_lend(place_slot slot, void *host, size_t size) {
    (void)slot;
    (void)size;
    return host;
}

static void cpu_collect(place_slot slot, void *host, size_t size) {
    (void)slot;
    (void)host;
    (void)size;
}

const place PLACE_CPU = {
    "cpu",    cpu_unavailable, sizeof VARIANTS / sizeof *VARIANTS, cpu_open, cpu_variant_name, cpu_reserve,
    cpu_lend, cpu_collect,
};
