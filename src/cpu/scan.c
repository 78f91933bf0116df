/* scan.c - running sums on the CPU: vectors are cut for threads and for caches, and each goes along in blocks of
 * elements. A block is read before its results are stored, which may stand in the place of elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/layouts.h"
#include "cpu/running.h"
#include "cpu/vector.h"

#define PANEL_VECTORS ((size_t)16)       /* neighbours that go together, where their elements stand side by side */
#define CHUNK_ELEMENTS ((size_t)1 << 14) /* of vectors that one thread takes at a time, about */

/* --------------------------------------------------------------------------------------------------------- elements */

/* A result of 128 bits. */
typedef struct {
    uint64_t word[2];
} result_words;

/* n results that stand side by side to where they stand apart. */
#define SCATTER(type)                                                                                                  \
    do {                                                                                                               \
        for (size_t k = 0; k < n; k++)                                                                                 \
            memcpy(__builtin_assume_aligned(to + (ptrdiff_t)k * stride, _Alignof(type)), from + k * sizeof(type),      \
                   sizeof(type));                                                                                      \
    } while (0)
static void scatter(char *to, ptrdiff_t stride, const char *from, size_t n, size_t size) {
    if (stride == (ptrdiff_t)size) {
        memcpy(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: SCATTER(uint8_t); break;
    case 2: SCATTER(uint16_t); break;
    case 4: SCATTER(uint32_t); break;
    case 8: SCATTER(uint64_t); break;
    default: SCATTER(result_words); break;
    }
}
#undef SCATTER

/* ---------------------------------------------------------------------------------------------------------- vectors */

typedef struct {
    running_work running;
    byte_strides x, results;
    size_t result;                        /* bytes of one */
    size_t vectors, inner, panel, panels; /* all, those side by side, of them in a panel, panels of all of these */
} scan_work;

static void scan_block(const scan_work *w, running_sum *r, const char *x, char *to, size_t n) {
    _Alignas(INT128_SIZE) char room[RUNNING_ROOM];
    const char *results = running_block(r, &w->running, x, w->x.element, n, room);
    scatter(to, w->results.element, results, n, w->result);
}

static void scan_panel(const scan_work *w, size_t panel) {
    running_sum running[PANEL_VECTORS];
    const size_t i = panel / w->panels, first = panel % w->panels * w->panel, left = w->inner - first;
    const size_t vectors = left < w->panel ? left : w->panel, n = w->running.job->n;
    const char *x = (const char *)w->running.job->x + (ptrdiff_t)i * w->x.outer + (ptrdiff_t)first * w->x.inner;
    char *to = (char *)w->running.job->result + (ptrdiff_t)i * w->results.outer + (ptrdiff_t)first * w->results.inner;
    for (size_t j = 0; j < vectors; j++) running_begin(&running[j], &w->running);
    for (size_t k = 0; k < n; k += RUNNING_BLOCK)
        for (size_t j = 0; j < vectors; j++) {
            const ptrdiff_t column = (ptrdiff_t)j, row = (ptrdiff_t)k;
            scan_block(w, &running[j], x + column * w->x.inner + row * w->x.element,
                       to + column * w->results.inner + row * w->results.element,
                       n - k < RUNNING_BLOCK ? n - k : RUNNING_BLOCK);
        }
}

static void scan_panels(const void *work, size_t first, size_t last) {
    for (size_t panel = first; panel < last; panel++) scan_panel(work, panel);
}

/* --------------------------------------------------------------------------------------- vectors that threads share */

/* A long vector is cut into pieces. All are added up, then each has its results, from what is before it: by then, no
 * piece is read by another thread, and results may replace elements. */
#define SHARED_PIECES ((size_t)32)

typedef struct {
    const scan_work *w;
    cpu_context single;
    const char *x;
    char *to;
    size_t piece; /* elements of one, a multiple of a block's */
    quire_accumulator *sums;
} shared_scan;

static size_t elements_of_piece(const shared_scan *s, size_t piece) {
    const size_t left = s->w->running.job->n - piece * s->piece;
    return left < s->piece ? left : s->piece;
}

static void add_pieces(const void *work, size_t first, size_t last) {
    const shared_scan *s = work;
    quire_job job = *s->w->running.job;
    for (size_t p = first; p < last; p++) {
        job.x = job.y = s->x + (ptrdiff_t)(p * s->piece) * s->w->x.element;
        job.n = elements_of_piece(s, p);
        memset(&s->sums[p], 0, sizeof *s->sums);
        (is_integer(job.type) ? integers_accumulate : exact_accumulate)(&s->single, &job, s->w->x.element,
                                                                        s->w->x.element, &s->sums[p]);
        accumulator_carry(&s->sums[p]);
    }
}

static void scan_pieces(const void *work, size_t first, size_t last) {
    const shared_scan *s = work;
    const scan_work *w = s->w;
    running_sum r;
    for (size_t p = first; p < last; p++) {
        const size_t begin = p * s->piece, end = begin + elements_of_piece(s, p);
        running_resume(&r, &s->sums[p], &w->running);
        for (size_t k = begin; k < end; k += RUNNING_BLOCK)
            scan_block(w, &r, s->x + (ptrdiff_t)k * w->x.element, s->to + (ptrdiff_t)k * w->results.element,
                       end - k < RUNNING_BLOCK ? end - k : RUNNING_BLOCK);
    }
}

/* From the sums of pieces to those before them. */
static void sums_before(quire_accumulator *sums, size_t pieces) {
    quire_accumulator before = QUIRE_ACCUMULATOR_ZERO;
    for (size_t p = 0; p < pieces; p++) {
        const quire_accumulator own = sums[p];
        sums[p] = before;
        accumulator_merge(&before, &own);
    }
}

static void scan_shared(const cpu_context *context, const scan_work *w, size_t vector, int threads) {
    quire_accumulator sums[SHARED_PIECES];
    const ptrdiff_t i = (ptrdiff_t)(vector / w->inner), j = (ptrdiff_t)(vector % w->inner);
    const size_t blocks = (w->running.job->n - 1) / RUNNING_BLOCK + 1;
    shared_scan s = {
        w, context_single(context), NULL, NULL, ((blocks - 1) / SHARED_PIECES + 1) * RUNNING_BLOCK, sums
    };
    s.x = (const char *)w->running.job->x + i * w->x.outer + j * w->x.inner;
    s.to = (char *)w->running.job->result + i * w->results.outer + j * w->results.inner;
    const size_t pieces = (w->running.job->n - 1) / s.piece + 1;
    const cpu_context silent = context_silent(context);
    units_run(&silent, add_pieces, &s, pieces, 1, threads);
    sums_before(sums, pieces);
    units_run(vector + 1 == w->vectors ? context : &silent, scan_pieces, &s, pieces, 1, threads);
}

quire_status cpu_scan(quire_context *context, const quire_job *job, quire_scan_kind kind, const quire_layout *x_layout,
                      const quire_layout *results_layout) {
    const cpu_context c = cpu_context_of(context);
    const size_t size = (size_t)element_size(job->type), result = (size_t)result_size(job->result_type);
    const size_t inner = x_layout->inner;
    scan_work w = { { job, c.tier, kind, describe_format(job->result_type) },
                    strides_of(x_layout, size),
                    strides_of(results_layout, result),
                    result,
                    x_layout->outer * inner,
                    inner,
                    1,
                    0 };
    const int threads = cpu_threads(&c, job->n * size, SHARED_PIECES);
    if (threads > 1 && w.vectors < (size_t)threads) {
        for (size_t v = 0; v < w.vectors; v++) scan_shared(&c, &w, v, threads);
        return QUIRE_OK;
    }
    if (inner > 1 && stride_magnitude(w.x.inner) < stride_magnitude(w.x.element)) w.panel = PANEL_VECTORS;
    w.panels = (inner - 1) / w.panel + 1;
    const size_t units = x_layout->outer * w.panels, unit = job->n * w.panel;
    const size_t together = unit < CHUNK_ELEMENTS ? CHUNK_ELEMENTS / unit : 1, chunks = (units - 1) / together + 1;
    units_run(&c, scan_panels, &w, units, together, cpu_threads(&c, units * unit * size, chunks));
    return QUIRE_OK;
}
