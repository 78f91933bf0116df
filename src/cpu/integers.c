/* integers.c - vectors of integers: their exact sums, and the results that these make. No order, no ends, no windows:
 * each vector has one state, to which its elements are added as they come.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/panels.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

/* All sums of a job over the elements seen so far, and whether a term of the first was not zero. */
typedef struct {
    integer_sum sum[MOST_JOB_SUMS];
    uint64_t n;
    int has_terms;
} integer_state;

#define BLOCK ((size_t)1 << 13) /* elements that are gone over twice, or more often: they stay in a cache */

static integer_way way_of(term_description term) {
    return term.is_product ? INTEGER_PRODUCTS : term.sign == SIGN_CLEARED ? INTEGER_MAGNITUDES : INTEGER_ELEMENTS;
}

/* --------------------------------------------------------------------------------------------------------- elements */

static int is_zero(const char *element, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    return !bits;
}

/* Asked where a sum is zero, to know whether it is one of zeros. */
static int any_term(const quire_job *job, const char *x, const char *y, size_t n) {
    const size_t size = (size_t)element_size(job->type);
    const int is_product = describe_term(job->term).is_product;
    for (size_t i = 0; i < n; i++)
        if (!is_zero(x + i * size, size) && (!is_product || !is_zero(y + i * size, size))) return 1;
    return 0;
}

static void add_block(integer_state *s, const cpu_tier *tier, const quire_job *job, ends_vector v) {
    for (int i = 0; i < job_sums(job); i++) {
        const term_description term = describe_term(term_of(job, i));
        const ends_vector of = vector_of_sum(job, i, v);
        integer_sum part = INTEGER_ZERO;
        tier->integers[INTEGER_PLACE(job->type)][way_of(term)](&part, of.x, of.y, of.n);
        if (term.sign == SIGN_FLIPPED) integer_negate(&part);
        integer_add(&s->sum[i], &part);
        if (i == 0 && !s->has_terms) s->has_terms = !integer_is_zero(&part) || any_term(job, v.x, v.y, v.n);
    }
    s->n += v.n;
}

/* Elements side by side, without the steps that others take, nor what these need of the stack: both show in the time of
 * a few. */
static void add_neighbours(integer_state *s, const cpu_tier *tier, const quire_job *job, const char *x, const char *y,
                           size_t n) {
    const size_t size = (size_t)element_size(job->type);
    for (size_t done = 0; done < n; done += BLOCK)
        add_block(s, tier, job, (ends_vector){ x + done * size, y + done * size, n - done < BLOCK ? n - done : BLOCK });
}

static __attribute__((noinline)) void add_apart(integer_state *s, const cpu_context *context, const quire_job *job,
                                                const char *x, const char *y, size_t n, ptrdiff_t x_stride,
                                                ptrdiff_t y_stride) {
    const strided_vector v = strided_vector_of(context, job, x_stride, y_stride);
    strided_blocks blocks;
    strided_begin(&blocks, &v, x, y, n, BLOCK);
    for (ends_vector b; strided_next(&blocks, &b);) add_block(s, context->tier, job, b);
}

static void add_vector(integer_state *s, const cpu_context *context, const quire_job *job, const char *x, const char *y,
                       size_t n, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    const ptrdiff_t size = element_size(job->type);
    if (x_stride == size && y_stride == size && !context->indexed)
        add_neighbours(s, context->tier, job, x, y, n);
    else
        add_apart(s, context, job, x, y, n, x_stride, y_stride);
}

static void run_piece(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    integer_state *s = (integer_state *)w->own + piece;
    memset(s, 0, sizeof *s);
    add_vector(s, w->context, w->job, x, y, n, w->x_stride, w->y_stride);
}

