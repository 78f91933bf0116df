/* moments.c - results of several sums on the CPU, of one vector: variances and the like by sums that lose a little, if
 * these decide the result; averages, covariances and correlations of two vectors by the ends of their sums; else from
 * the exact sums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "operation/moments.h"
#include "cpu/block/moment_ball.h"
#include "cpu/ends.h"
#include "cpu/environment.h"
#include "cpu/ways.h"

/* ------------------------------------------------------------------------------------------------------ short ones */

int short_moment(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    moment_sums sums;
    for (moment_way way = moments_first_way(describe_format(job->type), format, job->n); way < MOMENT_WAYS; way++)
        if (tier->moments[job->type](job->x, job->n, way, &sums) && moments_decide(&sums, job, format, bits)) return 1;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- long ones */

/* Of each piece: its sums, whether they are there, and the way to them. */
typedef struct {
    moment_sums *sums;
    int *are_there;
    moment_way way;
} moment_work;

static void run_moments(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    const moment_work *m = w->own;
    (void)y;
    m->are_there[piece] = w->context->tier->moments[w->job->type](x, n, m->way, &m->sums[piece]);
}

/* Of all pieces. Never inlined: the additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_decide(const cpu_work *w, format_description format, uint64_t *bits) {
    const moment_work *m = w->own;
    moment_sums all = m->sums[0];
    for (int i = 0; i < w->pieces; i++) {
        if (!m->are_there[i]) return 0;
        if (i) moment_sums_add(&all, &m->sums[i]);
    }
    return moments_decide(&all, w->job, format, bits);
}

/* A moment of a long vector by sums that lose a little, if they decide it. */
static int long_moment(cpu_work *w, moment_way way, format_description format, uint64_t *bits) {
    moment_sums sums[MOST_PIECES];
    int are_there[MOST_PIECES];
    moment_work m = { sums, are_there, way };
    w->run = run_moments;
    w->own = &m;
    work_run(w);
    const cpu_environment callers = environment_enter();
    const int decided = pieces_decide(w, format, bits);
    environment_leave(callers);
    return decided;
}

uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                        format_description format) {
    quire_accumulator a[MOST_SUMS] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    accumulated_moment_room room;
    if (job->n > VECTOR_EXACT_ELEMENTS && !context->report) {
        cpu_work w = work_of(context, job, x_stride, y_stride);
        uint64_t bits;
        moment_way way = moments_first_way(describe_format(job->type), format, job->n);
        for (; is_contiguous(&w) && way < MOMENT_WAYS; way++)
            if (long_moment(&w, way, format, &bits)) return bits;
    }
    exact_accumulate(context, job, x_stride, y_stride, a);
    return accumulated_moments_round(&a[0], &a[1], job->finish, job->correction, format, job->rounding, &room);
}

uint64_t pairs_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      format_description format) {
    quire_accumulator a[MOST_PAIR_SUMS];
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &a[0], &a[1], &a[2], &a[3], &a[4] };
    quire_total total;
    pair_room room;
    uint64_t bits;
    if (may_have_ends(context, job) && ends_reduce(context, job, x_stride, y_stride, format, &bits)) return bits;
    memset(a, 0, (size_t)pair_sums_of(job->finish) * sizeof *a);
    exact_accumulate(context, job, x_stride, y_stride, a);
    pair_total(sums, job->finish, job->correction, &room, &total);
    return total_round(total, format, job->rounding);
}
