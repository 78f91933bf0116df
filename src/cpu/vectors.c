/* vectors.c - layouts on the CPU. Vectors go to threads in chunks. Within a chunk they are reduced one by one, or some
 * by their ends, where their elements stand together, or as panels where those of neighbouring vectors do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/context.h"
#include "cpu/ends.h"
#include "cpu/environment.h"
#include "cpu/gather.h"
#include "cpu/layouts.h"
#include "cpu/panels.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

#define CHUNK_ELEMENTS ((size_t)1 << 14) /* about as many make a chunk */
#define CHUNK_VECTORS ((size_t)1 << 12)  /* and no more vectors than this */
#define PANEL_LEAST 4                    /* the fewest vectors that are worth a panel */

typedef struct {
    const quire_job *job;
    cpu_context single;
    size_t inner, size, result_size;
    byte_strides x, y;
    format_description format;
    size_t panels; /* the most that go together; 0: vectors go one by one */
    int by_ends;   /* contiguous vectors whose ends mostly tell their results */
} many_work;

/* A vector. One is found by a division, which takes as long as a short sum; the next ones are stepped to. */
typedef struct {
    size_t number, outer, inner; /* inner: its place among its neighbours */
} many_cursor;

static many_cursor cursor_at(const many_work *w, size_t vector) {
    return (many_cursor){ vector, vector / w->inner, vector % w->inner };
}

static const char *cursor_x(const many_work *w, const many_cursor *c) {
    return (const char *)w->job->x + ((ptrdiff_t)c->outer * w->x.outer + (ptrdiff_t)c->inner * w->x.inner);
}
static const char *cursor_y(const many_work *w, const many_cursor *c) {
    return (const char *)w->job->y + ((ptrdiff_t)c->outer * w->y.outer + (ptrdiff_t)c->inner * w->y.inner);
}

/* Over some neighbours. */
static void cursor_step(const many_work *w, many_cursor *c, size_t vectors) {
    c->number += vectors, c->inner += vectors;
    if (c->inner == w->inner) c->inner = 0, c->outer++;
}

static char *result_of(const many_work *w, size_t vector) { return (char *)w->job->result + vector * w->result_size; }

/* One whose elements stand apart, but few enough to be gathered at once. */
static void reduce_gathered(const many_work *w, const quire_job *job, void *result) {
    _Alignas(64) char x[VECTOR_EXACT_ELEMENTS * 8], y[VECTOR_EXACT_ELEMENTS * 8];
    quire_job gathered = *job;
    gather(x, job->x, job->n, w->x.element, w->size);
    gathered.x = gathered.y = x;
    if (job->y != job->x || w->y.element != w->x.element) {
        gather(y, job->y, job->n, w->y.element, w->size);
        gathered.y = y;
    }
    vector_contiguous(&w->single, &gathered, w->format, result);
}

static void reduce_one(const many_work *w, const quire_job *job, void *result) {
    const ptrdiff_t size = (ptrdiff_t)w->size;
    if (w->x.element == size && w->y.element == size)
        vector_contiguous(&w->single, job, w->format, result);
    else if (job->n <= VECTOR_EXACT_ELEMENTS)
        reduce_gathered(w, job, result);
    else
        vector_reduce(&w->single, job, w->x.element, w->y.element, result);
}

/* How many panels begin here, of the vectors left, that stand side by side and are reduced together. */
static size_t panels_together(const many_work *w, const many_cursor *at, size_t left) {
    const size_t neighbours = w->inner - at->inner, panels = (left < neighbours ? left : neighbours) / PANEL;
    if (panels < 1) return 1;
    return panels < w->panels ? panels : w->panels;
}

/* The next of the vectors left, side by side, by the context's threads. */
static void reduce_panels(const many_work *w, const cpu_context *context, many_cursor *at, size_t left) {
    panel_job p = {
        &w->single, w->job, left < PANEL ? left : PANEL, 1, { NULL }, { NULL }, w->x.element, w->y.element
    };
    char *results = result_of(w, at->number);
    if (context == &w->single) p.panels = panels_together(w, at, left);
    if (p.panels > 1) {
        p.x[0] = cursor_x(w, at), p.y[0] = cursor_y(w, at);
        cursor_step(w, at, p.panels * PANEL);
    } else
        for (size_t c = 0; c < p.count; c++, cursor_step(w, at, 1)) p.x[c] = cursor_x(w, at), p.y[c] = cursor_y(w, at);
    panel_reduce(context, &p, results);
}

/* Contiguous vectors by their ends, some together; one by one those whose ends do not tell their results. */
static void reduce_by_ends(const many_work *w, many_cursor *at, size_t last) {
    ends_vector vectors[ENDS_TOGETHER];
    const cpu_context past = ends_past(&w->single);
    const size_t first = at->number;
    size_t count = 0;
    for (; count < ENDS_TOGETHER && at->number < last; cursor_step(w, at, 1))
        vectors[count++] = (ends_vector){ cursor_x(w, at), cursor_y(w, at), w->job->n };
    uint64_t open = ends_reduce_many(past.tier, w->job, vectors, count, w->format, result_of(w, first));
    for (; open; open &= open - 1) {
        const size_t i = (size_t)__builtin_ctzll(open);
        quire_job job = *w->job;
        job.x = vectors[i].x, job.y = vectors[i].y;
        vector_contiguous(&past, &job, w->format, result_of(w, first + i));
    }
}

