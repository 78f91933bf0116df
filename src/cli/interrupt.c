/* interrupt.c - what the command says and removes when it is interrupted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "interrupt.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "output.h"
#include "progress.h"

/* In a handler of signals nothing of stdio may be called, so the line is put together by hand. */
struct line {
    char text[256];
    size_t length;
};

static void add_text(struct line *line, const char *text) {
    const size_t length = strlen(text);
    if (length > sizeof line->text - line->length) return;
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

static void add_number(struct line *line, size_t number) {
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    add_text(line, digits + at);
}

/* "in 'summing', at 41%", or "after 123 MB". */
static void add_place(struct line *line) {
    size_t done, total, size;
    progress_where(&done, &total, &size);
    if (!done) return;
    if (total) {
        add_text(line, " at ");
        add_number(line, total > 1000000 ? done / (total / 100) : 100 * done / total);
        add_text(line, "%");
    } else if (done > SIZE_MAX / (size ? size : 1) || done * (size ? size : 1) >= 1000000) {
        add_text(line, " after ");
        add_number(line, done / 1000000 * (size ? size : 1) + done % 1000000 * (size ? size : 1) / 1000000);
        add_text(line, " MB");
    } else {
        add_text(line, " after ");
        add_number(line, done);
        add_text(line, size ? " numbers" : " bytes");
    }
}

static void end(int signal) {
    struct line line = { .length = 0 };
    if (progress_shown()) add_text(&line, "\r\033[K");
    add_text(&line, program_name);
    add_text(&line, ": interrupted");
    add_place(&line);
    add_text(&line, "; no result\n");
    const ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
    output_abandon();
    raise(signal); /* whose action is the default one again, by SA_RESETHAND */
}

static void watch(int signal) {
    struct sigaction there, action = { .sa_handler = end, .sa_flags = (int)SA_RESETHAND };
    if (!sigaction(signal, NULL, &there) && there.sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

void interrupt_watch(void) {
    watch(SIGINT);
    watch(SIGTERM);
}
