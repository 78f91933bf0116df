/* segments.c - segments on the CPU, of an array, and of rows that are found through an index. Threads take some
 * neighbours at a time; segments that are too long for that are each shared by all threads, before the others.
 *
 * Of rows, the elements of some neighbouring segments, and of some neighbouring columns, are gathered in a block, where
 * they are segments of an array; a segment that no block holds is a vector by itself, whose elements are looked up as
 * it is reduced.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/layouts.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

#define TOGETHER ((size_t)4096) /* the most segments that a thread takes at a time */
#define SHARES 64               /* of a thread, at least, so that all end at about a time */

typedef struct {
    const quire_job *job;
    const quire_segments *segments;
    int64_t rows; /* how many there are, if segments may reach beyond them; else -1 */
    cpu_context single;
    size_t size, result_size;
    format_description format;
    int leaves_long; /* to all threads */
} segment_work;

static segment_work work_on(const cpu_context *context, const quire_job *job, const quire_segments *segments,
                            int64_t rows) {
    segment_work w = { .job = job, .segments = segments, .rows = rows, .single = context_single(context) };
    w.size = (size_t)element_size(job->type), w.result_size = (size_t)result_size(job->result_type);
    w.format = describe_format(job->result_type);
    return w;
}

/* Segment i: of its rows those that there are. */
static segment segment_of(const segment_work *w, size_t i) {
    const segment s = segment_at(w->segments, i);
    if (w->rows < 0) return s;
    const int64_t end = (int64_t)((uint64_t)s.begin + s.n);
    const int64_t first = s.begin > 0 ? s.begin : 0, last = end < w->rows ? end : w->rows;
    return (segment){ first, last > first ? (size_t)(last - first) : 0 };
}

static int is_left(const segment_work *w, segment s) { return w->leaves_long && s.n >= LONG_ELEMENTS; }

/* Elements of all segments, or SIZE_MAX. */
static size_t elements_of(const segment_work *w) {
    size_t elements = 0;
    for (size_t i = 0; i < w->segments->count; i++)
        if (__builtin_add_overflow(elements, segment_of(w, i).n, &elements)) return SIZE_MAX;
    return elements;
}

/* How many threads are worth starting for all segments of so many vectors. */
static int threads_for(const cpu_context *context, const segment_work *w, size_t vectors) {
    if (pool_threads(context->pool) == 1) return 1;
    return cpu_threads(context, product_or_most(product_or_most(elements_of(w), vectors), w->size), SIZE_MAX);
}

static void share_units(const cpu_context *context, unit_function run, const void *work, size_t units, int threads) {
    const size_t share = units / ((size_t)threads * SHARES) + 1;
    units_run(context, run, work, units, threads > 1 && share < TOGETHER ? share : TOGETHER, threads);
}

/* ------------------------------------------------------------------------------------------------------- of an array
 */

/* A segment as a job of its own. What is empty has no address. */
static quire_job job_of(const segment_work *w, segment s) {
    quire_job job = *w->job;
    job.n = s.n;
    if (s.n) {
        const ptrdiff_t at = (ptrdiff_t)s.begin * (ptrdiff_t)w->size;
        job.x = (const char *)job.x + at;
        job.y = (const char *)job.y + at;
    }
    return job;
}

static char *result_of(const segment_work *w, size_t i) { return (char *)w->job->result + i * w->result_size; }

/* Segments that are summed together, by their ends; number[i] is that of the one at place i. */
typedef struct {
    size_t count, number[ENDS_TOGETHER];
    ends_vector vectors[ENDS_TOGETHER];
} some_segments;

static void reduce_together(const segment_work *w, some_segments *some) {
    const cpu_context past = ends_past(&w->single);
    _Alignas(8) char results[ENDS_TOGETHER * 8];
    if (!some->count) return;
    const uint64_t open = ends_reduce_many(past.tier, w->job, some->vectors, some->count, w->format, results);
    for (size_t i = 0; i < some->count; i++) {
        char *result = result_of(w, some->number[i]);
        if (open >> i & 1) {
            const quire_job job = job_of(w, segment_at(w->segments, some->number[i]));
            vector_contiguous(&past, &job, w->format, result);
        } else
            memcpy(result, results + i * w->result_size, w->result_size);
    }
    some->count = 0;
}

