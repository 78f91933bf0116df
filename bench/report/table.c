/* table.c - the table that people read.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "places/place.h"
#include "report.h"

#define SMALL 40

static int operation_width, data_width, width; /* of names: of operations, of what is summed, of contenders */
static bool has_sums;                          /* a column for time over the fast-math sum */

static void find_widths(const options *o) {
    operation_width = 4;
    has_sums = false;
    for (int i = 0; i < o->operation_count; i++) {
        const operation which = (operation)o->operations[i];
        const int length = (int)strlen(operation_name(which));
        if (length > operation_width) operation_width = length;
        has_sums |= operation_is_moment(which) && o->places & ON_CPU;
    }
    data_width = o->layout_count ? 23 : 15;                         /* "segments-power, uniform" */
    width = o->ladder || o->layout_count ? 26 : has_sums ? 18 : 16; /* "09 tree and shuffle in half" */
}

void table_begin(const options *o, const facts *f) {
    find_widths(o);
    for (int i = 0; i < FACTS; i++) printf("%-9s %s\n", f->one[i].name, f->one[i].value);
    const char *sum = has_sums ? "   /sum" : "";
    printf("\n%-9s %-4s %-*s %-*s %-*s ", "n", "type", operation_width, "op", data_width, "data", width, "method");
    printf("%-5s %3s %9s %8s %6s %7s%s %6s ", "place", "thr", "time", "GB/s", "/base", "/read", sum, "spread");
    printf("%9s %9s %9s  %s\n", "err/ulp", "err/u|x|", "bound", "bits");
}

static const char *show_size(size_t n, char text[SMALL]) {
    int zeros = 0;
    size_t rest = n;
    int power = 0;
    for (; n >> power > 1; power++) {
    }
    for (; rest && rest % 10 == 0; rest /= 10) zeros++;
    if (n >= 1024 && n == (size_t)1 << power)
        snprintf(text, SMALL, "2^%d", power);
    else if (zeros >= 3 && rest < 10000)
        snprintf(text, SMALL, "%zue%d", rest, zeros);
    else
        snprintf(text, SMALL, "%zu", n);
    return text;
}

static const char *show_seconds(double seconds, char text[SMALL]) {
    static const char *const units[] = { "ns", "us", "ms", "s" };
    double value = seconds * 1e9;
    int unit = 0;
    for (; value >= 1000 && unit < 3; unit++) value /= 1000;
    snprintf(text, SMALL, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[unit]);
    return text;
}

/* Errors span many orders of magnitude. */
static const char *show_error(double error, char text[SMALL]) {
    if (isnan(error))
        snprintf(text, SMALL, "-");
    else if (error == 0 || (error >= 0.01 && error < 1000))
        snprintf(text, SMALL, "%.3g", error);
    else
        snprintf(text, SMALL, "%.1e", error);
    return text;
}

static char show_verdict(verdict v) { return v == YES ? '=' : v == NO ? '!' : '-'; }

void table_row(const row *r) {
    char what[SMALL], size[SMALL], threads[SMALL] = "-", time[SMALL], sum[SMALL] = "";
    char ulps[SMALL], units[SMALL], bound[SMALL];
    if (r->contender->threads) snprintf(threads, sizeof threads, "%d", r->contender->threads);
    snprintf(what, sizeof what, "%s%s%s", r->job->layout ? layout_name(r->job->layout) : "", r->job->layout ? ", " : "",
             r->family);
    if (has_sums && isnan(r->over_sum)) snprintf(sum, sizeof sum, " %6s", "-");
    if (has_sums && !isnan(r->over_sum)) snprintf(sum, sizeof sum, " %6.2f", r->over_sum);
    printf("%-9s %-4s %-*s %-*.*s ", show_size(job_length(r->job), size), type_name(r->job->type), operation_width,
           operation_name(r->job->operation), data_width, data_width, what);
    printf("%-*.*s %-5s %3s %9s %8.2f ", width, width, r->contender->name, r->contender->place->name, threads,
           show_seconds(r->timing.figure, time), r->rate / 1e9);
    printf("%5.2f%c %7.3f%s %5.1f%% ", r->over_baseline, r->noise == YES ? '~' : ' ', r->over_ceiling, sum,
           100 * r->timing.spread);
    printf("%9s %9s %9s  ", show_error(r->error_ulps, ulps), show_error(r->error_units, units),
           show_error(r->bound_units, bound));
    printf("%c%c%c\n", show_verdict(r->runs), show_verdict(r->launches), show_verdict(r->alignments));
}

void table_gap(void) {
    putchar('\n');
    fflush(stdout);
}

void table_end(void) {
    puts("time      CPU: the best of the samples; spread: how much longer the median is\n"
         "          GPU: the median; spread: half the distance of the quartiles\n"
         "/base     time over that of the baseline, on the same data in the same run; above 1 is slower. The baseline\n"
         "          is fast-math on one thread (CPU), or cub (GPU; read, where cub has not the operation). ~ where it\n"
         "          differs from 1 by less than the spreads of both: noise\n"
         "/read     time over that of read, which only reads: one thread, or the fastest of some kernels; above 1 is\n"
         "          slower");
    if (has_sums)
        puts("/sum      of variance and stddev on a CPU, whose baseline is fast-math two-pass: time over that of a\n"
             "          fast-math sum of the same elements, on one thread, in the same run; above 1 is slower");
    puts("err/ulp   distance from the exact result in ulps; err/u|x|, bound: that and the documented bound, both with\n"
         "          the last rounding, in u sum|x| (mean: over n; nrm2: u times the norm; variance: u sum x^2 / n;\n"
         "          stddev: u root(sum x^2 / n)); inf: overflow is possible, or happened\n"
         "bits      = equal, ! different, - not compared: in all runs, with another number of threads or another\n"
         "          launch, at another alignment");
}
