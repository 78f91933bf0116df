/* progress.c - a bar on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"

#define PATIENCE 1.0 /* seconds before the bar shows */
#define INTERVAL 0.1 /* seconds between two pictures */
#define WIDTH 30

/* There is one terminal, so there is one bar. */
static struct {
    bool terminal, shown;
    double start, next; /* next: when to paint */
    const char *what;
    size_t size;
    int pass, passes;
} bar;

void progress_pass(int pass, int passes) { bar.pass = pass, bar.passes = passes; }

void progress_begin(const char *what, size_t size) {
    const char *always = getenv("QUIRE_PROGRESS"); /* for tests, which have no terminal and no second */
    bar.terminal = isatty(STDERR_FILENO) || always;
    bar.what = what;
    bar.size = size;
    bar.start = clock_seconds();
    bar.next = bar.start + (always ? 0 : PATIENCE);
}

static void paint_rate(double rate) {
    if (rate >= 1e9)
        fprintf(stderr, "  %.2f GB/s", rate / 1e9);
    else
        fprintf(stderr, "  %.1f MB/s", rate / 1e6);
}

static void paint_time(double seconds) {
    const unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 3600)
        fprintf(stderr, "  %lu:%02lu left", whole / 60, whole % 60);
    else
        fprintf(stderr, "  %lu:%02lu:%02lu left", whole / 3600, whole / 60 % 60, whole % 60);
}

static void paint(const char *what, size_t done, size_t total, double seconds) {
    fputs("\r\033[K", stderr);
    if (bar.passes > 1) fprintf(stderr, "pass %d of %d: ", bar.pass, bar.passes);
    if (total && done <= total) {
        const double share = (double)done / (double)total;
        const int filled = (int)(share * WIDTH);
        fprintf(stderr, "%s [%.*s%*s] %3.0f%%", what, filled, "##############################", WIDTH - filled, "",
                share * 100);
    } else {
        fprintf(stderr, "%s: %.1f MB", what, (double)done * (double)(bar.size ? bar.size : 1) / 1e6);
    }
    if (bar.size && seconds > 0) paint_rate((double)done * (double)bar.size / seconds);
    if (total && done && done <= total) paint_time(seconds * (double)(total - done) / (double)done);
    fflush(stderr);
}

void progress_report(const char *what, size_t done, size_t total) {
    if (!bar.terminal) return;
    const double now = clock_seconds();
    if (now < bar.next) return;
    bar.next = now + INTERVAL;
    bar.shown = true;
    paint(what ? what : bar.what, done, total, now - bar.start);
}

void progress_of_library(void *user, size_t done, size_t total) {
    (void)user;
    progress_report(NULL, done, total);
}

void progress_end(void) {
    if (bar.shown) fputs("\r\033[K", stderr);
    bar.shown = false;
}
