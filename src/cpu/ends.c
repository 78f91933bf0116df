/* ends.c - results from the two ends of a sum (exact/ends.h), where these tell them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/drivers.h"
#include "cpu/simd/scalar.h"

#include <math.h>

/* Sums of so short elements, of 16 bits and less, are quicker by integers if they have more. */
#define SURE_MOST 512

int has_ends(const quire_job *job, format_description format) {
    const int is_quick =
        job->term == TERM_PRODUCT || job->n <= SURE_MOST || !have_sure_sums(describe_format(job->type));
    return job->method == QUIRE_EXACT && is_quick && !needs_squares(job->finish) && !has_double_lanes(job->type) &&
           format.precision <= 24;
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

/* Of pieces: of the whole. A sum rounded up: where TwoSum says that it is too small, the next double. */
static double add_up(double a, double b) {
    double sum;
    const double error = two_sum_f64(a, b, &sum);
    return error > 0 ? nextafter(sum, INFINITY) : sum;
}

static void run_ends(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    sum_ends *of_piece = w->own;
    of_piece[piece] = w->context->tier->ends[w->job->type][w->job->term](x, y, n);
}

int ends_reduce(const cpu_context *context, const quire_job *job, format_description format, uint64_t *bits) {
    const ptrdiff_t size = describe_format(job->type).size;
    sum_ends of_piece[MOST_PIECES];
    cpu_work w = work_of(context, job, size, size);
    w.run = run_ends;
    w.own = of_piece;
    work_run(&w);
    sum_ends all = of_piece[0];
    for (int i = 1; i < w.pieces; i++)
        all.low = add_up(all.low, of_piece[i].low), all.up = add_up(all.up, of_piece[i].up);
    return ends_round(all, job, format, bits);
}
