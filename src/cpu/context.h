/* context.h - what a context of the CPU holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_CONTEXT_H
#define QUIRE_CPU_CONTEXT_H

#include "cpu/threads.h"
#include "cpu/tier/tier.h"

typedef struct {
    quire_context base;
    const cpu_tier *tier;
    thread_pool *pool; /* NULL: the caller's thread alone */
    size_t cache;      /* bytes: it pays to fetch far ahead in arrays that are longer; in caches it does not */
    size_t thread;     /* bytes: the fewest that a thread is started for */
    void (*report)(void *user, size_t done, size_t total);
    void *user;
    int past_ends;                        /* in a copy: the ends of the sum have not told the result (ends.h) */
    const struct indexed_vector *indexed; /* in a copy: or NULL; the elements of the one vector (strided.h) */
} cpu_context;

/* A copy of the context, or what a NULL context means. */
QUIRE_PRIVATE cpu_context cpu_context_of(const quire_context *context);

/* The same context, which reports nothing; and for one thread. */
QUIRE_PRIVATE cpu_context context_silent(const cpu_context *context);
QUIRE_PRIVATE cpu_context context_single(const cpu_context *context);

/* Vectors of so many elements, and more, are shared by threads. */
#define LONG_ELEMENTS ((size_t)1 << 18)

/* Bytes, perhaps more than memory holds. */
QUIRE_INLINE size_t product_or_most(size_t a, size_t b) {
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* How many threads are worth starting for these bytes, which come in pieces: at least 1. */
QUIRE_PRIVATE int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces);

/* Slots of the backend. */
QUIRE_PRIVATE quire_status cpu_set_stream(quire_context *context, struct CUstream_st *stream);
QUIRE_PRIVATE quire_status cpu_set_tier(quire_context *context, quire_tier tier);
QUIRE_PRIVATE quire_status cpu_set_progress(quire_context *context, void (*report)(void *, size_t, size_t), void *user);
QUIRE_PRIVATE void cpu_close(quire_context *context);

#endif
