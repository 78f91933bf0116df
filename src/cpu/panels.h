/* panels.h - a panel of vectors (block/functions.h): where its rows are read, as they stand or gathered, a strip at a
 * time; and how it is reduced.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_PANELS_H
#define QUIRE_CPU_PANELS_H

#include "cpu/context.h"
#include "cpu/gather.h"
#include "order/order.h"

/* count vectors of the job's n elements, 0 < count <= PANEL and n > 0. Element k of vector c is at x[c] + k * x_stride,
 * in bytes. If panels > 1, there are so many of PANEL vectors each, all side by side; the first panel says where they
 * are. */
typedef struct {
    const cpu_context *context;
    const quire_job *job;
    size_t count, panels;
    const char *x[PANEL], *y[PANEL];
    ptrdiff_t x_stride, y_stride;
} panel_job;

#define STRIP ((size_t)ORDER_LANES) /* rows that are gathered at a time */
_Static_assert(STRIP <= ENDS_ROWS, "of which ends are found");

typedef struct {
    _Alignas(64) char of[STRIP * PANEL * 8];
} strip_buffer;

/* A panel on its way. Where all columns stand side by side, they are read as they stand; else through buffers. */
typedef struct {
    const panel_job *p;
    size_t size;
    int x_in_place, y_in_place, reads_y;
    strip_buffer x, y;
} panel_source;

static inline int stands_side_by_side(const panel_job *p, const char *const *column, size_t size) {
    for (size_t c = 1; c < p->count && p->panels == 1; c++)
        if (column[c] != column[0] + c * size) return 0;
    return p->count == PANEL;
}

/* Rows from first on, each behind the last; or if by_columns each column, of so many rows. */
static inline void gather_strip(char *to, const char *const *columns, size_t count, size_t first, size_t rows,
                                ptrdiff_t stride, size_t size, int by_columns) {
    const char *from[PANEL];
    for (size_t c = 0; c < count; c++) from[c] = columns[c] + (ptrdiff_t)first * stride;
    const ptrdiff_t apart = count > 1 ? (ptrdiff_t)((uintptr_t)from[1] - (uintptr_t)from[0]) : 0;
    const int by_rows = stride_magnitude(apart) < stride_magnitude(stride);
    if (by_columns)
        gather_panel(to, 1, STRIP, from, count, rows, stride, size, by_rows);
    else
        gather_panel(to, PANEL, 1, from, count, rows, stride, size, by_rows);
}

/* The rows from first on; no more than STRIP of them, unless all are in place. */
static inline panel_rows source_rows(panel_source *s, size_t first, size_t rows) {
    const panel_job *p = s->p;
    const ptrdiff_t row = (ptrdiff_t)(PANEL * s->size);
    panel_rows r = { s->x.of, s->y.of, row, row, rows };
    if (s->x_in_place)
        r.x = p->x[0] + (ptrdiff_t)first * p->x_stride, r.x_row = p->x_stride;
    else
        gather_strip(s->x.of, p->x, p->count, first, rows, p->x_stride, s->size, 0);
    if (!s->reads_y)
        r.y = r.x, r.y_row = r.x_row;
    else if (s->y_in_place)
        r.y = p->y[0] + (ptrdiff_t)first * p->y_stride, r.y_row = p->y_stride;
    else
        gather_strip(s->y.of, p->y, p->count, first, rows, p->y_stride, s->size, 0);
    return r;
}

/* Whether products are of two arrays. */
static inline int reads_y(const panel_job *p) {
    int differ = p->x_stride != p->y_stride;
    for (size_t c = 0; c < p->count && (c < 1 || p->panels == 1); c++) differ |= p->x[c] != p->y[c];
    return describe_term(p->job->term).is_pair && differ;
}

/* Columns that are not there are to hold numbers, whichever. */
static inline void source_open(panel_source *s, const panel_job *p) {
    s->p = p;
    s->size = (size_t)describe_format(p->job->type).size;
    s->reads_y = reads_y(p);
    s->x_in_place = stands_side_by_side(p, p->x, s->size);
    s->y_in_place = stands_side_by_side(p, p->y, s->size);
    const size_t rows = p->job->n < STRIP ? p->job->n : STRIP;
    if (p->count < PANEL) memset(s->x.of, 0, rows * PANEL * s->size), memset(s->y.of, 0, rows * PANEL * s->size);
}

static inline int is_in_place(const panel_source *s) { return s->x_in_place && (s->y_in_place || !s->reads_y); }

/* The job of one of the vectors. */
static inline quire_job job_of(const panel_job *p, size_t column) {
    const size_t at = p->panels > 1 ? column * (size_t)describe_format(p->job->type).size : 0;
    const size_t of = p->panels > 1 ? 0 : column;
    quire_job job = *p->job;
    job.x = p->x[of] + at, job.y = p->y[of] + at;
    return job;
}

/* ------------------------------------------------------------------------------------------------------- reductions */

/* A result for each vector, one behind the other. The environment is ours. context: p's, or another, which reports
 * nothing, and whose threads share the panel, of sums that are neither of integers nor of pairs. */
QUIRE_PRIVATE void panel_reduce(const cpu_context *context, const panel_job *p, char *results);

/* Those of integers (integers.c). */
QUIRE_PRIVATE void panel_integers(const panel_job *p, char *results);

#endif
