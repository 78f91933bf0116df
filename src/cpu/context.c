/* context.c - CPU contexts: what they hold, and how it is set; and how work is cut for their threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/context.h"
#include "cpu/environment.h"

#include <stdatomic.h>
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

/* ----------------------------------------------------------------------------------------------------------- chunks */

typedef struct {
    const cpu_context *context;
    unit_function run;
    const void *work;
    size_t units, together;
    atomic_size_t done;
} unit_chunks;

/* One chunk, in our environment; the first thread reports. */
static void run_chunk(void *chunks, size_t chunk, int first_thread) {
    unit_chunks *c = chunks;
    const size_t first = chunk * c->together, left = c->units - first, count = left < c->together ? left : c->together;
    const cpu_environment callers = environment_enter();
    c->run(c->work, first, first + count);
    environment_leave(callers);
    if (!c->context->report) return;
    const size_t now = atomic_fetch_add_explicit(&c->done, count, memory_order_relaxed) + count;
    if (first_thread && now < c->units) c->context->report(c->context->user, now, c->units);
}

void units_run(const cpu_context *context, unit_function run, const void *work, size_t units, size_t together,
               int threads) {
    unit_chunks c = { context, run, work, units, together, 0 };
    pool_run(context->pool, threads, (units - 1) / together + 1, run_chunk, &c);
    if (context->report) context->report(context->user, units, units);
}

/* ----------------------------------------------------------------------------------------------------------- pieces */

cpu_work work_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    cpu_work w = { .job = job, .context = context, .pieces = 1, .threads = 1 };
    w.size = (size_t)element_size(job->type);
    w.x_stride = x_stride, w.y_stride = y_stride;
    w.tile = order_tile(job->n, order_rows_of(job->method));
    w.piece = job->n;
    const size_t bytes = job->n * w.size * (job->x == job->y ? 1 : 2);
    w.fetches = bytes > context->cache;
    if (job->n <= PIECE_ELEMENTS) return w; /* soon: a short sum takes no longer than what is decided here */
    for (w.piece = w.tile; w.piece < PIECE_ELEMENTS || job->n > MOST_PIECES * w.piece;) w.piece *= 2;
    if (job->n > w.piece) {
        w.pieces = (int)((job->n - 1) / w.piece) + 1;
        w.threads = cpu_threads(context, bytes, (size_t)w.pieces);
    }
    if (w.threads == 1 && !context->report) w.piece = job->n, w.pieces = 1;
    return w;
}

static void run_piece(const void *work, size_t first, size_t last) {
    const cpu_work *w = work;
    w->run(w, (int)(first / w->piece), (const char *)w->job->x + (ptrdiff_t)first * w->x_stride,
           (const char *)w->job->y + (ptrdiff_t)first * w->y_stride, last - first);
}

void work_run(const cpu_work *w) { units_run(w->context, run_piece, w, w->job->n, w->piece, w->threads); }
