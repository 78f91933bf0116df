/* ends.c - results from the two ends of a sum (block/ends.h), where these tell them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/drivers.h"
#include "cpu/environment.h"
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

/* The result if the sum were a number. */
static uint64_t end_round(double end, const quire_job *job, format_description format) {
    return finish_and_round(total_of_double(end), job->finish, job->n, format, job->rounding);
}

int ends_round(sum_ends ends, const quire_job *job, format_description format, uint64_t *bits) {
    const double down = -ends.low, up = ends.up;
    const int is_zero = down == 0 && up == 0;
    if (is_zero && job->rounding == QUIRE_DOWNWARD && job->term != TERM_MAGNITUDE && !signbit(up))
        return 0; /* was a term no zero? */
    if (!is_zero && !signbit(down) != !signbit(up) && !isnan(up)) return 0;
    if (job->finish == FINISH_KEEP && job->rounding == QUIRE_TO_NEAREST && format.precision == 24 && !isnan(up)) {
        *bits = bits_of_float((float)up);
        return is_zero || bits_of_float((float)down) == *bits;
    }
    *bits = end_round(up, job, format);
    return is_zero || down == up || end_round(down, job, format) == *bits;
}

int ends_tell(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    const ends_vector v = { job->x, job->y, job->n };
    sum_ends ends;
    tier->ends[job->type][job->term](&v, 1, &ends);
    return ends_round(ends, job, format, bits);
}

/* Of pieces: of the whole. A sum rounded up: where TwoSum says that it is too small, the next double. */
static double add_up(double a, double b) {
    double sum;
    const double error = two_sum_f64(a, b, &sum);
    return error > 0 ? nextafter(sum, INFINITY) : sum;
}

static void run_ends(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    sum_ends *of_piece = w->own;
    const ends_vector v = { x, y, n };
    w->context->tier->ends[w->job->type][w->job->term](&v, 1, &of_piece[piece]);
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
