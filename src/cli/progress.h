/* progress.h - a bar on standard error, if that is a terminal, for what takes more than a second: what is done, the
 * share of it, the rate, and the time left.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_PROGRESS_H
#define QUIRE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Every bar of the next calls is of one of several files that make one result; files 0: of the only one. The label
 * stays. */
void progress_file(int file, int files);

/* The same for several passes over the data. The bar's seconds start anew. */
void progress_pass(int pass, int passes);

/* The second starts. what is a word for what is done; size is how many bytes one of what is counted has, 0: not known.
 */
void progress_begin(const char *what, size_t size);

/* The same for a loop over pieces that reports how many elements it has done: what the library says of each piece,
 * which would be a second bar, is left out. */
void progress_begin_pieces(const char *what, size_t size);

/* done of total are done (total 0: not known). */
void progress_report(size_t done, size_t total);

/* As the report of quire_set_progress. */
void progress_of_library(void *user, size_t done, size_t total);

/* How much was reported to be done last, and of how much (0: not known), and the bytes of one (0: not known). Signal
 * handlers may ask. */
void progress_where(size_t *done, size_t *total, size_t *size);
bool progress_shown(void);

/* Erases the bar, if there is one; to be called before anything is printed. */
void progress_end(void);

#endif
