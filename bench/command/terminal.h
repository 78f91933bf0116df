/* terminal.h - complaints, progress and Ctrl-C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_TERMINAL_H
#define QUIRE_BENCH_TERMINAL_H

#include <stdbool.h>

#include "../../src/cli/complain.h"

enum { EXIT_INTERRUPTED = 130 }; /* beside those of complain.h */

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