static void run_segments(const void *work, size_t first, size_t last) {
    const segment_work *w = work;
    some_segments some;
    some.count = 0;
    for (size_t i = first; i < last; i++) {
        const segment s = segment_at(w->segments, i);
        const quire_job job = job_of(w, s);
        if (is_left(w, s)) continue;
        if (!s.n || s.n > VECTOR_EXACT_ELEMENTS || !has_ends(&w->single, &job, w->format)) {
            vector_contiguous(&w->single, &job, w->format, result_of(w, i));
            continue;
        }
        some.number[some.count] = i;
        some.vectors[some.count++] = (ends_vector){ job.x, job.y, s.n };
        if (some.count == ENDS_TOGETHER) reduce_together(w, &some);
    }
    reduce_together(w, &some);
}

static void run_long(const cpu_context *context, const segment_work *w) {
    const cpu_context silent = context_silent(context);
    for (size_t i = 0; i < w->segments->count; i++) {
        const segment s = segment_at(w->segments, i);
        const quire_job job = job_of(w, s);
        if (is_left(w, s)) vector_reduce(&silent, &job, (ptrdiff_t)w->size, (ptrdiff_t)w->size, result_of(w, i));
    }
}

/* NULL in place of an array is good where all segments are empty. */
static int needs_elements(const quire_segments *s) {
    for (size_t i = 0; i < s->count; i++)
        if (segment_at(s, i).n) return 1;
    return 0;
}

