/* integers.c - integers on the CPU: one vector, and the layouts of many. No order, no ends, no windows: each vector has
 * one state, to which its elements are added as they come.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/integers.h"
#include "cpu/indexed.h"
#include "cpu/integer_sums.h"
#include "cpu/segment.h"
#include "cpu/split.h"

#define COLUMNS ((size_t)16)             /* neighbouring vectors that are read together, a line of a cache or two */
#define ROWS ((size_t)256)               /* of them at a time */
#define CHUNK_ELEMENTS ((size_t)1 << 14) /* about as many make a chunk */
#define CHUNK_VECTORS ((size_t)1 << 12)  /* and no more vectors than this */
#define LONG_ELEMENTS ((size_t)1 << 18)  /* of a vector that threads share */
#define SHARES 16                        /* of a thread, at least, so that all end at about a time */

static char *result_of(const quire_job *job, size_t i) {
    return (char *)job->result + i * (size_t)result_size(job->result_type);
}

void integers_reduce(const cpu_context *context, const quire_job *job) {
    const ptrdiff_t size = element_size(job->type);
    const integer_state s = integer_state_of(context, job, size, size);
    integer_result(&s, job, job->result);
}

void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                         quire_accumulator *accumulator) {
    const integer_state s = integer_state_of(context, job, x_stride, y_stride);
    if (!job->n) return;
    integer_add_to_limbs(accumulator->limb, &s.sum[0]);
    accumulator_count(accumulator, s.n);
    accumulator->other |= s.has_terms ? OTHER_NONZERO : 1;
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Vectors of a layout, in bytes. Strides along which there is but one element are 0, or its size. */
typedef struct {
    const cpu_context *context; /* of one thread */
    const quire_job *job;
    size_t inner, size;
    ptrdiff_t x_outer, x_inner, x_stride, y_outer, y_inner, y_stride;
    int by_columns; /* neighbours are closer together than elements */
} many_work;

static ptrdiff_t stride_of(size_t count, ptrdiff_t stride, size_t size) {
    return count > 1 ? stride * (ptrdiff_t)size : 0;
}

static many_work many_work_of(const cpu_context *single, const quire_job *job, const quire_layout *x,
                              const quire_layout *y) {
    const size_t size = (size_t)element_size(job->type);
    many_work w = { .context = single, .job = job, .inner = x->inner, .size = size };
    if (!x->n) return w; /* strides may be anything: nobody goes anywhere */
    w.x_outer = stride_of(x->outer, x->outer_stride, size), w.y_outer = stride_of(y->outer, y->outer_stride, size);
    w.x_inner = stride_of(x->inner, x->inner_stride, size), w.y_inner = stride_of(y->inner, y->inner_stride, size);
    w.x_stride = x->n > 1 ? x->stride * (ptrdiff_t)size : (ptrdiff_t)size;
    w.y_stride = y->n > 1 ? y->stride * (ptrdiff_t)size : (ptrdiff_t)size;
    w.by_columns = x->inner > 1 && x->n > 1 && stride_magnitude(w.x_inner) < stride_magnitude(w.x_stride);
    return w;
}

/* An array without elements may be NULL, to which nothing may be added. */
static const char *moved(const void *array, ptrdiff_t bytes) { return bytes ? (const char *)array + bytes : array; }

static const char *x_of(const many_work *w, size_t vector) {
    return moved(w->job->x, (ptrdiff_t)(vector / w->inner) * w->x_outer + (ptrdiff_t)(vector % w->inner) * w->x_inner);
}

static const char *y_of(const many_work *w, size_t vector) {
    return moved(w->job->y, (ptrdiff_t)(vector / w->inner) * w->y_outer + (ptrdiff_t)(vector % w->inner) * w->y_inner);
}

/* Rows of some neighbouring columns, each column copied side by side: in the order of memory. */
#define COPY_ROWS(type)                                                                                                \
    do {                                                                                                               \
        for (size_t k = 0; k < rows; k++)                                                                              \
            for (size_t c = 0; c < columns; c++)                                                                       \
                memcpy(to + (c * ROWS + k) * sizeof(type), from + (ptrdiff_t)k * stride + (ptrdiff_t)c * inner,        \
                       sizeof(type));                                                                                  \
    } while (0)

static void copy_rows(char *to, const char *from, size_t rows, size_t columns, ptrdiff_t stride, ptrdiff_t inner,
                      size_t size) {
    switch (size) {
    case 1: COPY_ROWS(uint8_t); break;
    case 2: COPY_ROWS(uint16_t); break;
    case 4: COPY_ROWS(uint32_t); break;
    default: COPY_ROWS(uint64_t); break;
    }
}

static void reduce_columns(const many_work *w, size_t first, size_t columns) {
    _Alignas(64) char xs[COLUMNS * ROWS * 8], ys[COLUMNS * ROWS * 8];
    integer_state states[COLUMNS];
    const char *x = x_of(w, first), *y = y_of(w, first);
    const int is_one = w->job->x == w->job->y && w->x_stride == w->y_stride && w->x_inner == w->y_inner;
    memset(states, 0, sizeof states);
    for (size_t done = 0, rows; done < w->job->n; done += rows) {
        const ptrdiff_t at = (ptrdiff_t)done;
        rows = w->job->n - done < ROWS ? w->job->n - done : ROWS;
        copy_rows(xs, x + at * w->x_stride, rows, columns, w->x_stride, w->x_inner, w->size);
        if (!is_one) copy_rows(ys, y + at * w->y_stride, rows, columns, w->y_stride, w->y_inner, w->size);
        for (size_t c = 0; c < columns; c++)
            integer_state_add(&states[c], w->context->tier, w->job, xs + c * ROWS * w->size,
                              (is_one ? xs : ys) + c * ROWS * w->size, rows);
    }
    for (size_t c = 0; c < columns; c++) integer_result(&states[c], w->job, result_of(w->job, first + c));
}

static void run_vectors(const void *work, size_t first, size_t last) {
    const many_work *w = work;
    while (w->by_columns && first < last) {
        const size_t neighbours = w->inner - first % w->inner, left = last - first;
        size_t columns = neighbours < left ? neighbours : left;
        if (columns > COLUMNS) columns = COLUMNS;
        reduce_columns(w, first, columns);
        first += columns;
    }
    for (; first < last; first++) {
        integer_state s = INTEGER_STATE_ZERO;
        integer_state_add_strided(&s, w->context->tier, w->job, x_of(w, first), y_of(w, first), w->job->n, w->x_stride,
                                  w->y_stride);
        integer_result(&s, w->job, result_of(w->job, first));
    }
}

/* Few vectors, and long: one after the other, each by all threads. */
static void reduce_long(const cpu_context *context, const many_work *w, size_t vectors) {
    cpu_context silent = *context;
    silent.report = NULL;
    for (size_t v = 0; v < vectors; v++) {
        quire_job job = *w->job;
        job.x = x_of(w, v), job.y = y_of(w, v);
        const integer_state s = integer_state_of(&silent, &job, w->x_stride, w->y_stride);
        integer_result(&s, w->job, result_of(w->job, v));
        if (context->report) context->report(context->user, v + 1, vectors);
    }
}

/* Bytes, or the most there are. */
static size_t product_or_most(size_t a, size_t b) {
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

void integers_reduce_many(const cpu_context *context, const quire_job *job, const quire_layout *x_layout,
                          const quire_layout *y_layout) {
    const cpu_context single = context_single(context);
    const size_t vectors = x_layout->outer * x_layout->inner;
    const many_work w = many_work_of(&single, job, x_layout, y_layout);
    size_t together = job->n ? CHUNK_ELEMENTS / job->n : CHUNK_VECTORS;
    if (together > CHUNK_VECTORS) together = CHUNK_VECTORS;
    if (together < 1) together = 1;
    if (w.by_columns) together = (together + COLUMNS - 1) / COLUMNS * COLUMNS;
    const size_t chunks = (vectors - 1) / together + 1;
    const int threads = cpu_threads(context, product_or_most(product_or_most(vectors, job->n), w.size), chunks);
    if (job->n >= LONG_ELEMENTS && threads < cpu_threads(context, SIZE_MAX, SIZE_MAX))
        reduce_long(context, &w, vectors);
    else
        units_run(context, run_vectors, &w, vectors, together, threads);
}

/* --------------------------------------------------------------------------------------------------------- segments */

typedef struct {
    const cpu_context *context; /* of one thread */
    const quire_job *job;
    const quire_segments *segments;
    int leaves_long; /* to all threads */
} segment_work;

static void reduce_segment(const cpu_context *context, const quire_job *of_all, size_t i, segment s) {
    const ptrdiff_t size = element_size(of_all->type);
    quire_job job = *of_all;
    job.n = s.n;
    if (s.n) job.x = (const char *)job.x + (ptrdiff_t)s.begin * size, job.y = (const char *)job.y + s.begin * size;
    const integer_state state = integer_state_of(context, &job, size, size);
    integer_result(&state, &job, result_of(of_all, i));
}

static void run_segments(const void *work, size_t first, size_t last) {
    const segment_work *w = work;
    for (size_t i = first; i < last; i++) {
        const segment s = segment_at(w->segments, i);
        if (!w->leaves_long || s.n < LONG_ELEMENTS) reduce_segment(w->context, w->job, i, s);
    }
}

static size_t together_of(size_t units, int threads) {
    const size_t share = units / ((size_t)threads * SHARES) + 1;
    return threads > 1 && share < CHUNK_VECTORS ? share : CHUNK_VECTORS;
}

static size_t elements_of(const quire_segments *s) {
    size_t elements = 0;
    for (size_t i = 0; i < s->count; i++)
        if (__builtin_add_overflow(elements, segment_at(s, i).n, &elements)) return SIZE_MAX;
    return elements;
}

quire_status integers_reduce_segments(const cpu_context *context, const quire_job *job,
                                      const quire_segments *segments) {
    const cpu_context single = context_single(context);
    const size_t elements = elements_of(segments), bytes = product_or_most(elements, (size_t)element_size(job->type));
    const int threads = cpu_threads(context, bytes, SIZE_MAX);
    const segment_work w = { &single, job, segments, threads > 1 };
    if (elements && (!job->x || !job->y)) return QUIRE_NULL_POINTER;
    cpu_context silent = *context;
    silent.report = NULL;
    for (size_t i = 0; i < segments->count && w.leaves_long; i++) {
        const segment s = segment_at(segments, i);
        if (s.n >= LONG_ELEMENTS) reduce_segment(&silent, job, i, s);
    }
    units_run(context, run_segments, &w, segments->count, together_of(segments->count, threads), threads);
    return QUIRE_OK;
}
