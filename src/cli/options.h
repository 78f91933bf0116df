/* options.h - the command line, read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_OPTIONS_H
#define QUIRE_CLI_OPTIONS_H

#include <stdbool.h>

#include "names.h"

#define METHOD_ALL 0

struct options;

/* A command of quire: its name, what it needs, and the function that is it. */
struct command {
    const char *name;
    const char *operands; /* as the help shows them                                 */
    const char *summary;  /* one line for the list of commands                      */
    int files;            /* how many operands; a command without takes only --json */
    enum operation operation;
    int (*run)(const struct command *command, const struct options *options);
};

/* Zero means: not given. */
struct options {
    const char *file[2];
    int method; /* a quire_method, or METHOD_ALL                     */
    int type;   /* a quire_type: of raw input                        */
    int result; /* a quire_type                                      */
    int threads;
    int tier; /* a quire_tier; -1: not given                         */
    bool json;
    bool cuda;
    int gpu; /* the number of the CUDA device                        */
    bool help;
};

/* Reads the arguments after the command's name: argv[0] is the command itself. EXIT_FINE or EXIT_USAGE. */
int options_read(struct options *options, const struct command *command, int argc, char **argv);

/* Help on standard output: of one command; of all of them, the table ending with a name of NULL. */
void options_help(const struct command *command);
void options_help_all(const struct command *commands);

#endif
