/* arguments.h - the walk over the options of a command line, for every command of the project.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_ARGUMENTS_H
#define QUIRE_CLI_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#define ARGUMENTS_PROBLEM 256

/* Calls take for every option of the table, until it answers false; optind is then at the first operand. letters are
 * the options of one letter, as getopt takes them. False with a problem: what is wrong, with a suggestion for a name
 * misspelt. False without one: take answered false. */
bool arguments_walk(int argc, char **argv, const char *letters, const struct option *table,
                    bool (*take)(void *user, int which, char *word), void *user, char problem[ARGUMENTS_PROBLEM]);

/* The name that a misspelt word is nearest to, by letters left out, put in, exchanged or replaced; NULL if none is
 * near. next gives the i-th name, and NULL after the last. */
const char *arguments_nearest(const char *word, const char *(*next)(const void *names, int i), const void *names);

#endif
