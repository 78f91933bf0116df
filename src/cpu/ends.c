/* ends.c - results from the ends of exact sums (block/ends.h, pairs.h), where these tell them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/block/moment_ball.h"
#include "cpu/environment.h"
#include "cpu/results.h"
#include "cpu/strided.h"
#include "operation/pairs_ball.h"

/* Sums of so short elements, of 16 bits and less, are quicker by integers if they have more. */
#define SURE_MOST 2048

/* ------------------------------------------------------------------------------------------------------- which ends */

static int has_short_elements(const quire_job *job) {
    return job->term != TERM_PRODUCT && have_sure_sums(describe_format(job->type));
}

/* Sums of numbers narrower than doubles for results that are doubles: those of some thousand are mostly doubles
 * themselves, which strided_ends makes use of. */
static int is_widened_sum(const quire_job *job, format_description format) {
    return format.precision > 24 && job->term != TERM_PRODUCT && !has_double_lanes(job->type);
}

ends_kind ends_kind_of(const quire_job *job, format_description format) {
    const int has_products = needs_squares(job->finish) || job->term == TERM_PRODUCT;
    return format.precision > 24 && (has_products || job->n > VECTOR_EXACT_ELEMENTS) ? ENDS_BESIDE_SUM : ENDS_ALONE;
}

/* Sums of products below it may be of some whose errors are no doubles, or of which nothing is left. */
#define SMALL_PRODUCTS 0x1p-900

static int are_finite(sum_ends e) { return double_is_finite(e.sum - e.low) && double_is_finite(e.sum + e.up); }

/* For a result that these ends leave open. Those of several sums have none that are scaled. */
static ends_kind kind_after(const quire_job *job, ends_kind kind, sum_ends e) {
    if (!has_double_lanes(job->type)) return kind == ENDS_ALONE ? ENDS_BESIDE_SUM : ENDS_KINDS;
    if (kind == ENDS_SCALED_DOWN || kind == ENDS_SCALED_UP || job_sums(job) > 1) return ENDS_KINDS;
    if (!are_finite(e)) return ENDS_SCALED_DOWN;
    const int is_small = abs_f64(e.sum) < SMALL_PRODUCTS && e.low != -e.up;
    return job->term == TERM_PRODUCT && is_small ? ENDS_SCALED_UP : ENDS_KINDS;
}

ends_kind ends_kind_after(const quire_job *job, ends_kind kind, const many_ends *ends, uint64_t open) {
    ends_kind next = ENDS_KINDS;
    for (; open; open &= open - 1) {
        const ends_kind other = kind_after(job, kind, ends_at(ends, (size_t)__builtin_ctzll(open)));
        if (other < next) next = other;
    }
    return next;
}

int may_have_ends(const cpu_context *context, const quire_job *job) {
    if (job->method != QUIRE_EXACT || is_integer(job->type)) return 0;
    return !(context && (context->past_ends || context->report));
}

int have_windows_first(const quire_job *job) { return has_short_elements(job) && job->n > SURE_MOST; }

int has_ends(const cpu_context *context, const quire_job *job, format_description format) {
    if (!may_have_ends(context, job) || needs_squares(job->finish)) return 0;
    if (has_short_elements(job)) return !have_windows_first(job);
    if (needs_pair_sums(job->finish)) return job->n <= VECTOR_EXACT_ELEMENTS; /* of more, blocks are in a cache */
    return job->n <= VECTOR_EXACT_ELEMENTS || !is_widened_sum(job, format);
}

cpu_context ends_past(const cpu_context *context) {
    cpu_context past = *context;
    past.past_ends = 1;
    return past;
}

/* --------------------------------------------------------------------------------------------------------- rounding */

/* For which there is a conversion: a tenth less time for short rows than the general way. */
static int is_nearest_float(const quire_job *job, format_description format) {
    return job->rounding == QUIRE_TO_NEAREST && format.precision == 24;
}

/* Above it a quotient is rounded by 2^-53 of itself, and no more. */
#define FINISHED_LEAST 0x1p-1000

