/* gathered.c - segments of rows that are found through an index. Elements of some neighbouring segments, and of some
 * neighbouring columns, are gathered in a block, where they are segments of an array; a segment that no block holds is
 * a vector by itself, whose elements are looked up as it is reduced.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/environment.h"
#include "cpu/layouts.h"
#include "cpu/split.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

#include <string.h>

#define BLOCK ((size_t)4096)       /* elements of an array that are gathered */
#define BLOCK_COLUMNS ((size_t)16) /* the most columns of a block; floats of so many fill a line of a cache */
#define BLOCK_SEGMENTS 256         /* the most segments of a block */
#define TOGETHER ((size_t)4096)    /* the most segments that a thread takes at a time */
#define SHARES 16                  /* of a thread, at least, so that all end at about a time */

/* A plane: neighbouring columns of one outer vector, of all segments. Planes go one after the other. */
typedef struct {
    const quire_job *job;
    const quire_gathered *rows;
    cpu_context single;
    size_t size, result_size, columns, planes_of_outer; /* columns: of a plane, but perhaps the last */
    int leaves_long;                                    /* to all threads */
} gathered_work;

/* Segment i. Without an index its rows are neighbours, and of those only the ones that there are count, however far it
 * reaches beyond them. */
static segment segment_of(const gathered_work *w, size_t i) {
    const quire_gathered *r = w->rows;
    const segment e = segment_at(&r->segments, i);
    if (r->x_order || r->y_order) return e;
    const int64_t rows = (int64_t)(r->x.n < r->y.n ? r->x.n : r->y.n), end = (int64_t)((uint64_t)e.begin + e.n);
    const int64_t first = e.begin > 0 ? e.begin : 0, last = end < rows ? end : rows;
    return (segment){ first, last > first ? (size_t)(last - first) : 0 };
}

typedef struct {
    size_t outer, first, columns; /* the first of its columns */
    indexed_vector v;             /* the first column */
    ptrdiff_t x_inner, y_inner;   /* bytes to the next */
} plane;

static indexed_array array_of(const gathered_work *w, const void *base, const quire_layout *l, const void *order,
                              size_t outer, size_t column) {
    const ptrdiff_t size = (ptrdiff_t)w->size;
    if (!l->n) return (indexed_array){ NULL, 0, 0, order, w->rows->segments.index == QUIRE_I64 };
    const ptrdiff_t at = (ptrdiff_t)outer * l->outer_stride + (ptrdiff_t)column * l->inner_stride;
    return (indexed_array){ (const char *)base + at * size, l->n > 1 ? l->stride * size : 0, l->n, order,
                            w->rows->segments.index == QUIRE_I64 };
}

/* Bytes from a column to the next, where there are both: else strides may be anything. */
static ptrdiff_t inner_of(const gathered_work *w, const quire_layout *l) {
    return l->n && l->inner > 1 ? l->inner_stride * (ptrdiff_t)w->size : 0;
}

static plane plane_of(const gathered_work *w, size_t number) {
    const quire_gathered *r = w->rows;
    plane p = { .outer = number / w->planes_of_outer, .first = number % w->planes_of_outer * w->columns };
    const size_t left = r->x.inner - p.first;
    p.columns = left < w->columns ? left : w->columns;
    p.v.x = array_of(w, w->job->x, &r->x, r->x_order, p.outer, p.first);
    p.v.y = array_of(w, w->job->y, &r->y, r->y_order, p.outer, p.first);
    p.v.reads_y = w->job->y != w->job->x || r->y_order != r->x_order || memcmp(&r->x, &r->y, sizeof r->x) != 0;
    p.x_inner = inner_of(w, &r->x);
    p.y_inner = inner_of(w, &r->y);
    return p;
}

