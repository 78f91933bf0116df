/* complain.h - how the command says what went wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_COMPLAIN_H
#define QUIRE_CLI_COMPLAIN_H

#include <stdbool.h>

/* Who complains: the benchmarks read files by the same sources. Only complain.c is compiled for each program. */
extern const char program_name[];

/* The exit statuses of the command. Functions that can fail answer one of these, having complained already. */
enum { EXIT_FINE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2 };

/* One line on standard error, the program's name and the message; control characters (of a file's name, say) become
 * '?', so that it stays one line. A bar is erased before. Answers false, so that a failing function can end in it. */
__attribute__((format(printf, 1, 2))) bool complain(const char *format, ...);

/* Complains of no memory; answers EXIT_TROUBLE. */
static inline int out_of_memory(void) {
    complain("out of memory");
    return EXIT_TROUBLE;
}

/* The same line for what is no failure, but should be known. */
__attribute__((format(printf, 1, 2))) void remark(const char *format, ...);

#endif
