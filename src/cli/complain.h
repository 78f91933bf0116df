/* complain.h - how the command says what went wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_COMPLAIN_H
#define QUIRE_CLI_COMPLAIN_H

/* The exit statuses of the command. Functions that can fail answer one of these, having complained already. */
enum { EXIT_FINE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2 };

/* One line on standard error, "quire: " and the message; control characters (of a file's name, say) become '?', so that
 * it stays one line. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

#endif