static char *result_of(const gathered_work *w, const plane *p, size_t i, size_t column) {
    const size_t number = (p->outer * w->rows->segments.count + i) * w->rows->x.inner + p->first + column;
    return (char *)w->job->result + number * w->result_size;
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* Of each column the elements of some segments, side by side, those of the next column `apart` bytes behind. */
typedef struct {
    _Alignas(64) char x[BLOCK * 8 + BLOCK_COLUMNS * 64], y[BLOCK * 8 + BLOCK_COLUMNS * 64];
    int32_t begin[BLOCK_SEGMENTS + 1];
    size_t count, first, room, apart; /* segments, and the number of the first; elements there are in a column */
} gathered_block;

static void block_open(const gathered_work *w, const plane *p, gathered_block *b) {
    b->count = 0;
    b->begin[0] = 0;
    b->room = BLOCK / p->columns;
    b->apart = b->room * w->size + (p->columns > 1 ? 64 : 0); /* not all columns in the same places of a cache */
}

static int block_has_room(const gathered_block *b, size_t n) {
    return b->count < BLOCK_SEGMENTS && n <= b->room - (size_t)b->begin[b->count];
}

static void block_add(const gathered_work *w, const plane *p, gathered_block *b, size_t number, segment e) {
    const size_t begin = (size_t)b->begin[b->count], at = begin * w->size;
    if (!b->count) b->first = number;
    const size_t n =
        indexed_gather_columns(&p->v, 0, b->x + at, b->apart, e.begin, e.n, p->columns, p->x_inner, w->size);
    if (p->v.reads_y)
        indexed_gather_columns(&p->v, 1, b->y + at, b->apart, e.begin, e.n, p->columns, p->y_inner, w->size);
    b->begin[++b->count] = (int32_t)(begin + n);
}

/* The results of its segments, which then make room for others. */
static void block_reduce(const gathered_work *w, const plane *p, gathered_block *b) {
    const quire_segments segments = { b->count, QUIRE_I32, b->begin, b->begin + 1 };
    const size_t size = w->result_size;
    _Alignas(64) char results[BLOCK_SEGMENTS * INT128_SIZE];
    quire_job job = *w->job;
    for (size_t c = 0; c < p->columns && b->count; c++) {
        job.x = b->x + c * b->apart;
        job.y = p->v.reads_y ? b->y + c * b->apart : job.x;
        job.result = w->rows->x.inner == 1 ? result_of(w, p, b->first, 0) : results;
        segments_reduce(&w->single, &job, &segments);
        for (size_t i = 0; i < b->count && job.result == results; i++)
            memcpy(result_of(w, p, b->first + i, c), results + i * size, size);
    }
    b->count = 0;
}

/* -------------------------------------------------------------------------------------------------- longer segments */

/* Without an index rows stand at strides. */
static void reduce_strided(const cpu_context *context, quire_job job, const indexed_vector *v, segment e,
                           void *result) {
    job.n = e.n;
    job.x = v->x.base + (ptrdiff_t)e.begin * v->x.row;
    job.y = v->reads_y ? v->y.base + (ptrdiff_t)e.begin * v->y.row : job.x;
    vector_reduce(context, &job, v->x.row, v->reads_y ? v->y.row : v->x.row, result);
}

/* One column, of whose entries so many are present. */
static void reduce_indexed(const cpu_context *context, quire_job job, indexed_vector v, segment e, size_t present,
                           void *result) {
    const char *index = v.x.order ? v.x.order : v.y.order;
    cpu_context c = present == e.n ? *context : context_single(context);
    indexed_walk walk = { 0, e.begin };
    if (!index) {
        reduce_strided(context, job, &v, e, result);
        return;
    }
    v.entry_size = v.x.is_64_bit ? sizeof(int64_t) : sizeof(int32_t);
    v.first = e.begin;
    v.at = index + e.begin * (ptrdiff_t)v.entry_size;
    v.walk = present == e.n ? NULL : &walk;
    c.indexed = &v;
    job.n = present;
    job.x = job.y = v.at;
    vector_reduce(&c, &job, (ptrdiff_t)v.entry_size, (ptrdiff_t)v.entry_size, result);
}

static void reduce_segment(const gathered_work *w, const cpu_context *context, const plane *p, size_t number,
                           segment e) {
    indexed_vector v = p->v;
    const size_t present = v.x.order || v.y.order ? indexed_count(&v, e.begin, e.n) : e.n;
    for (size_t c = 0; c < p->columns; c++) {
        if (v.x.rows) v.x.base = p->v.x.base + (ptrdiff_t)c * p->x_inner;
        if (v.y.rows) v.y.base = p->v.y.base + (ptrdiff_t)c * p->y_inner;
        reduce_indexed(context, *w->job, v, e, present, result_of(w, p, number, c));
    }
}

/* --------------------------------------------------------------------------------------------------------- the call */

static int is_left(const gathered_work *w, segment e) { return w->leaves_long && e.n >= LONG_ELEMENTS; }

/* Segments of one plane. */
static void run_segments(const gathered_work *w, const plane *p, size_t first, size_t last) {
    gathered_block block;
    block_open(w, p, &block);
    for (size_t i = first; i < last; i++) {
        const segment e = segment_of(w, i);
        const int is_long = e.n > block.room;
        if (is_long || !block_has_room(&block, e.n)) block_reduce(w, p, &block);
        if (!is_long)
            block_add(w, p, &block, i, e);
        else if (!is_left(w, e))
            reduce_segment(w, &w->single, p, i, e);
    }
    block_reduce(w, p, &block);
}

/* Unit u is segment u % count of plane u / count. */
static void run_units(const void *work, size_t first, size_t last) {
    const gathered_work *w = work;
    const size_t count = w->rows->segments.count;
    while (first < last) {
        const size_t number = first / count, begin = first % count, left = last - first;
        const size_t end = left < count - begin ? begin + left : count;
        const plane p = plane_of(w, number);
        run_segments(w, &p, begin, end);
        first += end - begin;
    }
}

/* Those that are left to all threads. */
static void run_long(const cpu_context *context, const gathered_work *w, size_t planes) {
    const cpu_environment callers = environment_enter();
    cpu_context silent = *context;
    silent.report = NULL;
    for (size_t number = 0; number < planes; number++) {
        const plane p = plane_of(w, number);
        for (size_t i = 0; i < w->rows->segments.count; i++) {
            const segment e = segment_of(w, i);
            if (is_left(w, e)) reduce_segment(w, &silent, &p, i, e);
        }
    }
    environment_leave(callers);
}

/* What all segments of all vectors read, or SIZE_MAX. */
static size_t bytes_of(const gathered_work *w) {
    size_t elements = 0;
    for (size_t i = 0; i < w->rows->segments.count; i++)
        if (__builtin_add_overflow(elements, segment_of(w, i).n, &elements)) return SIZE_MAX;
    return product_or_most(product_or_most(elements, w->rows->x.outer * w->rows->x.inner), w->size);
}

quire_status cpu_reduce_gathered(quire_context *context, const quire_job *job, const quire_gathered *rows) {
    const cpu_context c = cpu_context_of(context);
    gathered_work w = { .job = job, .rows = rows, .single = context_single(&c) };
    const size_t inner = rows->x.inner;
    w.size = (size_t)element_size(job->type), w.result_size = (size_t)result_size(job->result_type);
    w.columns = inner < BLOCK_COLUMNS ? inner : BLOCK_COLUMNS;
    w.planes_of_outer = (inner - 1) / w.columns + 1;
    const size_t planes = rows->x.outer * w.planes_of_outer, units = planes * rows->segments.count;
    const int threads = pool_threads(c.pool) == 1 ? 1 : cpu_threads(&c, bytes_of(&w), units);
    const size_t share = units / ((size_t)threads * SHARES) + 1;
    w.leaves_long = threads > 1;
    if (threads > 1) run_long(&c, &w, planes);
    units_run(&c, run_units, &w, units, threads > 1 && share < TOGETHER ? share : TOGETHER, threads);
    return QUIRE_OK;
}
