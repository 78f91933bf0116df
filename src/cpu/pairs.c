/* pairs.c - averages, covariances and correlations on the CPU, of two vectors: by the ends of their sums, where these
 * tell the result; else from the exact sums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/pairs.h"
#include "cpu/block/moment_ball.h"
#include "cpu/environment.h"
#include "cpu/gather.h"
#include "cpu/indexed.h"
#include "cpu/pair.h"
#include "operation/pairs_ball.h"

#include <string.h>

/* Elements of which all sums are made one after the other: but for the first they find them in a cache. */
#define BLOCK ((size_t)1 << 12)
_Static_assert(CARRIES_IN_TIME(BLOCK), "limbs are carried after each block");

/* The factors of a sum's terms, or twice its elements. */
static ends_vector vector_of_sum(int sum, const char *x, const char *y, size_t n) {
    return (ends_vector){ pair_begins_with_x(sum) ? x : y, pair_ends_with_x(sum) ? x : y, n };
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* A block's elements of one array, copied to a buffer unless they stand side by side. */
static const char *block_of(const cpu_work *w, int of_y, char *buffer, const char *from, size_t n) {
    const ptrdiff_t stride = of_y ? w->y_stride : w->x_stride;
    if (w->context->indexed)
        indexed_gather(w->context->indexed, of_y, buffer, from, n, w->size);
    else if (stride == (ptrdiff_t)w->size)
        return from;
    else
        gather(buffer, from, n, stride, w->size);
    return buffer;
}

/* What a block is added to. */
typedef void (*block_function)(const cpu_work *w, void *to, const char *x, const char *y, size_t n);

static void add_elements(const cpu_work *w, block_function add, void *to, const char *x, const char *y, size_t n) {
    _Alignas(64) char of_x[BLOCK * 8], of_y[BLOCK * 8];
    const indexed_vector *v = w->context->indexed;
    const int is_one_array = v ? !v->reads_y : x == y && w->x_stride == w->y_stride;
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        const char *some_x = block_of(w, 0, of_x, x + (ptrdiff_t)done * w->x_stride, count), *some_y = some_x;
        if (!is_one_array) some_y = block_of(w, 1, of_y, y + (ptrdiff_t)done * w->y_stride, count);
        add(w, to, some_x, some_y, count);
    }
}

/* -------------------------------------------------------------------------------------------------------- exact sums
 */

static void add_exactly_to(const cpu_work *w, void *to, const char *x, const char *y, size_t n) {
    quire_accumulator *a = to;
    for (int i = 0; i < pair_sums_of(w->job->finish); i++) {
        const ends_vector of = vector_of_sum(i, x, y, n);
        w->context->tier->exact[w->job->type][pair_term(i)](&a[i], of.x, of.y, n, 0);
        limbs_carry(a[i].limb);
    }
}

static void run_exact_pairs(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    quire_accumulator *all = w->own, part[MOST_PAIR_SUMS];
    const int sums = pair_sums_of(w->job->finish);
    (void)piece;
    if (w->threads == 1) {
        add_elements(w, add_exactly_to, all, x, y, n);
        return;
    }
    memset(part, 0, (size_t)sums * sizeof *part);
    add_elements(w, add_exactly_to, part, x, y, n);
    for (int i = 0; i < sums; i++) threads_add(&all[i], &part[i]);
}

static uint64_t reduce_exactly(cpu_work *w, format_description format) {
    const quire_job *job = w->job;
    quire_accumulator a[MOST_PAIR_SUMS];
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &a[0], &a[1], &a[2], &a[3], &a[4] };
    quire_total total;
    pair_room room;
    memset(a, 0, (size_t)pair_sums_of(job->finish) * sizeof *a);
    w->run = run_exact_pairs;
    w->own = a;
    work_run(w);
    for (int i = 0; i < pair_sums_of(job->finish); i++) accumulator_count(&a[i], job->n);
    pair_total(sums, job->finish, job->correction, &room, &total);
    return total_round(total, format, job->rounding);
}

/* ------------------------------------------------------------------------------------------------------------- ends */

static quire_rounding mirrored(quire_rounding rounding) {
    return rounding == QUIRE_UPWARD ? QUIRE_DOWNWARD : rounding == QUIRE_DOWNWARD ? QUIRE_UPWARD : rounding;
}