/* Of a vector, which is not that of no elements, by the context's threads. */
static __attribute__((noinline)) integer_state state_of(const cpu_context *context, const quire_job *job,
                                                        ptrdiff_t x_stride, ptrdiff_t y_stride) {
    integer_state states[MOST_PIECES];
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_piece;
    w.own = states;
    work_run(&w);
    for (int p = 1; p < w.pieces; p++) {
        for (int i = 0; i < job_sums(job); i++) integer_add(&states[0].sum[i], &states[p].sum[i]);
        states[0].n += states[p].n;
        states[0].has_terms |= states[p].has_terms;
    }
    return states[0];
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* By way of accumulators, as those of other elements. */
static __attribute__((noinline)) uint64_t pair_bits(const integer_state *s, const quire_job *job,
                                                    format_description format) {
    quire_accumulator a[MOST_PAIR_SUMS];
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &a[0], &a[1], &a[2], &a[3], &a[4] };
    if (!s->n) return format.quiet_nan;
    memset(a, 0, (size_t)pair_sums_of(job->finish) * sizeof *a);
    for (int i = 0; i < pair_sums_of(job->finish); i++) {
        integer_add_to_limbs(a[i].limb, &s->sum[i]);
        accumulator_count(&a[i], s->n);
        a[i].other = i == 0 && s->has_terms ? OTHER_NONZERO : 1; /* no zero of an integer is -0 */
    }
    return accumulators_round(sums, job, format);
}

static uint64_t result_bits(const integer_state *s, const quire_job *job) {
    const format_description format = describe_format(job->result_type);
    if (needs_pair_sums(job->finish)) return pair_bits(s, job, format);
    if (needs_squares(job->finish)) {
        uint32_t sum[WIDE_OF_INTEGER], squares[WIDE_OF_INTEGER];
        moment_room room;
        return moments_round(integer_wide(&s->sum[0], sum), integer_wide(&s->sum[1], squares), job->finish, s->n,
                             job->correction, format, job->rounding, &room);
    }
    return finish_and_round(integer_total(&s->sum[0], s->has_terms), job->finish, s->n, format, job->rounding);
}

static void store_result(const integer_state *s, const quire_job *job, void *result) {
    if (job->result_type == QUIRE_INT128)
        integer_store(&s->sum[0], result);
    else
        format_store(result_bits(s, job), describe_format(job->result_type).size, result);
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

void integers_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                     void *result) {
    integer_state s = { { INTEGER_ZERO }, 0, 0 };
    if (job->n > PIECE_ELEMENTS)
        s = state_of(context, job, x_stride, y_stride);
    else if (job->n)
        add_vector(&s, context, job, job->x, job->y, job->n, x_stride, y_stride);
    if (job->n && job->n <= PIECE_ELEMENTS && context->report) context->report(context->user, job->n, job->n);
    store_result(&s, job, result);
}

void integers_accumulate(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                         quire_accumulator *accumulator) {
    if (!job->n) return;
    const integer_state s = state_of(context, job, x_stride, y_stride);
    integer_add_to_limbs(accumulator->limb, &s.sum[0]);
    accumulator_count(accumulator, s.n);
    accumulator->other |= s.has_terms ? OTHER_NONZERO : 1;
}

void panel_integers(const panel_job *p, char *results) {
    const quire_job *job = p->job;
    const size_t size = (size_t)element_size(job->type);
    const int y_too = reads_y(p);
    integer_state states[PANEL];
    strip_buffer x, y;
    memset(states, 0, sizeof states);
    for (size_t done = 0, rows; done < job->n; done += rows) {
        rows = job->n - done < STRIP ? job->n - done : STRIP;
        gather_strip(x.of, p->x, p->count, done, rows, p->x_stride, size, 1);
        if (y_too) gather_strip(y.of, p->y, p->count, done, rows, p->y_stride, size, 1);
        for (size_t c = 0; c < p->count; c++) {
            const char *from = x.of + c * STRIP * size;
            add_block(&states[c], p->context->tier, job,
                      (ends_vector){ from, y_too ? y.of + c * STRIP * size : from, rows });
        }
    }
    for (size_t c = 0; c < p->count; c++)
        store_result(&states[c], job, results + c * (size_t)result_size(job->result_type));
}
