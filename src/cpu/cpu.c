/* cpu.c - the CPU backend: cuts a job along the order into pieces, gives the pieces to threads, merges what they bring,
 * finishes and rounds.
 *
 * A piece is a power of two of neighbouring tiles, hence a subtree of the order; which thread takes it cannot show. For
 * exact, where no order matters, a piece is just a length.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cpu/block/moment_ball.h"
#include "cpu/context.h"
#include "cpu/environment.h"
#include "cpu/many.h"
#include "cpu/pair.h"
#include "cpu/simd/scalar.h"
#include "cpu/strided.h"
#include "cpu/threads.h"
#include "operation/moments.h"

#define PIECES 256                       /* the most pieces of a job */
#define PIECE_ELEMENTS ((size_t)1 << 16) /* the fewest elements of a piece */

/* What a method does on states of either type. */
#define MERGES(method, METHOD, words, rows, unused)                                                                    \
    static void method##_merge_float(lane_state *into, const lane_state *from) {                                       \
        method##_merge_f32(into->f32, from->f32);                                                                      \
    }                                                                                                                  \
    static void method##_merge_double(lane_state *into, const lane_state *from) {                                      \
        method##_merge_f64(into->f64, from->f64);                                                                      \
    }
QUIRE_LANE_METHODS(MERGES, )

#define ENTRY(method, METHOD, words, rows, unused)                                                                     \
    [METHOD] = { { method##_merge_float, method##_merge_double }, method##_total, words },
const lane_method lane_methods[METHOD_NUMBERS] = { QUIRE_LANE_METHODS(ENTRY, ) };

/* A job on its way: how it is cut, and what its pieces do. */
typedef struct cpu_work {
    const quire_job *job;
    const cpu_context *context;
    size_t size;                  /* bytes of an element */
    ptrdiff_t x_stride, y_stride; /* in bytes; size if the vector is contiguous */
    size_t tile;                  /* elements of a tile; for exact, just a unit of length */
    size_t piece;                 /* elements of a piece: a power of two of tiles, or all if there is one */
    int pieces, threads;
    void (*run)(const struct cpu_work *w, int piece, const char *x, const char *y, size_t n);
    int fetches;       /* see tile_function */
    tile_function sum; /* of a batch of tiles, and how two are merged, and where pieces put theirs */
    merge_function merge;
    lane_state *state;
    quire_accumulator *accumulator; /* of exact: where it adds up, one for each sum of the job; how far off each piece
                                       may be, NULL: they must not be */
    ball_radius *radius;
    moment_sums *moments; /* of each piece: its sums, whether they are there, and the way to them */
    int *has_moments;
    moment_way way;
} cpu_work;

/* ----------------------------------------------------------------------------------------------------------- pieces */

/* OpenMP is not asked where the answer is one anyway. */
int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces) {
    const size_t worth = bytes / context->thread, most = worth < pieces ? worth : pieces;
    if (most <= 1) return 1;
    const int threads = context->threads ? context->threads : threads_available();
    return (size_t)threads < most ? threads : (int)most;
}

/* n is not 0. */
static cpu_work work_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    cpu_work w = { .job = job, .context = context, .pieces = 1, .threads = 1 };
    w.size = (size_t)describe_format(job->type).size;
    w.x_stride = x_stride, w.y_stride = y_stride;
    w.tile = order_tile(job->n, order_rows_of(job->method));
    w.piece = job->n;
    const size_t bytes = job->n * w.size * (job->x == job->y ? 1 : 2);
    w.fetches = bytes > context->cache;
    if (job->n <= PIECE_ELEMENTS) return w; /* soon: a short sum takes no longer than what is decided here */
    for (w.piece = w.tile; w.piece < PIECE_ELEMENTS || job->n > PIECES * w.piece;) w.piece *= 2;
    if (job->n > w.piece) {
        w.pieces = (int)((job->n - 1) / w.piece) + 1;
        w.threads = cpu_threads(context, bytes, (size_t)w.pieces);
    }
    if (w.threads == 1 && !context->report) w.piece = job->n, w.pieces = 1;
    return w;
}

/* One piece, in the environment our arithmetic needs; *done counts elements for the report, which the first thread
 * makes. */
static void run_piece(const cpu_work *w, int piece, size_t *done, int first_thread) {
    const size_t first = (size_t)piece * w->piece, left = w->job->n - first, n = left < w->piece ? left : w->piece;
    const cpu_environment callers = environment_enter();
    w->run(w, piece, (const char *)w->job->x + (ptrdiff_t)first * w->x_stride,
           (const char *)w->job->y + (ptrdiff_t)first * w->y_stride, n);
    environment_leave(callers);
    if (!w->context->report) return;
    size_t now;
#pragma omp atomic capture
    now = *done += n;
    if (first_thread && now < w->job->n) w->context->report(w->context->user, now, w->job->n);
}

typedef struct {
    const cpu_work *work;
    size_t done;
} work_done;