int pair_of_ends_round(const sum_ends *sums, const quire_job *job, format_description format, uint64_t *bits) {
    moment_ball of[MOST_PAIR_SUMS];
    quire_job magnitude = *job;
    for (int i = 0; i < pair_sums_of(job->finish); i++) of[i] = ball_of_ends(sums[i]);
    moment_ball ball = pair_in_ball(of, job->finish, job->n, job->correction);
    if (ball.high >= 0) return moment_ball_round(ball, job, format, bits);
    ball.high = -ball.high, ball.low = -ball.low;
    magnitude.rounding = mirrored(job->rounding);
    if (!moment_ball_round(ball, &magnitude, format, bits)) return 0;
    if (*bits != format.quiet_nan) *bits |= format.sign; /* which stands where there is no infinity */
    return 1;
}

typedef struct {
    sum_ends of[MOST_PAIR_SUMS];
} pair_ends;

static const pair_ends NOTHING = {
    { { -0.0, -0.0, -0.0 }, { -0.0, -0.0, -0.0 }, { -0.0, -0.0, -0.0 }, { -0.0, -0.0, -0.0 }, { -0.0, -0.0, -0.0 } }
};

/* The ends that one kind of function finds. */
typedef struct {
    ends_kind kind;
    pair_ends *of_piece;
} ends_work;

typedef struct {
    ends_kind kind;
    pair_ends *all;
} ends_target;

static void add_ends(const cpu_work *w, void *to, const char *x, const char *y, size_t n) {
    const ends_target *target = to;
    const ends_functions *add = w->context->tier->ends->of[target->kind][w->job->type];
    many_ends ends;
    for (int i = 0; i < pair_sums_of(w->job->finish); i++) {
        const ends_vector of = vector_of_sum(i, x, y, n);
        add[pair_term(i)].vectors(&of, 1, &ends);
        ends_merge(&target->all->of[i], ends_at(&ends, 0));
    }
}

static void run_ends_of_pairs(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    const ends_work *e = w->own;
    ends_target target = { e->kind, &e->of_piece[piece] };
    *target.all = NOTHING;
    add_elements(w, add_ends, &target, x, y, n);
}

/* Never inlined: additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_tell(pair_ends *of_piece, const cpu_work *w, format_description format,
                                                 uint64_t *bits) {
    for (int p = 1; p < w->pieces; p++)
        for (int i = 0; i < pair_sums_of(w->job->finish); i++) ends_merge(&of_piece[0].of[i], of_piece[p].of[i]);
    return pair_of_ends_round(of_piece[0].of, w->job, format, bits);
}

static int reduce_by_ends(cpu_work *w, ends_kind kind, format_description format, uint64_t *bits) {
    pair_ends of_piece[MOST_PIECES];
    ends_work e = { kind, of_piece };
    w->run = run_ends_of_pairs;
    w->own = &e;
    work_run(w);
    const cpu_environment callers = environment_enter();
    const int are_told = pieces_tell(of_piece, w, format, bits);
    environment_leave(callers);
    return are_told;
}

uint64_t pairs_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                      format_description format) {
    uint64_t bits;
    if (!job->n) return format.quiet_nan;
    cpu_work w = work_of(context, job, x_stride, y_stride);
    if (!context->past_ends && !context->report)
        for (ends_kind kind = pairs_kind_of(format); kind <= ENDS_BESIDE_SUM; kind++)
            if (reduce_by_ends(&w, kind, format, &bits)) return bits;
    return reduce_exactly(&w, format);
}

/* -------------------------------------------------------------------------------------------------- some at a time */

uint64_t pairs_reduce_many(const cpu_tier *tier, const quire_job *job, const ends_vector *vectors, size_t count,
                           format_description format, char *results) {
    const ends_functions *add = tier->ends->of[pairs_kind_of(format)][job->type];
    const int sums = pair_sums_of(job->finish);
    many_ends ends[MOST_PAIR_SUMS];
    ends_vector of[ENDS_TOGETHER];
    uint64_t open = 0;
    for (int i = 0; i < sums; i++) {
        for (size_t k = 0; k < count; k++) of[k] = vector_of_sum(i, vectors[k].x, vectors[k].y, vectors[k].n);
        add[pair_term(i)].vectors(of, count, &ends[i]);
    }
    for (size_t k = 0; k < count; k++) {
        sum_ends one[MOST_PAIR_SUMS];
        uint64_t bits;
        for (int i = 0; i < sums; i++) one[i] = ends_at(&ends[i], k);
        if (pair_of_ends_round(one, job, format, &bits))
            format_store(bits, format.size, results + k * (size_t)format.size);
        else
            open |= (uint64_t)1 << k;
    }
    return open;
}
