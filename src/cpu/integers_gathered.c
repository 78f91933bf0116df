/* integers_gathered.c - segments of rows of integers that are found through an index: elements of some neighbouring
 * columns are copied side by side, and added to the states of these.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/indexed.h"
#include "cpu/integer_sums.h"
#include "cpu/integers.h"
#include "cpu/segment.h"
#include "cpu/split.h"

#define COLUMNS ((size_t)16)   /* the most that are read together */
#define ENTRIES ((size_t)256)  /* of a segment at a time */
#define TOGETHER ((size_t)256) /* the most segments that a thread takes at a time */
#define SHARES 16              /* of a thread, at least */

/* Neighbouring columns of one outer vector are a plane; unit u is segment u % count of plane u / count. */
typedef struct {
    const cpu_context *context; /* of one thread */
    const quire_job *job;
    const quire_gathered *rows;
    size_t size, planes_of_outer;
    int reads_y;
} gathered_work;

typedef struct {
    size_t outer, first, columns;
    indexed_vector v; /* the first column */
} plane;

static indexed_array array_of(const gathered_work *w, const void *base, const quire_layout *l, const void *order,
                              const plane *p) {
    const ptrdiff_t size = (ptrdiff_t)w->size;
    const int is_64_bit = w->rows->segments.index == QUIRE_I64;
    if (!l->n) return (indexed_array){ NULL, 0, 0, order, is_64_bit };
    const ptrdiff_t at = (ptrdiff_t)p->outer * l->outer_stride + (ptrdiff_t)p->first * l->inner_stride;
    return (indexed_array){ (const char *)base + at * size, l->n > 1 ? l->stride * size : 0, l->n, order, is_64_bit };
}

static plane plane_of(const gathered_work *w, size_t number) {
    const quire_gathered *r = w->rows;
    plane p = { .outer = number / w->planes_of_outer, .first = number % w->planes_of_outer * COLUMNS };
    const size_t left = r->x.inner - p.first;
    p.columns = left < COLUMNS ? left : COLUMNS;
    p.v.x = array_of(w, w->job->x, &r->x, r->x_order, &p);
    p.v.y = array_of(w, w->job->y, &r->y, r->y_order, &p);
    p.v.reads_y = w->reads_y;
    return p;
}

/* Bytes from a column to the next, where there are both. */
static ptrdiff_t inner_of(const gathered_work *w, const quire_layout *l) {
    return l->n && l->inner > 1 ? l->inner_stride * (ptrdiff_t)w->size : 0;
}

static void reduce_segment(const gathered_work *w, const plane *p, size_t i) {
    _Alignas(64) char xs[COLUMNS * ENTRIES * 8], ys[COLUMNS * ENTRIES * 8];
    integer_state states[COLUMNS];
    const quire_layout *x = &w->rows->x, *y = &w->rows->y;
    const size_t apart = ENTRIES * w->size;
    const segment e = segment_at(&w->rows->segments, i);
    memset(states, 0, sizeof states);
    for (size_t done = 0, count; done < e.n; done += count) {
        const int64_t first = e.begin + (int64_t)done;
        count = e.n - done < ENTRIES ? e.n - done : ENTRIES;
        const size_t found =
            indexed_gather_columns(&p->v, 0, xs, apart, first, count, p->columns, inner_of(w, x), w->size);
        if (w->reads_y) indexed_gather_columns(&p->v, 1, ys, apart, first, count, p->columns, inner_of(w, y), w->size);
        for (size_t c = 0; c < p->columns; c++)
            integer_state_add(&states[c], w->context->tier, w->job, xs + c * apart, (w->reads_y ? ys : xs) + c * apart,
                              found);
    }
    const size_t number = (p->outer * w->rows->segments.count + i) * x->inner + p->first;
    char *results = (char *)w->job->result + number * (size_t)result_size(w->job->result_type);
    for (size_t c = 0; c < p->columns; c++)
        integer_result(&states[c], w->job, results + c * (size_t)result_size(w->job->result_type));
}

static void run_units(const void *work, size_t first, size_t last) {
    const gathered_work *w = work;
    const size_t count = w->rows->segments.count;
    for (; first < last; first++) {
        const plane p = plane_of(w, first / count);
        reduce_segment(w, &p, first % count);
    }
}

/* What all segments of all vectors read, or SIZE_MAX. */
static size_t bytes_of(const quire_gathered *rows, size_t size) {
    size_t elements = 0, bytes;
    for (size_t i = 0; i < rows->segments.count; i++)
        if (__builtin_add_overflow(elements, segment_at(&rows->segments, i).n, &elements)) return SIZE_MAX;
    const size_t vectors = rows->x.outer * rows->x.inner;
    return __builtin_mul_overflow(elements, vectors, &bytes) || __builtin_mul_overflow(bytes, size, &bytes) ? SIZE_MAX
                                                                                                            : bytes;
}

void integers_reduce_gathered(const cpu_context *context, const quire_job *job, const quire_gathered *rows) {
    const cpu_context single = context_single(context);
    gathered_work w = { .context = &single, .job = job, .rows = rows };
    w.size = (size_t)element_size(job->type);
    w.planes_of_outer = (rows->x.inner - 1) / COLUMNS + 1;
    w.reads_y = job->y != job->x || rows->y_order != rows->x_order || memcmp(&rows->x, &rows->y, sizeof rows->x) != 0;
    const size_t units = rows->x.outer * w.planes_of_outer * rows->segments.count;
    const int threads = context->threads == 1 ? 1 : cpu_threads(context, bytes_of(rows, w.size), units);
    const size_t share = units / ((size_t)threads * SHARES) + 1;
    units_run(context, run_units, &w, units, share < TOGETHER ? share : TOGETHER, threads);
}
