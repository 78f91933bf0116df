/* split.c - see split.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/split.h"
#include "cpu/environment.h"

#include <stdatomic.h>

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
