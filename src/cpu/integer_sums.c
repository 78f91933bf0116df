/* integer_sums.c - see integer_sums.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/integer_sums.h"
#include "cpu/gather.h"
#include "cpu/split.h"

#define BLOCK ((size_t)1 << 13)          /* elements that are gone over twice, or more often: they stay in a cache */
#define GATHERED_ELEMENTS ((size_t)1024) /* of a vector whose elements stand apart, copied side by side */

static integer_way way_of(term_description term) {
    return term.is_product ? INTEGER_PRODUCTS : term.sign == SIGN_CLEARED ? INTEGER_MAGNITUDES : INTEGER_ELEMENTS;
}

static int all_sums_of(finish_kind finish) { return needs_pair_sums(finish) ? pair_sums_of(finish) : sums_of(finish); }

/* ------------------------------------------------------------------------------------------------ elements, in order
 */

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

static void add_block(integer_state *s, const cpu_tier *tier, const quire_job *job, const char *x, const char *y,
                      size_t n) {
    const int is_pair = needs_pair_sums(job->finish);
    for (int i = 0; i < all_sums_of(job->finish); i++) {
        const term_description term = describe_term(is_pair ? pair_term(i) : term_of_sum(job->term, i));
        const char *first = is_pair && !pair_begins_with_x(i) ? y : x;
        const char *second = is_pair && pair_ends_with_x(i) ? x : y;
        integer_sum part = INTEGER_ZERO;
        tier->integers[INTEGER_PLACE(job->type)][way_of(term)](&part, first, second, n);
        if (term.sign == SIGN_FLIPPED) integer_negate(&part);
        integer_add(&s->sum[i], &part);
        if (i == 0 && !s->has_terms) s->has_terms = !integer_is_zero(&part) || any_term(job, x, y, n);
    }
    s->n += n;
}

void integer_state_add(integer_state *s, const cpu_tier *tier, const quire_job *job, const char *x, const char *y,
                       size_t n) {
    const size_t size = (size_t)element_size(job->type);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        add_block(s, tier, job, x + done * size, y + done * size, count);
    }
}

void integer_state_add_strided(integer_state *s, const cpu_tier *tier, const quire_job *job, const char *x,
                               const char *y, size_t n, ptrdiff_t x_stride, ptrdiff_t y_stride) {
    _Alignas(64) char xs[GATHERED_ELEMENTS * 8], ys[GATHERED_ELEMENTS * 8];
    const size_t size = (size_t)element_size(job->type);
    const int is_one = x == y && x_stride == y_stride;
    if (x_stride == (ptrdiff_t)size && y_stride == (ptrdiff_t)size) {
        integer_state_add(s, tier, job, x, y, n);
        return;
    }
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < GATHERED_ELEMENTS ? n - done : GATHERED_ELEMENTS;
        gather(xs, x + (ptrdiff_t)done * x_stride, count, x_stride, size);
        if (!is_one) gather(ys, y + (ptrdiff_t)done * y_stride, count, y_stride, size);
        add_block(s, tier, job, xs, is_one ? xs : ys, count);
    }
}

void integer_state_merge(integer_state *into, const integer_state *from) {
    for (int i = 0; i < MOST_PAIR_SUMS; i++) integer_add(&into->sum[i], &from->sum[i]);
    into->n += from->n;
    into->has_terms |= from->has_terms;
}

/* ---------------------------------------------------------------------------------------------------------- threads */

typedef struct {
    const cpu_context *context;
    const quire_job *job;
    ptrdiff_t x_stride, y_stride;
    size_t piece;
    integer_state *states; /* of each piece */
} vector_work;

static void run_piece(const void *work, size_t first, size_t last) {
    const vector_work *w = work;
    const char *x = (const char *)w->job->x + (ptrdiff_t)first * w->x_stride;
    const char *y = (const char *)w->job->y + (ptrdiff_t)first * w->y_stride;
    integer_state s = INTEGER_STATE_ZERO;
    integer_state_add_strided(&s, w->context->tier, w->job, x, y, last - first, w->x_stride, w->y_stride);
    w->states[first / w->piece] = s;
}

integer_state integer_state_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                               ptrdiff_t y_stride) {
    integer_state states[MOST_PIECES], all = INTEGER_STATE_ZERO;
    if (!job->n) return all;
    const size_t arrays = job->x == job->y ? 1 : 2;
    vector_work w = { context, job, x_stride, y_stride, PIECE_ELEMENTS, states };
    while ((job->n - 1) / w.piece >= MOST_PIECES) w.piece *= 2;
    const size_t pieces = (job->n - 1) / w.piece + 1;
    const int threads = cpu_threads(context, job->n * (size_t)element_size(job->type) * arrays, pieces);
    if (threads == 1 && !context->report) w.piece = job->n;
    units_run(context, run_piece, &w, job->n, w.piece, threads);
    for (size_t i = 0; i <= (job->n - 1) / w.piece; i++) integer_state_merge(&all, &states[i]);
    return all;
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* By way of accumulators, as those of other elements. */
static __attribute__((noinline)) uint64_t pair_bits(const integer_state *s, const quire_job *job,
                                                    format_description format) {
    quire_accumulator a[MOST_PAIR_SUMS];
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &a[0], &a[1], &a[2], &a[3], &a[4] };
    quire_total total;
    pair_room room;
    if (!s->n) return format.quiet_nan;
    memset(a, 0, (size_t)pair_sums_of(job->finish) * sizeof *a);
    for (int i = 0; i < pair_sums_of(job->finish); i++) {
        integer_add_to_limbs(a[i].limb, &s->sum[i]);
        accumulator_count(&a[i], s->n);
        a[i].other = i == 0 && s->has_terms ? OTHER_NONZERO : 1; /* no zero of an integer is -0 */
    }
    pair_total(sums, job->finish, job->correction, &room, &total);
    return total_round(total, format, job->rounding);
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

void integer_result(const integer_state *s, const quire_job *job, void *result) {
    if (job->result_type == QUIRE_INT128)
        integer_store(&s->sum[0], result);
    else
        format_store(result_bits(s, job), describe_format(job->result_type).size, result);
}
