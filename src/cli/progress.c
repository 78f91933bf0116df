/* progress.c - a bar on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define PATIENCE 1.0 /* seconds before the bar shows */
#define INTERVAL 0.1 /* seconds between two pictures */
#define WIDTH 30

/* There is one terminal, so there is one bar. */
static struct {
    bool terminal, shown;
    bool in_pieces;               /* the library's reports are of a piece each */
    double start, next, interval; /* next: when to paint */
    const char *what;
    size_t size;
    int file, files, pass, passes;
    volatile size_t done, total;
} bar;

void progress_file(int file, int files) { bar.file = file, bar.files = files; }

void progress_pass(int pass, int passes) {
    bar.pass = pass, bar.passes = passes;
    bar.start = clock_seconds();
}

void progress_begin(const char *what, size_t size) {
    const char *always = getenv("QUIRE_PROGRESS"); /* for tests, which have no terminal and no second */
    bar.terminal = isatty(STDERR_FILENO) || always;
    bar.in_pieces = false;
    bar.what = what;
    bar.size = size;
    bar.done = bar.total = 0;
    bar.start = clock_seconds();
    bar.next = bar.start + (always ? 0 : PATIENCE);
    bar.interval = always && !strcmp(always, "all") ? 0 : INTERVAL;
}

void progress_begin_pieces(const char *what, size_t size) {
    progress_begin(what, size);
    bar.in_pieces = true;
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

static void paint(size_t done, size_t total, double seconds) {
    fputs("\r\033[K", stderr);
    if (bar.files > 1) fprintf(stderr, "file %d of %d%s", bar.file, bar.files, bar.passes > 1 ? ", " : ": ");
    if (bar.passes > 1) fprintf(stderr, "pass %d of %d: ", bar.pass, bar.passes);
    if (total && done <= total) {
        const double share = (double)done / (double)total;
        const int filled = (int)(share * WIDTH);
        fprintf(stderr, "%s [%.*s%*s] %3.0f%%", bar.what, filled, "##############################", WIDTH - filled, "",
                share * 100);
    } else {
        fprintf(stderr, "%s: %.1f MB", bar.what, (double)done * (double)(bar.size ? bar.size : 1) / 1e6);
    }
    if (bar.size && seconds > 0) paint_rate((double)done * (double)bar.size / seconds);
    if (total && done && done <= total) paint_time(seconds * (double)(total - done) / (double)done);
    fflush(stderr);
}

void progress_where(size_t *done, size_t *total, size_t *size) {
    *done = bar.done;
    *total = bar.total >= bar.done ? bar.total : 0;
    *size = bar.size;
}

bool progress_shown(void) { return bar.shown; }

void progress_report(size_t done, size_t total) {
    bar.total = total;
    bar.done = done;
    if (!bar.terminal) return;
    const double now = clock_seconds();
    if (now < bar.next) return;
    bar.next = now + bar.interval;
    bar.shown = true;
    paint(done, total, now - bar.start);
}

void progress_of_library(void *user, size_t done, size_t total) {
    (void)user;
    if (!bar.in_pieces) progress_report(done, total);
}

void progress_end(void) {
    if (bar.shown) fputs("\r\033[K", stderr);
    bar.shown = bar.terminal = false;
}
