/* terminal.h - complaints, progress and Ctrl-C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TERMINAL_H
#define QUIRE_BENCH_TERMINAL_H

#include <stdbool.h>

enum { EXIT_FINE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* Answers false, so that a failing function can end in it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

/* What is going on, on a line of the terminal that the next call wipes; nothing if standard error is none. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void progress(const char *format, ...);
void progress_end(void);

/* After interrupt_watch: true once Ctrl-C was pressed. A second Ctrl-C ends the program at once. */
void interrupt_watch(void);
bool interrupted(void);

#endif
