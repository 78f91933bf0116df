/* context.h - what a context of the CPU holds; and work cut for its threads: a job of one vector into pieces, many
 * vectors into chunks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_CONTEXT_H
#define QUIRE_CPU_CONTEXT_H

#include "cpu/threads.h"
#include "cpu/tier/tier.h"
#include "operation/pairs.h"
#include "order/order.h"

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

/* ------------------------------------------------------------------------------------------------------ work */

/* A job of one vector is cut along the order: a piece is a power of two of neighbouring tiles, hence a subtree; which
 * thread takes it cannot show. For exact, where no order matters, a piece is just a length. */
#define MOST_PIECES 256 /* the most pieces of a job */
_Static_assert(MOST_PIECES < LIMB_MERGES, "the words of carried ones add up, and those they are added to");

/* A job on its way: how it is cut, and what its pieces do. */
typedef struct cpu_work {
    const quire_job *job;
    const cpu_context *context;
    size_t size;                  /* bytes of an element */
    ptrdiff_t x_stride, y_stride; /* in bytes; size if the vector is contiguous */
    size_t tile;                  /* elements of a tile; for exact, just a unit of length */
    size_t piece;                 /* elements of a piece: a power of two of tiles, or all if there is one */
    int pieces, threads;
    int fetches; /* see tile_function */
    void (*run)(const struct cpu_work *w, int piece, const char *x, const char *y, size_t n);
    void *own; /* what run needs besides, and where it puts what it finds */
} cpu_work;

/* Of n > 0 elements; without what they do. */
QUIRE_PRIVATE cpu_work work_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                               ptrdiff_t y_stride);

/* Runs all pieces, each in the environment our arithmetic needs. A report counts elements. */
QUIRE_PRIVATE void work_run(const cpu_work *w);

QUIRE_INLINE int is_contiguous(const cpu_work *w) {
    return w->x_stride == (ptrdiff_t)w->size && w->y_stride == (ptrdiff_t)w->size && !w->context->indexed;
}

/* The sums that a job's result is made of, of whatever finish: how many; what number i adds up; and of which vectors,
 * as the first factors of its terms and the second ones, or as its elements twice. */
#define MOST_JOB_SUMS MOST_PAIR_SUMS
QUIRE_INLINE int job_sums(const quire_job *job) {
    return needs_pair_sums(job->finish) ? pair_sums_of(job->finish) : sums_of(job->finish);
}
QUIRE_INLINE quire_term term_of(const quire_job *job, int i) {
    return needs_pair_sums(job->finish) ? pair_term(i) : term_of_sum(job->term, i);
}
QUIRE_INLINE ends_vector vector_of_sum(const quire_job *job, int i, ends_vector v) {
    if (!needs_pair_sums(job->finish)) return v;
    return (ends_vector){ pair_begins_with_x(i) ? v.x : v.y, pair_ends_with_x(i) ? v.x : v.y, v.n };
}

/* The fewest elements of a piece. */
#define PIECE_ELEMENTS ((size_t)1 << 16)

/* Does units first to last - 1 of a work, in our environment. */
typedef void (*unit_function)(const void *work, size_t first, size_t last);

/* Gives units to threads, "together" of them at a time, in whatever order. A report counts units. */
QUIRE_PRIVATE void units_run(const cpu_context *context, unit_function run, const void *work, size_t units,
                             size_t together, int threads);

#endif