quire_status cpu_reduce_segments(quire_context *context, const quire_job *job, const quire_segments *segments) {
    const cpu_context c = cpu_context_of(context);
    segment_work w = work_on(&c, job, segments, -1);
    if ((!job->x || !job->y) && needs_elements(segments)) return QUIRE_NULL_POINTER;
    const int threads = threads_for(&c, &w, 1);
    w.leaves_long = threads > 1;
    if (threads > 1) run_long(&c, &w);
    share_units(&c, run_segments, &w, segments->count, threads);
    return QUIRE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- of rows */

#define BLOCK ((size_t)4096)       /* elements of an array that are gathered */
#define BLOCK_COLUMNS ((size_t)16) /* the most columns of a block; floats of so many fill a line of a cache */
#define BLOCK_SEGMENTS 256         /* the most segments of a block */

/* A plane: neighbouring columns of one outer vector, of all segments. Planes go one after the other. */
typedef struct {
    segment_work of;
    const quire_gathered *rows;
    size_t columns, planes_of_outer; /* columns: of a plane, but perhaps the last */
} gathered_work;

typedef struct {
    size_t outer, first, columns; /* the first of its columns */
    indexed_vector v;             /* the first column */
    ptrdiff_t x_inner, y_inner;   /* bytes to the next */
} plane;

static indexed_array array_of(const gathered_work *w, const void *base, const quire_layout *l, const void *order,
                              size_t outer, size_t column) {
    const ptrdiff_t size = (ptrdiff_t)w->of.size;
    if (!l->n) return (indexed_array){ NULL, 0, 0, order, w->rows->segments.index == QUIRE_I64 };
    const ptrdiff_t at = (ptrdiff_t)outer * l->outer_stride + (ptrdiff_t)column * l->inner_stride;
    return (indexed_array){ (const char *)base + at * size, l->n > 1 ? l->stride * size : 0, l->n, order,
                            w->rows->segments.index == QUIRE_I64 };
}

/* Bytes from a column to the next, where there are both: else strides may be anything. */
static ptrdiff_t inner_of(const gathered_work *w, const quire_layout *l) {
    return l->n && l->inner > 1 ? l->inner_stride * (ptrdiff_t)w->of.size : 0;
}

static plane plane_of(const gathered_work *w, size_t number) {
    const quire_gathered *r = w->rows;
    plane p = { .outer = number / w->planes_of_outer, .first = number % w->planes_of_outer * w->columns };
    const size_t left = r->x.inner - p.first;
    p.columns = left < w->columns ? left : w->columns;
    p.v.x = array_of(w, w->of.job->x, &r->x, r->x_order, p.outer, p.first);
    p.v.y = array_of(w, w->of.job->y, &r->y, r->y_order, p.outer, p.first);
    p.v.reads_y = w->of.job->y != w->of.job->x || r->y_order != r->x_order || memcmp(&r->x, &r->y, sizeof r->x) != 0;
    p.x_inner = inner_of(w, &r->x);
    p.y_inner = inner_of(w, &r->y);
    return p;
}

static char *result_of_row(const gathered_work *w, const plane *p, size_t i, size_t column) {
    const size_t number = (p->outer * w->rows->segments.count + i) * w->rows->x.inner + p->first + column;
    return (char *)w->of.job->result + number * w->of.result_size;
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
    b->apart = b->room * w->of.size + (p->columns > 1 ? 64 : 0); /* not all columns in the same places of a cache */
}

static int block_has_room(const gathered_block *b, size_t n) {
    return b->count < BLOCK_SEGMENTS && n <= b->room - (size_t)b->begin[b->count];
}

static void block_add(const gathered_work *w, const plane *p, gathered_block *b, size_t number, segment e) {
    const size_t begin = (size_t)b->begin[b->count], at = begin * w->of.size;
    if (!b->count) b->first = number;
    const size_t n =
        indexed_gather_columns(&p->v, 0, b->x + at, b->apart, e.begin, e.n, p->columns, p->x_inner, w->of.size);
    if (p->v.reads_y)
        indexed_gather_columns(&p->v, 1, b->y + at, b->apart, e.begin, e.n, p->columns, p->y_inner, w->of.size);
    b->begin[++b->count] = (int32_t)(begin + n);
}

/* The results of its segments, which then make room for others. */
static void block_reduce(const gathered_work *w, const plane *p, gathered_block *b) {
    const quire_segments segments = { b->count, QUIRE_I32, b->begin, b->begin + 1 };
    const size_t size = w->of.result_size;
    _Alignas(64) char results[BLOCK_SEGMENTS * INT128_SIZE];
    quire_job job = *w->of.job;
    for (size_t c = 0; c < p->columns && b->count; c++) {
        job.x = b->x + c * b->apart;
        job.y = p->v.reads_y ? b->y + c * b->apart : job.x;
        job.result = w->rows->x.inner == 1 ? result_of_row(w, p, b->first, 0) : results;
        const segment_work of = work_on(&w->of.single, &job, &segments, -1);
        run_segments(&of, 0, b->count);
        for (size_t i = 0; i < b->count && job.result == results; i++)
            memcpy(result_of_row(w, p, b->first + i, c), results + i * size, size);
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
        reduce_indexed(context, *w->of.job, v, e, present, result_of_row(w, p, number, c));
    }
}

/* --------------------------------------------------------------------------------------------------------- the call */

/* Segments of one plane. */
static void run_rows(const gathered_work *w, const plane *p, size_t first, size_t last) {
    gathered_block block;
    block_open(w, p, &block);
    for (size_t i = first; i < last; i++) {
        const segment e = segment_of(&w->of, i);
        const int is_long = e.n > block.room;
        if (is_long || !block_has_room(&block, e.n)) block_reduce(w, p, &block);
        if (!is_long)
            block_add(w, p, &block, i, e);
        else if (!is_left(&w->of, e))
            reduce_segment(w, &w->of.single, p, i, e);
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
        run_rows(w, &p, begin, end);
        first += end - begin;
    }
}

/* Those that are left to all threads. */
static void run_long_of_rows(const cpu_context *context, const gathered_work *w, size_t planes) {
    const cpu_context silent = context_silent(context);
    for (size_t number = 0; number < planes; number++) {
        const plane p = plane_of(w, number);
        for (size_t i = 0; i < w->rows->segments.count; i++) {
            const segment e = segment_of(&w->of, i);
            if (is_left(&w->of, e)) reduce_segment(w, &silent, &p, i, e);
        }
    }
}

quire_status cpu_reduce_gathered(quire_context *context, const quire_job *job, const quire_gathered *rows) {
    const cpu_context c = cpu_context_of(context);
    const size_t inner = rows->x.inner, least = rows->x.n < rows->y.n ? rows->x.n : rows->y.n;
    const int64_t there = rows->x_order || rows->y_order ? -1 : (int64_t)least;
    gathered_work w = { .of = work_on(&c, job, &rows->segments, there), .rows = rows };
    w.columns = inner < BLOCK_COLUMNS ? inner : BLOCK_COLUMNS;
    w.planes_of_outer = (inner - 1) / w.columns + 1;
    const size_t planes = rows->x.outer * w.planes_of_outer;
    const int threads = threads_for(&c, &w.of, rows->x.outer * inner);
    w.of.leaves_long = threads > 1;
    if (threads > 1) run_long_of_rows(&c, &w, planes);
    share_units(&c, run_units, &w, planes * rows->segments.count, threads);
    return QUIRE_OK;
}
