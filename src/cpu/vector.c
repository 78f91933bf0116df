/* vector.c - one vector: which way it goes. Exact sums go by their ends, else by all bits. Variances and the like by
 * sums that lose a little, if these decide the result; averages, covariances and correlations of two vectors by the
 * ends of their sums; else from the exact sums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/vector.h"
#include "cpu/block/moment_ball.h"
#include "cpu/ends.h"
#include "cpu/environment.h"
#include "cpu/strided.h"
#include "operation/moments.h"

/* ------------------------------------------------------------------------------------------------------- exact sums */

/* All sums. */
static void exact_add(const cpu_work *w, quire_accumulator *a, const char *x, const char *y, size_t n) {
    const strided_vector v = strided_vector_of(w->context, w->job, w->x_stride, w->y_stride);
    const int fetches = is_contiguous(w) && w->fetches;
    if (is_contiguous(w) && job_sums(w->job) == 1)
        v.tier->exact[v.type][v.term](a, x, y, n, fetches);
    else
        strided_exact(&v, w->job, a, x, y, n, fetches);
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

/* Never inlined, for what it has on the stack. */
__attribute__((noinline)) uint64_t accumulators_round(const quire_accumulator *const *sums, const quire_job *job,
                                                      format_description format) {
    union {
        pair_room pair;
        accumulated_moment_room moment;
    } room;
    quire_total total;
    if (needs_squares(job->finish))
        return accumulated_moments_round(sums[0], sums[1], job->finish, job->correction, format, job->rounding,
                                         &room.moment);
    if (!needs_pair_sums(job->finish))
        return finish_and_round(accumulator_total(sums[0]), job->finish, job->n, format, job->rounding);
    pair_total(sums, job->finish, job->correction, &room.pair, &total);
    return total_round(total, format, job->rounding);
}

static uint64_t reduce_by_accumulators(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                       ptrdiff_t y_stride, format_description format) {
    quire_accumulator a[MOST_JOB_SUMS];
    const quire_accumulator *const sums[MOST_JOB_SUMS] = { &a[0], &a[1], &a[2], &a[3], &a[4] };
    memset(a, 0, (size_t)job_sums(job) * sizeof *a);
    exact_accumulate(context, job, x_stride, y_stride, a);
    return accumulators_round(sums, job, format);
}

/* By ends, unless they take more time or leave it open. */
static uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                             format_description format) {
    uint64_t bits;
    const int by_ends = may_have_ends(context, job) && !have_windows_first(job);
    if (by_ends && ends_reduce(context, job, x_stride, y_stride, format, &bits)) return bits;
    return reduce_by_accumulators(context, job, x_stride, y_stride, format);
}

/* ---------------------------------------------------------------------------------------- variances that are none */

#define SPECIAL_BLOCK 256 /* elements, after which one that has been found ends the search */

/* Whether some elements of a format, the stride apart, are NaN or infinite. */
QUIRE_INLINE int any_special(format_description f, const char *x, size_t n, ptrdiff_t stride) {
    int found = 0;
    for (size_t block; n && !found; n -= block) {
        block = n < SPECIAL_BLOCK ? n : SPECIAL_BLOCK;
        for (size_t i = 0; i < block; i++, x += stride) {
            uint64_t bits = 0;
            memcpy(&bits, x, (size_t)f.size);
            found |= (bits & ~f.sign) >= f.infinity;
        }
    }
    return found;
}

