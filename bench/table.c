/* table.c - the table that people read.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include "number.h"
#include "report.h"

#define SMALL 40

void table_begin(const facts *f) {
    for (int i = 0; i < FACTS; i++) printf("%-9s %s\n", f->one[i].name, f->one[i].value);
    printf("\n%-9s %-4s %-4s %-14s %-9s %3s %9s %7s %6s %7s %6s %9s %9s %9s  %s\n", "n", "type", "op", "data", "method",
           "thr", "time", "GB/s", "ratio", "ceiling", "spread", "err/ulp", "err/u|x|", "bound", "bits");
}

static const char *show_size(size_t n, char text[SMALL]) {
    int zeros = 0;
    size_t rest = n;
    for (; rest && rest % 10 == 0; rest /= 10) zeros++;
    if (zeros >= 3 && rest < 10000)
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
    char size[SMALL], time[SMALL], ulps[SMALL], units[SMALL], bound[SMALL];
    printf("%-9s %-4s %-4s %-14.14s %-9s %3d %9s %7.2f %5.2f%c %7.2f %5.1f%% %9s %9s %9s  %c%c%c\n",
           show_size(r->job->n, size), type_name(r->job->type), operation_name(r->job->operation), r->family,
           r->contender->name, r->contender->threads, show_seconds(r->best, time), r->rate / 1e9, r->ratio,
           r->noise == YES ? '~' : ' ', r->share, 100 * r->spread, show_error(r->error_ulps, ulps),
           show_error(r->error_units, units), show_error(r->bound_units, bound), show_verdict(r->runs),
           show_verdict(r->threads), show_verdict(r->alignments));
}

void table_gap(void) {
    putchar('\n');
    fflush(stdout);
}

void table_end(void) {
    puts(
        "time      the best of the samples; spread: how much longer the median is\n"
        "ratio     speed over that of fast-math, one thread, same data and run; ~ where it differs from 1 by less than the\n"
        "          spreads of both: noise\n"
        "ceiling   speed over that of read, a pure read loop on one thread\n"
        "err/ulp   distance from the exact result in ulps; err/u|x|, bound: that and the documented bound, both with the "
        "last\n"
        "          rounding, in u sum|x| (mean: over n; nrm2: u times the norm); inf: overflow is possible, or happened\n"
        "bits      = equal, ! different, - not asked: in all runs, with another number of threads, at another alignment");
}
