/* progress.h - a bar on standard error, if that is a terminal, for what takes more than a second.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_PROGRESS_H
#define QUIRE_CLI_PROGRESS_H

#include <stddef.h>

/* The second starts. */
void progress_begin(void);

/* As the report of quire_set_progress: what is a word for what is done (a const char *); total 0 means unknown. */
void progress_report(void *what, size_t done, size_t total);

/* Erases the bar, if there is one; to be called before anything is printed. */
void progress_end(void);

#endif
