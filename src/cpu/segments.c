/* segments.c - segments on the CPU. Threads take some neighbours at a time; segments that are too long for that are
 * each shared by all threads, before the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/layouts.h"
#include "cpu/vector.h"

#define TOGETHER ((size_t)4096) /* the most segments that a thread takes at a time */
#define SHARES 64               /* of a thread, at least, so that all end at about a time */

typedef struct {
    const quire_job *job;
    const quire_segments *segments;
    cpu_context single;
    size_t size, result_size;
    format_description format;
    int leaves_long; /* to all threads */
} segment_work;

static segment_work work_on(const cpu_context *context, const quire_job *job, const quire_segments *segments) {
    segment_work w = { .job = job, .segments = segments, .single = context_single(context) };
    w.size = (size_t)element_size(job->type), w.result_size = (size_t)result_size(job->result_type);
    w.format = describe_format(job->result_type);
    return w;
}

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

static void reduce_segment(const segment_work *w, const cpu_context *context, size_t i, segment s) {
    const quire_job job = job_of(w, s);
    if (s.n > VECTOR_EXACT_ELEMENTS)
        vector_reduce(context, &job, (ptrdiff_t)w->size, (ptrdiff_t)w->size, result_of(w, i));
    else
        vector_contiguous(context, &job, w->format, result_of(w, i));
}

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
        const segment s = segment_at(w->segments, some->number[i]);
        if (open >> i & 1)
            reduce_segment(w, &past, some->number[i], s);
        else
            memcpy(result_of(w, some->number[i]), results + i * w->result_size, w->result_size);
    }
    some->count = 0;
}

static int is_left(const segment_work *w, segment s) { return w->leaves_long && s.n >= LONG_ELEMENTS; }

static void run_segments(const void *work, size_t first, size_t last) {
    const segment_work *w = work;
    some_segments some;
    some.count = 0;
    for (size_t i = first; i < last; i++) {
        const segment s = segment_at(w->segments, i);
        const quire_job job = job_of(w, s);
        if (is_left(w, s)) continue;
        if (!s.n || s.n > VECTOR_EXACT_ELEMENTS || !has_ends(&w->single, &job, w->format)) {
            reduce_segment(w, &w->single, i, s);
            continue;
        }
        some.number[some.count] = i;
        some.vectors[some.count++] = (ends_vector){ job.x, job.y, s.n };
        if (some.count == ENDS_TOGETHER) reduce_together(w, &some);
    }
    reduce_together(w, &some);
}

void segments_reduce(const cpu_context *context, const quire_job *job, const quire_segments *segments) {
    const segment_work w = work_on(context, job, segments);
    run_segments(&w, 0, segments->count);
}

/* Elements of all segments, or SIZE_MAX. */
static size_t elements_of(const quire_segments *segments) {
    size_t elements = 0;
    for (size_t i = 0; i < segments->count; i++)
        if (__builtin_add_overflow(elements, segment_at(segments, i).n, &elements)) return SIZE_MAX;
    return elements;
}

static void run_long(const cpu_context *context, const segment_work *w) {
    cpu_context silent = *context;
    silent.report = NULL;
    for (size_t i = 0; i < w->segments->count; i++) {
        const segment s = segment_at(w->segments, i);
        if (is_left(w, s)) reduce_segment(w, &silent, i, s);
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
    segment_work w = work_on(&c, job, segments);
    int threads = 1;
    if ((!job->x || !job->y) && needs_elements(segments)) return QUIRE_NULL_POINTER;
    if (pool_threads(c.pool) != 1)
        threads = cpu_threads(&c, product_or_most(elements_of(segments), w.size), SIZE_MAX);
    const size_t share = segments->count / ((size_t)threads * SHARES) + 1;
    w.leaves_long = threads > 1;
    if (threads > 1) run_long(&c, &w);
    units_run(&c, run_segments, &w, segments->count, threads > 1 && share < TOGETHER ? share : TOGETHER, threads);
    return QUIRE_OK;
}
