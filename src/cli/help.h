/* help.h - help on standard output, in lines of at most 80 columns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_HELP_H
#define QUIRE_CLI_HELP_H

#include "options.h"

#define HELP_WIDTH 80

/* All verbs, the table ending with a name of NULL: one screen of 24 lines. */
void help_all(const struct command *commands);

/* How a verb is used: what its help begins with. */
void help_usage(const struct command *command);

/* An option and what it does, which is broken into lines. */
void help_entry(const char *option, const char *text);

#endif