int variance_is_none(const quire_job *job, ptrdiff_t stride) {
#define QUIRE_CASE(format, FORMAT, number, real, unused)                                                               \
    case number: return any_special((format_description)FORMAT##_DESCRIPTION, job->x, job->n, stride);
    switch ((int)job->type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return 0;
}

/* -------------------------------------------------------------------------------------------------- short variances */

/* Whether sums that are not there, by this way, are so because a variance is none. In doubles they are not there where
 * they are not finite, or beyond 2^1000. */
static int tell_none(const quire_job *job, moment_way way) {
    return way != MOMENTS_IN_FLOATS && variance_is_none(job, element_size(job->type));
}

/* Never inlined, which shows in the time of a few elements. */
static __attribute__((noinline)) int short_moment(const cpu_tier *tier, const quire_job *job, format_description format,
                                                  uint64_t *bits) {
    moment_sums sums;
    for (moment_way way = moments_first_way(describe_format(job->type), format, job->n); way < MOMENT_WAYS; way++) {
        const int are_there = tier->moments[job->type](job->x, job->n, way, &sums);
        if (are_there && moments_decide(&sums, job, format, bits)) return 1;
        if (are_there || !tell_none(job, way)) continue;
        *bits = format.quiet_nan;
        return 1;
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------- long variances */

/* Of each piece its sums, NaN where they are not there; and the way to them. */
typedef struct {
    moment_sums *sums;
    moment_way way;
} moment_work;

static void run_moments(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    const moment_work *m = w->own;
    (void)y;
    if (!w->context->tier->moments[w->job->type](x, n, m->way, &m->sums[piece])) m->sums[piece].q[0] = NAN;
}

static int are_all_there(const cpu_work *w) {
    const moment_work *m = w->own;
    for (int i = 0; i < w->pieces; i++)
        if (double_is_nan(m->sums[i].q[0])) return 0;
    return 1;
}

/* Of all pieces. Never inlined: the additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_decide(const cpu_work *w, format_description format, uint64_t *bits) {
    const moment_work *m = w->own;
    moment_sums all = m->sums[0];
    for (int i = 1; i < w->pieces; i++) moment_sums_add(&all, &m->sums[i]);
    return moments_decide(&all, w->job, format, bits);
}

/* A moment of a long vector by sums that lose a little, if they decide it. */
static int long_moment(cpu_work *w, moment_way way, format_description format, uint64_t *bits) {
    moment_sums sums[MOST_PIECES];
    moment_work m = { sums, way };
    w->run = run_moments;
    w->own = &m;
    work_run(w);
    if (!are_all_there(w)) {
        *bits = format.quiet_nan;
        return tell_none(w->job, way);
    }
    const cpu_environment callers = environment_enter();
    const int decided = pieces_decide(w, format, bits);
    environment_leave(callers);
    return decided;
}

static uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                               format_description format) {
    if (job->n > VECTOR_EXACT_ELEMENTS && !context->report) {
        cpu_work w = work_of(context, job, x_stride, y_stride);
        uint64_t bits;
        moment_way way = moments_first_way(describe_format(job->type), format, job->n);
        for (; is_contiguous(&w) && way < MOMENT_WAYS; way++)
            if (long_moment(&w, way, format, &bits)) return bits;
    }
    return reduce_by_accumulators(context, job, x_stride, y_stride, format);
}

/* ------------------------------------------------------------------------------------------------------- one vector */

/* Never inlined, for what it needs of the stack shows in the time of a few elements. */
static __attribute__((noinline)) uint64_t bits_of_result(const cpu_context *context, const quire_job *job,
                                                         ptrdiff_t x_stride, ptrdiff_t y_stride,
                                                         format_description format) {
    if (!job->n && is_exact_finish(job->finish)) return format.quiet_nan;
    if (needs_squares(job->finish)) return moments_reduce(context, job, x_stride, y_stride, format);
    if (!job->n) return finish_and_round(total_zero(0), job->finish, 0, format, job->rounding);
    if (job->method == QUIRE_EXACT) return exact_reduce(context, job, x_stride, y_stride, format);
    return ordered_reduce(context, job, x_stride, y_stride, format);
}

void vector_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                   void *result) {
    const format_description format = describe_format(job->result_type);
    if (is_integer(job->type))
        integers_reduce(context, job, x_stride, y_stride, result);
    else
        format_store(bits_of_result(context, job, x_stride, y_stride, format), format.size, result);
}

static uint64_t bits_of_contiguous(const cpu_context *context, const quire_job *job, ptrdiff_t size,
                                   format_description format) {
    const int has_squares = needs_squares(job->finish);
    const size_t most = has_squares ? VECTOR_EXACT_ELEMENTS : PIECE_ELEMENTS; /* of what is not cut */
    cpu_context past;
    uint64_t bits;
    if (job->method != QUIRE_EXACT && job->n && job->n <= ORDER_TILE)
        return ordered_one_tile(context->tier, job, format);
    if (job->n && job->n <= most) {
        if (has_squares && short_moment(context->tier, job, format, &bits)) return bits;
        if (has_squares ? may_have_ends(context, job) : has_ends(context, job, format)) {
            if (ends_tell(context->tier, job, format, &bits)) return bits;
            past = ends_past(context);
            context = &past;
        }
    }
    return bits_of_result(context, job, size, size, format);
}

void vector_contiguous(const cpu_context *context, const quire_job *job, format_description format, void *result) {
    const ptrdiff_t size = element_size(job->type);
    if (is_integer(job->type))
        integers_reduce(context, job, size, size, result);
    else
        format_store(bits_of_contiguous(context, job, size, format), format.size, result);
}