/* A root or a quotient of both ends, moved apart by more than they are rounded: see tier/ends.c. Answers
 * whether they become the same; where they do not, though the sum is exact, others have the time to find its bits. */
static int finished_round(double low, double up, const quire_job *job, format_description format, uint64_t *bits) {
    const double n = (double)job->n;
    low = job->finish == FINISH_ROOT ? sqrt(low) : low / n, up = job->finish == FINISH_ROOT ? sqrt(up) : up / n;
    low -= abs_f64(low) * ENDS_AWAY, up += abs_f64(up) * ENDS_AWAY;
    if (!(abs_f64(low) >= FINISHED_LEAST && abs_f64(up) >= FINISHED_LEAST) || signbit(low) != signbit(up)) return 0;
    if (!double_is_finite(low) || !double_is_finite(up)) return 0;
    if (is_nearest_float(job, format)) {
        *bits = bits_of_float((float)up);
        return bits_of_float((float)low) == *bits;
    }
    *bits = total_round(total_of_double(up), format, job->rounding);
    return total_round(total_of_double(low), format, job->rounding) == *bits;
}

/* A root or a quotient that is a double, to nearest, by a ball around it (operation/moments_ball.h). */
static int ball_of_ends_round(sum_ends e, const quire_job *job, uint64_t *bits) {
    const double n = (double)job->n;
    moment_ball ball = ball_of_ends(e);
    double low, high;
    const int is_negative = ball.high < 0;
    if (is_negative) ball.high = -ball.high, ball.low = -ball.low;
    if (!(ball.high >= BALL_LEAST && ball.high <= BALL_GREATEST) || n > (double)BALL_COUNTS) return 0;
    ball = job->finish == FINISH_ROOT ? moment_rooted(ball) : moment_divided(ball, n);
    if (!ball_ends(ball, &low, &high) || low != high) return 0;
    *bits = bits_of_double(is_negative ? -low : low);
    return 1;
}

static int has_ball(const quire_job *job, format_description format) {
    return job->finish != FINISH_KEEP && format.precision == 53 && job->rounding == QUIRE_TO_NEAREST;
}

/* Of ends alone, which are doubles. */
QUIRE_INLINE int doubles_round(double low, double up, const quire_job *job, format_description format, uint64_t *bits) {
    const int is_zero = low == 0 && up == 0;
    if (is_zero && job->rounding == QUIRE_DOWNWARD && job->term != TERM_MAGNITUDE && !signbit(up))
        return 0; /* was a term no zero? */
    if (!is_zero && !signbit(low) != !signbit(up) && !double_is_nan(up)) return 0;
    if (job->finish == FINISH_KEEP && is_nearest_float(job, format) && !double_is_nan(up)) {
        *bits = bits_of_float((float)up);
        return is_zero || bits_of_float((float)low) == *bits;
    }
    if (job->finish != FINISH_KEEP && !is_zero && format.precision <= 24 && finished_round(low, up, job, format, bits))
        return 1;
    if (has_ball(job, format) && ball_of_ends_round((sum_ends){ 0, -low, up }, job, bits)) return 1;
    *bits = words_round(&up, 1, job, format);
    return is_zero || low == up || words_round(&low, 1, job, format) == *bits;
}

/* What is infinite or NaN, where the sum tells it. Never inlined, for it is seldom needed. */
static __attribute__((noinline)) int special_round(double sum, ends_kind kind, const quire_job *job,
                                                   format_description format, uint64_t *bits) {
    if (double_is_finite(sum) || !sum_tells_specials(kind, job->type)) return 0;
    *bits = words_round(&sum, 1, job, format);
    return 1;
}

