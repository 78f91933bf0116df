/* exact.c - exact sums of one vector: by its ends, else by all bits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/strided.h"
#include "cpu/ways.h"

#include <string.h>

/* The elements of which all sums are made one after the other: the others find them in a cache. */
#define TOGETHER_ELEMENTS ((size_t)1 << 13)
_Static_assert(CARRIES_IN_TIME(TOGETHER_ELEMENTS), "limbs are carried after each block");

/* Several sums of a job, each to its accumulator. Never inlined, for what it has on the stack. */
static __attribute__((noinline)) void add_together(const cpu_work *w, const strided_vector *v, quire_accumulator *a,
                                                   const char *x, const char *y, size_t n) {
    strided_blocks blocks;
    strided_begin(&blocks, v, x, y, n, TOGETHER_ELEMENTS);
    for (ends_vector b; strided_next(&blocks, &b);)
        for (int i = 0; i < job_sums(w->job); i++) {
            const ends_vector of = vector_of_sum(w->job, i, b);
            v->tier->exact[v->type][term_of(w->job, i)](&a[i], of.x, of.y, of.n, w->fetches);
            limbs_carry(a[i].limb);
        }
}

/* All sums. */
static void exact_add(const cpu_work *w, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const strided_vector v = strided_vector_of(w->context, w->job, w->job->term, w->x_stride, w->y_stride);
    if (job_sums(w->job) > 1)
        add_together(w, &v, a, x, y, n);
    else if (is_contiguous(w))
        v.tier->exact[v.type][v.term](a, x, y, n, w->fetches);
    else
        strided_exact(&v, a, x, y, n);
}

static void run_exact(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    quire_accumulator *accumulator = w->own; /* where all pieces add up; one for each sum */
    const int sums = job_sums(w->job);
    (void)piece;
    if (w->threads == 1) { /* of a sum that is carried: an exact_function needs no more */
        exact_add(w, accumulator, x, y, n);
        if (w->pieces > 1) limbs_carry(accumulator->limb); /* what one call may leave uncarried, many may not */
        return;
    }
    quire_accumulator part[MOST_JOB_SUMS];
    memset(part, 0, (size_t)sums * sizeof *part);
    exact_add(w, part, x, y, n);
    for (int i = 0; i < sums; i++) {
        limbs_carry(part[i].limb);
        threads_add(&accumulator[i], &part[i]);
    }
}

void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      quire_accumulator *accumulator) {
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_exact;
    w.own = accumulator;
    work_run(&w);
    for (int i = 0; i < job_sums(job); i++) accumulator_count(&accumulator[i], job->n);
}

uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      format_description format) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    uint64_t bits;
    const int by_ends = may_have_ends(context, job) && !have_windows_first(job);
    if (by_ends && ends_reduce(context, job, x_stride, y_stride, format, &bits)) return bits;
    exact_accumulate(context, job, x_stride, y_stride, &a);
    return finish_and_round(accumulator_total(&a), job->finish, job->n, format, job->rounding);
}