static void run_one(void *job, size_t piece, int first_thread) {
    work_done *d = job;
    run_piece(d->work, (int)piece, &d->done, first_thread);
}

/* Without a trace of OpenMP where one thread does. */
static void run_pieces(const cpu_work *w) {
    work_done d = { w, 0 };
    if (w->threads == 1)
        for (int i = 0; i < w->pieces; i++) run_one(&d, (size_t)i, 1);
    else
        threads_run(w->threads, (size_t)w->pieces, run_one, &d);
    if (w->context->report) w->context->report(w->context->user, w->job->n, w->job->n);
}

/* -------------------------------------------------------------------------------- the methods that follow the order */

static int is_contiguous(const cpu_work *w) {
    return w->x_stride == (ptrdiff_t)w->size && w->y_stride == (ptrdiff_t)w->size;
}

static strided_vector strided_vector_of(const cpu_work *w, quire_term term) {
    return (strided_vector){ w->context->tier, w->job->type, term, w->job->method, w->size, w->x_stride, w->y_stride };
}

/* As many tiles as go at a time. */
static size_t tiles_together(const cpu_work *w) { return is_contiguous(w) ? TILE_BATCH : 1; }

static void tiles_sum(const cpu_work *w, const char *x, const char *y, size_t n, lane_state *state) {
    const strided_vector v = strided_vector_of(w, w->job->term);
    if (is_contiguous(w))
        w->sum(x, y, n, w->tile, w->fetches, state);
    else
        strided_tile(&v, x, y, n, w->tile, state);
}

/* The tree over tiles: of a piece, or of a job that is one piece. */
static void tree_sum(const cpu_work *w, const char *x, const char *y, size_t n, lane_state *state) {
    if (n <= tiles_together(w) * w->tile) {
        tiles_sum(w, x, y, n, state);
        return;
    }
    const size_t left = order_split((n - 1) / w->tile + 1) * w->tile;
    lane_state right;
    tree_sum(w, x, y, left, state);
    tree_sum(w, x + (ptrdiff_t)left * w->x_stride, y + (ptrdiff_t)left * w->y_stride, n - left, &right);
    w->merge(state, &right);
}

/* The upper levels of that tree, over the pieces. */
static void tree_merge(const cpu_work *w, lane_state *state, size_t pieces) {
    if (pieces == 1) return;
    const size_t left = order_split(pieces);
    tree_merge(w, state, left);
    tree_merge(w, state + left, pieces - left);
    w->merge(&state[0], &state[left]);
}

static void run_lanes(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    tree_sum(w, x, y, n, &w->state[piece]);
}

/* The words that a method left behind. */
static quire_total words_total(const lane_method *method, const lane_state *state, int is_double) {
    double words[QUIRE_STATE_WORDS] = { 0 };
    for (int k = 0; k < method->words; k++) words[k] = is_double ? state->f64[k] : (double)state->f32[k];
    return method->total(words);
}

static quire_total lanes_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                ptrdiff_t y_stride) {
    const lane_method *method = &lane_methods[job->method];
    const int is_double = has_double_lanes(job->type);
    lane_state state[PIECES];
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_lanes;
    w.sum = context->tier->tile[job->type][job->term][job->method];
    w.merge = method->merge[is_double];
    w.state = state;
    run_pieces(&w);

    const cpu_environment callers = environment_enter();
    tree_merge(&w, state, (size_t)w.pieces);
    const quire_total total = words_total(method, &state[0], is_double);
    environment_leave(callers);
    return total;
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

static void run_exact(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    ball_radius *radius = w->radius ? &w->radius[piece] : NULL;
    const int sums = sums_of(w->job->finish);
    if (w->threads == 1) {
        exact_add(w, w->accumulator, x, y, n, radius);
        if (w->pieces > 1) limbs_carry(w->accumulator->limb); /* what one call may leave uncarried, many may not */
        return;
    }
    quire_accumulator part[MOST_SUMS];
    memset(part, 0, (size_t)sums * sizeof *part);
    exact_add(w, part, x, y, n, radius);
    for (int i = 0; i < sums; i++) {
        limbs_carry(part[i].limb);
        threads_add(&w->accumulator[i], &part[i]);
    }
}

/* Every bit, if radius is NULL. n is not 0. */
static void exact_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                             quire_accumulator *accumulator, ball_radius *radius) {
    ball_radius of_piece[PIECES];
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_exact;
    w.accumulator = accumulator;
    w.radius = radius ? of_piece : NULL;
    for (int i = 0; i < w.pieces && radius; i++) of_piece[i] = (ball_radius)BALL_EXACT;
    run_pieces(&w);
    for (int i = 0; i < w.pieces && radius; i++) radius_add(radius, of_piece[i]);
    for (int i = 0; i < sums_of(job->finish); i++) accumulator_count(&accumulator[i], job->n);
}

static void run_moments(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    (void)y;
    w->has_moments[piece] = w->context->tier->panels->moments[w->job->type](x, n, w->way, &w->moments[piece]);
}

