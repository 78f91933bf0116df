/* ends.c - results from the two ends of a sum (block/ends.h), where these tell them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/environment.h"
#include "cpu/rounding.h"
#include "cpu/simd/scalar.h"

#include <math.h>

/* Sums of so short elements, of 16 bits and less, are quicker by integers if they have more. */
#define SURE_MOST 512

int has_ends(const cpu_context *context, const quire_job *job, format_description format) {
    if (context && (context->past_ends || context->report)) return 0;
    if (job->method != QUIRE_EXACT || needs_squares(job->finish) || has_double_lanes(job->type)) return 0;
    if (format.precision > 24) return 0; /* of which two ends that are doubles tell few */
    return job->term == TERM_PRODUCT || job->n <= SURE_MOST || !have_sure_sums(describe_format(job->type));
}

int ends_round(sum_ends ends, const quire_job *job, format_description format, uint64_t *bits) {
    const double down = -ends.low, up = ends.up;
    const int is_zero = down == 0 && up == 0;
    if (is_zero && job->rounding == QUIRE_DOWNWARD && job->term != TERM_MAGNITUDE && !signbit(up))
        return 0; /* was a term no zero? */
    if (!is_zero && !signbit(down) != !signbit(up) && !double_is_nan(up)) return 0;
    if (job->finish == FINISH_KEEP && job->rounding == QUIRE_TO_NEAREST && format.precision == 24 &&
        !double_is_nan(up)) {
        *bits = bits_of_float((float)up); /* a tenth less time for short rows than the general way */
        return is_zero || bits_of_float((float)down) == *bits;
    }
    *bits = words_round(&up, 1, job, format);
    return is_zero || down == up || words_round(&down, 1, job, format) == *bits;
}

static sum_ends ends_of_vector(const cpu_tier *tier, const quire_job *job, const char *x, const char *y, size_t n) {
    const ends_vector v = { x, y, n };
    sum_ends ends;
    tier->ends[job->type][job->term](&v, 1, &ends);
    return ends;
}

int ends_tell(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    return ends_round(ends_of_vector(tier, job, job->x, job->y, job->n), job, format, bits);
}

cpu_context ends_past(const cpu_context *context) {
    cpu_context past = *context;
    past.past_ends = 1;
    return past;
}

/* Of pieces: of the whole. A sum rounded up: where TwoSum says that it is too small, the next double. */
static double add_up(double a, double b) {
    double sum;
    const double error = two_sum_f64(a, b, &sum);
    return error > 0 ? next_towards(sum, error) : sum;
}

static void run_ends(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    sum_ends *of_piece = w->own;
    of_piece[piece] = ends_of_vector(w->context->tier, w->job, x, y, n);
}

/* Never inlined: its additions would be moved out of our environment. */
static __attribute__((noinline)) int pieces_round(const sum_ends *of_piece, int pieces, const quire_job *job,
                                                  format_description format, uint64_t *bits) {
    sum_ends all = of_piece[0];
    for (int i = 1; i < pieces; i++)
        all.low = add_up(all.low, of_piece[i].low), all.up = add_up(all.up, of_piece[i].up);
    return ends_round(all, job, format, bits);
}

int ends_reduce(const cpu_context *context, const quire_job *job, format_description format, uint64_t *bits) {
    const ptrdiff_t size = describe_format(job->type).size;
    sum_ends of_piece[MOST_PIECES];
    cpu_work w = work_of(context, job, size, size);
    w.run = run_ends;
    w.own = of_piece;
    work_run(&w);
    const cpu_environment callers = environment_enter();
    const int is_told = pieces_round(of_piece, w.pieces, job, format, bits);
    environment_leave(callers);
    return is_told;
}