/* Inline, as it shows in the time of short sums if ends go through memory. */
QUIRE_INLINE int round_ends(sum_ends e, ends_kind kind, const quire_job *job, format_description format,
                            uint64_t *bits) {
    const double low = e.sum - e.low, up = e.sum + e.up;
    /* TwoSum may overflow on its way to a sum that does not: only ends alone are infinite or NaN as their terms are. */
    if (!are_finite(e) && bits_of_double(e.sum) != bits_of_double(-0.0))
        return special_round(e.sum, kind, job, format, bits);
    if (e.sum == 0 || (low == 0 && up == 0)) return doubles_round(low, up, job, format, bits);
    if (low == 0 || up == 0 || (low < 0) != (up < 0)) return 0;
    if (job->finish != FINISH_KEEP && format.precision <= 24 && finished_round(low, up, job, format, bits)) return 1;
    if (has_ball(job, format) && ball_of_ends_round(e, job, bits)) return 1;
    *bits = pair_round(e.sum, e.up, job, format);
    return e.low == -e.up || pair_round(e.sum, -e.low, job, format) == *bits;
}

/* The bits of the job's result were (sum + end) * 2^power the exact total of its terms. */
static uint64_t scaled_pair_round(double sum, double end, int power, const quire_job *job, format_description format) {
    quire_total total = total_of_two(sum, end);
    total.exponent += power;
    return finish_and_round(total, job->finish, job->n, format, job->rounding);
}

/* Of ends of scaled elements: a sum is so many powers of two more than they say. What may be a zero is for others to
 * decide. What is one has terms that are none: but for QUIRE_DOWNWARD, sums of zeros have been told before. */
static int scaled_round(sum_ends e, ends_kind kind, const quire_job *job, format_description format, uint64_t *bits) {
    const int of_element = kind == ENDS_SCALED_DOWN ? ENDS_POWER : -ENDS_POWER;
    const int power = job->term == TERM_PRODUCT ? 2 * of_element : of_element;
    if (e.sum == 0 && e.low == 0 && e.up == 0 && job->rounding != QUIRE_DOWNWARD) {
        *bits = words_round(&(double){ 0 }, 1, job, format);
        return 1;
    }
    if (!(e.sum - e.low > 0 || e.sum + e.up < 0)) return special_round(e.sum, kind, job, format, bits);
    *bits = scaled_pair_round(e.sum, e.up, power, job, format);
    return e.low == -e.up || scaled_pair_round(e.sum, -e.low, power, job, format) == *bits;
}

/* Of ends of any kind. */
QUIRE_INLINE int sum_round(sum_ends e, ends_kind kind, const quire_job *job, format_description format,
                           uint64_t *bits) {
    return kind == ENDS_SCALED_DOWN || kind == ENDS_SCALED_UP ? scaled_round(e, kind, job, format, bits)
                                                              : round_ends(e, kind, job, format, bits);
}

/* Whether all bits of the sum of two doubles, the first the larger and not 0, are within the 128 of a total. */
static int total_holds(double high, double low) {
    return high != 0 && double_is_finite(high) && (low == 0 || abs_f64(low) >= abs_f64(high) * 0x1p-74);
}

/* Of both sums of what needs squares: by a ball or, if both are exact, by integers. */
static int moment_of_ends_round(sum_ends of_terms, sum_ends of_squares, const quire_job *job, format_description format,
                                uint64_t *bits) {
    const moment_ball s = ball_of_ends(of_terms), q = ball_of_ends(of_squares);
    const moment_sums sums = { { s.high, s.low }, { q.high, q.low, 0 }, { s.radius, q.radius } };
    uint32_t of_s[WIDE_OF_TOTAL], of_q[WIDE_OF_TOTAL];
    moment_room room;
    if (moments_decide(&sums, job, format, bits)) return 1;
    if (s.radius != 0 || q.radius != 0 || !total_holds(s.high, s.low) || !total_holds(q.high, q.low)) return 0;
    *bits = moments_round(wide_of_total(total_of_two(s.high, s.low), of_s),
                          wide_of_total(total_of_two(q.high, q.low), of_q), job->finish, job->n, job->correction,
                          format, job->rounding, &room);
    return 1;
}