static void run_vectors(const void *work, size_t first, size_t last) {
    const many_work *w = work;
    many_cursor at = cursor_at(w, first);
    if (w->panels) {
        while (at.number < last) reduce_panels(w, &w->single, &at, last - at.number);
        return;
    }
    if (w->by_ends) {
        while (at.number < last) reduce_by_ends(w, &at, last);
        return;
    }
    quire_job job = *w->job;
    for (; at.number < last; cursor_step(w, &at, 1)) {
        job.x = cursor_x(w, &at), job.y = cursor_y(w, &at);
        reduce_one(w, &job, result_of(w, at.number));
    }
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Vectors by a method of the canonical order that are too short to fill its lanes, or a tier's registers, go side by
 * side, each a lane. */
static size_t longest_for_panels(quire_method method) { return lane_methods[method].words == 1 ? 44 : ORDER_LANES / 2; }

/* Whether vectors are reduced side by side: those of neighbours that stand closer to each other than the elements of
 * one do; and those too short to fill the lanes of the order, which cost as much as if they did. */
static int prefers_panels(const many_work *w, size_t vectors) {
    const size_t apart = stride_magnitude(w->inner > 1 ? w->x.inner : w->x.outer);
    if (vectors < PANEL_LEAST) return 0;
    return apart < stride_magnitude(w->x.element) ||
           (w->job->method != QUIRE_EXACT && w->job->n <= longest_for_panels(w->job->method));
}

static size_t most_panels(const many_work *w, size_t vectors) {
    const ptrdiff_t size = (ptrdiff_t)w->size;
    const int is_exact = w->job->method == QUIRE_EXACT, is_short = w->job->n <= (is_exact ? ENDS_ROWS : ORDER_LANES);
    if (!prefers_panels(w, vectors)) return 0;
    if (!is_short || w->x.inner != size || w->y.inner != size || is_integer(w->job->type)) return 1;
    return is_exact ? ENDS_TOGETHER / PANEL : MOST_PANELS;
}

/* Few vectors, and long: one panel after the other, or one vector, each by all threads. */
static void reduce_long(const cpu_context *context, const many_work *w, size_t vectors) {
    const cpu_environment callers = environment_enter();
    many_cursor at = cursor_at(w, 0);
    const cpu_context silent = context_silent(context);
    quire_job job = *w->job;
    while (at.number < vectors) {
        const size_t left = vectors - at.number;
        if (w->panels) {
            reduce_panels(w, &silent, &at, left);
        } else {
            job.x = cursor_x(w, &at), job.y = cursor_y(w, &at);
            vector_reduce(&silent, &job, w->x.element, w->y.element, result_of(w, at.number));
            cursor_step(w, &at, 1);
        }
        if (context->report) context->report(context->user, at.number, vectors);
    }
    environment_leave(callers);
}

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* Panels that go together are of one chunk, unless threads were left without any. */
static size_t vectors_together(const many_work *w, size_t all, size_t threads) {
    size_t vectors = CHUNK_ELEMENTS / w->job->n;
    if (vectors > CHUNK_VECTORS) vectors = CHUNK_VECTORS;
    if (vectors < 1) vectors = 1;
    if (!w->panels) return vectors;
    vectors = round_up(vectors, PANEL * w->panels);
    return all / threads >= vectors ? vectors : round_up(all / threads + 1, PANEL);
}

/* Whether both sums of variances are quicker one after the other, by their ends, than together: for so few elements
 * what is left to do for a result takes longer than either. (Not for doubles.) */
#define SHORT_MOMENTS 256
static int has_short_moments(const cpu_context *context, const quire_job *job, format_description format) {
    return needs_squares(job->finish) && job->n <= SHORT_MOMENTS && may_have_ends(context, job) &&
           format.precision <= 24 && !has_double_lanes(job->type);
}

quire_status cpu_reduce_many(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                             const quire_layout *y_layout) {
    const cpu_context c = cpu_context_of(context);
    const size_t vectors = x_layout->outer * x_layout->inner, size = (size_t)element_size(job->type);
    many_work w = { .job = job, .single = context_single(&c), .inner = x_layout->inner, .size = size };
    w.format = describe_format(job->result_type), w.result_size = (size_t)result_size(job->result_type);
    if (!job->n) {
        for (size_t v = 0; v < vectors; v++) vector_reduce(&w.single, job, 0, 0, result_of(&w, v));
        return QUIRE_OK;
    }
    if (is_gram(&c, job, x_layout, y_layout)) {
        gram_reduce(&c, job, x_layout, y_layout);
        return QUIRE_OK;
    }
    w.x = strides_of(x_layout, size);
    w.y = strides_of(y_layout, size);
    w.panels = most_panels(&w, vectors);
    w.by_ends = !w.panels && w.x.element == (ptrdiff_t)size && w.y.element == (ptrdiff_t)size &&
                (has_ends(&w.single, job, w.format) || has_short_moments(&w.single, job, w.format));
    const size_t bytes = product_or_most(product_or_most(vectors, job->n), size);
    const size_t together = vectors_together(&w, vectors, (size_t)cpu_threads(&c, bytes, vectors));
    const size_t chunks = (vectors - 1) / together + 1;
    const int threads = cpu_threads(&c, bytes, chunks);
    const size_t least = w.panels ? LONG_ELEMENTS / PANEL : LONG_ELEMENTS;
    const int are_shared = job->n >= least && threads < cpu_threads(&c, SIZE_MAX, SIZE_MAX);
    if (are_shared && (needs_pair_sums(job->finish) || is_integer(job->type))) w.panels = 0; /* one after the other */
    if (are_shared)
        reduce_long(&c, &w, vectors);
    else
        units_run(&c, run_vectors, &w, vectors, together, threads);
    return QUIRE_OK;
}
