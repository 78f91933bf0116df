/* progress.c - a bar on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define PATIENCE 1.0 /* seconds before the bar shows */
#define INTERVAL 0.1 /* seconds between two pictures  */
#define WIDTH 40

/* There is one terminal, so there is one bar. */
static struct {
    bool terminal, shown;
    double next; /* when to paint */
} bar;

void progress_begin(void) {
    bar.terminal = isatty(STDERR_FILENO);
    bar.next = clock_seconds() + PATIENCE;
}

void progress_report(void *what, size_t done, size_t total) {
    if (!bar.terminal) return;
    double now = clock_seconds();
    if (now < bar.next) return;
    bar.next = now + INTERVAL;
    bar.shown = true;
    if (!total || done > total) {
        fprintf(stderr, "\r%s: %.1f MB", (const char *)what, (double)done / 1e6);
        return;
    }
    double share = (double)done / (double)total;
    int filled = (int)(share * WIDTH);
    fprintf(stderr, "\r%s [%.*s%*s] %3.0f%%", (const char *)what, filled, "########################################",
            WIDTH - filled, "", share * 100);
}

void progress_end(void) {
    if (bar.shown) fputs("\r\033[K", stderr);
    bar.shown = false;
}