/* Of all sums of what needs those of pairs. */
static int pair_of_ends_round(const sum_ends *sums, const quire_job *job, format_description format, uint64_t *bits) {
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

int ends_round(const sum_ends *sums, ends_kind kind, const quire_job *job, format_description format, uint64_t *bits) {
    if (needs_pair_sums(job->finish)) return pair_of_ends_round(sums, job, format, bits);
    if (needs_squares(job->finish)) return moment_of_ends_round(sums[0], sums[1], job, format, bits);
    return sum_round(sums[0], kind, job, format, bits);
}

/* ------------------------------------------------------------------------------------------------- some at a time */

/* The results for which a tier has a function: to nearest, of sums, n[i] elements in number i. A bit for each that is
 * open. */
static uint64_t some_sums(const cpu_tier *tier, ends_kind kind, const many_ends *ends, const size_t *n, size_t count,
                          const quire_job *job, format_description format, char *results) {
    double counts[ENDS_TOGETHER];
    if (kind == ENDS_SCALED_DOWN || kind == ENDS_SCALED_UP) return ~(uint64_t)0 >> (ENDS_TOGETHER - count);
    for (size_t i = 0; i < ENDS_TOGETHER && job->finish == FINISH_DIVIDE; i++)
        counts[i] = (double)(n && i < count ? n[i] : job->n);
    if (job->rounding == QUIRE_TO_NEAREST && format.precision == 24)
        return tier->ends->floats(ends, count, job->finish, counts, results);
    if (job->rounding == QUIRE_TO_NEAREST && format.precision == 53 && (n || job->n <= (size_t)BALL_COUNTS))
        return tier->ends->doubles(ends, count, job->finish, counts, results);
    return ~(uint64_t)0 >> (ENDS_TOGETHER - count);
}

/* Counts whose product is a double. */
#define VARIANCE_COUNTS ((int64_t)1 << 26)

/* The same of variances. */
static uint64_t some_variances(const cpu_tier *tier, const many_ends *ends, size_t count, const quire_job *job,
                               format_description format, char *results) {
    const int64_t n = (int64_t)job->n, less = (int64_t)(job->n - (uint64_t)job->correction);
    const int are_few = job->n <= (size_t)VARIANCE_COUNTS && job->correction >= -VARIANCE_COUNTS &&
                        job->correction < n && less <= VARIANCE_COUNTS;
    if (!is_nearest_float(job, format) || !are_few) return ~(uint64_t)0 >> (ENDS_TOGETHER - count);
    return tier->ends->variances(&ends[0], &ends[1], count, (double)n, (double)(n * less), job->finish == FINISH_STDDEV,
                                 results);
}

uint64_t ends_results(const cpu_tier *tier, ends_kind kind, const many_ends *ends, const size_t *n, size_t count,
                      const quire_job *job, format_description format, char *results) {
    uint64_t open = ~(uint64_t)0 >> (ENDS_TOGETHER - count);
    if (needs_squares(job->finish))
        open = some_variances(tier, ends, count, job, format, results);
    else if (!needs_pair_sums(job->finish))
        open = some_sums(tier, kind, &ends[0], n, count, job, format, results);
    quire_job one = *job;
    for (uint64_t left = open; left; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctzll(left);
        sum_ends sums[MOST_JOB_SUMS];
        uint64_t bits;
        if (n) one.n = n[i];
        for (int k = 0; k < job_sums(job); k++) sums[k] = ends_at(&ends[k], i);
        if (!ends_round(sums, kind, &one, format, &bits)) continue;
        format_store(bits, format.size, results + i * (size_t)format.size);
        open &= ~((uint64_t)1 << i);
    }
    return open;
}

/* ----------------------------------------------------------------------------------------------- contiguous vectors */

/* Keeps a double by itself: two at a time they would be read before they are written, each by its own. */
QUIRE_INLINE double alone(double x) {
    uint64_t bits = bits_of_double(x);
    __asm__("" : "+r"(bits));
    return double_of_bits(bits);
}

QUIRE_INLINE sum_ends ends_of_vector(const cpu_tier *tier, ends_kind kind, quire_type type, quire_term term,
                                     const ends_vector *v) {
    many_ends ends;
    tier->ends->of[kind][type][term].vectors(v, 1, &ends);
    return (sum_ends){ alone(ends.sum[0]), alone(ends.low[0]), alone(ends.up[0]) };
}

int ends_tell(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    const ends_vector all = { job->x, job->y, job->n };
    sum_ends sums[MOST_JOB_SUMS];
    for (ends_kind kind = ends_kind_of(job, format); kind != ENDS_KINDS; kind = kind_after(job, kind, sums[0])) {
        for (int i = 0; i < job_sums(job); i++) {
            const ends_vector v = vector_of_sum(job, i, all);
            sums[i] = ends_of_vector(tier, kind, job->type, term_of(job, i), &v);
        }
        if (ends_round(sums, kind, job, format, bits)) return 1;
    }
    return 0;
}

/* By ends of one kind, which becomes that for what is left open. */
static uint64_t reduce_by(const cpu_tier *tier, ends_kind *kind, const quire_job *job, const ends_vector *vectors,
                          size_t count, format_description format, char *results) {
    many_ends ends[MOST_JOB_SUMS];
    size_t n[ENDS_TOGETHER];
    for (int i = 0; i < job_sums(job); i++) {
        ends_vector of[ENDS_TOGETHER];
        for (size_t k = 0; k < count && needs_pair_sums(job->finish); k++) of[k] = vector_of_sum(job, i, vectors[k]);
        tier->ends->of[*kind][job->type][term_of(job, i)].vectors(needs_pair_sums(job->finish) ? of : vectors, count,
                                                                  &ends[i]);
    }
    for (size_t i = 0; i < count; i++) n[i] = vectors[i].n;
    const uint64_t open = ends_results(tier, *kind, ends, n, count, job, format, results);
    *kind = ends_kind_after(job, *kind, ends, open);
    return open;
}

/* What ends of one kind leave open is tried by those of the next. */
uint64_t ends_reduce_many(const cpu_tier *tier, const quire_job *job, const ends_vector *vectors, size_t count,
                          format_description format, char *results) {
    const size_t size = (size_t)format.size;
    ends_kind kind = ends_kind_of(job, format);
    uint64_t open = reduce_by(tier, &kind, job, vectors, count, format, results);
    while (kind != ENDS_KINDS) {
        _Alignas(8) char found[ENDS_TOGETHER * 8];
        ends_vector left[ENDS_TOGETHER];
        size_t number[ENDS_TOGETHER], few = 0;
        for (uint64_t bits = open; bits; bits &= bits - 1, few++) {
            number[few] = (size_t)__builtin_ctzll(bits);
            left[few] = vectors[number[few]];
        }
        const uint64_t untold = reduce_by(tier, &kind, job, left, few, format, found);
        for (size_t i = 0; i < few; i++) {
            if (untold >> i & 1) continue;
            memcpy(results + number[i] * size, found + i * size, size);
            open &= ~((uint64_t)1 << number[i]);
        }
    }
    return open;
}

/* ------------------------------------------------------------------------------------ a vector that threads share */

typedef struct {
    ends_kind kind;
    sum_ends (*of_piece)[MOST_JOB_SUMS];
} ends_work;

static void run_ends(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    const ends_work *e = w->own;
    const strided_vector v = strided_vector_of(w->context, w->job, w->x_stride, w->y_stride);
    strided_ends(&v, w->job, e->kind, x, y, n, e->of_piece[piece]);
}

/* By ends of one kind, which becomes the next. Never inlined: its additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_round(ends_work *e, int pieces, const quire_job *job,
                                                  format_description format, uint64_t *bits) {
    sum_ends *all = e->of_piece[0];
    for (int p = 1; p < pieces; p++)
        for (int i = 0; i < job_sums(job); i++) ends_merge(&all[i], e->of_piece[p][i]);
    if (ends_round(all, e->kind, job, format, bits)) return 1;
    e->kind = kind_after(job, e->kind, all[0]);
    return 0;
}

int ends_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                format_description format, uint64_t *bits) {
    sum_ends of_piece[MOST_PIECES][MOST_JOB_SUMS];
    ends_work e = { ends_kind_of(job, format), of_piece };
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_ends;
    w.own = &e;
    while (e.kind != ENDS_KINDS) {
        work_run(&w);
        const cpu_environment callers = environment_enter();
        const int is_told = pieces_round(&e, w.pieces, job, format, bits);
        environment_leave(callers);
        if (is_told) return 1;
    }
    return 0;
}
