/* drivers.h - what the drivers of one vector and of many share: a context, its threads, a job of one vector cut into
 * pieces, and what each driver does for the others. The headings say where that stands.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_DRIVERS_H
#define QUIRE_CPU_DRIVERS_H

#include "backend.h"
#include "cpu/tier/tier.h"
#include "order/order.h"

/* -------------------------------------------------------------------------------------------------------- context.c */

typedef struct thread_pool thread_pool;

typedef struct {
    quire_context base;
    const cpu_tier *tier;
    thread_pool *pool; /* NULL: the caller's thread alone */
    int threads;       /* in a copy: how many there are, the caller's among them */
    size_t cache;      /* bytes: it pays to fetch far ahead in arrays that are longer; in caches it does not */
    size_t thread;     /* bytes: the fewest that a thread is started for */
    void (*report)(void *user, size_t done, size_t total);
    void *user;
    int past_ends; /* in a copy: the ends of the sum have not told the result (ends.c) */
} cpu_context;

/* A copy of the context, or what a NULL context means. */
QUIRE_PRIVATE cpu_context cpu_context_of(const quire_context *context);

/* Slots of the backend. */
QUIRE_PRIVATE quire_status cpu_set_stream(quire_context *context, struct CUstream_st *stream);
QUIRE_PRIVATE quire_status cpu_set_tier(quire_context *context, quire_tier tier);
QUIRE_PRIVATE quire_status cpu_set_progress(quire_context *context, void (*report)(void *, size_t, size_t), void *user);
QUIRE_PRIVATE void cpu_close(quire_context *context);

/* -------------------------------------------------------------------------------------------------------- threads.c */

/* One piece of a job; first_thread: whether the thread that called pool_run does it. It runs in the environment of
 * whoever opened the pool, so it sees to its own. */
typedef void (*thread_work)(void *job, size_t piece, int first_thread);

/* As many as there are processors that this process may run on, or fewer if OMP_NUM_THREADS says so. */
QUIRE_PRIVATE int threads_available(void);

/* Starts threads beside the caller's, or as many as can be started. NULL: there are none. */
QUIRE_PRIVATE thread_pool *pool_open(int threads);

/* How many there are for a call, with the caller's: 1 for NULL, and in a forked child, which has none of the pool's. */
QUIRE_PRIVATE int pool_threads(const thread_pool *pool);

/* Does all pieces, each by whichever of the threads is free; by one, in their order. threads: pool_threads at most. */
QUIRE_PRIVATE void pool_run(thread_pool *pool, int threads, size_t pieces, thread_work work, void *job);

/* Ends the threads; NULL is allowed. */
QUIRE_PRIVATE void pool_close(thread_pool *pool);

/* Adds the words of an accumulator to those of one that other threads may be adding to. Words just add up, in any
 * order: of carried accumulators, fewer than LIMB_MERGES. */
QUIRE_PRIVATE void threads_add(quire_accumulator *into, const quire_accumulator *from);

/* ------------------------------------------------------------------------------------------------ cpu.c: one vector */

/* How many threads are worth starting for these bytes, which come in pieces: at least 1. */
QUIRE_PRIVATE int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces);

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

/* Runs all pieces, each in the environment our arithmetic needs. */
QUIRE_PRIVATE void work_run(const cpu_work *w);

QUIRE_INLINE int is_contiguous(const cpu_work *w) {
    return w->x_stride == (ptrdiff_t)w->size && w->y_stride == (ptrdiff_t)w->size;
}

/* Adds all sums of a job to accumulators, one each. Every bit, if radius is NULL. n is not 0. */
QUIRE_PRIVATE void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                    ptrdiff_t y_stride, quire_accumulator *accumulator, ball_radius *radius);

/* A job of one vector, whose elements are the strides, in bytes, apart. The context's threads share it. Answers the
 * result's bits. */
QUIRE_PRIVATE uint64_t cpu_reduce_vector(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                         ptrdiff_t y_stride);

/* --------------------------------------------------------------------------------------- ends.c: exact sums, at first
 */

/* Whether ends may be tried: of an exact sum, and not of a job that reports, which goes through its elements once. */
QUIRE_PRIVATE int may_have_ends(const cpu_context *context, const quire_job *job);

/* Whether it is by its ends, at first, that a vector's sum takes the least time. */
QUIRE_PRIVATE int has_ends(const cpu_context *context, const quire_job *job, format_description format);

/* A copy of the context for what they do not tell. */
QUIRE_PRIVATE cpu_context ends_past(const cpu_context *context);

/* The ends that mostly tell a job's results; those that tell some which these leave open, or ENDS_KINDS. */
QUIRE_PRIVATE ends_kind ends_kind_of(const quire_job *job, format_description format);
QUIRE_PRIVATE ends_kind ends_kind_after(const quire_job *job, ends_kind kind);

/* Of two parts: of both. In this and the next ones the environment is ours. */
QUIRE_PRIVATE void ends_merge(sum_ends *a, sum_ends b);

