/* context.c - CPU contexts: what they hold, and how it is set.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/context.h"

#include <stdlib.h>

#define CACHE_BYTES ((size_t)32 << 20) /* unless the environment says otherwise, as tests do */

/* The fewest bytes that a thread is started for: a third of a millisecond's work at 12 GB/s where the caller asked for
 * a number of threads. Where it did not, the processors may be busy: then a thread waits for its turn as long as the
 * others' time slices take, some milliseconds each, and all wait for the last thread. So the default is some
 * milliseconds' work. */
#define THREAD_BYTES ((size_t)4 << 20)
#define THREAD_BYTES_DEFAULT ((size_t)64 << 20)

/* QUIRE_CPU_CACHE="bytes" and QUIRE_CPU_THREAD="bytes" are for tests: with small numbers, short arrays go as long ones
 * do. Hidden, since no result depends on them. */
static size_t bytes_from_environment(const char *name, size_t otherwise) {
    const char *bytes = getenv(name);
    return bytes && *bytes ? (size_t)strtoull(bytes, NULL, 10) : otherwise;
}

/* What a NULL context means. */
static cpu_context default_context(void) {
    return (cpu_context){
        .base = { &quire_cpu_backend }, .tier = cpu_tier_default(), .cache = CACHE_BYTES, .thread = THREAD_BYTES
    };
}

cpu_context cpu_context_of(const quire_context *context) {
    return context ? *(const cpu_context *)context : default_context();
}

cpu_context context_silent(const cpu_context *context) {
    cpu_context silent = *context;
    silent.report = NULL;
    return silent;
}

cpu_context context_single(const cpu_context *context) {
    cpu_context single = context_silent(context);
    single.pool = NULL;
    return single;
}

int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces) {
    const size_t worth = bytes / context->thread, most = worth < pieces ? worth : pieces;
    if (most <= 1) return 1;
    const int threads = pool_threads(context->pool);
    return (size_t)threads < most ? threads : (int)most;
}

quire_status quire_open_cpu(quire_context **context, int threads) {
    if (!context) return QUIRE_NULL_POINTER;
    if (threads < 0 || threads > QUIRE_MAX_THREADS) return QUIRE_INVALID_THREADS;
    quire_tier tier = QUIRE_TIER_BEST;
    quire_status status = tier_from_environment(&tier);
    if (status) return status;
    const cpu_tier *found = cpu_tier_find(tier);
    if (!found) return QUIRE_TIER_UNAVAILABLE;
    cpu_context *c = malloc(sizeof *c);
    if (!c) return QUIRE_OUT_OF_MEMORY;
    const size_t cache = bytes_from_environment("QUIRE_CPU_CACHE", CACHE_BYTES);
    const size_t thread = bytes_from_environment("QUIRE_CPU_THREAD", threads ? THREAD_BYTES : THREAD_BYTES_DEFAULT);
    thread_pool *pool = pool_open(threads ? threads : threads_available());
    *c = (cpu_context){
        .base = { &quire_cpu_backend }, .tier = found, .pool = pool, .cache = cache, .thread = thread ? thread : 1
    };
    *context = &c->base;
    return QUIRE_OK;
}

quire_status cpu_set_stream(quire_context *context, struct CUstream_st *stream) {
    (void)context, (void)stream;
    return QUIRE_WRONG_CONTEXT;
}

quire_status cpu_set_tier(quire_context *context, quire_tier tier) {
    if (!quire_tier_name(tier)) return QUIRE_INVALID_TIER;
    const cpu_tier *found = cpu_tier_find(tier);
    if (!found) return QUIRE_TIER_UNAVAILABLE;
    ((cpu_context *)context)->tier = found;
    return QUIRE_OK;
}

quire_status cpu_set_progress(quire_context *context, void (*report)(void *, size_t, size_t), void *user) {
    ((cpu_context *)context)->report = report;
    ((cpu_context *)context)->user = user;
    return QUIRE_OK;
}

void cpu_close(quire_context *context) {
    pool_close(((cpu_context *)context)->pool);
    free(context);
}
