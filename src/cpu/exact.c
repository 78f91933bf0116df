/* exact.c - exact sums of one vector: by its ends, by a ball, by all bits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/exact.h"
#include "cpu/ends.h"
#include "cpu/strided.h"

#include <string.h>

static void add_terms(const cpu_work *w, quire_term term, quire_accumulator *a, const char *x, const char *y, size_t n,
                      ball_radius *radius) {
    const strided_vector v = strided_vector_of(w, term);
    if (is_contiguous(w))
        w->context->tier->exact[w->job->type][term](a, x, y, n, w->fetches, radius);
    else
        strided_exact(&v, a, x, y, n, radius);
}

/* The elements of which both sums are made one after the other: the second finds them in a cache. */
#define TWICE_ELEMENTS ((size_t)1 << 13)

/* All sums of a job, each to its accumulator. */
static void exact_add(const cpu_work *w, quire_accumulator *a, const char *x, const char *y, size_t n,
                      ball_radius *radius) {
    if (!needs_squares(w->job->finish)) {
        add_terms(w, w->job->term, a, x, y, n, radius);
        return;
    }
    for (size_t done = 0, count; done < n; done += count) {
        const char *some = x + (ptrdiff_t)done * w->x_stride;
        count = n - done < TWICE_ELEMENTS ? n - done : TWICE_ELEMENTS;
        for (int i = 0; i < MOST_SUMS; i++) {
            add_terms(w, term_of_sum(w->job->term, i), &a[i], some, some, count, NULL);
            limbs_carry(a[i].limb);
        }
    }
}

/* Where all pieces add up, an accumulator for each sum; and how far off each piece may be, NULL: they must not be. */
typedef struct {
    quire_accumulator *accumulator;
    ball_radius *radius;
} exact_work;

static void run_exact(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    const exact_work *e = w->own;
    ball_radius *radius = e->radius ? &e->radius[piece] : NULL;
    const int sums = sums_of(w->job->finish);
    if (w->threads == 1) { /* of a sum that is carried: an exact_function needs no more */
        exact_add(w, e->accumulator, x, y, n, radius);
        if (w->pieces > 1) limbs_carry(e->accumulator->limb); /* what one call may leave uncarried, many may not */
        return;
    }
    quire_accumulator part[MOST_SUMS];
    memset(part, 0, (size_t)sums * sizeof *part);
    exact_add(w, part, x, y, n, radius);
    for (int i = 0; i < sums; i++) {
        limbs_carry(part[i].limb);
        threads_add(&e->accumulator[i], &part[i]);
    }
}

void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      quire_accumulator *accumulator, ball_radius *radius) {
    ball_radius of_piece[MOST_PIECES];
    exact_work e = { accumulator, radius ? of_piece : NULL };
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_exact;
    w.own = &e;
    for (int i = 0; i < w.pieces && radius; i++) of_piece[i] = (ball_radius)BALL_EXACT;
    work_run(&w);
    for (int i = 0; i < w.pieces && radius; i++) radius_add(radius, of_piece[i]);
    for (int i = 0; i < sums_of(job->finish); i++) accumulator_count(&accumulator[i], job->n);
}

/* The bits of the result: by a ball, if that is enough to round it. A job that reports goes through its elements once,
 * and strictly: what it reported as done is not read again. n is not 0. */
uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      format_description format) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    ball_radius radius = BALL_EXACT;
    uint64_t bits;
    if (has_ends(context, job, format) && ends_reduce(context, job, x_stride, y_stride, format, &bits)) return bits;
    exact_accumulate(context, job, x_stride, y_stride, &a, context->report ? NULL : &radius);
    if (radius.count) {
        if (ball_round(&a, radius, job->finish, job->n, format, job->rounding, &bits)) return bits;
        a = (quire_accumulator)QUIRE_ACCUMULATOR_ZERO;
        exact_accumulate(context, job, x_stride, y_stride, &a, NULL);
    }
    return finish_and_round(accumulator_total(&a), job->finish, job->n, format, job->rounding);
}