/* The result of n > 0 terms whose sum has these ends; answers whether they tell it. */
QUIRE_PRIVATE int ends_round(sum_ends ends, const quire_job *job, format_description format, uint64_t *bits);

/* The same of some vectors, of n[i] elements or, if n is NULL, all of the job's. Answers with a bit for each result
 * that is not told, and not there. */
QUIRE_PRIVATE uint64_t ends_results(const cpu_tier *tier, const many_ends *ends, const size_t *n, size_t count,
                                    const quire_job *job, format_description format, char *results);

/* The same of both sums of what needs squares, all of the job's n elements. */
QUIRE_PRIVATE uint64_t ends_moments(const cpu_tier *tier, const many_ends *s, const many_ends *q, size_t count,
                                    const quire_job *job, format_description format, char *results);

/* The result of a contiguous vector; of some, as above, which have the job's n elements each if it needs squares. */
QUIRE_PRIVATE int ends_tell(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits);
QUIRE_PRIVATE uint64_t ends_reduce_many(const cpu_tier *tier, const quire_job *job, const ends_vector *vectors,
                                        size_t count, format_description format, char *results);

/* The result of a vector that the context's threads share; in any environment. Strides are in bytes. */
QUIRE_PRIVATE int ends_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                              format_description format, uint64_t *bits);

/* -------------------------------------------------------------------- ordered.c: the methods of the canonical order */

/* The state of a lane, and what the methods' list says about one method. */
typedef union {
    float f32[QUIRE_STATE_WORDS];
    double f64[QUIRE_STATE_WORDS];
} lane_state;

typedef void (*merge_function)(lane_state *into, const lane_state *from);

typedef struct {
    merge_function merge[2]; /* floats, doubles */
    quire_total (*total)(const double *state);
    int words;
} lane_method;

extern QUIRE_PRIVATE const lane_method lane_methods[METHOD_NUMBERS];

/* The total of a job of n > 0 elements. */
QUIRE_PRIVATE quire_total ordered_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                         ptrdiff_t y_stride);

/* ------------------------------------------------------------------------------- moments.c: what needs squares, too */

/* The bits of a variance or the like, of n > 0 elements. */
QUIRE_PRIVATE uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                      ptrdiff_t y_stride, format_description format);

/* ----------------------------------------------------------------------------- strided.c: elements that stand apart */

/* Parts of such a vector are gathered, and reduced as contiguous ones are. Strides are in bytes; y is read where the
 * terms are products. */
typedef struct {
    const cpu_tier *tier;
    quire_type type;
    quire_term term;
    quire_method method;
    size_t size; /* bytes of an element */
    ptrdiff_t x_stride, y_stride;
} strided_vector;

QUIRE_INLINE strided_vector strided_vector_of(const cpu_work *w, quire_term term) {
    return (strided_vector){ w->context->tier, w->job->type, term, w->job->method, w->size, w->x_stride, w->y_stride };
}

/* A tile of the order, or less: n elements, 0 < n <= tile. */
QUIRE_PRIVATE void strided_tile(const strided_vector *v, const char *x, const char *y, size_t n, size_t tile,
                                lane_state *state);

/* Adds n elements as an exact_function does. */
QUIRE_PRIVATE void strided_exact(const strided_vector *v, quire_accumulator *a, const char *x, const char *y, size_t n,
                                 ball_radius *radius);

/* The ends of n > 0 elements, by a function of a tier. */
QUIRE_PRIVATE sum_ends strided_ends(const strided_vector *v, ends_function add, const char *x, const char *y, size_t n);

/* ----------------------------------------------------------------------------------------------- many.c, segments.c */

/* Does units first to last - 1 of a work, in our environment. */
typedef void (*unit_function)(const void *work, size_t first, size_t last);

/* Gives units to threads, "together" of them at a time, in whatever order. A report counts units. */
QUIRE_PRIVATE void many_run(const cpu_context *context, unit_function run, const void *work, size_t units,
                            size_t together, int threads);

/* The same context for one thread, which reports nothing. */
QUIRE_PRIVATE cpu_context many_single(const cpu_context *context);

/* A job of one contiguous vector by a method of the canonical order, of no more than its first tile. The environment is
 * ours. The result's bits. */
#define ONE_TILE (ORDER_LANES * ORDER_ROWS)
QUIRE_PRIVATE uint64_t many_one_tile(const cpu_tier *tier, const quire_job *job, format_description format);

/* A job of one contiguous vector, by doubles alone if it is short and they hold or decide it. The environment is ours.
 * The result's bits. */
QUIRE_PRIVATE uint64_t many_contiguous(const cpu_context *context, const quire_job *job, size_t size,
                                       format_description format);

/* Slots of the backend. */
QUIRE_PRIVATE quire_status cpu_reduce_many(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                                           const quire_layout *y_layout);
QUIRE_PRIVATE quire_status cpu_reduce_segments(quire_context *context, const quire_job *job,
                                               const quire_segments *segments);

#endif
