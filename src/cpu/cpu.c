/* cpu.c - the CPU backend of one vector: cuts a job along the order into pieces and gives them to threads; exact sums.
 *
 * A piece is a power of two of neighbouring tiles, hence a subtree of the order; which thread takes it cannot show. For
 * exact, where no order matters, a piece is just a length.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <string.h>

#include "cpu/drivers.h"
#include "cpu/environment.h"
#include "cpu/pair.h"

#define PIECE_ELEMENTS ((size_t)1 << 16) /* the fewest elements of a piece */

/* ----------------------------------------------------------------------------------------------------------- pieces */

int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces) {
    const size_t worth = bytes / context->thread, most = worth < pieces ? worth : pieces;
    if (most <= 1) return 1;
    return (size_t)context->threads < most ? context->threads : (int)most;
}

cpu_work work_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    cpu_work w = { .job = job, .context = context, .pieces = 1, .threads = 1 };
    w.size = (size_t)describe_format(job->type).size;
    w.x_stride = x_stride, w.y_stride = y_stride;
    w.tile = order_tile(job->n, order_rows_of(job->method));
    w.piece = job->n;
    const size_t bytes = job->n * w.size * (job->x == job->y ? 1 : 2);
    w.fetches = bytes > context->cache;
    if (job->n <= PIECE_ELEMENTS) return w; /* soon: a short sum takes no longer than what is decided here */
    for (w.piece = w.tile; w.piece < PIECE_ELEMENTS || job->n > MOST_PIECES * w.piece;) w.piece *= 2;
    if (job->n > w.piece) {
        w.pieces = (int)((job->n - 1) / w.piece) + 1;
        w.threads = cpu_threads(context, bytes, (size_t)w.pieces);
    }
    if (w.threads == 1 && !context->report) w.piece = job->n, w.pieces = 1;
    return w;
}

/* One piece, in the environment our arithmetic needs; *done counts elements for the report, which the first thread
 * makes. */
static void run_piece(const cpu_work *w, int piece, atomic_size_t *done, int first_thread) {
    const size_t first = (size_t)piece * w->piece, left = w->job->n - first, n = left < w->piece ? left : w->piece;
    const cpu_environment callers = environment_enter();
    w->run(w, piece, (const char *)w->job->x + (ptrdiff_t)first * w->x_stride,
           (const char *)w->job->y + (ptrdiff_t)first * w->y_stride, n);
    environment_leave(callers);
    if (!w->context->report) return;
    const size_t now = atomic_fetch_add_explicit(done, n, memory_order_relaxed) + n;
    if (first_thread && now < w->job->n) w->context->report(w->context->user, now, w->job->n);
}

typedef struct {
    const cpu_work *work;
    atomic_size_t done;
} work_done;

static void run_one(void *job, size_t piece, int first_thread) {
    work_done *d = job;
    run_piece(d->work, (int)piece, &d->done, first_thread);
}

void work_run(const cpu_work *w) {
    work_done d = { w, 0 };
    pool_run(w->context->pool, w->threads, (size_t)w->pieces, run_one, &d);
    if (w->context->report) w->context->report(w->context->user, w->job->n, w->job->n);
}

/* ------------------------------------------------------------------------------------------------------------ exact */

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
static uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
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

/* ---------------------------------------------------------------------------------------- a few elements, or one piece
 */

/* Of few elements, and of one piece whose sum may have ends, every step between the arguments and the tier shows in the
 * time, totals of 128 bits too. Answers whether that is all there is to do. Never inlined: the additions of a rounding
 * would be moved out of our environment. */
static __attribute__((noinline)) int soon_bits(const cpu_tier *tier, const quire_job *job, format_description format,
                                               uint64_t *bits) {
    if (job->method == QUIRE_EXACT) return ends_tell(tier, job, format, bits);
    *bits = many_one_tile(tier, job, format);
    return 1;
}

static int soon_reduce(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    const cpu_environment callers = environment_enter();
    const int done = soon_bits(tier, job, format, bits);
    environment_leave(callers);
    return done;
}

/* ------------------------------------------------------------------------------------------------------ the backend */

uint64_t cpu_reduce_vector(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    const format_description format = describe_format(job->result_type);
    if (needs_squares(job->finish))
        return job->n ? moments_reduce(context, job, x_stride, y_stride, format) : format.quiet_nan;
    if (job->n && job->method == QUIRE_EXACT) return exact_reduce(context, job, x_stride, y_stride, format);
    const quire_total total = job->n ? ordered_reduce(context, job, x_stride, y_stride) : total_zero(0);
    return finish_and_round(total, job->finish, job->n, format, job->rounding);
}

static const cpu_tier *tier_of(const quire_context *context) {
    return context ? ((const cpu_context *)context)->tier : cpu_tier_default();
}

/* Of more: out of line, since what it needs of the stack shows in the time of a few. */
static __attribute__((noinline)) uint64_t many_elements(const quire_context *context, const quire_job *job,
                                                        int past_ends) {
    cpu_context c = cpu_context_of(context);
    c.past_ends = past_ends;
    const ptrdiff_t size = describe_format(job->type).size;
    if (!needs_squares(job->finish)) return cpu_reduce_vector(&c, job, size, size);
    const cpu_environment callers = environment_enter();
    const uint64_t bits = many_contiguous(&c, job, (size_t)size, describe_format(job->result_type));
    environment_leave(callers);
    return bits;
}

static quire_status cpu_reduce(quire_context *context, const quire_job *job) {
    const format_description format = describe_format(job->result_type);
    const int by_ends = job->n && job->n <= PIECE_ELEMENTS && has_ends((const cpu_context *)context, job, format),
              are_few = job->n && job->n <= TILE_FEW && job->method != QUIRE_EXACT;
    uint64_t bits;
    if (!(are_few || by_ends) || !soon_reduce(tier_of(context), job, format, &bits))
        bits = many_elements(context, job, by_ends);
    format_store(bits, format.size, job->result);
    return QUIRE_OK;
}

static quire_status cpu_accumulate(quire_context *context, const quire_job *job, quire_accumulator *accumulator) {
    const cpu_context c = cpu_context_of(context);
    accumulator_carry_sparse(accumulator); /* it may come from a merge by other hands */
    const ptrdiff_t size = describe_format(job->type).size;
    if (job->n) exact_accumulate(&c, job, size, size, accumulator, NULL);
    accumulator_carry_sparse(accumulator);
    return QUIRE_OK;
}

const quire_backend quire_cpu_backend = { cpu_reduce,       cpu_reduce_many, cpu_reduce_segments,
                                          cpu_accumulate,   cpu_set_stream,  cpu_set_tier,
                                          cpu_set_progress, cpu_close,       NULL };
