/* terminal.c - the terminal: complaints, progress, Ctrl-C.
 *
 * SPDX-License-Identifier: MIT
 */
#include "terminal.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool showing;

void progress(const char *format, ...) {
    va_list arguments;
    if (!isatty(STDERR_FILENO)) return;
    fputs("\r\033[K", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    showing = true;
}

void progress_end(void) {
    if (showing) fputs("\r\033[K", stderr);
    showing = false;
}

static volatile sig_atomic_t pressed;
static struct timespec first;

/* Some senders, timeout(1) among them, signal the process and its group: what comes with the first is not a second one.
 */
static void on_interrupt(int number) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double since = (double)(t.tv_sec - first.tv_sec) + 1e-9 * (double)(t.tv_nsec - first.tv_nsec);
    if (!pressed)
        first = t;
    else if (since > 0.2)
        signal(number, SIG_DFL), raise(number);
    pressed = 1;
}

void interrupt_watch(void) {
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) { return pressed; }