/* Of all pieces. Never inlined: the additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_decide(const cpu_work *w, format_description format, uint64_t *bits) {
    moment_sums all = w->moments[0];
    for (int i = 0; i < w->pieces; i++) {
        if (!w->has_moments[i]) return 0;
        if (i) moment_sums_add(&all, &w->moments[i]);
    }
    return moments_decide(&all, w->job, format, bits);
}

/* A moment of a long vector by sums that lose a little, if they decide it. */
static int long_moment(cpu_work *w, format_description format, uint64_t *bits) {
    moment_sums sums[PIECES];
    int has[PIECES];
    w->run = run_moments;
    w->moments = sums, w->has_moments = has;
    run_pieces(w);
    const cpu_environment callers = environment_enter();
    const int decided = pieces_decide(w, format, bits);
    environment_leave(callers);
    return decided;
}

/* The bits of a variance or the like. n is not 0. */
static uint64_t moments_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                               format_description format) {
    quire_accumulator a[MOST_SUMS] = { QUIRE_ACCUMULATOR_ZERO, QUIRE_ACCUMULATOR_ZERO };
    accumulated_moment_room room;
    if (job->n > VECTOR_EXACT_ELEMENTS && !context->report) {
        cpu_work w = work_of(context, job, x_stride, y_stride);
        uint64_t bits;
        w.way = moments_first_way(describe_format(job->type), format, job->n);
        for (; is_contiguous(&w) && w.way < MOMENT_WAYS; w.way++)
            if (long_moment(&w, format, &bits)) return bits;
    }
    exact_accumulate(context, job, x_stride, y_stride, a, NULL);
    return accumulated_moments_round(&a[0], &a[1], job->finish, job->correction, format, job->rounding, &room);
}

/* The bits of the result: by a ball, if that is enough to round it. A job that reports goes through its elements once,
 * and strictly: what it reported as done is not read again. n is not 0. */
static uint64_t exact_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                             format_description format) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    ball_radius radius = BALL_EXACT;
    uint64_t bits;
    exact_accumulate(context, job, x_stride, y_stride, &a, context->report ? NULL : &radius);
    if (radius.count) {
        if (ball_round(&a, radius, job->finish, job->n, format, job->rounding, &bits)) return bits;
        a = (quire_accumulator)QUIRE_ACCUMULATOR_ZERO;
        exact_accumulate(context, job, x_stride, y_stride, &a, NULL);
    }
    return finish_and_round(accumulator_total(&a), job->finish, job->n, format, job->rounding);
}

/* --------------------------------------------------------------------------------------------------- a few elements */

/* Of so few elements every step between the arguments and the tier shows in the time, totals of 128 bits too. Answers
 * whether that is all there is to do. Never inlined: the additions of a rounding would be moved out of our environment.
 */
static __attribute__((noinline)) int few_bits(const cpu_tier *tier, const quire_job *job, format_description format,
                                              uint64_t *bits) {
    if (job->method == QUIRE_EXACT) {
        few_total total;
        if (!tier->few[job->type][job->term](job->x, job->y, job->n, &total)) return 0;
        return few_round(&total, job, format, bits);
    }
    *bits = many_one_tile(tier, job, format);
    return 1;
}

static int few_reduce(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    const cpu_environment callers = environment_enter();
    const int done = few_bits(tier, job, format, bits);
    environment_leave(callers);
    return done;
}

/* ------------------------------------------------------------------------------------------------------ the backend */

uint64_t cpu_reduce_vector(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    const format_description format = describe_format(job->result_type);
    if (needs_squares(job->finish))
        return job->n ? moments_reduce(context, job, x_stride, y_stride, format) : format.quiet_nan;
    if (job->n && job->method == QUIRE_EXACT) return exact_reduce(context, job, x_stride, y_stride, format);
    const quire_total total = job->n ? lanes_reduce(context, job, x_stride, y_stride) : total_zero(0);
    return finish_and_round(total, job->finish, job->n, format, job->rounding);
}

/* Where a few elements are summed. */
static const cpu_tier *tier_for_few(const quire_context *context) {
    return context ? ((const cpu_context *)context)->tier : cpu_tier_default();
}

/* Of more: out of line, since what it needs of the stack shows in the time of a few. */
static __attribute__((noinline)) uint64_t many_elements(const quire_context *context, const quire_job *job) {
    const cpu_context c = cpu_context_of(context);
    const ptrdiff_t size = describe_format(job->type).size;
    if (!needs_squares(job->finish)) return cpu_reduce_vector(&c, job, size, size);
    const cpu_environment callers = environment_enter();
    const uint64_t bits = many_contiguous(&c, job, (size_t)size, describe_format(job->result_type));
    environment_leave(callers);
    return bits;
}

static quire_status cpu_reduce(quire_context *context, const quire_job *job) {
    const format_description format = describe_format(job->result_type);
    uint64_t bits;
    if (!job->n || job->n > TILE_FEW || needs_squares(job->finish) ||
        !few_reduce(tier_for_few(context), job, format, &bits))
        bits = many_elements(context, job);
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
